/* Frames, their meshes and checkpoints written behind a running simulation: a call encodes into a
   buffer and returns while a thread writes the file. The writer's arena is its own, so that neither
   steps nor other writers reset it. */
#include <string.h>

#include "core/cookies.h"
#include "io/records.h"
#include "sleet/checkpoint.h"
#include "sleet/frame.h"

struct SlWriter {
    SlContext *context;
    SlWriterDef def;
    SlArena arena;
    SlEncoder *encoder;
    SlFileQueue *queue;
    uint64_t bytes;
    /* Meshes known to be in mesh_folder: a list of hashes. */
    char mesh_folder[SL_PATH_BYTES];
    uint64_t (*meshes)[2];
    size_t mesh_count, mesh_room;
};

SlWriterDef sl_default_writer_def(void)
{
    return (SlWriterDef){SL_DEF_HEAD(WRITER, SlWriterDef)};
}

SlStatus sl_writer_create(SlContext *context, const SlWriterDef *def, SlWriter **out,
                          SlError *error)
{
    *out = NULL;
    if (!SL_DEF_VALID(def, WRITER))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "writer definition not made by sl_default_writer_def");
    SlWriter *writer = sl_alloc_zero(&context->memory, 1, sizeof *writer);
    if (writer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a writer");
    writer->context = context;
    writer->def = *def;
    sl_arena_init(&writer->arena, &context->memory);
    SlStatus status = sl_encoder_create(context, &writer->encoder, error);
    if (status == SL_OK)
        status =
            sl_file_queue_create(&context->memory, &context->file_layer, &writer->queue, error);
    if (status != SL_OK) {
        sl_writer_destroy(writer);
        return status;
    }
    *out = writer;
    return SL_OK;
}

void sl_writer_destroy(SlWriter *writer)
{
    if (writer == NULL)
        return;
    SlMemory *memory = &writer->context->memory;
    sl_file_queue_destroy(writer->queue);
    sl_encoder_destroy(writer->encoder);
    sl_arena_free(&writer->arena);
    sl_free(memory, writer->meshes, writer->mesh_room * sizeof *writer->meshes);
    sl_free(memory, writer, sizeof *writer);
}

static SlStatus hand_over(SlWriter *writer, const char *path, const SlContainerHeader *head,
                          const SlSource *sources, size_t count, SlError *error)
{
    size_t bytes;
    SlStatus status =
        sl_container_encode(writer->encoder, head, sources, count, writer->queue, &bytes, error);
    if (status != SL_OK)
        return status;
    writer->bytes += bytes;
    sl_file_queue_write(writer->queue, path, bytes);
    return SL_OK;
}

/* --- Meshes: each once per folder --- */

static bool is_known(const SlWriter *writer, const uint64_t hash[2])
{
    for (size_t k = 0; k < writer->mesh_count; k++)
        if (writer->meshes[k][0] == hash[0] && writer->meshes[k][1] == hash[1])
            return true;
    return false;
}

static SlStatus note_known(SlWriter *writer, const uint64_t hash[2], SlError *error)
{
    if (writer->mesh_count == writer->mesh_room) {
        size_t old = writer->mesh_room * sizeof *writer->meshes;
        size_t bytes = 2 * old + 8 * sizeof *writer->meshes;
        void *grown = sl_regrow(&writer->context->memory, writer->meshes, old, bytes, old);
        if (grown == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the list of meshes");
        writer->meshes = grown;
        writer->mesh_room = bytes / sizeof *writer->meshes;
    }
    memcpy(writer->meshes[writer->mesh_count++], hash, sizeof *writer->meshes);
    return SL_OK;
}

/* A complete file of that mesh is there; a damaged one is written again. */
static bool is_stored(const SlWriter *writer, const uint64_t hash[2])
{
    SlStoredMesh *mesh;
    bool stored =
        sl_stored_mesh_read(writer->context, writer->mesh_folder, hash, &mesh, NULL) == SL_OK;
    sl_stored_mesh_release(mesh);
    return stored;
}

static SlStatus write_mesh(SlWriter *writer, const SlMeshView *mesh, SlError *error)
{
    uint64_t hash[2] = {mesh->hash[0], mesh->hash[1]};
    if (hash[0] == 0 && hash[1] == 0)
        sl_mesh_hash(mesh, hash);
    if (is_known(writer, hash))
        return SL_OK;
    SlStatus status = SL_OK;
    if (!is_stored(writer, hash)) {
        char path[SL_PATH_BYTES];
        SlContainerHeader head;
        SlSource *sources;
        size_t count;
        sl_mesh_path(path, writer->mesh_folder, hash);
        status = sl_folder_make(writer->mesh_folder, error);
        if (status == SL_OK)
            status = sl_mesh_sources(&writer->arena, mesh, &head, &sources, &count, error);
        if (status == SL_OK)
            status = hand_over(writer, path, &head, sources, count, error);
        if (status == SL_OK) /* known only once it is on disk */
            status = sl_file_queue_wait(writer->queue, error);
    }
    return status == SL_OK ? note_known(writer, hash, error) : status;
}

static SlStatus write_meshes(SlWriter *writer, const char *frame_path, const SlFrameView *view,
                             SlError *error)
{
    char folder[SL_PATH_BYTES];
    sl_mesh_folder(folder, frame_path);
    if (strcmp(folder, writer->mesh_folder) != 0) {
        memcpy(writer->mesh_folder, folder, sizeof folder);
        writer->mesh_count = 0;
    }
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < view->collider_count; k++) {
        const SlColliderView *collider = &view->colliders[k];
        /* A frame read without its meshes names them only. */
        if (collider->kind == SL_COLLIDER_MESH && collider->mesh.positions != NULL)
            status = write_mesh(writer, &collider->mesh, error);
    }
    return status;
}

static SlStatus write_content(SlWriter *writer, const char *path, const SlFrameContent *content,
                              SlError *error)
{
    SlContainerHeader head;
    SlSource *sources;
    size_t count;
    SlStatus status = write_meshes(writer, path, content->view, error);
    if (status == SL_OK)
        status = sl_frame_sources(&writer->arena, content, &head, &sources, &count, error);
    return status == SL_OK ? hand_over(writer, path, &head, sources, count, error) : status;
}

SlStatus sl_writer_frame(SlWriter *writer, const char *path, const SlFrameView *view,
                         SlError *error)
{
    SlFrameContent content = {.view = view, .quantise = writer->def.quantise};
    return write_content(writer, path, &content, error);
}

SlStatus sl_writer_filtered(SlWriter *writer, const char *path, const SlFrameView *view,
                            const SlFilterRecord *record, SlError *error)
{
    SlFrameContent content = {.view = view, .filter = record, .quantise = writer->def.quantise};
    return write_content(writer, path, &content, error);
}

SlStatus sl_writer_checkpoint(SlWriter *writer, const char *path, const SlStateView *state,
                              SlError *error)
{
    SlContainerHeader head;
    SlSource *sources;
    size_t count;
    SlStatus status =
        sl_checkpoint_sources(&writer->arena, state, &head, &sources, &count, error);
    return status == SL_OK ? hand_over(writer, path, &head, sources, count, error) : status;
}

SlStatus sl_writer_wait(SlWriter *writer, SlError *error)
{
    return sl_file_queue_wait(writer->queue, error);
}

uint64_t sl_writer_bytes(const SlWriter *writer)
{
    return writer->bytes;
}

/* --- One file, written before the call returns --- */

static SlStatus finish_one(SlWriter *writer, SlStatus status, SlError *error)
{
    if (status == SL_OK)
        status = sl_writer_wait(writer, error);
    sl_writer_destroy(writer);
    return status;
}

SlStatus sl_frame_write(SlContext *context, const char *path, const SlFrameView *view,
                        SlError *error)
{
    SlWriterDef def = sl_default_writer_def();
    SlWriter *writer;
    SlStatus status = sl_writer_create(context, &def, &writer, error);
    if (status == SL_OK)
        status = sl_writer_frame(writer, path, view, error);
    return finish_one(writer, status, error);
}

SlStatus sl_checkpoint_write(SlContext *context, const char *path, const SlStateView *state,
                             SlError *error)
{
    SlWriterDef def = sl_default_writer_def();
    SlWriter *writer;
    SlStatus status = sl_writer_create(context, &def, &writer, error);
    if (status == SL_OK)
        status = sl_writer_checkpoint(writer, path, state, error);
    return finish_one(writer, status, error);
}

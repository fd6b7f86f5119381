/* libFuzzer target: any bytes as a frame file, once as they are and once with honest checksums and
   length, so that the checks behind those are reached. A frame that is read must be one that every
   user of views can take: it is walked, drawn, written and read back the same; a refusal has its
   message; nothing is left in memory. clang -fsanitize=fuzzer,address,undefined */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/context.h"
#include "core/error.h"
#include "core/hash.h"
#include "io/fuzz_honest.h"
#include "sleet/sleet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_DRAWN = 1000, MAX_ROWS = 64 };

/* Made once: a context's threads and a renderer's buffers cost more than a small frame. */
static SlContext *context;
static SlFrameReader *reader; /* without meshes: the input is one file */
static SlRenderer *renderer;
static char input_path[64], output_path[64];
static int input_file;

static void set_up(void)
{
    SlContextDef def = sl_default_context_def();
    def.threads = 1;
    SL_ASSERT(sl_context_create(&def, &context, NULL) == SL_OK);
    size_t tables;
    const SlTable *table = sl_renderer_tables(&tables)[0];
    SlParamValue values[MAX_ROWS];
    SL_ASSERT(table->row_count <= MAX_ROWS);
    for (size_t k = 0; k < table->row_count; k++) {
        values[k] = table->rows[k].value;
        if (strcmp(table->rows[k].name, "width") == 0 || strcmp(table->rows[k].name, "height") == 0)
            values[k].number[0] = 32;
    }
    SL_ASSERT(sl_renderer_create(context, table->name, values, &renderer, NULL) == SL_OK);
    SlFrameReaderDef reading = sl_default_frame_reader_def();
    reading.without_meshes = true;
    SL_ASSERT(sl_frame_reader_create(context, &reading, &reader, NULL) == SL_OK);
    input_file = memfd_create("frame", MFD_CLOEXEC);
    SL_ASSERT(input_file >= 0);
    snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input_file);
    snprintf(output_path, sizeof output_path, "/dev/shm/fuzz_frame-%ld.slf", (long)getpid());
}

static uint64_t walk_colliders(const SlFrameView *view, uint64_t hash)
{
    for (size_t k = 0; k < view->collider_count; k++) {
        const SlColliderView *collider = &view->colliders[k];
        hash = sl_hash(collider->name, strlen(collider->name), hash);
        hash = sl_hash(&collider->shape, sizeof collider->shape, hash);
        hash = sl_hash(&collider->pose, sizeof collider->pose, hash);
        hash = sl_hash(&collider->material, sizeof collider->material, hash);
        hash = sl_hash(collider->mesh.hash, sizeof collider->mesh.hash, hash);
        if (collider->vertices != NULL)
            hash = sl_hash(collider->vertices, collider->mesh.vertex_count * 12, hash);
    }
    return hash;
}

static uint64_t walk_surfaces(const SlFrameView *view, uint64_t hash)
{
    for (size_t k = 0; k < view->surface_count; k++) {
        const SlSurfaceView *surface = &view->surfaces[k];
        hash = sl_hash(surface->system, strlen(surface->system), hash);
        hash = sl_hash(surface->positions, surface->vertex_count * 12, hash);
        hash = sl_hash(surface->normals, surface->vertex_count * 12, hash);
        hash = sl_hash(surface->velocities, surface->vertex_count * 12, hash);
        hash = sl_hash(surface->triangles, surface->triangle_count * 12, hash);
        for (size_t j = 0; j < 3 * surface->triangle_count; j++)
            SL_ASSERT(surface->triangles[j] < surface->vertex_count);
    }
    return hash;
}

/* Touches every byte the view shows; returns a hash of it. */
static uint64_t walk(const SlFrameView *view, size_t *particles)
{
    uint64_t hash = sl_hash(&view->domain, sizeof view->domain, view->frame);
    hash = walk_colliders(view, hash);
    hash = walk_surfaces(view, hash);
    hash = sl_hash(view->cameras, view->camera_count * sizeof *view->cameras, hash);
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        hash = sl_hash(system->name, strlen(system->name), hash);
        hash = sl_hash(system->solver, strlen(system->solver), hash);
        for (size_t f = 0; f < system->field_count; f++) {
            const SlFieldView *field = &system->fields[f];
            size_t bytes = 4 * sl_field_lanes(field->type);
            SL_ASSERT(field->count == system->particle_count && field->stride >= bytes);
            hash = sl_hash(field->name, strlen(field->name), hash);
            hash = sl_hash(field->unit, strlen(field->unit), hash);
            hash = sl_hash(field->meaning, strlen(field->meaning), hash);
            for (size_t i = 0; i < field->count; i++)
                hash = sl_hash((const char *)field->data + i * field->stride, bytes, hash);
            *particles += field->count;
        }
    }
    return hash;
}

static void use(const SlFrameView *view)
{
    SlError error;
    size_t particles = 0, again = 0;
    uint64_t hash = walk(view, &particles);
    SlFrame *copy;
    SL_ASSERT(sl_frame_write(context, output_path, view, &error) == SL_OK);
    SL_ASSERT(sl_frame_reader_read(reader, output_path, &copy, &error) == SL_OK);
    SL_ASSERT(walk(sl_frame_view(copy), &again) == hash);
    sl_frame_destroy(copy);
    unlink(output_path);
    SlCamera camera = sl_default_camera();
    camera.eye = (SlVec3){3, 2, 4};
    const SlImage *image;
    if (particles <= MAX_DRAWN)
        (void)sl_renderer_draw(renderer, view, &camera, &image, &error);
}

static void read_frame(const char *bytes, size_t size)
{
    SL_ASSERT(ftruncate(input_file, 0) == 0);
    SL_ASSERT(pwrite(input_file, bytes, size, 0) == (ssize_t)size);
    SlFrame *frame;
    SlError error = {SL_OK, ""};
    uint64_t held = context->memory.bytes_held;
    SlStatus status = sl_frame_reader_read(reader, input_path, &frame, &error);
    SL_ASSERT((status == SL_OK) == (frame != NULL));
    SL_ASSERT(status == SL_OK || (error.status == status && error.text[0] != '\0'));
    uint64_t own = context->memory.bytes_held - held;
    SL_ASSERT(frame != NULL || own == 0);
    if (frame != NULL) {
        use(sl_frame_view(frame));
        held = context->memory.bytes_held - own; /* the arena and the renderer may have grown */
        sl_frame_destroy(frame);
    }
    SL_ASSERT(context->memory.bytes_held == held);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (context == NULL)
        set_up();
    char *bytes = malloc(size + 1);
    if (bytes == NULL)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    read_frame(bytes, size);
    make_honest(bytes, size, SL_CONTAINER_FRAME);
    read_frame(bytes, size);
    free(bytes);
    return 0;
}

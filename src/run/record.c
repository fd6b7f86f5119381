#include "run/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/hash.h"
#include "scene/json.h"
#include "scene/scene.h"
#include "sleet/platform.h"

enum { FORMAT = 1, MAX_BYTES = 64 << 20, FIRST_PIECE = 1 << 14, HASH_CHUNK = 1 << 18 };

static const char *const state_names[SL_RUN_STATE_COUNT] = {
    [SL_RUN_RUNNING] = "running",
    [SL_RUN_STOPPED] = "stopped",
    [SL_RUN_FAILED] = "failed",
    [SL_RUN_FINISHED] = "finished",
};

const char *sl_run_state_name(SlRunState state)
{
    return (unsigned)state < SL_RUN_STATE_COUNT ? state_names[state] : "unknown";
}

/* --- Memory --- */

void sl_run_record_init(SlRunRecord *record, SlContext *context)
{
    memset(record, 0, sizeof *record);
    record->context = context;
    record->info.scene = "";
    record->info.every = 1;
    sl_arena_init(&record->arena, &context->memory);
}

void sl_run_record_free(SlRunRecord *record)
{
    sl_arena_free(&record->arena);
    sl_run_record_init(record, record->context);
}

const char *sl_run_record_text(SlRunRecord *record, const char *text)
{
    char *copy = sl_arena_push(&record->arena, strlen(text) + 1);
    return copy != NULL ? memcpy(copy, text, strlen(text) + 1) : NULL;
}

void sl_run_time(char text[SL_RUN_TIME])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, SL_RUN_TIME, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

SlRunSession *sl_run_record_session(SlRunRecord *record)
{
    size_t count = record->info.session_count;
    /* The list is the record's own; it is const for its readers only. */
    return count > 0 ? (SlRunSession *)&record->info.sessions[count - 1] : NULL;
}

SlRunSession *sl_run_record_begin(SlRunRecord *record, uint64_t from_frame,
                                  const char *const *changes, size_t change_count)
{
    SlRunInfo *info = &record->info;
    SlRunSession *sessions = SL_PUSH(&record->arena, SlRunSession, info->session_count + 1);
    const char **copies = SL_PUSH(&record->arena, const char *, change_count);
    char now[SL_RUN_TIME];
    if (sessions == NULL || copies == NULL)
        return NULL;
    for (size_t k = 0; k < change_count; k++)
        if ((copies[k] = sl_run_record_text(record, changes[k])) == NULL)
            return NULL;
    if (info->session_count > 0)
        memcpy(sessions, info->sessions, info->session_count * sizeof *sessions);
    sl_run_time(now);
    SlRunSession *session = &sessions[info->session_count];
    *session = (SlRunSession){.started = sl_run_record_text(record, now),
                              .ended = "",
                              .version = sl_version(),
                              .commit = sl_build_commit(),
                              .compiler = sl_build_compiler(),
                              .path = sl_context_isa_name(record->context),
                              .threads = sl_context_threads(record->context),
                              .from_frame = from_frame,
                              .to_frame = from_frame,
                              .end = "",
                              .changes = copies,
                              .change_count = change_count};
    info->sessions = sessions;
    info->session_count++;
    return session->started != NULL ? session : NULL;
}

/* --- Hashes of mesh files --- */

static SlStatus hash_file(const char *path, uint64_t *hash, SlError *error)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be read: %s", path,
                            strerror(errno));
    char *chunk = malloc(HASH_CHUNK);
    *hash = 0;
    for (size_t bytes; chunk != NULL && (bytes = fread(chunk, 1, HASH_CHUNK, file)) > 0;)
        *hash = sl_hash(chunk, bytes, *hash);
    bool failed = chunk == NULL || ferror(file) != 0;
    free(chunk);
    fclose(file);
    return failed ? sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be read", path) : SL_OK;
}

typedef struct MeshList {
    SlRunRecord *record;
    SlRunMesh *meshes;
    size_t count, room;
    SlStatus status;
    SlError *error;
} MeshList;

static void add_mesh(void *user, const char *path)
{
    MeshList *list = user;
    if (list->status != SL_OK)
        return;
    if (list->count == list->room) {
        size_t room = 2 * list->room + 16;
        SlRunMesh *grown = SL_PUSH(&list->record->arena, SlRunMesh, room);
        if (grown != NULL && list->count > 0)
            memcpy(grown, list->meshes, list->count * sizeof *grown);
        list->meshes = grown;
        list->room = room;
    }
    const char *file = sl_run_record_text(list->record, path);
    if (list->meshes == NULL || file == NULL) {
        list->status = sl_error_set(list->error, SL_ERROR_MEMORY, "no memory for run.json");
        return;
    }
    SlRunMesh *mesh = &list->meshes[list->count++];
    mesh->file = file;
    list->status = hash_file(path, &mesh->hash, list->error);
}

SlStatus sl_run_record_meshes(SlRunRecord *record, const SlScene *scene, SlError *error)
{
    MeshList list = {.record = record, .error = error};
    sl_scene_each_mesh_file(scene, add_mesh, &list);
    if (list.status == SL_OK) {
        record->info.meshes = list.meshes;
        record->info.mesh_count = list.count;
    }
    return list.status;
}

/* --- Writing --- */

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < ' ')
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void write_text_key(FILE *file, const char *key, const char *text)
{
    fprintf(file, "\"%s\": ", key);
    write_text(file, text);
}

static void write_session(FILE *file, const SlRunSession *s)
{
    fprintf(file, "    {");
    write_text_key(file, "started", s->started);
    fprintf(file, ", ");
    write_text_key(file, "ended", s->ended);
    fprintf(file, ",\n     ");
    write_text_key(file, "version", s->version);
    fprintf(file, ", ");
    write_text_key(file, "commit", s->commit);
    fprintf(file, ", ");
    write_text_key(file, "compiler", s->compiler);
    fprintf(file, ",\n     ");
    write_text_key(file, "path", s->path);
    fprintf(file, ", \"threads\": %u, \"from_frame\": %llu, \"to_frame\": %llu,\n     ", s->threads,
            (unsigned long long)s->from_frame, (unsigned long long)s->to_frame);
    write_text_key(file, "end", s->end);
    fprintf(file, ",\n     \"changes\": [");
    for (size_t k = 0; k < s->change_count; k++) {
        fprintf(file, "%s\n       ", k > 0 ? "," : "");
        write_text(file, s->changes[k]);
    }
    fprintf(file, "]}");
}

static void write_info(FILE *file, const SlRunInfo *info)
{
    fprintf(file, "{\n  \"format\": %d,\n  ", FORMAT);
    write_text_key(file, "state", sl_run_state_name(info->state));
    fprintf(file, ",\n  ");
    write_text_key(file, "scene", info->scene);
    fprintf(file, ",\n  \"scene_hash\": \"%016llx\",\n", (unsigned long long)info->scene_hash);
    fprintf(file, "  \"frames\": %llu,\n  \"every\": %llu,\n  \"frame\": %llu,\n",
            (unsigned long long)info->frames, (unsigned long long)info->every,
            (unsigned long long)info->frame);
    if (info->has_state_hash)
        fprintf(file, "  \"state_hash\": \"%016llx\",\n", (unsigned long long)info->state_hash);
    fprintf(file, "  \"meshes\": [");
    for (size_t k = 0; k < info->mesh_count; k++) {
        fprintf(file, "%s\n    {", k > 0 ? "," : "");
        write_text_key(file, "file", info->meshes[k].file);
        fprintf(file, ", \"hash\": \"%016llx\"}", (unsigned long long)info->meshes[k].hash);
    }
    fprintf(file, "],\n  \"sessions\": [\n");
    for (size_t k = 0; k < info->session_count; k++) {
        write_session(file, &info->sessions[k]);
        fprintf(file, k + 1 < info->session_count ? ",\n" : "\n");
    }
    fprintf(file, "  ]\n}\n");
}

SlStatus sl_run_record_write(const SlRunRecord *record, const char *path, SlError *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (file == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to write it", path);
    write_info(file, &record->info);
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    SlStatus status =
        failed ? sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to write it", path)
               : sl_file_write(&record->context->file_layer, path, text, bytes, error);
    free(text);
    return status;
}

/* --- Reading: values of another type, or missing ones, are left at their defaults --- */

typedef struct Reader {
    SlRunRecord *record;
    const SlJson *json;
    bool no_memory;
} Reader;

static const char *get_text(Reader *r, const SlJsonNode *object, const char *key)
{
    const SlJsonNode *node = sl_json_member(r->json, object, key);
    if (node == NULL || node->type != SL_JSON_TEXT)
        return "";
    const char *copy = sl_run_record_text(r->record, sl_json_text(r->json, node));
    r->no_memory = r->no_memory || copy == NULL;
    return copy;
}

static uint64_t get_number(const Reader *r, const SlJsonNode *object, const char *key)
{
    const SlJsonNode *node = sl_json_member(r->json, object, key);
    return node != NULL && node->type == SL_JSON_NUMBER && node->number >= 0 && node->number < 1e15
               ? (uint64_t)node->number
               : 0;
}

static bool get_hash(const Reader *r, const SlJsonNode *object, const char *key, uint64_t *hash)
{
    const SlJsonNode *node = sl_json_member(r->json, object, key);
    *hash = 0;
    if (node == NULL || node->type != SL_JSON_TEXT)
        return false;
    *hash = strtoull(sl_json_text(r->json, node), NULL, 16);
    return true;
}

/* The array's objects; *count is 0 where there is no such array. */
static const SlJsonNode *get_array(const Reader *r, const SlJsonNode *object, const char *key,
                                   size_t *count)
{
    const SlJsonNode *array = sl_json_member(r->json, object, key);
    bool found = array != NULL && array->type == SL_JSON_ARRAY;
    *count = found ? array->count : 0;
    return found ? sl_json_first(r->json, array) : NULL;
}

static void read_changes(Reader *r, const SlJsonNode *object, SlRunSession *session)
{
    size_t count;
    const SlJsonNode *node = get_array(r, object, "changes", &count);
    const char **changes = SL_PUSH(&r->record->arena, const char *, count);
    r->no_memory = r->no_memory || changes == NULL;
    session->changes = changes;
    for (; changes != NULL && node != NULL; node = sl_json_next(r->json, node)) {
        const char *text = node->type == SL_JSON_TEXT ? sl_json_text(r->json, node) : "";
        const char *copy = sl_run_record_text(r->record, text);
        r->no_memory = r->no_memory || copy == NULL;
        changes[session->change_count++] = copy;
    }
}

static void read_sessions(Reader *r, const SlJsonNode *root)
{
    size_t count;
    const SlJsonNode *node = get_array(r, root, "sessions", &count);
    SlRunSession *sessions = SL_PUSH(&r->record->arena, SlRunSession, count);
    r->no_memory = r->no_memory || sessions == NULL;
    r->record->info.sessions = sessions;
    for (; sessions != NULL && node != NULL; node = sl_json_next(r->json, node)) {
        if (node->type != SL_JSON_OBJECT)
            continue;
        SlRunSession *s = &sessions[r->record->info.session_count++];
        *s = (SlRunSession){.started = get_text(r, node, "started"),
                            .ended = get_text(r, node, "ended"),
                            .version = get_text(r, node, "version"),
                            .commit = get_text(r, node, "commit"),
                            .compiler = get_text(r, node, "compiler"),
                            .path = get_text(r, node, "path"),
                            .threads = (uint32_t)get_number(r, node, "threads"),
                            .from_frame = get_number(r, node, "from_frame"),
                            .to_frame = get_number(r, node, "to_frame"),
                            .end = get_text(r, node, "end")};
        read_changes(r, node, s);
    }
}

static void read_meshes(Reader *r, const SlJsonNode *root)
{
    size_t count;
    const SlJsonNode *node = get_array(r, root, "meshes", &count);
    SlRunMesh *meshes = SL_PUSH(&r->record->arena, SlRunMesh, count);
    r->no_memory = r->no_memory || meshes == NULL;
    r->record->info.meshes = meshes;
    for (; meshes != NULL && node != NULL; node = sl_json_next(r->json, node)) {
        if (node->type != SL_JSON_OBJECT)
            continue;
        SlRunMesh *mesh = &meshes[r->record->info.mesh_count++];
        mesh->file = get_text(r, node, "file");
        (void)get_hash(r, node, "hash", &mesh->hash);
    }
}

static SlStatus read_info(Reader *r, const char *path, SlError *error)
{
    SlRunInfo *info = &r->record->info;
    const SlJsonNode *root = sl_json_root(r->json);
    if (root->type != SL_JSON_OBJECT || get_number(r, root, "format") != FORMAT)
        return sl_error_set(error, SL_ERROR_PARSE, "%.300s: not a run.json of this program", path);
    const char *state = get_text(r, root, "state");
    for (int k = 0; state != NULL && k < SL_RUN_STATE_COUNT; k++)
        if (strcmp(state, state_names[k]) == 0)
            info->state = (SlRunState)k;
    info->scene = get_text(r, root, "scene");
    (void)get_hash(r, root, "scene_hash", &info->scene_hash);
    info->frames = get_number(r, root, "frames");
    info->every = get_number(r, root, "every");
    info->every = info->every > 0 ? info->every : 1;
    info->frame = get_number(r, root, "frame");
    info->has_state_hash = get_hash(r, root, "state_hash", &info->state_hash);
    read_meshes(r, root);
    read_sessions(r, root);
    return r->no_memory ? sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path)
                        : SL_OK;
}

SlStatus sl_run_record_read(SlRunRecord *record, const char *path, SlError *error)
{
    SlMemory *memory = &record->context->memory;
    char *text;
    size_t bytes;
    sl_run_record_free(record);
    SlStatus status = sl_file_read(memory, path, MAX_BYTES, &text, &bytes, error);
    if (status != SL_OK)
        return status;
    SlJson json;
    status = sl_json_read(memory, path, text, bytes, &json, error);
    sl_free(memory, text, bytes + 1);
    if (status == SL_OK && sl_arena_push(&record->arena, FIRST_PIECE) == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    sl_arena_reset(&record->arena);
    if (status == SL_OK) {
        Reader reader = {.record = record, .json = &json};
        status = read_info(&reader, path, error);
    }
    sl_json_free(&json);
    if (status != SL_OK)
        sl_run_record_free(record);
    return status;
}

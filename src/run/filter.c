/* Results of filters, stored in the run folder beside the frames:

     filters/NAME-SETTINGS/frame_NNNNNN.slf    SETTINGS: hash of the values, and of filters before it

   A stored result is a frame file with the systems and surfaces that the filter made, and no other; the
   rest of the view is that of its input. A system of a name that the input has replaces that one. Its
   record says from what it was made (sections of kind FILTER in docs/frame-file.md): where the frame or the
   filter has changed since, it is made anew.

   The result of a filter that reads its last output depends on all frames before it. It continues from the
   newest stored result that fits, or begins at the first frame; all on the way are stored. A damaged frame
   has no result: the one after it continues from the last good frame. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/context.h"
#include "core/hash.h"
#include "filters/filter.h"
#include "io/records.h"
#include "run/folder.h"

struct SlRunFilter {
    SlContext *context;
    SlRunFolder *folder;
    SlRunFilter *after; /* whose results are the input; NULL: the frames */
    bool owns_after;
    SlFilter *filter;
    const SlFilterKind *kind;
    char path[SL_RUN_PATH + 96]; /* of the folder of its results */
    uint64_t settings;
    SlWriter *writer; /* NULL: results cannot be stored */
    /* of the last call */
    SlFrame *frame;    /* the input, where it is a frame */
    SlFrame *stored;   /* the stored result */
    SlArena arena;     /* of the merged view */
    SlFrameView merged;
    const SlFrameView *view; /* NULL: there is none */
    bool was_stored;
    /* the last result, from which the next can be made */
    bool has_last;
    bool is_live; /* it is the filter's own last output; else `stored` */
    uint64_t number, key;
    /* the frame up to which all are in the last result, or damaged: number, or one after it */
    bool has_reached;
    uint64_t reached;
};

/* --- Opening --- */

static void stop_storing(SlRunFilter *f, const char *reason)
{
    sl_log(f->context, SL_LOG_WARNING,
           "results of %s cannot be stored and are made anew each time: %s", f->kind->table.name,
           reason);
    sl_writer_destroy(f->writer);
    f->writer = NULL;
}

SlStatus sl_run_filter_open(SlRunFolder *folder, const char *name, const SlParamValue *values,
                            SlRunFilter *after, SlRunFilter **out, SlError *error)
{
    SlContext *context = folder->context;
    *out = NULL;
    SlRunFilter *f = sl_alloc_zero(&context->memory, 1, sizeof *f);
    if (f == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the filter %.60s", name);
    f->context = context;
    f->folder = folder;
    f->after = after;
    sl_arena_init(&f->arena, &context->memory);
    SlStatus status = sl_filter_create(context, name, values, &f->filter, error);
    SlWriterDef def = sl_default_writer_def();
    if (status == SL_OK)
        status = sl_writer_create(context, &def, &f->writer, error);
    if (status != SL_OK) {
        sl_run_filter_close(f);
        return status;
    }
    f->kind = sl_filter_kind(f->filter);
    uint64_t before = after != NULL ? after->settings : 0;
    f->settings = sl_filter_settings_hash(f->filter);
    f->settings = after != NULL ? sl_hash(&before, sizeof before, f->settings) : f->settings;
    snprintf(f->path, sizeof f->path, "%s/" SL_RUN_FILTERS "/%.40s-%016llx", folder->path,
             f->kind->table.name, (unsigned long long)f->settings);
    *out = f;
    return SL_OK;
}

void sl_run_filter_close(SlRunFilter *f)
{
    if (f == NULL)
        return;
    SlError error = {SL_OK, ""};
    if (f->writer != NULL && sl_writer_wait(f->writer, &error) != SL_OK)
        stop_storing(f, error.text);
    sl_writer_destroy(f->writer);
    sl_filter_destroy(f->filter);
    sl_frame_destroy(f->frame);
    sl_frame_destroy(f->stored);
    sl_arena_free(&f->arena);
    if (f->owns_after)
        sl_run_filter_close(f->after);
    sl_free(&f->context->memory, f, sizeof *f);
}

SlStatus sl_run_filter_open_scene(SlRunFolder *folder, const SlScene *scene, SlRunFilter **out,
                                  SlError *error)
{
    SlRunFilter *last = NULL;
    *out = NULL;
    for (size_t k = 0; k < sl_scene_filter_count(scene); k++) {
        SlSceneFilter filter = sl_scene_filter(scene, k);
        SlRunFilter *next;
        SlStatus status =
            sl_run_filter_open(folder, filter.name, filter.values, last, &next, error);
        if (status != SL_OK) {
            sl_run_filter_close(last);
            return status;
        }
        next->owns_after = true;
        last = next;
    }
    *out = last;
    return SL_OK;
}

void sl_run_filter_skip_storing(SlRunFilter *f)
{
    SlError error = {SL_OK, ""};
    if (f->writer != NULL && sl_writer_wait(f->writer, &error) != SL_OK)
        stop_storing(f, error.text);
    sl_writer_destroy(f->writer);
    f->writer = NULL;
}

bool sl_run_filter_was_stored(const SlRunFilter *f)
{
    return f->was_stored;
}

bool sl_run_filter_reads_previous(const SlRunFilter *f)
{
    while (f != NULL && !f->kind->reads_previous)
        f = f->after;
    return f != NULL;
}

/* --- Input and key --- */

/* The view that the filter is applied to, and what it is known by. */
static SlStatus take_input(SlRunFilter *f, uint64_t number, const SlFrameView **view,
                           uint64_t *input, SlError *error)
{
    if (f->after != NULL) {
        SlStatus status = sl_run_filter_frame(f->after, number, view, error);
        *input = f->after->key;
        return status;
    }
    SlFrame *frame;
    SlStatus status = sl_run_folder_read_frame(f->folder, number, &frame, error);
    if (status != SL_OK)
        return status;
    sl_frame_destroy(f->frame);
    f->frame = frame;
    *view = sl_frame_view(frame);
    *input = sl_frame_checksum(frame);
    return SL_OK;
}

static SlFilterRecord make_record(const SlRunFilter *f, uint64_t input, uint64_t previous)
{
    SlFilterRecord record = {.version = f->kind->version, .settings = f->settings, .input = input,
                             .previous = previous};
    snprintf(record.name, sizeof record.name, "%s", f->kind->table.name);
    record.key = sl_hash(&record, offsetof(SlFilterRecord, key), 0);
    return record;
}

static bool record_fits(const SlRunFilter *f, const SlFilterRecord *record, uint64_t input)
{
    if (record == NULL)
        return false;
    SlFilterRecord wanted = make_record(f, input, record->previous);
    return memcmp(record, &wanted, sizeof wanted) == 0;
}

/* --- Stored results --- */

static void stored_path(const SlRunFilter *f, uint64_t number, char path[SL_RUN_FILE_PATH])
{
    sl_run_frame_path(path, f->path, number);
}

/* The stored result of a frame; NULL: there is none that fits. */
static SlFrame *read_stored(SlRunFilter *f, uint64_t number, uint64_t input)
{
    char path[SL_RUN_FILE_PATH];
    SlFrame *frame;
    SlError error = {SL_OK, ""};
    stored_path(f, number, path);
    if (f->writer != NULL && sl_writer_wait(f->writer, &error) != SL_OK)
        stop_storing(f, error.text);
    if (access(path, F_OK) != 0)
        return NULL;
    if (sl_frame_read(f->context, path, &frame, &error) != SL_OK) {
        sl_log(f->context, SL_LOG_WARNING, "%s; it is made anew", error.text);
        return NULL;
    }
    if (sl_frame_view(frame)->frame == number && record_fits(f, sl_frame_filter(frame), input))
        return frame;
    sl_frame_destroy(frame);
    return NULL;
}

/* What the filter made: systems that are not those of the input, and new surfaces. */
static bool make_difference(SlArena *arena, const SlFrameView *input, const SlFrameView *output,
                            SlFrameView *difference)
{
    SlSystemView *systems = SL_PUSH(arena, SlSystemView, output->system_count);
    SlSurfaceView *surfaces = SL_PUSH(arena, SlSurfaceView, output->surface_count);
    if (systems == NULL || surfaces == NULL)
        return false;
    *difference = *output;
    difference->system_count = difference->surface_count = 0;
    for (size_t k = 0; k < output->system_count; k++)
        if (k >= input->system_count || output->systems[k].fields != input->systems[k].fields)
            systems[difference->system_count++] = output->systems[k];
    for (size_t k = 0; k < output->surface_count; k++)
        if (k >= input->surface_count ||
            output->surfaces[k].positions != input->surfaces[k].positions)
            surfaces[difference->surface_count++] = output->surfaces[k];
    difference->systems = systems;
    difference->surfaces = surfaces;
    difference->colliders = NULL;
    difference->collider_count = 0;
    difference->cameras = NULL;
    difference->camera_count = 0;
    return true;
}

static void store(SlRunFilter *f, const SlFrameView *input, const SlFrameView *output,
                  const SlFilterRecord *record)
{
    char path[SL_RUN_FILE_PATH];
    SlFrameView difference;
    SlError error = {SL_OK, ""};
    if (f->writer == NULL)
        return;
    stored_path(f, output->frame, path);
    sl_arena_reset(&f->arena);
    SlStatus status = sl_folder_make(f->path, &error);
    if (status == SL_OK && !make_difference(&f->arena, input, output, &difference))
        status = sl_error_set(&error, SL_ERROR_MEMORY, "no memory");
    if (status == SL_OK)
        status = sl_writer_filtered(f->writer, path, &difference, record, &error);
    if (status != SL_OK)
        stop_storing(f, error.text);
}

/* The input with what is stored: by name in its place, or behind the others. */
static bool merge(SlRunFilter *f, const SlFrameView *input, const SlFrameView *stored)
{
    SlFrameView *m = &f->merged;
    sl_arena_reset(&f->arena);
    SlSystemView *systems =
        SL_PUSH(&f->arena, SlSystemView, input->system_count + stored->system_count);
    SlSurfaceView *surfaces =
        SL_PUSH(&f->arena, SlSurfaceView, input->surface_count + stored->surface_count);
    if (systems == NULL || surfaces == NULL)
        return false;
    *m = *input;
    if (m->system_count > 0)
        memcpy(systems, input->systems, m->system_count * sizeof *systems);
    if (m->surface_count > 0)
        memcpy(surfaces, input->surfaces, m->surface_count * sizeof *surfaces);
    for (size_t k = 0; k < stored->system_count; k++) {
        size_t at = 0;
        while (at < m->system_count && strcmp(systems[at].name, stored->systems[k].name) != 0)
            at++;
        systems[at] = stored->systems[k];
        m->system_count += at == m->system_count;
    }
    for (size_t k = 0; k < stored->surface_count; k++)
        surfaces[m->surface_count++] = stored->surfaces[k];
    m->systems = systems;
    m->surfaces = m->surface_count > 0 ? surfaces : NULL;
    return true;
}

/* --- One frame --- */

static void forget(SlRunFilter *f)
{
    f->view = NULL;
    f->has_last = f->is_live = f->has_reached = false;
    sl_frame_destroy(f->stored);
    f->stored = NULL;
}

static void reach(SlRunFilter *f, uint64_t number)
{
    f->has_reached = true;
    f->reached = number;
}

/* A stored result is the last one. */
static void set_stored(SlRunFilter *f, uint64_t number, SlFrame *stored)
{
    forget(f);
    f->stored = stored;
    f->has_last = true;
    f->number = number;
    f->key = sl_frame_filter(stored)->key;
    reach(f, number);
}

/* The same, and makes the view. */
static SlStatus take_stored(SlRunFilter *f, uint64_t number, const SlFrameView *input,
                            SlFrame *stored, SlError *error)
{
    set_stored(f, number, stored);
    f->was_stored = true;
    if (!merge(f, input, sl_frame_view(stored)))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the stored result of %s",
                            f->kind->table.name);
    f->view = &f->merged;
    return SL_OK;
}

/* Applies the filter to a frame whose predecessor is the last one, or to the first. */
static SlStatus compute(SlRunFilter *f, uint64_t number, bool continues, SlError *error)
{
    const SlFrameView *input, *output;
    uint64_t known_by, previous = continues ? f->key : 0;
    SlStatus status = take_input(f, number, &input, &known_by, error);
    if (status != SL_OK)
        return status;
    if (!continues)
        sl_filter_reset(f->filter);
    else if (!f->is_live)
        sl_filter_continue(f->filter, sl_frame_view(f->stored));
    status = sl_filter_apply(f->filter, input, &output, error);
    forget(f);
    if (status != SL_OK)
        return status;
    SlFilterRecord record = make_record(f, known_by, previous);
    store(f, input, output, &record);
    f->number = number;
    f->key = record.key;
    f->view = output;
    f->was_stored = false;
    f->has_last = f->is_live = true;
    reach(f, number);
    return SL_OK;
}

/* What the input of a frame is known by, without reading all of it. */
static bool known_by(const SlRunFilter *f, uint64_t number, uint64_t *input)
{
    char path[SL_RUN_FILE_PATH];
    if (f->after != NULL)
        return false; /* its results would have to be read: begin at the first frame */
    sl_run_frame_path(path, f->folder->path, number);
    return sl_container_checksum(path, SL_CONTAINER_FRAME, input);
}

/* The newest frame before frames[at] that has a result: the last one, or one that is stored, which becomes the
   last. Returns the place behind it; 0: there is none. */
static size_t find_last(SlRunFilter *f, const uint64_t *frames, size_t at)
{
    for (size_t next = at; next > 0; next--) {
        uint64_t input, number = frames[next - 1];
        if (f->has_last && f->number == number)
            return next;
        SlFrame *stored = known_by(f, number, &input) ? read_stored(f, number, input) : NULL;
        if (stored != NULL) {
            set_stored(f, number, stored);
            return next;
        }
    }
    forget(f);
    return 0;
}

/* Makes the frame before frames[at] the last one, by applying the filter to those after the newest that has a
   result. Damaged frames are passed over. Without a good frame before there is no last one. */
static SlStatus catch_up(SlRunFilter *f, const uint64_t *frames, size_t at, SlError *error)
{
    if (at > 0 && f->has_reached && f->reached == frames[at - 1])
        return SL_OK;
    size_t begin = find_last(f, frames, at);
    for (size_t next = begin; next < at; next++) {
        SlError wrong = {SL_OK, ""};
        SlStatus status = compute(f, frames[next], f->has_last, &wrong);
        if (status == SL_ERROR_PARSE || status == SL_ERROR_IO) {
            sl_log(f->context, SL_LOG_WARNING, "%s: %s passes over frame %llu", wrong.text,
                   f->kind->table.name, (unsigned long long)frames[next]);
            continue;
        }
        if (status != SL_OK)
            return sl_error_set(error, status, "%s", wrong.text);
        status = sl_report_progress(f->context,
                                    (double)(next + 1 - begin) / (double)(at + 1 - begin),
                                    f->kind->table.name, error);
        if (status != SL_OK)
            return status;
    }
    if (at > 0)
        reach(f, frames[at - 1]);
    return SL_OK;
}

/* The stored result, if it fits the frame and, where it is known, the result before. */
static SlStatus try_stored(SlRunFilter *f, uint64_t number, uint64_t before, bool *taken,
                           SlError *error)
{
    const SlFrameView *input;
    uint64_t input_key;
    *taken = false;
    SlStatus status = take_input(f, number, &input, &input_key, error);
    SlFrame *stored = status == SL_OK ? read_stored(f, number, input_key) : NULL;
    if (stored == NULL)
        return status;
    *taken = before == 0 || sl_frame_filter(stored)->previous == before;
    if (*taken)
        return take_stored(f, number, input, stored, error);
    sl_frame_destroy(stored);
    return SL_OK;
}

SlStatus sl_run_filter_frame(SlRunFilter *f, uint64_t number, const SlFrameView **view,
                             SlError *error)
{
    *view = f->view;
    if (f->view != NULL && f->number == number && f->after == NULL)
        return SL_OK;
    *view = f->view = NULL;
    size_t count, at = 0;
    const uint64_t *frames = sl_run_folder_frames(f->folder, &count);
    while (at < count && frames[at] < number)
        at++;
    bool reads_previous = f->kind->reads_previous, taken = false;
    bool follows = reads_previous && f->has_last && at > 0 && f->number == frames[at - 1];
    char path[SL_RUN_FILE_PATH];
    stored_path(f, number, path);
    SlStatus status = SL_OK;
    /* Most often there is none after the first that was not: then the frame is read only once. */
    if (access(path, F_OK) == 0)
        status = try_stored(f, number, follows ? f->key : 0, &taken, error);
    if (status == SL_OK && !taken && reads_previous)
        status = catch_up(f, frames, at, error);
    if (status == SL_OK && !taken) {
        status = compute(f, number, reads_previous && f->has_last, error);
        if (status == SL_ERROR_PARSE && reads_previous && (f->has_reached || at == 0))
            reach(f, number); /* the caller knows of the damage: it is not told again with the next frame */
    }
    *view = status == SL_OK ? f->view : NULL;
    return status;
}

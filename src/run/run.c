/* A run: a scene simulated into a run folder, frame by frame, with checkpoints to resume from. */
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cookies.h"
#include "core/hash.h"
#include "core/timer.h"

SlRunDef sl_default_run_def(void)
{
    return (SlRunDef){SL_DEF_HEAD(RUN, SlRunDef), .checkpoint_seconds = 300};
}

static bool writes_checkpoints(const SlRun *run)
{
    return run->def.checkpoint_frames > 0 || run->def.checkpoint_seconds > 0;
}

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    SlRun *run = user;
    run->since_checkpoint = true;
    run->stats_failed = !sl_run_stats_add(&run->stats, sl_system_name(run->world, system), stats);
    if (run->stats_failed)
        return false;
    return run->def.on_step == NULL || run->def.on_step(run->def.on_step_user, system, stats);
}

/* --- run.json --- */

static SlStatus write_record(SlRun *run, SlRunState state, SlError *error)
{
    SlRunInfo *info = &run->record.info;
    SlRunSession *session = sl_run_record_session(&run->record);
    char path[SL_RUN_FILE_PATH];
    info->state = state;
    info->frame = session->to_frame = run->frame;
    sl_run_file_path(path, run->path, "run.json");
    return sl_run_record_write(&run->record, path, error);
}

/* The sessions so far and a new one. */
static SlStatus begin_record(SlRun *run, SlError *error)
{
    SlRunInfo *info = &run->record.info;
    bool continues = run->folder != NULL && run->folder->has_record && run->def.mode != SL_RUN_NEW;
    if (continues) { /* they are in the memory of run->folder, which exists as long as the run */
        info->sessions = run->folder->record.info.sessions;
        info->session_count = run->folder->record.info.session_count;
    }
    info->scene = sl_run_record_text(&run->record, sl_scene_name(run->scene));
    info->scene_hash = run->scene_hash;
    info->frames = run->frames;
    info->every = run->every;
    bool resumes = run->def.mode != SL_RUN_NEW;
    if (info->scene == NULL ||
        sl_run_record_begin(&run->record, run->frame, run->changes.texts,
                            resumes ? run->changes.count : 0) == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for run.json");
    return write_record(run, SL_RUN_RUNNING, error);
}

/* Notes in run.json how the session ended. */
static SlStatus end_record(SlRun *run, SlError *error)
{
    SlRunInfo *info = &run->record.info;
    SlRunSession *session = sl_run_record_session(&run->record);
    if (session == NULL)
        return SL_OK;
    SlStatus why = run->failure.status;
    SlRunState state = why != SL_OK && why != SL_ERROR_CANCELLED ? SL_RUN_FAILED
                       : run->frame >= run->frames               ? SL_RUN_FINISHED
                                                                 : SL_RUN_STOPPED;
    char now[SL_RUN_TIME];
    sl_run_time(now);
    const char *ended = sl_run_record_text(&run->record, now);
    session->ended = ended != NULL ? ended : "";
    session->end = state == SL_RUN_FAILED ? run->failure.text : sl_run_state_name(state);
    info->has_state_hash = state == SL_RUN_FINISHED;
    if (info->has_state_hash)
        info->state_hash = sl_world_hash(run->world);
    return write_record(run, state, error);
}

/* --- Frames --- */

static bool same_bytes(const char *a, const char *b)
{
    FILE *files[2] = {fopen(a, "rb"), fopen(b, "rb")};
    bool same = files[0] != NULL && files[1] != NULL;
    while (same) {
        char part[2][4096];
        size_t got[2];
        for (int k = 0; k < 2; k++)
            got[k] = fread(part[k], 1, sizeof part[k], files[k]);
        same = got[0] == got[1] && memcmp(part[0], part[1], got[0]) == 0;
        if (got[0] == 0)
            break;
    }
    for (int k = 0; k < 2; k++)
        if (files[k] != NULL)
            fclose(files[k]);
    return same;
}

static bool is_damaged(SlRun *run, const char *path)
{
    SlFrame *frame;
    SlError error;
    SlStatus status = sl_frame_read(run->context, path, &frame, &error);
    sl_frame_destroy(frame);
    return status == SL_ERROR_PARSE;
}

/* A frame that is in the folder already and was computed again: the file stays if it holds the same
   bytes, is replaced if it is damaged; else the run ends, for the file would be lost. */
static SlStatus confirm_frame(SlRun *run, const SlFrameView *view, const char *path, SlError *error)
{
    char again[SL_RUN_FILE_PATH + 16];
    snprintf(again, sizeof again, "%s.again", path);
    SlStatus status = sl_writer_frame(run->writer, again, view, error);
    if (status == SL_OK)
        status = sl_writer_wait(run->writer, error);
    if (status != SL_OK)
        return status;
    bool same = same_bytes(path, again);
    if (!same && is_damaged(run, path)) {
        sl_log(run->context, SL_LOG_INFO, "%s was damaged and is replaced", path);
        if (rename(again, path) == 0)
            return SL_OK;
        status = sl_error_set(error, SL_ERROR_IO, "%.300s: cannot be replaced", path);
    } else if (!same) {
        status = sl_error_set(error, SL_ERROR_EXISTS,
                              "%.250s: differs from what is computed for it now (another program, "
                              "path or machine?); it is kept: choose another folder, or resume "
                              "with overwrite to replace it",
                              path);
    }
    (void)unlink(again);
    return status;
}

static bool is_stored(const SlRun *run, uint64_t frame)
{
    const SlRunFolder *folder = run->folder;
    if (folder == NULL || run->def.overwrite)
        return false;
    size_t low = 0, high = folder->frames.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (folder->frames.at[middle] < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low < folder->frames.count && folder->frames.at[low] == frame;
}

static SlStatus write_frame(SlRun *run, SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    const SlFrameView *view = sl_world_view(run->world);
    sl_run_frame_path(path, run->path, view->frame);
    return is_stored(run, view->frame) ? confirm_frame(run, view, path, error)
                                       : sl_writer_frame(run->writer, path, view, error);
}

/* --- Checkpoints --- */

static void prune(SlRun *run)
{
    SlRunFolder *now;
    if (!run->prune || sl_run_folder_open(run->context, run->path, &now, NULL) != SL_OK)
        return;
    sl_run_prune_checkpoints(now, run->frame);
    sl_run_folder_close(now);
    run->prune = false;
}

/* Frames before it are on disk before it is: the writer keeps their order. */
SlStatus sl_run_checkpoint(SlRun *run, SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    const SlStateView *state;
    SlStatus status = sl_run_stats_sync(&run->stats, error);
    if (status == SL_OK)
        status = sl_world_state(run->world, &state, error);
    if (status == SL_OK) {
        sl_run_checkpoint_path(path, run->path, state->frame);
        status = sl_writer_checkpoint(run->writer, path, state, error);
    }
    if (status == SL_OK)
        status = write_record(run, SL_RUN_RUNNING, error);
    if (status != SL_OK)
        return status;
    prune(run); /* the checkpoint before this one is on disk: those older than its forerunner go */
    run->last_checkpoint = sl_seconds();
    run->since_checkpoint = false;
    run->prune = true;
    return SL_OK;
}

static bool checkpoint_is_due(const SlRun *run)
{
    if (!writes_checkpoints(run))
        return false;
    if (run->frame == run->frames)
        return true;
    if (run->def.checkpoint_frames > 0)
        return run->frame % run->def.checkpoint_frames == 0;
    return sl_seconds() - run->last_checkpoint >= run->def.checkpoint_seconds;
}

/* --- Opening --- */

static SlStatus build_world(SlRun *run, SlError *error)
{
    SlWorldDef def = sl_default_world_def();
    def.context = run->context;
    def.on_step = on_step;
    def.on_step_user = run;
    return sl_scene_build(run->scene, &def, &run->world, error);
}

/* Looks into the folder with its lock held, and decides. */
static SlStatus enter_folder(SlRun *run, SlError *error)
{
    SlStatus status = sl_run_lock_take(run->path, &run->lock, error);
    if (status == SL_OK)
        status = sl_run_folder_open(run->context, run->path, &run->folder, error);
    if (status == SL_OK)
        status = sl_run_compare(run, error);
    if (status == SL_OK)
        status = sl_run_begin_at(run, error);
    return status;
}

/* Removes what `overwrite` gave up: only now is everything checked that can be. */
static void remove_given_up(SlRun *run)
{
    if (!run->def.overwrite)
        return;
    if (run->def.mode == SL_RUN_NEW) {
        if (run->folder->frames.count > 0)
            sl_log(run->context, SL_LOG_INFO, "replacing %zu frames of an earlier run in %s",
                   run->folder->frames.count, run->path);
        sl_run_remove_after(run->folder, -1);
        sl_run_remove_records(run->path);
    } else if (run->changes.deciding > 0 || run->changes.other_scene) {
        sl_run_remove_after(run->folder, run->from);
    }
}

static SlStatus open_stats(SlRun *run, SlError *error)
{
    const SlStateView *state;
    if (run->def.mode == SL_RUN_NEW)
        return sl_run_stats_open(&run->stats, run->path, error);
    SlStatus status = sl_world_state(run->world, &state, error);
    if (status != SL_OK)
        return status;
    return sl_run_stats_continue(&run->stats, run->context, run->path, state,
                                 run->changes.deciding == 0, error);
}

static SlStatus write_scene(SlRun *run, SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    sl_run_file_path(path, run->path, "scene.json");
    return sl_scene_write(run->context, run->scene, path, error);
}

static SlStatus prepare_files(SlRun *run, SlError *error)
{
    bool write;
    SlWriterDef writer = sl_default_writer_def();
    writer.quantise = run->def.quantise || sl_scene_output_quantise(run->scene);
    SlStatus status = sl_run_check_scene_file(run, &write, error);
    if (status == SL_OK)
        status = sl_writer_create(run->context, &writer, &run->writer, error);
    if (status != SL_OK)
        return status;
    sl_run_sweep(run->path);
    remove_given_up(run);
    status = write ? write_scene(run, error) : SL_OK;
    if (status == SL_OK)
        status = open_stats(run, error);
    if (status == SL_OK)
        status = begin_record(run, error);
    if (status == SL_OK && run->from < 0)
        status = write_frame(run, error);
    return status;
}

static SlStatus open_run(SlRun *run, SlError *error)
{
    SlStatus status = build_world(run, error);
    if (status == SL_OK && sl_folder_exists(run->path))
        status = enter_folder(run, error);
    if (status != SL_OK || run->complete)
        return status;
    /* The set-up is checked in full before the folder is made or changed. */
    status = sl_world_start(run->world, error);
    if (status == SL_OK && run->folder == NULL)
        status = enter_folder(run, error);
    if (status != SL_OK)
        return status;
    run->frame = run->from > 0 ? (uint64_t)run->from : 0;
    run->last_checkpoint = sl_seconds();
    return prepare_files(run, error);
}

static void destroy(SlRun *run)
{
    SlContext *context = run->context;
    sl_writer_destroy(run->writer);
    sl_world_destroy(run->world);
    sl_run_folder_close(run->folder);
    sl_run_record_free(&run->record);
    if (run->stats.file != NULL)
        fclose(run->stats.file);
    if (run->lock >= 0)
        close(run->lock);
    sl_free(&context->memory, run, sizeof *run);
}

SlStatus sl_run_open(SlContext *context, const SlScene *scene, const SlRunDef *def, SlRun **out,
                     SlError *error)
{
    *out = NULL;
    if (!SL_DEF_VALID(def, RUN))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "run definition not made by sl_default_run_def");
    const char *path = def->folder != NULL ? def->folder : sl_scene_output_folder(scene);
    if (path[0] == '\0' || strlen(path) >= SL_RUN_PATH)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "a run needs a folder whose path has 1 to %d bytes", SL_RUN_PATH - 1);
    if (!(def->checkpoint_seconds >= 0))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "checkpoint_seconds is %g; it is 0 or more", def->checkpoint_seconds);
    SlRun *run = sl_alloc_zero(&context->memory, 1, sizeof *run);
    if (run == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a run");
    run->context = context;
    run->scene = scene;
    run->def = *def;
    run->def.folder = NULL; /* the caller's memory */
    snprintf(run->path, sizeof run->path, "%s", path);
    run->lock = -1;
    run->from = -1;
    run->frames = sl_scene_frames(scene);
    run->every = sl_scene_output_every(scene);
    run->scene_hash = sl_hash(sl_scene_text(scene), strlen(sl_scene_text(scene)), 0);
    sl_run_record_init(&run->record, context);
    SlStatus status = open_run(run, error);
    if (status != SL_OK) {
        destroy(run);
        return status;
    }
    *out = run;
    return SL_OK;
}

/* --- Running --- */

bool sl_run_is_done(const SlRun *run)
{
    return run->complete || run->frame >= run->frames;
}

/* Writes a checkpoint and waits until it is on disk. */
static SlStatus stop(SlRun *run, SlError *error)
{
    SlStatus status = SL_OK;
    if (writes_checkpoints(run))
        status = sl_run_checkpoint(run, error);
    if (status == SL_OK)
        status = sl_writer_wait(run->writer, error);
    return status == SL_OK ? sl_error_set(error, SL_ERROR_CANCELLED, "stopped on request") : status;
}

static SlStatus advance(SlRun *run, SlError *error)
{
    SlStatus status = sl_world_advance_frame(run->world, error);
    if (status == SL_ERROR_CANCELLED && run->stats_failed)
        return sl_error_set(error, SL_ERROR_IO, "%.300s: could not be written in full",
                            run->stats.path);
    if (status == SL_ERROR_CANCELLED)
        return stop(run, error);
    if (status != SL_OK)
        return status;
    run->frame = sl_world_view(run->world)->frame;
    if (run->frame % run->every == 0) {
        status = write_frame(run, error);
        if (status == SL_OK)
            prune(run);
    }
    if (status == SL_OK && checkpoint_is_due(run))
        status = sl_run_checkpoint(run, error);
    return status;
}

SlStatus sl_run_advance(SlRun *run, SlError *error)
{
    SlError inner = {SL_OK, ""};
    if (run->failure.status != SL_OK)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "the run has ended: %.400s",
                            run->failure.text);
    if (sl_run_is_done(run))
        return SL_OK;
    SlStatus status = advance(run, &inner);
    double fraction = (double)run->frame / (double)run->frames;
    if (status == SL_OK && !sl_progress(run->context, fraction, "run") && !sl_run_is_done(run))
        status = stop(run, &inner);
    if (status == SL_OK)
        return SL_OK;
    run->failure = inner;
    run->failure.status = status;
    return sl_error_set(error, status, "%s", inner.text);
}

SlStatus sl_run_close(SlRun *run, SlError *error)
{
    if (run == NULL)
        return SL_OK;
    if (run->complete) {
        destroy(run);
        return SL_OK;
    }
    SlError first = {SL_OK, ""}, next;
    if (run->failure.status == SL_OK && run->since_checkpoint && writes_checkpoints(run))
        first.status = sl_run_checkpoint(run, &first);
    if ((next.status = sl_writer_wait(run->writer, &next)) != SL_OK && first.status == SL_OK)
        first = next;
    prune(run);
    if ((next.status = sl_run_stats_close(&run->stats, &next)) != SL_OK && first.status == SL_OK)
        first = next;
    if (first.status != SL_OK && run->failure.status == SL_OK)
        run->failure = first;
    if ((next.status = end_record(run, &next)) != SL_OK && first.status == SL_OK)
        first = next;
    destroy(run);
    return first.status == SL_OK ? SL_OK : sl_error_set(error, first.status, "%s", first.text);
}

bool sl_run_has_later_frames(const SlRun *run)
{
    return run->complete;
}

SlWorld *sl_run_world(SlRun *run)
{
    return run->world;
}

const char *sl_run_path(const SlRun *run)
{
    return run->path;
}

uint64_t sl_run_first_frame(const SlRun *run)
{
    return run->from > 0 ? (uint64_t)run->from : 0;
}

uint64_t sl_run_frame(const SlRun *run)
{
    return run->frame;
}

uint64_t sl_run_last_frame(const SlRun *run)
{
    return run->frames;
}

/* Where a run begins: what the folder holds is compared with what is asked for. A frame on disk is
   hours of work: whatever would remove one, or mix frames of two scenes, is refused with the choices
   that there are. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "run/run.h"
#include "world/world.h"

/* Frames, checkpoints or records of a run; a scene.json alone is not one. */
static bool holds_run(const SlRunFolder *folder)
{
    char stats[SL_RUN_FILE_PATH], record[SL_RUN_FILE_PATH];
    sl_run_file_path(stats, folder->path, "stats.csv");
    sl_run_file_path(record, folder->path, "run.json");
    return folder->frames.count + folder->checkpoints.count > 0 || access(stats, F_OK) == 0 ||
           access(record, F_OK) == 0;
}

/* --- What changed --- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Values that do not change what is computed. */
static bool is_cosmetic(const char *path)
{
    return strcmp(path, "time.frames") == 0 || strcmp(path, "name") == 0 ||
           strcmp(path, "render") == 0 || begins_with(path, "render.") ||
           strcmp(path, "filters") == 0 || begins_with(path, "filters[") ||
           strcmp(path, "output.folder") == 0;
}

/* Names of mesh files: their contents decide, not where they are. */
static bool is_mesh_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".file") == 0 || strcmp(dot, ".pattern") == 0 ||
                           begins_with(dot, ".files["));
}

static void add_change(SlRun *run, bool deciding, const char *text)
{
    SlRunChanges *c = &run->changes;
    if (c->count == c->room) {
        size_t room = 2 * c->room + 8;
        const char **grown = SL_PUSH(&run->record.arena, const char *, room);
        if (grown == NULL)
            return; /* counted below: what is not listed still decides */
        if (c->count > 0)
            memcpy(grown, c->texts, c->count * sizeof *grown);
        c->texts = grown;
        c->room = room;
    }
    c->deciding += deciding;
    const char *copy = sl_run_record_text(&run->record, text);
    if (copy != NULL)
        c->texts[c->count++] = copy;
    sl_log(run->context, SL_LOG_INFO, "changed since: %s", text);
}

static void note_value(void *user, const char *path, const char *was, const char *is)
{
    SlRun *run = user;
    char text[700];
    snprintf(text, sizeof text, "%.500s: %.90s → %.90s", path, was, is);
    if (strcmp(path, "name") == 0 && was[0] == '"' && is[0] == '"')
        run->changes.other_scene = true;
    bool names = is_mesh_name(path) && run->folder->has_record;
    add_change(run, !is_cosmetic(path) && !names, text);
}

static void compare_meshes(SlRun *run)
{
    const SlRunInfo *was = &run->folder->record.info, *is = &run->record.info;
    char text[400];
    if (was->mesh_count != is->mesh_count) {
        snprintf(text, sizeof text, "mesh files: %zu → %zu", was->mesh_count, is->mesh_count);
        add_change(run, true, text);
    }
    for (size_t k = 0; k < was->mesh_count && k < is->mesh_count; k++) {
        if (was->meshes[k].hash == is->meshes[k].hash)
            continue;
        snprintf(text, sizeof text, "contents of %.280s: hash %016llx → %016llx",
                 is->meshes[k].file, (unsigned long long)was->meshes[k].hash,
                 (unsigned long long)is->meshes[k].hash);
        add_change(run, true, text);
    }
}

/* Another path gives results within tolerance, not the same bits; another commit may. */
static void compare_programs(SlRun *run)
{
    const SlRunSession *was = sl_run_record_session(&run->folder->record);
    const char *path = sl_context_isa_name(run->context), *commit = sl_build_commit();
    char text[200];
    if (was == NULL)
        return;
    if (strcmp(was->path, path) != 0) {
        snprintf(text, sizeof text, "instruction-set path: %.40s → %.40s", was->path, path);
        add_change(run, false, text);
        sl_log(run->context, SL_LOG_WARNING,
               "the run so far was computed on the %s path; frames on the %s path agree with it "
               "within tolerance, not bit by bit (SLEET_ISA=%s keeps the path)",
               was->path, path, was->path);
    }
    if (strcmp(was->commit, commit) != 0) {
        snprintf(text, sizeof text, "commit: %.60s → %.60s", was->commit, commit);
        add_change(run, false, text);
    }
}

SlStatus sl_run_compare(SlRun *run, SlError *error)
{
    SlStatus status = sl_run_record_meshes(&run->record, run->scene, error);
    if (status != SL_OK || !holds_run(run->folder))
        return status;
    SlScene *was;
    SlError wrong;
    SlSceneOptions options = sl_default_scene_options();
    const SlRunRecord *record = &run->folder->record;
    if (sl_run_folder_read_scene(run->folder, &options, &was, &wrong) == SL_OK) {
        (void)sl_scene_compare(was, run->scene, note_value, run);
        sl_scene_destroy(was);
    } else if (!run->folder->has_record || record->info.scene_hash != run->scene_hash) {
        run->changes.unknown = true;
        run->changes.deciding++;
        run->changes.other_scene = run->folder->has_record &&
                                   strcmp(record->info.scene, sl_scene_name(run->scene)) != 0;
        sl_log(run->context, SL_LOG_WARNING, "the scene of the run so far cannot be compared: %s",
               wrong.text);
    }
    if (run->folder->has_record) {
        compare_meshes(run);
        compare_programs(run);
    }
    return SL_OK;
}

/* --- What is there, in words --- */

/* "holds frames 0 to 120 of "Dam" (finished)". */
static void describe(const SlRun *run, char *text, size_t size)
{
    const SlRunFolder *folder = run->folder;
    const SlRunInfo *info = sl_run_folder_info(folder);
    char frames[80] = "the records of a run, no frames", state[80] = "";
    if (folder->frames.count == 1)
        snprintf(frames, sizeof frames, "frame %llu", (unsigned long long)folder->frames.at[0]);
    else if (folder->frames.count > 1)
        snprintf(frames, sizeof frames, "frames %llu to %llu",
                 (unsigned long long)folder->frames.at[0],
                 (unsigned long long)folder->frames.at[folder->frames.count - 1]);
    else if (folder->checkpoints.count > 0)
        snprintf(frames, sizeof frames, "checkpoints of a run, no frames");
    if (info != NULL && info->state == SL_RUN_FINISHED)
        snprintf(state, sizeof state, " (finished)");
    else if (info != NULL)
        snprintf(state, sizeof state, " (%s at frame %llu of %llu)",
                 info->state == SL_RUN_RUNNING ? "interrupted" : sl_run_state_name(info->state),
                 (unsigned long long)info->frame, (unsigned long long)info->frames);
    snprintf(text, size, "holds %s%s%.40s%s%s", frames, info != NULL ? " of \"" : "",
             info != NULL ? info->scene : "", info != NULL ? "\"" : "", state);
}

static SlStatus refuse(const SlRun *run, const char *reason, const char *choices, SlError *error)
{
    char there[200];
    describe(run, there, sizeof there);
    return sl_error_set(error, SL_ERROR_EXISTS, "%.120s: %s; %s: %s", run->path, there, reason,
                        choices);
}

static SlStatus refuse_new(const SlRun *run, SlError *error)
{
    bool same = run->changes.deciding == 0 && !run->changes.other_scene;
    return refuse(run,
                  same                         ? "a run does not replace another unasked"
                  : run->changes.other_scene   ? "this is another scene"
                                               : "its scene differs from this one",
                  same ? "resume it, overwrite it or choose another folder"
                       : "choose another folder or overwrite what is there",
                  error);
}

/* --- Choosing a checkpoint --- */

/* Stopped between two steps after its frame: beyond the end of a run that ends with that frame. */
static bool is_beyond(const SlStateView *state, uint64_t end)
{
    const SlStateItem *item = sl_state_find(state, state->system_count, "interval");
    SlInterval interval;
    if (state->frame != end || item == NULL || item->element_bytes != sizeof interval ||
        item->count != 1)
        return false;
    memcpy(&interval, item->data, sizeof interval);
    return interval.open != 0;
}

static void set_aside(const SlRun *run, const char *path)
{
    char damaged[SL_RUN_FILE_PATH + 16];
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    if (rename(path, damaged) == 0)
        sl_log(run->context, SL_LOG_WARNING, "it is renamed to %s", damaged);
}

/* The newest intact checkpoint at or before the last frame asked for; NULL: there is none. */
static SlStatus find_checkpoint(SlRun *run, SlCheckpoint **found, SlError *error)
{
    const SlRunNumbers *numbers = &run->folder->checkpoints;
    *found = NULL;
    for (size_t k = numbers->count; k-- > 0;) {
        char path[SL_RUN_FILE_PATH];
        SlError wrong;
        if (numbers->at[k] > run->frames)
            continue;
        sl_run_checkpoint_path(path, run->path, numbers->at[k]);
        SlStatus status = sl_checkpoint_read(run->context, path, found, &wrong);
        if (status == SL_OK && !is_beyond(sl_checkpoint_state(*found), run->frames)) {
            run->from = (int64_t)numbers->at[k];
            return SL_OK;
        }
        if (status == SL_ERROR_PARSE) {
            sl_log(run->context, SL_LOG_WARNING, "%s", wrong.text);
            set_aside(run, path);
        } else if (status != SL_OK) {
            return sl_error_set(error, status, "%s", wrong.text);
        }
        sl_checkpoint_destroy(*found);
        *found = NULL;
    }
    return SL_OK;
}

static SlStatus find_checkpoint_at(SlRun *run, SlCheckpoint **found, SlError *error)
{
    const SlRunNumbers *numbers = &run->folder->checkpoints;
    uint64_t wanted = run->def.resume_frame;
    char list[200] = "", path[SL_RUN_FILE_PATH];
    *found = NULL;
    for (size_t k = 0; k < numbers->count; k++) {
        size_t length = strlen(list);
        if (numbers->at[k] == wanted) {
            sl_run_checkpoint_path(path, run->path, wanted);
            run->from = (int64_t)wanted;
            return sl_checkpoint_read(run->context, path, found, error);
        }
        if (length + 30 < sizeof list)
            snprintf(list + length, sizeof list - length, "%s%llu", k > 0 ? ", " : "",
                     (unsigned long long)numbers->at[k]);
    }
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "%.200s: has no checkpoint of frame %llu; there are: %s", run->path,
                        (unsigned long long)wanted, list[0] != '\0' ? list : "none");
}

static SlStatus restore(SlRun *run, const SlCheckpoint *checkpoint, SlError *error)
{
    SlError inner;
    char path[SL_RUN_FILE_PATH];
    SlStatus status = sl_world_restore(run->world, sl_checkpoint_state(checkpoint), &inner);
    if (status == SL_OK)
        return SL_OK;
    sl_run_checkpoint_path(path, run->path, (uint64_t)run->from);
    /* An intact file with a state that does not fit: the scene is another one. */
    return sl_error_set(error, status == SL_ERROR_PARSE ? SL_ERROR_ARGUMENT : status,
                        "%.300s: %.180s", path, inner.text);
}

/* --- Deciding --- */

/* Frames up to the one it resumes at that are not there are not computed again. */
static void report_missing(const SlRun *run, uint64_t last)
{
    char list[300];
    if (sl_run_missing_frames(&run->folder->frames, run->every, last, list, sizeof list) > 0)
        sl_log(run->context, SL_LOG_WARNING,
               "%s: missing before frame %llu: frames %s; resuming at frame 0 computes them again "
               "and keeps the others",
               run->path, (unsigned long long)last, list);
}

/* Frames and checkpoints after the one it resumes at belong to the scene as it was. */
static SlStatus check_later(SlRun *run, SlError *error)
{
    int64_t last = sl_run_last_number(&run->folder->frames);
    int64_t last_state = sl_run_last_number(&run->folder->checkpoints);
    last = last > last_state ? last : last_state;
    char reason[200];
    if (run->def.overwrite)
        return SL_OK;
    if (run->changes.other_scene)
        return refuse(run, "this is another scene",
                      "choose another folder, or resume with overwrite in spite of that",
                      error);
    if (run->changes.deciding == 0 || last <= run->from)
        return SL_OK;
    snprintf(reason, sizeof reason,
             run->changes.unknown ? "frames after %lld may be of another scene"
                                  : "frames after %lld are of the scene before it was changed",
             (long long)run->from);
    return refuse(run, reason,
                  "choose another folder, resume with overwrite to replace them, or resume with the "
                  "scene as it was",
                  error);
}

/* More frames than were asked for: of the same scene that is all there is to do. */
static SlStatus check_longer(SlRun *run, bool *ended, SlError *error)
{
    int64_t last = sl_run_last_number(&run->folder->frames);
    *ended = last > (int64_t)run->frames && run->def.mode == SL_RUN_RESUME;
    if (!*ended || (run->def.overwrite && run->changes.deciding > 0)) {
        *ended = false;
        return SL_OK;
    }
    if (run->changes.deciding > 0 || run->changes.other_scene)
        return refuse(run,
                      run->changes.other_scene ? "this is another scene"
                                               : "more than asked for, and of a scene that differs",
                      "choose another folder, or resume with overwrite to replace what is there", error);
    char there[200];
    describe(run, there, sizeof there);
    run->complete = true;
    run->frame = run->frames;
    sl_log(run->context, SL_LOG_INFO,
           "%s: %s, the same scene; frames up to %llu were asked for: nothing to do", run->path,
           there, (unsigned long long)run->frames);
    report_missing(run, run->frames);
    return SL_OK;
}

SlStatus sl_run_begin_at(SlRun *run, SlError *error)
{
    run->from = -1;
    if (run->def.mode == SL_RUN_NEW)
        return holds_run(run->folder) && !run->def.overwrite ? refuse_new(run, error) : SL_OK;
    if (run->def.mode == SL_RUN_RESUME_AT && run->def.resume_frame > run->frames)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "frame %llu is after the last one asked for, %llu",
                            (unsigned long long)run->def.resume_frame,
                            (unsigned long long)run->frames);
    if (!holds_run(run->folder) && run->def.resume_frame == 0) {
        sl_log(run->context, SL_LOG_INFO, "%s has no checkpoint: starting at frame 0", run->path);
        return SL_OK;
    }
    bool ended;
    SlCheckpoint *checkpoint = NULL;
    SlStatus status = check_longer(run, &ended, error);
    if (status != SL_OK || ended)
        return status;
    bool at_start = run->def.mode == SL_RUN_RESUME_AT && run->def.resume_frame == 0;
    if (run->def.mode == SL_RUN_RESUME)
        status = find_checkpoint(run, &checkpoint, error);
    else if (!at_start)
        status = find_checkpoint_at(run, &checkpoint, error);
    if (status == SL_OK)
        status = check_later(run, error);
    if (status == SL_OK && checkpoint != NULL)
        status = restore(run, checkpoint, error);
    sl_checkpoint_destroy(checkpoint);
    if (status != SL_OK)
        return status;
    if (run->from >= 0) {
        sl_log(run->context, SL_LOG_INFO, "resuming at frame %lld of %llu in %s",
               (long long)run->from, (unsigned long long)run->frames, run->path);
        report_missing(run, (uint64_t)run->from);
    } else {
        sl_log(run->context, SL_LOG_INFO,
               at_start ? "%s: starting again at frame 0; frames that are there are kept"
                        : "%s has no checkpoint: starting at frame 0",
               run->path);
    }
    return SL_OK;
}

/* --- scene.json --- */

/* A run's own scene.json: run.json has its hash, or, where that is gone, it stands beside frames and
   reads exactly as the library writes scenes. */
static bool is_written_by_run(SlRun *run, const char *text, size_t bytes, const SlScene *was)
{
    if (run->folder->has_record)
        return run->folder->record.info.scene_hash == sl_hash(text, bytes, 0);
    return run->folder->frames.count > 0 && was != NULL &&
           strlen(sl_scene_text(was)) == bytes && memcmp(sl_scene_text(was), text, bytes) == 0;
}

SlStatus sl_run_check_scene_file(SlRun *run, bool *write, SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    char *text;
    size_t bytes;
    *write = true;
    sl_run_file_path(path, run->path, "scene.json");
    if (run->folder == NULL || access(path, F_OK) != 0)
        return SL_OK;
    SlStatus status =
        sl_file_read(&run->context->memory, path, (uint64_t)1 << 30, &text, &bytes, error);
    if (status != SL_OK)
        return status;
    SlScene *was = NULL;
    SlSceneOptions options = sl_default_scene_options();
    SlError wrong;
    bool reads = sl_scene_read(run->context, path, &options, &was, &wrong) == SL_OK;
    if (reads && sl_scene_compare(was, run->scene, NULL, NULL) == 0)
        *write = false;
    else if (!is_written_by_run(run, text, bytes, was))
        status = sl_error_set(error, SL_ERROR_EXISTS,
                              "%.250s: was not written by a run and differs from the scene to be "
                              "run, with which it would be replaced: rename it, or choose "
                              "another folder",
                              path);
    sl_scene_destroy(was);
    sl_free(&run->context->memory, text, bytes + 1);
    return status;
}

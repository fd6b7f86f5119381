/* Reading a run folder: its frames and scene, and the check of every byte. */
#include <stdio.h>
#include <unistd.h>

#include "run/folder.h"

SlStatus sl_run_folder_read_frame(const SlRunFolder *folder, uint64_t number, SlFrame **frame,
                                  SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    sl_run_frame_path(path, folder->path, number);
    SlStatus status = sl_frame_reader_read(folder->reader, path, frame, error);
    uint64_t is = status == SL_OK ? sl_frame_view(*frame)->frame : number;
    if (is == number)
        return status;
    sl_frame_destroy(*frame);
    *frame = NULL;
    return sl_error_set(error, SL_ERROR_PARSE, "%.300s: holds frame %llu", path,
                        (unsigned long long)is);
}

SlStatus sl_run_folder_read_scene(const SlRunFolder *folder, const SlSceneOptions *options,
                                  SlScene **scene, SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    sl_run_file_path(path, folder->path, "scene.json");
    return sl_scene_read(folder->context, path, options, scene, error);
}

typedef struct Faults {
    void (*fault)(void *user, const char *message);
    void *user;
} Faults;

/* Counts a file; a failure to read it for lack of memory or permission ends the check. */
static SlStatus count(const Faults *faults, SlStatus status, const SlError *wrong, size_t *intact,
                      size_t *damaged)
{
    if (status == SL_OK) {
        (*intact)++;
        return SL_OK;
    }
    if (status == SL_ERROR_MEMORY)
        return status;
    (*damaged)++;
    if (faults->fault != NULL)
        faults->fault(faults->user, wrong->text);
    return SL_OK;
}

static SlStatus read_checkpoint(const SlRunFolder *folder, uint64_t number, SlError *error)
{
    char path[SL_RUN_FILE_PATH];
    SlCheckpoint *checkpoint;
    sl_run_checkpoint_path(path, folder->path, number);
    SlStatus status = sl_checkpoint_read(folder->context, path, &checkpoint, error);
    if (status == SL_OK && sl_checkpoint_state(checkpoint)->frame != number)
        status = sl_error_set(error, SL_ERROR_PARSE, "%.300s: is of frame %llu", path,
                              (unsigned long long)sl_checkpoint_state(checkpoint)->frame);
    sl_checkpoint_destroy(checkpoint);
    return status;
}

/* Which frames there should be: run.json says, or else scene.json, or the frames themselves. */
static uint64_t find_every(const SlRunFolder *folder)
{
    const SlRunInfo *info = sl_run_folder_info(folder);
    SlScene *scene;
    SlError wrong;
    SlSceneOptions options = sl_default_scene_options();
    if (info != NULL)
        return info->every;
    if (sl_run_folder_read_scene(folder, &options, &scene, &wrong) == SL_OK) {
        uint64_t every = sl_scene_output_every(scene);
        sl_scene_destroy(scene);
        return every;
    }
    uint64_t every = UINT64_MAX;
    for (size_t k = 1; k < folder->frames.count; k++) {
        uint64_t gap = folder->frames.at[k] - folder->frames.at[k - 1];
        every = gap < every ? gap : every;
    }
    return every == UINT64_MAX ? 1 : every;
}

static size_t find_missing(const SlRunFolder *folder, const Faults *faults)
{
    const SlRunInfo *info = sl_run_folder_info(folder);
    int64_t last = sl_run_last_number(&folder->frames);
    int64_t last_state = sl_run_last_number(&folder->checkpoints);
    last = last > last_state ? last : last_state;
    /* While a run writes, and after it was killed, frames it has computed may not be on disk. */
    bool ended = info != NULL &&
                 (info->state == SL_RUN_FINISHED || info->state == SL_RUN_STOPPED);
    if (ended && (int64_t)info->frame > last)
        last = (int64_t)info->frame;
    if (last < 0)
        return 0;
    char list[300], message[500];
    size_t missing = sl_run_missing_frames(&folder->frames, find_every(folder), (uint64_t)last,
                                           list, sizeof list);
    if (missing > 0 && faults->fault != NULL) {
        snprintf(message, sizeof message, "%.150s: missing: frames %s", folder->path, list);
        faults->fault(faults->user, message);
    }
    return missing;
}

SlStatus sl_run_folder_verify(SlRunFolder *folder, void (*fault)(void *user, const char *message),
                              void *user, SlRunVerification *v, SlError *error)
{
    Faults faults = {fault, user};
    SlStatus status = SL_OK;
    SlError wrong = {SL_OK, ""};
    *v = (SlRunVerification){0};
    for (size_t k = 0; status == SL_OK && k < folder->frames.count; k++) {
        SlFrame *frame = NULL;
        SlStatus read = sl_run_folder_read_frame(folder, folder->frames.at[k], &frame, &wrong);
        sl_frame_destroy(frame);
        status = count(&faults, read, &wrong, &v->frames_intact, &v->frames_damaged);
    }
    for (size_t k = 0; status == SL_OK && k < folder->checkpoints.count; k++) {
        SlStatus read = read_checkpoint(folder, folder->checkpoints.at[k], &wrong);
        char path[SL_RUN_FILE_PATH];
        sl_run_checkpoint_path(path, folder->path, folder->checkpoints.at[k]);
        if (read == SL_ERROR_IO && access(path, F_OK) != 0)
            continue; /* the run that writes here has removed it since */
        status = count(&faults, read, &wrong, &v->checkpoints_intact, &v->checkpoints_damaged);
    }
    if (status != SL_OK)
        return sl_error_set(error, status, "%s", wrong.text);
    v->frames_missing = find_missing(folder, &faults);
    return SL_OK;
}

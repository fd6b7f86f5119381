/* Sleet: run folders. A run folder holds what one run of a scene computed, and what is needed to
   continue it, to draw it and to repeat it:

     frame_NNNNNN.slf        a frame each (sleet/frame.h)
     checkpoint_NNNNNN.slc   the last two states, to resume from (sleet/checkpoint.h)
     scene.json              the scene with all overrides applied
     stats.csv               a row per step of each system
     run.json                provenance: which program on which machine computed what, and when
     meshes/                 the meshes that frames refer to, by content
     filters/                stored results of filters; may be removed at any time

   While a run writes, it holds a lock on the folder; the kernel lifts the lock however the process
   ends. Files under these names are complete: they are written under another name and renamed.

   Nothing that a run computed is removed or replaced by other bytes unless SlRunDef.overwrite says
   so: a folder that holds another scene, more frames than asked for or an unfinished run is answered
   with SL_ERROR_EXISTS and a message that says what is there and what the choices are: to resume (mode
   SL_RUN_RESUME), to overwrite (SlRunDef.overwrite), both, or another folder (SlRunDef.folder). */
#ifndef SLEET_RUN_H
#define SLEET_RUN_H

#include "sleet/checkpoint.h"
#include "sleet/filter.h"
#include "sleet/frame.h"
#include "sleet/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Provenance: run.json ------------------------------------------------------------------ */

typedef enum SlRunState {
    SL_RUN_RUNNING,  /* a process writes, or was killed while it did */
    SL_RUN_STOPPED,  /* on request; can be resumed */
    SL_RUN_FAILED,   /* by an error, which is in the last session's `end` */
    SL_RUN_FINISHED, /* all frames were computed */
    SL_RUN_STATE_COUNT
} SlRunState;
SL_API const char *sl_run_state_name(SlRunState state);

typedef struct SlRunMesh {
    const char *file; /* absolute path */
    uint64_t hash;    /* of its bytes, XXH3 */
} SlRunMesh;

/* One process that computed frames. Times are UTC, as in 2026-11-17T12:54:39Z; "" where unknown. */
typedef struct SlRunSession {
    const char *started, *ended;
    const char *version, *commit, *compiler;
    const char *path; /* instruction-set path: "base" or "avx2" */
    uint32_t threads;
    uint64_t from_frame, to_frame; /* resumed at (0: the start), and the last frame computed */
    const char *end;               /* "finished", "stopped", an error's message; "" while running */
    const char *const *changes;    /* against the session before: "PATH: WAS → IS" */
    size_t change_count;
} SlRunSession;

typedef struct SlRunInfo {
    SlRunState state;
    const char *scene;   /* its name */
    uint64_t scene_hash; /* of the text in scene.json, XXH3 */
    uint64_t frames;     /* the last frame asked for */
    uint64_t every;      /* only frames 0, every, 2 every … are written */
    uint64_t frame;      /* the last frame computed when run.json was written */
    bool has_state_hash; /* only a finished run */
    uint64_t state_hash; /* sl_world_hash of the final state */
    const SlRunMesh *meshes;
    size_t mesh_count;
    const SlRunSession *sessions; /* in order of time; at least one */
    size_t session_count;
} SlRunInfo;

/* --- Reading a run folder ------------------------------------------------------------------ */

/* A run folder opened for reading; what it points to is its own and valid until the next refresh.
   May be used while a run writes to the folder. */
typedef struct SlRunFolder SlRunFolder;

/* SL_ERROR_IO where the folder cannot be read. A folder without frames is no error. The context
   must outlive it. */
SL_API SlStatus sl_run_folder_open(SlContext *context, const char *path, SlRunFolder **folder,
                                   SlError *error);
/* Lists the files and reads run.json again. */
SL_API SlStatus sl_run_folder_refresh(SlRunFolder *folder, SlError *error);
SL_API void sl_run_folder_close(SlRunFolder *folder);

/* Numbers of the frames and of the checkpoints, ascending. */
SL_API const uint64_t *sl_run_folder_frames(const SlRunFolder *folder, size_t *count);
SL_API const uint64_t *sl_run_folder_checkpoints(const SlRunFolder *folder, size_t *count);
/* NULL: there is no run.json, or it cannot be read. */
SL_API const SlRunInfo *sl_run_folder_info(const SlRunFolder *folder);
/* Whether a run holds the folder's lock now; true also where the file system has no locks. */
SL_API bool sl_run_folder_is_locked(const SlRunFolder *folder);

/* Writes the path of a frame's or checkpoint's file into `path`. */
SL_API void sl_run_folder_frame_path(const SlRunFolder *folder, uint64_t frame, char *path,
                                     size_t size);
SL_API void sl_run_folder_checkpoint_path(const SlRunFolder *folder, uint64_t frame, char *path,
                                          size_t size);
SL_API SlStatus sl_run_folder_read_frame(const SlRunFolder *folder, uint64_t number,
                                         SlFrame **frame, SlError *error);
/* Reads scene.json. `options` as for sl_scene_read. */
SL_API SlStatus sl_run_folder_read_scene(const SlRunFolder *folder, const SlSceneOptions *options,
                                         SlScene **scene, SlError *error);

typedef struct SlRunVerification {
    size_t frames_intact, frames_damaged;
    size_t frames_missing; /* between frame 0 and the last one computed */
    size_t checkpoints_intact, checkpoints_damaged;
} SlRunVerification;
/* Reads every byte of all frames and checkpoints. `fault` (may be NULL) is called with a message for
   each file that is damaged and once with the list of missing frames. */
SL_API SlStatus sl_run_folder_verify(SlRunFolder *folder,
                                     void (*fault)(void *user, const char *message), void *user,
                                     SlRunVerification *verification, SlError *error);

/* --- Results of filters -------------------------------------------------------------------- */

/* A filter applied to the frames of a run folder. Results are stored in the folder and answered from
   there as long as frame, settings and filter are the same; else the filter is applied. A folder that
   cannot be written gives the same results; the context's log hook gets a warning, once. */
typedef struct SlRunFilter SlRunFilter;

/* `values` as for sl_filter_create. `after`: the input is that one's result, which must be of the same
   folder; NULL: the frames as they are. Folder and `after` must outlive it. */
SL_API SlStatus sl_run_filter_open(SlRunFolder *folder, const char *name, const SlParamValue *values,
                                   SlRunFilter *after, SlRunFilter **filter, SlError *error);
/* The scene's filters one after the other (sl_scene_filter); *filter is NULL where it has none. */
SL_API SlStatus sl_run_filter_open_scene(SlRunFolder *folder, const SlScene *scene,
                                         SlRunFilter **filter, SlError *error);
/* The frame with what the filter made, valid until the next call. A filter that reads its last output is
   first applied to the frames before, from the last stored result on or from the first frame on; damaged
   ones among them are passed over with a warning. The context's progress hook is called for each.
   After an error other frames can still be asked for. SL_ERROR_PARSE: the frame is damaged and has no result;
   the next one of a filter that reads its last output continues from the last good frame. */
SL_API SlStatus sl_run_filter_frame(SlRunFilter *filter, uint64_t number, const SlFrameView **view,
                                    SlError *error);
/* Results that are made from now on are not stored; those that are stored already are used. For filters
   whose results are many times the size of the frames. */
SL_API void sl_run_filter_skip_storing(SlRunFilter *filter);
/* Whether the result of a frame depends on those of the frames before: whitewater, upsample. */
SL_API bool sl_run_filter_reads_previous(const SlRunFilter *filter);
/* Whether the last view came from a stored result. */
SL_API bool sl_run_filter_was_stored(const SlRunFilter *filter);
/* Returns when all results are on disk. NULL is allowed. */
SL_API void sl_run_filter_close(SlRunFilter *filter);

/* --- A run --------------------------------------------------------------------------------- */

typedef enum SlRunMode {
    SL_RUN_NEW,      /* from frame 0; the folder must not hold a run, or `overwrite` is set */
    SL_RUN_RESUME,   /* from the newest intact checkpoint; from frame 0 where there is none */
    SL_RUN_RESUME_AT /* from the checkpoint of resume_frame; 0 is the start and needs none: frames
                        that are missing are computed again, the others are kept */
} SlRunMode;

typedef struct SlRunDef {
    uint32_t cookie, size; /* set by sl_default_run_def */
    const char *folder; /* NULL: the scene's (sl_scene_output_folder) */
    SlRunMode mode;     /* default SL_RUN_NEW */
    uint64_t resume_frame;
    /* SL_RUN_NEW: removes what an earlier run wrote to the folder, and no other file.
       SL_RUN_RESUME(_AT): replaces frames after the checkpoint. Default false. */
    bool overwrite;
    /* A checkpoint is written every so many frames where `checkpoint_frames` is above 0 (default 0),
       else every so many seconds (default 300), and at the end; 0 for both: never. */
    uint64_t checkpoint_frames;
    double checkpoint_seconds; /* s */
    bool quantise;             /* see SlWriterDef; true also where the scene says so */
    /* Called after every step; may be NULL. Return false to stop: sl_run_advance then writes a
       checkpoint and returns SL_ERROR_CANCELLED. */
    bool (*on_step)(void *user, SlSystemId system, const SlStepStats *stats);
    void *on_step_user;
} SlRunDef;

SL_API SlRunDef sl_default_run_def(void);

/* A run in progress; the context's log hook gets its messages. */
typedef struct SlRun SlRun;

/* Builds the scene's world, takes the folder's lock, decides where to begin and writes scene.json,
   run.json, stats.csv and, at the start, frame 0. The scene has all overrides, "time.frames" too.
   SL_ERROR_EXISTS: the folder holds results that would be lost; SL_ERROR_IO: it cannot be written,
   or another run holds its lock. A failure before the first file is written leaves the folder as it
   was. The context and the scene must outlive the run. */
SL_API SlStatus sl_run_open(SlContext *context, const SlScene *scene, const SlRunDef *def,
                            SlRun **run, SlError *error);
/* True: nothing is left to compute; the loop around sl_run_advance ends. */
SL_API bool sl_run_is_done(const SlRun *run);
/* True: SL_RUN_RESUME found frames of the same scene beyond the last one asked for. The run is done as
   soon as it is opened, nothing in the folder changes, and the world is in its initial state, not in
   that of the last frame. False in every other case, also for a run that is done. */
SL_API bool sl_run_has_later_frames(const SlRun *run);
/* Computes and writes the next frame, and a checkpoint where one is due; then calls the context's
   progress hook. SL_ERROR_CANCELLED: on_step or the hook asked to stop; a checkpoint is written.
   SL_ERROR_EXISTS: a frame in the folder differs from what was computed for it now. After an error
   only close the run. */
SL_API SlStatus sl_run_advance(SlRun *run, SlError *error);
/* Writes a checkpoint now. */
SL_API SlStatus sl_run_checkpoint(SlRun *run, SlError *error);
/* Ends the run: a checkpoint if frames were computed since the last one, all files on disk,
   run.json, the lock. Destroys the run in any case. */
SL_API SlStatus sl_run_close(SlRun *run, SlError *error);

/* The world; step it only through sl_run_advance. */
SL_API SlWorld *sl_run_world(SlRun *run);
/* Path of the run's folder; valid until the run is closed. */
SL_API const char *sl_run_path(const SlRun *run);
/* The frame that this run began at: 0, or that of the checkpoint it resumed from. */
SL_API uint64_t sl_run_first_frame(const SlRun *run);
/* The frame computed last. */
SL_API uint64_t sl_run_frame(const SlRun *run);
/* The frame at which the run is done: "time.frames" of the scene. */
SL_API uint64_t sl_run_last_frame(const SlRun *run);

#ifdef __cplusplus
}
#endif
#endif

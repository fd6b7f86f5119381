/* A run in progress, and the decision where it begins. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "run/folder.h"
#include "run/stats.h"

/* What differs between the run in the folder and the one that is to be computed. */
typedef struct SlRunChanges {
    const char **texts; /* "PATH: WAS → IS"; the run's record owns them */
    size_t count, room;
    size_t deciding;  /* of them, those that change what is computed */
    bool other_scene; /* both scenes have names, and they differ */
    bool unknown;     /* neither scene.json nor run.json tells which scene it was */
} SlRunChanges;

struct SlRun {
    SlContext *context;
    const SlScene *scene;
    SlRunDef def;
    char path[SL_RUN_PATH];
    int lock; /* -1: not held */
    SlWorld *world;
    SlWriter *writer;
    SlRunFolder *folder; /* as it was when the run began; NULL: there was none */
    SlRunRecord record;
    SlRunStats stats;
    SlRunChanges changes;

    uint64_t frames, every; /* last frame to compute; only each every-th is written */
    uint64_t scene_hash;
    int64_t from;     /* frame of the checkpoint it resumed at; -1: the start */
    uint64_t frame;   /* last one computed */
    bool complete;    /* the folder has what was asked for and more */
    bool stats_failed;
    bool prune;             /* a checkpoint was handed to the writer: older ones may go after it */
    bool since_checkpoint;  /* frames or steps were computed since the last one */
    double last_checkpoint; /* s: when it was written */
    SlError failure;        /* why it ended; SL_OK: it has not */
};

/* Compares scene, meshes, instruction-set path and commit with what the folder says of itself, and
   logs what changed. */
SlStatus sl_run_compare(SlRun *run, SlError *error);
/* Decides where the run begins in a folder whose lock is held, and restores the world there: sets
   `from` and `complete`. SL_ERROR_EXISTS where results would be lost. Changes no file, but renames
   damaged checkpoints. */
SlStatus sl_run_begin_at(SlRun *run, SlError *error);
/* SL_ERROR_EXISTS where a scene.json would be lost that no run wrote. *write is false where the file
   holds this scene already. */
SlStatus sl_run_check_scene_file(SlRun *run, bool *write, SlError *error);

#endif

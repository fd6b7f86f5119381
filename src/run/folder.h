/* A run folder on disk: names, listing, lock, and which files in it a run wrote. */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include "run/record.h"
#include "sleet/run.h"

enum { SL_RUN_PATH = 900, SL_RUN_FILE_PATH = 1024 }; /* bytes of a folder's and of a file's path */

#define SL_RUN_FILTERS "filters" /* folder of stored results of filters */

/* Numbers of files, ascending. */
typedef struct SlRunNumbers {
    uint64_t *at;
    size_t count, room;
} SlRunNumbers;

struct SlRunFolder {
    SlContext *context;
    char path[SL_RUN_PATH];
    SlRunNumbers frames, checkpoints;
    SlRunRecord record;
    bool has_record;
    SlFrameReader *reader; /* meshes of several frames are in memory once */
};

/* "FOLDER/NAME", and "FOLDER/frame_000012.slf". */
void sl_run_file_path(char path[SL_RUN_FILE_PATH], const char *folder, const char *name);
void sl_run_frame_path(char path[SL_RUN_FILE_PATH], const char *folder, uint64_t frame);
void sl_run_checkpoint_path(char path[SL_RUN_FILE_PATH], const char *folder, uint64_t frame);

/* Makes the folder and takes its lock until the descriptor is closed. SL_ERROR_IO where another run
   holds it. *lock is -1 where the file system has no locks. */
SlStatus sl_run_lock_take(const char *folder, int *lock, SlError *error);

/* Removes what a killed run left under a temporary name. Only while the lock is held. */
void sl_run_sweep(const char *folder);
/* Removes frames, checkpoints and stored results of filters after `last` (-1: all). */
void sl_run_remove_after(const SlRunFolder *folder, int64_t last);
/* Removes stats.csv, run.json, damaged checkpoints, stored meshes and results of filters: with sl_run_remove_after(-1)
   all that runs write, but scene.json. Other files stay. */
void sl_run_remove_records(const char *folder);
/* Leaves the two newest checkpoints at or before `frame`, and all after it. */
void sl_run_prune_checkpoints(SlRunFolder *folder, uint64_t frame);

/* Last number; -1: there is none. */
int64_t sl_run_last_number(const SlRunNumbers *numbers);
/* Missing among 0, every, 2 every … last: their count, and in `text` a list such as
   "12 to 15, 20". */
size_t sl_run_missing_frames(const SlRunNumbers *frames, uint64_t every, uint64_t last, char *text,
                             size_t size);

#endif

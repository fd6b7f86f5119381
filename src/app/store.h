/* The folder of a run: who may write to it, its checkpoints, and where a run goes on. */
#ifndef APP_STORE_H
#define APP_STORE_H

#include "app/app.h"

/* Makes the folder and locks it for this process's life; SL_ERROR_IO if another run has it. */
SlStatus app_folder_take(const char *folder, int *lock, SlError *error);
/* Removes what a killed run left half-written. Only while the folder is locked. */
void app_folder_sweep(const char *folder);
/* Removes files PREFIX_NNNNNNEND whose number is above `last`; returns how many. */
long app_folder_remove_after(const char *folder, const char *prefix, const char *end,
                             int64_t last);

void app_checkpoint_path(char *path, size_t size, const char *folder, uint64_t frame);
/* Leaves the last two. */
void app_checkpoints_prune(const char *folder);

/* Restores the newest whole checkpoint at or before `most`, or with `exact` that of the frame
   `most` itself. *frame is -1 if there is none. A checkpoint that is not whole is removed with a
   word. */
SlStatus app_checkpoints_resume(const char *folder, SlWorld *world, uint64_t most, bool exact,
                                bool quiet, int64_t *frame, SlError *error);

/* When checkpoints are due. */
typedef struct AppRhythm {
    double seconds;  /* 0: by frames */
    uint64_t frames; /* 0: by seconds; both 0: never */
    double last;     /* when the last one was written */
} AppRhythm;
/* "10", "30s", "5min", "2h" or "off"; false after an error message. */
bool app_rhythm_read(const AppCommand *command, const char *text, AppRhythm *rhythm);
bool app_rhythm_due(const AppRhythm *rhythm, uint64_t frame);

#endif

/* The folder of a run: who may write to it, its checkpoints, and where a run goes on. */
#ifndef CLI_RUN_FOLDER_H
#define CLI_RUN_FOLDER_H

#include "cli/cli.h"

/* Makes the folder and locks it for this process's life; SL_ERROR_IO if another run has it. */
SlStatus cli_folder_take(const char *folder, int *lock, SlError *error);
/* Removes what a killed run left half-written. Only while the folder is locked. */
void cli_folder_sweep(const char *folder);
/* Removes files PREFIX_NNNNNNEND whose number is above `last`; returns how many. */
long cli_folder_remove_after(const char *folder, const char *prefix, const char *end,
                             int64_t last);

void cli_checkpoint_path(char *path, size_t size, const char *folder, uint64_t frame);
/* Leaves the last two. */
void cli_checkpoints_prune(const char *folder);

/* Restores the newest whole checkpoint at or before `most`, or with `exact` that of the frame
   `most` itself. *frame is -1 if there is none. A checkpoint that is not whole is removed with a
   word. */
SlStatus cli_checkpoints_resume(const char *folder, SlWorld *world, uint64_t most, bool exact,
                                bool quiet, int64_t *frame, SlError *error);

/* When checkpoints are due. */
typedef struct CliRhythm {
    double seconds;  /* 0: by frames */
    uint64_t frames; /* 0: by seconds; both 0: never */
    double last;     /* when the last one was written */
} CliRhythm;
/* "10", "30s", "5min", "2h" or "off"; false after an error message. */
bool cli_rhythm_read(const CliCommand *command, const char *text, CliRhythm *rhythm);
bool cli_rhythm_due(const CliRhythm *rhythm, uint64_t frame);

#endif

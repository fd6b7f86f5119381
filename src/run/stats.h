/* stats.csv: a row per step of each system. */
#ifndef RUN_STATS_H
#define RUN_STATS_H

#include <stdio.h>

#include "core/context.h"
#include "run/folder.h"

typedef struct SlRunStats {
    FILE *file;
    char path[SL_RUN_FILE_PATH];
    bool has_head;
    uint64_t skip; /* rows of steps that are computed again and are in the file already */
} SlRunStats;

/* A new file. */
SlStatus sl_run_stats_open(SlRunStats *stats, const char *folder, SlError *error);
/* Continues the file of a run that is resumed in that state. Rows of later steps are kept where the
   same steps will be computed again (`keep_later`), else removed. A row that a kill cut off goes.
   Makes a new file where there is none. */
SlStatus sl_run_stats_continue(SlRunStats *stats, SlContext *context, const char *folder,
                               const SlStateView *state, bool keep_later, SlError *error);
/* False: the row could not be written. */
bool sl_run_stats_add(SlRunStats *stats, const char *system, const SlStepStats *step);
/* Rows so far survive a power cut. */
SlStatus sl_run_stats_sync(SlRunStats *stats, SlError *error);
SlStatus sl_run_stats_close(SlRunStats *stats, SlError *error);

#endif

/* run.json: the provenance of a run, read and written. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "core/context.h"
#include "sleet/run.h"

/* The info and the memory of its texts and lists. */
typedef struct SlRunRecord {
    SlContext *context;
    SlArena arena;
    SlRunInfo info;
} SlRunRecord;

void sl_run_record_init(SlRunRecord *record, SlContext *context);
void sl_run_record_free(SlRunRecord *record);

/* SL_ERROR_PARSE for a file that is not a run.json of this program. */
SlStatus sl_run_record_read(SlRunRecord *record, const char *path, SlError *error);
SlStatus sl_run_record_write(const SlRunRecord *record, const char *path, SlError *error);

/* A copy of the text in the record's memory; NULL where memory is out. */
const char *sl_run_record_text(SlRunRecord *record, const char *text);
/* Adds a session of this process: build, path, threads, time. It is the last of info.sessions and
   may be changed until the next is added; NULL where memory is out. */
SlRunSession *sl_run_record_begin(SlRunRecord *record, uint64_t from_frame,
                                  const char *const *changes, size_t change_count);
/* The last session, for changes; NULL: there is none. */
SlRunSession *sl_run_record_session(SlRunRecord *record);
/* Hashes the files of all meshes of the scene into info.meshes. */
SlStatus sl_run_record_meshes(SlRunRecord *record, const SlScene *scene, SlError *error);

enum { SL_RUN_TIME = 24 };
/* Now, as 2026-11-17T12:54:39Z. */
void sl_run_time(char text[SL_RUN_TIME]);

#endif

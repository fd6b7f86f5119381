/* Sleet: frames in formats of other programs. */
#ifndef SLEET_EXPORT_H
#define SLEET_EXPORT_H

#include "sleet/params.h"
#include "sleet/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All exporters by name, with their parameters. */
SL_API const SlTable *const *sl_exporter_tables(size_t *count);
/* The ending of an exporter's files, with the dot: ".ply". NULL: there is no exporter of that name. */
SL_API const char *sl_exporter_ending(const char *name);
/* Writes the frame under a temporary name, syncs and renames. `values`: one per row of the exporter's
   table; NULL: the defaults. */
SL_API SlStatus sl_export_frame(SlContext *context, const char *name, const SlParamValue *values,
                                const char *path, const SlFrameView *frame, SlError *error);

#ifdef __cplusplus
}
#endif
#endif

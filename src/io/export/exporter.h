/* What an exporter is. An exporter is one file that ends in a const SlExporter and has one line in the
   list of exporters.c; the test io_export loops over the list. */
#ifndef IO_EXPORT_EXPORTER_H
#define IO_EXPORT_EXPORTER_H

#include "core/context.h"
#include "frame/view.h"
#include "sleet/export.h"

typedef struct SlExporter {
    SlTable table;      /* name, summary, parameter rows */
    const char *ending; /* of its files, with the dot */
    /* Writes the frame to an open file; `values` are checked, one per row. The caller opens, commits
       or abandons the file. */
    SlStatus (*write)(SlContext *context, const SlParamValue *values, const SlFrameView *frame,
                      SlFileWriter *file, SlError *error);
} SlExporter;

extern const SlExporter *const sl_exporters[];
extern const size_t sl_exporter_count;

#endif

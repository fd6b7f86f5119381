/* The list of exporters, and the public calls that choose from it by name. */
#include "io/export/exporter.h"

#include <string.h>

/* The list: an exporter `name` is sl_exporter_name. */
#define EXPORTERS(ENTRY) ENTRY(ply) ENTRY(surface_ply) ENTRY(surface_obj)

#define DECLARE(name) extern const SlExporter sl_exporter_##name;
EXPORTERS(DECLARE)
#define EXPORTER_OF(name) &sl_exporter_##name,
#define TABLE_OF(name) &sl_exporter_##name.table,
const SlExporter *const sl_exporters[] = {EXPORTERS(EXPORTER_OF)};
enum { EXPORTER_COUNT = sizeof sl_exporters / sizeof sl_exporters[0], MAX_ROWS = 32 };
const size_t sl_exporter_count = EXPORTER_COUNT;

const SlTable *const *sl_exporter_tables(size_t *count)
{
    static const SlTable *const tables[EXPORTER_COUNT] = {EXPORTERS(TABLE_OF)};
    *count = EXPORTER_COUNT;
    return tables;
}

static const SlExporter *find(const char *name)
{
    for (size_t k = 0; k < EXPORTER_COUNT; k++)
        if (strcmp(sl_exporters[k]->table.name, name) == 0)
            return sl_exporters[k];
    return NULL;
}

const char *sl_exporter_ending(const char *name)
{
    const SlExporter *exporter = find(name);
    return exporter != NULL ? exporter->ending : NULL;
}

SlStatus sl_export_frame(SlContext *context, const char *name, const SlParamValue *values,
                         const char *path, const SlFrameView *frame, SlError *error)
{
    const SlExporter *exporter = find(name);
    if (exporter == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "there is no exporter \"%.60s\"; sl_exporter_tables lists them", name);
    SlParamValue own[MAX_ROWS];
    const SlTable *table = &exporter->table;
    SL_ASSERT(table->row_count <= MAX_ROWS);
    for (size_t k = 0; k < table->row_count; k++)
        own[k] = values != NULL ? values[k] : table->rows[k].value;
    SlStatus status = sl_table_check(table, own, error);
    SlFileWriter file;
    if (status == SL_OK)
        status = sl_file_begin(&context->file_layer, path, &file, error);
    if (status != SL_OK)
        return status;
    status = exporter->write(context, own, frame, &file, error);
    if (status == SL_OK)
        return sl_file_commit(&file, error);
    sl_file_abandon(&file);
    return status;
}

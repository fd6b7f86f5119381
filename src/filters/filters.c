/* The list of filters, and the public calls that choose from it by name. */
#include "filters/filter.h"

#include <string.h>

#include "core/hash.h"

/* The list: a filter `name` is sl_filter_name. */
#define FILTERS(ENTRY) ENTRY(thin) ENTRY(surface) ENTRY(whitewater) ENTRY(upsample)

#define DECLARE(name) extern const SlFilterKind sl_filter_##name;
FILTERS(DECLARE)
#define KIND_OF(name) &sl_filter_##name,
#define TABLE_OF(name) &sl_filter_##name.table,
const SlFilterKind *const sl_filter_kinds[] = {FILTERS(KIND_OF)};
enum { KIND_COUNT = sizeof sl_filter_kinds / sizeof sl_filter_kinds[0] };
const size_t sl_filter_kind_count = KIND_COUNT;

/* Two outputs take turns: the new one is made while the last one is read. */
struct SlFilter {
    SlContext *context;
    const SlFilterKind *kind;
    SlParamValue *values;
    SlArena arenas[2];
    SlFrameView outputs[2];
    int last; /* index of the last output */
    bool has_last;
    const SlFrameView *given; /* by sl_filter_continue: read instead of the last output; NULL: none */
};

const SlTable *const *sl_filter_tables(size_t *count)
{
    static const SlTable *const tables[KIND_COUNT] = {FILTERS(TABLE_OF)};
    *count = KIND_COUNT;
    return tables;
}

static SlStatus find_kind(const char *name, const SlFilterKind **kind, SlError *error)
{
    const char *names[KIND_COUNT];
    for (size_t k = 0; k < KIND_COUNT; k++) {
        names[k] = sl_filter_kinds[k]->table.name;
        *kind = sl_filter_kinds[k];
        if (strcmp(names[k], name) == 0)
            return SL_OK;
    }
    const char *near = sl_nearest_name(name, names, KIND_COUNT);
    return sl_error_set(error, SL_ERROR_ARGUMENT, "there is no filter \"%.60s\"%s%s%s", name,
                        near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                        near != NULL ? "\"?" : "");
}

SlStatus sl_filter_create(SlContext *context, const char *name, const SlParamValue *values,
                          SlFilter **out, SlError *error)
{
    const SlFilterKind *kind;
    *out = NULL;
    SlStatus status = find_kind(name, &kind, error);
    if (status == SL_OK && values != NULL)
        status = sl_table_check(&kind->table, values, error);
    if (status != SL_OK)
        return status;
    size_t rows = kind->table.row_count;
    SlFilter *filter = sl_alloc_zero(&context->memory, 1, sizeof *filter);
    SlParamValue *own = sl_alloc_zero(&context->memory, rows + 1, sizeof *own);
    if (filter == NULL || own == NULL) {
        sl_free(&context->memory, filter, sizeof *filter);
        sl_free(&context->memory, own, (rows + 1) * sizeof *own);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the filter %s", name);
    }
    filter->context = context;
    filter->kind = kind;
    filter->values = own;
    for (size_t k = 0; k < rows; k++)
        own[k] = values != NULL ? values[k] : kind->table.rows[k].value;
    for (int k = 0; k < 2; k++)
        sl_arena_init(&filter->arenas[k], &context->memory);
    *out = filter;
    return SL_OK;
}

SlStatus sl_filter_apply(SlFilter *filter, const SlFrameView *frame, const SlFrameView **output,
                         SlError *error)
{
    int next = filter->has_last ? 1 - filter->last : 0;
    const SlFrameView *previous = filter->given != NULL ? filter->given
                                  : filter->has_last    ? &filter->outputs[filter->last]
                                                        : NULL;
    SlFilterInput input = {.context = filter->context,
                           .values = filter->values,
                           .frame = frame,
                           .previous = filter->kind->reads_previous ? previous : NULL,
                           .previous_is_given = filter->given != NULL};
    *output = NULL;
    sl_arena_reset(&filter->arenas[next]);
    /* What frames before this one needed becomes one piece. */
    if (filter->context->arena.in_use == 0)
        sl_arena_reset(&filter->context->arena);
    SlStatus status =
        filter->kind->apply(&input, &filter->arenas[next], &filter->outputs[next], error);
    if (status != SL_OK)
        return status;
    filter->last = next;
    filter->has_last = true;
    filter->given = NULL;
    *output = &filter->outputs[next];
    return SL_OK;
}

const SlFilterKind *sl_filter_kind(const SlFilter *filter)
{
    return filter->kind;
}

uint64_t sl_filter_settings_hash(const SlFilter *filter)
{
    const SlTable *table = &filter->kind->table;
    uint64_t hash = sl_hash(table->name, strlen(table->name), filter->kind->version);
    for (size_t k = 0; k < table->row_count; k++) {
        const SlParamValue *value = &filter->values[k];
        hash = sl_hash(table->rows[k].name, strlen(table->rows[k].name), hash);
        hash = table->rows[k].type == SL_PARAM_TEXT
                   ? sl_hash(value->text, strlen(value->text), hash)
                   : sl_hash(value->number,
                             (table->rows[k].type == SL_PARAM_VEC3 ? 3 : 1) * sizeof(double), hash);
    }
    return hash;
}

void sl_filter_continue(SlFilter *filter, const SlFrameView *output)
{
    filter->given = output;
}

void sl_filter_reset(SlFilter *filter)
{
    filter->has_last = false;
    filter->given = NULL;
}

void sl_filter_destroy(SlFilter *filter)
{
    if (filter == NULL)
        return;
    SlMemory *memory = &filter->context->memory;
    for (int k = 0; k < 2; k++)
        sl_arena_free(&filter->arenas[k]);
    sl_free(memory, filter->values, (filter->kind->table.row_count + 1) * sizeof *filter->values);
    sl_free(memory, filter, sizeof *filter);
}

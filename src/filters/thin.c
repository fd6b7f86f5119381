/* thin: keeps every n-th particle, for previews of large runs. Particles are chosen by id, so that the
   same ones are kept in every frame; a system without ids is thinned by index. */
#include <string.h>

#include "filters/filter.h"

enum { EVERY, ROW_COUNT };
static const SlParamRow rows[ROW_COUNT] = {
    [EVERY] = {"every", SL_PARAM_INTEGER, {{10}}, 1, 1e9, "", NULL,
               "keeps the particles whose id is a multiple of it"},
};

static bool is_kept(const SlFieldView *id, size_t particle, uint32_t every)
{
    uint32_t number = (uint32_t)particle;
    if (id->data != NULL)
        memcpy(&number, (const char *)id->data + particle * id->stride, sizeof number);
    return number % every == 0;
}

/* The kept elements of a field, packed. */
static bool thin_field(const SlFieldView *field, const uint32_t *kept, size_t count,
                       SlArena *arena, SlFieldView *out)
{
    size_t bytes = 4 * sl_field_lanes(field->type);
    char *data = sl_arena_push_array(arena, count, bytes);
    *out = *field;
    out->data = data;
    out->count = count;
    out->stride = bytes;
    for (size_t k = 0; data != NULL && k < count; k++)
        memcpy(data + k * bytes, (const char *)field->data + kept[k] * field->stride, bytes);
    return data != NULL;
}

static bool thin_system(const SlSystemView *system, uint32_t every, SlArena *arena,
                        SlSystemView *out)
{
    SlFieldView id = sl_view_field(system, "id");
    uint32_t *kept = SL_PUSH(arena, uint32_t, system->particle_count);
    SlFieldView *fields = SL_PUSH(arena, SlFieldView, system->field_count);
    if (kept == NULL || fields == NULL)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < system->particle_count; i++)
        if (is_kept(&id, i, every))
            kept[count++] = (uint32_t)i;
    *out = *system;
    out->particle_count = count;
    out->fields = fields;
    bool done = true;
    for (size_t f = 0; done && f < system->field_count; f++)
        done = thin_field(&system->fields[f], kept, count, arena, &fields[f]);
    return done;
}

static SlStatus apply(const SlFilterInput *input, SlArena *arena, SlFrameView *output,
                      SlError *error)
{
    const SlFrameView *frame = input->frame;
    SlSystemView *systems = SL_PUSH(arena, SlSystemView, frame->system_count);
    bool done = systems != NULL;
    for (size_t s = 0; done && s < frame->system_count; s++)
        done = thin_system(&frame->systems[s], (uint32_t)input->values[EVERY].number[0], arena,
                           &systems[s]);
    if (!done)
        return sl_error_set(error, SL_ERROR_MEMORY, "thin: no memory for the particles to keep");
    *output = *frame;
    output->systems = systems;
    return SL_OK;
}

extern const SlFilterKind sl_filter_thin;
const SlFilterKind sl_filter_thin = {
    .table = {.name = "thin",
              .kind = "filter",
              .summary = "keeps every n-th particle",
              .citation = "",
              .rows = rows,
              .row_count = ROW_COUNT},
    .apply = apply,
};

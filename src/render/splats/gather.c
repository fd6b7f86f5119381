/* Particles of all systems of a frame view as one list of spheres with colours. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "render/splats/splats.h"
#include "frame/view.h"

enum { CHUNK = 8192, COLORS = 256, SAMPLE = 4096 };

typedef struct Gather {
    SlFieldView position, value; /* value.data NULL: the first colour */
    float radius;
    float *world;
    uint32_t *color;
    const uint32_t *table; /* COLORS packed colours */
    float minimum, scale;  /* colour index = (value - minimum) scale */
} Gather;

/* One number from an element of any field: itself, or a vector's length. */
static float field_number(const SlFieldView *field, size_t i)
{
    const char *at = (const char *)field->data + i * field->stride;
    if (field->type == SL_FIELD_U32) {
        uint32_t integer;
        memcpy(&integer, at, sizeof integer);
        return (float)integer;
    }
    float v[3] = {0, 0, 0};
    memcpy(v, at, sizeof(float) * sl_field_lanes(field->type));
    return field->type == SL_FIELD_F32 ? v[0] : sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void gather_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    for (size_t i = begin; i < end; i++) {
        memcpy(g->world + 4 * i, (const char *)g->position.data + i * g->position.stride,
               3 * sizeof(float));
        g->world[4 * i + 3] = g->radius;
        float at = 0;
        if (g->value.data != NULL)
            at = (field_number(&g->value, i) - g->minimum) * g->scale;
        /* Written so that NaN becomes 0. */
        g->color[i] = g->table[at > 0 ? (at < COLORS - 1 ? (int)(at + 0.5f) : COLORS - 1) : 0];
    }
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Every value of an integer field (a level of detail, a fluid) matters, however few particles have it:
   from the smallest to the largest. False: no system has an integer field of that name. */
static bool range_of_integers(const SlFrameView *view, const char *name, float range[2])
{
    bool found = false;
    for (size_t s = 0; s < view->system_count; s++) {
        SlFieldView field = sl_view_field(&view->systems[s], name);
        if (field.data == NULL || field.type != SL_FIELD_U32)
            continue;
        for (size_t i = 0; i < field.count; i++) {
            float value = field_number(&field, i);
            range[0] = !found || value < range[0] ? value : range[0];
            range[1] = !found || value > range[1] ? value : range[1];
            found = true;
        }
    }
    return found;
}

/* From the 1st to the 99th percentile of an even sample over all systems: a few outliers must not
   take all the colours. */
static bool range_of_data(SlArena *arena, const SlFrameView *view, const char *name, float range[2])
{
    float *sample = SL_PUSH(arena, float, SAMPLE *view->system_count + 1);
    if (sample == NULL)
        return false;
    size_t count = 0;
    for (size_t s = 0; s < view->system_count; s++) {
        SlFieldView field = sl_view_field(&view->systems[s], name);
        size_t step = field.count / SAMPLE + 1;
        for (size_t i = 0; field.data != NULL && i < field.count; i += step) {
            float value = field_number(&field, i);
            if (isfinite(value))
                sample[count++] = value;
        }
    }
    range[0] = range[1] = 0;
    if (count > 0) {
        qsort(sample, count, sizeof *sample, compare_floats);
        range[0] = sample[count / 100];
        range[1] = sample[count - 1 - count / 100];
    }
    return true;
}

static SlStatus choose_range(SlArena *arena, const SlFrameView *view, const SlColoring *coloring,
                             float range[2], SlError *error)
{
    range[0] = coloring->minimum;
    range[1] = coloring->maximum;
    if (range[0] != range[1])
        return SL_OK;
    if (strcmp(coloring->field, "speed") == 0 || strcmp(coloring->field, "auto") == 0) {
        /* The speed after a fall from two fifths of the scene's height: a splash reaches it, and the
           range is the same in every frame of a video. */
        float height = coloring->scene.max.y - coloring->scene.min.y;
        range[0] = 0;
        range[1] = sqrtf(2 * 9.81f * 0.4f * height);
        return SL_OK;
    }
    if (range_of_integers(view, coloring->field, range))
        return SL_OK;
    if (!range_of_data(arena, view, coloring->field, range))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the range of colours");
    return SL_OK;
}

/* What gives a system its colours. */
static const char *field_of(const SlColoring *coloring, const SlSystemView *system)
{
    if (strcmp(coloring->field, "auto") != 0)
        return coloring->field;
    return system->material.kind == SL_MATERIAL_WATER ? "speed" : "none";
}

static SlFieldView value_field(const SlSystemView *system, const char *name)
{
    if (strcmp(name, "none") == 0)
        return (SlFieldView){.name = name};
    if (strcmp(name, "speed") == 0 && sl_view_field(system, "speed").data == NULL)
        return sl_view_field(system, "velocity");
    return sl_view_field(system, name);
}

/* A misspelt field is an error, unless no system has any field. */
static SlStatus check_field(const SlFrameView *view, const char *name, SlError *error)
{
    enum { MAX = 64 };
    const char *names[MAX];
    size_t count = 0;
    if (strcmp(name, "auto") == 0 || strcmp(name, "none") == 0 || strcmp(name, "speed") == 0)
        return SL_OK;
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        for (size_t k = 0; k < system->field_count; k++) {
            if (strcmp(system->fields[k].name, name) == 0)
                return SL_OK;
            if (count < MAX)
                names[count++] = system->fields[k].name;
        }
    }
    if (count == 0)
        return SL_OK;
    const char *near = sl_nearest_name(name, names, count);
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "color_by is \"%s\", which no system exports; it may be auto, speed, none or a "
                        "field%s%s%s",
                        name, near != NULL ? " (did you mean \"" : "", near != NULL ? near : "",
                        near != NULL ? "\"?)" : "");
}

/* Colours of one system's particles, from the first value to the last. */
static void make_table(const SlColoring *coloring, const SlSystemView *system,
                       uint32_t table[COLORS])
{
    const SlMaterial *material = &system->material;
    bool uniform = strcmp(field_of(coloring, system), "none") == 0;
    SlVec3 color = strcmp(coloring->field, "auto") == 0
                       ? material->color
                       : sl_stage_color(material, material->kind, coloring->solid);
    for (int k = 0; k < COLORS; k++)
        table[k] = sl_color_pack(
            uniform ? color : sl_color_map(coloring->map, (float)k / (COLORS - 1)));
}

/* Particles that can be drawn: none where a system has no positions. */
static size_t drawable(const SlSystemView *system)
{
    SlFieldView position = sl_view_field(system, "position");
    bool fit = position.data != NULL && position.type == SL_FIELD_F32X3 && system->spacing > 0;
    return !fit ? 0
                : position.count < system->particle_count ? position.count : system->particle_count;
}

SlStatus sl_splats_gather(SlContext *context, SlArena *arena, const SlFrameView *view,
                          const SlColoring *coloring, uint32_t extra, SlSplatFrame *frame,
                          SlError *error)
{
    SlStatus status = check_field(view, coloring->field, error);
    float range[2];
    if (status == SL_OK)
        status = choose_range(arena, view, coloring, range, error);
    if (status != SL_OK)
        return status;
    frame->count = 0;
    for (size_t s = 0; s < view->system_count; s++)
        frame->count += drawable(&view->systems[s]);
    if (frame->count > INT32_MAX - 1024)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "%zu particles are too many to draw",
                            frame->count);
    size_t padded = (frame->count + 7) / 8 * 8;
    frame->world = SL_PUSH(arena, float, 4 * padded);
    frame->color = SL_PUSH(arena, uint32_t, padded + extra);
    if (frame->world == NULL || frame->color == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu particles",
                            frame->count);
    size_t at = 0;
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        size_t count = drawable(system);
        uint32_t table[COLORS];
        make_table(coloring, system, table);
        SlFieldView value = value_field(system, field_of(coloring, system));
        if (value.count < count)
            value.data = NULL;
        float span = range[1] - range[0];
        Gather g = {.position = sl_view_field(system, "position"),
                    .value = value,
                    .radius = 0.5f * system->spacing * coloring->radius_scale,
                    .world = frame->world + 4 * at,
                    .color = frame->color + at,
                    .table = table,
                    .minimum = range[0],
                    .scale = span != 0 ? (COLORS - 1) / span : 0};
        sl_parallel_for(context->pool, count, CHUNK, gather_chunk, &g);
        at += count;
    }
    for (size_t i = at; i < padded; i++) /* padding is never drawn: NaN fails every test */
        for (int k = 0; k < 4; k++)
            frame->world[4 * i + (size_t)k] = NAN;
    return SL_OK;
}

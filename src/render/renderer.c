/* The list of renderers, and the public calls that choose from it by name. */
#include "render/renderer.h"

#include <string.h>

#include "core/timer.h"
#include "math/camera.h"

/* The list: a renderer `name` is sl_renderer_name with its table sl_name_table. */
#define RENDERERS(ENTRY) ENTRY(splats)

#define KIND_OF(name) &sl_renderer_##name,
#define TABLE_OF(name) &sl_##name##_table,
static const SlRendererKind *const kinds[] = {RENDERERS(KIND_OF)};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

struct SlRenderer {
    const SlRendererKind *kind;
    SlContext *context;
    void *state;
    double last_ms;
};

const SlTable *const *sl_renderer_tables(size_t *count)
{
    static const SlTable *const tables[KIND_COUNT] = {RENDERERS(TABLE_OF)};
    *count = KIND_COUNT;
    return tables;
}

static SlStatus find_kind(const char *name, const SlRendererKind **kind, SlError *error)
{
    const char *names[KIND_COUNT];
    for (size_t k = 0; k < KIND_COUNT; k++) {
        names[k] = kinds[k]->table->name;
        if (strcmp(names[k], name) == 0) {
            *kind = kinds[k];
            return SL_OK;
        }
    }
    const char *near = sl_nearest_name(name, names, KIND_COUNT);
    return sl_error_set(error, SL_ERROR_ARGUMENT, "unknown renderer \"%.60s\"; %s \"%s\"%s", name,
                        near != NULL ? "did you mean" : "there is", near != NULL ? near : names[0],
                        near != NULL ? "?" : "");
}

/* Values come from programs too, not only from the scene reader: checked once more. */
static SlStatus check_values(const SlTable *table, const SlParamValue *values, SlError *error)
{
    for (size_t k = 0; k < table->row_count; k++) {
        const SlParamRow *row = &table->rows[k];
        size_t lanes = row->type == SL_PARAM_VEC3 ? 3 : row->type == SL_PARAM_TEXT ? 0 : 1;
        for (size_t i = 0; i < lanes; i++)
            if (!(values[k].number[i] >= row->minimum && values[k].number[i] <= row->maximum))
                return sl_error_set(error, SL_ERROR_ARGUMENT,
                                    "%s: %s is %g; it may be from %g to %g", table->name,
                                    row->name, values[k].number[i], row->minimum, row->maximum);
        if (row->type == SL_PARAM_TEXT && memchr(values[k].text, 0, sizeof values[k].text) == NULL)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%s: %s has no end", table->name,
                                row->name);
    }
    return SL_OK;
}

static SlStatus init_state(SlRenderer *renderer, const SlParamValue *values, SlError *error)
{
    const SlTable *table = renderer->kind->table;
    SlMemory *memory = &renderer->context->memory;
    if (values != NULL) {
        SlStatus status = check_values(table, values, error);
        return status != SL_OK ? status
                               : renderer->kind->init(renderer->state, renderer->context, values,
                                                      error);
    }
    SlParamValue *defaults = sl_alloc_zero(memory, table->row_count, sizeof *defaults);
    if (defaults == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    for (size_t k = 0; k < table->row_count; k++)
        defaults[k] = table->rows[k].value;
    SlStatus status = renderer->kind->init(renderer->state, renderer->context, defaults, error);
    sl_free(memory, defaults, table->row_count * sizeof *defaults);
    return status;
}

SlStatus sl_renderer_create(SlContext *context, const char *name, const SlParamValue *values,
                            SlRenderer **result, SlError *error)
{
    *result = NULL;
    const SlRendererKind *kind;
    SlStatus status = find_kind(name, &kind, error);
    if (status != SL_OK)
        return status;
    SlRenderer *renderer = sl_alloc_zero(&context->memory, 1, sizeof *renderer);
    if (renderer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    renderer->kind = kind;
    renderer->context = context;
    renderer->state = sl_alloc_zero(&context->memory, 1, kind->state_bytes);
    if (renderer->state == NULL)
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    else
        status = init_state(renderer, values, error);
    if (status != SL_OK) {
        sl_renderer_destroy(renderer);
        return status;
    }
    *result = renderer;
    return SL_OK;
}

void sl_renderer_destroy(SlRenderer *renderer)
{
    if (renderer == NULL)
        return;
    SlMemory *memory = &renderer->context->memory;
    if (renderer->state != NULL) {
        renderer->kind->free(renderer->state);
        sl_free(memory, renderer->state, renderer->kind->state_bytes);
    }
    sl_free(memory, renderer, sizeof *renderer);
}

SlStatus sl_renderer_draw(SlRenderer *renderer, const SlFrameView *view, const SlCamera *camera,
                          const SlImage **image, SlError *error)
{
    const char *reason;
    if (!sl_camera_valid(camera, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "camera \"%.31s\": %s", camera->name, reason);
    double mark = sl_seconds();
    SlStatus status = renderer->kind->draw(renderer->state, view, camera, image, error);
    renderer->last_ms = 0;
    sl_lap(&mark, &renderer->last_ms);
    return status;
}

double sl_renderer_last_ms(const SlRenderer *renderer)
{
    return renderer->last_ms;
}

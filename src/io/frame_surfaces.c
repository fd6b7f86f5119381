/* Surfaces that a filter made, as sections of a frame: a record each, and four arrays. Nothing in a file is
   trusted: sizes and references are checked before they are used. */
#include <stdio.h>
#include <string.h>

#include "io/records.h"

/* The arrays, in the order in which they are written. */
static const struct Array {
    const char *name, *unit, *meaning;
    uint32_t type;
} arrays[SL_SURFACE_SECTIONS] = {
    {"position", "m", "of vertices", SL_FIELD_F32X3},
    {"normal", "", "of vertices", SL_FIELD_F32X3},
    {"velocity", "m/s", "of vertices", SL_FIELD_F32X3},
    {"triangle", "", "vertices, three each", SL_FIELD_U32},
};
enum { POSITION, NORMAL, VELOCITY, TRIANGLE };

/* Where the array is in the view. */
static const void *const *array_of(const SlSurfaceView *surface, int array)
{
    const void *const *const places[SL_SURFACE_SECTIONS] = {
        (const void *const *)&surface->positions, (const void *const *)&surface->normals,
        (const void *const *)&surface->velocities, (const void *const *)&surface->triangles};
    return places[array];
}

static uint64_t count_of(const SlSurfaceView *surface, int array)
{
    return array == TRIANGLE ? 3 * (uint64_t)surface->triangle_count : surface->vertex_count;
}

void sl_surface_sources(const SlSurfaceView *surface, uint32_t index, bool quantise,
                        SlSurfaceRecord *record, SlSource *sources)
{
    memset(record, 0, sizeof *record);
    snprintf(record->system, sizeof record->system, "%s", surface->system);
    record->vertex_count = surface->vertex_count;
    record->triangle_count = surface->triangle_count;
    record->material = sl_material_record(&surface->material);
    for (int k = 0; k < SL_SURFACE_SECTIONS; k++) {
        uint32_t bytes = 4 * sl_field_lanes((SlFieldType)arrays[k].type);
        sources[k] = (SlSource){.name = arrays[k].name,
                                .unit = arrays[k].unit,
                                .meaning = arrays[k].meaning,
                                .kind = SL_SECTION_SURFACE_DATA,
                                .type = arrays[k].type,
                                .system = index,
                                .element_bytes = bytes,
                                .stride = bytes,
                                .count = count_of(surface, k),
                                .data = *array_of(surface, k),
                                .quantise = quantise && k != TRIANGLE};
    }
}

const char *sl_surface_take(const SlSurfaceRecord *record, SlSurfaceView *surface)
{
    if (memchr(record->system, 0, sizeof record->system) == NULL)
        return "a text has no final zero";
    if (record->vertex_count > UINT32_MAX || record->triangle_count > UINT32_MAX)
        return "a surface has more vertices or triangles than can be numbered";
    surface->vertex_count = (size_t)record->vertex_count;
    surface->triangle_count = (size_t)record->triangle_count;
    return NULL;
}

static const char *take_array(const SlSection *section, const char *values,
                              SlSurfaceView *surface)
{
    int k = 0;
    while (k < SL_SURFACE_SECTIONS && strcmp(arrays[k].name, section->name) != 0)
        k++;
    if (k == SL_SURFACE_SECTIONS || section->type != arrays[k].type)
        return "a surface has an array of no known name or type";
    if (section->count != count_of(surface, k))
        return "a surface's array has another length than the surface";
    if (*array_of(surface, k) != NULL)
        return "a surface has an array twice";
    switch (k) {
    case POSITION: surface->positions = (const float *)(const void *)values; break;
    case NORMAL: surface->normals = (const float *)(const void *)values; break;
    case VELOCITY: surface->velocities = (const float *)(const void *)values; break;
    default: surface->triangles = (const uint32_t *)(const void *)values; break;
    }
    return NULL;
}

static const char *check(const SlSurfaceView *surface)
{
    for (int k = 0; k < SL_SURFACE_SECTIONS; k++)
        if (*array_of(surface, k) == NULL)
            return "a surface lacks one of its arrays";
    for (size_t k = 0; k < 3 * surface->triangle_count; k++)
        if (surface->triangles[k] >= surface->vertex_count)
            return "a surface's triangle names a vertex that there is not";
    return NULL;
}

const char *sl_surfaces_take_data(const SlContainer *container, char *const *decoded,
                                  SlSurfaceView *surfaces, size_t count)
{
    const char *wrong = NULL;
    for (uint32_t k = 0; wrong == NULL && k < container->header.section_count; k++) {
        const SlSection *s = &container->sections[k];
        if (s->kind == SL_SECTION_SURFACE_DATA)
            wrong = s->system < count ? take_array(s, decoded[k], &surfaces[s->system])
                                      : "an array belongs to no surface";
    }
    for (size_t k = 0; wrong == NULL && k < count; k++)
        wrong = check(&surfaces[k]);
    return wrong;
}

/* Kinds of material and their defaults. A kind is one row; scenes, frame files and exporters use its
   name. */
#include "frame/material.h"

#include <math.h>
#include <string.h>

static const struct Kind {
    const char *name;
    SlMaterial material;
} kinds[SL_MATERIAL_KIND_COUNT] = {
    /* Colours are linear; water's, ground's and solid's are the sRGB defaults of the splats. */
    [SL_MATERIAL_WATER] = {"water",
                           {SL_MATERIAL_WATER, {0.010f, 0.119f, 0.477f}, 0, 1.333f, {-1, -1, -1}}},
    [SL_MATERIAL_SNOW] = {"snow", {SL_MATERIAL_SNOW, {0.88f, 0.90f, 0.93f}, 1, 1.31f, {0, 0, 0}}},
    [SL_MATERIAL_GROUND] = {"ground",
                            {SL_MATERIAL_GROUND, {0.205f, 0.243f, 0.296f}, 0.9f, 1.5f, {0, 0, 0}}},
    [SL_MATERIAL_SOLID] = {"solid",
                           {SL_MATERIAL_SOLID, {0.604f, 0.539f, 0.448f}, 0.5f, 1.5f, {0, 0, 0}}},
    [SL_MATERIAL_GLASS] = {"glass", {SL_MATERIAL_GLASS, {0.9f, 0.9f, 0.9f}, 0, 1.5f, {0, 0, 0}}},
    [SL_MATERIAL_FOAM] = {"foam", {SL_MATERIAL_FOAM, {0.95f, 0.95f, 0.95f}, 1, 1.333f, {0, 0, 0}}},
};

/* Absorption × depth of water, for red, green and blue: light that crosses the depth once keeps
   exp(-1.98) of its red. */
static const float water_optical_depth[3] = {1.98f, 0.34f, 0.20f};

static bool known(SlMaterialKind kind)
{
    return (unsigned)kind < SL_MATERIAL_KIND_COUNT;
}

SlMaterial sl_default_material(SlMaterialKind kind)
{
    return kinds[known(kind) ? kind : SL_MATERIAL_SOLID].material;
}

const char *sl_material_kind_name(SlMaterialKind kind)
{
    return known(kind) ? kinds[kind].name : "unknown";
}

SlMaterialKind sl_material_kind_find(const char *name)
{
    unsigned kind = 0;
    while (kind < SL_MATERIAL_KIND_COUNT && strcmp(kinds[kind].name, name) != 0)
        kind++;
    return (SlMaterialKind)kind;
}

const char *sl_material_check(const SlMaterial *material)
{
    const float *color = &material->color.x, *absorption = material->absorption;
    if (!known(material->kind))
        return "there is no such kind of material";
    for (int k = 0; k < 3; k++) {
        if (!(color[k] >= 0 && color[k] <= 1))
            return "each component of color may be from 0 to 1";
        if (!(absorption[k] <= 1e6f && isfinite(absorption[k])))
            return "absorption may be up to 1e6 per metre (below 0: from the depth)";
    }
    if (!(material->roughness >= 0 && material->roughness <= 1))
        return "roughness may be from 0 to 1";
    if (!(material->index_of_refraction >= 1 && material->index_of_refraction <= 4))
        return "index_of_refraction may be from 1 to 4";
    return NULL;
}

SlMaterial sl_material_resolve(const SlMaterial *material, double depth)
{
    SlMaterial resolved = *material;
    for (int k = 0; k < 3; k++)
        if (resolved.absorption[k] < 0)
            resolved.absorption[k] = (float)((double)water_optical_depth[k] / depth);
    return resolved;
}

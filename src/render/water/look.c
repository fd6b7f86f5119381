/* Colours and light of a picture: what liquids absorb and send back, each its own, and sky and sun. */
#include <math.h>

#include "core/context.h"
#include "render/water/water.h"

/* Water that scatters a little of the light looks as the absorption leaves it: the light after a depth
   at which a third of the red is left. */
static SlVec3 light_left(SlVec3 k)
{
    float most = fmaxf(k.x, fmaxf(k.y, k.z)), depth = most > 0 ? 1.1f / most : 0;
    return sl_vec3(expf(-k.x * depth), expf(-k.y * depth), expf(-k.z * depth));
}

static SlVec3 tinted(const SlMaterial *material, float tint)
{
    const float *own = material->absorption;
    return sl_scale(sl_vec3(fmaxf(own[0], 0), fmaxf(own[1], 0), fmaxf(own[2], 0)), tint);
}

static void set_tints(const SlRenderStage *stage, const SlWaterViews *views, float tint,
                      SlWaterTints *tints)
{
    const SlFrameView *liquid = &views->liquid;
    SlVec3 above = sl_add(stage->sky, sl_scale(stage->key, fmaxf(stage->to_light.y, 0)));
    for (size_t n = 0; n < SL_WATER_LIQUIDS; n++) {
        const SlMaterial *material = n < liquid->system_count ? &liquid->systems[n].material
                                                              : &views->material;
        SlVec3 k = tinted(material, tint), left = light_left(k);
        for (int c = 0; c < 3; c++) {
            tints->absorption[c][n] = (&k.x)[c];
            tints->scatter[c][n] = 0.035f * (&above.x)[c] * (&left.x)[c];
        }
        tints->scatter_rate[n] = 0.8f * fmaxf(k.x, fmaxf(k.y, k.z));
    }
}

void sl_water_set_look(SlWaterFrame *f, const SlRenderStage *stage, const SlWaterViews *views,
                       float tint, float foam)
{
    const SlCameraFrame *c = &f->back->camera;
    SlVec3 k = tinted(&views->material, tint), left = light_left(k);
    f->look = (SlWaterLook){
        .sky = sl_stage_sky(stage, c->right, c->up, c->forward),
        .key = stage->key,
        .ambient = stage->sky,
        .absorption = k,
        .index = fmaxf(views->material.index_of_refraction, 1.0001f),
        .ground_y = stage->ground.visible ? stage->ground.height : -1e6f,
        .eye_y = c->eye.y,
        .foam_opacity = 1.6f * foam};
    set_tints(stage, views, tint, &f->look.tints);
    /* A ray that is reflected downwards mostly meets more water. */
    SlVec3 *below = &f->look.sky.below;
    f->look.floor = *below;
    *below = sl_scale(sl_vec3(below->x * left.x, below->y * left.y, below->z * left.z), 0.9f);
}

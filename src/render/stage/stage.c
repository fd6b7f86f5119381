/* The stage of a picture: light, sky, ground and framing (stage.h). */
#include "render/stage/stage.h"

#include <math.h>

#include "math/camera.h"
#include "render/color.h"
#include "sleet/render.h"

static SlVec3 vector(const SlParamValue *value)
{
    return sl_vec3((float)value->number[0], (float)value->number[1], (float)value->number[2]);
}

static SlVec3 linear(const SlParamValue *value)
{
    return sl_color_from_srgb(vector(value));
}

SlVec3 sl_stage_color(const SlMaterial *material, SlMaterialKind usual, SlVec3 color)
{
    SlVec3 own = material->color, preset = sl_default_material(usual).color;
    bool unset = material->index_of_refraction == 0; /* a zeroed material: no valid one has 0 */
    bool same = own.x == preset.x && own.y == preset.y && own.z == preset.z;
    return unset || (material->kind == usual && same) ? color : own;
}

/* Side of the ground's squares: 1, 2 or 5 times a power of ten, about a twelfth of the scene. */
static float checker_side(float diagonal)
{
    float wanted = diagonal / 12;
    float ten = powf(10, floorf(log10f(wanted)));
    float ratio = wanted / ten;
    return ten * (ratio < 1.5f ? 1 : ratio < 3.5f ? 2 : ratio < 7.5f ? 5 : 10);
}

static SlGround make_ground(const SlFrameView *view, const SlRenderStage *stage,
                            const SlParamValue *values)
{
    SlGround ground = {.visible = values[SL_STAGE_GROUND].number[0] != 0,
                       /* the domain's floor, also where a solid reaches below it */
                       .height = view->domain.min.y,
                       .color = sl_stage_color(&view->domain_material, SL_MATERIAL_GROUND,
                                               linear(&values[SL_STAGE_GROUND_COLOR])),
                       .center = sl_scale(sl_add(stage->scene.min, stage->scene.max), 0.5f),
                       .checker = checker_side(stage->diagonal),
                       .fade = 3.2f * stage->diagonal};
    if (isinf(view->domain.min.y))
        ground.visible = ground.visible && sl_stage_floor(view, &ground.height);
    return ground;
}

SlRenderStage sl_stage_make(const SlFrameView *view, const SlParamValue *values)
{
    SlRenderStage stage = {.scene = sl_stage_box(view)};
    stage.reach = sl_stage_reach(view, &stage.scene);
    stage.shadow = sl_stage_shadow_box(&stage.scene, &stage.reach);
    stage.edges = sl_stage_is_open(view) ? view->domain : stage.scene;
    stage.draw_edges = values[SL_STAGE_DOMAIN].number[0] != 0;
    stage.spacing = sl_stage_spacing(view, &stage.scene);
    stage.diagonal = sl_length(sl_sub(stage.scene.max, stage.scene.min));
    /* A warm key light, a blue sky and grey light from the ground; the ratio of key light to sky is
       that of a hazy day. */
    float exposure = (float)values[SL_STAGE_EXPOSURE].number[0];
    stage.to_light = sl_unit(vector(&values[SL_STAGE_LIGHT]));
    stage.key = sl_scale(sl_vec3(1.28f, 1.20f, 1.08f), exposure);
    stage.sky = sl_scale(sl_vec3(0.62f, 0.70f, 0.80f), exposure);
    stage.bounce = sl_scale(sl_vec3(0.30f, 0.30f, 0.30f), exposure);
    stage.background_top = linear(&values[SL_STAGE_BACKGROUND_TOP]);
    stage.background_bottom = linear(&values[SL_STAGE_BACKGROUND_BOTTOM]);
    stage.solid_color = linear(&values[SL_STAGE_SOLID_COLOR]);
    stage.ground = make_ground(view, &stage, values);
    return stage;
}

SlSky sl_stage_sky(const SlRenderStage *stage, SlVec3 right, SlVec3 up, SlVec3 forward)
{
    SlVec3 sun = stage->to_light;
    SlVec3 ground = stage->ground.color;
    SlVec3 on_ground = sl_add(stage->sky, sl_scale(stage->key, fmaxf(sun.y, 0)));
    return (SlSky){.up = {right.y, up.y, forward.y},
                   .to_sun = {sl_dot(sun, right), sl_dot(sun, up), sl_dot(sun, forward)},
                   .east = {right.x, up.x, forward.x},
                   .north = {right.z, up.z, forward.z},
                   .zenith = stage->background_top,
                   .horizon = stage->background_bottom,
                   .below = {on_ground.x * ground.x, on_ground.y * ground.y, on_ground.z * ground.z},
                   .sun = stage->key};
}

SlCamera sl_view_framing(const SlFrameView *view, uint32_t width, uint32_t height)
{
    SlBox scene = sl_stage_box(view);
    return sl_camera_around(&scene, (float)width, (float)height);
}

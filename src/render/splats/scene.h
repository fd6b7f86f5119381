/* What the splat renderer derives from a frame view before it draws: bounds, solids, rays. */
#ifndef RENDER_SPLATS_SCENE_H
#define RENDER_SPLATS_SCENE_H

#include "render/splats/splats.h"
#include "frame/view.h"

/* The domain; a side of it that is open is where particles and meshes end. Without anything to go
   by, a unit box. */
SlBox sl_scene_box(const SlFrameView *view);
/* The domain has an open side. */
bool sl_scene_is_open(const SlFrameView *view);
/* Where nothing closes the domain below, a level plane collider is its ground. */
bool sl_scene_is_floor(const SlFrameView *view, const SlShape *shape);
/* The highest of those; false: there is no ground. */
bool sl_scene_floor(const SlFrameView *view, float *height);
/* The scene and its meshes, at most the scene's size beyond it on each side. */
SlBox sl_scene_reach(const SlFrameView *view, const SlBox *scene);
/* What the shadow map covers: the reach in steps, for shadows must not swim with a moving mesh. */
SlBox sl_scene_shadow_box(const SlBox *scene, const SlBox *reach);
/* The largest particle spacing, or a part of the scene's size where there are no particles. */
float sl_scene_spacing(const SlFrameView *view, const SlBox *scene);
/* Side of the ground's squares: 1, 2 or 5 times a power of ten, about a tenth of the scene. */
float sl_scene_checker(const SlBox *scene);
/* Shapes that can be drawn and are no floor, then the ground under height *floor (NULL: none); room for
   collider_count + 1. */
uint32_t sl_scene_solids(const SlFrameView *view, const SlBox *scene, const float *floor,
                         SlSolid *solids);
/* Fills in where a solid may be seen: bounds of a sphere around it. */
void sl_scene_bound_solid(const SlSplatFrame *frame, SlSolid *solid);
SlRays sl_scene_camera_rays(const SlCameraFrame *camera);
/* Rays and transforms of the shadow map, which covers the scene from direction to_light. It does
   not follow the particles: shadows must not swim in a video. */
void sl_scene_aim_shadow(const SlBox *scene, SlVec3 to_light, const SlCameraFrame *camera,
                         SlShadow *shadow);

#endif

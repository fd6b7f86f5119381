/* Analytic solids of a picture, and the rays of the camera and of the light. */
#ifndef RENDER_SPLATS_SOLIDS_H
#define RENDER_SPLATS_SOLIDS_H

#include "render/splats/splats.h"
#include "render/stage/stage.h"

/* Shapes that can be drawn and are no floor, then the ground; room for collider_count + 1. */
uint32_t sl_splats_solids(const SlFrameView *view, const SlRenderStage *stage, SlSolid *solids);
/* Sets where a solid may be seen: bounds of a sphere around it. */
void sl_splats_bound_solid(const SlSplatFrame *frame, SlSolid *solid);
SlRays sl_splats_camera_rays(const SlCameraFrame *camera);
/* Rays and transforms of the shadow map, which covers the stage's shadow box. */
void sl_splats_aim_shadow(const SlRenderStage *stage, const SlCameraFrame *camera, SlShadow *shadow);

#endif

/* Analytic solids of a picture, and the rays of the camera and of the light. */
#ifndef RENDER_SPLATS_SOLIDS_H
#define RENDER_SPLATS_SOLIDS_H

#include "geometry/mesh/mesh.h"
#include "render/splats/splats.h"
#include "render/stage/stage.h"

/* A view in which shapes without ray functions are meshes. Without such shapes it is the view given. */
typedef struct SlMeshedView {
    SlFrameView view;
    SlMesh *meshes;
    size_t mesh_count;
} SlMeshedView;

/* Colliders are in the arena; meshes are the context's memory, released by sl_meshed_view_free, which
   must be called in any case. */
SlStatus sl_meshed_view_make(SlContext *context, SlArena *arena, const SlFrameView *view,
                             const SlSolidKernels *kernels, SlMeshedView *meshed, SlError *error);
void sl_meshed_view_free(SlMeshedView *meshed);
/* Shapes that can be drawn and are no floor, then the ground; room for collider_count + 1. */
uint32_t sl_splats_solids(const SlFrameView *view, const SlRenderStage *stage,
                          const SlSolidKernels *kernels, SlSolid *solids);
/* Sets where a solid may be seen: bounds of a sphere around it. */
void sl_splats_bound_solid(const SlSplatFrame *frame, SlSolid *solid);
SlRays sl_splats_camera_rays(const SlCameraFrame *camera);
/* Rays and transforms of the shadow map, which covers the stage's shadow box. */
void sl_splats_aim_shadow(const SlRenderStage *stage, const SlCameraFrame *camera, SlShadow *shadow);

#endif

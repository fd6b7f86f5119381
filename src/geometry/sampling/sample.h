/* Points spread over a triangle surface, no two nearer than a radius and no hole left: what
   boundary particles are made of. Parallel Poisson-disk sampling after Bowers et al. 2010. */
#ifndef GEOMETRY_SAMPLING_SAMPLE_H
#define GEOMETRY_SAMPLING_SAMPLE_H

#include "geometry/mesh/mesh.h"

/* What "nearer" means. The geodesic approximation is never below the straight distance, so it
   lets points on both sides of a thin wall or a sharp edge stand nearer to each other. */
typedef enum SlSampleMetric {
    SL_SAMPLE_STRAIGHT, /* every pair at least a radius apart in space */
    SL_SAMPLE_GEODESIC  /* every pair at least a radius apart by sl_sample_geodesic */
} SlSampleMetric;

typedef struct SlSurfaceSamples {
    SlContext *context; /* whose memory it is */
    size_t count;
    SlVec3 *positions;   /* m, on the surface, ordered by place */
    SlVec3 *normals;     /* unit normal of the triangle */
    uint32_t *triangles; /* which triangle of the mesh */
} SlSurfaceSamples;

/* Samples of the mesh at least `radius` apart (m, > 0, straight), every point of the surface
   within 2 radius of one. The same bits for any number of threads; another seed gives others.
   Triangles without area are passed over; a mesh with nothing else gives no samples. On failure
   `out` is empty. */
SlStatus sl_surface_sample(SlContext *context, const SlMesh *mesh, float radius, uint64_t seed,
                           SlSurfaceSamples *out, SlError *error);
SlStatus sl_surface_sample_by(SlContext *context, const SlMesh *mesh, SlSampleMetric metric,
                              float radius, uint64_t seed, SlSurfaceSamples *out, SlError *error);
void sl_surface_samples_destroy(SlSurfaceSamples *samples);

/* Bowers' estimate of the way along the surface from p to q, given the unit normals there. */
float sl_sample_geodesic(SlVec3 p, SlVec3 p_normal, SlVec3 q, SlVec3 q_normal);

#endif

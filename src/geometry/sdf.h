/* Signed distance fields of triangle meshes: a narrow band of exact distances on a sparse grid,
   interpolated; what is far is known by sign and by a distance that is not too large.

   Interpolation rounds off creases, by up to half a cell. So cells where the nodes' tangent planes
   disagree ("sharp" cells) keep the few triangles that can be nearest to a point of theirs, and
   there the distance is exact. */
#ifndef GEOMETRY_SDF_H
#define GEOMETRY_SDF_H

#include "geometry/block_grid.h"
#include "geometry/bvh.h"

typedef struct SlSdfSettings {
    double cell;  /* m, > 0 */
    double band;  /* cells on either side of the surface with exact distances, [1, 32]; default 3 */
    bool hollow;  /* a container: outside of the mesh is solid, the field's sign is turned */
} SlSdfSettings;

/* A triangle of sharp cells, with the sign of the field on either side by winding number: a sheet
   without thickness has + on both, a face turned the wrong way + behind it. */
typedef struct SlSdfTriangle {
    float corners[9];
    float front, behind; /* +1 or -1 */
} SlSdfTriangle;

/* Plain arrays only: a kernel walks them as sl_sdf_distance does. */
typedef struct SlSdf {
    SlContext *context;
    SlVec3 origin;         /* lowest node, m */
    float cell, band;      /* m, cells */
    float side;            /* +1, or -1 for a hollow one: every value is times this */
    SlBlockGrid grid;      /* signed distance at nodes, m; block (0, 0, 0) begins at origin */
    int32_t size[3];       /* blocks along each axis */
    float *far;            /* signed distance at every block's centre, x fastest */
    uint32_t *sharp;       /* per block and cell: 0, or the sharp cell's number + 1 */
    uint32_t sharp_count;
    uint32_t *sharp_start; /* [sharp_count + 1]: a sharp cell's range in sharp_items */
    uint32_t *sharp_items; /* numbers of triangles */
    SlSdfTriangle *triangles;
    uint32_t triangle_count;
    uint32_t crowded_count; /* creased cells with too many triangles to keep: the mesh is finer
                               than the cells, and interpolation smooths it */
} SlSdf;

SlSdfSettings sl_default_sdf_settings(double cell);
/* The same bits for any number of threads. Does not keep the mesh. */
SlStatus sl_sdf_create(SlContext *context, const SlMesh *mesh, const SlSdfSettings *settings,
                       SlSdf *sdf, SlError *error);
/* As sl_sdf_create, but takes the field from a file in cache_folder if there is one of this mesh
   and these settings, and leaves one there if not. A file that cannot be read or written is
   logged and done without. cache_folder may be NULL: no cache. */
SlStatus sl_sdf_load_or_build(SlContext *context, const SlMesh *mesh,
                              const SlSdfSettings *settings, const char *cache_folder, SlSdf *sdf,
                              SlError *error);
void sl_sdf_destroy(SlSdf *sdf);

/* Negative inside. Within the band: exact at nodes and in sharp cells, interpolated elsewhere;
   beyond it never farther from 0 than the true distance and a tenth of a cell. `gradient`, if not
   NULL, is that of the interpolant (of length near 1) or exact (of length 1). The point must be
   finite. */
float sl_sdf_distance(const SlSdf *sdf, SlVec3 point, SlVec3 *gradient);
/* Many points at once, in parallel: 3 floats each. gradients may be NULL. */
void sl_sdf_distances(SlContext *context, const SlSdf *sdf, const float *points, size_t count,
                      float *distances, float *gradients);
/* Of everything a query reads, for tests of sameness. */
uint64_t sl_sdf_hash(const SlSdf *sdf);
/* Settings within range, a mesh with a triangle, a grid that is not too large. */
SlStatus sl_sdf_check(const SlMesh *mesh, const SlSdfSettings *settings, SlError *error);

static inline size_t sl_sdf_block_total(const SlSdf *sdf)
{
    return (size_t)sdf->size[0] * (size_t)sdf->size[1] * (size_t)sdf->size[2];
}

#endif

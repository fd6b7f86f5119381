/* Signed distance fields of triangle meshes: a narrow band of exact distances on a sparse grid,
   interpolated; what is far is known by sign and by a distance that is not too large.

   Interpolation rounds off creases, by up to half a cell. So cells where the nodes' tangent planes
   disagree ("sharp" cells) keep the few triangles that can be nearest to a point of theirs, and
   there the distance is exact. Where the mesh is finer than the cells those are many, and the cell
   has a fine block instead: 4 x 4 x 4 smaller cells that interpolate or, where even they are sharp,
   ask a tree of all triangles. */
#ifndef GEOMETRY_SDF_SDF_H
#define GEOMETRY_SDF_SDF_H

#include "spatial/block_grid.h"
#include "geometry/mesh/bvh.h"

typedef struct SlSdfSettings {
    double cell;  /* m, > 0 */
    double band;  /* cells on either side of the surface with exact distances, [1, 32]; default 3 */
    bool hollow;  /* a container: outside of the mesh is solid, the field's sign is turned */
    bool keep_nearest; /* keep each node's nearest triangle, for those who ask what it does */
} SlSdfSettings;

/* A triangle of sharp cells, with the sign of the field on either side by winding number: a sheet
   without thickness has + on both, a face turned the wrong way + behind it. */
typedef struct SlSdfTriangle {
    float corners[9];
    float front, behind; /* +1 or -1 */
    float center[3], radius; /* of a ball around it: spares most of a cell's triangles */
} SlSdfTriangle;

/* A cell's code: 0 to interpolate; a sharp cell's number + 1; SL_SDF_TREE to ask the tree;
   SL_SDF_FINE and a fine block's number. In a fine block only 0 and SL_SDF_TREE. */
#define SL_SDF_FINE 0x80000000u
#define SL_SDF_TREE 0x7FFFFFFFu

/* Plain arrays only: a kernel walks them as sl_sdf_distance does. */
typedef struct SlSdf {
    SlContext *context;
    SlVec3 origin;         /* lowest node, m */
    float cell, band;      /* m, cells */
    float side;            /* +1, or -1 for a hollow one: every value is times this */
    SlBlockGrid grid;      /* signed distance at nodes, m; block (0, 0, 0) begins at origin */
    int32_t size[3];       /* blocks along each axis */
    float *far;            /* signed distance at every block's centre, x fastest */
    uint32_t *codes;       /* per block and cell: first of the grid's blocks, then of fine ones */
    uint32_t fine_count;
    float *fine_values;    /* signed distance at the nodes of fine blocks, as grid.values */
    uint32_t sharp_count;
    uint32_t *sharp_start; /* [sharp_count + 1]: a sharp cell's range in sharp_items */
    uint32_t *sharp_items; /* numbers of triangles */
    SlSdfTriangle *triangles;
    uint32_t triangle_count;
    SlBvhNode *tree; /* over `triangles`, which are then all of the mesh; NULL: no cell asks it */
    uint32_t tree_count;
    uint32_t *nearest; /* the mesh's triangle nearest to each node, as grid.values; may be NULL */
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
/* The same bits where the distance is at most `reach`; elsewhere it only promises more than reach
   and no more than the distance and a tenth of a cell, which spares most of the work. */
float sl_sdf_distance_within(const SlSdf *sdf, SlVec3 point, float reach, SlVec3 *gradient);
/* Many points at once, in parallel: 3 floats each. gradients may be NULL. */
void sl_sdf_distances(SlContext *context, const SlSdf *sdf, const float *points, size_t count,
                      float *distances, float *gradients);
/* Of everything a query reads, for tests of sameness. */
uint64_t sl_sdf_hash(const SlSdf *sdf);
/* Settings within range, a mesh with a triangle, a grid that is not too large. */
SlStatus sl_sdf_check(const SlMesh *mesh, const SlSdfSettings *settings, SlError *error);

/* A cell of the band's own blocks, and where in it a point is. */
typedef struct SlSdfCell {
    uint32_t block;
    int32_t local[3]; /* the cell within its block */
    float f[3];       /* in [0, 1] */
} SlSdfCell;

/* The cell a point lies in; false where the field has none. The point must be finite. */
bool sl_sdf_find_cell(const SlSdf *sdf, SlVec3 point, SlSdfCell *cell);
/* About what a field of the mesh will hold in memory, in bytes: 0.8 to 3 times what it did for the
   meshes that were measured. */
uint64_t sl_sdf_guess_bytes(const SlMesh *mesh, const SlSdfSettings *settings);

static inline size_t sl_sdf_code_bytes(const SlSdf *sdf)
{
    return ((size_t)sdf->grid.count + sdf->fine_count) * SL_BLOCK_CELL_COUNT * sizeof *sdf->codes;
}

static inline size_t sl_sdf_block_total(const SlSdf *sdf)
{
    return (size_t)sdf->size[0] * (size_t)sdf->size[1] * (size_t)sdf->size[2];
}

#endif

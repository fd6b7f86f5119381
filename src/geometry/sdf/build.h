/* Between the files that build a distance field. */
#ifndef GEOMETRY_SDF_BUILD_H
#define GEOMETRY_SDF_BUILD_H

#include "geometry/sdf/sdf.h"

typedef struct SlSdfBuild {
    SlContext *context;
    const SlBvh *bvh;
    SlSdf *sdf;
    bool closed;     /* the sign changes only at the surface */
    SlVec3 *normals; /* gradient at every node of the band, as grid.values */
} SlSdfBuild;

/* Blocks of one fineness while they are judged; the arrays are the field's or the build's. */
typedef struct SlSdfLayer {
    bool fine;             /* fine blocks; else the field's own */
    double cell;           /* m */
    size_t block_count;
    SlD3 *corners;   /* lowest node of each block */
    const float *values;   /* SL_BLOCK_STRIDE per block */
    SlVec3 *normals; /* the same */
    uint32_t *codes;       /* per block and cell, see SlSdf.codes */
} SlSdfLayer;

/* The last point measured: its triangle bounds the next search, and often its sign is the next
   one's too. Begin with zeros. */
typedef struct SlSdfWalk {
    bool begun;
    SlD3 point;
    double distance, sign;
    SlBvhHit hit;
} SlSdfWalk;

/* Distance and sign at p into the walk; returns the gradient. */
SlD3 sl_sdf_walk_to(const SlSdfBuild *build, SlSdfWalk *walk, SlD3 p);

/* Whether every directed edge has its opposite: then the winding number is whole and changes only
   at the surface. False too when there is no memory to tell. */
bool sl_sdf_mesh_closed(SlContext *context, const SlMesh *mesh);
/* Finds the sharp cells of a filled grid and their triangles. */
SlStatus sl_sdf_build_sharp(SlSdfBuild *build, SlSdfLayer *coarse, SlError *error);
/* Gives every cell of the layer whose code is SL_SDF_FINE a fine block, and fills it. Free the new
   layer in any case. False when memory is out. */
bool sl_sdf_refine(SlSdfBuild *build, SlSdfLayer *layer, SlSdfLayer *finer);
void sl_sdf_layer_free(SlSdfBuild *build, SlSdfLayer *layer);

static inline SlD3 sl_sdf_node(const SlSdf *sdf, SlBlockCoord block, double x, double y, double z)
{
    double h = (double)sdf->cell;
    return sl_d3((double)sdf->origin.x + h * (SL_BLOCK_CELLS * block.x + x),
                 (double)sdf->origin.y + h * (SL_BLOCK_CELLS * block.y + y),
                 (double)sdf->origin.z + h * (SL_BLOCK_CELLS * block.z + z));
}

#endif

/* Between the files that build a distance field. */
#ifndef GEOMETRY_SDF_BUILD_H
#define GEOMETRY_SDF_BUILD_H

#include "geometry/sdf.h"

typedef struct SlSdfBuild {
    SlContext *context;
    const SlBvh *bvh;
    SlSdf *sdf;
    bool closed;     /* the sign changes only at the surface */
    SlVec3 *normals; /* gradient at every node of the band, as grid.values */
} SlSdfBuild;

/* Whether every directed edge has its opposite: then the winding number is whole and changes only
   at the surface. False too when there is no memory to tell. */
bool sl_sdf_mesh_closed(SlContext *context, const SlMesh *mesh);
/* Finds the sharp cells of a filled grid and their triangles. */
SlStatus sl_sdf_build_sharp(SlSdfBuild *build, SlError *error);

static inline SlD3 sl_sdf_node(const SlSdf *sdf, SlBlockCoord block, double x, double y, double z)
{
    double h = (double)sdf->cell;
    return sl_d3((double)sdf->origin.x + h * (SL_BLOCK_CELLS * block.x + x),
                 (double)sdf->origin.y + h * (SL_BLOCK_CELLS * block.y + y),
                 (double)sdf->origin.z + h * (SL_BLOCK_CELLS * block.z + z));
}

#endif

/* A tree of boxes with eight children per node, and leaves of eight triangles or spheres that are
   intersected at once. Built by intersect_bvh.c, walked by path_bvh_kernels.c. */
#ifndef RENDER_PATH_BVH_H
#define RENDER_PATH_BVH_H

#include "config.h"
#include "core/machine.h"
#include "render/path/intersect.h"

enum { SL_BVH_WIDTH = 8, SL_BVH_STACK = 512 };

/* A child is a node's index, or SL_BVH_LEAF | first block << 2 | blocks - 1. */
#define SL_BVH_LEAF 0x80000000u
#define SL_BVH_EMPTY UINT32_MAX

typedef struct SlBvhNode {
    float bounds[6][SL_BVH_WIDTH]; /* low x, y, z, high x, y, z; empty children are inverted */
    uint32_t child[SL_BVH_WIDTH];
} SlBvhNode;

typedef struct SlBvhBlock {
    float at[9][SL_BVH_WIDTH]; /* triangles: x, y, z of three vertices; spheres: centre, radius */
    uint32_t id[SL_BVH_WIDTH];
    uint32_t mask[SL_BVH_WIDTH]; /* 0: no primitive */
    uint32_t spheres;            /* 1: spheres */
    uint32_t padding[15];
} SlBvhBlock;

typedef struct SlBvhMotion { /* what is added to SlBvhBlock.at at time 1 */
    float at[9][SL_BVH_WIDTH];
} SlBvhMotion;

typedef struct SlBvh {
    const SlBvhNode *nodes; /* the root is the first */
    const SlBvhBlock *blocks;
    const SlBvhMotion *motion; /* one per block; NULL: nothing moves */
    size_t node_count, block_count;
    bool empty;
} SlBvh;

typedef struct SlBvhKernels {
    bool (*closest)(const SlBvh *bvh, const SlRay *ray, uint32_t mask, SlHit *hit);
    bool (*occluded)(const SlBvh *bvh, const SlRay *ray, uint32_t mask);
} SlBvhKernels;

SL_DECLARE_KERNELS(SlBvhKernels, sl_bvh_kernels);

#endif

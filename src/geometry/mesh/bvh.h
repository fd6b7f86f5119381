/* A bounding-volume tree over a triangle mesh: closest point, triangles near a point, and the
   generalised winding number. Right for open, degenerate and self-crossing meshes. */
#ifndef GEOMETRY_MESH_BVH_H
#define GEOMETRY_MESH_BVH_H

#include "geometry/mesh/triangle.h"
#include "geometry/mesh/mesh.h"

/* 32 bytes. An inner node's children are nodes `first` and `first + 1`. */
typedef struct SlBvhNode {
    float min[3], max[3];
    uint32_t first; /* first child, or the leaf's first triangle in tree order */
    uint32_t count; /* triangles of a leaf; 0: inner */
} SlBvhNode;

/* What a node's triangles look like from afar: 64 bytes, one cache line. */
typedef struct SlBvhMoments {
    float center[3]; /* area-weighted */
    float radius;    /* no corner is farther from the centre */
    float normal[3]; /* sum of area times normal */
    float spread[9]; /* sum of area (c - center) normal^T, row by row */
} SlBvhMoments;

typedef struct SlBvh {
    SlContext *context;
    size_t triangle_count, node_count, node_room;
    SlBvhNode *nodes;      /* [0] is the root */
    SlBvhMoments *moments; /* one per node */
    uint32_t *order;       /* tree order: the mesh's triangle at place k */
    float *corners;        /* 9 per triangle, in tree order */
} SlBvh;

typedef struct SlBvhHit {
    uint32_t place;    /* in tree order; bvh->order[place] is the mesh's */
    double distance2;
    SlD3 point;
} SlBvhHit;

/* Copies what it needs of the mesh. The tree is a pure function of the mesh. */
SlStatus sl_bvh_create(SlContext *context, const SlMesh *mesh, SlBvh *bvh, SlError *error);
void sl_bvh_destroy(SlBvh *bvh);

/* The nearest point of the mesh within `radius` (may be INFINITY); false if there is none. */
bool sl_bvh_closest(const SlBvh *bvh, SlD3 point, double radius, SlBvhHit *hit);
/* To one triangle: what a neighbouring point found is a good radius for the next search. */
double sl_bvh_distance_to(const SlBvh *bvh, uint32_t place, SlD3 point);
/* Places of all triangles within `radius`, in tree order; returns how many there are, of which
   the first `room` are written. */
size_t sl_bvh_within(const SlBvh *bvh, SlD3 point, double radius, uint32_t *places, size_t room);
/* 1 inside a closed mesh, 0 outside, in between near the holes of an open one. */
double sl_bvh_winding(const SlBvh *bvh, SlD3 point);
/* Fills `moments`; sl_bvh_create calls it. */
void sl_bvh_fill_moments(SlBvh *bvh);

/* Nodes that wait in a depth-first walk: no tree is deeper than 96. */
enum { SL_BVH_STACK = 128 };

/* How far x is outside [min, max]. Not by fmax: it is a call where NaN must be minded. */
static inline double sl_bvh_past(float min, float max, double x)
{
    double below = (double)min - x, above = x - (double)max;
    double most = below > above ? below : above;
    return most > 0 ? most : 0;
}

static inline double sl_bvh_box_distance2(const SlBvhNode *node, SlD3 p)
{
    double x = sl_bvh_past(node->min[0], node->max[0], p.x),
           y = sl_bvh_past(node->min[1], node->max[1], p.y),
           z = sl_bvh_past(node->min[2], node->max[2], p.z);
    return x * x + y * y + z * z;
}

static inline SlTriangle sl_bvh_triangle(const SlBvh *bvh, uint32_t place)
{
    return sl_triangle_from(bvh->corners + 9 * (size_t)place);
}

#endif

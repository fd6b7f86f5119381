/* The water surface: what the files of this folder share. In the order of a frame:

   lattice.c   the nodes at which the field is known, fitted to the domain's walls
   blocks.c    which blocks of nodes can hold the surface; deep inside no field is computed
   points.c    particles near those blocks, with their mirror images behind walls, and their kernels
   field.c     the field: each block adds the kernels that reach it
   cubes.c     the table of marching cubes, derived from one rule for faces
   extract.c   vertices and triangles
   surface_kernels.c  the hot loops of points.c, field.c and smooth.c
   around.c    neighbours and normals of vertices, rims of walls
   smooth.c    velocities, weighted smoothing
   components.c  pieces that are too small are removed
   surface.c   the filter

   Every block, vertex and particle is written by one task, and every sum runs in the order of the sorted
   points, so that the mesh has the same bits for any number of threads. */
#ifndef FILTERS_SURFACE_SURFACE_H
#define FILTERS_SURFACE_SURFACE_H

#include "core/context.h"
#include "frame/view.h"
#include "spatial/block_grid.h"
#include "spatial/grid.h"

typedef struct SurfaceSettings {
    float spacing;         /* m; all lengths below are in spacings */
    float cube;            /* edge of a cell of the lattice */
    float support;         /* reach of a particle's kernel */
    float drop_support;    /* reach of the kernel of a particle without neighbours */
    float drop_radius;     /* of the sphere that such a particle is drawn as */
    float vicinity;        /* radius in which neighbours decide the kernel's shape */
    float iso;             /* level of the surface; 1 is the field deep inside */
    float anisotropy;      /* longest over shortest axis of a kernel, at most; 1: spheres */
    float min_component;   /* spacings³: smaller closed pieces and voids are removed */
    uint32_t iterations;   /* of smoothing */
} SurfaceSettings;

/* --- lattice.c ------------------------------------------------------------------------------ */

/* The lattice of nodes: node i is at origin + i cell along each axis. Cells are as wide as asked for, but
   fitted so that a whole number lies between two walls. Nodes beyond a wall are air; the last ones before
   it lie WALL_GAP cells inside, so that the surface follows the wall in one plane and meets the
   free surface without a bevel. */
#define SURFACE_WALL_GAP 0.02f

typedef struct SurfaceLattice {
    float origin[3], cell[3], inverse_cell[3];
    int32_t low[3], high[3]; /* first and last node that may be water; INT32_MIN, INT32_MAX: no wall */
    float wall[2][3];        /* m: planes of the domain; infinite where it is open */
} SurfaceLattice;

void surface_lattice_fit(SlBox domain, float cell, SurfaceLattice *lattice);

static inline float surface_node(const SurfaceLattice *lattice, int axis, int32_t index)
{
    return lattice->origin[axis] + (float)index * lattice->cell[axis];
}

/* --- blocks.c ------------------------------------------------------------------------------- */

enum {
    SURFACE_BLOCK = 8,          /* nodes, and cells, along the edge of a block */
    SURFACE_BLOCK_NODES = 512,
    SURFACE_EDGE_WORDS = 24     /* 64 bits each: three edges per node */
};

/* A set of coordinates that grows, with their places in order of insertion. */
typedef struct SurfaceSet {
    SlMemory *memory;
    SlBlockCoord *keys;
    uint32_t count, room;
    uint32_t *table; /* place, or SL_NO_BLOCK; at most half full */
    uint32_t table_size;
} SurfaceSet;

/* SL_NO_BLOCK: it is not in the set. */
uint32_t surface_set_find(const SurfaceSet *set, SlBlockCoord key);

enum { SURFACE_FAR, SURFACE_NEAR, SURFACE_REACHING }; /* `levels`: see surface_blocks_find */

/* Blocks without a field: all their nodes are 1, or 0. */
#define SURFACE_DEEP UINT32_MAX
#define SURFACE_AIR (UINT32_MAX - 1)

typedef struct SurfaceBlocks {
    SurfaceSet cells; /* coarse cells that hold particles or images */
    uint32_t *counts; /* per coarse cell: particles */
    uint32_t counts_room;
    uint8_t *levels;  /* per coarse cell: REACHING: its particles may reach a block with a field;
                         NEAR: they are neighbours of such, or near a wall's surface; else FAR */
    float cell; /* m: edge of a coarse cell */

    SurfaceSet set;     /* blocks */
    uint32_t *field_of; /* per block: its field's place, SURFACE_DEEP or SURFACE_AIR */
    uint32_t field_count;
    float *fields; /* SURFACE_BLOCK_NODES each; node (x, y, z) at x + 8 (y + 8 z) */
} SurfaceBlocks;

/* A position and its images behind walls, the position first. */
typedef struct SurfaceImages {
    float x[27][3];
    uint8_t flips[27]; /* bit k: mirrored along axis k */
    int count;
} SurfaceImages;

void surface_images(const SurfaceLattice *lattice, const float x[3], float depth,
                    SurfaceImages *images);

static inline SlBlockCoord surface_coarse_cell(const SurfaceBlocks *blocks, const float x[3])
{
    int32_t c[3];
    for (int k = 0; k < 3; k++) {
        float along = x[k] / blocks->cell; /* positions are checked: at most SL_GRID_REACH */
        c[k] = (int32_t)along - ((float)(int32_t)along > along);
    }
    return (SlBlockCoord){c[0], c[1], c[2]};
}

/* Finds the blocks whose cells the surface can cross, and which particles matter to them. */
bool surface_blocks_find(SlContext *context, const SurfaceLattice *lattice,
                         const SurfaceSettings *settings, const SlFieldView *position,
                         SurfaceBlocks *blocks);
void surface_blocks_free(SurfaceBlocks *blocks);

/* --- points.c ------------------------------------------------------------------------------- */

/* q² = (x − c)ᵀ A (x − c); the kernel is amplitude (1 − q²)³ where q < 1. */
typedef struct SurfaceKernel {
    float center[3];
    float a[6];       /* xx, yy, zz, xy, xz, yz */
    float amplitude;  /* 0: reaches no field */
    float extent[3];  /* m: half the edges of its bounding box */
    float fullness;   /* weighted count of neighbours over that deep inside */
} SurfaceKernel;

typedef struct SurfacePoints {
    SlCellGrid grid; /* cells half as wide as the vicinity's radius */
    size_t count;
    float (*sorted)[4]; /* in the grid's order; [3]: fullness; below 0: an image */
    float (*velocities)[4];
    SurfaceKernel *kernels; /* in the grid's order */
} SurfacePoints;

SlStatus surface_points_collect(SlContext *context, const SurfaceLattice *lattice,
                                const SurfaceSettings *settings, const SlSystemView *system,
                                const SurfaceBlocks *blocks, SurfacePoints *points);

/* --- field.c -------------------------------------------------------------------------------- */

bool surface_field_compute(SlContext *context, const SurfaceLattice *lattice,
                           const SurfaceSettings *settings, const SurfacePoints *points,
                           SurfaceBlocks *blocks);

/* --- cubes.c -------------------------------------------------------------------------------- */

/* Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2); edge 4 axis + k joins the k-th corner pair
   along the axis. */
enum { SURFACE_MAX_TRIANGLES = 10 };
typedef struct SurfaceCase {
    uint8_t triangle_count;
    uint8_t edges[SURFACE_MAX_TRIANGLES][3]; /* counter-clockwise from the air */
} SurfaceCase;

/* [256], by the bits of the corners inside. */
void surface_cubes_derive(SurfaceCase cases[256]);
/* The lower corner of an edge; its axis is edge / 4. */
uint32_t surface_edge_corner(uint32_t edge);

/* --- extract.c, around.c, smooth.c, components.c ------------------------------------------------------ */

enum { SURFACE_IN_WALL = 8 };
typedef struct SurfaceMesh {
    uint32_t vertex_count, triangle_count;
    float *positions, *normals, *velocities; /* 3 per vertex */
    uint32_t *triangles;                     /* 3 per triangle */
    uint8_t *fixed; /* per vertex, bit k: lies at a wall across axis k and keeps that coordinate;
                       SURFACE_IN_WALL: on the wall's face, not on the water line above it */
} SurfaceMesh;

/* The mesh's arrays are on `arena`, `fixed` on the context's. False: no memory, or 2^31 or more vertices
   or triangles. */
bool surface_extract(SlContext *context, SlArena *arena, const SurfaceLattice *lattice,
                     const SurfaceSettings *settings, const SurfaceBlocks *blocks,
                     SurfaceMesh *mesh);
/* Removes closed pieces, and voids, of a smaller volume than that (m³). */
bool surface_remove_small(SlContext *context, float min_volume, SurfaceMesh *mesh);

/* In a closed manifold mesh the half-edges that begin at a vertex lead to each of its neighbours once. */
typedef struct SurfaceAround {
    uint32_t *first;      /* [vertices + 1] */
    uint32_t *half_edges; /* place in `triangles` of where each begins, in rising order */
    uint32_t *neighbours; /* as `first` says; those that smoothing follows */
    uint32_t *followed;   /* per vertex: how many these are */
} SurfaceAround;

bool surface_around_find(SlContext *context, const SurfaceMesh *mesh, SurfaceAround *around);
void surface_normals(SlContext *context, const SurfaceMesh *mesh, const SurfaceAround *around);
void surface_join_rims(SlContext *context, const SurfaceMesh *mesh, const SurfaceAround *around);

/* Velocities, smoothing, normals. */
bool surface_smooth(SlContext *context, const SurfaceSettings *settings,
                    const SurfacePoints *points, SurfaceMesh *mesh);

#endif

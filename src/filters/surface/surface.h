/* The water surface: what the files of this folder share. In the order of a frame:

   solids.c    colliders: images of particles inside them, and where they cut the field
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
    float sink;            /* how far the mesh continues behind walls and into colliders */
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
    float end[2][3];         /* m: planes at which the mesh ends, `sink` behind the walls */
} SurfaceLattice;

void surface_lattice_fit(SlBox domain, float cell, float sink, SurfaceLattice *lattice);

static inline float surface_node(const SurfaceLattice *lattice, int axis, int32_t index)
{
    return lattice->origin[axis] + (float)index * lattice->cell[axis];
}

/* --- solids.c ------------------------------------------------------------------------------- */

/* Spacings: the mesh goes this far into a collider in any case, so that differences between the two meshes
   of a curved surface are hidden. */
#define SURFACE_SOLID_OVERLAP 0.1f
enum {
    SURFACE_SOLID_IMAGES = 2,     /* of one particle, at most */
    SURFACE_PARTICLE_CHUNK = 4096 /* of the loops over particles and their images */
};

typedef struct SurfaceSolid SurfaceSolid;
typedef struct SurfaceSolidImage {
    uint32_t particle;
    float x[3], normal[3]; /* normal: of the plane it was mirrored at */
} SurfaceSolidImage;

typedef struct SurfaceSolids {
    SurfaceSolid *items; /* colliders that particles are near to */
    size_t count;
    float sink;     /* m */
    double seconds; /* that making them took */
    SurfaceSolidImage *images; /* in the order of particles */
    size_t *chunk_first;       /* [chunks + 1]: the first image of SURFACE_PARTICLE_CHUNK particles */
} SurfaceSolids;

/* SL_ERROR_ARGUMENT for a mesh that has no distance field. Free it also after an error. */
SlStatus surface_solids_make(SlContext *context, const SurfaceSettings *settings,
                             const SlFrameView *frame, const SlFieldView *position,
                             SurfaceSolids *solids, SlError *error);
void surface_solids_free(SurfaceSolids *solids);
/* Finds `images`. */
bool surface_solids_mirror(SlContext *context, const SurfaceSettings *settings,
                           const SlFieldView *position, SurfaceSolids *solids);
/* Negative inside; at most `reach`. `normal` (may be NULL) is set where it is less than that. */
float surface_solids_distance(const SurfaceSolids *solids, const float x[3], float reach,
                              float normal[3]);

/* The nodes of a block, and a bit for each at which a solid and not the field decides. */
typedef struct SurfaceCut {
    float *values;
    uint64_t *bits; /* SURFACE_CUT_WORDS */
} SurfaceCut;
enum { SURFACE_CUT_WORDS = 8 };
void surface_solids_cut(const SurfaceSolids *solids, const SurfaceLattice *lattice, float iso,
                        const float first[3], SurfaceCut *cut);

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

enum { SURFACE_FAR, SURFACE_NEAR, SURFACE_REACHING, SURFACE_INSIDE }; /* `levels` */

/* Blocks without a field: all their nodes are 1, or 0. */
#define SURFACE_DEEP UINT32_MAX
#define SURFACE_AIR (UINT32_MAX - 1)

typedef struct SurfaceBlocks {
    SurfaceSet cells; /* coarse cells that hold particles or images */
    uint32_t *counts; /* per coarse cell: particles */
    uint32_t counts_room;
    uint8_t *levels;  /* per coarse cell: INSIDE: as REACHING, with full cells all around it;
                         REACHING: its particles may reach a block with a field;
                         NEAR: they are neighbours of such, or near a wall's surface; else FAR */
    float cell; /* m: edge of a coarse cell */

    SurfaceSet set;     /* blocks */
    uint32_t *field_of; /* per block: its field's place, SURFACE_DEEP or SURFACE_AIR */
    uint32_t field_count;
    float *fields; /* SURFACE_BLOCK_NODES each; node (x, y, z) at x + 8 (y + 8 z) */
    uint64_t *cut_bits; /* SURFACE_CUT_WORDS per field; NULL: no solids */
} SurfaceBlocks;

/* A position and its images behind walls and in solids, the position first. */
enum { SURFACE_MAX_IMAGES = 27 * (1 + SURFACE_SOLID_IMAGES) };
typedef struct SurfaceImages {
    float x[SURFACE_MAX_IMAGES][3];
    uint8_t flips[SURFACE_MAX_IMAGES];   /* bit k: mirrored along axis k */
    uint32_t solid[SURFACE_MAX_IMAGES];  /* place of the solid's image it comes from; UINT32_MAX: none */
    int count;
} SurfaceImages;

/* `next`: the place of the first solid image of this particle or a later one; moved past its own. */
void surface_images(const SurfaceLattice *lattice, const SurfaceSolids *solids, uint32_t particle,
                    const float x[3], float depth, size_t *next, SurfaceImages *images);

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
                         const SurfaceSettings *settings, const SurfaceSolids *solids,
                         const SlFieldView *position, SurfaceBlocks *blocks);
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
                                const SurfaceSettings *settings, const SurfaceSolids *solids,
                                const SlSystemView *system, const SurfaceBlocks *blocks,
                                SurfacePoints *points);

/* --- field.c -------------------------------------------------------------------------------- */

bool surface_field_compute(SlContext *context, const SurfaceLattice *lattice,
                           const SurfaceSettings *settings, const SurfaceSolids *solids,
                           const SurfacePoints *points, SurfaceBlocks *blocks);

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

enum {
    SURFACE_FIXED = 7,
    SURFACE_IN_WALL = 8,
    SURFACE_IN_SOLID = 16, /* on a collider's face; then also IN_WALL and FIXED */
    SURFACE_CONTACT = 32   /* on the water line at a collider */
};
typedef struct SurfaceMesh {
    uint32_t vertex_count, triangle_count;
    float *positions, *normals, *velocities; /* 3 per vertex */
    uint32_t *triangles;                     /* 3 per triangle */
    uint8_t *fixed; /* per vertex, bit k: lies at a wall across axis k and keeps that coordinate;
                       SURFACE_IN_WALL: on the wall's face, not on the water line above it; … */
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
bool surface_smooth(SlContext *context, const SurfaceLattice *lattice,
                    const SurfaceSettings *settings, const SurfaceSolids *solids,
                    const SurfacePoints *points, SurfaceMesh *mesh);

#endif

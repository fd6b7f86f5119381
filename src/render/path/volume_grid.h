/* The inside of a snow volume: a sparse grid in three levels. Cells hold densities at their corners;
   8 x 8 x 8 cells are a super-voxel with the nodes of all its corners (those on shared faces are
   stored in both) and their maximum; 2 x 2 x 2 of these cells are a block, which has a majorant;
   8 x 8 x 8 super-voxels are a region, found by a hash of its coordinates. A ray walks from region to
   region, inside one from super-voxel to super-voxel, inside that from block to block. Memory follows
   the snow.

   Coordinates count from the corner of the grid, `origin`, which lies on a lattice fixed in space:
   snow that does not move is rasterised the same in every frame, whatever else moves. */
#ifndef RENDER_PATH_VOLUME_GRID_H
#define RENDER_PATH_VOLUME_GRID_H

#include "render/path/volume.h"
#include "spatial/block_grid.h"

enum {
    SL_VOXEL_CELLS = 8,                    /* along an edge of a super-voxel */
    SL_VOXEL_NODES = SL_VOXEL_CELLS + 1,
    SL_VOXEL_STRIDE = 736,                 /* values from one super-voxel to the next; 9³ are used */
    SL_VOXEL_OWN = 512,                    /* nodes that no super-voxel below it has: 8³ */
    SL_VOXEL_BINS = 8,                     /* velocities of a super-voxel: one for 4³ of its own nodes */
    SL_VOXEL_BLOCKS = 4,                   /* along an edge of a super-voxel */
    SL_BLOCK_TABLE = 64,                   /* 4³ */
    SL_BLOCK_FULL = 255,                   /* all nodes of the block are at the super-voxel's maximum */
    SL_REGION_VOXELS = 8,                  /* along an edge of a region */
    SL_REGION_TABLE = 512,
    SL_VOLUME_LIMIT = 1 << 20              /* super-voxels along an axis */
};
#define SL_NO_VOXEL UINT32_MAX
#define SL_VOXEL_UNIT 65535.0f             /* value of a node at its super-voxel's maximum */
/* A step of SlVolume.blocks in units of node values: 254 steps are above all of them. */
#define SL_BLOCK_UNIT 259
_Static_assert(254 * SL_BLOCK_UNIT >= 65535, "the largest level bounds every node");

/* A point of snow, in cells from the grid's origin. */
typedef struct SlSnowPoint {
    float at[3];
    float width;  /* node distance of its kernel */
    float amount; /* density at a node is amount × the kernel's weights along the three axes */
    uint32_t particle; /* of the view that it belongs to */
} SlSnowPoint;

/* Points sorted by the super-voxel they are in, by z, y, x. */
typedef struct SlSnowPoints {
    SlSnowPoint *point;
    uint32_t count;
    uint32_t home_count;
    SlBlockCoord *home; /* super-voxels with points; in the arena, as `start` */
    uint32_t *start;    /* [home_count + 1] */
    double origin[3];   /* m: corner of the grid */
    int32_t size[3];    /* super-voxels */
    float cell;         /* m */
    SlFieldView velocity; /* of particles; data NULL: not known */
} SlSnowPoints;

struct SlVolume {
    SlContext *context;
    SlVolumeSettings settings;
    SlVec3 origin;
    float cell, voxel, per_voxel; /* m; m, 8 cells; 1/m */
    int32_t size[3];              /* super-voxels; the grid's corner is at 0 */
    SlBox bounds;
    uint32_t voxel_count, region_count, table_size;
    uint16_t *nodes;       /* SL_VOXEL_STRIDE per super-voxel; node (x, y, z) at x + 9 (y + 9 z) */
    float *maximum;        /* of a super-voxel, relative extinction */
    uint8_t *blocks;       /* SL_BLOCK_TABLE per super-voxel, x fastest: bound of the nodes of a block in units of
                              SL_BLOCK_UNIT, 0: no snow; or SL_BLOCK_FULL */
    float *velocity;       /* m/s, 3 SL_VOXEL_BINS per super-voxel; NULL: none */
    float global_maximum;  /* of all */
    SlBlockCoord *regions; /* ascending by z, y, x */
    uint32_t *table;       /* hash of a region → region, as in SlBlockGrid */
    uint32_t *voxels;      /* SL_REGION_TABLE per region: super-voxel or SL_NO_VOXEL */
    float extinction[2];   /* 1/m: of the first scatterings, of the later ones */
    SlVec3 albedo[2];
    float g[2];
};

/* Values of own nodes (8³ per super-voxel, x fastest) before they are packed. */
typedef struct SlVoxelValues {
    const SlBlockCoord *coords; /* ascending by z, y, x */
    uint32_t count;
    float *own;                 /* SL_VOXEL_OWN per super-voxel */
    float *velocity;            /* 3 SL_VOXEL_BINS per super-voxel; NULL: none */
} SlVoxelValues;

/* Weight of a kernel at distance t in node distances, and how far it reaches. */
static inline float sl_volume_weight(SlVolumeKernel kernel, float t)
{
    t = fabsf(t);
    if (kernel == SL_VOLUME_SIMULATION) /* cubic B-spline */
        return t < 1 ? (0.5f * t - 1) * t * t + 2.0f / 3 : t < 2 ? (2 - t) * (2 - t) * (2 - t) / 6 : 0;
    return t < 0.5f ? 0.75f - t * t : t < 1.5f ? 0.5f * (1.5f - t) * (1.5f - t) : 0;
}

static inline float sl_volume_reach(SlVolumeKernel kernel)
{
    return kernel == SL_VOLUME_SIMULATION ? 2.0f : 1.5f;
}

/* (int)floorf and (int)ceilf, which are calls. */
static inline int sl_round_down(float x)
{
    int i = (int)x;
    return i - ((float)i > x);
}

static inline int sl_round_up(float x)
{
    int i = (int)x;
    return i + ((float)i < x);
}

/* Velocity of a particle (m/s); 0 where it is not finite or the field has none. */
SlVec3 sl_volume_particle_velocity(const SlFieldView *velocity, size_t particle);
/* The spacing of the particles that were simulated, before the filter upsample: of cells and kernels. */
float sl_volume_spacing(const SlSystemView *system);
/* Points of all particles, from the context's arena. */
SlStatus sl_volume_points(SlContext *context, const SlSystemView *system,
                          const SlVolumeSettings *settings, SlSnowPoints *points, SlError *error);
/* Rasterises them; the values are in the arena. */
SlStatus sl_volume_raster(SlContext *context, const SlSnowPoints *points,
                          const SlVolumeSettings *settings, SlVoxelValues *values, SlError *error);
/* Fills the grid's arrays; super-voxels whose nodes are all 0 are dropped. */
SlStatus sl_volume_pack(SlVolume *volume, const SlVoxelValues *values, SlError *error);

/* The region's number, or SL_NO_BLOCK. */
static inline uint32_t sl_volume_region(const SlVolume *volume, SlBlockCoord c)
{
    uint32_t mask = volume->table_size - 1;
    for (uint32_t at = sl_block_hash(c) & mask;; at = (at + 1) & mask) {
        uint32_t region = volume->table[at];
        if (region == SL_NO_BLOCK)
            return region;
        SlBlockCoord found = volume->regions[region];
        if (found.x == c.x && found.y == c.y && found.z == c.z)
            return region;
    }
}

/* Place of a super-voxel in its region's table. */
static inline uint32_t sl_region_place(const int32_t voxel[3])
{
    const int32_t mask = SL_REGION_VOXELS - 1;
    return (uint32_t)((voxel[0] & mask) + 8 * ((voxel[1] & mask) + 8 * (voxel[2] & mask)));
}

/* Which of the volume's extinctions, albedos and g a path of that order meets. 1: it is one of many
   scatterings, which the similarity relation describes. */
static inline int sl_volume_phase_set(const SlVolume *volume, uint32_t order)
{
    return volume->settings.similarity > 0 && order >= volume->settings.similarity;
}

/* The super-voxel's number, or SL_NO_VOXEL. */
static inline uint32_t sl_volume_voxel(const SlVolume *volume, const int32_t voxel[3])
{
    uint32_t region =
        sl_volume_region(volume, (SlBlockCoord){voxel[0] >> 3, voxel[1] >> 3, voxel[2] >> 3});
    return region == SL_NO_BLOCK ? SL_NO_VOXEL
                                 : volume->voxels[region * (size_t)SL_REGION_TABLE + sl_region_place(voxel)];
}

#endif

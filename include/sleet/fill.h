/* Sleet: filling the inside of meshes and shapes with particles. */
#ifndef SLEET_FILL_H
#define SLEET_FILL_H

#include "sleet/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SlFillMode {
    SL_FILL_LATTICE, /* for fluids: a cubic lattice, spacing apart, half a spacing inside; where the
                        solver relaxes it at the start, as many particles as the volume holds */
    SL_FILL_RANDOM   /* for snow: so many per cell, each at random in a part of it of its own */
} SlFillMode;

/* Gives each particle a `variation` in [-1, 1]: the sum of the parts below, limited to that range;
   smooth + grain may be at most 1. Where chunks, shell, crust, offset, smooth and grain are all 0 (the
   default) particles have no field "variation". */
typedef struct SlNoise {
    float chunks;     /* m: size of chunks, up to 1 inside and -1 in the seams between them */
    float seams;      /* m: width of those seams; 0, the default, is a fifth of the chunks' size */
    float shell;      /* m: 1 so deep below the surface, as of a snowball pressed by hand */
    float crust;      /* m: 1 so deep below the top only, as of snow that thawed and froze */
    float offset;     /* the same for all particles, so that one fill is stronger than another, [-1, 1] */
    float smooth;     /* fraction of noise that changes slowly in space, [0, 1] */
    float grain;      /* fraction that is each particle's own, [0, 1] */
    float size;       /* m: of the smooth noise's largest features; default 0.5 */
    uint32_t octaves; /* of smooth noise, each half as large and as strong, [1, 8]; default 3 */
} SlNoise;

/* No particle is placed inside colliders (where they are at the start), walls of the domain, blocks and
   earlier fills, nor too close to them; the log says how many were left out. All lattice fills of a
   system use one lattice, that of its first block or else of its first fill: they may touch or
   overlap, and particles are still a spacing apart. Where the solver relaxes lattice fills, a fill
   has as many particles as its volume without those obstacles is cubes of the spacing. */
typedef struct SlFillDef {
    uint32_t cookie, size; /* set by sl_default_fill_def */
    SlFillMode mode;
    /* What is filled, exactly one of: the mesh in a file (OBJ, PLY or STL) … */
    const char *path;
    /* … a mesh given as arrays, which are copied … */
    const float *vertices; /* x, y, z each; default NULL */
    size_t vertex_count;
    const uint32_t *triangles; /* three vertices each, counter-clockwise from outside */
    size_t triangle_count;
    float scale;     /* of a mesh: metres per unit; default 1 */
    SlVec3 rotation; /* rad: axis × angle, about the origin of the mesh */
    SlVec3 position; /* m: where the origin of the mesh goes */
    bool allow_open; /* fill a mesh with holes too, inside by winding number; default: refuse */
    const char *cache_folder; /* where distance fields are kept from run to run; NULL: nowhere */
    /* … or the union of these shapes, no plane among them; copied. */
    const SlShape *shapes;
    size_t shape_count; /* [1, 16] */
    float blend;        /* m: over which they flow into each other; default 0 */
    SlVec3 velocity;    /* m/s */
    SlVec3 spin;        /* rad/s: angular velocity about the mean position of its particles */
    uint32_t fluid;     /* which of the system's fluids; default 0, its own */
    /* Random only: particles in each cell inside, and the cell's width. */
    uint32_t per_cell; /* [1, 64]; default 8 */
    double cell;       /* m; 0 (default): two spacings */
    SlNoise noise;
} SlFillDef;

/* How well a fill's particles represent what it fills. */
typedef struct SlFillReport {
    double volume;          /* m³ of the mesh or shapes, obstacles included */
    uint64_t particles;     /* placed in it */
    double particle_volume; /* m³ of these: particles × spacing³ */
} SlFillReport;

SL_API SlFillDef sl_default_fill_def(void);

#ifdef __cplusplus
}
#endif
#endif

/* upsample: each particle of snow as several points, which move with their fragment.

   Point k of particle p rests at an offset r_k from it, by a hash of the particle's id. From frame to
   frame the neighbours of p that move with it tell an affine motion A, fitted by weighted least squares
   as in [Müller 2004] (affine.c), and the deformation of the particle's points follows it:

     F' = A F,   x_k = x_p + F' r_k

   with the stretches of F' kept within limits. deform.c finds the particles again by their ids and the
   neighbours in the frame before; upsample.c reads and makes frames. The state is the last output: its
   offsets F r_k, and the ids and places of the particles. */
#ifndef FILTERS_UPSAMPLE_UPSAMPLE_H
#define FILTERS_UPSAMPLE_UPSAMPLE_H

#include "core/context.h"
#include "frame/view.h"

/* Points per particle; fewer than four do not span a deformation. */
enum { UPSAMPLE_MIN_POINTS = 4, UPSAMPLE_MAX_POINTS = 64 };

/* Points per particle of a system that this filter made; 0: it is another's. Point k of its i-th particle is
   at i × points + k. */
uint32_t sl_upsample_points(const SlSystemView *system);

/* Where point k of particle `id` rests, in units of the reach: -1 … 1 along each axis. The path tracer's
   copies of particles that were not upsampled are at the same places. */
static inline void sl_upsample_rest(uint32_t id, uint32_t k, float rest[3])
{
    /* the finaliser of splitmix64 */
    uint64_t x = ((uint64_t)id << 8 | k) + 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    for (int a = 0; a < 3; a++)
        rest[a] = 2 * ((float)((x >> (21 * a)) & 0x1fffff) * 0x1p-21f) - 1;
}

/* --- One fit (affine.c). Matrices are 3 × 3 in rows. --- */

enum { UPSAMPLE_BEFORE, UPSAMPLE_AFTER, UPSAMPLE_VELOCITY };
/* A neighbour relative to the particle: where it was and is, in spacings, and its velocity. */
typedef struct UpsampleBond {
    double vector[3][3]; /* UPSAMPLE_BEFORE, … */
    double nearness;     /* weight by distance, above 0 */
    double weight;       /* set by the fit */
} UpsampleBond;

typedef struct UpsampleMotion {
    double affine[9]; /* A */
    double slope[9];  /* change of velocity along x, y, z: spacings/s per spacing */
} UpsampleMotion;

/* M = U diag(s) Vᵀ with U and V rotations; the last of s is the smallest and may be negative. */
void upsample_svd(const double m[9], double u[9], double s[3], double v[9]);
/* The motion of the neighbours that move with the particle; a translation where they are too few. */
UpsampleMotion upsample_fit(UpsampleBond *bonds, size_t count);
/* F from offsets: offset_k = F rest_k by least squares; a rotation along directions without points. */
void upsample_deformation(const float (*rest)[3], const float (*offset)[3], size_t count, double f[9]);
/* Keeps the stretches of F within limits. */
void upsample_limit(double f[9]);

/* --- A system from frame to frame (deform.c). --- */

/* What is made: arrays of points × particle_count; positions and the like have 3 floats each. */
typedef struct UpsampleArrays {
    uint32_t *id, *particle;
    float *position, *velocity, *offset; /* m, m/s, m; velocity NULL: the particles have none */
} UpsampleArrays;

typedef struct UpsampleJob {
    SlContext *context;
    const SlSystemView *system; /* of this frame */
    SlFieldView id, position, velocity;
    const SlSystemView *last; /* what was made of it in the frame before; NULL: nothing */
    uint32_t points;
    float reach; /* m: of rest places */
    UpsampleArrays made;
} UpsampleJob;

/* Fills job->made. Scratch is taken from the context's arena and stays there. SL_ERROR_MEMORY without a
   message. Ids must be unique, positions finite. */
SlStatus upsample_deform(const UpsampleJob *job);

static inline const float *upsample_vector(const SlFieldView *field, size_t i)
{
    return (const float *)(const void *)((const char *)field->data + i * field->stride);
}

static inline uint32_t upsample_number(const SlFieldView *field, size_t i)
{
    return *(const uint32_t *)(const void *)((const char *)field->data + i * field->stride);
}

#endif

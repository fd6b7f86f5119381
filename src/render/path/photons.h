/* A photon map [Jensen 1996] of the sunlight that clear surfaces bend or mirror onto other surfaces:
   caustics. */
#ifndef RENDER_PATH_PHOTONS_H
#define RENDER_PATH_PHOTONS_H

#include "render/path/scene.h"

struct SlPhotonMap {
    SlArena arena;
    SlPool *pool;
    bool made;
    size_t count;      /* stored */
    float *place;      /* 3 each, in the order of cells */
    float *normal;     /* 3 each: of the surface */
    float *power;      /* 3 each: W */
    uint32_t *start;   /* by cell of a hash table: 2^bits + 1 */
    uint32_t bits;
    float radius;      /* m, of the density estimate */
};

void sl_photons_init(SlPhotonMap *map, SlContext *context);
void sl_photons_free(SlPhotonMap *map);
/* Sends `count` photons from the sun; those of an earlier call are gone. */
SlStatus sl_photons_shoot(SlPhotonMap *map, const SlPathScene *scene, size_t count, uint32_t seed,
                          SlError *error);
/* Irradiance (light through 1 m²) at a point of a surface with that normal. */
SlVec3 sl_photons_irradiance(const SlPhotonMap *map, SlVec3 position, SlVec3 normal);

/* A clear boundary: what becomes of a ray there. */
typedef struct SlInterface {
    bool passed;    /* nothing changes: another material counts on both sides */
    float reflected; /* fraction of light that is mirrored */
    float scale;    /* of radiance that is refracted: square of the indices' ratio */
    SlVec3 mirror, refracted; /* unit directions; refracted only where reflected < 1 */
    SlMedia beyond; /* behind the boundary */
} SlInterface;
SlInterface sl_interface(const SlPathScene *scene, const SlMedia *media, const SlSurface *surface,
                         SlVec3 direction);

#endif

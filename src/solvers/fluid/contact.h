/* Contacts of particles with bodies, on positions: a particle is kept wall_distance (plus a jitter
   by its id) from every surface, and friction reduces its tangential displacement by at most
   friction × penetration [Macklin 2014]. */
#ifndef SOLVERS_FLUID_CONTACT_H
#define SOLVERS_FLUID_CONTACT_H

#include "solvers/solver.h"

/* Sums of a loop over one body; see SlFluidPass.forces. */
enum { SL_FORCE_LANES = 6 }; /* sum of displacements, and of arm × displacement */

typedef struct SlContacts {
    SlSurroundings around;
    const SlVec3 *centers; /* m, one per body: what torques are about */
    bool tally_domain;     /* the domain's walls are a body too */
    float dt;              /* s: how long moving surfaces move */
    float distance;        /* m: nearest a particle's centre comes to a surface */
    float jitter;          /* m: plus up to this, by a hash of the id; 0 makes corners explode */
} SlContacts;

/* In [0, 1), fixed for an id: its fraction of the jitter. The scalar form of contact_fraction. */
static inline float sl_contact_fraction(uint32_t id)
{
    uint32_t h = id * 0x9E3779B1u;
    h ^= h >> 15;
    h *= 0x85EBCA77u;
    h ^= h >> 13;
    return (float)(h >> 8) * 0x1p-24f;
}

#endif

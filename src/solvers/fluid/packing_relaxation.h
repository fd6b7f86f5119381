/* One set of particles that is relaxed into a packing: a filled region, or the periodic tile that
   large regions begin with. For packing*.c only. */
#ifndef SOLVERS_FLUID_PACKING_RELAXATION_H
#define SOLVERS_FLUID_PACKING_RELAXATION_H

#include "solvers/fluid/packing.h"
#include "solvers/fluid/packing_kernels.h"

/* Images of a tile's particles around it: places in the sorted order and what is added to the
   source's position. */
typedef struct SlPackingGhosts {
    size_t count;
    uint32_t *place, *source;
    float (*shift)[3];
} SlPackingGhosts;

typedef struct SlRelaxation {
    SlSystem *system;
    const SlFilledRegion *region; /* NULL: a tile */
    SlParticles set; /* ID; PREDICTED: the position; REFERENCE: the one before; PRESSURE: multiplier */
    SlCellGrid grid;
    SlNeighbourList list;
    SlArena arena;
    SlPackingPass pass;
    SlPackingGhosts ghosts; /* of a tile */
    uint8_t analytic[SL_MAX_BODIES];
    double mean, max; /* of C, and of |C - excess|, in the last iteration */
    double inner, gradient; /* SL_PACKING_INNER and SL_PACKING_GRADIENT */
} SlRelaxation;

/* The three phases. */
typedef struct SlPackingSchedule {
    uint32_t spreading;  /* iterations while the pressure falls */
    uint32_t balancing;  /* number of the iteration until which multipliers are accumulated */
    uint32_t limit;      /* number of all iterations */
    float momentum;      /* while multipliers are accumulated */
    float last_momentum; /* while only densities are corrected */
} SlPackingSchedule;

/* What lists reach, m. */
double sl_packing_reach(const SlSystem *system);
/* The region's container, or none for a tile; `count` particles, ghosts included. The arrays of the
   set are zero. */
SlStatus sl_relaxation_create(SlRelaxation *r, size_t count, SlBox bounds, SlError *error);
void sl_relaxation_destroy(SlRelaxation *r);
/* Sorts, lists, and pushes the arrays, whose order follows the particles'. */
SlStatus sl_relaxation_list(SlRelaxation *r, SlError *error);
/* Iteration k of the schedule. */
void sl_relaxation_iterate(SlRelaxation *r, const SlPackingSchedule *schedule, uint32_t k);
/* Whether iteration k is to be done, and whether it needs new lists. */
bool sl_relaxation_continues(const SlRelaxation *r, const SlPackingSchedule *schedule, uint32_t k);
bool sl_relaxation_lists(uint32_t k);
/* Sets `inner` and `gradient`. */
void sl_relaxation_measure(SlRelaxation *r);
/* A position displaced by chance, by at most `reach` along each axis. */
void sl_packing_jitter(const SlSystem *system, uint64_t number, double reach, float position[3]);

/* What a periodic tile of the lattice relaxed to. */
enum { SL_TILE_SIDE = 16, SL_TILE_SITES = SL_TILE_SIDE * SL_TILE_SIDE * SL_TILE_SIDE };
typedef struct SlPackingTile {
    float (*move)[3];  /* per site, x fastest: displacement from the lattice, m */
    float *multiplier; /* per site */
} SlPackingTile;

/* Relaxes the tile; its arrays are pushed on the arena. */
SlStatus sl_packing_tile(SlSystem *system, SlArena *arena, SlPackingTile *tile, SlError *error);

#endif

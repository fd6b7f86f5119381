/* Position based fluids with accumulated multipliers (docs/pbf-formulation.md, "The default formulation").

   The multiplier of a density constraint is accumulated over the iterations of a step, L >= 0 as a
   total, and remembered between steps as a pressure, M = p / rho. The multiplier per iteration of
   [Macklin 2013] is clamped by itself instead, which forgets all pressure in every iteration: a deep
   tank sinks until the constraints of one step happen to carry it. */
#ifndef SOLVERS_PBF_MULTIPLIERS_H
#define SOLVERS_PBF_MULTIPLIERS_H

#include "solvers/fluid/fluid.h"
#include "solvers/pbf/multiplier_kernels.h"

/* Parameters of the formulation. */
typedef struct SlMultiplierSettings {
    uint32_t iterations;
    double damping;           /* epsilon over S0 */
    double repulsion;         /* strength */
    double repulsion_distance; /* spacings */
    double memory;            /* the largest kappa */
} SlMultiplierSettings;

/* Constants and arrays of a step of dt s, pushed on the system's arena; `fluid` is prepared, and gets
   shifts and the factors of solids. */
SlStatus sl_multipliers_prepare(SlSystem *system, const SlMultiplierSettings *settings, double dt,
                                SlFluidPass *fluid, SlMultiplierPass *pass, SlError *error);
/* All iterations of a step, after sort and neighbour list. */
void sl_multipliers_iterate(const SlSystem *system, const SlMultiplierSettings *settings,
                            SlMultiplierPass *pass);
/* Friction of solids, and the pressure that is remembered. */
void sl_multipliers_friction(const SlSystem *system, const SlMultiplierPass *pass);
void sl_multipliers_remember(const SlSystem *system, const SlMultiplierPass *pass);

/* One iteration, counted from 1; 0: displacement by the remembered pressure. For tests. */
void sl_multipliers_update(const SlSystem *system, const SlMultiplierPass *pass);
void sl_multipliers_displace(const SlSystem *system, const SlMultiplierPass *pass,
                             uint32_t iteration);

#endif

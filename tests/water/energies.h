/* Every water scene without moving bodies and emitters but scenes/papers/apbf, fixed counts removed, at
   twice the spacing, for 3 s, at 24, 60 and 240 frames per second: kinetic + potential energy never
   rises by more than 0.1 % of the largest fall of the potential so far, or 1e-4 m g d a particle. */
#ifndef TESTS_WATER_ENERGIES_H
#define TESTS_WATER_ENERGIES_H

#include "water/expect.h"

static const char *const scenes[] = {
    "dam_break.json",
    "dam_break_small.json",
    "honey.json",
    "obstacles.json",
    "oil_and_water.json",
    "squirrel.json",
    "squirrel_drop.json",
    "papers/chebyshev/dam_30k.json",
    "papers/chebyshev/dam_88k.json",
    "papers/chebyshev/double_dam_128k.json",
    "papers/chebyshev/squirrel_298k.json",
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static inline void energy_of(const char *solver, int fps)
{
    for (int k = 0; k < SCENES; k++) {
        WaterResult r;
        water_expect_run(&r, "energy scene=scenes/%s solver=%s fps=%d factor=2", scenes[k], solver, fps);
        water_expect(&r, "excess", 0, 1);
        print_message("      rise %.3g of the fall, %.3g m g d at %.3g s; excess from 0.1 s on %.3g\n",
                      water_figure(&r, "rise_of_fall"), water_figure(&r, "rise_mgd"),
                      water_figure(&r, "rise_time"), water_figure(&r, "late_excess"));
    }
    water_expect_all();
}

#endif

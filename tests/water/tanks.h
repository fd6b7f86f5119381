/* Tanks at rest for 10 s, for the tests of each solver. Level within 0.4 %, force on the floor within
   1 % of the weight, rms speed below 0.01 sqrt(g d). */
#ifndef TESTS_WATER_TANKS_H
#define TESTS_WATER_TANKS_H

#include "water/expect.h"

static inline void tank_holds(const char *solver, const char *boundary, int depth, int base, double time)
{
    static const double spacings[] = {0.1, 0.02};
    for (int k = 0; k < 2; k++) {
        WaterResult r;
        water_expect_run(&r, "tank solver=%s boundary=%s d=%g depth=%d base=%d time=%g threads=1",
                         solver, boundary, spacings[k], depth, base, time);
        water_expect(&r, "level", -0.004, 0.004);
        water_expect(&r, "surface", -0.004, 0.004);
        water_expect(&r, "force", 0.99, 1.01);
        water_expect(&r, "scatter", 0, 0.05);
        water_expect(&r, "rms", 0, 0.01);
    }
}

#endif

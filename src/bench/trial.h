/* Trials of a water solver: a scene run with other values of its parameters from the same states, for
   the benchmarks and for `sleet tune`. Parameters are changed between steps without a check: those
   changed here take no memory of their own and are read anew by every step. */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include <stdio.h>

#include "sleet/sleet.h"

enum { TRIAL_MAX_VALUES = 12 };

typedef struct TrialValue {
    const char *name; /* of a parameter; NULL ends a list */
    double value;     /* the number of a choice */
} TrialValue;

typedef struct TrialResult {
    uint32_t steps;
    double ms, solve_ms, iterations; /* mean per step */
    double compression, max_compression;
    double top_speed, energy_rise;   /* m/s; J, above the minimum so far */
    double energy_first, energy_last, potential_first, potential_last;
    uint64_t stops[SL_STOP_COUNT];
    bool failed; /* SL_ERROR_NUMBERS */
} TrialResult;

typedef struct Trial {
    SlWorld *world;
    TrialResult result; /* of the steps since trial_reset */
    double step_ms[512]; /* of the first of them */
    double min_energy;
    bool (*on_step)(void *user, const SlStepStats *stats); /* may be NULL */
    void *user;
} Trial;

/* Reads and starts the scene; `sets` change it, NULL or a list of set_count. */
SlStatus trial_open(SlContext *context, const char *path, const SlSceneOverride *sets, size_t set_count,
                    Trial *trial, SlError *error);
void trial_close(Trial *trial);
/* Changes parameters of the first system. */
void trial_set(Trial *trial, const TrialValue *values);
/* Copies particles and the solver's state rows from another trial. */
void trial_copy(Trial *to, const Trial *from);
void trial_reset(Trial *trial);
/* Steps of dt each. SL_ERROR_NUMBERS is a result (`failed`), not an error. */
SlStatus trial_steps(Trial *trial, double dt, uint32_t steps, SlError *error);
/* Particles more than two spacings outside the domain. */
uint64_t trial_outside(const Trial *trial);

#endif

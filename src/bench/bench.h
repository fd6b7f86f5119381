/* Benchmarks: measured numbers by name, compared with the limits of bench/limits.csv. A benchmark
   has no limit of its own. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>

#include "sleet/sleet.h"

enum { BENCH_MAX_RESULTS = 1024 };

typedef struct BenchResult {
    char name[96];
    double value;
    const char *unit;
} BenchResult;

typedef struct Bench {
    const char *name;
    bool quick;
    uint32_t threads; /* of the main measurements */
    /* of benchmarks with scenes */
    bool paper;          /* as many steps as the paper took */
    uint32_t executions; /* times everything is measured; at least 1 */
    const char *scene;   /* the only one to run; NULL: all */
    const char *folder;  /* for a table per scene; NULL: none */
    BenchResult results[BENCH_MAX_RESULTS];
    size_t result_count;
} Bench;

typedef struct BenchKind {
    const char *name, *summary;
    SlStatus (*run)(Bench *bench, SlError *error);
    bool has_scenes; /* takes --scene */
    bool has_paper;  /* and --paper, --executions and --output */
} BenchKind;

extern const BenchKind bench_passes, bench_render, bench_store, bench_fields, bench_apbf,
    bench_choices, bench_snow, bench_chebyshev;

/* All benchmarks. */
const BenchKind *const *bench_kinds(size_t *count);
/* Measures, prints, compares with the limits of bench/limits.csv; *missed counts those not kept. `json`:
   also writes a file; NULL: none. */
SlStatus bench_run(const BenchKind *kind, Bench *bench, const char *json, size_t *missed,
                   SlError *error);

/* The search of `sleet tune`. */
typedef struct BenchTuneDef {
    const SlSceneOverride *sets;
    size_t set_count;
    uint32_t before; /* steps before the search */
    uint32_t steps;  /* of each trial */
} BenchTuneDef;
/* The rho with the fewest iterations; prints each trial. */
SlStatus bench_tune(SlContext *context, const char *path, const BenchTuneDef *def, double *found,
                    SlError *error);

/* Keeps a value for the limits and the JSON, and prints it; or only keeps it, for tables. */
void bench_report(Bench *bench, double value, const char *unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void bench_keep(Bench *bench, double value, const char *unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Complete runs of snow: seconds per frame, explicit and semi-implicit. A part of bench_snow. */
SlStatus bench_snow_runs(Bench *bench, SlError *error);
/* Sorts and returns the first tenth: a busy machine can only add to a time, and this one is busy
   with others' work for seconds on end, which moves a median by half. */
double bench_low(double *values, size_t count);
/* Sorts and returns the middle. */
double bench_median(double *values, size_t count);
/* A dam break of side³ particles, half a second in (a tenth if quick), ready for one more step. */
SlStatus bench_dam(uint32_t threads, uint32_t side, const char *kernel, uint32_t steps,
                   SlWorld **world, SlError *error);
/* One sample of what bench passes measures on such a world: ns per particle of an iteration's two
   passes. */
SlStatus bench_pass_ns(SlWorld *world, double *ns, SlError *error);

/* Gives the world of a definition a context of its own with so many threads. */
SlStatus bench_own_context(SlWorldDef *def, uint32_t threads, SlError *error);

#endif

/* bench apbf in parts: scenes and their order (bench_apbf.c), runs from one developed state
   (bench_apbf_run.c), what a probe world sees and measures (bench_apbf_probe.c), and the words and
   tables made of it (bench_apbf_report.c). */
#ifndef BENCH_APBF_H
#define BENCH_APBF_H

#include "bench/bench.h"

/* The four of Table 1 of [Köster 2016], and the preset that is to meet the paper's frame time. All
   have the field of levels, so that all take one state; equal levels are position based fluids bit
   for bit. */
typedef enum ApbfKind {
    APBF_MIN,
    APBF_MAX,
    APBF_DTC,
    APBF_DTVS,
    APBF_PAPER_KINDS,
    APBF_REALTIME = APBF_PAPER_KINDS,
    APBF_KINDS
} ApbfKind;
extern const char *const apbf_kind_names[APBF_KINDS];

typedef struct ApbfScene {
    const char *name, *file;
    const char *realtime; /* the scene of the preset; NULL: none. With it comes bench passes. */
    uint32_t min_iterations, max_iterations;
    int gtx680_ms[APBF_PAPER_KINDS], hd7850_ms[APBF_PAPER_KINDS]; /* Table 1 */
} ApbfScene;

extern const ApbfScene *const apbf_dam;

/* Of one frame. */
typedef struct ApbfSample {
    double loop_ms, whole_ms; /* the solver's loop; all of the frame's steps, by the clock */
    double level;             /* mean over steps of the mean iterations of a particle */
    double density, density_p99; /* over particles: mean and 99th percentile, of the rest density */
    double energy;               /* J, at its end */
    double compression; /* mean, by the cubic kernel; -1: not measured in this frame */
    double pass_ns;     /* what bench passes found for an iteration next to this frame; 0: nothing */
} ApbfSample;

typedef struct ApbfRun {
    SlWorld *world;     /* NULL: not run */
    ApbfSample *sample; /* frames of all executions, one after the other */
    size_t count;
    /* J: the minimum so far, and the largest rise above it; minimum of the potential energy so far */
    double energy_min, energy_rise, potential_min;
    double first_potential; /* after the run's first step */
    uint64_t steps;         /* of all frames */
    uint64_t hits, low_hits; /* first hits looked at; those below the highest level */
    double drift;            /* momentum that nothing explains, over what gravity gave */
    ApbfSample now;          /* of the frame under way */
    uint32_t frame_steps;
} ApbfRun;

typedef struct ApbfMeasure {
    const ApbfScene *scene;
    SlContext *context;
    ApbfRun developed; /* stands at the state all runs begin with */
    ApbfRun run[APBF_KINDS];
    SlWorld *probe;
    SlWorld *passes; /* bench passes' own, beside the runs; NULL: none */
    uint8_t *seen;  /* by id: a first hit of the frame under way */
    size_t frames, executions, particles;
    uint32_t steps; /* of a frame, at the paper's settings */
    uint32_t threads;
} ApbfMeasure;

/* Develops the state for so many frames; then every run continues from it, `frames` each and
   `executions` times, a frame each in rotation. Memory and worlds are freed by apbf_free in any case. */
SlStatus apbf_measure(ApbfMeasure *measure, uint32_t develop, SlError *error);
void apbf_free(ApbfMeasure *measure);

/* What a kind sets in its scene, and the file it reads. */
typedef struct ApbfSetting {
    const char *file;
    char min[16], max[16]; /* the texts some of `sets` point at */
    SlSceneOverride sets[8];
    size_t count;
} ApbfSetting;
void apbf_setting_of(const ApbfScene *scene, ApbfKind kind, ApbfSetting *setting);
void apbf_setting_add(ApbfSetting *setting, const char *path, const char *value);
/* A world of the scene, started. */
SlStatus apbf_open(const ApbfMeasure *measure, const ApbfSetting *setting, SlWorldDef *def,
                   SlWorld **world, SlError *error);

/* The parts apbf_measure is made of. A run begins at the developed state, and its frames are added
   to its samples. */
SlStatus apbf_develop(ApbfMeasure *measure, uint32_t frames, SlError *error);
SlStatus apbf_run_begin(ApbfMeasure *measure, const ApbfSetting *setting, ApbfRun *run,
                        SlError *error);
SlStatus apbf_run_frame(ApbfRun *run, SlError *error);

/* A world that particles are put into to be looked at: cubic kernel, support 2. */
SlStatus apbf_probe_open(ApbfMeasure *measure, SlError *error);
/* Mean compression of the run's particles, measured by the probe. */
SlStatus apbf_probe_compression(ApbfMeasure *measure, ApbfRun *run, double *mean, SlError *error);
/* Before a frame: marks in measure->seen which particles are first hits when the frame's levels are given. */
SlStatus apbf_probe_look(ApbfMeasure *measure, ApbfRun *run, SlError *error);
/* After it: counts those of them below the highest level. */
void apbf_probe_count(const ApbfMeasure *measure, ApbfRun *run);
/* Momentum that neither gravity nor a body gave, over what gravity gives in these frames. */
SlStatus apbf_probe_drift(const ApbfMeasure *measure, const ApbfSetting *setting, uint32_t frames,
                          double *drift, SlError *error);

/* Over a run's samples; of ratios to another's if `over` is given. */
typedef double (*ApbfValue)(const ApbfSample *sample);
double apbf_loop_ms(const ApbfSample *sample);
double apbf_whole_ms(const ApbfSample *sample);
double apbf_median(const ApbfRun *run, const ApbfRun *over, ApbfValue value);

void apbf_report(Bench *bench, const ApbfMeasure *measure);
/* ns per particle and iteration of the loop at the highest level. */
double apbf_iteration_ns(const ApbfMeasure *measure);
/* FOLDER/SCENE.csv: a row per frame of the first execution. */
SlStatus apbf_write_csv(const ApbfMeasure *measure, const char *folder, SlError *error);

#endif

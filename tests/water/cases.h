/* Cases that measure how well water behaves: a request in words becomes a world, a run and a list
   of figures. Public API only. The program water_measure prints them, the tests of this folder
   compare them with thresholds. */
#ifndef TESTS_WATER_CASES_H
#define TESTS_WATER_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sleet/sleet.h"

enum { WATER_MAX_WORDS = 48, WATER_MAX_FIGURES = 96 };
#define WATER_G 9.81

typedef struct WaterFigure {
    char name[32];
    double value;
} WaterFigure;

typedef struct WaterResult {
    WaterFigure figures[WATER_MAX_FIGURES];
    size_t count;
    SlError error; /* status SL_OK: the case ran to its end */
} WaterResult;

/* A run under way. Positions, velocities and so on are copies in double, in the order of views. */
typedef struct WaterRun WaterRun;
struct WaterRun {
    char text[2048];
    const char *name, *solver;
    const char *options[WATER_MAX_WORDS], *parameters[WATER_MAX_WORDS];
    size_t option_count, parameter_count;
    WaterResult *result;

    SlContext *context;
    SlWorld *world;
    SlSystemId system;
    double d, fps;
    SlStatus status; /* of the first call that failed; then later calls do nothing */

    /* Called after each step and at the end of each frame; either may be NULL. */
    void (*on_step)(WaterRun *run, const SlStepStats *stats);
    void (*on_frame)(WaterRun *run);
    void *user;
    uint64_t steps, frames;
    double seconds; /* wall time of the steps */
    double time;
};

typedef struct WaterParticles {
    size_t count;
    double (*x)[3], (*v)[3];
    double *density; /* ratio to the rest density */
    double *mass;    /* kg */
    uint32_t *id;
    double total_mass;
} WaterParticles;

/* Runs "CASE [option=value …] [-- parameter=value …]". Options of all cases: solver (pbf), threads
   (1), fps (60), boundary (the solver's default), preset. Figures are in `result`; false where the
   case failed, with the reason in result->error. */
bool water_run(const char *request, WaterResult *result);
/* As above, from a format of printf. */
bool water_runf(WaterResult *result, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The figure of that name; NAN where there is none. */
double water_figure(const WaterResult *result, const char *name);
void water_print(const WaterResult *result);
/* Names of the cases with one line each, up to a NULL name. */
typedef struct WaterCase {
    const char *name, *usage;
    void (*run)(WaterRun *run);
} WaterCase;
extern const WaterCase water_cases[];

/* --- for the cases themselves --- */

double water_option(const WaterRun *run, const char *name, double otherwise);
const char *water_option_text(const WaterRun *run, const char *name, const char *otherwise);
void water_note(WaterRun *run, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A world with one system of the solver asked for, parameters set, no particles yet. */
bool water_open(WaterRun *run, SlBox domain, SlVec3 gravity);
bool water_check(WaterRun *run, SlStatus status);
bool water_set(WaterRun *run, const char *name, const char *value);
bool water_has_parameter(const WaterRun *run, const char *name);
bool water_block(WaterRun *run, SlVec3 min, SlVec3 max, SlVec3 velocity);
bool water_start(WaterRun *run);
/* Advances by frames until `time`; false after an error. */
bool water_advance(WaterRun *run, double time);
void water_close(WaterRun *run);

/* A copy of the particles, freed by the caller. */
WaterParticles water_particles(WaterRun *run);
void water_particles_free(WaterParticles *p);
/* Kinetic energy, and potential energy in gravity `g` (along -y, from y = 0). */
double water_kinetic(const WaterParticles *p);
double water_potential(const WaterParticles *p, double g);
/* The vertical or other component of the force on the body of that name; 0 where there is none. */
double water_force(const SlStepStats *stats, const char *body, int component);

/* Points by cells of a hash, for neighbour counts. */
typedef struct WaterGrid {
    const double (*x)[3];
    double cell;
    uint32_t mask, *head, *next;
} WaterGrid;
WaterGrid water_grid_make(const double (*x)[3], size_t count, double cell);
void water_grid_free(WaterGrid *grid);
/* Points within `radius` (at most the cell) of `at`, counted up to `limit`. */
size_t water_grid_count(const WaterGrid *grid, const double at[3], double radius, size_t limit);
/* The nearest point within `radius`, or UINT32_MAX. */
uint32_t water_grid_nearest(const WaterGrid *grid, const double at[3], double radius);

/* Mean and deviation of a series of steps, weighted by their length. */
typedef struct WaterMean {
    double weight, sum, squares;
} WaterMean;
void water_mean_add(WaterMean *mean, double weight, double value);
double water_mean_of(const WaterMean *mean);
double water_mean_deviation(const WaterMean *mean);

void water_case_tank(WaterRun *run);
void water_case_first(WaterRun *run);
void water_case_free(WaterRun *run);
void water_case_fall(WaterRun *run);
void water_case_collide(WaterRun *run);
void water_case_energy(WaterRun *run);
void water_case_dam(WaterRun *run);
void water_case_jet(WaterRun *run);
void water_case_oblique(WaterRun *run);
void water_case_sphere(WaterRun *run);
void water_case_mesh(WaterRun *run);
void water_case_slosh(WaterRun *run);
void water_case_drop(WaterRun *run);
void water_case_outflow(WaterRun *run);
void water_case_ritter(WaterRun *run);
void water_case_fill(WaterRun *run);
void water_case_emit(WaterRun *run);

#endif

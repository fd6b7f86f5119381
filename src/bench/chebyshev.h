/* What the files of bench chebyshev have in common: scenes, what every trial begins from, what ends a step.
 */
#ifndef BENCH_CHEBYSHEV_H
#define BENCH_CHEBYSHEV_H

#include "bench/bench.h"
#include "bench/trial.h"
#include "solvers/projective/parameters.h"
#include "math/linear/chebyshev.h"

#define CHEBYSHEV_STEP 5e-3 /* s */

enum { PAPER_SOLVERS = 6, CHEBYSHEV_MAX_ITERATIONS = 100 };

typedef struct PaperScene {
    const char *name, *file;
    int paper_ms[PAPER_SOLVERS];   /* i7-4980HQ, in the order of the first solvers of the table */
    uint32_t states, apart, steps; /* developed states, steps between them, steps from each */
    uint32_t search_steps;         /* to compare values of rho over */
} PaperScene;

/* What ends a step. */
typedef struct Rule {
    const char *name;
    double move, mean;
} Rule;

typedef struct Solver {
    const char *name;
    TrialValue values[TRIAL_MAX_VALUES];
    bool pbf; /* position based fluids: as many iterations as the rule takes */
} Solver;

/* Sums over the steps of a row of the table. */
typedef struct Cell {
    double ms, iterations, compression, top_speed, energy_rise, released;
    uint64_t outside;
    uint32_t steps;
    bool failed;
} Cell;

/* Chebyshev's method after Wang, without what Sleet adds to it. */
#define CHEBYSHEV_AS_WANG                                                                          \
    {"omega_start", SL_OMEGA_WANG}, {"delay", 3},                                                  \
    {                                                                                              \
        "restart_fraction", 0                                                                            \
    }

/* Ends with a NULL name. */
extern const TrialValue chebyshev_defaults[];
extern const Solver chebyshev_solvers[];
extern const size_t chebyshev_solver_count;

/* The scene, solved by `solver` ("projective" or "pbf"). */
SlStatus chebyshev_open(SlContext *context, const PaperScene *scene, const char *solver,
                        Trial *trial, SlError *error);
void chebyshev_add(Cell *cell, const Trial *trial);
/* Speeds far beyond those of the best solved run, energy out of nothing, particles out of the box.
 */
bool chebyshev_has_artefacts(const Cell *cell, const Cell *reference);

/* Figures, as files for plots: bench_chebyshev_figures.c. */
SlStatus chebyshev_curves(Trial *trial, const Trial *from, SlError *error);
SlStatus chebyshev_figure_4(Bench *bench, SlContext *context, const PaperScene *scene,
                            SlError *error);

/* What the paper's future work asks, and memory: bench_chebyshev_beyond.c. */
/* `steps` steps of position based fluids, with the fewest iterations that keep the rule. */
SlStatus chebyshev_pbf(Trial *pbf, const Trial *from, const Solver *solver, const Rule *rule,
                       uint32_t steps, SlError *error);
SlStatus chebyshev_small_steps(Bench *bench, const PaperScene *scene, Trial *projective, Trial *pbf,
                               const Trial *from, SlError *error);
SlStatus chebyshev_memory(Bench *bench, const PaperScene *scene, SlError *error);

#endif

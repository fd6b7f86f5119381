/* bench chebyshev beyond document 000: position based fluids in its table, small steps against
   iterations, memory. */
#include <math.h>
#include <string.h>

#include "app/bench_chebyshev.h"
#include "core/context.h"
#include "fluid/fluid.h"
#include "fluid/projective.h"
#include "math/linear.h"
#include "world/world.h"

/* --- Position based fluids --- */

static SlStatus try_pbf(Trial *pbf, const Trial *from, const Solver *solver, uint32_t iterations,
                        uint32_t steps, SlError *error)
{
    trial_copy(pbf, from);
    trial_set(pbf, solver->values);
    trial_set(pbf, (TrialValue[]){{"iterations", iterations}, {NULL, 0}});
    trial_reset(pbf);
    return trial_steps(pbf, CHEBYSHEV_STEP, steps, error);
}

static bool keeps(const Trial *pbf, const Rule *rule)
{
    return !pbf->result.failed && pbf->result.compression <= rule->mean;
}

SlStatus chebyshev_pbf(Trial *pbf, const Trial *from, const Solver *solver, const Rule *rule,
                       uint32_t steps, SlError *error)
{
    /* It has no stop of its own: doubled until it is enough, then halved into the gap. */
    uint32_t few = 1, enough = 2;
    SlStatus status = try_pbf(pbf, from, solver, enough, steps, error);
    while (status == SL_OK && !keeps(pbf, rule) && enough < CHEBYSHEV_MOST_ITERATIONS) {
        few = enough;
        enough = 2 * few < CHEBYSHEV_MOST_ITERATIONS ? 2 * few : CHEBYSHEV_MOST_ITERATIONS;
        status = try_pbf(pbf, from, solver, enough, steps, error);
    }
    if (!keeps(pbf, rule)) /* the limit, as for the others */
        return status;
    bool last_is_enough = true;
    while (status == SL_OK && enough - few > 1) {
        uint32_t middle = (few + enough) / 2;
        status = try_pbf(pbf, from, solver, middle, steps, error);
        last_is_enough = keeps(pbf, rule);
        *(last_is_enough ? &enough : &few) = middle;
    }
    return status == SL_OK && !last_is_enough ? try_pbf(pbf, from, solver, enough, steps, error)
                                              : status;
}

/* --- Small steps --- */

/* Ways to spend iterations; the first of each solver is plain. */
typedef struct Way {
    const char *name;
    bool pbf;
    TrialValue values[TRIAL_MOST_VALUES];
} Way;

static const Way ways[] = {
    {"plain", false, {{"accelerate", SL_ACCELERATE_NONE}, {"stop_move", 0}}},
    {"chebyshev",
     false,
     {{"accelerate", SL_ACCELERATE_CHEBYSHEV}, {"rho", 0.999}, {"stop_move", 0}}},
    {"pbf", true, {{"acceleration", 0}, {"relaxation", 0.7}}},
    {"pbf_chebyshev",
     true,
     {{"acceleration", 1}, {"relaxation", 0.7}, {"rho", 0.99}, {"delay", 1}}},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* The same 20 ms by fewer and longer steps or by more and shorter ones, as many iterations in all.
 */
SlStatus chebyshev_small_steps(Bench *bench, const PaperScene *scene, Trial *projective, Trial *pbf,
                               const Trial *from, SlError *error)
{
    enum { IN_ALL = 48, LENGTHS = 4 };
    SlStatus status = SL_OK;
    Cell cells[WAYS][LENGTHS];
    memset(cells, 0, sizeof cells);
    for (int w = 0; w < WAYS; w++)
        for (uint32_t k = 0; status == SL_OK && k < LENGTHS; k++) {
            Trial *trial = ways[w].pbf ? pbf : projective;
            uint32_t steps = 2u << k, iterations = IN_ALL / steps;
            trial_copy(trial, from);
            if (!ways[w].pbf)
                trial_set(trial, chebyshev_defaults);
            trial_set(trial, ways[w].values);
            trial_set(trial, (TrialValue[]){{"iterations", iterations}, {NULL, 0}});
            trial_reset(trial);
            status = trial_steps(trial, 4 * CHEBYSHEV_STEP / steps, 2 * steps, error);
            chebyshev_add(&cells[w][k], trial);
        }
    for (int w = 0; status == SL_OK && w < WAYS; w++)
        for (uint32_t k = 0; k < LENGTHS; k++) {
            const Cell *c = &cells[w][k];
            char name[64];
            snprintf(name, sizeof name, "%s.substeps.%s.%ux%u", scene->name, ways[w].name, 2u << k,
                     IN_ALL / (2u << k));
            double n = c->steps > 0 ? c->steps : 1;
            bench_report(bench, c->ms / n, "ms", "%s.ms_per_step", name);
            bench_report(bench, c->ms / 2, "ms", "%s.ms", name); /* for 20 ms; 40 were taken */
            bench_report(bench, c->iterations / n, "", "%s.iterations", name);
            bench_report(bench, 100 * c->compression / n, "%", "%s.compression_percent", name);
            /* Chebyshev's method at the length of the table is the reference. */
            bench_report(bench, chebyshev_has_artefacts(c, &cells[1][1]), "", "%s.artefacts", name);
        }
    return status;
}

/* --- Memory --- */

SlStatus chebyshev_memory(Bench *bench, const PaperScene *scene, SlError *error)
{
    static const Solver kinds[] = {
        {"chebyshev", {{"accelerate", SL_ACCELERATE_CHEBYSHEV}}, false},
        {"anderson", {{"accelerate", SL_ACCELERATE_ANDERSON}}, false},
        {"ldlt",
         {{"accelerate", SL_ACCELERATE_NONE}, {"global", SL_LINEAR_LDLT}, {"global_iterations", 0}},
         false},
    };
    static const char *const more[] = {NULL, "anderson_history", "ldlt_factor"};
    double first = 0;
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < sizeof kinds / sizeof kinds[0]; k++) {
        SlContextDef def = sl_default_context_def();
        def.threads = bench->threads;
        SlContext *context;
        Trial trial = {0};
        status = sl_context_create(&def, &context, error);
        if (status != SL_OK)
            return status;
        status = chebyshev_open(context, scene, "projective", &trial, error);
        if (status == SL_OK) {
            trial_set(&trial, chebyshev_defaults);
            trial_set(&trial, kinds[k].values);
            status = trial_steps(&trial, CHEBYSHEV_STEP, 3, error);
        }
        if (status == SL_OK) {
            const SlSystem *system = &trial.world->systems[0]->base;
            double n = (double)system->particles.count,
                   held = (double)sl_context_bytes_held(context);
            double samples =
                (double)((const SlFluidState *)system->state)->solids.boundary.set.count;
            if (k == 0) {
                first = held;
                bench_report(bench, samples / n, "", "%s.memory.boundary_particles_per_particle",
                             scene->name);
                bench_report(bench, held / n, "B", "%s.memory.bytes_per_fluid_particle",
                             scene->name);
                bench_report(bench, held / (n + samples), "B", "%s.memory.bytes_per_particle",
                             scene->name);
            } else
                bench_report(bench, (held - first) / n, "B",
                             "%s.memory.%s_bytes_per_fluid_particle", scene->name, more[k]);
        }
        trial_close(&trial);
        sl_context_destroy(context);
    }
    return status;
}

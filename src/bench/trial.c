#include "bench/trial.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "world/world.h"

static SlSystem *system_of(const Trial *trial)
{
    return &trial->world->systems[0]->base;
}

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    Trial *trial = user;
    TrialResult *r = &trial->result;
    if (system.index1 != 1)
        return true;
    double ms = 0, potential = stats->total_energy - stats->kinetic_energy;
    for (int k = 0; k < SL_STAGE_COUNT; k++)
        ms += stats->stage_ms[k];
    if (r->steps == 0) {
        trial->min_energy = r->energy_first = stats->total_energy;
        r->potential_first = potential;
    }
    if (r->steps < sizeof trial->step_ms / sizeof trial->step_ms[0])
        trial->step_ms[r->steps] = ms;
    trial->min_energy = fmin(trial->min_energy, stats->total_energy);
    r->energy_rise = fmax(r->energy_rise, stats->total_energy - trial->min_energy);
    r->energy_last = stats->total_energy;
    r->potential_last = potential;
    r->ms += ms;
    r->solve_ms += stats->stage_ms[SL_STAGE_SOLVE];
    r->iterations += stats->iterations;
    r->compression += stats->mean_compression;
    r->max_compression = fmax(r->max_compression, stats->max_compression);
    r->top_speed = fmax(r->top_speed, stats->max_speed);
    r->stops[stats->stop]++;
    r->steps++;
    return trial->on_step == NULL || trial->on_step(trial->user, stats);
}

SlStatus trial_open(SlContext *context, const char *path, const SlSceneOverride *sets, size_t set_count,
                    Trial *trial, SlError *error)
{
    memset(trial, 0, sizeof *trial);
    SlSceneOptions options = sl_default_scene_options();
    options.overrides = sets;
    options.override_count = set_count;
    SlScene *scene;
    SlStatus status = sl_scene_read(context, path, &options, &scene, error);
    if (status != SL_OK)
        return status;
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    def.on_step = on_step;
    def.on_step_user = trial;
    status = sl_scene_build(scene, &def, &trial->world, error);
    sl_scene_destroy(scene);
    return status == SL_OK ? sl_world_start(trial->world, error) : status;
}

void trial_close(Trial *trial)
{
    sl_world_destroy(trial->world);
    trial->world = NULL;
}

void trial_set(Trial *trial, const TrialValue *values)
{
    SlSystem *system = system_of(trial);
    const SlTable *table = &system->solver->table;
    for (; values->name != NULL; values++) {
        const SlParamRow *row = sl_table_find(table, values->name);
        SL_ASSERT(row != NULL);
        SL_ASSERT(sl_param_set_number(row, values->value, &system->values[row - table->rows], NULL) == SL_OK ||
                  row->type == SL_PARAM_CHOICE); /* NOLINT(clang-analyzer-core.NullDereference): asserted */
        system->values[row - table->rows].number[0] = values->value;
    }
}

void trial_copy(Trial *to, const Trial *from)
{
    SlSystem *a = system_of(to);
    const SlSystem *b = system_of(from);
    SL_ASSERT(a->particles.count == b->particles.count);
    for (int id = 0; id < SL_F_COUNT; id++)
        if (a->particles.data[id] != NULL && b->particles.data[id] != NULL)
            memcpy(a->particles.data[id], b->particles.data[id],
                   b->particles.count * sl_storage_bytes(sl_field_rows[id].storage));
    for (size_t k = 0; a->solver == b->solver && k < b->solver->state_row_count; k++) {
        const SlStateRow *row = &b->solver->state_rows[k];
        memcpy((char *)a->state + row->offset, (const char *)b->state + row->offset, row->bytes);
    }
}

void trial_reset(Trial *trial)
{
    trial->result = (TrialResult){0};
}

SlStatus trial_steps(Trial *trial, double dt, uint32_t steps, SlError *error)
{
    TrialResult *r = &trial->result;
    uint32_t before = r->steps;
    trial_set(trial, (TrialValue[]){{"steps", 1}, {NULL, 0}});
    for (uint32_t k = 0; k < steps; k++) {
        SlStatus status = sl_world_step(trial->world, dt, error);
        if (status == SL_ERROR_NUMBERS) {
            r->failed = true;
            break;
        }
        if (status != SL_OK)
            return status;
    }
    double n = r->steps > before ? (double)r->steps : 1;
    r->ms /= n;
    r->solve_ms /= n;
    r->iterations /= n;
    r->compression /= n;
    return SL_OK;
}

uint64_t trial_outside(const Trial *trial)
{
    const SlSystem *system = system_of(trial);
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION);
    SlBox box = system->surroundings.domain;
    float d = 2 * system->solver->spacing(system);
    uint64_t outside = 0;
    for (size_t i = 0; i < system->particles.count; i++) {
        const float *p = x + 4 * i;
        outside += !(p[0] > box.min.x - d && p[0] < box.max.x + d && p[1] > box.min.y - d &&
                     p[1] < box.max.y + d && p[2] > box.min.z - d && p[2] < box.max.z + d);
    }
    return outside;
}

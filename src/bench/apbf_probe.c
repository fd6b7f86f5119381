/* What bench apbf measures beside the clock, by means that are not the solver's own: which particles are seen
   first, from a depth image drawn plainly; compression by one kernel for runs of different ones;
   momentum from the sum over particles against what bodies report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/apbf.h"
#include "core/context.h"
#include "core/error.h"
#include "solvers/pbf/pbf.h"
#include "math/camera.h"
#include "world/world.h"

static SlSystem *system_of(SlWorld *world)
{
    return &world->systems[0]->base;
}

SlStatus apbf_probe_open(ApbfMeasure *m, SlError *error)
{
    m->seen = calloc(m->particles, 1);
    if (m->seen == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for first hits");
    ApbfSetting setting;
    apbf_setting_of(m->scene, APBF_MAX, &setting);
    SlWorldDef def = sl_default_world_def();
    return apbf_open(m, &setting, &def, &m->probe, error);
}

/* The run's particles in the probe, in their order. */
static SlStatus put_in(ApbfMeasure *m, const ApbfRun *run, SlError *error)
{
    static const SlFieldId fields[] = {SL_F_ID, SL_F_POSITION, SL_F_VELOCITY};
    const SlParticles *from = &system_of(run->world)->particles;
    SlParticles *to = &system_of(m->probe)->particles;
    if (from->count != to->count)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "bench apbf: %zu particles of %zu are left; its scenes keep theirs",
                            (size_t)from->count, (size_t)to->count);
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
        memcpy(to->data[fields[k]], from->data[fields[k]],
               from->count * sl_storage_bytes(sl_field_rows[fields[k]].storage));
    return SL_OK;
}

SlStatus apbf_probe_compression(ApbfMeasure *m, ApbfRun *run, double *mean, SlError *error)
{
    SlSystem *probe = system_of(m->probe);
    SlPbfPass pass;
    SlStatus status = put_in(m, run, error);
    if (status == SL_OK)
        status = sl_pbf_prepare(probe, 1, &pass, error);
    if (status == SL_OK) {
        memcpy(pass.fluid.particles.predicted, pass.fluid.particles.position,
               pass.fluid.particles.count * 4 * sizeof(float));
        status = sl_fluid_sort(probe, &pass.fluid, SL_LIST_FROM_PREDICTED, error);
    }
    if (status == SL_OK)
        status = sl_fluid_list(probe, &pass.fluid, SL_LIST_FROM_PREDICTED, error);
    if (status != SL_OK)
        return status;
    sl_particle_loop(probe,
                     SL_KERNELS(m->context->isa, sl_fluid_kernels)->density[sl_fluid_kernel(probe)],
                     &pass.fluid);
    double sum = 0;
    for (size_t i = 0; i < pass.fluid.particles.count; i++)
        sum += fmax((double)pass.fluid.particles.density[i] - 1, 0);
    *mean = sum / (double)pass.fluid.particles.count;
    return SL_OK;
}

/* --- First hits --- */

enum { WIDTH = 320, HEIGHT = 180 };

typedef struct Picture {
    float depth[WIDTH * HEIGHT];
    uint32_t seen[WIDTH * HEIGHT]; /* ids */
} Picture;

/* A sphere is a disc of its projected radius, at least what covers a pixel's centre. */
static void draw(Picture *picture, const SlCameraFrame *frame, SlVec3 place, float radius,
                 uint32_t id)
{
    SlVec3 v = sl_camera_to_view(frame, place);
    if (!(v.z > radius))
        return;
    float scale = frame->focal / v.z, r = fmaxf(scale * radius, 0.71f);
    float x = frame->center_x + scale * v.x, y = frame->center_y - scale * v.y;
    for (int row = (int)floorf(y - r) - 1; row <= (int)(y + r) + 1; row++)
        for (int column = (int)floorf(x - r) - 1; column <= (int)(x + r) + 1; column++) {
            float dx = ((float)column + 0.5f - x) / r, dy = ((float)row + 0.5f - y) / r;
            float rest = 1 - dx * dx - dy * dy;
            if (row < 0 || column < 0 || row >= HEIGHT || column >= WIDTH || rest < 0)
                continue;
            int pixel = row * WIDTH + column;
            float depth = v.z - radius * sqrtf(rest);
            if (depth < picture->depth[pixel]) {
                picture->depth[pixel] = depth;
                picture->seen[pixel] = id;
            }
        }
}

SlStatus apbf_probe_look(ApbfMeasure *m, ApbfRun *run, SlError *error)
{
    SlSystem *probe = system_of(m->probe);
    const SlSystem *system = system_of(run->world);
    Picture *picture = malloc(sizeof *picture);
    if (picture == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a depth image");
    /* Levels are given at the places predicted in a frame's first step. */
    SlPbfPass pass;
    double dt = run->world->def.frame_time / sl_fluid_steps(system);
    SlStatus status = put_in(m, run, error);
    if (status == SL_OK)
        status = sl_pbf_prepare(probe, dt, &pass, error);
    if (status == SL_OK) {
        sl_fluid_predict(probe, &pass.fluid);
        memset(m->seen, 0, m->particles);
    }
    for (size_t k = 0; status == SL_OK && k < system->surroundings.camera_count; k++) {
        SlCameraFrame frame = sl_camera_frame(&system->surroundings.cameras[k], WIDTH, HEIGHT);
        for (int p = 0; p < WIDTH * HEIGHT; p++)
            picture->depth[p] = INFINITY;
        for (size_t i = 0; i < pass.fluid.particles.count; i++) {
            const float *x = pass.fluid.particles.predicted + 4 * i;
            draw(picture, &frame, (SlVec3){x[0], x[1], x[2]}, 0.5f * sl_fluid_spacing(system),
                 pass.fluid.particles.id[i]);
        }
        for (int p = 0; p < WIDTH * HEIGHT; p++)
            if (isfinite(picture->depth[p]) && picture->seen[p] < m->particles)
                m->seen[picture->seen[p]] = 1;
    }
    free(picture);
    return status;
}

void apbf_probe_count(const ApbfMeasure *m, ApbfRun *run)
{
    SlFieldView id = sl_system_field(run->world, sl_world_system(run->world, 0), "id");
    SlFieldView level = sl_system_field(run->world, sl_world_system(run->world, 0), "level");
    const uint32_t *ids = id.data, *levels = level.data;
    for (size_t i = 0; i < id.count; i++)
        if (ids[i] < m->particles && m->seen[ids[i]]) {
            run->hits++;
            run->low_hits += levels[i] < m->scene->max_iterations;
        }
}

/* --- Momentum --- */

typedef struct Balance {
    double given[3]; /* N s, by bodies */
    double time;     /* s */
} Balance;

static bool add_impulses(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    Balance *balance = user;
    for (size_t b = 0; b < stats->body_count; b++)
        for (int k = 0; k < 3; k++)
            balance->given[k] -= stats->bodies[b].force[k] * stats->dt;
    balance->time += stats->dt;
    return true;
}

/* Sum of velocities. */
static void add_velocities(SlWorld *world, double sign, double sum[3])
{
    const SlParticles *particles = &system_of(world)->particles;
    const float *velocity = sl_f32x4(particles, SL_F_VELOCITY);
    for (size_t i = 0; i < particles->count; i++)
        for (size_t k = 0; k < 3; k++)
            sum[k] += sign * (double)velocity[4 * i + k];
}

/* In a world of its own: summing forces costs the loop time. */
SlStatus apbf_probe_drift(const ApbfMeasure *m, const ApbfSetting *setting, uint32_t frames,
                          double *drift, SlError *error)
{
    Balance balance = {{0}, 0};
    double gained[3] = {0, 0, 0}, unexplained = 0;
    SlWorldDef def = sl_default_world_def();
    def.on_step = add_impulses;
    def.on_step_user = &balance;
    SlWorld *world = NULL;
    const SlStateView *state;
    ApbfSetting watched = *setting;
    apbf_setting_add(&watched, "systems[0].parameters.forces", "\"all\"");
    SlStatus status = apbf_open(m, &watched, &def, &world, error);
    if (status == SL_OK)
        status = sl_world_state(m->developed.world, &state, error);
    if (status == SL_OK)
        status = sl_world_restore(world, state, error);
    if (status == SL_OK)
        add_velocities(world, -1, gained);
    for (uint32_t f = 0; status == SL_OK && f < frames; f++)
        status = sl_world_advance_frame(world, error);
    if (status == SL_OK) {
        add_velocities(world, 1, gained);
        const SlSystem *system = system_of(world);
        double spacing = sl_param(system, SL_FLUID_PARAM_SPACING), count = (double)m->particles;
        double mass = sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * spacing * spacing * spacing;
        SlVec3 g = system->surroundings.gravity;
        const double gravity[3] = {(double)g.x, (double)g.y, (double)g.z};
        double weight = 0;
        for (int k = 0; k < 3; k++) {
            double off = mass * gained[k] - balance.given[k] - mass * count * gravity[k] * balance.time;
            unexplained += off * off;
            weight += gravity[k] * gravity[k];
        }
        *drift = sqrt(unexplained) / (mass * count * sqrt(weight) * balance.time);
    }
    sl_world_destroy(world);
    return status;
}

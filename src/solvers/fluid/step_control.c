/* Sub-steps of the water solvers: a fixed number per frame, or lengths chosen from what the last step
   found. Two limits hold: a fast particle moves at most `cfl` spacings (CFL), and the displacement
   that pressure causes stays small against a spacing, dt² p / rho <= 0.15 d² (docs/pbf-formulation.md).

   Both are taken from high quantiles, so that a few particles of spray do not shorten the steps of
   all others; only far beyond the CFL limit does the fastest particle itself count. */
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "math/vec3.h"
#include "solvers/fluid/fluid.h"

/* dt² p / rho over d². */
static const double max_push = 0.15;
/* The fastest particle of all may move this many times as far as the quantile. */
static const double stray_factor = 4;
/* A step is at most this much longer than the last one. */
static const double max_growth = 1.1;
/* and grows only when it could be this much longer: steps that follow a pressure which swings, as deep
   water's does when it begins to move, would keep it swinging. */
static const double growth_threshold = 1.25;
/* With few iterations an impact leaves water compressed for some steps, and what is left of a density
   error becomes the faster the shorter the step that corrects it: steps shortened at once would make
   energy, which shortens them further. So they shrink by at most this factor per step. */
static const double min_shrink = 0.99;
/* Fractions by which the running mean of the pressure follows a step's, up and down. Cutting a step
   abruptly would turn what is left of the density error into speed. */
static const double push_rise = 0.03, push_fall = 0.02;

static SlStepControlKind control_kind(const SlSystem *system)
{
    bool counted = system->given[SL_FLUID_PARAM_STEPS] && !system->given[SL_FLUID_PARAM_STEP_CONTROL];
    return counted ? SL_STEP_FIXED
                   : (SlStepControlKind)sl_param(system, SL_FLUID_PARAM_STEP_CONTROL);
}

uint32_t sl_fluid_steps(const SlSystem *system)
{
    return (uint32_t)sl_param(system, SL_FLUID_PARAM_STEPS);
}

/* --- Quantiles --- */

/* Histogram of positive floats by their exponent and the first bits of their mantissa: bins are 3 %
   wide, and counts do not depend on the order. */
enum { MANTISSA_BITS = 5, BINS = 1 << (8 + MANTISSA_BITS), MAX_SAMPLES = 1 << 16 };

typedef struct Histogram {
    uint32_t bins[BINS];
    size_t count;
} Histogram;

static void histogram_add(Histogram *histogram, float value)
{
    uint32_t bits;
    value = value > 0 ? value : 0;
    memcpy(&bits, &value, sizeof bits);
    histogram->bins[bits >> (23 - MANTISSA_BITS)]++;
    histogram->count++;
}

/* The upper end of the bin that holds the quantile. */
static double histogram_quantile(const Histogram *histogram, double fraction)
{
    double above = (1 - fraction) * (double)histogram->count;
    uint32_t bin = BINS - 1;
    for (double seen = 0; bin > 0; bin--) {
        seen += histogram->bins[bin];
        if (seen > above)
            break;
    }
    uint32_t bits = (bin + 1) << (23 - MANTISSA_BITS);
    float value;
    memcpy(&value, &bits, sizeof value);
    return bin > 0 ? (double)value : 0;
}

static size_t stride_of(const SlSystem *system)
{
    return 1 + system->particles.count / MAX_SAMPLES;
}

static double speed_quantile(const SlSystem *system, double fraction)
{
    Histogram histogram = {0};
    const float *v = system->particles.data[SL_F_VELOCITY];
    for (size_t i = 0; i < system->particles.count; i += stride_of(system))
        histogram_add(&histogram, v[4 * i] * v[4 * i] + v[4 * i + 1] * v[4 * i + 1] +
                                      v[4 * i + 2] * v[4 * i + 2]);
    return sqrt(histogram_quantile(&histogram, fraction));
}

static double value_quantile(const SlSystem *system, const float *values, double fraction)
{
    Histogram histogram = {0};
    for (size_t i = 0; i < system->particles.count; i += stride_of(system))
        histogram_add(&histogram, values[i]);
    return histogram_quantile(&histogram, fraction);
}

/* --- Limits --- */

static const double tiny = 1e-12;

static bool has_few_iterations(const SlSystem *system)
{
    double factor = ((const SlFluidState *)system->state)->cfl_factor;
    return factor > 0 && factor < 1;
}

static double length_by_speed(const SlSystem *system, double speed)
{
    double factor = ((const SlFluidState *)system->state)->cfl_factor;
    return (factor > 0 ? factor : 1) * sl_param(system, SL_FLUID_PARAM_CFL) *
           sl_param(system, SL_FLUID_PARAM_SPACING) / fmax(speed, tiny);
}

static double allowed_length(const SlSystem *system, const SlStepControl *control)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    double speed = fmax(control->speed, control->max_speed / stray_factor);
    double push = fmax(control->pressure, control->push);
    return fmin(length_by_speed(system, speed), sqrt(max_push / fmax(push, tiny)) * d);
}

/* --- Measuring --- */

/* g × the fluid's extent along gravity: the pressure over density at the bottom if it rests. */
static double weight_of_column(const SlSystem *system)
{
    const float *x = system->particles.data[SL_F_POSITION];
    SlVec3 g = system->surroundings.gravity;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < system->particles.count; i++) {
        double along = (double)g.x * x[4 * i] + (double)g.y * x[4 * i + 1] +
                       (double)g.z * x[4 * i + 2];
        low = fmin(low, along);
        high = fmax(high, along);
    }
    return high > low ? high - low : 0;
}

static double max_speed(const SlSystem *system)
{
    const float *v = system->particles.data[SL_F_VELOCITY];
    double most = 0;
    for (size_t i = 0; i < system->particles.count; i++)
        most = fmax(most, (double)sl_length(sl_vec3(v[4 * i], v[4 * i + 1], v[4 * i + 2])));
    return most;
}

void sl_step_control_start(SlSystem *system)
{
    SlStepControl *control = &((SlFluidState *)system->state)->control;
    *control = (SlStepControl){.speed = speed_quantile(system, 0.999),
                               .max_speed = max_speed(system),
                               .push = weight_of_column(system)};
    control->length = allowed_length(system, control);
}

void sl_step_control_start_pressure(SlSystem *system, const float *pressure)
{
    SlStepControl *control = &((SlFluidState *)system->state)->control;
    control->pressure = value_quantile(system, pressure, 0.999);
    control->length = allowed_length(system, control);
}

/* A run whose speeds or pressures grow without limit would continue in ever shorter steps. */
static SlStatus report_short_step(const SlSystem *system, double dt, double length, SlError *error)
{
    const SlStepControl *control = &((const SlFluidState *)system->state)->control;
    return sl_error_set(error, SL_ERROR_NUMBERS,
                        "%s: step %llu at %.6g s diverged: the fastest particle has %.3g m/s, the "
                        "pressure over density is %.3g m^2/s^2, and the next step would have to be "
                        "%.2g s long, below \"min_time_step\" %g s; raise \"iterations\" or "
                        "lower \"support\", or lower \"min_time_step\" if such speeds are meant",
                        system->solver->table.name, (unsigned long long)system->step,
                        system->time + dt, control->max_speed,
                        fmax(control->pressure, control->push), length,
                        sl_param(system, SL_FLUID_PARAM_MIN_TIME_STEP));
}

SlStatus sl_step_control_measure(SlSystem *system, double dt, const float *pressure,
                                 const float *push, SlError *error)
{
    SlStepControl *control = &((SlFluidState *)system->state)->control;
    control->max_speed = system->stats.max_speed;
    control->speed = speed_quantile(system, 0.999);
    if (pressure != NULL)
        control->pressure = value_quantile(system, pressure, 0.999);
    if (push != NULL) {
        double now = value_quantile(system, push, 0.99) / (dt * dt);
        control->push += (now > control->push ? push_rise : push_fall) * (now - control->push);
    }
    double allowed = allowed_length(system, control);
    if (control_kind(system) != SL_STEP_FIXED &&
        !(allowed >= sl_param(system, SL_FLUID_PARAM_MIN_TIME_STEP)))
        return report_short_step(system, dt, allowed, error);
    if (allowed < control->length || allowed > growth_threshold * control->length)
        control->length = fmax(fmin(allowed, max_growth * control->length),
                               has_few_iterations(system) ? min_shrink * control->length : 0);
    return SL_OK;
}

void sl_fluid_written(SlSystem *system, size_t i, SlFieldId field)
{
    SlStepControl *control = &((SlFluidState *)system->state)->control;
    const float *v = sl_f32x4(&system->particles, SL_F_VELOCITY) + 4 * i;
    if (field != SL_F_VELOCITY)
        return;
    double speed = (double)sl_length(sl_vec3(v[0], v[1], v[2]));
    control->speed = fmax(control->speed, speed);
    control->max_speed = fmax(control->max_speed, speed);
    control->length = fmin(control->length, allowed_length(system, control));
}

/* --- Choosing --- */

static double fastest_body(const SlSystem *system)
{
    const SlBodies *bodies = system->surroundings.bodies;
    double most = 0;
    for (size_t k = 1; k < bodies->count; k++)
        if (bodies->body[k].moves || bodies->body[k].deform != NULL)
            most = fmax(most, sl_body_max_speed(&bodies->body[k]));
    return most;
}

double sl_fluid_step_length(const SlSystem *system, double left)
{
    const SlStepControl *control = &((const SlFluidState *)system->state)->control;
    if (control_kind(system) == SL_STEP_FIXED)
        return 0;
    double length = fmin(control->length, length_by_speed(system, fastest_body(system)));
    length = fmin(fmax(length, sl_param(system, SL_FLUID_PARAM_MIN_TIME_STEP)),
                  sl_param(system, SL_FLUID_PARAM_MAX_TIME_STEP));
    return left / ceil(left / length * (1 - 1e-9));
}

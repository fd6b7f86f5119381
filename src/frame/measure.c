/* Figures of a system (sleet/measure.h). Sums run over particles in the order of the view, in doubles and on
   one thread, so they depend only on the view. Quantiles sort particles by a float's bits. */
#include "sleet/measure.h"

#include <math.h>
#include <string.h>

#include "core/cookies.h"
#include "core/error.h"
#include "core/sort.h"
#include "spatial/components.h"

SlMeasureDef sl_default_measure_def(void)
{
    return (SlMeasureDef){SL_DEF_HEAD(MEASURE, SlMeasureDef),
                          .link = 1.5,
                          .min_piece = 1e-3,
                          .run_out_fraction = 0.9,
                          .box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}};
}

/* What all figures of a system are made from. */
typedef struct Particles {
    const SlSystemView *system;
    SlPoints points;
    double *weights; /* masses, or 1 where they are not known */
    double weight;   /* their sum */
    double mass;     /* kg, or 0 */
    /* Scratch of sorts: keys, and the indices in their order. */
    uint32_t *keys, *order, *sorted_keys;
} Particles;

static SlStatus no_memory(const SlSystemView *system, SlError *error)
{
    return sl_error_set(error, SL_ERROR_MEMORY, "no memory to measure %zu particles",
                        system->particle_count);
}

static SlStatus find_field(const SlSystemView *system, const char *name, SlFieldType type,
                           SlFieldView *field, SlError *error)
{
    *field = sl_view_field(system, name);
    if (system->particle_count == 0 || (field->data != NULL && field->type == type))
        return SL_OK;
    return sl_error_set(error, SL_ERROR_ARGUMENT, "the system \"%.40s\" has no field \"%s\"",
                        system->name, name);
}

static float float_at(const SlFieldView *field, size_t i)
{
    float value;
    memcpy(&value, (const char *)field->data + i * field->stride, sizeof value);
    return value;
}

static uint32_t integer_at(const SlFieldView *field, size_t i)
{
    uint32_t value;
    memcpy(&value, (const char *)field->data + i * field->stride, sizeof value);
    return value;
}

static void read_weights(Particles *p)
{
    const SlSystemView *system = p->system;
    SlFieldView masses = sl_view_field(system, "mass");
    bool vary = system->mass <= 0 && masses.data != NULL && masses.type == SL_FIELD_F32;
    for (size_t i = 0; i < system->particle_count; i++) {
        p->weights[i] = (double)(vary ? float_at(&masses, i) : system->mass);
        p->mass += p->weights[i];
    }
    for (size_t i = 0; p->mass <= 0 && i < system->particle_count; i++)
        p->weights[i] = 1;
    p->weight = p->mass > 0 ? p->mass : (double)system->particle_count;
}

static SlStatus read_particles(SlArena *arena, const SlSystemView *system, Particles *p,
                               SlError *error)
{
    size_t n = system->particle_count, padded = (n + 7) / 8 * 8;
    SlFieldView positions;
    SlStatus status = find_field(system, "position", SL_FIELD_F32X3, &positions, error);
    if (status != SL_OK)
        return status;
    float *records = SL_PUSH(arena, float, 4 * (padded + 1));
    *p = (Particles){.system = system,
                     .points = {records, n, padded},
                     .weights = SL_PUSH(arena, double, n),
                     .keys = SL_PUSH(arena, uint32_t, n),
                     .order = SL_PUSH(arena, uint32_t, n),
                     .sorted_keys = SL_PUSH(arena, uint32_t, n)};
    if (records == NULL || p->weights == NULL || p->keys == NULL || p->order == NULL ||
        p->sorted_keys == NULL)
        return no_memory(system, error);
    for (size_t i = 0; i < n; i++) {
        memcpy(records + 4 * i, (const char *)positions.data + i * positions.stride,
               3 * sizeof(float));
        records[4 * i + 3] = 0;
    }
    for (size_t k = 4 * n; k < 4 * (padded + 1); k++)
        records[k] = SL_FAR;
    read_weights(p);
    return SL_OK;
}

/* An integer in the order of the floats. */
static uint32_t float_key(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

/* Fills `order` by ascending keys. */
static SlStatus sort_particles(SlContext *context, Particles *p, SlError *error)
{
    SlArenaMark mark = sl_arena_mark(&context->arena);
    bool sorted = sl_sort_by_key(context->pool, &context->arena, p->keys, p->points.count,
                                 (uint64_t)1 << 32, p->order, p->sorted_keys);
    sl_arena_release(&context->arena, mark);
    return sorted ? SL_OK : no_memory(p->system, error);
}

static SlStatus sort_by_height(SlContext *context, Particles *p, SlError *error)
{
    for (size_t i = 0; i < p->points.count; i++)
        p->keys[i] = float_key(p->points.records[4 * i + 1]);
    return sort_particles(context, p, error);
}

/* --- Figures of all particles --- */

static double mean_of(const Particles *p, const char *name)
{
    SlFieldView field = sl_view_field(p->system, name);
    double sum = 0;
    if (field.data == NULL || field.type != SL_FIELD_F32 || p->points.count == 0)
        return NAN;
    for (size_t i = 0; i < p->points.count; i++)
        sum += p->weights[i] * (double)float_at(&field, i);
    return sum / p->weight;
}

static void measure_positions(const Particles *p, SlVec3 gravity, SlMeasurement *m)
{
    const float *g = &gravity.x;
    for (int k = 0; k < 3; k++) {
        m->center[k] = 0;
        m->min[k] = INFINITY;
        m->max[k] = -INFINITY;
    }
    for (size_t i = 0; i < p->points.count; i++)
        for (int k = 0; k < 3; k++) {
            double x = (double)p->points.records[4 * i + (size_t)k];
            m->center[k] += p->weights[i] * x;
            m->min[k] = fmin(m->min[k], x);
            m->max[k] = fmax(m->max[k], x);
        }
    for (int k = 0; k < 3; k++) {
        bool any = p->points.count > 0;
        m->center[k] = any ? m->center[k] / p->weight : NAN;
        m->min[k] = any ? m->min[k] : NAN;
        m->max[k] = any ? m->max[k] : NAN;
        m->potential_energy -= any ? p->mass * (double)g[k] * m->center[k] : 0;
    }
}

static SlStatus measure_motion(const Particles *p, SlMeasurement *m, SlError *error)
{
    SlFieldView velocities;
    SlStatus status = find_field(p->system, "velocity", SL_FIELD_F32X3, &velocities, error);
    double fastest = 0, sum = 0;
    for (size_t i = 0; status == SL_OK && i < p->points.count; i++) {
        float v[3];
        memcpy(v, (const char *)velocities.data + i * velocities.stride, sizeof v);
        double squared = (double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
                         (double)v[2] * (double)v[2];
        sum += p->weights[i] * squared;
        fastest = fmax(fastest, squared);
    }
    m->kinetic_energy = p->mass > 0 ? 0.5 * sum : 0;
    m->max_speed = p->points.count > 0 ? sqrt(fastest) : NAN;
    return status;
}

static SlStatus measure_run_out(SlContext *context, Particles *p, const SlMeasureDef *def,
                                SlMeasurement *m, SlError *error)
{
    for (size_t i = 0; i < p->points.count; i++) {
        const float *x = p->points.records + 4 * i;
        double along = (double)x[0] - (double)def->center.x,
               across = (double)x[2] - (double)def->center.z;
        p->keys[i] = float_key((float)sqrt(along * along + across * across));
    }
    SlStatus status = sort_particles(context, p, error);
    double within = 0;
    m->run_out = NAN;
    for (size_t k = 0; status == SL_OK && k < p->points.count; k++) {
        const float *x = p->points.records + 4 * (size_t)p->order[k];
        within += p->weights[p->order[k]];
        m->run_out = hypot((double)x[0] - (double)def->center.x, (double)x[2] - (double)def->center.z);
        /* The sum of all may differ from `weight` in its last digits: the last particle ends the loop. */
        if (within >= def->run_out_fraction * p->weight)
            break;
    }
    return status;
}

/* --- Pieces --- */

static SlStatus measure_pieces(SlContext *context, const Particles *p, const SlMeasureDef *def,
                               SlMeasurement *m, SlError *error)
{
    size_t n = p->points.count;
    double reach = def->link * (double)p->system->spacing;
    if (!(reach > 0) && n > 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "the system \"%.40s\" has no spacing",
                            p->system->name);
    uint32_t *root = SL_PUSH(&context->arena, uint32_t, n);
    uint32_t *count = SL_PUSH(&context->arena, uint32_t, n);
    double *weight = SL_PUSH(&context->arena, double, n);
    if (root == NULL || count == NULL || weight == NULL)
        return no_memory(p->system, error);
    SlStatus status =
        sl_components_find(context, &context->arena, p->points, (float)reach, root, error);
    if (status != SL_OK)
        return status;
    memset(count, 0, n * sizeof *count);
    memset(weight, 0, n * sizeof *weight);
    for (size_t i = 0; i < n; i++) {
        count[root[i]]++;
        weight[root[i]] += p->weights[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (count[i] == 0)
            continue;
        double fraction = weight[i] / p->weight;
        bool piece = (double)count[i] >= def->min_piece * (double)n;
        m->pieces += piece;
        m->crumbs += piece ? 0 : fraction;
        m->second = fmax(m->second, fmin(fraction, m->largest));
        m->largest = fmax(m->largest, fraction);
    }
    return SL_OK;
}

/* --- The box, and what was turned over --- */

static bool is_inside(const SlBox *box, const float *x)
{
    return x[0] >= box->min.x && x[0] <= box->max.x && x[1] >= box->min.y && x[1] <= box->max.y &&
           x[2] >= box->min.z && x[2] <= box->max.z;
}

/* The particles are sorted by height. */
static double measure_box(const Particles *p, const SlBox *box, SlMeasurement *m)
{
    double weight = 0, below = 0;
    m->box.top = m->box.height = NAN;
    for (size_t i = 0; i < p->points.count; i++)
        if (is_inside(box, p->points.records + 4 * i)) {
            m->box.particles++;
            weight += p->weights[i];
        }
    m->box.mass = p->mass > 0 ? weight : 0;
    for (size_t k = 0; k < p->points.count; k++) {
        size_t i = p->order[k];
        const float *x = p->points.records + 4 * i;
        if (!is_inside(box, x))
            continue;
        if (below < 0.95 * weight)
            m->box.height = (double)x[1];
        below += p->weights[i];
        m->box.top = (double)x[1];
    }
    return weight;
}

/* Ids of the lowest third, ascending. */
static SlStatus find_low(SlContext *context, const SlSystemView *first, uint32_t **ids,
                         size_t *count, SlError *error)
{
    Particles p;
    SlFieldView id;
    SlStatus status = read_particles(&context->arena, first, &p, error);
    if (status == SL_OK)
        status = find_field(first, "id", SL_FIELD_U32, &id, error);
    if (status == SL_OK)
        status = sort_by_height(context, &p, error);
    if (status != SL_OK)
        return status;
    double below = 0;
    size_t low = 0;
    for (size_t k = 0; k < p.points.count; k++) {
        double weight = p.weights[p.order[k]];
        if (below + 0.5 * weight < p.weight / 3)
            p.keys[low++] = integer_at(&id, p.order[k]);
        below += weight;
    }
    p.points.count = low;
    status = sort_particles(context, &p, error);
    *ids = p.sorted_keys;
    *count = low;
    return status;
}

static bool contains(const uint32_t *ids, size_t count, uint32_t id)
{
    size_t at = sl_lower_bound(ids, count, id);
    return at < count && ids[at] == id;
}

/* The particles are sorted by height; `weight` is that of the box. */
static SlStatus measure_turned(SlContext *context, const Particles *p, const SlMeasureDef *def,
                               double weight, SlMeasurement *m, SlError *error)
{
    uint32_t *ids;
    size_t count;
    SlFieldView id;
    SlStatus status = find_field(p->system, "id", SL_FIELD_U32, &id, error);
    if (status == SL_OK)
        status = find_low(context, def->first, &ids, &count, error);
    if (status != SL_OK)
        return status;
    double below = 0, low = 0, top = 0, both = 0;
    for (size_t k = 0; k < p->points.count; k++) {
        size_t i = p->order[k];
        if (!is_inside(&def->box, p->points.records + 4 * i))
            continue;
        double own = p->weights[i];
        bool is_top = below + 0.5 * own > weight * 2 / 3;
        bool is_low = contains(ids, count, integer_at(&id, i));
        low += is_low ? own : 0;
        top += is_top ? own : 0;
        both += is_low && is_top ? own : 0;
        below += own;
    }
    m->low_on_top = low > 0 ? both / low : NAN;
    m->top_from_low = top > 0 ? both / top : NAN;
    return SL_OK;
}

/* --- All of it --- */

static SlStatus check_def(const SlMeasureDef *def, SlError *error)
{
    if (!SL_DEF_VALID(def, MEASURE))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the definition was not made by sl_default_measure_def");
    if (!(def->link > 0 && def->link <= 10))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "link: %g is not above 0 and at most 10",
                            def->link);
    if (!(def->min_piece >= 0 && def->min_piece <= 1))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "min_piece: %g is not from 0 to 1",
                            def->min_piece);
    if (!(def->run_out_fraction > 0 && def->run_out_fraction <= 1))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "run_out_fraction: %g is not above 0 and at most 1",
                            def->run_out_fraction);
    for (int k = 0; k < 3; k++)
        if (!((&def->box.min.x)[k] <= (&def->box.max.x)[k]))
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "box: its minimum in %c, %g, is above its maximum, %g", "xyz"[k],
                                (double)(&def->box.min.x)[k], (double)(&def->box.max.x)[k]);
    return SL_OK;
}

static SlStatus measure(SlContext *context, const SlFrameView *view, const SlSystemView *system,
                        const SlMeasureDef *def, SlMeasurement *m, SlError *error)
{
    Particles p;
    SlStatus status = read_particles(&context->arena, system, &p, error);
    if (status != SL_OK)
        return status;
    m->particles = p.points.count;
    m->mass = p.mass;
    m->density_ratio = mean_of(&p, "density_ratio");
    m->plastic = mean_of(&p, "plastic");
    measure_positions(&p, view->gravity, m);
    status = measure_motion(&p, m, error);
    if (status == SL_OK)
        status = measure_run_out(context, &p, def, m, error);
    if (status == SL_OK)
        status = measure_pieces(context, &p, def, m, error);
    if (status == SL_OK)
        status = sort_by_height(context, &p, error);
    if (status != SL_OK)
        return status;
    double weight = measure_box(&p, &def->box, m);
    return def->first != NULL ? measure_turned(context, &p, def, weight, m, error) : SL_OK;
}

SlStatus sl_measure_system(SlContext *context, const SlFrameView *view, const SlSystemView *system,
                           const SlMeasureDef *def, SlMeasurement *measurement, SlError *error)
{
    *measurement = (SlMeasurement){.low_on_top = NAN, .top_from_low = NAN};
    SlStatus status = check_def(def, error);
    if (status != SL_OK)
        return status;
    SlArenaMark mark = sl_arena_mark(&context->arena);
    status = measure(context, view, system, def, measurement, error);
    sl_arena_release(&context->arena, mark);
    return status;
}

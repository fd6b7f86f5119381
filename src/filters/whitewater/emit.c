/* What water emits [Ihmsen 2012 section 3.1, 3.2]. The potentials of a particle of water are

     trapped air     I_ta = Φ(v_diff / √(g s)),  v_diff = Σ w |v_ij| (1 − v̂_ij · x̂_ij) / Σ w
     wave crest      I_wc = Φ(κ) where v̂ᵢ · n̂ᵢ ≥ 0.6,  κ = Σ w (1 − n̂ᵢ · n̂ⱼ)
     kinetic energy  I_k  = Φ(½ v² / (g H))

   with w = 1 − r / (2 s) and Φ a ramp from 0 to 1. The paper has a sum for v_diff and thresholds in
   metres per second; the mean in units of √(g s) hardly depends on the resolution.

   Water deforms fast also where there is no air: deep in a jet that turns at a wall v_diff is as large as
   where waves break. So both potentials count only where the neighbourhood lacks water: inside, solvers keep
   Σ (1 − r²/R²)³ within 2 % of that of full water.

   The rule of emission: in a time T = √(H/g) at full potential a particle emits whitewater whose area
   (Σ π r²) is `trapped_air` or `wave_crest` times its own share s² of the surface. Radii are fractions of
   H. So the number per second is

       k s² / (π r²) √(g/H) I_k (k_ta I_ta + k_wc I_wc) / k

   per particle, and the same per area of breaking water at any resolution: particles at the surface are
   as many more as s² is smaller.

   Half of the water's particles, the odd and the even ids in turn, are asked in a frame and emit twice as
   much: the mean is the same at half the cost.

   New particles lie in the cylinder that the particle sweeps in a frame, about where it is. */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "filters/whitewater/whitewater_kernels.h"

enum { EMIT_CHUNK = 512 };

/* Σ w (xᵢ − xⱼ) / (R Σ w) is 0.3 on a flat surface and 0.2 half a spacing below it. */
static const float min_asymmetry = 0.12f;
/* The part of the neighbourhood without water. */
static const float air_ramp[2] = {0.02f, 0.20f};
/* cos of the angle between velocity and normal within which a crest breaks [Ihmsen 2012 eq. 7]. */
static const float crest_cosine = 0.6f;
/* Largest over smallest radius. */
static const float size_ratio = 10;

static float ramp(float value, const float limits[2])
{
    float t = (value - limits[0]) / (limits[1] - limits[0]);
    return t > 0 ? (t < 1 ? t : 1) : 0;
}

/* Unit normals of the surface; 0 inside, and where the water ends at a solid. */
static void make_normal(WhitewaterEmission *e, size_t i)
{
    const WaterCloud *c = e->cloud;
    float n[3] = {e->normal[0][i], e->normal[1][i], e->normal[2][i]};
    const float x[3] = {c->x[0][i], c->x[1][i], c->x[2][i]};
    float length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (length2 > min_asymmetry * min_asymmetry) {
        water_solids_clip_normal(e->solids, x, c->radius, n);
        length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    }
    float scale = length2 > min_asymmetry * min_asymmetry ? 1 / sqrtf(length2) : 0;
    for (int k = 0; k < 3; k++)
        e->normal[k][i] = scale * n[k];
}

static void potential_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    WhitewaterEmission *e = argument;
    const WhitewaterSettings *s = e->settings;
    const WhitewaterKernels *kernels = SL_KERNELS(e->context->isa, whitewater_kernels);
    const WaterCloud *c = e->cloud;
    float inverse = 0.5f / (s->g * s->depth);
    for (size_t i = begin; i < end; i++) {
        float u = c->v[0][i], v = c->v[1][i], w = c->v[2][i];
        bool asked = c->volume[i] > 0 && ((c->id[i] + s->frame) & 1) == 0;
        e->energy[i] = asked ? ramp((u * u + v * v + w * w) * inverse, s->energy_ramp) : 0;
    }
    kernels->fullness(e, begin, end);
    for (size_t i = begin; i < end; i++) {
        const float x[3] = {c->x[0][i], c->x[1][i], c->x[2][i]};
        if (e->air[i] > 0)
            e->air[i] = ramp(1 - e->air[i] / (WHITEWATER_FULL_WEIGHT *
                                              water_solids_open(e->solids, x, c->radius)),
                             air_ramp);
    }
    kernels->potentials(e, begin, end);
    for (size_t i = begin; i < end; i++)
        if (e->air[i] > 0)
            make_normal(e, i);
}

static float crest_of(const WhitewaterEmission *e, size_t i)
{
    const WaterCloud *c = e->cloud;
    float along = 0, speed2 = 0;
    for (int k = 0; k < 3; k++) {
        along += c->v[k][i] * e->normal[k][i];
        speed2 += c->v[k][i] * c->v[k][i];
    }
    if (!(along > 0 && along * along >= crest_cosine * crest_cosine * speed2))
        return 0;
    float curvature = SL_KERNELS(e->context->isa, whitewater_kernels)->curvature(e, i);
    return ramp(2 * curvature, e->settings->crest_ramp); /* half of the neighbours have normals */
}

static void expect_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    WhitewaterEmission *e = argument;
    const WhitewaterSettings *s = e->settings;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        e->expected[i] = 0;
        if (!(e->air[i] > 0))
            continue;
        float d = water_cloud_source(e->cloud, i)->system->spacing;
        float trapped = ramp(e->trapped[i] / sqrtf(s->g * d), s->trapped_air_ramp);
        float potential =
            e->air[i] * (s->trapped_air * trapped + s->wave_crest * crest_of(e, i));
        float number = d * d / (3.14159265f * s->size * s->size) / s->time;
        e->expected[i] = 2 * number * e->energy[i] * potential * s->dt;
        sum += (double)e->expected[i];
    }
    e->partials[chunk] = sum;
}

/* --- Random numbers: by seed, frame, id of the particle of water and index --- */

enum { OF_COUNT, OF_PLACE, OF_SIZE, DRAWS };

static SlRandom4 draw(const WhitewaterEmission *e, size_t i, uint32_t index, int what)
{
    const WaterSource *source = water_cloud_source(e->cloud, i);
    uint64_t system = (uint64_t)(source - e->cloud->sources);
    return sl_random(e->settings->seed, e->settings->frame << 32 | e->cloud->id[i],
                     system << 48 | (uint64_t)index << 8 | (uint64_t)what);
}

/* A number whose mean is `expected`. */
static uint32_t count_of(const WhitewaterEmission *e, size_t i)
{
    float expected = e->expected[i] * e->scale;
    if (!(expected > 0))
        return 0;
    expected = expected < 1e6f ? expected : 1e6f;
    return (uint32_t)(expected + sl_random_unit(draw(e, i, 0, OF_COUNT).value[0]));
}

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    WhitewaterEmission *e = argument;
    size_t count = 0;
    for (size_t i = begin; i < end; i++)
        count += count_of(e, i);
    e->chunk_first[chunk] = count;
}

bool whitewater_count(WhitewaterEmission *e, size_t room)
{
    SlArena *arena = &e->context->arena;
    SlPool *pool = e->context->pool;
    size_t n = e->cloud->count, chunks = sl_chunk_count(n, EMIT_CHUNK);
    e->energy = SL_PUSH(arena, float, n);
    e->trapped = SL_PUSH(arena, float, n);
    e->air = SL_PUSH(arena, float, n);
    e->expected = SL_PUSH(arena, float, n);
    e->partials = SL_PUSH(arena, double, chunks);
    e->chunk_first = SL_PUSH(arena, size_t, chunks + 1);
    if (e->energy == NULL || e->trapped == NULL || e->air == NULL || e->expected == NULL ||
        e->partials == NULL || e->chunk_first == NULL)
        return false;
    for (int k = 0; k < 3; k++) {
        e->normal[k] = SL_PUSH(arena, float, n + 8);
        if (e->normal[k] == NULL)
            return false;
        memset(e->normal[k] + n, 0, 8 * sizeof(float));
    }
    sl_parallel_for(pool, n, EMIT_CHUNK, potential_chunk, e);
    sl_parallel_for(pool, n, EMIT_CHUNK, expect_chunk, e);
    /* Where there is no room for all, fewer are emitted everywhere. */
    double wanted = sl_fold_sum(e->partials, chunks, 1, 0);
    e->scale = wanted > (double)room ? (float)((double)room / wanted) : 1;
    sl_parallel_for(pool, n, EMIT_CHUNK, count_chunk, e);
    e->total = 0;
    for (size_t c = 0; c < chunks; c++) {
        size_t own = e->chunk_first[c];
        e->chunk_first[c] = e->total;
        e->total += own;
    }
    e->total = e->total < room ? e->total : room;
    return true;
}

/* --- The particles --- */

/* A point of the unit disc. */
static void disc_point(SlRandom4 random, float point[2])
{
    for (int try = 0; try < 2; try++) {
        point[0] = 2 * sl_random_unit(random.value[2 * try]) - 1;
        point[1] = 2 * sl_random_unit(random.value[2 * try + 1]) - 1;
        if (point[0] * point[0] + point[1] * point[1] <= 1)
            return;
    }
    point[0] *= 0.7f;
    point[1] *= 0.7f;
}

/* Two directions across `v`, each of length 1. */
static void directions_across(const float v[3], float e1[3], float e2[3])
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    float a[3] = {0, 1, 0}, across = 0;
    for (int k = 0; length > 0 && k < 3; k++)
        a[k] = v[k] / length;
    int least = fabsf(a[0]) < fabsf(a[1]) ? 0 : 1;
    least = fabsf(a[2]) < fabsf(a[least]) ? 2 : least;
    for (int k = 0; k < 3; k++) {
        e1[k] = (k == least) - a[least] * a[k];
        across += e1[k] * e1[k];
    }
    for (int k = 0; k < 3; k++)
        e1[k] /= sqrtf(across);
    for (int k = 0; k < 3; k++)
        e2[k] = a[(k + 1) % 3] * e1[(k + 2) % 3] - a[(k + 2) % 3] * e1[(k + 1) % 3];
}

static void emit_one(const WhitewaterEmission *e, size_t i, uint32_t index, size_t at)
{
    const WhitewaterSettings *s = e->settings;
    const WaterCloud *c = e->cloud;
    SlRandom4 place = draw(e, i, index, OF_PLACE), size = draw(e, i, index, OF_SIZE);
    const float v[3] = {c->v[0][i], c->v[1][i], c->v[2][i]};
    const float center[3] = {c->x[0][i], c->x[1][i], c->x[2][i]};
    float e1[3], e2[3], disc[2], x[3], velocity[3];
    disc_point(place, disc);
    directions_across(v, e1, e2);
    /* Across the path as far as the spacing, and as fast as the water around parts or meets. */
    float d = water_cloud_source(c, i)->system->spacing;
    float along = (sl_random_unit(size.value[2]) - 0.5f) * s->dt;
    for (int k = 0; k < 3; k++) {
        float across = disc[0] * e1[k] + disc[1] * e2[k];
        x[k] = center[k] + along * v[k] + d * across;
        velocity[k] = v[k] + 0.5f * e->trapped[i] * across;
    }
    /* Radii with a density ∝ r⁻² between r₀ and 10 r₀; their mean square is 10 r₀². */
    float smallest = s->size / sqrtf(size_ratio);
    float u = sl_random_unit(size.value[0]);
    float radius = smallest / (1 - (1 - 1 / size_ratio) * u);
    water_solids_collide(e->solids, center, x, velocity, radius);
    Whitewater *p = e->particles;
    WaterProbe water = water_probe(e->context, c, e->solids, x);
    p->id[at] = e->next_id + (uint32_t)(at - e->first);
    p->phase[at] = whitewater_classify(&water);
    p->radius[at] = radius;
    /* Violent water makes foam that stays [Ihmsen 2012 section 3.2]. */
    float strength = 0.5f + 0.5f * e->energy[i];
    p->lifetime[at] = s->lifetime * strength * (0.5f + sl_random_unit(size.value[1]));
    memcpy(p->position + 3 * at, x, sizeof x);
    memcpy(p->velocity + 3 * at, velocity, sizeof velocity);
}

static void emit_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const WhitewaterEmission *e = argument;
    size_t next = e->chunk_first[chunk];
    for (size_t i = begin; i < end; i++) {
        uint32_t count = count_of(e, i);
        for (uint32_t k = 0; k < count && next < e->total; k++)
            emit_one(e, i, k, e->first + next++);
    }
}

void whitewater_emit(WhitewaterEmission *e)
{
    sl_parallel_for(e->context->pool, e->cloud->count, EMIT_CHUNK, emit_chunk, e);
}

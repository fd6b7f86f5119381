/* Choosing samples among candidates (Bowers et al. 2010, §4): 27 groups of cells by coordinates
   modulo 3, one group after the other, the cells of a group in parallel. In trial k a cell tries
   its k-th candidate. A cell looks at cells up to 2 away and writes only itself, and cells of one
   group are at least 3 apart, so no order of threads can show in the result.

   After the trials one more round tries every candidate that is left: then each candidate has a
   sample within the radius, which is what keeps holes below two radii. */
#include "core/random.h"
#include "core/sort.h"
#include "geometry/sample_parts.h"

enum { GROUPS = 27, TRIALS = 10, CHUNK = 512 };

typedef struct Choice {
    const SlSampling *sampling;
    const uint32_t *members; /* cells in order of group */
    SlVec3 *at;              /* per cell: where its sample is, infinitely far if there is none */
    uint32_t *blockers;      /* per cell: whose sample refused its last candidate */
    uint32_t first, last;    /* this round's candidates of a cell: [first, last) */
} Choice;

/* asin in the same bits everywhere (coefficients of Cephes' asinf). */
static float arc_sine(float x)
{
    float a = fabsf(x) < 1 ? fabsf(x) : 1;
    bool far = a > 0.5f;
    float z = far ? 0.5f * (1 - a) : a * a;
    float y = far ? sqrtf(z) : a;
    float series = (((4.2163199048e-2f * z + 2.4181311049e-2f) * z + 4.5470025998e-2f) * z +
                    7.4953002686e-2f) * z + 1.6666752422e-1f;
    y += series * z * y;
    return copysignf(far ? 1.5707963268f - 2 * y : y, x);
}

float sl_sample_geodesic(SlVec3 p, SlVec3 p_normal, SlVec3 q, SlVec3 q_normal)
{
    SlVec3 chord = sl_sub(q, p);
    float length = sl_length(chord);
    if (!(length > 0))
        return 0;
    float c1 = sl_dot(p_normal, chord) / length, c2 = sl_dot(q_normal, chord) / length;
    if (fabsf(c1 - c2) < 1e-5f)
        return length / sqrtf(fmaxf(1 - c1 * c1, 1e-12f));
    return length * fmaxf((arc_sine(c1) - arc_sine(c2)) / (c1 - c2), 1.0f);
}

/* Straight distances in double: what is accepted holds for whoever checks it. */
static bool within_radius(const SlSampling *s, SlVec3 p, uint32_t i, SlVec3 q, size_t cell)
{
    double x = (double)p.x - (double)q.x, y = (double)p.y - (double)q.y;
    double z = (double)p.z - (double)q.z, r = (double)s->radius;
    if (!(x * x + y * y + z * z < r * r))
        return false;
    if (s->metric == SL_SAMPLE_STRAIGHT)
        return true;
    uint32_t t = s->candidates.triangles[i], u = s->candidates.triangles[s->samples[cell]];
    return t == u ||
           sl_sample_geodesic(p, s->plan.normals[t], q, s->plan.normals[u]) < s->radius;
}

/* What refused a cell's last candidate likely refuses the next one too, so it is asked first. */
static bool is_free(const Choice *choice, size_t cell, uint32_t i)
{
    const SlSampling *s = choice->sampling;
    SlVec3 p = s->candidates.positions[i];
    size_t blocker = choice->blockers[cell];
    if (within_radius(s, p, i, choice->at[blocker], blocker))
        return false;
    const uint32_t *rows = s->cells.rows + cell * SL_SAMPLE_ROWS;
    for (int row = 0; row < SL_SAMPLE_ROWS; row++) {
        size_t begin = rows[row] >> 3, end = begin + (rows[row] & 7);
        for (size_t c = begin; c < end; c++)
            if (within_radius(s, p, i, choice->at[c], c)) {
                choice->blockers[cell] = (uint32_t)c;
                return false;
            }
    }
    return true;
}

static void try_cells(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Choice *choice = argument;
    const SlSampling *s = choice->sampling;
    for (size_t m = begin; m < end; m++) {
        size_t cell = choice->members[m];
        uint32_t from = s->cells.starts[cell], here = s->cells.starts[cell + 1] - from;
        uint32_t last = choice->last < here ? choice->last : here;
        for (uint32_t k = choice->first; k < last && s->samples[cell] == SL_SAMPLE_NONE; k++)
            if (is_free(choice, cell, from + k)) {
                s->samples[cell] = from + k;
                choice->at[cell] = s->candidates.positions[from + k];
            }
    }
}

static void clear_cells(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Choice *choice = argument;
    for (size_t c = begin; c < end; c++) {
        choice->sampling->samples[c] = SL_SAMPLE_NONE;
        choice->blockers[c] = (uint32_t)c;
        choice->at[c] = sl_vec3(INFINITY, INFINITY, INFINITY);
    }
}

static uint32_t group_of(uint64_t key)
{
    const uint64_t mask = ((uint64_t)1 << SL_SAMPLE_AXIS_BITS) - 1;
    uint64_t x = key >> 2 * SL_SAMPLE_AXIS_BITS, y = key >> SL_SAMPLE_AXIS_BITS & mask;
    return (uint32_t)(x % 3 * 9 + y % 3 * 3 + (key & mask) % 3);
}

/* Cells in order of group; start[g] is the first of group g. */
static uint32_t *sort_by_group(const SlSampling *s, uint32_t start[GROUPS + 1])
{
    size_t count = s->cells.count;
    uint32_t *groups = SL_PUSH(s->arena, uint32_t, count);
    uint32_t *members = SL_PUSH(s->arena, uint32_t, count);
    uint32_t *sorted = SL_PUSH(s->arena, uint32_t, count);
    if (groups == NULL || members == NULL || sorted == NULL)
        return NULL;
    for (size_t c = 0; c < count; c++)
        groups[c] = group_of(s->cells.keys[c]);
    if (!sl_sort_by_key(s->context->pool, s->arena, groups, count, GROUPS, members, sorted))
        return NULL;
    sl_key_starts(s->context->pool, sorted, count, GROUPS, start);
    return members;
}

/* All groups once, in an order of this round's own, so that no group is favoured. */
static void run_round(Choice *choice, const uint32_t *members, const uint32_t start[GROUPS + 1],
                      uint32_t round)
{
    const SlSampling *s = choice->sampling;
    uint8_t order[GROUPS];
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t to = sl_random(s->seed, (uint64_t)round * GROUPS + g, 2).value[0] % (g + 1);
        order[g] = order[to];
        order[to] = (uint8_t)g;
    }
    for (uint32_t k = 0; k < GROUPS; k++) {
        uint32_t g = order[k];
        choice->members = members + start[g];
        sl_parallel_for(s->context->pool, start[g + 1] - start[g], CHUNK, try_cells, choice);
    }
}

bool sl_sample_choose(SlSampling *s)
{
    uint32_t start[GROUPS + 1];
    uint32_t *members = sort_by_group(s, start);
    s->samples = SL_PUSH(s->arena, uint32_t, s->cells.count);
    Choice choice = {.sampling = s,
                     .at = SL_PUSH(s->arena, SlVec3, s->cells.count),
                     .blockers = SL_PUSH(s->arena, uint32_t, s->cells.count)};
    if (members == NULL || s->samples == NULL || choice.at == NULL || choice.blockers == NULL)
        return false;
    sl_parallel_for(s->context->pool, s->cells.count, CHUNK, clear_cells, &choice);
    for (uint32_t round = 0; round <= TRIALS; round++) {
        choice.first = round;
        choice.last = round < TRIALS ? round + 1 : UINT32_MAX;
        run_round(&choice, members, start, round);
    }
    return true;
}

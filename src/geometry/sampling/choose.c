/* Cells for surface sampling: candidates sorted by cell, a compact list of the occupied ones, and
   for each of them where the 25 rows of its 5 x 5 x 5 neighbourhood begin in that list.

   A hash of cells was rejected: 125 look-ups a test. Cells are sorted, so the five cells of a row
   along z lie side by side, and the beginning of a given row moves only forwards from one cell to
   the next: all rows of all cells cost one walk along the list each. */
#include "core/random.h"
#include "core/sort.h"
#include "geometry/sampling/parts.h"

enum { CHUNK = 4096, CELL_CHUNK = 512 /* whose rows stay in the cache for 25 walks */ };

typedef struct Gather {
    const SlSampling *sampling;
    const uint32_t *order;
    uint32_t *next;
    SlVec3 *positions; /* in cell order */
    uint32_t *triangles;
    uint32_t *axis_keys;
    uint64_t *keys;
    int axis;
} Gather;

static uint32_t coordinate(const SlSampling *s, SlVec3 p, int axis)
{
    const float at[3] = {p.x, p.y, p.z};
    const float low[3] = {s->plan.bounds.min.x, s->plan.bounds.min.y, s->plan.bounds.min.z};
    double cells = ((double)at[axis] - (double)low[axis]) / sl_sample_cell_size(s->radius);
    return (uint32_t)(cells + SL_SAMPLE_MARGIN);
}

static void fill_axis_keys(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    const SlVec3 *positions = g->sampling->candidates.positions;
    for (size_t k = begin; k < end; k++)
        g->axis_keys[k] = coordinate(g->sampling, positions[g->order[k]], g->axis);
}

/* The new order speaks of places in the old one; afterwards it speaks of candidates. */
static void compose_orders(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    for (size_t k = begin; k < end; k++)
        g->next[k] = g->order[g->next[k]];
}

/* Stable sorts by z, then y, then x: together by all three, x first. Returns the order. */
static uint32_t *sort_by_cell(SlSampling *s)
{
    size_t count = s->candidates.count;
    uint32_t *order = SL_PUSH(s->arena, uint32_t, count);
    uint32_t *next = SL_PUSH(s->arena, uint32_t, count);
    uint32_t *keys = SL_PUSH(s->arena, uint32_t, count);
    uint32_t *sorted = SL_PUSH(s->arena, uint32_t, count);
    if (order == NULL || next == NULL || keys == NULL || sorted == NULL)
        return NULL;
    const SlVec3 top = s->plan.bounds.max;
    for (size_t k = 0; k < count; k++)
        order[k] = (uint32_t)k;
    for (int axis = 2; axis >= 0; axis--) {
        Gather g = {.sampling = s, .order = order, .next = next, .axis_keys = keys,
                    .axis = axis};
        sl_parallel_for(s->context->pool, count, CHUNK, fill_axis_keys, &g);
        uint64_t limit = (uint64_t)coordinate(s, top, axis) + SL_SAMPLE_MARGIN;
        if (!sl_sort_by_key(s->context->pool, s->arena, keys, count, limit, next, sorted))
            return NULL;
        sl_parallel_for(s->context->pool, count, CHUNK, compose_orders, &g);
        uint32_t *swap = order;
        order = next;
        next = swap;
    }
    return order;
}

static void gather_candidates(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    const SlSampling *s = g->sampling;
    for (size_t k = begin; k < end; k++) {
        uint32_t i = g->order[k];
        SlVec3 p = s->candidates.positions[i];
        g->positions[k] = p;
        g->triangles[k] = s->candidates.triangles[i];
        g->keys[k] = (uint64_t)coordinate(s, p, 0) << 2 * SL_SAMPLE_AXIS_BITS |
                     (uint64_t)coordinate(s, p, 1) << SL_SAMPLE_AXIS_BITS | coordinate(s, p, 2);
    }
}

/* Keys of candidates, in order, become keys and starts of cells. */
static bool list_cells(SlSampling *s, uint64_t *keys)
{
    SlSampleCells *cells = &s->cells;
    size_t count = s->candidates.count;
    for (size_t k = 0; k < count; k++)
        cells->count += k == 0 || keys[k] != keys[k - 1];
    cells->keys = SL_PUSH(s->arena, uint64_t, cells->count);
    cells->starts = SL_PUSH(s->arena, uint32_t, cells->count + 1);
    cells->rows = SL_PUSH(s->arena, uint32_t, cells->count * SL_SAMPLE_ROWS);
    if (cells->keys == NULL || cells->starts == NULL || cells->rows == NULL)
        return false;
    size_t c = 0;
    for (size_t k = 0; k < count; k++)
        if (k == 0 || keys[k] != keys[k - 1]) {
            cells->keys[c] = keys[k];
            cells->starts[c++] = (uint32_t)k;
        }
    cells->starts[c] = (uint32_t)count;
    return true;
}

/* Offset of a row's first cell from a cell's key; rows go from the middle outwards. */
static uint64_t row_offset(int row)
{
    static const int8_t x[SL_SAMPLE_ROWS] = {0, 0, 0, 1, -1, 1, 1,  -1, -1, 0, 0,  2, -2,
                                             1, 1, -1, -1, 2, 2, -2, -2, 2, 2, -2, -2};
    static const int8_t y[SL_SAMPLE_ROWS] = {0, 1, -1, 0, 0, 1, -1, 1,  -1, 2, -2, 0, 0,
                                             2, -2, 2, -2, 1, -1, 1, -1, 2, -2, 2, -2};
    int64_t offset = (int64_t)x[row] * ((int64_t)1 << 2 * SL_SAMPLE_AXIS_BITS) +
                     (int64_t)y[row] * ((int64_t)1 << SL_SAMPLE_AXIS_BITS) - 2;
    return (uint64_t)offset;
}

static size_t lower_bound(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_rows(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSampleCells *cells = &((const SlSampling *)argument)->cells;
    for (int row = 0; row < SL_SAMPLE_ROWS; row++) {
        uint64_t offset = row_offset(row);
        size_t at = lower_bound(cells->keys, cells->count, cells->keys[begin] + offset), to = at;
        for (size_t c = begin; c < end; c++) {
            uint64_t first = cells->keys[c] + offset;
            while (at < cells->count && cells->keys[at] < first)
                at++;
            while (to < cells->count && cells->keys[to] < first + 5)
                to++;
            cells->rows[c * SL_SAMPLE_ROWS + (size_t)row] = (uint32_t)(at << 3 | (to - at));
        }
    }
}

/* Candidates of a triangle come in strata; which one a cell tries first must not follow them. */
static void shuffle_cells(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSampling *s = argument;
    SlVec3 *positions = s->candidates.positions;
    uint32_t *triangles = s->candidates.triangles;
    for (size_t c = begin; c < end; c++)
        for (uint32_t first = s->cells.starts[c], k = s->cells.starts[c + 1] - 1; k > first; k--) {
            uint64_t choices = (uint64_t)(k - first) + 1;
            uint32_t other =
                first + (uint32_t)(choices * sl_random(s->seed, k, 1).value[0] >> 32);
            SlVec3 p = positions[k];
            uint32_t t = triangles[k];
            positions[k] = positions[other];
            triangles[k] = triangles[other];
            positions[other] = p;
            triangles[other] = t;
        }
}

bool sl_sample_cells(SlSampling *s)
{
    size_t count = s->candidates.count;
    Gather g = {.sampling = s, .order = sort_by_cell(s)};
    g.positions = SL_PUSH(s->arena, SlVec3, count);
    g.triangles = SL_PUSH(s->arena, uint32_t, count);
    g.keys = SL_PUSH(s->arena, uint64_t, count);
    if (g.order == NULL || g.positions == NULL || g.triangles == NULL || g.keys == NULL)
        return false;
    sl_parallel_for(s->context->pool, count, CHUNK, gather_candidates, &g);
    s->candidates.positions = g.positions;
    s->candidates.triangles = g.triangles;
    if (!list_cells(s, g.keys))
        return false;
    sl_parallel_for(s->context->pool, s->cells.count, CELL_CHUNK, find_rows, s);
    sl_parallel_for(s->context->pool, s->cells.count, CELL_CHUNK, shuffle_cells, s);
    return true;
}

double sl_sample_bytes(double candidates, double triangles)
{
    /* Twice place and triangle, key, four sort arrays, and pair buffers of three sorts; a cell's
       key, start, rows, group, sample, place, blocker, one cell a candidate at worst; the plan. */
    double sorting = 2 * 16 + 8 + 4 * 4 + 3 * 8;
    double cell = 8 + 4 + 4 * SL_SAMPLE_ROWS + 3 * 4 + 4 + 12 + 4;
    return candidates * (sorting + cell) + triangles * 36;
}

/* --- Choosing samples among candidates [Bowers 2010 §4]: 27 groups of cells by coordinates
   modulo 3, one group after the other, the cells of a group in parallel. In trial k a cell tries
   its k-th candidate. A cell looks at cells up to 2 away and writes only itself, and cells of one
   group are at least 3 apart, so no order of threads can show in the result.

   After the trials one more round tries every candidate that is left: then each candidate has a
   sample within the radius, which is what keeps holes below two radii. --- */

enum { GROUPS = 27, TRIALS = 10, CHOICE_CHUNK = 512 };

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

/* Straight distances in double: an accepted sample passes any later check. */
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
        sl_parallel_for(s->context->pool, start[g + 1] - start[g], CHOICE_CHUNK, try_cells, choice);
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
    sl_parallel_for(s->context->pool, s->cells.count, CHOICE_CHUNK, clear_cells, &choice);
    for (uint32_t round = 0; round <= TRIALS; round++) {
        choice.first = round;
        choice.last = round < TRIALS ? round + 1 : UINT32_MAX;
        run_round(&choice, members, start, round);
    }
    return true;
}

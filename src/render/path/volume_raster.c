/* Rasterises points of snow: the density at a node is the sum over points near it,

     ρ(x) / ρ0 = Σ_p V_p W(x - x_p),

   W separable B-splines whose weights at the nodes sum to 1, so that volume is conserved. A super-voxel
   gathers its points, in the order of the super-voxels they are in: one writer per node and one order of
   the sums, for any number of threads. Then density becomes relative extinction (transfer). Where velocities
   are wanted, a super-voxel also gathers momentum over mass for each 4³ of its nodes: 1.4 spacings, about the
   cell of the solver's grid, below which velocities hardly differ. */
#include "render/path/volume_grid.h"

#include <stdlib.h>
#include <string.h>

typedef struct Raster {
    const SlSnowPoints *points;
    const SlVolumeSettings *settings;
    SlBlockGrid homes; /* numbers of super-voxels with points; no values are used */
    int32_t (*range)[6]; /* of a home: first and last super-voxel that its points reach, x, y, z */
    int32_t reach;     /* super-voxels from a point's own to the furthest it reaches */
    const SlBlockCoord *coords;
    float *own;
    float *velocity; /* NULL: not wanted */
} Raster;

/* --- Which super-voxels. --- */

/* First and last node of a point along an axis. */
static void node_range(const SlSnowPoint *p, float reach, int a, int *first, int *last)
{
    *first = sl_round_up(p->at[a] - reach);
    *last = sl_round_down(p->at[a] + reach);
}

/* Rounded down also below 0. */
static int supervoxel_of(int node)
{
    return (node - (node % 8 + 8) % 8) / 8;
}

/* The super-voxels whose cells a home's points touch: a node belongs to the cells on both sides. */
static void range_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Raster *r = argument;
    float widths = sl_volume_reach(r->settings->kernel);
    for (size_t h = begin; h < end; h++)
        for (int a = 0; a < 3; a++) {
            int low = 0, high = 0;
            for (uint32_t k = r->points->start[h]; k < r->points->start[h + 1]; k++) {
                int first, last;
                bool is_first = k == r->points->start[h];
                node_range(&r->points->point[k], r->points->point[k].width * widths, a, &first, &last);
                low = is_first || first < low ? first : low;
                high = is_first || last > high ? last : high;
            }
            r->range[h][2 * a] = supervoxel_of(low - 1);
            r->range[h][2 * a + 1] = supervoxel_of(high);
        }
}

/* A set of super-voxels under construction: their coordinates in the order of arrival, and a table. */
typedef struct VoxelSet {
    SlMemory *memory;
    SlBlockCoord *coords;
    uint32_t *table;
    uint32_t count, size; /* size: of the table, a power of two; coords has half of it */
} VoxelSet;

static void free_set(VoxelSet *set)
{
    sl_free(set->memory, set->coords, set->size / 2 * sizeof *set->coords);
    sl_free(set->memory, set->table, set->size * sizeof *set->table);
    set->coords = NULL;
    set->table = NULL;
}

static bool make_set(VoxelSet *set, SlMemory *memory, uint32_t size)
{
    *set = (VoxelSet){.memory = memory, .size = size};
    set->coords = sl_alloc(memory, size / 2 * sizeof *set->coords);
    set->table = sl_alloc(memory, size * sizeof *set->table);
    if (set->coords == NULL || set->table == NULL) {
        free_set(set);
        return false;
    }
    memset(set->table, 0xff, size * sizeof *set->table);
    return true;
}

/* The table has a free place. */
static void insert(VoxelSet *set, SlBlockCoord c)
{
    uint32_t mask = set->size - 1, at = sl_block_hash(c) & mask;
    for (; set->table[at] != SL_NO_BLOCK; at = (at + 1) & mask) {
        SlBlockCoord found = set->coords[set->table[at]];
        if (found.x == c.x && found.y == c.y && found.z == c.z)
            return;
    }
    set->coords[set->count] = c;
    set->table[at] = set->count++;
}

static bool add(VoxelSet *set, SlBlockCoord c)
{
    if (set->count + 1 >= set->size / 2) {
        VoxelSet larger;
        if (set->size > (1u << 30) || !make_set(&larger, set->memory, 2 * set->size))
            return false;
        for (uint32_t k = 0; k < set->count; k++)
            insert(&larger, set->coords[k]);
        free_set(set);
        *set = larger;
    }
    insert(set, c);
    return true;
}

static int compare(const void *a, const void *b)
{
    const SlBlockCoord *p = a, *q = b;
    if (p->z != q->z)
        return p->z < q->z ? -1 : 1;
    if (p->y != q->y)
        return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

/* All super-voxels that points reach, sorted, in the arena. NULL when memory is out. */
static SlBlockCoord *reached_voxels(SlContext *context, Raster *r, uint32_t *count)
{
    VoxelSet set;
    if (!make_set(&set, &context->memory, 1 << 12))
        return NULL;
    bool enough = true;
    r->reach = 0;
    for (uint32_t h = 0; enough && h < r->points->home_count; h++) {
        const int32_t *range = r->range[h];
        SlBlockCoord home = r->points->home[h];
        const int32_t at[3] = {home.x, home.y, home.z};
        for (int a = 0; a < 3; a++) {
            int32_t below = at[a] - range[2 * a], above = range[2 * a + 1] - at[a];
            int32_t reach = below > above ? below : above;
            r->reach = reach > r->reach ? reach : r->reach;
        }
        for (int32_t z = range[4]; z <= range[5]; z++)
            for (int32_t y = range[2]; y <= range[3]; y++)
                for (int32_t x = range[0]; x <= range[1]; x++)
                    enough = enough && add(&set, (SlBlockCoord){x, y, z});
    }
    SlBlockCoord *coords = enough ? SL_PUSH(&context->arena, SlBlockCoord, set.count) : NULL;
    if (coords != NULL) {
        memcpy(coords, set.coords, set.count * sizeof *coords);
        qsort(coords, set.count, sizeof *coords, compare);
        *count = set.count;
    }
    free_set(&set);
    return coords;
}

/* --- Sums. --- */

/* Weights of a point along the axes at the 8³ own nodes of a super-voxel; they are 0 but from `low` to `high`. */
typedef struct Weights {
    int low[3], high[3];
    float at[3][SL_VOXEL_CELLS];
} Weights;

/* base: first node of the super-voxel. False: the point does not reach it. */
static bool weigh(const SlSnowPoint *p, SlVolumeKernel kernel, const int base[3], Weights *w)
{
    float reach = p->width * sl_volume_reach(kernel);
    for (int a = 0; a < 3; a++) /* most points of the super-voxels around do not */
        if (p->at[a] + reach < (float)base[a] || p->at[a] - reach > (float)(base[a] + SL_VOXEL_CELLS - 1))
            return false;
    float per_width = 1 / p->width;
    for (int a = 0; a < 3; a++) {
        node_range(p, reach, a, &w->low[a], &w->high[a]);
        w->low[a] = w->low[a] > base[a] ? w->low[a] - base[a] : 0;
        w->high[a] = w->high[a] - base[a] < SL_VOXEL_CELLS - 1 ? w->high[a] - base[a] : SL_VOXEL_CELLS - 1;
        if (w->low[a] > w->high[a])
            return false;
    }
    memset(w->at, 0, sizeof w->at);
    for (int a = 0; a < 3; a++)
        for (int n = w->low[a]; n <= w->high[a]; n++)
            w->at[a][n] = sl_volume_weight(kernel, ((float)(base[a] + n) - p->at[a]) * per_width);
    return true;
}

/* Along x at all nodes: a loop of fixed length is vectors. */
static void add_point(const Weights *w, float amount, float *own)
{
    for (int z = w->low[2]; z <= w->high[2]; z++)
        for (int y = w->low[1]; y <= w->high[1]; y++) {
            float factor = amount * w->at[2][z] * w->at[1][y];
            float *row = own + 8 * (y + 8 * z);
            for (int x = 0; x < SL_VOXEL_CELLS; x++)
                row[x] += factor * w->at[0][x];
        }
}

/* Momentum (3) and mass of each 4³ nodes; the kernel is separable, and so are their sums. */
typedef double Momentum[SL_VOXEL_BINS][4];

static void add_momentum(const Weights *w, float amount, SlVec3 velocity, Momentum sums)
{
    float part[3][2] = {{0}};
    for (int a = 0; a < 3; a++)
        for (int n = w->low[a]; n <= w->high[a]; n++)
            part[a][n >= SL_VOXEL_CELLS / 2] += w->at[a][n];
    for (int k = 0; k < SL_VOXEL_BINS; k++) {
        double mass = (double)(amount * part[0][k & 1] * part[1][k >> 1 & 1] * part[2][k >> 2]);
        sums[k][0] += mass * (double)velocity.x;
        sums[k][1] += mass * (double)velocity.y;
        sums[k][2] += mass * (double)velocity.z;
        sums[k][3] += mass;
    }
}

static void set_velocities(const Momentum sums, float *velocity)
{
    for (int k = 0; k < SL_VOXEL_BINS; k++)
        for (int a = 0; a < 3; a++)
            velocity[3 * k + a] = sums[k][3] > 0 ? (float)(sums[k][a] / sums[k][3]) : 0;
}

static bool reaches(const int32_t range[6], SlBlockCoord c)
{
    return c.x >= range[0] && c.x <= range[1] && c.y >= range[2] && c.y <= range[3] &&
           c.z >= range[4] && c.z <= range[5];
}

/* Relative extinction at a relative density: max(smoothstep(edge, ρ/ρ0), loose ρ/ρ0). */
static float transfer(const SlVolumeSettings *s, float density)
{
    if (s->edge[1] <= s->edge[0])
        return density;
    float t = fminf(fmaxf((density - s->edge[0]) / (s->edge[1] - s->edge[0]), 0), 1);
    return fmaxf(t * t * (3 - 2 * t), s->loose * density);
}

/* Adds all points of a home to the super-voxel whose first node is `base`. */
static void add_home(const Raster *r, uint32_t home, const int base[3], float *own, Momentum sums)
{
    for (uint32_t k = r->points->start[home]; k < r->points->start[home + 1]; k++) {
        const SlSnowPoint *p = &r->points->point[k];
        Weights w;
        if (!weigh(p, r->settings->kernel, base, &w))
            continue;
        add_point(&w, p->amount, own);
        if (r->velocity != NULL)
            add_momentum(&w, p->amount, sl_volume_particle_velocity(&r->points->velocity, p->particle), sums);
    }
}

static void gather_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Raster *r = argument;
    for (size_t v = begin; v < end; v++) {
        SlBlockCoord c = r->coords[v];
        float *own = r->own + v * SL_VOXEL_OWN;
        const int base[3] = {c.x * SL_VOXEL_CELLS, c.y * SL_VOXEL_CELLS, c.z * SL_VOXEL_CELLS};
        Momentum sums = {{0}};
        memset(own, 0, SL_VOXEL_OWN * sizeof *own);
        for (int32_t z = c.z - r->reach; z <= c.z + r->reach; z++)
            for (int32_t y = c.y - r->reach; y <= c.y + r->reach; y++)
                for (int32_t x = c.x - r->reach; x <= c.x + r->reach; x++) {
                    uint32_t home = sl_block_grid_find(&r->homes, (SlBlockCoord){x, y, z});
                    if (home != SL_NO_BLOCK && reaches(r->range[home], c))
                        add_home(r, home, base, own, sums);
                }
        if (r->velocity != NULL)
            set_velocities(sums, r->velocity + v * 3 * SL_VOXEL_BINS);
        for (int n = 0; n < SL_VOXEL_OWN; n++)
            own[n] = transfer(r->settings, own[n]);
    }
}

/* A table from a home's coordinates to its number, without a grid's values. */
static bool make_home_table(SlContext *context, const SlSnowPoints *points, SlBlockGrid *homes)
{
    uint32_t size = 16;
    while (size / 2 <= points->home_count)
        size *= 2;
    *homes = (SlBlockGrid){.count = points->home_count, .coords = points->home, .table_size = size};
    homes->table = SL_PUSH(&context->arena, uint32_t, size);
    if (homes->table == NULL)
        return false;
    memset(homes->table, 0xff, size * sizeof *homes->table);
    for (uint32_t k = 0; k < homes->count; k++) {
        uint32_t at = sl_block_hash(homes->coords[k]) & (size - 1);
        while (homes->table[at] != SL_NO_BLOCK)
            at = (at + 1) & (size - 1);
        homes->table[at] = k;
    }
    return true;
}

SlStatus sl_volume_raster(SlContext *context, const SlSnowPoints *points,
                          const SlVolumeSettings *settings, SlVoxelValues *values, SlError *error)
{
    enum { CHUNK = 16 };
    Raster r = {.points = points, .settings = settings};
    r.range = sl_arena_push_array(&context->arena, points->home_count, sizeof *r.range);
    if (r.range == NULL || !make_home_table(context, points, &r.homes))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the snow volume's table");
    sl_parallel_for(context->pool, points->home_count, CHUNK, range_chunk, &r);
    uint32_t count = 0;
    r.coords = reached_voxels(context, &r, &count);
    r.own = r.coords == NULL
                ? NULL
                : sl_arena_push_array(&context->arena, count, SL_VOXEL_OWN * sizeof(float));
    if (r.own == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "no memory for the snow volume's density; set a larger snow_cell");
    if (settings->velocities && points->velocity.data != NULL) {
        r.velocity = sl_arena_push_array(&context->arena, count, 3 * SL_VOXEL_BINS * sizeof(float));
        if (r.velocity == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the snow volume's velocities");
    }
    sl_parallel_for(context->pool, count, CHUNK, gather_chunk, &r);
    *values = (SlVoxelValues){.coords = r.coords, .count = count, .own = r.own, .velocity = r.velocity};
    return SL_OK;
}

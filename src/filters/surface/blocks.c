/* Which blocks of the lattice can hold the surface.

   Particles are counted in coarse cells, two spacings wide. A block is deep inside where every coarse
   cell that a kernel could reach it from holds nearly as many particles as at rest: no field is computed
   there, and every node is 1. Time and memory then follow the surface, not the volume. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface.h"

enum { CELL_CHUNK = 256, BLOCK_CHUNK = 32 };
static const float coarse_spacings = 2;
/* Particles at rest keep counts within about 15 % of the mean; half of the space empty is below. */
static const float full_fraction = 0.6f;

/* --- sets --- */

static uint32_t *find_slot(const SurfaceSet *set, SlBlockCoord key)
{
    uint32_t mask = set->table_size - 1;
    for (uint32_t at = sl_block_hash(key) & mask;; at = (at + 1) & mask) {
        uint32_t place = set->table[at];
        if (place == SL_NO_BLOCK)
            return &set->table[at];
        SlBlockCoord found = set->keys[place];
        if (found.x == key.x && found.y == key.y && found.z == key.z)
            return &set->table[at];
    }
}

uint32_t surface_set_find(const SurfaceSet *set, SlBlockCoord key)
{
    return set->count == 0 ? SL_NO_BLOCK : *find_slot(set, key);
}

static bool grow(SurfaceSet *set)
{
    uint32_t room = set->room == 0 ? 1024 : 2 * set->room;
    SlBlockCoord *keys =
        sl_regrow(set->memory, set->keys, set->room * sizeof *keys, room * sizeof *keys,
                  set->count * sizeof *keys);
    if (keys == NULL)
        return false;
    set->keys = keys;
    set->room = room;
    uint32_t *table = sl_alloc(set->memory, 2 * (size_t)room * sizeof *table);
    if (table == NULL)
        return false;
    sl_free(set->memory, set->table, set->table_size * sizeof *table);
    set->table = table;
    set->table_size = 2 * room;
    memset(table, 0xFF, set->table_size * sizeof *table);
    for (uint32_t k = 0; k < set->count; k++)
        *find_slot(set, set->keys[k]) = k;
    return true;
}

/* Its place, new or not; SL_NO_BLOCK: no memory. */
static uint32_t insert(SurfaceSet *set, SlBlockCoord key)
{
    if (set->count == set->room && !grow(set))
        return SL_NO_BLOCK;
    uint32_t *slot = find_slot(set, key);
    if (*slot == SL_NO_BLOCK) {
        set->keys[set->count] = key;
        *slot = set->count++;
    }
    return *slot;
}

static void free_set(SurfaceSet *set)
{
    sl_free(set->memory, set->keys, set->room * sizeof *set->keys);
    sl_free(set->memory, set->table, set->table_size * sizeof *set->table);
    memset(set, 0, sizeof *set);
}

void surface_blocks_free(SurfaceBlocks *blocks)
{
    SlMemory *memory = blocks->cells.memory;
    if (memory != NULL)
        sl_free(memory, blocks->counts, blocks->counts_room * sizeof *blocks->counts);
    if (memory != NULL)
        free_set(&blocks->cells);
    if (blocks->set.memory != NULL)
        free_set(&blocks->set);
    blocks->counts = NULL;
}

/* --- coarse cells --- */

/* `last`: the place of the point before, which is often the same. */
static bool count_at(SurfaceBlocks *blocks, SlBlockCoord key, uint32_t *last)
{
    uint32_t place = *last;
    if (place != SL_NO_BLOCK) {
        SlBlockCoord before = blocks->cells.keys[place];
        if (before.x == key.x && before.y == key.y && before.z == key.z) {
            blocks->counts[place]++;
            return true;
        }
    }
    place = *last = insert(&blocks->cells, key);
    if (place == SL_NO_BLOCK)
        return false;
    if (blocks->counts_room < blocks->cells.room) {
        SlMemory *memory = blocks->cells.memory;
        uint32_t room = blocks->cells.room, old = blocks->counts_room;
        uint32_t *counts = sl_regrow(memory, blocks->counts, old * sizeof *counts,
                                     room * sizeof *counts, old * sizeof *counts);
        if (counts == NULL)
            return false;
        memset(counts + old, 0, (room - old) * sizeof *counts);
        blocks->counts = counts;
        blocks->counts_room = room;
    }
    blocks->counts[place]++;
    return true;
}

static bool count_particles(const SurfaceLattice *lattice, const SurfaceSolids *solids, float depth,
                            const SlFieldView *position, SurfaceBlocks *blocks)
{
    bool done = true;
    size_t next = 0;
    uint32_t last[SURFACE_MAX_IMAGES];
    memset(last, 0xFF, sizeof last);
    for (size_t i = 0; done && i < position->count; i++) {
        float x[3];
        memcpy(x, (const char *)position->data + i * position->stride, sizeof x);
        SurfaceImages images;
        surface_images(lattice, solids, (uint32_t)i, x, depth, &next, &images);
        for (int k = 0; done && k < images.count; k++)
            done = count_at(blocks, surface_coarse_cell(blocks, images.x[k]), &last[k]);
    }
    return done;
}

/* --- blocks --- */

typedef struct IndexRange {
    int32_t low[3], high[3];
} IndexRange;

static int32_t block_of(int32_t node)
{
    return node >= 0 ? node / SURFACE_BLOCK : -((SURFACE_BLOCK - 1 - node) / SURFACE_BLOCK);
}

/* The blocks that own a cell with a node within `reach` of the coarse cell and between the walls. */
static IndexRange blocks_near(const SurfaceLattice *lattice, float cell, SlBlockCoord c, float reach)
{
    const int32_t *at = &c.x;
    IndexRange range;
    for (int k = 0; k < 3; k++) {
        float low = (float)at[k] * cell - reach, high = (float)(at[k] + 1) * cell + reach;
        float from = floorf((low - lattice->origin[k]) * lattice->inverse_cell[k]);
        float to = floorf((high - lattice->origin[k]) * lattice->inverse_cell[k]);
        int32_t first = (int32_t)from, last = (int32_t)to;
        if (lattice->low[k] != INT32_MIN && first < lattice->low[k] - 1)
            first = lattice->low[k] - 1;
        last = last < lattice->high[k] ? last : lattice->high[k];
        range.low[k] = block_of(first);
        range.high[k] = last < first ? range.low[k] - 1 : block_of(last);
    }
    return range;
}

static bool add_blocks(const SurfaceLattice *lattice, float reach, SurfaceBlocks *blocks)
{
    IndexRange last = {{0, 0, 0}, {-1, -1, -1}};
    for (uint32_t c = 0; c < blocks->cells.count; c++) {
        IndexRange r = blocks_near(lattice, blocks->cell, blocks->cells.keys[c], reach);
        if (memcmp(&r, &last, sizeof r) == 0)
            continue; /* as of the cell before it */
        last = r;
        for (int32_t z = r.low[2]; z <= r.high[2]; z++)
            for (int32_t y = r.low[1]; y <= r.high[1]; y++)
                for (int32_t x = r.low[0]; x <= r.high[0]; x++)
                    if (insert(&blocks->set, (SlBlockCoord){x, y, z}) == SL_NO_BLOCK)
                        return false;
    }
    return true;
}

static int compare_coords(const SlBlockCoord *a, const SlBlockCoord *b)
{
    if (a->z != b->z)
        return a->z < b->z ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->x < b->x ? -1 : a->x > b->x;
}

/* Heap sort of the keys, then the table anew: the order of blocks, and so of vertices, does not depend
   on the order of particles. */
static void sift(SlBlockCoord *keys, size_t root, size_t count)
{
    SlBlockCoord key = keys[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && compare_coords(&keys[child], &keys[child + 1]) < 0)
            child++;
        if (compare_coords(&key, &keys[child]) >= 0)
            break;
        keys[root] = keys[child];
    }
    keys[root] = key;
}

static void sort_set(SurfaceSet *set)
{
    for (size_t k = set->count / 2; k-- > 0;)
        sift(set->keys, k, set->count);
    for (size_t k = set->count; k-- > 1;) {
        SlBlockCoord top = set->keys[0];
        set->keys[0] = set->keys[k];
        set->keys[k] = top;
        sift(set->keys, 0, k);
    }
    memset(set->table, 0xFF, set->table_size * sizeof *set->table);
    for (uint32_t k = 0; k < set->count; k++)
        *find_slot(set, set->keys[k]) = k;
}

typedef struct Classify {
    const SurfaceLattice *lattice;
    const SurfaceSolids *solids;
    SurfaceBlocks *blocks;
    float reach, vicinity;
    float full; /* particles of a full coarse cell */
} Classify;

/* The coarse cells within reach of the block's own nodes, as far as they are between the walls; false:
   it has no such nodes. */
static bool cells_near(const Classify *p, SlBlockCoord block, IndexRange *range)
{
    const SurfaceLattice *lattice = p->lattice;
    const int32_t *at = &block.x;
    for (int k = 0; k < 3; k++) {
        int32_t first = at[k] * SURFACE_BLOCK, last = first + SURFACE_BLOCK - 1;
        first = first > lattice->low[k] ? first : lattice->low[k];
        last = last < lattice->high[k] ? last : lattice->high[k];
        if (first > last)
            return false;
        float low = surface_node(lattice, k, first) - p->reach;
        float high = surface_node(lattice, k, last) + p->reach;
        low = low > lattice->wall[0][k] ? low : lattice->wall[0][k];
        high = high < lattice->wall[1][k] ? high : lattice->wall[1][k];
        range->low[k] = (int32_t)floorf(low / p->blocks->cell);
        range->high[k] = (int32_t)floorf(high / p->blocks->cell); /* a particle may be in the wall */
    }
    return true;
}

/* AIR: all of the block's nodes and the next layer are in a solid; 0: a solid's surface may cross them;
   DEEP: there is none. */
static uint32_t solid_state(const Classify *p, SlBlockCoord block)
{
    if (p->solids->count == 0)
        return SURFACE_DEEP;
    const SurfaceLattice *lattice = p->lattice;
    const int32_t *at = &block.x;
    float center[3], radius2 = 0;
    for (int k = 0; k < 3; k++) {
        float half = 0.5f * (SURFACE_BLOCK + 1) * lattice->cell[k];
        center[k] = surface_node(lattice, k, at[k] * SURFACE_BLOCK) + half;
        radius2 += half * half;
    }
    float radius = sqrtf(radius2) + p->solids->sink + lattice->cell[0];
    float s = surface_solids_distance(p->solids, center, radius, NULL);
    return s < -radius ? SURFACE_AIR : s < radius ? 0 : SURFACE_DEEP;
}

static void classify_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Classify *p = argument;
    SurfaceBlocks *blocks = p->blocks;
    for (size_t b = begin; b < end; b++) {
        IndexRange r;
        bool deep = true, air = true;
        if (!cells_near(p, blocks->set.keys[b], &r)) {
            blocks->field_of[b] = SURFACE_AIR;
            continue;
        }
        for (int32_t z = r.low[2]; (deep || air) && z <= r.high[2]; z++)
            for (int32_t y = r.low[1]; (deep || air) && y <= r.high[1]; y++)
                for (int32_t x = r.low[0]; (deep || air) && x <= r.high[0]; x++) {
                    uint32_t cell = surface_set_find(&blocks->cells, (SlBlockCoord){x, y, z});
                    float count = cell == SL_NO_BLOCK ? 0 : (float)blocks->counts[cell];
                    deep = deep && count >= full_fraction * p->full;
                    air = air && count == 0;
                }
        uint32_t solid = solid_state(p, blocks->set.keys[b]);
        air |= solid == SURFACE_AIR;
        deep &= solid == SURFACE_DEEP;
        blocks->field_of[b] = air ? SURFACE_AIR : deep ? SURFACE_DEEP : 0;
    }
}

static bool touches_wall(const SurfaceLattice *lattice, SlBlockCoord block)
{
    const int32_t *at = &block.x;
    bool touches = false;
    for (int k = 0; k < 3; k++) {
        int32_t first = at[k] * SURFACE_BLOCK;
        touches |= first < lattice->low[k] || first + SURFACE_BLOCK > lattice->high[k];
    }
    return touches;
}

/* Whether the coarse cell and those around it are full; behind walls there are images. */
static bool is_full_around(const Classify *p, SlBlockCoord key)
{
    bool full = true;
    for (int k = 0; full && k < 27; k++) {
        SlBlockCoord at = {key.x + k % 3 - 1, key.y + k / 3 % 3 - 1, key.z + k / 9 - 1};
        uint32_t cell = surface_set_find(&p->blocks->cells, at);
        full = cell != SL_NO_BLOCK && (float)p->blocks->counts[cell] >= full_fraction * p->full;
    }
    return full;
}

/* The level of a coarse cell from the blocks around it. */
static void level_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Classify *p = argument;
    SurfaceBlocks *blocks = p->blocks;
    for (size_t c = begin; c < end; c++) {
        SlBlockCoord key = blocks->cells.keys[c];
        IndexRange in = blocks_near(p->lattice, blocks->cell, key, p->reach);
        IndexRange r = blocks_near(p->lattice, blocks->cell, key, p->reach + p->vicinity);
        uint8_t level = SURFACE_FAR;
        for (int32_t z = r.low[2]; z <= r.high[2]; z++)
            for (int32_t y = r.low[1]; y <= r.high[1]; y++)
                for (int32_t x = r.low[0]; level < SURFACE_REACHING && x <= r.high[0]; x++) {
                    SlBlockCoord at = {x, y, z};
                    uint32_t block = surface_set_find(&blocks->set, at);
                    if (block == SL_NO_BLOCK || blocks->field_of[block] == SURFACE_AIR)
                        continue;
                    bool reaches = x >= in.low[0] && x <= in.high[0] && y >= in.low[1] &&
                                   y <= in.high[1] && z >= in.low[2] && z <= in.high[2];
                    if (blocks->field_of[block] != SURFACE_DEEP)
                        level = reaches ? SURFACE_REACHING : SURFACE_NEAR;
                    else if (reaches && level == SURFACE_FAR && touches_wall(p->lattice, at))
                        level = SURFACE_NEAR;
                }
        if (level == SURFACE_REACHING && is_full_around(p, key))
            level = SURFACE_INSIDE;
        blocks->levels[c] = level;
    }
}

bool surface_blocks_find(SlContext *context, const SurfaceLattice *lattice,
                         const SurfaceSettings *settings, const SurfaceSolids *solids,
                         const SlFieldView *position, SurfaceBlocks *blocks)
{
    SlArena *arena = &context->arena;
    float d = settings->spacing, reach = settings->support * d;
    float depth = (settings->support > settings->vicinity ? settings->support : settings->vicinity) * d;
    memset(blocks, 0, sizeof *blocks);
    blocks->cells.memory = blocks->set.memory = &context->memory;
    blocks->cell = coarse_spacings * d;
    if (!count_particles(lattice, solids, depth, position, blocks) ||
        !add_blocks(lattice, reach, blocks))
        return false;
    if (blocks->set.count > 0)
        sort_set(&blocks->set);
    blocks->field_of = SL_PUSH(arena, uint32_t, blocks->set.count);
    blocks->levels = SL_PUSH(arena, uint8_t, blocks->cells.count);
    if (blocks->field_of == NULL || blocks->levels == NULL)
        return false;
    Classify p = {.lattice = lattice, .solids = solids, .blocks = blocks, .reach = reach,
                  .vicinity = settings->vicinity * d,
                  .full = coarse_spacings * coarse_spacings * coarse_spacings};
    sl_parallel_for(context->pool, blocks->set.count, BLOCK_CHUNK, classify_chunk, &p);
    for (uint32_t b = 0; b < blocks->set.count; b++)
        if (blocks->field_of[b] == 0)
            blocks->field_of[b] = blocks->field_count++;
    sl_parallel_for(context->pool, blocks->cells.count, CELL_CHUNK, level_chunk, &p);
    blocks->fields = sl_arena_push_array(arena, blocks->field_count,
                                         SURFACE_BLOCK_NODES * sizeof(float));
    if (solids->count > 0)
        blocks->cut_bits = sl_arena_push_array(arena, blocks->field_count,
                                               SURFACE_CUT_WORDS * sizeof(uint64_t));
    return blocks->fields != NULL && (solids->count == 0 || blocks->cut_bits != NULL);
}

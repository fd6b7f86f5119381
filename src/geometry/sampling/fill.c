/* Every row of cells is a pure function of the plan, so places are counted by chunks of rows, and
   then written where the counts before say: no list is kept and no memory guessed. The distances
   are asked for twice; they cost less than keeping them would. */
#include "geometry/sampling/fill.h"

#include <math.h>
#include <string.h>

#include "core/random.h"

enum { CHUNK_ROWS = 16, MAX_PER_CELL = 64 };
static const double max_cells = 1e12;

float sl_region_distance(const SlRegion *region, SlVec3 point)
{
    if (region->blend == NULL && region->field == NULL)
        return sl_box_distance(region->bounds, point);
    return region->blend != NULL ? sl_blend_distance(region->blend, point, NULL)
                                 : sl_sdf_distance(region->field, point, NULL);
}

typedef struct Row {
    const SlFill *fill;
    int64_t y, z;   /* cells */
    float *records; /* NULL: only count */
    uint64_t count, taken;
} Row;

static void try_place(Row *row, double x, double y, double z)
{
    const SlFillPlan *plan = &row->fill->plan;
    SlVec3 place = {(float)x, (float)y, (float)z};
    if (!(sl_region_distance(&plan->region, place) <= -plan->depth))
        return;
    if (plan->is_free != NULL && !plan->is_free(plan->user, place)) {
        row->taken++;
        return;
    }
    if (row->records != NULL)
        memcpy(row->records + 4 * row->count, &place, sizeof place);
    row->count++;
}

static double corner(const SlFillPlan *plan, int axis, int64_t cell)
{
    return (double)(&plan->origin.x)[axis] + (double)cell * plan->cell;
}

/* The cell in side³ equal parts, of which per_cell get one place each. Parts are drawn as from a
   pack of cards; where there are as many places as parts, each has its own. */
static void try_random(Row *row, int64_t x)
{
    const SlFill *fill = row->fill;
    const SlFillPlan *plan = &fill->plan;
    uint32_t side = 1, part[MAX_PER_CELL];
    while (side * side * side < plan->per_cell)
        side++;
    uint32_t parts = side * side * side;
    uint64_t cell = (uint64_t)(((row->z - fill->low[2]) * fill->size[1] + row->y - fill->low[1]) *
                                   fill->size[0] +
                               x - fill->low[0]);
    double width = plan->cell / side;
    for (uint32_t k = 0; k < parts; k++)
        part[k] = k;
    for (uint32_t k = 0; k < plan->per_cell; k++) {
        SlRandom4 r = sl_random(plan->seed, cell * MAX_PER_CELL + k, plan->stream);
        uint32_t other = k + (uint32_t)(((uint64_t)r.value[3] * (parts - k)) >> 32);
        uint32_t drawn = part[other];
        part[other] = part[k];
        uint32_t layer = drawn / (side * side);
        try_place(row,
                  corner(plan, 0, x) + width * (drawn % side + (double)sl_random_unit(r.value[0])),
                  corner(plan, 1, row->y) +
                      width * (drawn / side % side + (double)sl_random_unit(r.value[1])),
                  corner(plan, 2, row->z) +
                      width * (layer + (double)sl_random_unit(r.value[2])));
    }
}

static void walk_row(Row *row)
{
    const SlFill *fill = row->fill;
    const SlFillPlan *plan = &fill->plan;
    double half = 0.5 * plan->cell;
    for (int64_t x = fill->low[0]; x < fill->low[0] + fill->size[0]; x++)
        if (plan->per_cell > 0)
            try_random(row, x);
        else
            try_place(row, corner(plan, 0, x) + half, corner(plan, 1, row->y) + half,
                      corner(plan, 2, row->z) + half);
}

typedef struct Walk {
    const SlFill *fill;
    float *records;
} Walk;

static void walk_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Walk *walk = argument;
    const SlFill *fill = walk->fill;
    Row row = {.fill = fill};
    if (walk->records != NULL)
        row.records = walk->records + 4 * fill->before[chunk];
    for (size_t r = begin; r < end; r++) {
        row.y = fill->low[1] + (int64_t)r % fill->size[1];
        row.z = fill->low[2] + (int64_t)r / fill->size[1];
        walk_row(&row);
    }
    if (walk->records == NULL) {
        fill->before[chunk] = row.count;
        fill->taken[chunk] = row.taken;
    }
}

SlStatus sl_fill_create(SlContext *context, const SlFillPlan *plan, SlFill *fill, SlError *error)
{
    memset(fill, 0, sizeof *fill);
    fill->plan = *plan;
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        double origin = (double)(&plan->origin.x)[k];
        double low = floor(((double)(&plan->region.bounds.min.x)[k] - origin) / plan->cell);
        double high = ceil(((double)(&plan->region.bounds.max.x)[k] - origin) / plan->cell);
        cells *= high - low;
        if (!(cells <= max_cells))
            return sl_error_set(error, SL_ERROR_MEMORY,
                                "a region to fill spans more than %g cells of %g m", max_cells,
                                plan->cell);
        fill->low[k] = (int64_t)low;
        fill->size[k] = (int64_t)(high - low);
    }
    size_t rows = (size_t)fill->size[1] * (size_t)fill->size[2];
    fill->chunks = sl_chunk_count(rows, CHUNK_ROWS);
    fill->context = context;
    fill->before = sl_alloc_zero(&context->memory, fill->chunks + 1, sizeof *fill->before);
    fill->taken = sl_alloc_zero(&context->memory, fill->chunks + 1, sizeof *fill->taken);
    if (fill->before == NULL || fill->taken == NULL) {
        sl_fill_destroy(fill);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to fill %zu rows of cells", rows);
    }
    Walk walk = {fill, NULL};
    SlLongLoop loop = {rows, CHUNK_ROWS, walk_chunk, &walk, "fill"};
    SlStatus status = sl_run_long_loop(context, &loop, error);
    if (status != SL_OK) {
        sl_fill_destroy(fill);
        return status;
    }
    for (size_t c = 0; c < fill->chunks; c++) {
        uint64_t here = fill->before[c];
        fill->before[c] = fill->count;
        fill->count += here;
        fill->taken_count += fill->taken[c];
    }
    return SL_OK;
}

void sl_fill_destroy(SlFill *fill)
{
    if (fill->context == NULL)
        return;
    SlMemory *memory = &fill->context->memory;
    sl_free(memory, fill->before, (fill->chunks + 1) * sizeof *fill->before);
    sl_free(memory, fill->taken, (fill->chunks + 1) * sizeof *fill->taken);
    memset(fill, 0, sizeof *fill);
}

void sl_fill_place(const SlFill *fill, float *records)
{
    Walk walk = {fill, records};
    sl_parallel_for(fill->context->pool, (size_t)fill->size[1] * (size_t)fill->size[2], CHUNK_ROWS,
                    walk_chunk, &walk);
}

/* Places by error diffusion over a lattice. Every cell of the lattice has a weight, the part of it
   that is inside the region and free, sampled at SUB³ points. Along the rows of cells the weights
   are added up, and a cell gets a place when the sum passes the next half: so every row, layer and
   thin part has its share of the places to within one, and the interior is the lattice itself.
   A lattice cut off at the surface was rejected because what is thinner than a spacing stays empty,
   a narrower lattice because it moves those places into the thick parts.

   Weights are integers: sums are exact, and a place depends on the sum before its cell alone. */
#include "geometry/sampling/pack.h"

#include <math.h>
#include <string.h>

enum { CHUNK_ROWS = 16, SUB = 3, SAMPLES = SUB * SUB * SUB };
enum { FULL = 1 << 15, FULL_SAMPLE = 1200 }; /* weights of a cell and of a sample */
static const double max_cells = 1e11;
/* In spacings. */
static const double slack = 1e-3;     /* decimal fractions are not exact in floats */
static const double half_diagonal = 0.867; /* of a cell */
static const double field_error = 0.1; /* that distance fields may be off */
static const double margin = 0.1;     /* places are so far inside, where the region has room */

/* --- The free part of a cell --- */

/* Signed distance to the free part of the region, and to the region itself; above `reach` they are
   only known to be that. */
static double free_distance(const SlPackPlan *plan, SlVec3 p, double reach, double *region)
{
    *region = plan->region.field != NULL
                  ? (double)sl_sdf_distance_within(plan->region.field, p, (float)reach, NULL)
                  : (double)sl_region_distance(&plan->region, p);
    if (plan->clearance == NULL || *region > reach)
        return *region;
    double clear = (double)plan->clearance(plan->user, p, (float)(reach + slack * plan->spacing));
    return fmax(*region, -clear - slack * plan->spacing);
}

typedef struct Cell {
    uint32_t free, region; /* weights, with and without obstacles */
    double center[3];      /* m */
    double at[SAMPLES][3]; /* m */
    double distance[SAMPLES];
    uint32_t weight[SAMPLES];
} Cell;

static SlVec3 to_floats(const double at[3])
{
    return sl_vec3((float)at[0], (float)at[1], (float)at[2]);
}

static uint32_t part_of(double distance, double width)
{
    return (uint32_t)(FULL_SAMPLE * fmin(fmax(0.5 - distance / width, 0), 1) + 0.5);
}

/* Position of a sample; its distance from the centre. */
static double find_sample(const SlPackPlan *plan, Cell *cell, int s)
{
    /* by the number of steps along the axes */
    static const double way[4] = {0, 1, 1.41421356237309505, 1.73205080756887729};
    const int step[3] = {s % SUB - 1, s / SUB % SUB - 1, s / (SUB * SUB) - 1};
    for (int k = 0; k < 3; k++)
        cell->at[s][k] = cell->center[k] + step[k] * (plan->spacing / SUB);
    return plan->spacing / SUB *
           way[step[0] * step[0] + step[1] * step[1] + step[2] * step[2]];
}

/* Weights of a cell's samples, smooth over the width of one: a flat surface has its exact volume. */
static void sample_cell(const SlPackPlan *plan, Cell *cell)
{
    double width = plan->spacing / SUB, region;
    for (int s = 0; s < SAMPLES; s++) {
        find_sample(plan, cell, s);
        cell->distance[s] = free_distance(plan, to_floats(cell->at[s]), width, &region);
        cell->weight[s] = part_of(cell->distance[s], width);
    }
}

static uint32_t weight_of(uint32_t samples)
{
    const uint32_t most = SAMPLES * FULL_SAMPLE;
    return (uint32_t)(((uint64_t)samples * FULL + most / 2) / most);
}

/* The sum of those weights, and without obstacles; `free` and `whole` are the distances of the
   centre. They decide most samples, for a distance changes by no more than a way's length. */
static void sum_samples(const SlPackPlan *plan, Cell *cell, double free, double whole)
{
    double width = plan->spacing / SUB, region;
    double sure = 0.5 * width + field_error * plan->spacing;
    uint32_t free_sum = 0, region_sum = 0;
    for (int s = 0; s < SAMPLES; s++) {
        double way = find_sample(plan, cell, s), distance = free;
        if (whole - way >= sure)
            continue;
        if (free + way <= -sure)
            region = distance = -width;
        else
            distance = free_distance(plan, to_floats(cell->at[s]), width, &region);
        free_sum += part_of(distance, width);
        region_sum += part_of(region, width);
    }
    cell->region = weight_of(region_sum);
    cell->free = weight_of(free_sum);
}

static void find_center(const SlPack *pack, size_t row, int64_t x, double center[3])
{
    const SlPackPlan *plan = &pack->plan;
    const int64_t cell[3] = {pack->low[0] + x, pack->low[1] + (int64_t)row % pack->size[1],
                             pack->low[2] + (int64_t)row / pack->size[1]};
    for (int k = 0; k < 3; k++)
        center[k] = (double)(&plan->origin.x)[k] + (double)cell[k] * plan->spacing +
                    0.5 * plan->spacing;
}

/* Most cells are far inside or outside. */
static void weigh_cell(const SlPackPlan *plan, Cell *cell)
{
    double reach = (half_diagonal + field_error) * plan->spacing, region;
    double distance = free_distance(plan, to_floats(cell->center), reach, &region);
    cell->free = cell->region = 0;
    if (region >= reach)
        return;
    if (distance <= -reach)
        cell->free = cell->region = FULL;
    else
        sum_samples(plan, cell, distance, region);
}

static void weigh_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlPack *pack = argument;
    Cell cell;
    for (size_t row = begin; row < end; row++) {
        uint64_t free = 0, region = 0;
        for (int64_t x = 0; x < pack->size[0]; x++) {
            find_center(pack, row, x, cell.center);
            weigh_cell(&pack->plan, &cell);
            pack->weights[row * (size_t)pack->size[0] + (size_t)x] = (uint16_t)cell.free;
            free += cell.free;
            region += cell.region;
        }
        pack->before[row] = free;
        pack->region[row] = region;
    }
}

/* --- Places in a cell --- */

static double distance2(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* The sample nearest to `target` among those inside by `depth`; -1: none. */
static int nearest_sample(const Cell *cell, const double target[3], double depth)
{
    int best = -1;
    for (int s = 0; s < SAMPLES; s++)
        if (cell->distance[s] <= -depth &&
            (best < 0 || distance2(cell->at[s], target) < distance2(cell->at[best], target)))
            best = s;
    return best;
}

/* Moves a place down the gradient of the distance until it is inside: a sliver of the region may be
   between the samples of a cell. */
static void move_inside(const SlPackPlan *plan, double place[3])
{
    enum { MOVES = 4 };
    double h = 0.05 * plan->spacing, depth = margin * plan->spacing, region, gradient[3], at[3];
    for (int move = 0; move < MOVES; move++) {
        double here = free_distance(plan, to_floats(place), plan->spacing, &region), square = 0;
        if (here <= -0.5 * depth)
            return;
        for (int k = 0; k < 3; k++) {
            double sides[2];
            for (int side = 0; side < 2; side++) {
                memcpy(at, place, sizeof at);
                at[k] += side == 0 ? -h : h;
                sides[side] = free_distance(plan, to_floats(at), plan->spacing, &region);
            }
            gradient[k] = (sides[1] - sides[0]) / (2 * h);
            square += gradient[k] * gradient[k];
        }
        for (int k = 0; k < 3; k++)
            place[k] -= (here + depth) * gradient[k] / fmax(square, 0.25);
    }
}

/* The centroid of the free part, where that is inside. */
static void first_place(const SlPackPlan *plan, const Cell *cell, double place[3])
{
    double sum = 0, region, depth = margin * plan->spacing;
    double target[3] = {0, 0, 0};
    for (int s = 0; s < SAMPLES; s++) {
        sum += cell->weight[s];
        for (int k = 0; k < 3; k++)
            target[k] += cell->weight[s] * cell->at[s][k];
    }
    for (int k = 0; k < 3; k++)
        target[k] /= sum;
    memcpy(place, target, sizeof target);
    if (free_distance(plan, to_floats(target), plan->spacing, &region) <= -depth)
        return;
    int nearest = nearest_sample(cell, target, depth);
    if (nearest >= 0)
        memcpy(place, cell->at[nearest], sizeof target);
    else
        move_inside(plan, place);
}

/* A further place: the free sample farthest from those before. */
static void next_place(const SlPackPlan *plan, const Cell *cell, const float *records, size_t count,
                       double place[3])
{
    double farthest = -1;
    for (int s = 0; s < SAMPLES; s++) {
        double nearest = INFINITY;
        if (cell->weight[s] == 0)
            continue;
        for (size_t j = 0; j < count; j++) {
            const double other[3] = {(double)records[4 * j], (double)records[4 * j + 1],
                                     (double)records[4 * j + 2]};
            nearest = fmin(nearest, distance2(cell->at[s], other));
        }
        if (nearest > farthest) {
            farthest = nearest;
            memcpy(place, cell->at[s], 3 * sizeof *place);
        }
    }
    move_inside(plan, place);
}

static void place_in_cell(const SlPackPlan *plan, Cell *cell, uint32_t weight, size_t count,
                          float *records)
{
    double place[3];
    memcpy(place, cell->center, sizeof place);
    if (count > 1 || weight < (uint32_t)(FULL * (1 - slack)))
        sample_cell(plan, cell);
    for (size_t j = 0; j < count; j++) {
        if (j > 0)
            next_place(plan, cell, records, j, place);
        else if (weight < (uint32_t)(FULL * (1 - slack)))
            first_place(plan, cell, place);
        SlVec3 at = to_floats(place);
        memcpy(records + 4 * j, &at, sizeof at);
    }
}

/* Places in front of that sum of weights. */
static uint64_t places_before(const SlPack *pack, uint64_t sum)
{
    double total = (double)pack->before[pack->rows];
    return (uint64_t)floor((double)sum * ((double)pack->count / total) + 0.5);
}

typedef struct Placing {
    const SlPack *pack;
    float *records;
} Placing;

static void place_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Placing *placing = argument;
    const SlPack *pack = placing->pack;
    Cell cell;
    for (size_t row = begin; row < end; row++) {
        uint64_t sum = pack->before[row], next = places_before(pack, sum);
        for (int64_t x = 0; x < pack->size[0]; x++) {
            uint32_t weight = pack->weights[row * (size_t)pack->size[0] + (size_t)x];
            sum += weight;
            uint64_t behind = weight > 0 ? places_before(pack, sum) : next;
            if (behind > next) {
                find_center(pack, row, x, cell.center);
                place_in_cell(&pack->plan, &cell, weight, (size_t)(behind - next),
                              placing->records + 4 * next);
            }
            next = behind;
        }
    }
}

void sl_pack_place(const SlPack *pack, float *records)
{
    Placing placing = {pack, records};
    if (pack->count > 0)
        sl_parallel_for(pack->context->pool, pack->rows, CHUNK_ROWS, place_chunk, &placing);
}

/* --- Counting --- */

static SlStatus set_cells(SlPack *pack, SlError *error)
{
    const SlPackPlan *plan = &pack->plan;
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        double origin = (double)(&plan->origin.x)[k];
        double low = floor(((double)(&plan->region.bounds.min.x)[k] - origin) / plan->spacing);
        double high = ceil(((double)(&plan->region.bounds.max.x)[k] - origin) / plan->spacing);
        cells *= high - low;
        if (!(cells <= max_cells))
            return sl_error_set(error, SL_ERROR_MEMORY,
                                "a region to fill spans more than %g cells of %g m", max_cells,
                                plan->spacing);
        pack->low[k] = (int64_t)low;
        pack->size[k] = (int64_t)(high - low);
    }
    pack->rows = (size_t)pack->size[1] * (size_t)pack->size[2];
    return SL_OK;
}

static size_t cell_count(const SlPack *pack)
{
    return pack->rows * (size_t)pack->size[0];
}

/* The known volume times the free fraction: without obstacles it is the known one. */
static void measure(SlPack *pack)
{
    const SlPackPlan *plan = &pack->plan;
    uint64_t free = 0, region = 0;
    for (size_t row = 0; row < pack->rows; row++) {
        uint64_t here = pack->before[row];
        pack->before[row] = free;
        free += here;
        region += pack->region[row];
    }
    pack->before[pack->rows] = free;
    double cube = plan->spacing * plan->spacing * plan->spacing;
    pack->volume = plan->volume > 0 ? plan->volume : (double)region / FULL * cube;
    pack->free_volume = region > 0 ? pack->volume * ((double)free / (double)region) : 0;
    pack->count = free > 0 ? (uint64_t)fmax(1, floor(pack->free_volume / cube + 0.5)) : 0;
}

SlStatus sl_pack_create(SlContext *context, const SlPackPlan *plan, SlPack *pack, SlError *error)
{
    memset(pack, 0, sizeof *pack);
    pack->plan = *plan;
    SlStatus status = set_cells(pack, error);
    if (status != SL_OK)
        return status;
    SlMemory *memory = &context->memory;
    pack->context = context;
    pack->weights = sl_alloc(memory, (cell_count(pack) + 1) * sizeof *pack->weights);
    pack->before = sl_alloc_zero(memory, pack->rows + 1, sizeof *pack->before);
    pack->region = sl_alloc_zero(memory, pack->rows + 1, sizeof *pack->region);
    if (pack->weights == NULL || pack->before == NULL || pack->region == NULL) {
        size_t rows = pack->rows;
        sl_pack_destroy(pack);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to fill %zu rows of cells", rows);
    }
    SlLongLoop loop = {pack->rows, CHUNK_ROWS, weigh_chunk, pack, "fill"};
    status = sl_run_long_loop(context, &loop, error);
    if (status == SL_OK)
        measure(pack);
    else
        sl_pack_destroy(pack);
    return status;
}

void sl_pack_destroy(SlPack *pack)
{
    if (pack->context == NULL)
        return;
    SlMemory *memory = &pack->context->memory;
    sl_free(memory, pack->weights, (cell_count(pack) + 1) * sizeof *pack->weights);
    sl_free(memory, pack->before, (pack->rows + 1) * sizeof *pack->before);
    sl_free(memory, pack->region, (pack->rows + 1) * sizeof *pack->region);
    memset(pack, 0, sizeof *pack);
}

bool sl_pack_is_free(const SlPack *pack)
{
    return pack->free_volume >= pack->volume;
}

/* --- Boxes --- */

/* Cells along each axis: whole spacings, or else rounded up and down such that there are at least as
   many cells as places, and as few as possible. */
static void box_cells(SlBox box, double spacing, uint64_t cells[3], double width[3])
{
    double low[3], size[3], best = INFINITY, needed = sl_pack_box_count(box, spacing);
    for (int k = 0; k < 3; k++) {
        size[k] = (double)(&box.max.x)[k] - (double)(&box.min.x)[k];
        low[k] = fmax(1, floor(size[k] / spacing + slack));
    }
    for (int choice = 0; choice < 8; choice++) {
        double along[3], product = 1;
        for (int k = 0; k < 3; k++) {
            along[k] = low[k] + (choice >> k & 1);
            product *= along[k];
        }
        if (product < needed || product >= best)
            continue;
        best = product;
        for (int k = 0; k < 3; k++) {
            cells[k] = (uint64_t)along[k];
            width[k] = fabs(size[k] - along[k] * spacing) <= slack * spacing ? spacing
                                                                             : size[k] / along[k];
        }
    }
}

double sl_pack_box_count(SlBox box, double spacing)
{
    double volume = 1, lattice = 1;
    bool whole = true;
    for (int k = 0; k < 3; k++) {
        double along = ((double)(&box.max.x)[k] - (double)(&box.min.x)[k]) / spacing;
        double layers = floor(along + 0.5);
        whole = whole && fabs(along - layers) <= slack;
        volume *= along;
        lattice *= layers;
    }
    return fmax(1, whole ? lattice : floor(volume + 0.5));
}

typedef struct BoxPlacing {
    SlBox box;
    uint64_t count, cells[3];
    double width[3];
    float *records;
} BoxPlacing;

/* Cells without a place are spread evenly: place i is in cell i × cells / places. */
static void box_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const BoxPlacing *b = argument;
    double all = (double)(b->cells[0] * b->cells[1] * b->cells[2]), each = all / (double)b->count;
    for (size_t i = begin; i < end; i++) {
        uint64_t cell = (uint64_t)(((double)i + 0.5) * each);
        const uint64_t at[3] = {cell % b->cells[0], cell / b->cells[0] % b->cells[1],
                                cell / (b->cells[0] * b->cells[1])};
        for (int k = 0; k < 3; k++)
            b->records[4 * i + (size_t)k] =
                (float)((double)(&b->box.min.x)[k] + ((double)at[k] + 0.5) * b->width[k]);
    }
}

void sl_pack_box(SlPool *pool, SlBox box, double spacing, float *records)
{
    enum { CHUNK = 4096 };
    BoxPlacing b = {.box = box,
                    .count = (uint64_t)sl_pack_box_count(box, spacing),
                    .records = records};
    box_cells(box, spacing, b.cells, b.width);
    sl_parallel_for(pool, (size_t)b.count, CHUNK, box_chunk, &b);
}

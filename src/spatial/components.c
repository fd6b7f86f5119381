/* Connected components by union-find over the pairs of a compact grid. Points are taken in the order of the
   grid, so that the candidates of a point are at most nine contiguous runs and each pair is tested
   once. One thread: unions of neighbours in sorted order touch few cache lines, and half a million
   points take less time than reading them from disk. */
#include "spatial/components.h"

#include <math.h>
#include <string.h>

#include "spatial/union_find.h"

typedef struct Search {
    SlCellGrid grid;
    const uint32_t *order; /* place to index */
    float (*sorted)[4];    /* positions, by place */
    uint32_t *parent;      /* by index; a parent is never above its child */
    double squared;        /* of the radius */
} Search;

static void link_run(Search *s, uint32_t place, uint32_t begin, uint32_t end)
{
    const float *x = s->sorted[place];
    for (uint32_t k = begin; k < end; k++) {
        const float *y = s->sorted[k];
        double u[3] = {(double)x[0] - (double)y[0], (double)x[1] - (double)y[1],
                       (double)x[2] - (double)y[2]};
        if (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < s->squared)
            sl_unite(s->parent, s->order[place], s->order[k]);
    }
}

/* Links a point with the candidates after it in sorted order. */
static void link_point(Search *s, uint32_t place)
{
    const SlCellGrid *g = &s->grid;
    int32_t cell[3], from[3], to[3]; /* relative to the box of numbered cells */
    sl_grid_cell(g, s->sorted[place], cell);
    for (int k = 0; k < 3; k++) {
        int32_t own = cell[k] - g->low[k], size = (int32_t)g->size[k];
        from[k] = own > 0 ? own - 1 : 0;
        to[k] = own + 1 < size ? own + 1 : size - 1;
    }
    for (int32_t z = from[2]; z <= to[2]; z++)
        for (int32_t y = from[1]; y <= to[1]; y++) {
            uint64_t row = ((uint64_t)z * g->size[1] + (uint32_t)y) * g->size[0];
            uint32_t begin, end;
            sl_grid_run(g, row + (uint32_t)from[0], row + (uint32_t)to[0], &begin, &end);
            link_run(s, place, begin > place ? begin : place + 1, end);
        }
}

SlStatus sl_components_find(SlContext *context, SlArena *arena, SlPoints points, float radius,
                            uint32_t *root, SlError *error)
{
    SlBox everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    size_t n = points.count;
    Search s = {.parent = root, .squared = (double)radius * (double)radius};
    for (size_t i = 0; i < n; i++)
        root[i] = (uint32_t)i;
    if (n < 2)
        return SL_OK;
    /* A little wider than the radius: rounding then cannot move a pair two cells apart. */
    SlStatus status =
        sl_grid_create(context, everywhere, 1.001f * radius, SL_GRID_COMPACT, &s.grid, error);
    if (status != SL_OK)
        return status;
    SlArenaMark mark = sl_arena_mark(arena);
    uint32_t *order = SL_PUSH(arena, uint32_t, n);
    s.sorted = (float(*)[4])sl_arena_push_array(arena, n, sizeof *s.sorted);
    s.order = order;
    if (order != NULL && s.sorted != NULL && sl_grid_sort(&s.grid, points, arena, order)) {
        for (size_t k = 0; k < n; k++)
            memcpy(s.sorted[k], points.records + 4 * (size_t)order[k], sizeof s.sorted[k]);
        for (size_t k = 0; k < n; k++)
            link_point(&s, (uint32_t)k);
        for (size_t i = 0; i < n; i++)
            root[i] = sl_find_root(root, (uint32_t)i);
    } else {
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory to link %zu particles", n);
    }
    sl_arena_release(arena, mark);
    sl_grid_destroy(&s.grid);
    return status;
}

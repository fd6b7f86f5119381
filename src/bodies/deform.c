/* Keys of a deforming body, and the motion of its surface between two of them. */
#include "bodies/deform.h"

#include <string.h>

static bool same_triangles(const SlMesh *a, const SlMesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, 3 * a->triangle_count * sizeof *a->triangles) == 0;
}

/* Largest displacement between two meshes: of a vertex, or else of the corners of their bounds. */
static float longest_between(const SlMesh *a, const SlMesh *b, bool same)
{
    float most2 = 0;
    for (size_t k = 0; same && k < a->vertex_count; k++) {
        SlVec3 way = sl_sub(sl_mesh_vertex(b, (uint32_t)k), sl_mesh_vertex(a, (uint32_t)k));
        most2 = fmaxf(most2, sl_dot(way, way));
    }
    if (!same) {
        SlBox p = sl_mesh_bounds(a), q = sl_mesh_bounds(b);
        SlVec3 low = sl_sub(q.min, p.min), high = sl_sub(q.max, p.max);
        most2 = fmaxf(sl_dot(low, low), sl_dot(high, high));
    }
    return sqrtf(most2);
}

static SlStatus measure(SlDeform *d, SlError *error)
{
    d->same = true;
    for (size_t k = 1; k < d->key_count; k++)
        d->same = d->same && same_triangles(&d->keys[0].mesh, &d->keys[k].mesh);
    for (size_t k = d->loop ? 0 : 1; k < d->key_count; k++) {
        size_t before = k > 0 ? k - 1 : d->key_count - 1;
        d->longest = fmaxf(d->longest, longest_between(&d->keys[before].mesh, &d->keys[k].mesh,
                                                       d->same));
    }
    if (!d->same)
        return SL_OK;
    const SlMesh *first = &d->keys[0].mesh;
    SlStatus status = sl_mesh_create(d->context, first->vertex_count, first->triangle_count,
                                     &d->drawn, error);
    if (status == SL_OK)
        memcpy(d->drawn.triangles, first->triangles,
               3 * first->triangle_count * sizeof *first->triangles);
    return status;
}

SlStatus sl_deform_create(SlContext *context, SlMesh *meshes, size_t count, double rate, bool loop,
                          SlDeform **out, SlError *error)
{
    SL_ASSERT(count > 0 && rate > 0);
    SlMemory *memory = &context->memory;
    SlDeform *d = sl_alloc_zero(memory, 1, sizeof *d);
    SlDeformKey *keys = sl_alloc_zero(memory, count, sizeof *keys);
    *out = NULL;
    if (d == NULL || keys == NULL) {
        for (size_t k = 0; k < count; k++)
            sl_mesh_destroy(&meshes[k]);
        sl_free(memory, keys, count * sizeof *keys);
        sl_free(memory, d, sizeof *d);
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a body of %zu keys", count);
    }
    for (size_t k = 0; k < count; k++) {
        keys[k].mesh = meshes[k];
        memset(&meshes[k], 0, sizeof meshes[k]);
    }
    d->context = context;
    d->keys = keys;
    d->key_count = count;
    d->rate = rate;
    d->loop = loop;
    SlStatus status = measure(d, error);
    if (status != SL_OK)
        sl_deform_destroy(d);
    else
        *out = d;
    return status;
}

void sl_deform_destroy(SlDeform *d)
{
    if (d == NULL)
        return;
    SlMemory *memory = &d->context->memory;
    for (size_t k = 0; k < d->key_count; k++) {
        sl_sdf_destroy(&d->keys[k].field);
        sl_mesh_destroy(&d->keys[k].mesh);
    }
    for (int e = 0; e < 2; e++)
        sl_free(memory, d->ends[e].flow, d->flow_room * sizeof *d->ends[e].flow);
    sl_mesh_destroy(&d->drawn);
    sl_free(memory, d->keys, d->key_count * sizeof *d->keys);
    sl_free(memory, d, sizeof *d);
}

SlSdfSettings sl_deform_settings(const SlDeform *d, const SlSdfSettings *settings)
{
    SlSdfSettings own = *settings;
    own.keep_nearest = d->key_count > 1;
    own.band = fmin(own.band + ceil(0.5 * (double)d->longest / own.cell), 32);
    return own;
}

SlStatus sl_deform_build(SlDeform *d, const SlSdfSettings *settings, const char *cache_folder,
                         SlError *error)
{
    SlSdfSettings own = sl_deform_settings(d, settings);
    uint32_t most = 0;
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < d->key_count; k++) {
        if (d->keys[k].field.context != NULL) /* left by an interrupted start */
            sl_sdf_destroy(&d->keys[k].field);
        status = sl_sdf_load_or_build(d->context, &d->keys[k].mesh, &own, cache_folder,
                                      &d->keys[k].field, error);
        most = d->keys[k].field.grid.count > most ? d->keys[k].field.grid.count : most;
    }
    if (status != SL_OK)
        return status;
    if (0.5 * (double)d->longest > 32 * own.cell)
        sl_log(d->context, SL_LOG_WARNING,
               "a deforming body moves by %g m from key to key, more than 64 cells of %g m; use "
               "more keys",
               (double)d->longest, own.cell);
    size_t room = (size_t)most * SL_BLOCK_STRIDE;
    for (int e = 0; e < 2; e++)
        d->ends[e].flow = sl_alloc_zero(&d->context->memory, room, sizeof *d->ends[e].flow);
    d->flow_room = room;
    if (d->ends[0].flow == NULL || d->ends[1].flow == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the motion of %u blocks", most);
    sl_deform_seek(d, 0);
    return SL_OK;
}

/* The two keys around a time, and the fraction between them; high == low: the body is at rest. */
typedef struct Interval {
    size_t low, high;
    float fraction;
} Interval;

static Interval find_interval(const SlDeform *d, double time)
{
    size_t last = d->key_count - 1;
    double at = time * d->rate, count = (double)d->key_count;
    if (d->loop)
        at -= count * floor(at / count);
    if (last == 0 || !(at >= 0 && at < (d->loop ? count : (double)last))) {
        size_t held = !d->loop && at > 0 ? last : 0;
        return (Interval){held, held, 0};
    }
    size_t low = (size_t)at;
    return (Interval){low, low == last ? 0 : low + 1, (float)(at - (double)low)};
}

/* Barycentric coordinates of the triangle's point nearest to p. */
static SlD3 nearest_weights(const SlTriangle *t, SlD3 p, SlD3 *nearest)
{
    *nearest = sl_triangle_nearest(t, p);
    SlD3 ab = sl_d3_sub(t->b, t->a), ac = sl_d3_sub(t->c, t->a), aq = sl_d3_sub(*nearest, t->a);
    double bb = sl_d3_dot(ab, ab), bc = sl_d3_dot(ab, ac), cc = sl_d3_dot(ac, ac);
    double b = sl_d3_dot(aq, ab), c = sl_d3_dot(aq, ac), area2 = bb * cc - bc * bc;
    if (!(area2 > 1e-24 * bb * cc))
        return sl_d3(1, 0, 0);
    double v = (cc * b - bc * c) / area2, w = (bb * c - bc * b) / area2;
    return sl_d3(1 - v - w, v, w);
}

static SlTriangle triangle_of(const SlMesh *mesh, uint32_t t)
{
    return (SlTriangle){sl_d3_from(sl_mesh_corner(mesh, t, 0)),
                        sl_d3_from(sl_mesh_corner(mesh, t, 1)),
                        sl_d3_from(sl_mesh_corner(mesh, t, 2))};
}

/* Displacement to key `to` of the surface point of key `from` nearest to p, on triangle t. */
static SlVec3 way_between(const SlDeform *d, size_t from, size_t to, uint32_t t, SlD3 p)
{
    SlTriangle here = triangle_of(&d->keys[from].mesh, t);
    SlD3 nearest, w = nearest_weights(&here, p, &nearest);
    if (!d->same) {
        SlVec3 g, at = sl_d3_float(nearest);
        float distance = sl_sdf_distance(&d->keys[to].field, at, &g);
        return sl_scale(sl_unit(g), -distance);
    }
    SlTriangle there = triangle_of(&d->keys[to].mesh, t);
    SlD3 a = sl_d3_sub(there.a, here.a), b = sl_d3_sub(there.b, here.b),
         c = sl_d3_sub(there.c, here.c);
    return sl_vec3((float)(w.x * a.x + w.y * b.x + w.z * c.x),
                   (float)(w.x * a.y + w.y * b.y + w.z * c.y),
                   (float)(w.x * a.z + w.y * b.z + w.z * c.z));
}

/* A key of the current interval with the keys before and after it, one of them the other end. */
typedef struct Filling {
    const SlDeform *deform;
    size_t key, before, after; /* before or after == key: there is none */
    bool upper;
    SlDeformFlow *flow;
} Filling;

/* Velocity from displacements to both adjacent keys: central, at the ends one-sided differences. */
static SlDeformFlow flow_of(const Filling *f, SlVec3 ahead, SlVec3 back)
{
    int sides = (f->after != f->key) + (f->before != f->key);
    SlVec3 both = sl_sub(ahead, back);
    return (SlDeformFlow){f->upper ? sl_scale(back, -1) : ahead,
                          sl_scale(both, (float)(f->deform->rate / sides))};
}

static void fill_blocks(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Filling *f = argument;
    const SlDeform *d = f->deform;
    const SlSdf *field = &d->keys[f->key].field;
    double h = (double)field->cell;
    (void)chunk;
    for (size_t block = begin; block < end; block++) {
        SlBlockCoord c = field->grid.coords[block];
        for (int k = 0; k < SL_BLOCK_NODE_COUNT; k++) {
            int x = SL_BLOCK_CELLS * c.x + k % SL_BLOCK_NODES,
                y = SL_BLOCK_CELLS * c.y + k / SL_BLOCK_NODES % SL_BLOCK_NODES,
                z = SL_BLOCK_CELLS * c.z + k / (SL_BLOCK_NODES * SL_BLOCK_NODES);
            SlD3 p = {(double)field->origin.x + h * x, (double)field->origin.y + h * y,
                      (double)field->origin.z + h * z};
            size_t node = block * SL_BLOCK_STRIDE + (size_t)k;
            uint32_t t = field->nearest[node];
            SlVec3 none = {0, 0, 0};
            SlVec3 ahead = f->after != f->key ? way_between(d, f->key, f->after, t, p) : none;
            SlVec3 back = f->before != f->key ? way_between(d, f->key, f->before, t, p) : none;
            f->flow[node] = flow_of(f, ahead, back);
        }
    }
}

/* Mean displacement of all vertices, for points outside the band of the distance field. */
static SlVec3 mean_way(const SlDeform *d, size_t from, size_t to)
{
    const SlMesh *a = &d->keys[from].mesh, *b = &d->keys[to].mesh;
    double sum[3] = {0, 0, 0};
    for (size_t k = 0; d->same && k < 3 * a->vertex_count; k++)
        sum[k % 3] += (double)b->positions[k] - (double)a->positions[k];
    double n = (double)(a->vertex_count > 0 ? a->vertex_count : 1);
    return sl_vec3((float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n));
}

static void fill_end(SlDeform *d, int e, size_t key, size_t other)
{
    size_t last = d->key_count - 1;
    size_t before = key > 0 ? key - 1 : d->loop ? last : key;
    size_t after = key < last ? key + 1 : d->loop ? 0 : key;
    before = e == 1 ? other : before;
    after = e == 0 ? other : after;
    SlDeformEnd *end = &d->ends[e];
    end->field = &d->keys[key].field;
    Filling filling = {d, key, before, after, e == 1, end->flow};
    end->mean = flow_of(&filling, mean_way(d, key, after), mean_way(d, key, before));
    sl_parallel_for(d->context->pool, end->field->grid.count, 8, fill_blocks, &filling);
}

void sl_deform_seek(SlDeform *d, double time)
{
    Interval now = find_interval(d, time);
    bool filled = d->moving && d->low == now.low && d->high == now.high;
    d->fraction = now.fraction;
    d->moving = now.high != now.low;
    d->low = now.low;
    d->high = now.high;
    d->ends[0].field = &d->keys[now.low].field;
    if (!d->moving || filled)
        return;
    fill_end(d, 0, now.low, now.high);
    fill_end(d, 1, now.high, now.low);
}

SlBox sl_deform_bounds(const SlDeform *d)
{
    SlBox a = sl_mesh_bounds(&d->keys[d->low].mesh), b = sl_mesh_bounds(&d->keys[d->high].mesh);
    return (SlBox){{fminf(a.min.x, b.min.x), fminf(a.min.y, b.min.y), fminf(a.min.z, b.min.z)},
                   {fmaxf(a.max.x, b.max.x), fmaxf(a.max.y, b.max.y), fmaxf(a.max.z, b.max.z)}};
}

SlMesh *sl_deform_mesh_at(SlDeform *d, double time)
{
    Interval now = find_interval(d, time);
    SlMesh *a = &d->keys[now.low].mesh, *b = &d->keys[now.high].mesh;
    if (!d->same)
        return now.fraction < 0.5f ? a : b;
    for (size_t k = 0; k < 3 * a->vertex_count; k++)
        d->drawn.positions[k] =
            a->positions[k] + now.fraction * (b->positions[k] - a->positions[k]);
    return &d->drawn;
}

/* --- Query of a deforming body: the equations are at the head of bodies/deform.h. --- */

static SlVec3 blend(SlVec3 a, SlVec3 b, float s)
{
    return sl_add(sl_scale(a, 1 - s), sl_scale(b, s));
}

/* Displacement and velocity of the surface near a point, interpolated from its cell's nodes. */
static SlDeformFlow flow_at(const SlDeformEnd *end, SlVec3 point)
{
    SlSdfCell cell;
    if (!sl_sdf_find_cell(end->field, point, &cell))
        return end->mean;
    const SlDeformFlow *n = end->flow + (size_t)cell.block * SL_BLOCK_STRIDE +
                            sl_block_node(cell.local[0], cell.local[1], cell.local[2]);
    SlDeformFlow sum = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < 8; k++) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        float u = i != 0 ? cell.f[0] : 1 - cell.f[0], v = j != 0 ? cell.f[1] : 1 - cell.f[1],
              w = l != 0 ? cell.f[2] : 1 - cell.f[2], weight = u * v * w;
        const SlDeformFlow *node = n + sl_block_node(i, j, l);
        sum.way = sl_add(sum.way, sl_scale(node->way, weight));
        sum.velocity = sl_add(sum.velocity, sl_scale(node->velocity, weight));
    }
    return sum;
}

float sl_deform_distance(const SlDeform *d, SlVec3 point, float reach, SlVec3 *gradient,
                         SlVec3 *velocity)
{
    *velocity = sl_vec3(0, 0, 0);
    if (!d->moving)
        return sl_sdf_distance_within(d->ends[0].field, point, reach, gradient);
    const SlDeformEnd *low = &d->ends[0], *high = &d->ends[1];
    float s = d->fraction;
    SlDeformFlow a = flow_at(low, point), b = flow_at(high, point);
    SlVec3 way = blend(a.way, b.way, s);
    if (d->printed) { /* w = v_co times the interval */
        way = sl_scale(blend(a.velocity, b.velocity, s), (float)(1 / d->rate));
    } else {
        a = flow_at(low, sl_sub(point, sl_scale(way, s)));
        b = flow_at(high, sl_add(point, sl_scale(way, 1 - s)));
        way = blend(a.way, b.way, s);
    }
    SlVec3 was = sl_sub(point, sl_scale(way, s)), will_be = sl_add(point, sl_scale(way, 1 - s));
    SlVec3 g, h;
    float from = sl_sdf_distance_within(low->field, was, reach, &g);
    /* The blend is known to be beyond reach only if both are; if one is not, both must be exact. */
    float to = sl_sdf_distance_within(high->field, will_be, from > reach ? reach : INFINITY, &h);
    if (from > reach && !(to > reach))
        from = sl_sdf_distance(low->field, was, &g);
    *gradient = blend(g, h, s);
    *velocity = blend(a.velocity, b.velocity, s);
    return (1 - s) * from + s * to;
}

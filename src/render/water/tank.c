/* The tank that a closed domain with water stands for: panes of glass before and behind the water. Over the
   finished picture: what the panes in front reflect, and the edges of all of them as thin lines of glass. */
#include <math.h>

#include "core/context.h"
#include "render/water/water.h"

enum { ROWS = 8, PANES = 4, EDGES = 12 };
#define GLASS 0.04f     /* reflectance of one face at normal incidence, index 1.5 */
#define EDGE 0.5f       /* how much of an edge is its own light */
#define THIN 0.8f       /* pixels: a thinner edge is drawn this wide, and fainter */
#define WIDE 2.2f       /* pixels: an edge near the camera is not drawn wider, it would be in the way */

/* A straight edge of the glass in the picture. */
typedef struct Edge {
    float x, y, way_x, way_y, length; /* its beginning (pixels), its direction (unit) */
    float inverse_z[2];               /* 1/m, at both ends */
    bool before;                      /* the water: on a pane that the camera sees from outside */
} Edge;

/* A pane that the camera sees from outside. */
typedef struct Pane {
    float x[4], y[4]; /* pixels */
    SlVec3 normal;    /* view space, outwards */
    float offset;
} Pane;

typedef struct Tank {
    const SlWaterFrame *frame;
    Edge edges[EDGES];
    Pane panes[PANES];
    int edge_count, pane_count;
    float thick; /* m: of the glass */
    SlVec3 light; /* of an edge */
} Tank;

/* --- In the picture. --- */

/* False behind the camera. */
static bool project(const SlCameraFrame *c, SlVec3 p, float out[3])
{
    SlVec3 v = sl_camera_to_view(c, p);
    if (!(v.z > SL_NEAR))
        return false;
    out[0] = c->center_x + v.x / v.z * c->focal;
    out[1] = c->center_y - v.y / v.z * c->focal;
    out[2] = 1 / v.z;
    return fabsf(out[0]) < 1e6f && fabsf(out[1]) < 1e6f;
}

static void add_edge(Tank *tank, SlVec3 from, SlVec3 to, bool before)
{
    const SlCameraFrame *c = &tank->frame->back->camera;
    float a[3], b[3];
    if (!project(c, from, a) || !project(c, to, b))
        return;
    float x = b[0] - a[0], y = b[1] - a[1], length = sqrtf(x * x + y * y);
    if (length > 0.5f)
        tank->edges[tank->edge_count++] =
            (Edge){a[0], a[1], x / length, y / length, length, {a[2], b[2]}, before};
}

/* The wall of an axis (0: x, 2: z) seen from outside, if it is. */
static bool faces_camera(const SlBox *box, SlVec3 eye, int axis, bool high)
{
    float at = (high ? &box->max.x : &box->min.x)[axis];
    return high ? (&eye.x)[axis] > at : (&eye.x)[axis] < at;
}

static void add_pane(Tank *tank, const SlVec3 corners[4], int axis, bool high)
{
    const SlCameraFrame *c = &tank->frame->back->camera;
    Pane *pane = &tank->panes[tank->pane_count];
    for (int k = 0; k < 4; k++) {
        float p[3];
        if (!project(c, corners[k], p))
            return;
        pane->x[k] = p[0];
        pane->y[k] = p[1];
    }
    SlVec3 n = {0, 0, 0};
    (&n.x)[axis] = high ? 1 : -1;
    pane->offset = sl_dot(n, sl_sub(corners[0], c->eye));
    pane->normal = sl_vec3(sl_dot(n, c->right), sl_dot(n, c->up), sl_dot(n, c->forward));
    tank->pane_count++;
}

static void make(Tank *tank, const SlBox *box)
{
    SlVec3 a = box->min, b = box->max, eye = tank->frame->back->camera.eye;
    tank->thick = 0.005f * fminf(b.x - a.x, b.z - a.z);
    const float x[4] = {a.x, b.x, b.x, a.x}, z[4] = {a.z, a.z, b.z, b.z};
    static const struct {
        int axis;
        bool high;
    } side[4] = {{2, false}, {0, true}, {2, true}, {0, false}}; /* between the corners k and k + 1 */
    for (int k = 0; k < 4; k++) {
        int next = (k + 1) % 4, last = (k + 3) % 4;
        SlVec3 low = {x[k], a.y, z[k]}, high = {x[k], b.y, z[k]};
        SlVec3 next_low = {x[next], a.y, z[next]}, next_high = {x[next], b.y, z[next]};
        bool seen = faces_camera(box, eye, side[k].axis, side[k].high);
        add_edge(tank, low, high, seen || faces_camera(box, eye, side[last].axis, side[last].high));
        add_edge(tank, high, next_high, seen);
        add_edge(tank, low, next_low, seen);
        if (seen)
            add_pane(tank, (const SlVec3[4]){low, next_low, next_high, high}, side[k].axis, side[k].high);
    }
}

/* --- A row of pixels. --- */

static void blend(float *color, SlVec3 light, float part)
{
    for (int k = 0; k < 3; k++)
        color[k] += part * ((&light.x)[k] - color[k]);
}

/* The part of a convex pane in a row: false where there is none. */
static bool row_span(const Pane *pane, float y, float *left, float *right)
{
    *left = INFINITY;
    *right = -INFINITY;
    for (int k = 0; k < 4; k++) {
        int n = (k + 1) % 4;
        float a = pane->y[k] - y, b = pane->y[n] - y;
        if (a * b > 0 || a == b)
            continue;
        float x = pane->x[k] + (pane->x[n] - pane->x[k]) * a / (a - b);
        *left = fminf(*left, x);
        *right = fmaxf(*right, x);
    }
    return *left < *right;
}

/* What is mirrored by an upright pane: a ray keeps its height. */
static SlVec3 mirrored(const SlWaterLook *look, float up)
{
    if (up <= 0)
        return look->floor;
    float t = sqrtf(up), near = fminf(up * 12, 1);
    SlVec3 sky = sl_add(sl_scale(look->sky.horizon, 1 - t), sl_scale(look->sky.zenith, t));
    return sl_add(sl_scale(look->floor, 1 - near), sl_scale(sky, near));
}

static void draw_pane(const Tank *tank, const Pane *pane, size_t y)
{
    const SlWaterFrame *f = tank->frame;
    const SlCameraFrame *c = &f->back->camera;
    float left, right, b = (c->center_y - (float)y - 0.5f) / c->focal;
    if (!row_span(pane, (float)y + 0.5f, &left, &right) || right <= 0 || left >= (float)f->width)
        return;
    size_t begin = (size_t)fmaxf(left, 0), end = (size_t)fminf(ceilf(right), (float)f->width);
    for (size_t x = begin; x < end; x++) {
        float a = ((float)x + 0.5f - c->center_x) / c->focal, inverse = 1 / sqrtf(a * a + b * b + 1);
        float slope = a * pane->normal.x + b * pane->normal.y + pane->normal.z;
        float z = pane->offset / fminf(slope, -1e-6f);
        float part = fminf(right, (float)x + 1) - fmaxf(left, (float)x);
        /* A solid stands before it; water against it has its own reflection. */
        float solid = f->back->depth[(y + SL_MARGIN) * f->back->stride + x + SL_MARGIN];
        size_t at = sl_water_at(f, x, y);
        if (solid < z)
            continue;
        if (fabsf(f->near.depth[at] - z) < 2 * f->spacing)
            part *= 1 - f->near.coverage[at];
        float rest = 1 - fminf(-slope * inverse, 1), square = rest * rest;
        float face = GLASS + (1 - GLASS) * square * square * rest;
        float up = (a * f->look.sky.up.x + b * f->look.sky.up.y + f->look.sky.up.z) * inverse;
        blend(f->light + 3 * (y * f->width + x), mirrored(&f->look, up), part * 2 * face / (1 + face));
    }
}

static void draw_edge(const Tank *tank, const Edge *edge, size_t y)
{
    const SlWaterFrame *f = tank->frame;
    float focal = f->back->camera.focal, nearest = fmaxf(edge->inverse_z[0], edge->inverse_z[1]);
    float reach = 0.5f * fmaxf(fminf(tank->thick * focal * nearest, WIDE), THIN) + 0.5f;
    float dy = (float)y + 0.5f - edge->y, end_x = edge->x + edge->way_x * edge->length;
    float left = fminf(edge->x, end_x) - reach, right = fmaxf(edge->x, end_x) + reach;
    if (fabsf(edge->way_y) > 1e-4f) { /* the strip around the line */
        float middle = edge->x + dy * edge->way_x / edge->way_y, half = reach / fabsf(edge->way_y);
        left = fmaxf(left, middle - half);
        right = fminf(right, middle + half);
    }
    if (right <= 0 || left >= (float)f->width)
        return;
    size_t begin = (size_t)fmaxf(left, 0), end = (size_t)fmaxf(fminf(ceilf(right), (float)f->width), 0);
    for (size_t x = begin; x < end; x++) {
        float dx = (float)x + 0.5f - edge->x;
        float along = (dx * edge->way_x + dy * edge->way_y) / edge->length;
        float away = fabsf(dx * edge->way_y - dy * edge->way_x);
        if (along < 0 || along > 1)
            continue;
        float inverse = edge->inverse_z[0] + along * (edge->inverse_z[1] - edge->inverse_z[0]);
        float wide = fminf(tank->thick * focal * inverse, WIDE), z = 1 / inverse;
        float part = fminf(fmaxf(0.5f * fmaxf(wide, THIN) + 0.5f - away, 0), 1) * fminf(wide / THIN, 1) * EDGE;
        size_t at = sl_water_at(f, x, y), disc = (y + SL_MARGIN) * f->foam.stride + x + SL_MARGIN;
        if (part <= 0 || f->back->depth[(y + SL_MARGIN) * f->back->stride + x + SL_MARGIN] < z - tank->thick)
            continue;
        if (!edge->before) { /* water and spray hide it */
            part *= 1 - f->near.coverage[at];
            part *= f->foam.count > 0 ? expf(-f->foam.plane[0][disc]) : 1;
        }
        blend(f->light + 3 * (y * f->width + x), tank->light, part);
    }
}

static void tank_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Tank *tank = argument;
    for (size_t y = begin; y < end; y++) {
        for (int k = 0; k < tank->edge_count; k++)
            if (!tank->edges[k].before)
                draw_edge(tank, &tank->edges[k], y);
        for (int k = 0; k < tank->pane_count; k++)
            draw_pane(tank, &tank->panes[k], y);
        for (int k = 0; k < tank->edge_count; k++)
            if (tank->edges[k].before)
                draw_edge(tank, &tank->edges[k], y);
    }
}

void sl_water_tank(SlContext *context, const SlWaterFrame *frame, const SlBox *box)
{
    Tank tank = {.frame = frame};
    const SlWaterLook *look = &frame->look;
    tank.light = sl_vec3(0.22f * look->sky.horizon.x, 0.36f * look->sky.horizon.y, 0.36f * look->sky.horizon.z);
    make(&tank, box);
    sl_parallel_for(context->pool, frame->height, ROWS, tank_chunk, &tank);
}

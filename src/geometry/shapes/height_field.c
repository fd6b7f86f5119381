/* A landscape: heights at rows × columns points, two triangles between four of them, solid down to
   half.y below the plane through `center`. In the shape's own frame columns run along x from -half.x
   to half.x and rows along z from -half.z to half.z.

   Distances are exact: a point asks the triangles of the cells that can be nearer than what is known
   already, the walls around and the bottom. */
#include <math.h>

#include "geometry/mesh/triangle.h"
#include "geometry/shapes/parts.h"

enum { MAX_POINTS = 4096 };

/* Sizes of the whole, until from_keys. */
static const SlShapeKey keys[] = {
    SL_SHAPE_KEY("center", POINT, center),   SL_SHAPE_KEY("width", LENGTH, half.x),
    SL_SHAPE_KEY("depth", LENGTH, half.y),   SL_SHAPE_KEY("length", LENGTH, half.z),
    SL_SHAPE_KEY("columns", COUNT, columns), SL_SHAPE_KEY("rows", COUNT, rows),
    SL_SHAPE_KEY("heights", HEIGHTS, heights),
};

static const char *from_keys(SlShape *shape)
{
    shape->half.x *= 0.5f;
    shape->half.z *= 0.5f;
    return NULL;
}

static const char *prepare(SlShape *shape)
{
    SlVec3 half = shape->half;
    if (shape->columns < 2 || shape->rows < 2 || shape->columns > MAX_POINTS ||
        shape->rows > MAX_POINTS)
        return "a height field has 2 to 4096 columns and rows";
    if (!(half.x > 0 && half.y > 0 && half.z > 0 && sl_finite(half)))
        return "a height field needs sizes above 0";
    if (shape->heights == NULL)
        return "a height field needs heights";
    shape->height = shape->heights[0]; /* the greatest */
    for (size_t k = 0; k < (size_t)shape->columns * shape->rows; k++) {
        float h = shape->heights[k];
        if (!isfinite(h) || h <= -half.y)
            return "heights must be finite and above the bottom, -half.y (in scenes: -depth)";
        shape->height = fmaxf(shape->height, h);
    }
    return NULL;
}

/* --- The surface in the shape's own frame --- */

static float cell_x(const SlShape *s)
{
    return 2 * s->half.x / (float)(s->columns - 1);
}

static float cell_z(const SlShape *s)
{
    return 2 * s->half.z / (float)(s->rows - 1);
}

static SlD3 top_point(const SlShape *s, uint32_t column, uint32_t row)
{
    return sl_d3((double)-s->half.x + (double)cell_x(s) * column,
                 (double)s->heights[(size_t)row * s->columns + column],
                 (double)-s->half.z + (double)cell_z(s) * row);
}

static SlD3 bottom_of(const SlShape *s, SlD3 top)
{
    return sl_d3(top.x, (double)-s->half.y, top.z);
}

/* Triangle `half` of a cell: both have the diagonal from (column, row) to (column + 1, row + 1). */
static SlTriangle top_triangle(const SlShape *s, uint32_t column, uint32_t row, int half)
{
    SlD3 a = top_point(s, column, row), c = top_point(s, column + 1, row + 1);
    return half == 0 ? (SlTriangle){a, top_point(s, column, row + 1), c}
                     : (SlTriangle){a, c, top_point(s, column + 1, row)};
}

/* The cell of a coordinate, and where in the cell it is. */
static uint32_t cell_of(float at, float half, float cell, uint32_t cells, float *fraction)
{
    float place = fminf(fmaxf((at + half) / cell, 0), (float)cells);
    uint32_t k = (uint32_t)place < cells ? (uint32_t)place : cells - 1;
    *fraction = place - (float)k;
    return k;
}

/* The surface's height above a point of the plane, which is moved into the field's rectangle. */
static float height_at(const SlShape *s, float x, float z)
{
    float u, v;
    uint32_t i = cell_of(x, s->half.x, cell_x(s), s->columns - 1, &u);
    uint32_t j = cell_of(z, s->half.z, cell_z(s), s->rows - 1, &v);
    const float *h = s->heights + (size_t)j * s->columns + i;
    float a = h[0], b = h[1], c = h[s->columns], d = h[s->columns + 1];
    return v >= u ? a + (d - c) * u + (c - a) * v : a + (b - a) * u + (d - b) * v;
}

/* --- Nearest point --- */

typedef struct Nearest {
    SlD3 point, at, normal; /* asked for; nearest so far, and the normal there */
    double square;          /* of the distance */
} Nearest;

static void try_triangle(Nearest *n, SlTriangle t)
{
    SlD3 at = sl_triangle_nearest(&t, n->point), away = sl_d3_sub(n->point, at);
    double square = sl_d3_dot(away, away);
    if (square >= n->square)
        return;
    n->square = square;
    n->at = at;
    n->normal = sl_d3_cross(sl_d3_sub(t.b, t.a), sl_d3_sub(t.c, t.a));
}

/* The wall below an edge of the top, seen from outside from a to b. */
static void try_wall(const SlShape *s, Nearest *n, SlD3 a, SlD3 b)
{
    SlD3 c = bottom_of(s, b), d = bottom_of(s, a);
    try_triangle(n, (SlTriangle){a, d, c});
    try_triangle(n, (SlTriangle){a, c, b});
}

/* Cells within `reach` of a coordinate. */
static void cell_range(float at, float half, float cell, uint32_t cells, double reach,
                       uint32_t range[2])
{
    double low = floor(((double)at - reach + (double)half) / (double)cell) - 1;
    double high = floor(((double)at + reach + (double)half) / (double)cell) + 1;
    range[0] = low > 0 ? (low < cells ? (uint32_t)low : cells - 1) : 0;
    range[1] = high < 0 ? 0 : high < cells ? (uint32_t)high : cells - 1;
}

static void try_walls(const SlShape *s, Nearest *n, SlVec3 q, double reach, const uint32_t x[2],
                      const uint32_t z[2])
{
    uint32_t last_row = s->rows - 1, last_column = s->columns - 1;
    for (uint32_t i = x[0]; i <= x[1]; i++) {
        if (fabs((double)q.z + (double)s->half.z) <= reach)
            try_wall(s, n, top_point(s, i + 1, 0), top_point(s, i, 0));
        if (fabs((double)q.z - (double)s->half.z) <= reach)
            try_wall(s, n, top_point(s, i, last_row), top_point(s, i + 1, last_row));
    }
    for (uint32_t j = z[0]; j <= z[1]; j++) {
        if (fabs((double)q.x + (double)s->half.x) <= reach)
            try_wall(s, n, top_point(s, 0, j), top_point(s, 0, j + 1));
        if (fabs((double)q.x - (double)s->half.x) <= reach)
            try_wall(s, n, top_point(s, last_column, j + 1), top_point(s, last_column, j));
    }
}

static void try_bottom(const SlShape *s, Nearest *n)
{
    double x = (double)s->half.x, y = (double)-s->half.y, z = (double)s->half.z;
    SlD3 a = {-x, y, -z}, b = {x, y, -z}, c = {x, y, z}, d = {-x, y, z};
    try_triangle(n, (SlTriangle){a, b, c});
    try_triangle(n, (SlTriangle){a, c, d});
}

/* How far the point is from the bounds; 0 inside. */
static float bounds_distance(const SlShape *s, SlVec3 q)
{
    SlVec3 over = {fmaxf(fabsf(q.x) - s->half.x, 0), fmaxf(q.y - s->height, -s->half.y - q.y),
                   fmaxf(fabsf(q.z) - s->half.z, 0)};
    over.y = fmaxf(over.y, 0);
    return sl_length(over);
}

static SlVec3 to_world(const SlShape *s, SlVec3 v)
{
    SlVec3 z = sl_cross(s->side, s->axis);
    return sl_add(sl_scale(s->side, v.x), sl_add(sl_scale(s->axis, v.y), sl_scale(z, v.z)));
}

static float distance(const SlShape *s, SlVec3 point, float reach, SlVec3 *normal)
{
    SlVec3 away = sl_sub(point, s->center), z = sl_cross(s->side, s->axis);
    SlVec3 q = {sl_dot(away, s->side), sl_dot(away, s->axis), sl_dot(away, z)};
    *normal = s->axis;
    float far = bounds_distance(s, q);
    if (far > reach)
        return far;
    /* A point of the solid that is surely no nearer than the nearest. */
    float x = fminf(fmaxf(q.x, -s->half.x), s->half.x), zz = fminf(fmaxf(q.z, -s->half.z), s->half.z);
    float top = height_at(s, x, zz);
    bool inside = fabsf(q.x) < s->half.x && fabsf(q.z) < s->half.z && q.y < top && q.y > -s->half.y;
    SlVec3 some = {x, inside ? top : fminf(fmaxf(q.y, -s->half.y), top), zz};
    double limit = 1.0001 * (double)sl_length(sl_sub(q, some)) + 1e-6 * (double)s->half.x;
    if (!inside) /* beyond the reach it is enough to be above it */
        limit = fmin(limit, 1.0001 * (double)reach + 1e-6 * (double)s->half.x);
    Nearest n = {.point = sl_d3_from(q), .normal = {0, 1, 0}, .square = limit * limit};
    uint32_t columns[2], rows[2];
    cell_range(q.x, s->half.x, cell_x(s), s->columns - 1, limit, columns);
    cell_range(q.z, s->half.z, cell_z(s), s->rows - 1, limit, rows);
    for (uint32_t j = rows[0]; j <= rows[1]; j++)
        for (uint32_t i = columns[0]; i <= columns[1]; i++) {
            try_triangle(&n, top_triangle(s, i, j, 0));
            try_triangle(&n, top_triangle(s, i, j, 1));
        }
    try_walls(s, &n, q, limit, columns, rows);
    try_bottom(s, &n);
    double found = sqrt(n.square), sign = inside ? -1 : 1;
    SlD3 out = sl_d3_sub(n.point, n.at);
    double length = sqrt(sl_d3_dot(n.normal, n.normal));
    bool on_surface = found < 1e-6 * (double)s->half.x || found >= limit;
    double scale = on_surface ? 1 / fmax(length, 1e-300) : sign / found;
    out = on_surface ? n.normal : out;
    *normal = sl_unit(to_world(s, sl_vec3((float)(out.x * scale), (float)(out.y * scale),
                                          (float)(out.z * scale))));
    return (float)(sign * found);
}

/* --- Sizes and mesh --- */

static SlBox bounds(const SlShape *s)
{
    float middle = 0.5f * (s->height - s->half.y), high = 0.5f * (s->height + s->half.y);
    SlVec3 h = {s->half.x, high, s->half.z}, x = s->side, y = s->axis, z = sl_cross(x, y);
    SlVec3 c = sl_add(s->center, sl_scale(y, middle));
    SlVec3 reach = {fabsf(x.x) * h.x + fabsf(y.x) * h.y + fabsf(z.x) * h.z,
                    fabsf(x.y) * h.x + fabsf(y.y) * h.y + fabsf(z.y) * h.z,
                    fabsf(x.z) * h.x + fabsf(y.z) * h.y + fabsf(z.z) * h.z};
    return (SlBox){sl_sub(c, reach), sl_add(c, reach)};
}

static double volume(const SlShape *s)
{
    double sum = 0, base = 0.5 * (double)cell_x(s) * (double)cell_z(s);
    for (uint32_t j = 0; j + 1 < s->rows; j++)
        for (uint32_t i = 0; i + 1 < s->columns; i++)
            for (int half = 0; half < 2; half++) {
                SlTriangle t = top_triangle(s, i, j, half);
                sum += base * ((t.a.y + t.b.y + t.c.y) / 3 + (double)s->half.y);
            }
    return sum;
}

/* About that of the wall below a point of the border. */
static double wall_height(const SlShape *s, uint32_t column, uint32_t row)
{
    return top_point(s, column, row).y + (double)s->half.y;
}

static double area(const SlShape *s, SlBox domain)
{
    (void)domain;
    double sum = 4 * (double)s->half.x * (double)s->half.z;
    for (uint32_t i = 0; i + 1 < s->columns; i++)
        sum += (double)cell_x(s) * (wall_height(s, i, 0) + wall_height(s, i, s->rows - 1));
    for (uint32_t j = 0; j + 1 < s->rows; j++)
        sum += (double)cell_z(s) * (wall_height(s, 0, j) + wall_height(s, s->columns - 1, j));
    for (uint32_t j = 0; j + 1 < s->rows; j++)
        for (uint32_t i = 0; i + 1 < s->columns; i++)
            for (int half = 0; half < 2; half++) {
                SlTriangle t = top_triangle(s, i, j, half);
                SlD3 n = sl_d3_cross(sl_d3_sub(t.b, t.a), sl_d3_sub(t.c, t.a));
                sum += 0.5 * sqrt(sl_d3_dot(n, n));
            }
    return sum;
}

static void ball(const SlShape *s, SlVec3 *center, float *radius)
{
    float middle = 0.5f * (s->height - s->half.y), high = 0.5f * (s->height + s->half.y);
    *center = sl_add(s->center, sl_scale(s->axis, middle));
    *radius = sl_length(sl_vec3(s->half.x, high, s->half.z));
}

/* The wall below an edge of the top; the bottom's vertices come `bottom` later. */
static void put_wall(SlMesh *mesh, size_t *next, size_t bottom, size_t from, size_t to)
{
    sl_put_triangle(mesh, next, from, bottom + from, bottom + to);
    sl_put_triangle(mesh, next, from, bottom + to, to);
}

/* Top and bottom have the same points; walls join their borders. */
static SlStatus mesh(SlContext *context, const SlShape *s, float edge, SlBox clip, SlMesh *mesh,
                     SlError *error)
{
    (void)edge, (void)clip;
    size_t columns = s->columns, rows = s->rows, count = columns * rows, next = 0;
    size_t cells = (columns - 1) * (rows - 1), border = 2 * (columns + rows - 2);
    SlStatus status = sl_mesh_create(context, 2 * count, 4 * cells + 2 * border, mesh, error);
    if (status != SL_OK)
        return status;
    for (uint32_t j = 0; j < s->rows; j++)
        for (uint32_t i = 0; i < s->columns; i++) {
            SlD3 top = top_point(s, i, j);
            size_t v = j * columns + i;
            sl_put_vertex(mesh, v, top.x, top.y, top.z);
            sl_put_vertex(mesh, count + v, top.x, (double)-s->half.y, top.z);
        }
    for (size_t j = 0; j + 1 < rows; j++)
        for (size_t i = 0; i + 1 < columns; i++) {
            size_t a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
            sl_put_triangle(mesh, &next, a, c, d);
            sl_put_triangle(mesh, &next, a, d, b);
            sl_put_triangle(mesh, &next, count + a, count + d, count + c);
            sl_put_triangle(mesh, &next, count + a, count + b, count + d);
        }
    for (size_t i = 0; i + 1 < columns; i++) {
        put_wall(mesh, &next, count, i + 1, i);
        put_wall(mesh, &next, count, (rows - 1) * columns + i, (rows - 1) * columns + i + 1);
    }
    for (size_t j = 0; j + 1 < rows; j++) {
        put_wall(mesh, &next, count, j * columns, (j + 1) * columns);
        put_wall(mesh, &next, count, (j + 2) * columns - 1, (j + 1) * columns - 1);
    }
    return SL_OK;
}

const SlShapeType sl_shape_height_field = {
    .kind = SL_SHAPE_HEIGHT_FIELD,
    .name = "height field",
    .article = "a height field",
    SL_SHAPE_KEYS(keys),
    .from_keys = from_keys,
    .arrays = true,
    .as_mesh = true,
    .prepare = prepare,
    .distance = distance,
    .bounds = bounds,
    .volume = volume,
    .area = area,
    .ball = ball,
    .mesh = mesh,
};

/* Meshes made in code, and reference implementation of the tree's queries: sums over all triangles. */
#ifndef TESTS_GEOMETRY_TEST_SDF_MESHES_H
#define TESTS_GEOMETRY_TEST_SDF_MESHES_H

#include "core/random.h"
#include "geometry/mesh/bvh.h"
#include "geometry/mesh/read.h"
#include "support/test.h"

/* A closed surface over a torus of parameters (u around, v along), or a sphere with poles. */
typedef SlVec3 (*MeshPoint)(double u, double v);

static inline SlVec3 bumpy_point(double u, double v)
{
    double theta = 3.14159265358979 * v, phi = 6.28318530717959 * u;
    double s = sin(theta), r = 0.4 + s * s * (0.05 * sin(5 * phi) * sin(4 * theta) +
                                              0.02 * cos(9 * phi + 7 * theta));
    return sl_vec3((float)(r * s * cos(phi)), (float)(r * cos(theta)), (float)(-r * s * sin(phi)));
}

static inline SlVec3 torus_point(double u, double v)
{
    double a = 6.28318530717959 * u, b = 6.28318530717959 * v, r = 0.35 + 0.12 * cos(b);
    return sl_vec3((float)(r * cos(a)), (float)(0.12 * sin(b)), (float)(r * sin(a)));
}

static inline void put_triangle(SlMesh *mesh, size_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = mesh->triangles + 3 * (*at)++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* n around and m along; 2 n m triangles. */
static inline SlMesh make_torus(SlContext *context, uint32_t n, uint32_t m)
{
    SlMesh mesh;
    size_t at = 0;
    assert_ok(sl_mesh_create(context, n * m, (size_t)2 * n * m, &mesh, &test_error));
    for (uint32_t j = 0; j < m; j++)
        for (uint32_t i = 0; i < n; i++) {
            SlVec3 p = torus_point((double)i / n, (double)j / m);
            memcpy(mesh.positions + 3 * (j * n + i), &p, sizeof p);
            uint32_t i1 = (i + 1) % n, j1 = (j + 1) % m;
            put_triangle(&mesh, &at, j * n + i, j1 * n + i, j1 * n + i1);
            put_triangle(&mesh, &at, j * n + i, j1 * n + i1, j * n + i1);
        }
    return mesh;
}

/* n around, m rings between two poles; 2 n m triangles. */
static inline SlMesh make_ball(SlContext *context, uint32_t n, uint32_t m, MeshPoint point)
{
    SlMesh mesh;
    size_t at = 0;
    uint32_t top = n * m, bottom = top + 1;
    assert_ok(sl_mesh_create(context, n * m + 2, (size_t)2 * n * m, &mesh, &test_error));
    for (uint32_t j = 0; j < m; j++)
        for (uint32_t i = 0; i < n; i++) {
            SlVec3 p = point((double)i / n, (j + 1.0) / (m + 1));
            memcpy(mesh.positions + 3 * (j * n + i), &p, sizeof p);
            uint32_t i1 = (i + 1) % n, here = j * n + i, next = j * n + i1;
            if (j == 0)
                put_triangle(&mesh, &at, top, here, next);
            if (j + 1 == m) {
                put_triangle(&mesh, &at, bottom, next, here);
            } else {
                put_triangle(&mesh, &at, here, here + n, next + n);
                put_triangle(&mesh, &at, here, next + n, next);
            }
        }
    SlVec3 p = point(0, 0), q = point(0, 1);
    memcpy(mesh.positions + 3 * top, &p, sizeof p);
    memcpy(mesh.positions + 3 * bottom, &q, sizeof q);
    return mesh;
}

/* A mesh from a list of corners, each triangle with its own three. */
static inline SlMesh make_soup(SlContext *context, const float *corners, size_t triangles)
{
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, 3 * triangles, triangles, &mesh, &test_error));
    for (size_t k = 0; k < 9 * triangles; k++)
        mesh.positions[k] = corners[k];
    for (size_t k = 0; k < 3 * triangles; k++)
        mesh.triangles[k] = (uint32_t)k;
    return mesh;
}

/* The axis-aligned cube [-half, half]^3, 12 triangles, outward. */
static inline SlMesh make_cube(SlContext *context, float half)
{
    static const uint32_t faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                          {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                          {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    SlMesh mesh;
    assert_ok(sl_mesh_create(context, 8, 12, &mesh, &test_error));
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++)
            mesh.positions[3 * v + k] = (v >> k & 1) != 0 ? half : -half;
    memcpy(mesh.triangles, faces, sizeof faces);
    return mesh;
}

/* One of our own files. */
static inline SlMesh read_asset(SlContext *context, const char *name)
{
    const char *source = getenv("SLEET_SOURCE");
    char path[1024];
    SlMesh mesh;
    snprintf(path, sizeof path, "%s/assets/%s", source != NULL ? source : ".", name);
    assert_ok(sl_mesh_read(context, path, &mesh, &test_error));
    return mesh;
}

static inline double longest_side(SlBox box)
{
    return fmax(fmax((double)(box.max.x - box.min.x), (double)(box.max.y - box.min.y)),
                (double)(box.max.z - box.min.z));
}

static inline SlTriangle mesh_triangle(const SlMesh *mesh, size_t t)
{
    return (SlTriangle){sl_d3_from(sl_mesh_corner(mesh, t, 0)),
                        sl_d3_from(sl_mesh_corner(mesh, t, 1)),
                        sl_d3_from(sl_mesh_corner(mesh, t, 2))};
}

/* Distance to a triangle by the least over its plane (if the foot is inside by three side tests)
   and its edges: not the way the library does it. */
static inline double reference_triangle_distance(const SlTriangle *t, SlD3 p)
{
    SlD3 corner[4] = {t->a, t->b, t->c, t->a}, n = sl_d3_unit(sl_triangle_area2(t));
    double best = INFINITY;
    bool inside = sl_d3_dot(n, n) > 0.5;
    for (int k = 0; k < 3; k++) {
        SlD3 e = sl_d3_sub(corner[k + 1], corner[k]), r = sl_d3_sub(p, corner[k]);
        double e2 = sl_d3_dot(e, e), s = e2 > 0 ? fmin(fmax(sl_d3_dot(e, r) / e2, 0), 1) : 0;
        best = fmin(best, sl_d3_length(sl_d3_along(r, -s, e)));
        inside = inside && sl_d3_dot(sl_d3_cross(n, e), r) >= 0;
    }
    return inside ? fabs(sl_d3_dot(n, sl_d3_sub(p, t->a))) : best;
}

static inline double reference_distance(const SlMesh *mesh, SlD3 p)
{
    double best = INFINITY;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        SlTriangle triangle = mesh_triangle(mesh, t);
        best = fmin(best, reference_triangle_distance(&triangle, p));
    }
    return best;
}

static inline double reference_winding(const SlMesh *mesh, SlD3 p)
{
    double sum = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        SlTriangle triangle = mesh_triangle(mesh, t);
        sum += sl_triangle_solid_angle(&triangle, p);
    }
    return sum / 12.566370614359172;
}

/* Random point k in [-half, half]^3. */
static inline SlVec3 random_point(uint64_t k, float half)
{
    SlRandom4 r = sl_random(7, k, 1);
    return sl_vec3(half * (2 * sl_random_unit(r.value[0]) - 1),
                   half * (2 * sl_random_unit(r.value[1]) - 1),
                   half * (2 * sl_random_unit(r.value[2]) - 1));
}

/* Random point within `reach` of a random place on the mesh. */
static inline SlVec3 point_near(const SlMesh *mesh, uint64_t k, float reach)
{
    SlRandom4 r = sl_random(11, k, 2), s = sl_random(11, k, 3);
    size_t t = r.value[0] % mesh->triangle_count;
    float u = sl_random_unit(r.value[1]), v = sl_random_unit(r.value[2]);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    SlVec3 a = sl_mesh_corner(mesh, t, 0), b = sl_mesh_corner(mesh, t, 1),
           c = sl_mesh_corner(mesh, t, 2);
    SlVec3 p = sl_add(a, sl_add(sl_scale(sl_sub(b, a), u), sl_scale(sl_sub(c, a), v)));
    SlVec3 off = {2 * sl_random_unit(s.value[0]) - 1, 2 * sl_random_unit(s.value[1]) - 1,
                  2 * sl_random_unit(s.value[2]) - 1};
    return sl_add(p, sl_scale(off, reach));
}

#endif

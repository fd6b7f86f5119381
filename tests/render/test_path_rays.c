/* Rays against triangles and spheres: Sleet's tree and Embree against a loop over all primitives. */
#include "support/test.h"

#include "core/random.h"
#include "render/path/intersect.h"

enum { TRIANGLES = 900, BALLS = 700, RAYS = 6000 };

typedef struct Soup {
    float positions[9 * TRIANGLES], motion[9 * TRIANGLES];
    uint32_t triangles[3 * TRIANGLES];
    uint8_t classes[TRIANGLES + BALLS];
    float spheres[4 * BALLS], sphere_motion[3 * BALLS];
    SlGeometry geometry;
} Soup;

static float unit(uint64_t counter, uint64_t stream)
{
    return sl_random_unit(sl_random(11, counter, stream).value[0]);
}

static Soup *make_soup(size_t triangles, size_t balls, bool moves)
{
    Soup *s = calloc(1, sizeof *s);
    for (size_t t = 0; t < TRIANGLES; t++)
        for (size_t c = 0; c < 9; c++) {
            s->positions[9 * t + c] = 4 * unit(t, c % 3) + 0.3f * unit(t, 3 + c);
            s->motion[9 * t + c] = 0.5f * (unit(t, 20 + c) - 0.5f);
        }
    for (uint32_t k = 0; k < 3 * TRIANGLES; k++)
        s->triangles[k] = k;
    for (size_t k = 0; k < TRIANGLES + BALLS; k++)
        s->classes[k] = k % 3 == 0 ? SL_RAY_CLEAR : SL_RAY_OPAQUE;
    for (size_t k = 0; k < BALLS; k++) {
        for (size_t c = 0; c < 3; c++) {
            s->spheres[4 * k + c] = 4 * unit(k, 40 + c);
            s->sphere_motion[3 * k + c] = 0.5f * (unit(k, 50 + c) - 0.5f);
        }
        s->spheres[4 * k + 3] = 0.02f + 0.1f * unit(k, 43);
    }
    s->geometry = (SlGeometry){.positions = s->positions, .motion = moves ? s->motion : NULL,
                               .vertex_count = 3 * triangles, .triangles = s->triangles,
                               .triangle_class = s->classes, .triangle_count = triangles,
                               .spheres = s->spheres, .sphere_motion = moves ? s->sphere_motion : NULL,
                               .sphere_class = s->classes + triangles, .sphere_count = balls};
    return s;
}

static SlRay make_ray(size_t k)
{
    SlRay ray = {.t_max = k % 4 == 0 ? 2.0f : INFINITY, .time = unit(k, 70)};
    ray.origin = (SlVec3){5 * unit(k, 60) - 0.5f, 5 * unit(k, 61) - 0.5f, 5 * unit(k, 62) - 0.5f};
    ray.direction = sl_unit((SlVec3){unit(k, 63) - 0.5f, unit(k, 64) - 0.5f, unit(k, 65) - 0.5f});
    if (k % 11 == 0) /* along an axis */
        ray.direction = k % 2 == 0 ? (SlVec3){0, 0, -1} : (SlVec3){0, 1, 0};
    return ray;
}

typedef struct D3 {
    double x, y, z;
} D3;

static D3 sub(D3 a, D3 b)
{
    return (D3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static D3 cross(D3 a, D3 b)
{
    return (D3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(D3 a, D3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Distance along the ray; infinite: missed. *margin: how far from its edge, relative. */
static double reference(const SlGeometry *g, size_t k, const SlRay *ray, double *margin)
{
    D3 o = {(double)ray->origin.x, (double)ray->origin.y, (double)ray->origin.z};
    D3 d = {(double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z};
    double time = (double)ray->time;
    if (k >= g->triangle_count) {
        size_t s = k - g->triangle_count;
        double c[3];
        for (size_t j = 0; j < 3; j++)
            c[j] = (double)g->spheres[4 * s + j] +
                   (g->sphere_motion != NULL ? time * (double)g->sphere_motion[3 * s + j] : 0);
        D3 oc = sub((D3){c[0], c[1], c[2]}, o);
        double r = (double)g->spheres[4 * s + 3], along = dot(oc, d);
        double square = r * r - (dot(oc, oc) - along * along);
        *margin = fabs(square) / (r * r);
        if (square < 0)
            return (double)INFINITY;
        double t = along - sqrt(square);
        if (t <= 0)
            t = along + sqrt(square);
        return t > 0 ? t : (double)INFINITY;
    }
    D3 p[3];
    for (size_t j = 0; j < 3; j++) {
        double v[3];
        for (size_t c = 0; c < 3; c++) {
            size_t at = 3 * (size_t)g->triangles[3 * k + j] + c;
            v[c] = (double)g->positions[at] + (g->motion != NULL ? time * (double)g->motion[at] : 0);
        }
        p[j] = (D3){v[0], v[1], v[2]};
    }
    D3 e1 = sub(p[1], p[0]), e2 = sub(p[2], p[0]), q = cross(d, e2), s = sub(o, p[0]);
    double det = dot(e1, q), u = dot(s, q) / det;
    D3 w = cross(s, e1);
    double v = dot(d, w) / det, t = dot(e2, w) / det;
    *margin = fmin(fabs(u), fmin(fabs(v), fabs(1 - u - v)));
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : (double)INFINITY;
}

/* The nearest primitive; *sure: no other is as near and no edge is close. */
static double nearest(const SlGeometry *g, const SlRay *ray, uint32_t mask, uint32_t *id, bool *sure)
{
    double best = (double)ray->t_max, second = (double)INFINITY;
    *id = SL_NO_PRIMITIVE;
    *sure = true;
    for (size_t k = 0; k < g->triangle_count + g->sphere_count; k++) {
        uint8_t own = k < g->triangle_count ? g->triangle_class[k] : g->sphere_class[k - g->triangle_count];
        double margin, t = (own & mask) != 0 ? reference(g, k, ray, &margin) : (double)INFINITY;
        if ((own & mask) != 0 && margin < 1e-4)
            *sure = false;
        if (t <= best) {
            second = best;
            best = t;
            *id = (uint32_t)k;
        } else if (t < second) {
            second = t;
        }
    }
    if (*id != SL_NO_PRIMITIVE)
        *sure = *sure && second - best > 1e-4 && best > 1e-3;
    return best;
}

static void compare(const SlIntersectorKind *kind, const Soup *soup)
{
    SlContext *context = test_context(2);
    SlIntersector in;
    assert_ok(sl_intersector_create(context, kind, &soup->geometry, &in, &test_error));
    size_t sure_count = 0, hits = 0;
    for (size_t k = 0; k < RAYS; k++) {
        SlRay ray = make_ray(k);
        uint32_t mask = (uint32_t)(k % 3) + 1, id;
        bool sure;
        double t = nearest(&soup->geometry, &ray, mask, &id, &sure);
        SlHit hit;
        bool found = sl_intersect(&in, &ray, mask, &hit);
        if (!sure)
            continue;
        sure_count++;
        assert_int_equal(found, id != SL_NO_PRIMITIVE);
        assert_int_equal(sl_occluded(&in, &ray, mask), found);
        if (!found)
            continue;
        hits++;
        assert_int_equal(hit.primitive, id);
        assert_near((double)hit.t, t, 3e-4 * (1 + t));
    }
    assert_true(sure_count > RAYS / 5);
    assert_true(soup->geometry.triangle_count + soup->geometry.sphere_count < 100 || hits > 100);
    sl_intersector_destroy(&in);
    sl_context_destroy(context);
}

static const size_t sizes[][2] = {{0, 0}, {1, 0}, {0, 1}, {9, 3}, {TRIANGLES, 0}, {0, BALLS},
                                  {TRIANGLES, BALLS}};

static void tree_against_all(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        Soup *soup = make_soup(sizes[k / 2][0], sizes[k / 2][1], k % 2 == 1);
        compare(&sl_intersector_bvh, soup);
        free(soup);
    }
}

static void embree_against_all(void **state)
{
    (void)state;
    if (sl_intersector_embree() == NULL)
        test_skip("this build has no Embree");
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        Soup *soup = make_soup(sizes[k / 2][0], sizes[k / 2][1], k % 2 == 1);
        compare(sl_intersector_embree(), soup);
        free(soup);
    }
}

/* No ray from within a closed mesh gets out, also through edges and vertices. */
static void watertight(void **state)
{
    (void)state;
    enum { SIDE = 24, VERTICES = SIDE * (SIDE - 1) + 2 };
    static float positions[3 * VERTICES];
    static uint32_t triangles[6 * SIDE * SIDE];
    static uint8_t classes[2 * SIDE * SIDE];
    size_t count = 0;
    for (size_t r = 1; r < SIDE; r++)
        for (size_t c = 0; c < SIDE; c++) {
            double theta = (double)r * 3.14159265 / SIDE, phi = (double)c * 2 * 3.14159265 / SIDE;
            float *p = positions + 3 * ((r - 1) * SIDE + c);
            p[0] = (float)(7 + sin(theta) * cos(phi));
            p[1] = (float)(cos(theta) - 3);
            p[2] = (float)(sin(theta) * sin(phi));
        }
    uint32_t top = SIDE * (SIDE - 1), bottom = top + 1;
    const float poles[6] = {7, -2, 0, 7, -4, 0};
    memcpy(positions + 3 * (size_t)top, poles, sizeof poles);
    for (uint32_t r = 0; r < SIDE; r++)
        for (uint32_t c = 0; c < SIDE; c++) {
            uint32_t next = (c + 1) % SIDE, a = (r - 1) * SIDE + c, b = (r - 1) * SIDE + next;
            uint32_t d = r * SIDE + c, e = r * SIDE + next;
            const uint32_t quad[2][3] = {{r == 0 ? top : a, e, d}, {a, b, e}};
            bool cap = r == 0, last = r == SIDE - 1;
            if (last) {
                const uint32_t one[3] = {a, b, bottom};
                memcpy(triangles + 3 * count++, one, sizeof one);
                continue;
            }
            memcpy(triangles + 3 * count++, quad[0], sizeof quad[0]);
            if (!cap)
                memcpy(triangles + 3 * count++, quad[1], sizeof quad[1]);
        }
    memset(classes, SL_RAY_OPAQUE, sizeof classes);
    SlGeometry g = {.positions = positions, .vertex_count = VERTICES, .triangles = triangles,
                    .triangle_class = classes, .triangle_count = count};
    SlContext *context = test_context(1);
    SlIntersector in;
    assert_ok(sl_intersector_create(context, &sl_intersector_bvh, &g, &in, &test_error));
    size_t out = 0;
    for (size_t k = 0; k < 200000; k++) {
        SlRay ray = {.origin = {7, -3, 0}, .t_max = INFINITY};
        ray.origin.x += 0.2f * unit(k, 3);
        ray.direction = sl_unit((SlVec3){unit(k, 0) - 0.5f, unit(k, 1) - 0.5f, unit(k, 2) - 0.5f});
        if (k % 2 == 0) { /* at a vertex or the middle of an edge */
            const uint32_t *t = triangles + 3 * (k / 2 % count);
            const float *p = positions + 3 * (size_t)t[0], *q = positions + 3 * (size_t)t[k % 4 == 0 ? 0 : 1];
            SlVec3 at = {0.5f * (p[0] + q[0]), 0.5f * (p[1] + q[1]), 0.5f * (p[2] + q[2])};
            ray.direction = sl_unit(sl_sub(at, ray.origin));
        }
        SlHit hit;
        out += !sl_intersect(&in, &ray, SL_RAY_ALL, &hit);
    }
    assert_int_equal(out, 0);
    sl_intersector_destroy(&in);
    sl_context_destroy(context);
}

/* Every primitive of a soup several times, copies far apart in number: of those in one place the first of
   the ray's class counts, whatever the order of the tree. */
static void check_ties(const SlIntersectorKind *kind, bool moves)
{
    enum { COPIES = 7, ITEMS = 90 };
    Soup *s = make_soup(COPIES * ITEMS, COPIES * ITEMS, moves);
    for (size_t k = ITEMS; k < COPIES * ITEMS; k++) {
        size_t from = k % ITEMS;
        memcpy(s->positions + 9 * k, s->positions + 9 * from, 9 * sizeof(float));
        memcpy(s->motion + 9 * k, s->motion + 9 * from, 9 * sizeof(float));
        memcpy(s->spheres + 4 * k, s->spheres + 4 * from, 4 * sizeof(float));
        memcpy(s->sphere_motion + 3 * k, s->sphere_motion + 3 * from, 3 * sizeof(float));
    }
    for (size_t k = 0; k < 2 * COPIES * ITEMS; k++) /* the first copy is clear or opaque, then in turns */
        s->classes[k] = (k % ITEMS % 3 + k / ITEMS) % 2 == 0 ? SL_RAY_CLEAR : SL_RAY_OPAQUE;
    SlContext *context = test_context(2);
    SlIntersector in;
    assert_ok(sl_intersector_create(context, kind, &s->geometry, &in, &test_error));
    size_t triangles = 0, spheres = 0;
    for (size_t k = 0; k < RAYS; k++) {
        SlRay ray = make_ray(k);
        uint32_t mask = (uint32_t)(k % 3) + 1;
        SlHit hit;
        if (!sl_intersect(&in, &ray, mask, &hit))
            continue;
        bool sphere = hit.primitive >= COPIES * ITEMS;
        size_t first = (sphere ? COPIES * ITEMS : 0) + hit.primitive % ITEMS;
        while ((s->classes[first] & mask) == 0)
            first += ITEMS;
        assert_int_equal(hit.primitive, first);
        triangles += !sphere;
        spheres += sphere;
    }
    assert_true(triangles > 50 && spheres > 50);
    sl_intersector_destroy(&in);
    sl_context_destroy(context);
    free(s);
}

static void ties_go_to_the_first(void **state)
{
    (void)state;
    check_ties(&sl_intersector_bvh, false);
    check_ties(&sl_intersector_bvh, true);
}

static void ties_go_to_the_first_by_embree(void **state)
{
    (void)state;
    if (sl_intersector_embree() == NULL)
        test_skip("this build has no Embree");
    check_ties(sl_intersector_embree(), false);
    check_ties(sl_intersector_embree(), true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_against_all), cmocka_unit_test(embree_against_all),
        cmocka_unit_test(watertight), cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(ties_go_to_the_first_by_embree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

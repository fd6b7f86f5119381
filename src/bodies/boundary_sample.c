/* From surfaces to samples: the domain's walls by a lattice, every other body by Poisson disks. */
#include "bodies/boundary_sample.h"

#include <math.h>

#include "geometry/sampling/sample.h"

/* More samples than this are a scene that wants analytic walls. */
static const double max_samples = 3e7;

/* --- How deep --- */

/* The kernel over the plane at distance s, for support 1. */
static double plane_integral(SlKernelKind kind, double s)
{
    enum { STEPS = 200 };
    double sum = 0, step = (1 - s) / STEPS;
    for (int k = 0; k <= STEPS; k++) {
        double r = s + k * step, weight = k == 0 || k == STEPS ? 1 : k % 2 == 1 ? 4 : 2;
        sum += weight * r * sl_kernel_value(kind, r, 1);
    }
    return s < 1 ? sum * step / 3 : 0;
}

double sl_boundary_inset(SlKernelKind kernel, double support)
{
    double lacking = 0;
    int reach = (int)ceil(support);
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x < 0; x++)
                lacking += sl_kernel_value(kernel, sqrt((double)(x * x + y * y + z * z)), support);
    lacking /= sl_lattice_sums(kernel, support).density;
    /* A plane of samples with Akinci's volumes has the density A(s) / A(0). */
    double low = 0, high = 1, whole = plane_integral(kernel, 0);
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (plane_integral(kernel, middle) / whole > lacking)
            low = middle;
        else
            high = middle;
    }
    double inset = low * support - 0.5;
    return inset > 0 ? inset : 0;
}

/* --- Samples --- */

static SlBox grown(SlBox box, double by)
{
    float b = (float)by;
    return (SlBox){{box.min.x - b, box.min.y - b, box.min.z - b},
                   {box.max.x + b, box.max.y + b, box.max.z + b}};
}

/* Samples along one edge of the domain: evenly, about 1.5 radii apart. */
static double along(double length, const SlBoundarySettings *settings)
{
    return ceil(length / (1.5 * settings->radius)) + 1;
}

static double domain_samples(SlBox box, const SlBoundarySettings *settings)
{
    double x = along((double)box.max.x - (double)box.min.x, settings);
    double y = along((double)box.max.y - (double)box.min.y, settings);
    double z = along((double)box.max.z - (double)box.min.z, settings);
    return x * y * z - (x - 2) * (y - 2) * (z - 2);
}

/* The domain's walls are flat and large: a lattice on them is even, and cheap to make. */
static void sample_domain(SlBox box, const SlBoundarySettings *settings, float *to)
{
    const float *low = &box.min.x, *high = &box.max.x;
    uint32_t n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (uint32_t)along((double)high[k] - (double)low[k], settings);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++) {
            bool face = z == 0 || z + 1 == n[2] || y == 0 || y + 1 == n[1];
            for (uint32_t x = 0; x < n[0]; x += face ? 1 : n[0] - 1) {
                uint32_t at[3] = {x, y, z};
                for (int k = 0; k < 3; k++)
                    to[k] = low[k] + (high[k] - low[k]) * (float)at[k] / (float)(n[k] - 1);
                to[3] = 0;
                to += 4;
            }
        }
}

/* The body's surface in its own frame; *owned if it must be destroyed. */
static SlStatus surface_of(SlContext *context, const SlSurroundings *around, size_t body,
                           const SlBoundarySettings *settings, SlMesh *own, const SlMesh **mesh,
                           SlError *error)
{
    memset(own, 0, sizeof *own);
    *mesh = own;
    size_t k = body - 1;
    if (k >= around->shape_count) {
        *mesh = around->fields[k - around->shape_count].mesh;
        return SL_OK;
    }
    const SlShape *shape = &around->shapes[k];
    if (shape->kind != SL_SHAPE_PLANE)
        return sl_shape_mesh(context, shape, (float)settings->radius, own, error);
    SlBodyPlace place = sl_body_place(around, body);
    SlStatus status = sl_plane_mesh(context, shape->center, shape->axis,
                                    grown(around->domain, settings->support), own, error);
    for (size_t v = 0; status == SL_OK && v < own->vertex_count; v++) { /* into its frame */
        SlVec3 q = sl_sub(sl_mesh_vertex(own, (uint32_t)v), place.origin);
        float *p = own->positions + 3 * v;
        for (int j = 0; j < 3; j++)
            p[j] = sl_dot(q, place.sides[j]);
    }
    return status;
}

static double area_of(const SlMesh *mesh)
{
    double area = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        SlVec3 a = sl_mesh_corner(mesh, t, 0);
        SlVec3 n = sl_cross(sl_sub(sl_mesh_corner(mesh, t, 1), a),
                            sl_sub(sl_mesh_corner(mesh, t, 2), a));
        area += 0.5 * (double)sl_length(n);
    }
    return area;
}

/* Samples by area: Poisson disks of that radius end up about 0.7 per radius². */
static double area_samples(double area, const SlBoundarySettings *settings)
{
    return 0.75 * area / (settings->radius * settings->radius) + 8;
}

static double shape_area(const SlShape *s, SlBox domain)
{
    double r = (double)s->radius, h = (double)s->height;
    SlVec3 a = s->half, d = sl_sub(domain.max, domain.min);
    switch (s->kind) {
    case SL_SHAPE_SPHERE: return 12.6 * r * r;
    case SL_SHAPE_BOX: return 8 * (double)(a.x * a.y + a.y * a.z + a.z * a.x);
    case SL_SHAPE_CYLINDER: return 6.3 * r * (r + h);
    case SL_SHAPE_CONE: return 3.15 * r * (r + sqrt(r * r + h * h));
    default: return (double)(d.x * d.y + d.y * d.z + d.z * d.x); /* at most, nearly */
    }
}

double sl_boundary_estimate(const SlSurroundings *around, const uint8_t *marks,
                            const SlBoundarySettings *settings)
{
    double count = marks[0] ? domain_samples(grown(around->domain, settings->inset), settings) : 0;
    for (size_t k = 0; k < around->shape_count; k++)
        if (marks[1 + k])
            count += area_samples(shape_area(&around->shapes[k], around->domain), settings);
    for (size_t k = 0; k < around->field_count; k++)
        if (marks[1 + around->shape_count + k] && around->fields[k].mesh != NULL)
            count += area_samples(area_of(around->fields[k].mesh), settings);
    return count;
}

uint64_t sl_boundary_bytes(double samples)
{
    uint64_t n = samples < max_samples ? (uint64_t)samples : (uint64_t)max_samples;
    uint32_t fields = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION);
    return sl_particles_bytes(fields, NULL, n) + sl_neighbours_bytes(n) + n * (16 + 4 + 16 + 4);
}

/* Which way is out of the solid: meshes may have faces turned the wrong way, and a hollow body is
   solid outside. */
static float outward(const SlSurroundings *around, size_t body, SlVec3 p, SlVec3 normal, float step)
{
    size_t k = body - 1;
    if (k < around->shape_count)
        return 1;
    const SlSdf *field = around->fields[k - around->shape_count].field;
    float ahead = sl_sdf_distance(field, sl_add(p, sl_scale(normal, step)), NULL);
    float behind = sl_sdf_distance(field, sl_sub(p, sl_scale(normal, step)), NULL);
    return ahead >= behind ? 1 : -1;
}

static bool make_room(SlMemory *memory, SlBodySamples *g, size_t more)
{
    if (g->count + more <= g->room)
        return true;
    size_t room = g->count + more + g->room / 2;
    float *rest = sl_regrow(memory, g->rest, 16 * g->room, 16 * room, 16 * g->count);
    g->rest = rest != NULL ? rest : g->rest;
    uint32_t *body = rest == NULL ? NULL
                                  : sl_regrow(memory, g->body, 4 * g->room, 4 * room, 4 * g->count);
    if (rest != NULL && body == NULL) { /* sizes must stay known for the release */
        sl_free(memory, g->rest, 16 * room);
        g->rest = NULL;
    }
    if (body == NULL)
        return false;
    g->body = body;
    g->room = room;
    return true;
}

/* Samples of a body that stands still, beyond the reach of anything in the domain, are of no use. */
static bool useless(const SlSurroundings *around, const SlBodyPlace *place, SlVec3 local, double support)
{
    if (place->moves)
        return false;
    SlBox box = grown(around->domain, support);
    SlVec3 p = sl_body_point(place, local);
    return p.x < box.min.x || p.x > box.max.x || p.y < box.min.y || p.y > box.max.y ||
           p.z < box.min.z || p.z > box.max.z;
}

static SlStatus sample_body(SlContext *context, const SlSurroundings *around, size_t body,
                            const SlBoundarySettings *settings, SlBodySamples *g, SlError *error)
{
    SlMesh own;
    const SlMesh *mesh;
    SlSurfaceSamples samples = {0};
    SlBodyPlace place = sl_body_place(around, body);
    SlStatus status = surface_of(context, around, body, settings, &own, &mesh, error);
    if (status == SL_OK)
        status = sl_surface_sample(context, mesh, (float)settings->radius,
                                   settings->seed + 0x9E3779B97F4A7C15u * body, &samples, error);
    if (status == SL_OK && !make_room(&context->memory, g, samples.count))
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for boundary particles");
    for (size_t k = 0; status == SL_OK && k < samples.count; k++) {
        float out = outward(around, body, samples.positions[k], samples.normals[k],
                            (float)(0.25 * settings->spacing));
        SlVec3 p = sl_sub(samples.positions[k],
                          sl_scale(samples.normals[k], out * (float)settings->inset));
        if (useless(around, &place, p, settings->support))
            continue;
        float *to = g->rest + 4 * g->count;
        to[0] = p.x;
        to[1] = p.y;
        to[2] = p.z;
        to[3] = 0;
        g->body[g->count++] = (uint32_t)body;
    }
    sl_surface_samples_destroy(&samples);
    sl_mesh_destroy(&own);
    return status;
}

SlStatus sl_body_samples_create(SlContext *context, const SlSurroundings *around,
                                const uint8_t *marks, const SlBoundarySettings *settings,
                                SlBodySamples *g, SlError *error)
{
    memset(g, 0, sizeof *g);
    double expected = sl_boundary_estimate(around, marks, settings);
    if (expected > max_samples)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "boundary: about %.3g boundary particles would be needed, at most %.3g "
                            "fit; choose \"walls\" or \"both\" (flat walls stay analytic)",
                            expected, max_samples);
    if (marks[0]) {
        SlBox box = grown(around->domain, settings->inset);
        size_t count = (size_t)domain_samples(box, settings);
        if (!make_room(&context->memory, g, count))
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for boundary particles");
        sample_domain(box, settings, g->rest);
        memset(g->body, 0, count * sizeof *g->body);
        g->count = count;
    }
    SlStatus status = SL_OK;
    for (size_t body = 1; status == SL_OK && body < sl_body_count(around); body++)
        if (marks[body])
            status = sample_body(context, around, body, settings, g, error);
    return status;
}

void sl_body_samples_destroy(SlContext *context, SlBodySamples *g)
{
    sl_free(&context->memory, g->rest, 16 * g->room);
    sl_free(&context->memory, g->body, 4 * g->room);
    memset(g, 0, sizeof *g);
}

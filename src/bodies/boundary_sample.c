/* From surfaces to samples: the domain's walls by a lattice, every other body by Poisson disks. */
#include "bodies/boundary_sample.h"

#include <math.h>
#include <string.h>

#include "geometry/sampling/sample.h"

/* A scene that would have more samples needs analytic walls. */
static const double max_samples = 3e7;

/* --- How deep --- */

double sl_plane_integral(SlKernelKind kind, double s)
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
    /* A plane of samples with Akinci's volumes has the density A(s) / A(0) of a continuum. */
    double low = 0, high = 1, all = sl_plane_integral(kernel, 0);
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        if (sl_plane_integral(kernel, middle) / all > lacking)
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

/* The body's surface in its own frame: *mesh is `own`, to be destroyed, or the body's. */
static SlStatus surface_of(SlContext *context, const SlBodies *bodies, const SlBody *body,
                           const SlBoundarySettings *settings, SlMesh *own, const SlMesh **mesh,
                           SlError *error)
{
    memset(own, 0, sizeof *own);
    *mesh = own;
    if (body->kind == SL_BODY_FIELD) {
        *mesh = body->mesh;
        return SL_OK;
    }
    return sl_shape_mesh(context, &body->start_shape, (float)settings->radius,
                         grown(bodies->body[0].bounds, settings->support), own, error);
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

double sl_boundary_estimate(const SlBodies *bodies, const uint8_t *marks,
                            const SlBoundarySettings *settings)
{
    SlBox domain = bodies->body[0].bounds;
    double count = marks[0] ? domain_samples(grown(domain, settings->inset), settings) : 0;
    for (size_t k = 1; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        if (marks[k])
            count += area_samples(body->kind == SL_BODY_FIELD
                                      ? area_of(body->mesh)
                                      : body->type->area(&body->shape, domain),
                                  settings);
    }
    return count;
}

uint64_t sl_boundary_bytes(double samples)
{
    uint64_t n = samples < max_samples ? (uint64_t)samples : (uint64_t)max_samples;
    uint32_t fields = SL_FIELD_BIT(ID) | SL_FIELD_BIT(POSITION);
    return sl_particles_bytes(fields, NULL, n) + sl_neighbours_bytes(n) + n * (16 + 4 + 16 + 4);
}

/* +1 where the normal points out of the solid: meshes may have flipped faces, and a hollow body is
   solid outside. */
static float outward(const SlBody *body, SlVec3 p, SlVec3 normal, float step)
{
    if (body->kind == SL_BODY_SHAPE)
        return 1;
    float ahead = sl_sdf_distance(body->field, sl_add(p, sl_scale(normal, step)), NULL);
    float behind = sl_sdf_distance(body->field, sl_sub(p, sl_scale(normal, step)), NULL);
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

/* A sample of a body at rest, farther from the domain than the support, has no effect. */
static bool has_no_effect(const SlBodies *bodies, const SlBody *body, SlVec3 local, double support)
{
    if (body->moves)
        return false;
    SlBox box = grown(bodies->body[0].bounds, support);
    SlVec3 p = sl_frame_point(&body->start, local);
    return p.x < box.min.x || p.x > box.max.x || p.y < box.min.y || p.y > box.max.y ||
           p.z < box.min.z || p.z > box.max.z;
}

static SlStatus sample_body(SlContext *context, const SlBodies *bodies, size_t index,
                            const SlBoundarySettings *settings, SlBodySamples *g, SlError *error)
{
    SlMesh own;
    const SlMesh *mesh;
    SlSurfaceSamples samples = {0};
    const SlBody *body = &bodies->body[index];
    SlStatus status = surface_of(context, bodies, body, settings, &own, &mesh, error);
    if (status == SL_OK)
        status = sl_surface_sample(context, mesh, (float)settings->radius,
                                   settings->seed + 0x9E3779B97F4A7C15u * index, &samples, error);
    if (status == SL_OK && !make_room(&context->memory, g, samples.count))
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for boundary particles");
    for (size_t k = 0; status == SL_OK && k < samples.count; k++) {
        float out = outward(body, samples.positions[k], samples.normals[k],
                            (float)(0.25 * settings->spacing));
        SlVec3 p = sl_sub(samples.positions[k],
                          sl_scale(samples.normals[k], out * (float)settings->inset));
        if (has_no_effect(bodies, body, p, settings->support))
            continue;
        float *to = g->rest + 4 * g->count;
        memcpy(to, &p, sizeof p);
        to[3] = 0;
        g->body[g->count++] = (uint32_t)index;
    }
    sl_surface_samples_destroy(&samples);
    sl_mesh_destroy(&own);
    return status;
}

SlStatus sl_body_samples_create(SlContext *context, const SlBodies *bodies,
                                const uint8_t *marks, const SlBoundarySettings *settings,
                                SlBodySamples *g, SlError *error)
{
    memset(g, 0, sizeof *g);
    double expected = sl_boundary_estimate(bodies, marks, settings);
    if (expected > max_samples)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "boundary: about %.3g boundary particles would be needed, at most %.3g "
                            "fit; choose \"walls\" or \"both\" (flat walls stay analytic)",
                            expected, max_samples);
    if (marks[0]) {
        SlBox box = grown(bodies->body[0].bounds, settings->inset);
        size_t count = (size_t)domain_samples(box, settings);
        if (!make_room(&context->memory, g, count))
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for boundary particles");
        sample_domain(box, settings, g->rest);
        memset(g->body, 0, count * sizeof *g->body);
        g->count = count;
    }
    SlStatus status = SL_OK;
    for (size_t body = 1; status == SL_OK && body < bodies->count; body++)
        if (marks[body])
            status = sample_body(context, bodies, body, settings, g, error);
    return status;
}

void sl_body_samples_destroy(SlContext *context, SlBodySamples *g)
{
    sl_free(&context->memory, g->rest, 16 * g->room);
    sl_free(&context->memory, g->body, 4 * g->room);
    memset(g, 0, sizeof *g);
}

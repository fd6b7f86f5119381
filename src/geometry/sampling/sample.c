/* Poisson-disk samples of a triangle surface, after J. Bowers, R. Wang, L.-Y. Wei, D. Maletz,
   "Parallel Poisson Disk Sampling with Spectrum Analysis on Surfaces", 2010. This file checks the
   request, runs the stages and hands over what they chose. */
#include "geometry/sampling/sample.h"

#include <string.h>

#include "core/machine.h"
#include "core/random.h"
#include "geometry/sampling/parts.h"

static SlStatus no_memory(const SlSampling *s, SlError *error)
{
    double need = sl_sample_bytes((double)s->plan.count, (double)s->mesh->triangle_count);
    return sl_error_set(error, SL_ERROR_MEMORY,
                        "surface samples %g m apart on %g m² take %.1f GiB; no memory for that",
                        (double)s->radius, s->plan.total_area, need / 0x1p30);
}

static SlStatus check_request(const SlMesh *mesh, float radius, SlError *error)
{
    if (!(radius > 0 && isfinite(radius)))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "surface samples %g m apart; the distance must be above 0",
                            (double)radius);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangles[3 * t + (size_t)k] >= mesh->vertex_count ||
                !sl_finite(sl_mesh_corner(mesh, t, k)))
                return sl_error_set(error, SL_ERROR_ARGUMENT,
                                    "mesh to sample: triangle %zu has a corner that is no place",
                                    t);
    return SL_OK;
}

/* Numbers that fit their types, and memory that is there, before any of it is taken. */
static SlStatus check_plan(const SlSampling *s, SlError *error)
{
    const SlSamplePlan *plan = &s->plan;
    double size = fmax((double)plan->bounds.max.x - (double)plan->bounds.min.x,
                       fmax((double)plan->bounds.max.y - (double)plan->bounds.min.y,
                            (double)plan->bounds.max.z - (double)plan->bounds.min.z));
    double most = (1 << SL_SAMPLE_AXIS_BITS) - 4 * SL_SAMPLE_MARGIN;
    if (size / sl_sample_cell_size(s->radius) > most)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "surface samples %g m apart on a mesh %g m in size; "
                            "at least %g m is allowed",
                            (double)s->radius, size, size / (most * 0.577));
    if (plan->count > SL_SAMPLE_MAX)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "surface samples %g m apart on %g m² need %.3g candidates; "
                            "at most %d are allowed",
                            (double)s->radius, plan->total_area, (double)plan->count,
                            SL_SAMPLE_MAX);
    double need = sl_sample_bytes((double)plan->count, (double)s->mesh->triangle_count);
    return need > (double)sl_machine_memory_available() ? no_memory(s, error) : SL_OK;
}

static SlStatus hand_over(const SlSampling *s, SlSurfaceSamples *out, SlError *error)
{
    size_t count = 0;
    for (size_t c = 0; c < s->cells.count; c++)
        count += s->samples[c] != SL_SAMPLE_NONE;
    SlMemory *memory = &s->context->memory;
    out->count = count;
    out->positions = sl_alloc(memory, count * sizeof *out->positions);
    out->normals = sl_alloc(memory, count * sizeof *out->normals);
    out->triangles = sl_alloc(memory, count * sizeof *out->triangles);
    if (out->positions == NULL || out->normals == NULL || out->triangles == NULL)
        return no_memory(s, error);
    size_t k = 0;
    for (size_t c = 0; c < s->cells.count; c++) {
        uint32_t i = s->samples[c];
        if (i == SL_SAMPLE_NONE)
            continue;
        out->positions[k] = s->candidates.positions[i];
        out->triangles[k] = s->candidates.triangles[i];
        out->normals[k] = s->plan.normals[out->triangles[k]];
        k++;
    }
    return SL_OK;
}

static SlStatus run_stages(SlSampling *s, SlSurfaceSamples *out, SlError *error)
{
    if (!sl_sample_plan(s))
        return no_memory(s, error);
    if (s->plan.count == 0)
        return SL_OK;
    SlStatus status = check_plan(s, error);
    if (status != SL_OK)
        return status;
    if (!sl_sample_candidates(s) || !sl_sample_cells(s) || !sl_sample_choose(s))
        return no_memory(s, error);
    return hand_over(s, out, error);
}

SlStatus sl_surface_sample_by(SlContext *context, const SlMesh *mesh, SlSampleMetric metric,
                              float radius, uint64_t seed, SlSurfaceSamples *out, SlError *error)
{
    *out = (SlSurfaceSamples){.context = context};
    SlStatus status = check_request(mesh, radius, error);
    if (status != SL_OK || mesh->triangle_count == 0)
        return status;
    SlArena arena; /* its own: the context's belongs to a step that may be under way */
    sl_arena_init(&arena, &context->memory);
    SlSampling sampling = {.context = context,
                           .mesh = mesh,
                           .arena = &arena,
                           .metric = metric,
                           .radius = radius,
                           .seed = seed};
    status = run_stages(&sampling, out, error);
    sl_arena_free(&arena);
    if (status != SL_OK)
        sl_surface_samples_destroy(out);
    return status;
}

SlStatus sl_surface_sample(SlContext *context, const SlMesh *mesh, float radius, uint64_t seed,
                           SlSurfaceSamples *out, SlError *error)
{
    return sl_surface_sample_by(context, mesh, SL_SAMPLE_STRAIGHT, radius, seed, out, error);
}

void sl_surface_samples_destroy(SlSurfaceSamples *samples)
{
    if (samples->context == NULL)
        return;
    SlMemory *memory = &samples->context->memory;
    sl_free(memory, samples->positions, samples->count * sizeof *samples->positions);
    sl_free(memory, samples->normals, samples->count * sizeof *samples->normals);
    sl_free(memory, samples->triangles, samples->count * sizeof *samples->triangles);
    memset(samples, 0, sizeof *samples);
}

/* --- Candidates for surface sampling: 40 A / (π r²) of them, spread by area, and a few more along the
   length of every triangle. Shares come from a prefix sum of areas, so each triangle's number is
   within one of its share, and places are stratified inside a triangle.

   The strip along the length is why no hole can stay: a needle, the tip of a spike or a crumb of a
   mesh has too little area for a share, yet every half radius of its length has a candidate. --- */

enum { CHUNK = 2048 };

static const double candidates_per_disk = 40; /* Bowers' N0 = 40 A / (π r²) */

typedef struct Wide {
    double x, y, z;
} Wide;

static Wide wide(SlVec3 a)
{
    return (Wide){(double)a.x, (double)a.y, (double)a.z};
}

static Wide edge(SlVec3 from, SlVec3 to)
{
    Wide a = wide(from), b = wide(to);
    return (Wide){b.x - a.x, b.y - a.y, b.z - a.z};
}

static double length_of(Wide a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/* The corner where the two longest sides meet: a triangle's length runs from there. */
static int tip_of(const SlVec3 corner[3])
{
    int tip = 0;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        double side = length_of(edge(corner[(k + 1) % 3], corner[(k + 2) % 3]));
        if (side < least) {
            least = side;
            tip = k;
        }
    }
    return tip;
}

/* In double: the cross product of a needle's sides has few good bits left in float. */
static void measure_triangles(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSampling *s = argument;
    for (size_t t = begin; t < end; t++) {
        SlVec3 c[3] = {sl_mesh_corner(s->mesh, t, 0), sl_mesh_corner(s->mesh, t, 1),
                       sl_mesh_corner(s->mesh, t, 2)};
        Wide u = edge(c[0], c[1]), v = edge(c[0], c[2]), w = edge(c[1], c[2]);
        Wide n = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
        double twice = length_of(n);
        double most = fmax(length_of(u), fmax(length_of(v), length_of(w)));
        /* What rounding alone gives a triangle on a line is no area. */
        bool flat = !(twice > 1e-14 * most * most);
        s->plan.areas[t] = flat ? 0 : 0.5 * twice;
        s->plan.normals[t] = flat ? sl_vec3(0, 1, 0)
                                  : sl_vec3((float)(n.x / twice), (float)(n.y / twice),
                                            (float)(n.z / twice));
        /* Bounded only for the type's sake: the caller refuses far fewer. */
        double strips = fmin(fmax(ceil(2 * most / (double)s->radius), 1), 2e9);
        s->plan.strips[t] = flat ? 0 : (uint32_t)strips;
    }
}

static void add_to_bounds(SlBox *box, const SlMesh *mesh, size_t triangle)
{
    for (int k = 0; k < 3; k++) {
        SlVec3 p = sl_mesh_corner(mesh, triangle, k);
        box->min = sl_vec3(fminf(box->min.x, p.x), fminf(box->min.y, p.y), fminf(box->min.z, p.z));
        box->max = sl_vec3(fmaxf(box->max.x, p.x), fmaxf(box->max.y, p.y), fmaxf(box->max.z, p.z));
    }
}

bool sl_sample_plan(SlSampling *s)
{
    SlSamplePlan *plan = &s->plan;
    size_t triangles = s->mesh->triangle_count;
    plan->normals = SL_PUSH(s->arena, SlVec3, triangles);
    plan->areas = SL_PUSH(s->arena, double, triangles);
    plan->starts = SL_PUSH(s->arena, uint64_t, triangles + 1);
    plan->strips = SL_PUSH(s->arena, uint32_t, triangles);
    if (plan->normals == NULL || plan->areas == NULL || plan->starts == NULL ||
        plan->strips == NULL)
        return false;
    sl_parallel_for(s->context->pool, triangles, CHUNK, measure_triangles, s);
    plan->bounds = (SlBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double disk = 3.14159265358979324 * (double)s->radius * (double)s->radius;
    double area = 0;
    uint64_t strips = 0;
    for (size_t t = 0; t < triangles; t++) {
        /* A share beyond 2^62 is refused by the caller; it must not wrap here. */
        plan->starts[t] = strips + (uint64_t)fmin(area / disk * candidates_per_disk, 0x1p62);
        area += plan->areas[t];
        strips += plan->strips[t];
        if (plan->areas[t] > 0)
            add_to_bounds(&plan->bounds, s->mesh, t);
    }
    plan->total_area = area;
    plan->count = strips + (uint64_t)fmin(area / disk * candidates_per_disk, 0x1p62);
    plan->starts[triangles] = plan->count;
    return true;
}

/* First triangle whose candidates end after number i. */
static size_t triangle_of(const SlSamplePlan *plan, size_t triangles, uint64_t i)
{
    size_t low = 0, high = triangles - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->starts[middle + 1] > i)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Candidate k of n: the way from the tip is stratified, by length for the strip, else by area. */
static SlVec3 place(const SlSampling *s, size_t triangle, uint64_t k, uint64_t i)
{
    SlVec3 corner[3] = {sl_mesh_corner(s->mesh, triangle, 0), sl_mesh_corner(s->mesh, triangle, 1),
                        sl_mesh_corner(s->mesh, triangle, 2)};
    int tip = tip_of(corner);
    Wide a = wide(corner[tip]), b = wide(corner[(tip + 1) % 3]), c = wide(corner[(tip + 2) % 3]);
    uint64_t strips = s->plan.strips[triangle];
    uint64_t shares = s->plan.starts[triangle + 1] - s->plan.starts[triangle] - strips;
    SlRandom4 random = sl_random(s->seed, i, 0);
    double along = ((double)random.value[0] + 0.5) * 0x1p-32;
    double across = ((double)random.value[1] + 0.5) * 0x1p-32;
    double way = k < strips ? ((double)k + along) / (double)strips
                            : sqrt(((double)(k - strips) + along) / (double)shares);
    double wb = way * (1 - across), wc = way * across, wa = 1 - way;
    return sl_vec3((float)(wa * a.x + wb * b.x + wc * c.x), (float)(wa * a.y + wb * b.y + wc * c.y),
                   (float)(wa * a.z + wb * b.z + wc * c.z));
}

static void place_candidates(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSampling *s = argument;
    size_t triangle = triangle_of(&s->plan, s->mesh->triangle_count, begin);
    for (size_t i = begin; i < end; i++) {
        while (s->plan.starts[triangle + 1] <= i)
            triangle++;
        s->candidates.positions[i] = place(s, triangle, i - s->plan.starts[triangle], i);
        s->candidates.triangles[i] = (uint32_t)triangle;
    }
}

bool sl_sample_candidates(SlSampling *s)
{
    SlSampleCandidates *candidates = &s->candidates;
    candidates->count = (size_t)s->plan.count;
    candidates->positions = SL_PUSH(s->arena, SlVec3, candidates->count);
    candidates->triangles = SL_PUSH(s->arena, uint32_t, candidates->count);
    if (candidates->positions == NULL || candidates->triangles == NULL)
        return false;
    sl_parallel_for(s->context->pool, candidates->count, CHUNK, place_candidates, s);
    return true;
}

/* Poisson-disk samples of a triangle surface, after J. Bowers, R. Wang, L.-Y. Wei, D. Maletz,
   "Parallel Poisson Disk Sampling with Spectrum Analysis on Surfaces", 2010. This file checks the
   request, runs the stages and hands over what they chose. */
#include "geometry/sample.h"

#include <string.h>

#include "core/machine.h"
#include "geometry/sample_parts.h"

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
    if (plan->count > SL_SAMPLE_MOST)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "surface samples %g m apart on %g m² need %.3g candidates; "
                            "at most %d are allowed",
                            (double)s->radius, plan->total_area, (double)plan->count,
                            SL_SAMPLE_MOST);
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

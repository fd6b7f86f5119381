/* surface: the surface of water as a closed triangle mesh with normals and velocities, added to the frame
   as one SlSurfaceView per system. surface.h names the steps. */
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "filters/filter.h"
#include "filters/surface/surface.h"

enum { SYSTEM, CUBE, SMOOTHING, ANISOTROPY, ISO, SINK, MIN_COMPONENT, ROW_COUNT };
static const SlParamRow rows[ROW_COUNT] = {
    [SYSTEM] = {"system", SL_PARAM_TEXT, {.text = ""}, 0, 0, "", NULL,
                "name of the system; empty: all"},
    [CUBE] = {"cube", SL_PARAM_NUMBER, {{0.5}}, 0.1, 1, "spacings", NULL,
              "edge of the cubes that the surface is found with"},
    [SMOOTHING] = {"smoothing", SL_PARAM_INTEGER, {{30}}, 0, 1000, "", NULL,
                   "iterations of weighted smoothing; finer cubes need more"},
    [ANISOTROPY] = {"anisotropy", SL_PARAM_NUMBER, {{4}}, 1, 16, "", NULL,
                    "longest over shortest axis of a particle's kernel, at most; 1: spheres"},
    [ISO] = {"iso", SL_PARAM_NUMBER, {{0.5}}, 0.05, 0.95, "", NULL,
             "level of the surface, as a fraction of the density inside"},
    [SINK] = {"sink", SL_PARAM_NUMBER, {{0}}, 0, 1, "spacings", NULL,
              "how far the mesh continues behind walls and into colliders"},
    [MIN_COMPONENT] = {"min_component", SL_PARAM_NUMBER, {{0.1}}, 0, 1e9, "particles", NULL,
                       "closed pieces and voids of a smaller volume are removed"},
};

/* --- positions --- */

enum { CHECK_CHUNK = 65536 };
#define NONE SIZE_MAX

typedef struct Check {
    SlFieldView position;
    float limit;
    size_t *found; /* per chunk: the first particle that is too far away or nowhere; NONE */
} Check;

static void check_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Check *p = argument;
    size_t found = NONE;
    for (size_t i = begin; found == NONE && i < end; i++) {
        float x[3];
        memcpy(x, (const char *)p->position.data + i * p->position.stride, sizeof x);
        if (!(fabsf(x[0]) <= p->limit && fabsf(x[1]) <= p->limit && fabsf(x[2]) <= p->limit))
            found = i;
    }
    p->found[chunk] = found;
}

/* Beyond SL_GRID_REACH spacings a float does not tell neighbours apart. */
static SlStatus check_positions(SlContext *context, const SlSystemView *system, SlError *error)
{
    Check p = {.position = sl_view_field(system, "position"),
               .limit = (float)SL_GRID_REACH * system->spacing};
    size_t chunks = sl_chunk_count(p.position.count, CHECK_CHUNK);
    SlArenaMark mark = sl_arena_mark(&context->arena);
    p.found = SL_PUSH(&context->arena, size_t, chunks);
    if (p.found == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "surface: no memory");
    sl_parallel_for(context->pool, p.position.count, CHECK_CHUNK, check_chunk, &p);
    size_t first = NONE;
    for (size_t c = chunks; c-- > 0;)
        first = p.found[c] != NONE ? p.found[c] : first;
    sl_arena_release(&context->arena, mark);
    if (first == NONE)
        return SL_OK;
    float x[3];
    memcpy(x, (const char *)p.position.data + first * p.position.stride, sizeof x);
    return sl_error_set(error, SL_ERROR_ARGUMENT,
                        "surface: particle %zu of \"%.60s\" is at (%g, %g, %g) m; coordinates of up to "
                        "%g m (%d spacings) can be meshed",
                        first, system->name, (double)x[0], (double)x[1], (double)x[2],
                        (double)p.limit, SL_GRID_REACH);
}

/* In the order of the pipeline; times are logged. */
enum { SOLIDS, BLOCKS, POINTS, FIELD, EXTRACT, COMPONENTS, SMOOTH, STAGES };

static SlStatus mesh_system(SlContext *context, const SurfaceLattice *lattice,
                            const SurfaceSettings *settings, SurfaceSolids *solids,
                            const SlSystemView *system, SlArena *arena, SurfaceMesh *mesh)
{
    SurfaceBlocks blocks;
    SurfacePoints points = {.count = 0};
    SlFieldView position = sl_view_field(system, "position");
    double time[STAGES + 1] = {sl_seconds() - solids->seconds};
    memset(mesh, 0, sizeof *mesh);
    memset(&blocks, 0, sizeof blocks);
    bool done = surface_solids_mirror(context, settings, &position, solids);
    time[SOLIDS + 1] = sl_seconds();
    done = done && surface_blocks_find(context, lattice, settings, solids, &position, &blocks);
    time[BLOCKS + 1] = sl_seconds();
    done = done && surface_points_collect(context, lattice, settings, solids, system, &blocks,
                                          &points) == SL_OK;
    time[POINTS + 1] = sl_seconds();
    done = done && surface_field_compute(context, lattice, settings, solids, &points, &blocks);
    time[FIELD + 1] = sl_seconds();
    done = done && surface_extract(context, arena, lattice, settings, &blocks, mesh);
    time[EXTRACT + 1] = sl_seconds();
    float d = settings->spacing;
    done = done && surface_remove_small(context, settings->min_component * d * d * d, mesh);
    time[COMPONENTS + 1] = sl_seconds();
    done = done && surface_smooth(context, lattice, settings, solids, &points, mesh);
    time[SMOOTH + 1] = sl_seconds();
    if (done)
        sl_log(context, SL_LOG_INFO,
               "surface of %s: %u triangles, %u blocks of which %u have a field, %zu points; "
               "solids %.1f, blocks %.1f, points %.1f, field %.1f, cubes %.1f, pieces %.1f, smoothing %.1f ms",
               system->name, mesh->triangle_count, blocks.set.count, blocks.field_count,
               points.count, 1e3 * (time[1] - time[0]), 1e3 * (time[2] - time[1]),
               1e3 * (time[3] - time[2]), 1e3 * (time[4] - time[3]), 1e3 * (time[5] - time[4]),
               1e3 * (time[6] - time[5]), 1e3 * (time[7] - time[6]));
    sl_grid_destroy(&points.grid);
    surface_blocks_free(&blocks);
    return done ? SL_OK : SL_ERROR_MEMORY;
}

static SlStatus add_surface(const SlFilterInput *input, const SlSystemView *system, SlArena *arena,
                            SlSurfaceView *out, SlError *error)
{
    const SlParamValue *values = input->values;
    SurfaceSettings settings = {
        .spacing = system->spacing,
        .cube = (float)values[CUBE].number[0],
        .support = 2,
        .drop_support = 1.1f,
        .drop_radius = 0.67f, /* (3 / 4 π)^⅓, and 8 % for what its few triangles cut off a sphere */
        .vicinity = 2.5f,
        .iso = (float)values[ISO].number[0],
        .anisotropy = (float)values[ANISOTROPY].number[0],
        .sink = (float)values[SINK].number[0],
        .min_component = (float)values[MIN_COMPONENT].number[0],
        .iterations = (uint32_t)values[SMOOTHING].number[0],
    };
    SurfaceLattice lattice;
    SurfaceMesh mesh;
    SurfaceSolids solids;
    SlFieldView position = sl_view_field(system, "position");
    if (!(system->spacing > 0) ||
        (system->particle_count > 0 && position.type != SL_FIELD_F32X3))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "surface: the system \"%.60s\" has no positions, or no spacing above 0",
                            system->name);
    SlStatus status = check_positions(input->context, system, error);
    if (status != SL_OK)
        return status;
    surface_lattice_fit(input->frame->domain, settings.cube * settings.spacing,
                        settings.sink * settings.spacing, &lattice);
    SlArenaMark mark = sl_arena_mark(&input->context->arena);
    status = surface_solids_make(input->context, &settings, input->frame, &position, &solids, error);
    bool made = status == SL_OK;
    if (made)
        status = mesh_system(input->context, &lattice, &settings, &solids, system, arena, &mesh);
    surface_solids_free(&solids);
    sl_arena_release(&input->context->arena, mark);
    if (!made)
        return status;
    if (status != SL_OK)
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "surface: no memory for the surface of %zu particles of \"%.60s\"",
                            system->particle_count, system->name);
    *out = (SlSurfaceView){.system = system->name,
                           .positions = mesh.positions,
                           .normals = mesh.normals,
                           .velocities = mesh.velocities,
                           .vertex_count = mesh.vertex_count,
                           .triangles = mesh.triangles,
                           .triangle_count = mesh.triangle_count,
                           .material = system->material};
    return SL_OK;
}

static SlStatus apply(const SlFilterInput *input, SlArena *arena, SlFrameView *output,
                      SlError *error)
{
    const SlFrameView *frame = input->frame;
    const char *name = input->values[SYSTEM].text;
    if (name[0] != '\0' && frame->system_count > 0 && sl_view_system(frame, name) == NULL)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "surface: the frame has no system \"%.60s\"", name);
    size_t count = frame->surface_count;
    SlSurfaceView *surfaces = SL_PUSH(arena, SlSurfaceView, count + frame->system_count);
    if (surfaces == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "surface: no memory");
    if (count > 0)
        memcpy(surfaces, frame->surfaces, count * sizeof *surfaces);
    for (size_t s = 0; s < frame->system_count; s++) {
        const SlSystemView *system = &frame->systems[s];
        if (name[0] != '\0' ? strcmp(name, system->name) != 0
                            : system->material.kind == SL_MATERIAL_FOAM) /* drops and bubbles */
            continue;
        SlStatus status = add_surface(input, system, arena, &surfaces[count++], error);
        if (status != SL_OK)
            return status;
    }
    *output = *frame;
    output->surfaces = surfaces;
    output->surface_count = count;
    return SL_OK;
}

extern const SlFilterKind sl_filter_surface;
const SlFilterKind sl_filter_surface = {
    .table = {.name = "surface",
              .kind = "filter",
              .summary = "the surface of water as a closed triangle mesh",
              .citation = "[Yu 2013]; [Löschner 2023]",
              .rows = rows,
              .row_count = ROW_COUNT},
    .version = 1,
    .apply = apply,
};

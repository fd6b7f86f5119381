/* bench fields: nanoseconds a query of a distance field takes, on one thread: at the surface, in
   the rest of the band, far away; of a rigid mesh and of one that deforms. */
#include <math.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "core/random.h"
#include "core/timer.h"
#include "bodies/deform.h"
#include "geometry/mesh/read.h"

enum { POINTS = 4096, MAX_ROUNDS = 64 };

/* Asked as contacts do: exact within a cell. */
typedef enum Zone { AT_SURFACE, IN_BAND, FAR_AWAY, ZONES } Zone;
static const char *const zone_names[ZONES] = {"surface", "band", "far"};

static double longest_side(SlBox box)
{
    return fmax(fmax((double)(box.max.x - box.min.x), (double)(box.max.y - box.min.y)),
                (double)(box.max.z - box.min.z));
}

/* Random points of the zone, outside of the mesh, where a fluid's particles are. */
static void choose_points(const SlSdf *sdf, SlBox box, Zone zone, SlVec3 *points)
{
    float h = sdf->cell, band = sdf->band * h;
    const float from[ZONES] = {0.2f * h, h, 1.5f * band}, to[ZONES] = {h, band, INFINITY};
    SlVec3 pad = {2 * band, 2 * band, 2 * band};
    SlVec3 low = sl_sub(box.min, pad), size = sl_sub(sl_add(box.max, pad), low);
    for (uint64_t found = 0, k = 0; found < POINTS; k++) {
        SlRandom4 r = sl_random(21, k, (uint32_t)zone);
        SlVec3 p = {low.x + size.x * sl_random_unit(r.value[0]),
                    low.y + size.y * sl_random_unit(r.value[1]),
                    low.z + size.z * sl_random_unit(r.value[2])};
        float d = sl_sdf_distance(sdf, p, NULL);
        if (d > from[zone] && d < to[zone])
            points[found++] = p;
    }
}

/* *sum keeps the queries from being left out. */
static double time_queries(const Bench *bench, const SlSdf *sdf, const SlDeform *deform,
                           const SlVec3 *points, float reach, double *sum)
{
    double times[MAX_ROUNDS];
    size_t rounds = bench->quick ? 10 : MAX_ROUNDS;
    for (size_t r = 0; r < rounds; r++) {
        double start = sl_seconds();
        for (size_t k = 0; k < POINTS; k++) {
            SlVec3 g, v;
            *sum += (double)(deform != NULL
                                  ? sl_deform_distance(deform, points[k], reach, &g, &v)
                                  : sl_sdf_distance_within(sdf, points[k], reach, &g));
        }
        times[r] = (sl_seconds() - start) / POINTS * 1e9;
    }
    return bench_low(times, rounds);
}

static SlStatus measure_rigid(Bench *bench, SlContext *context, const SlMesh *mesh, double cells,
                              SlVec3 *points, SlError *error)
{
    SlBox box = sl_mesh_bounds(mesh);
    SlSdfSettings settings = sl_default_sdf_settings(longest_side(box) / cells);
    SlSdf sdf;
    double sum = 0;
    SlStatus status = sl_sdf_create(context, mesh, &settings, &sdf, error);
    for (int zone = 0; status == SL_OK && zone < ZONES; zone++) {
        choose_points(&sdf, box, (Zone)zone, points);
        double ns = time_queries(bench, &sdf, NULL, points, sdf.cell, &sum);
        bench_report(bench, isfinite(sum) ? ns : INFINITY, "ns", "squirrel_%.0f.%s_ns", cells,
                     zone_names[zone]);
    }
    if (status == SL_OK)
        sl_sdf_destroy(&sdf);
    return status;
}

/* The squirrel grows by a twentieth from one key to the next; asked in the middle. */
static SlStatus measure_deforming(Bench *bench, SlContext *context, const char *path,
                                  SlVec3 *points, SlError *error)
{
    SlMesh keys[2];
    SlStatus status = sl_mesh_read(context, path, &keys[0], error);
    if (status == SL_OK && (status = sl_mesh_read(context, path, &keys[1], error)) != SL_OK)
        sl_mesh_destroy(&keys[0]);
    if (status != SL_OK)
        return status;
    SlBox box = sl_mesh_bounds(&keys[0]);
    SlDeform *deform = NULL;
    status = sl_mesh_transform(&keys[1], 1.05f, NULL, (SlVec3){0, 0, 0}, error);
    if (status == SL_OK)
        status = sl_deform_create(context, keys, 2, 1, false, &deform, error);
    SlSdfSettings settings = sl_default_sdf_settings(longest_side(box) / 64);
    if (status == SL_OK)
        status = sl_deform_build(deform, &settings, NULL, error);
    double sum = 0;
    for (int zone = 0; status == SL_OK && zone < ZONES; zone++) {
        sl_deform_seek(deform, 0.5);
        choose_points(&deform->keys[1].field, box, (Zone)zone, points);
        double ns = time_queries(bench, NULL, deform, points, (float)settings.cell, &sum);
        bench_report(bench, isfinite(sum) ? ns : INFINITY, "ns", "deforming_64.%s_ns",
                     zone_names[zone]);
    }
    sl_deform_destroy(deform);
    return status;
}

static SlStatus run(Bench *bench, SlError *error)
{
    char path[800];
    SlContext *context;
    SlContextDef def = sl_default_context_def();
    SlMesh mesh;
    def.threads = bench->threads;
    SlVec3 *points = malloc(POINTS * sizeof *points);
    if (points == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for points");
    sl_program_file("../assets/squirrel.obj", path, sizeof path);
    SlStatus status = sl_context_create(&def, &context, error);
    if (status == SL_OK) {
        status = sl_mesh_read(context, path, &mesh, error);
        if (status == SL_OK) {
            status = measure_rigid(bench, context, &mesh, 40, points, error);
            if (status == SL_OK)
                status = measure_rigid(bench, context, &mesh, 128, points, error);
            sl_mesh_destroy(&mesh);
        }
        if (status == SL_OK)
            status = measure_deforming(bench, context, path, points, error);
        sl_context_destroy(context);
    }
    free(points);
    return status;
}

const BenchKind bench_fields = {"fields", "queries of distance fields, rigid and deforming", run};

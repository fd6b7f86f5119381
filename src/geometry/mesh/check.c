/* Edges and faces are grouped by sorting their vertices, which takes the same time for any mesh: a
   table of edges per vertex would be quadratic for a hub that all faces share. */
#include "geometry/mesh/check.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/sort.h"
#include "geometry/mesh/read.h"

typedef struct Check {
    const SlMesh *mesh;
    SlArena arena, sort_arena; /* the second is used anew for each sort */
    uint32_t *keys, *sorted, *order, *places; /* as many as edges */
} Check;

static bool has_twice(const uint32_t *corner)
{
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

/* order becomes a permutation that sorts records of `width` vertices, first vertex first. */
static bool sort_records(Check *check, const uint32_t *records, size_t count, size_t width)
{
    for (size_t k = 0; k < count; k++)
        check->order[k] = (uint32_t)k;
    for (size_t column = width; column-- > 0;) {
        for (size_t k = 0; k < count; k++)
            check->keys[k] = records[width * check->order[k] + column];
        sl_arena_reset(&check->sort_arena);
        if (!sl_sort_by_key(check->mesh->context->pool, &check->sort_arena, check->keys, count,
                            check->mesh->vertex_count, check->places, check->sorted))
            return false;
        /* The sort gives places in the order before it. */
        for (size_t k = 0; k < count; k++)
            check->sorted[k] = check->order[check->places[k]];
        memcpy(check->order, check->sorted, count * sizeof *check->order);
    }
    return true;
}

static void count_edge(SlMeshReport *report, size_t faces, size_t forward)
{
    report->open_edges += faces == 1;
    report->non_manifold_edges += faces > 2;
    report->flipped_edges += faces == 2 && forward != 1;
}

static bool check_edges(Check *check, SlMeshReport *report)
{
    const SlMesh *mesh = check->mesh;
    uint32_t *edges = SL_PUSH(&check->arena, uint32_t, 6 * mesh->triangle_count);
    uint8_t *forward = SL_PUSH(&check->arena, uint8_t, 3 * mesh->triangle_count);
    if (edges == NULL || forward == NULL)
        return false;
    size_t count = 0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles + 3 * t;
        for (int k = 0; k < 3 && !has_twice(corner); k++, count++) {
            uint32_t a = corner[k], b = corner[(k + 1) % 3];
            forward[count] = a < b;
            edges[2 * count] = a < b ? a : b;
            edges[2 * count + 1] = a < b ? b : a;
        }
    }
    if (!sort_records(check, edges, count, 2))
        return false;
    size_t faces = 0, ahead = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t *edge = edges + 2 * (size_t)check->order[k];
        faces++;
        ahead += forward[check->order[k]];
        if (k + 1 == count ||
            memcmp(edge, edges + 2 * (size_t)check->order[k + 1], 2 * sizeof *edge) != 0) {
            count_edge(report, faces, ahead);
            faces = ahead = 0;
        }
    }
    report->closed = count > 0 && report->open_edges == 0 && report->non_manifold_edges == 0 &&
                     report->flipped_edges == 0;
    return true;
}

static void swap_if_above(uint32_t *a, uint32_t *b)
{
    uint32_t least = *a < *b ? *a : *b;
    *b = *a < *b ? *b : *a;
    *a = least;
}

static bool check_duplicates(Check *check, SlMeshReport *report)
{
    const SlMesh *mesh = check->mesh;
    size_t count = mesh->triangle_count;
    uint32_t *faces = SL_PUSH(&check->arena, uint32_t, 3 * count);
    if (faces == NULL)
        return false;
    memcpy(faces, mesh->triangles, 3 * count * sizeof *faces);
    for (uint32_t *face = faces; face < faces + 3 * count; face += 3) {
        swap_if_above(&face[0], &face[1]);
        swap_if_above(&face[1], &face[2]);
        swap_if_above(&face[0], &face[1]);
    }
    if (!sort_records(check, faces, count, 3))
        return false;
    for (size_t k = 1; k < count; k++)
        report->duplicate_faces += memcmp(faces + 3 * (size_t)check->order[k],
                                          faces + 3 * (size_t)check->order[k - 1],
                                          3 * sizeof *faces) == 0;
    return true;
}

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Vertices joined by faces; each set that a face belongs to counts once. */
static bool count_components(Check *check, SlMeshReport *report)
{
    const SlMesh *mesh = check->mesh;
    uint32_t *parent = SL_PUSH(&check->arena, uint32_t, mesh->vertex_count);
    uint8_t *seen = SL_PUSH(&check->arena, uint8_t, mesh->vertex_count);
    if (parent == NULL || seen == NULL)
        return false;
    memset(seen, 0, mesh->vertex_count);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        parent[v] = (uint32_t)v;
    for (size_t t = 0; t < mesh->triangle_count; t++)
        for (size_t k = 1; k < 3; k++) {
            uint32_t a = root_of(parent, mesh->triangles[3 * t]);
            uint32_t b = root_of(parent, mesh->triangles[3 * t + k]);
            parent[a < b ? b : a] = a < b ? a : b;
        }
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        uint8_t *mark = &seen[root_of(parent, mesh->triangles[3 * t])];
        report->components += *mark == 0;
        *mark = 1;
    }
    return true;
}

typedef struct Vec3d {
    double x, y, z;
} Vec3d;

static Vec3d from(SlVec3 p, Vec3d origin)
{
    return (Vec3d){(double)p.x - origin.x, (double)p.y - origin.y, (double)p.z - origin.z};
}

static Vec3d cross(Vec3d a, Vec3d b)
{
    return (Vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(Vec3d a, Vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* From the middle of the bounds: far from zero, tetrahedra to the origin would cancel badly. */
static void measure(const SlMesh *mesh, SlMeshReport *report)
{
    const double rounding = 0x1p-23;
    const SlBox *box = &report->bounds;
    Vec3d middle = {((double)box->min.x + (double)box->max.x) / 2,
                    ((double)box->min.y + (double)box->max.y) / 2,
                    ((double)box->min.z + (double)box->max.z) / 2};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        Vec3d a = from(sl_mesh_corner(mesh, t, 0), middle);
        Vec3d b = from(sl_mesh_corner(mesh, t, 1), middle);
        Vec3d c = from(sl_mesh_corner(mesh, t, 2), middle);
        Vec3d ab = {b.x - a.x, b.y - a.y, b.z - a.z}, ac = {c.x - a.x, c.y - a.y, c.z - a.z};
        Vec3d bc = {c.x - b.x, c.y - b.y, c.z - b.z}, normal = cross(ab, ac);
        double twice_area = sqrt(dot(normal, normal));
        double longest = fmax(dot(ab, ab), fmax(dot(bc, bc), dot(ac, ac)));
        report->area += 0.5 * twice_area;
        report->volume += dot(a, cross(b, c)) / 6;
        report->degenerate_faces +=
            has_twice(mesh->triangles + 3 * t) || twice_area <= rounding * longest;
    }
}

SlStatus sl_mesh_check(const SlMesh *mesh, SlMeshReport *report, SlError *error)
{
    memset(report, 0, sizeof *report);
    report->vertices = mesh->vertex_count;
    report->triangles = mesh->triangle_count;
    report->bounds = sl_mesh_bounds(mesh);
    if (mesh->triangle_count == 0)
        return SL_OK;
    const size_t most = UINT32_MAX / 3; /* edges are counted in 32 bits */
    Check check = {.mesh = mesh};
    sl_arena_init(&check.arena, &mesh->context->memory);
    sl_arena_init(&check.sort_arena, &mesh->context->memory);
    size_t edges = 3 * mesh->triangle_count;
    bool done = mesh->triangle_count <= most;
    if (done) {
        check.keys = SL_PUSH(&check.arena, uint32_t, edges);
        check.sorted = SL_PUSH(&check.arena, uint32_t, edges);
        check.order = SL_PUSH(&check.arena, uint32_t, edges);
        check.places = SL_PUSH(&check.arena, uint32_t, edges);
        done = check.keys != NULL && check.sorted != NULL && check.order != NULL &&
               check.places != NULL && check_edges(&check, report) &&
               check_duplicates(&check, report) && count_components(&check, report);
    }
    sl_arena_free(&check.arena);
    sl_arena_free(&check.sort_arena);
    if (!done)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to check a mesh of %zu triangles",
                            mesh->triangle_count);
    measure(mesh, report);
    return SL_OK;
}

bool sl_mesh_file_is_known(const char *path)
{
    return sl_mesh_format(path) != SL_MESH_UNKNOWN;
}

SlStatus sl_mesh_file_report(SlContext *context, const char *path, SlMeshReport *report,
                             SlError *error)
{
    SlMesh mesh;
    SlStatus status = sl_mesh_read(context, path, &mesh, error);
    if (status == SL_OK)
        status = sl_mesh_check(&mesh, report, error);
    sl_mesh_destroy(&mesh);
    return status;
}

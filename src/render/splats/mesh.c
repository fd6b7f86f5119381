/* Triangle meshes of a frame view as one list of triangles, ready to be drawn: corners in the
   camera's and the light's space, where each may be seen, normals, lists per tile.

   Normals are smooth over shallow edges and sharp over creases: at a corner of a triangle the
   mean of the normals around the vertex that differ by less than the crease angle, weighted by area.
   They are computed from the vertices in view space. */
#include "core/context.h"
#include "frame/view.h"
#include "render/splats/splats.h"

enum { CHUNK = 2048, MAX_AROUND = 64 /* triangles looked at around a vertex, about */ };

#define CREASE 0.766f      /* cosine of 40 degrees */
#define HALF_CREASE 0.940f /* of 20 degrees, a little less */
#define FARTHEST 1e15f

typedef struct Face {
    SlVec3 unit; /* zero where there is no area */
    float area;
} Face;

typedef struct Build {
    SlSplatFrame *frame;
    const SlColliderView *collider; /* the one that is being read */
    const float *vertices;          /* its, in its own axes */
    SlVec3 axes[3];
    uint32_t first_vertex, first_triangle; /* where it begins */
    uint32_t id;                           /* of its pixels */
    Face *face;
    size_t *start; /* around[start[v]] … around[start[v + 1] - 1]: the triangles at vertex v */
    uint32_t *around;
    SlVec3 *mean; /* normal of a vertex whose triangles are all within the crease angle; else 0 */
} Build;

static void place_vertices(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Build *build = argument;
    const SlVec3 origin = build->collider->pose.position, *axes = build->axes;
    const SlSplatFrame *frame = build->frame;
    for (size_t i = begin; i < end; i++) {
        const float *p = build->vertices + 3 * i;
        SlVec3 w = sl_add(sl_add(origin, sl_scale(axes[0], p[0])),
                          sl_add(sl_scale(axes[1], p[1]), sl_scale(axes[2], p[2])));
        float light[3];
        for (int k = 0; k < 3; k++) {
            const float *row = frame->shadow.world_row[k];
            light[k] = row[0] * w.x + row[1] * w.y + row[2] * w.z + row[3];
        }
        frame->triangles.view[build->first_vertex + i] = sl_camera_to_view(&frame->camera, w);
        frame->triangles.light[build->first_vertex + i] = sl_vec3(light[0], light[1], light[2]);
    }
}

typedef struct Bounds {
    float x0, y0, x1, y1;
} Bounds;

static const Bounds nowhere = {INFINITY, INFINITY, -INFINITY, -INFINITY};

static void widen(Bounds *bounds, float x, float y)
{
    *bounds = (Bounds){fminf(bounds->x0, x), fminf(bounds->y0, y), fmaxf(bounds->x1, x),
                       fmaxf(bounds->y1, y)};
}

/* Whole pixels of a picture; empty where the bounds are beside it. */
static SlRect cut(Bounds b, uint32_t width, uint32_t height)
{
    float right = (float)width - 1, bottom = (float)height - 1, slack = 1.0f / 64;
    if (!(b.x1 + slack >= 0 && b.y1 + slack >= 0 && b.x0 - slack < right + 1 &&
          b.y0 - slack < bottom + 1))
        return (SlRect){0, 0, -1, -1};
    return (SlRect){(int16_t)fmaxf(b.x0 - slack, 0), (int16_t)fmaxf(b.y0 - slack, 0),
                    (int16_t)fminf(b.x1 + slack, right), (int16_t)fminf(b.y1 + slack, bottom)};
}

static void widen_by_view(Bounds *bounds, const SlCameraFrame *c, SlVec3 v)
{
    float scale = c->focal / v.z;
    widen(bounds, c->center_x + v.x * scale, c->center_y - v.y * scale);
}

/* Bounds of what lies before the near plane. */
static SlRect view_rect(const SlSplatFrame *frame, const SlVec3 v[3])
{
    Bounds bounds = nowhere;
    for (int k = 0; k < 3; k++) {
        SlVec3 a = v[k], b = v[(k + 1) % 3];
        if (a.z > SL_NEAR)
            widen_by_view(&bounds, &frame->camera, a);
        if ((a.z > SL_NEAR) != (b.z > SL_NEAR)) {
            SlVec3 p = sl_add(a, sl_scale(sl_sub(b, a), (SL_NEAR - a.z) / (b.z - a.z)));
            p.z = SL_NEAR;
            widen_by_view(&bounds, &frame->camera, p);
        }
    }
    return cut(bounds, frame->width, frame->height);
}

static SlRect light_rect(const SlShadow *shadow, const SlVec3 v[3])
{
    Bounds bounds = nowhere;
    for (int k = 0; k < 3; k++)
        widen(&bounds, v[k].x, v[k].y);
    return cut(bounds, shadow->size, shadow->size);
}

static bool usable(SlVec3 v)
{
    return fabsf(v.x) < FARTHEST && fabsf(v.y) < FARTHEST && fabsf(v.z) < FARTHEST;
}

/* Corners, normal and bounds of triangles; those with a bad vertex are marked. */
static void place_triangles(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Build *build = argument;
    const SlMeshView *mesh = &build->collider->mesh;
    const SlTriangles *all = &build->frame->triangles;
    for (size_t i = begin; i < end; i++) {
        size_t t = build->first_triangle + i;
        SlVec3 view[3], light[3];
        bool good = true;
        for (size_t k = 0; k < 3; k++) {
            uint32_t vertex = mesh->triangles[3 * i + k];
            good = good && vertex < mesh->vertex_count;
            all->corner[3 * t + k] = good ? build->first_vertex + vertex : 0;
            view[k] = good ? all->view[build->first_vertex + vertex] : sl_vec3(0, 0, 0);
            light[k] = good ? all->light[build->first_vertex + vertex] : view[k];
            good = good && usable(view[k]) && usable(light[k]);
        }
        all->id[t] = build->id;
        all->rect[t] = all->light_rect[t] = (SlRect){0, 0, -1, -1};
        build->face[t] = (Face){{0, 0, 0}, 0};
        if (!good) {
            all->corner[3 * t] = UINT32_MAX;
            continue;
        }
        all->rect[t] = view_rect(build->frame, view);
        if (build->frame->shadow.size > 0)
            all->light_rect[t] = light_rect(&build->frame->shadow, light);
        SlVec3 n = sl_cross(sl_sub(view[1], view[0]), sl_sub(view[2], view[0]));
        float area = sl_length(n);
        if (area > 0 && isfinite(area))
            build->face[t] = (Face){sl_scale(n, 1 / area), area};
    }
}

static void list_triangles_around(const Build *build)
{
    const SlTriangles *all = &build->frame->triangles;
    size_t *next = build->start + 1; /* filling moves it to where `start` belongs */
    for (size_t v = 0; v < all->vertex_count + 2; v++)
        build->start[v] = 0;
    for (size_t c = 0; c < 3 * all->count; c++)
        if (all->corner[c - c % 3] != UINT32_MAX)
            next[all->corner[c] + 1]++;
    for (size_t v = 0; v < all->vertex_count; v++)
        next[v + 1] += next[v];
    for (size_t c = 0; c < 3 * all->count; c++)
        if (all->corner[c - c % 3] != UINT32_MAX)
            build->around[next[all->corner[c]]++] = (uint32_t)(c / 3);
}

/* Where all triangles around a vertex lie within half of the crease angle of their mean, every corner there
   has that mean as its normal. */
static void vertex_normals(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Build *build = argument;
    for (size_t v = begin; v < end; v++) {
        size_t first = build->start[v], last = build->start[v + 1];
        SlVec3 sum = {0, 0, 0};
        for (size_t k = first; k < last; k++) {
            const Face *face = &build->face[build->around[k]];
            sum = sl_add(sum, sl_scale(face->unit, face->area));
        }
        float length = sl_length(sum);
        bool smooth = length > 0 && isfinite(length) && last - first <= MAX_AROUND;
        sum = smooth ? sl_scale(sum, 1 / length) : sum;
        for (size_t k = first; k < last && smooth; k++)
            smooth = sl_dot(build->face[build->around[k]].unit, sum) > HALF_CREASE;
        build->mean[v] = smooth ? sum : sl_vec3(0, 0, 0);
    }
}

static SlVec3 corner_normal(const Build *build, uint32_t vertex, SlVec3 own)
{
    SlVec3 mean = build->mean[vertex], sum = {0, 0, 0};
    if (sl_dot(mean, mean) > 0)
        return mean;
    size_t begin = build->start[vertex], end = build->start[vertex + 1];
    size_t step = 1 + (end - begin) / MAX_AROUND; /* a fan must not take a square of its size */
    for (size_t k = begin; k < end; k += step) {
        const Face *face = &build->face[build->around[k]];
        if (sl_dot(face->unit, own) > CREASE)
            sum = sl_add(sum, sl_scale(face->unit, face->area));
    }
    float length = sl_length(sum);
    return length > 0 && isfinite(length) ? sl_scale(sum, 1 / length) : own;
}

static void smooth_normals(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Build *build = argument;
    const SlTriangles *all = &build->frame->triangles;
    for (size_t t = begin; t < end; t++)
        for (size_t k = 0; k < 3 && all->rect[t].x1 >= all->rect[t].x0; k++)
            all->normal[3 * t + k] =
                corner_normal(build, all->corner[3 * t + k], build->face[t].unit);
}

static bool push(SlArena *arena, Build *build)
{
    SlTriangles *all = &build->frame->triangles;
    all->view = SL_PUSH(arena, SlVec3, all->vertex_count);
    all->light = SL_PUSH(arena, SlVec3, all->vertex_count);
    all->corner = SL_PUSH(arena, uint32_t, 3 * all->count);
    all->normal = SL_PUSH(arena, SlVec3, 3 * all->count);
    all->id = SL_PUSH(arena, uint32_t, all->count);
    all->rect = SL_PUSH(arena, SlRect, all->count);
    all->light_rect = SL_PUSH(arena, SlRect, all->count);
    build->face = SL_PUSH(arena, Face, all->count);
    build->start = SL_PUSH(arena, size_t, all->vertex_count + 2);
    build->around = SL_PUSH(arena, uint32_t, 3 * all->count);
    build->mean = SL_PUSH(arena, SlVec3, all->vertex_count);
    return all->view != NULL && all->light != NULL && all->corner != NULL && all->normal != NULL &&
           all->id != NULL && all->rect != NULL && all->light_rect != NULL && build->face != NULL &&
           build->start != NULL && build->around != NULL && build->mean != NULL;
}

static bool drawable(const SlColliderView *collider)
{
    return sl_view_vertices(collider) != NULL && collider->mesh.triangles != NULL &&
           collider->mesh.vertex_count > 0 && collider->mesh.triangle_count > 0;
}

static bool bin(SlPool *pool, SlArena *arena, SlSplatFrame *frame)
{
    SlTriangles *all = &frame->triangles;
    SlRects seen = {all->rect, NULL, all->count}, lit = {all->light_rect, NULL, all->count};
    SlTiles tiles = {frame->tiles_x, frame->tiles_y, SL_TILE_SHIFT};
    SlTiles shadow_tiles = {frame->shadow.tiles, frame->shadow.tiles, SL_TILE_SHIFT};
    return sl_bins_build(pool, arena, &seen, tiles, &all->bins) &&
           (frame->shadow.size == 0 ||
            sl_bins_build(pool, arena, &lit, shadow_tiles, &all->light_bins));
}

SlStatus sl_splats_gather_meshes(SlContext *context, SlArena *arena, const SlFrameView *view,
                                 SlSplatFrame *frame, SlError *error)
{
    Build build = {.frame = frame};
    SlTriangles *all = &frame->triangles;
    *all = (SlTriangles){0};
    for (size_t m = 0; m < view->collider_count; m++) {
        const SlMeshView *mesh = &view->colliders[m].mesh;
        if (!drawable(&view->colliders[m]))
            continue;
        size_t max_count = INT32_MAX / 4;
        if (mesh->vertex_count > max_count - all->vertex_count ||
            mesh->triangle_count > max_count - all->count)
            return sl_error_set(error, SL_ERROR_ARGUMENT, "meshes: too many triangles to draw");
        all->vertex_count += mesh->vertex_count;
        all->count += mesh->triangle_count;
    }
    if (all->count == 0)
        return SL_OK;
    if (!push(arena, &build))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu triangles", all->count);
    for (size_t m = 0; m < view->collider_count; m++) {
        const SlMeshView *mesh = &view->colliders[m].mesh;
        build.collider = &view->colliders[m];
        build.id = sl_mesh_id(frame) + (uint32_t)m;
        if (!drawable(build.collider))
            continue;
        build.vertices = sl_view_vertices(build.collider);
        sl_view_axes(build.collider, build.axes);
        sl_parallel_for(context->pool, mesh->vertex_count, CHUNK, place_vertices, &build);
        sl_parallel_for(context->pool, mesh->triangle_count, CHUNK, place_triangles, &build);
        build.first_vertex += (uint32_t)mesh->vertex_count;
        build.first_triangle += (uint32_t)mesh->triangle_count;
    }
    list_triangles_around(&build);
    sl_parallel_for(context->pool, all->vertex_count, CHUNK, vertex_normals, &build);
    sl_parallel_for(context->pool, all->count, CHUNK, smooth_normals, &build);
    if (!bin(context->pool, arena, frame))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu triangles", all->count);
    return SL_OK;
}

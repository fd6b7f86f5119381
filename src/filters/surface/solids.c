/* Colliders: where water touches one, the surface follows it without a film of air.

   As behind walls, particles have images inside solids, mirrored at the nearest point of the surface with
   their kernels, so that the field continues into the solid and the free surface meets it straight. The
   field is then cut at a depth `sink` inside the solid,

       φ' = min(φ, iso + (s + sink) / 2 cell),

   with s the distance to the solid: the mesh ends on the surface s = −sink, exactly where that is flat. */
#include <math.h>
#include <string.h>

#include "filters/surface/surface.h"
#include "geometry/sdf/sdf.h"
#include "geometry/shape.h"

enum { IMAGE_CHUNK = SURFACE_PARTICLE_CHUNK, MAX_SAMPLES = 4096 };
/* Spacings: an image is left out where the solid is not so much deeper, as it would be water behind a thin
   plate. */
static const float cover = 0.75f;

struct SurfaceSolid {
    bool is_mesh;
    float side; /* −1: a container, solid outside of the mesh */
    SlShape shape;
    const SlShapeType *type;
    SlSdf sdf;
    SlVec3 axes[3], position; /* of the mesh */
    SlBox bounds;             /* of its surface */
};

/* --- distances --- */

static SlVec3 to_local(const SurfaceSolid *solid, SlVec3 x)
{
    SlVec3 r = sl_sub(x, solid->position);
    return (SlVec3){sl_dot(solid->axes[0], r), sl_dot(solid->axes[1], r), sl_dot(solid->axes[2], r)};
}

static float distance_to(const SurfaceSolid *solid, SlVec3 x, float reach, SlVec3 *normal)
{
    if (!solid->is_mesh)
        return solid->type->distance(&solid->shape, x, reach, normal);
    SlVec3 g;
    float s = solid->side * sl_sdf_distance_within(&solid->sdf, to_local(solid, x),
                                                   solid->side > 0 ? reach : INFINITY, &g);
    float length = sqrtf(sl_dot(g, g)), scale = length > 0 ? solid->side / length : 0;
    *normal = (SlVec3){0, 0, 0};
    for (int k = 0; k < 3; k++) {
        float along = scale * (&g.x)[k];
        normal->x += along * solid->axes[k].x;
        normal->y += along * solid->axes[k].y;
        normal->z += along * solid->axes[k].z;
    }
    return s;
}

static bool is_near(const SurfaceSolid *solid, SlVec3 x, float reach)
{
    const float *at = &x.x, *low = &solid->bounds.min.x, *high = &solid->bounds.max.x;
    bool near = true;
    for (int k = 0; k < 3; k++)
        near = near && at[k] > low[k] - reach && at[k] < high[k] + reach;
    return near || solid->side < 0;
}

float surface_solids_distance(const SurfaceSolids *solids, const float x[3], float reach,
                              float normal[3])
{
    SlVec3 at = {x[0], x[1], x[2]}, n;
    float nearest = reach;
    for (size_t k = 0; k < solids->count; k++) {
        if (!is_near(&solids->items[k], at, reach))
            continue;
        float s = distance_to(&solids->items[k], at, reach, &n);
        if (s >= nearest)
            continue;
        nearest = s;
        if (normal != NULL)
            memcpy(normal, &n, sizeof n);
    }
    return nearest;
}

/* --- the frame's solids --- */

static SlStatus make_mesh(SlContext *context, const SlColliderView *collider, float d,
                          SurfaceSolid *solid, SlError *error)
{
    SlMesh mesh;
    SlSdfSettings settings = sl_default_sdf_settings((double)d);
    settings.band = 4;
    solid->is_mesh = true;
    solid->position = collider->pose.position;
    sl_view_axes(collider, solid->axes);
    SlStatus status = sl_mesh_copy(context, sl_view_vertices(collider), collider->mesh.vertex_count,
                                   collider->mesh.triangles, collider->mesh.triangle_count, &mesh,
                                   error);
    if (status != SL_OK)
        return status;
    status = sl_sdf_create(context, &mesh, &settings, &solid->sdf, error);
    if (status == SL_OK)
        status = sl_mesh_transform(&mesh, 1,
                                   (const float[9]){solid->axes[0].x, solid->axes[1].x,
                                                    solid->axes[2].x, solid->axes[0].y,
                                                    solid->axes[1].y, solid->axes[2].y,
                                                    solid->axes[0].z, solid->axes[1].z,
                                                    solid->axes[2].z},
                                   solid->position, error);
    if (status == SL_OK)
        solid->bounds = sl_mesh_bounds(&mesh);
    sl_mesh_destroy(&mesh);
    return status;
}

/* A frame does not say which meshes are containers: one is if more particles are inside than outside. */
static void find_side(const SlFieldView *position, float d, SurfaceSolid *solid)
{
    size_t step = position->count / MAX_SAMPLES + 1, inside = 0, outside = 0;
    for (size_t i = 0; i < position->count; i += step) {
        SlVec3 x, normal;
        memcpy(&x, (const char *)position->data + i * position->stride, sizeof x);
        bool in = is_near(solid, x, 0) && distance_to(solid, x, d, &normal) < 0;
        inside += in;
        outside += !in;
    }
    solid->side = inside > outside ? -1 : 1;
}

static bool is_reached(const SlFieldView *position, const SurfaceSolid *solid, float reach)
{
    bool reached = false;
    for (size_t i = 0; !reached && i < position->count; i++) {
        SlVec3 x;
        memcpy(&x, (const char *)position->data + i * position->stride, sizeof x);
        reached = is_near(solid, x, reach);
    }
    return reached;
}

/* A mesh's bounds before its distance field is built. */
static SlBox posed_bounds(const SlColliderView *collider)
{
    const float *v = sl_view_vertices(collider);
    SlVec3 axes[3], low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    sl_view_axes(collider, axes);
    for (size_t i = 0; i < collider->mesh.vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            float x = (&collider->pose.position.x)[k];
            for (int a = 0; a < 3; a++)
                x += (&axes[a].x)[k] * v[3 * i + (size_t)a];
            (&low.x)[k] = fminf((&low.x)[k], x);
            (&high.x)[k] = fmaxf((&high.x)[k], x);
        }
    return (SlBox){low, high};
}

SlStatus surface_solids_make(SlContext *context, const SurfaceSettings *settings,
                             const SlFrameView *frame, const SlFieldView *position,
                             SurfaceSolids *solids, SlError *error)
{
    float d = settings->spacing, reach = (settings->vicinity + settings->support) * d;
    memset(solids, 0, sizeof *solids);
    solids->sink = settings->sink * d + SURFACE_SOLID_OVERLAP * d;
    if (frame->collider_count == 0 || position->count == 0)
        return SL_OK;
    solids->items = SL_PUSH(&context->arena, SurfaceSolid, frame->collider_count);
    if (solids->items == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "surface: no memory");
    for (size_t c = 0; c < frame->collider_count; c++) {
        const SlColliderView *collider = &frame->colliders[c];
        SurfaceSolid *solid = &solids->items[solids->count];
        memset(solid, 0, sizeof *solid);
        solid->side = 1;
        if (collider->kind == SL_COLLIDER_SHAPE) {
            solid->shape = collider->shape;
            solid->type = sl_shape_type(collider->shape.kind);
            if (solid->type == NULL)
                continue;
            solid->bounds = sl_shape_bounds(&solid->shape);
            solids->count += is_reached(position, solid, reach);
            continue;
        }
        if (sl_view_vertices(collider) == NULL || collider->mesh.triangle_count == 0)
            continue; /* read without its meshes */
        solid->bounds = posed_bounds(collider);
        if (!is_reached(position, solid, reach))
            continue;
        SlStatus status = make_mesh(context, collider, d, solid, error);
        if (status != SL_OK)
            return status;
        find_side(position, d, solid);
        solids->count++;
    }
    return SL_OK;
}

void surface_solids_free(SurfaceSolids *solids)
{
    for (size_t k = 0; k < solids->count; k++)
        if (solids->items[k].is_mesh)
            sl_sdf_destroy(&solids->items[k].sdf);
    solids->count = 0;
}

/* --- images --- */

typedef struct Images {
    const SlFieldView *position;
    SurfaceSolids *solids;
    float depth, cover; /* m */
    SurfaceSolidImage *out; /* NULL: count only */
} Images;

/* The images of one particle, at most SURFACE_SOLID_IMAGES. */
static size_t find_images(const Images *p, uint32_t particle, SurfaceSolidImage *out)
{
    SlVec3 x, n, there;
    memcpy(&x, (const char *)p->position->data + particle * p->position->stride, sizeof x);
    size_t count = 0;
    for (size_t k = 0; k < p->solids->count && count < SURFACE_SOLID_IMAGES; k++) {
        const SurfaceSolid *solid = &p->solids->items[k];
        if (!is_near(solid, x, p->depth))
            continue;
        float s = distance_to(solid, x, p->depth, &n);
        if (!(s > 0 && s < p->depth))
            continue;
        SlVec3 image = {x.x - 2 * s * n.x, x.y - 2 * s * n.y, x.z - 2 * s * n.z};
        SlVec3 behind = {image.x - p->cover * n.x, image.y - p->cover * n.y, image.z - p->cover * n.z};
        if (distance_to(solid, behind, p->depth, &there) > 0)
            continue;
        out[count++] = (SurfaceSolidImage){particle, {image.x, image.y, image.z}, {n.x, n.y, n.z}};
    }
    return count;
}

static void image_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Images *p = argument;
    SurfaceSolidImage found[SURFACE_SOLID_IMAGES];
    size_t at = p->out != NULL ? p->solids->chunk_first[chunk] : 0;
    for (size_t i = begin; i < end; i++) {
        size_t count = find_images(p, (uint32_t)i, found);
        if (p->out != NULL)
            memcpy(p->out + at, found, count * sizeof *found);
        at += count;
    }
    if (p->out == NULL)
        p->solids->chunk_first[chunk] = at;
}

bool surface_solids_mirror(SlContext *context, const SurfaceSettings *settings,
                           const SlFieldView *position, SurfaceSolids *solids)
{
    if (solids->count == 0)
        return true;
    size_t chunks = sl_chunk_count(position->count, IMAGE_CHUNK), count = 0;
    float deepest = settings->support > settings->vicinity ? settings->support : settings->vicinity;
    Images p = {.position = position, .solids = solids, .depth = deepest * settings->spacing,
                .cover = cover * settings->spacing};
    solids->chunk_first = SL_PUSH(&context->arena, size_t, chunks + 1);
    if (solids->chunk_first == NULL)
        return false;
    sl_parallel_for(context->pool, position->count, IMAGE_CHUNK, image_chunk, &p);
    for (size_t c = 0; c < chunks; c++) {
        size_t own = solids->chunk_first[c];
        solids->chunk_first[c] = count;
        count += own;
    }
    solids->chunk_first[chunks] = count;
    p.out = solids->images = SL_PUSH(&context->arena, SurfaceSolidImage, count + 1);
    if (p.out == NULL)
        return false;
    sl_parallel_for(context->pool, position->count, IMAGE_CHUNK, image_chunk, &p);
    p.out[count].particle = UINT32_MAX; /* ends every walk */
    return true;
}

/* --- the cut --- */

void surface_solids_cut(const SurfaceSolids *solids, const SurfaceLattice *lattice, float iso,
                        const float first[3], SurfaceCut *cut)
{
    float cell = fmaxf(lattice->cell[0], fmaxf(lattice->cell[1], lattice->cell[2]));
    float reach = 2 * cell; /* beyond, the cut is above 1 and changes nothing */
    for (int node = 0; node < SURFACE_BLOCK_NODES; node++) {
        const int at[3] = {node & 7, node >> 3 & 7, node >> 6};
        float x[3];
        for (int k = 0; k < 3; k++)
            x[k] = first[k] + (float)at[k] * lattice->cell[k];
        float s = surface_solids_distance(solids, x, reach, NULL);
        float most = iso + 0.5f * (s + solids->sink) / cell;
        if (s >= reach || cut->values[node] <= most)
            continue;
        cut->values[node] = most > 0 ? most : 0;
        cut->bits[node / 64] |= UINT64_C(1) << node % 64;
    }
}

/* Colliders: where water touches one, the surface follows it without a film of air.

   As behind walls, particles have images inside solids, mirrored at the nearest point of the surface with
   their kernels, so that the field continues into the solid and the free surface meets it straight. The
   field is then cut at a depth `sink` inside the solid,

       φ' = min(φ, iso + (s + sink) / 2 cell),

   with s the distance to the solid: the mesh ends on the surface s = −sink, exactly where that is flat. */
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "filters/surface/surface.h"
#include "geometry/mesh/bvh.h"
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
    SlBvh bvh;
    SlVec3 axes[3], position; /* of the mesh */
    SlBox bounds;             /* of its surface */
};

/* --- distances --- */

static SlD3 to_local(const SurfaceSolid *solid, SlVec3 x)
{
    SlVec3 r = sl_sub(x, solid->position);
    return (SlD3){(double)sl_dot(solid->axes[0], r), (double)sl_dot(solid->axes[1], r),
                  (double)sl_dot(solid->axes[2], r)};
}

static bool is_near(const SurfaceSolid *solid, SlVec3 x, float reach)
{
    const float *at = &x.x, *low = &solid->bounds.min.x, *high = &solid->bounds.max.x;
    bool near = true;
    for (int k = 0; k < 3; k++)
        near = near && at[k] > low[k] - reach && at[k] < high[k] + reach;
    return near || solid->side < 0;
}

/* −1 inside the solid, 1 outside. */
static float sign_at(const SurfaceSolid *solid, SlVec3 x)
{
    SlVec3 normal;
    if (!solid->is_mesh)
        return solid->type->distance(&solid->shape, x, 0, &normal) < 0 ? -1 : 1;
    bool outside = solid->side < 0 && !(x.x > solid->bounds.min.x && x.x < solid->bounds.max.x &&
                                        x.y > solid->bounds.min.y && x.y < solid->bounds.max.y &&
                                        x.z > solid->bounds.min.z && x.z < solid->bounds.max.z);
    bool inside = !outside && sl_bvh_winding(&solid->bvh, to_local(solid, x)) > 0.5;
    return inside ? -solid->side : solid->side;
}

/* Without a sign; at most `reach`. The normal is from the surface to x, 0 on it. */
static float mesh_distance(const SurfaceSolid *solid, SlVec3 x, float reach, SlVec3 *normal)
{
    SlD3 local = to_local(solid, x);
    SlBvhHit hit;
    if (!sl_bvh_closest(&solid->bvh, local, (double)reach, &hit))
        return reach;
    double distance = sqrt(hit.distance2);
    double n[3] = {local.x - hit.point.x, local.y - hit.point.y, local.z - hit.point.z};
    double scale = distance > 0 ? 1 / distance : 0;
    *normal = (SlVec3){0, 0, 0};
    for (int k = 0; k < 3; k++) {
        float along = (float)(n[k] * scale);
        normal->x += along * solid->axes[k].x;
        normal->y += along * solid->axes[k].y;
        normal->z += along * solid->axes[k].z;
    }
    return (float)distance;
}

/* At most `reach`, at least −reach for a mesh. */
static float distance_to(const SurfaceSolid *solid, SlVec3 x, float reach, SlVec3 *normal)
{
    if (!solid->is_mesh)
        return solid->type->distance(&solid->shape, x, reach, normal);
    float sign = sign_at(solid, x), s = mesh_distance(solid, x, reach, normal);
    *normal = (SlVec3){sign * normal->x, sign * normal->y, sign * normal->z};
    return sign * s;
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

static SlStatus make_mesh(SlContext *context, const SlColliderView *collider, SurfaceSolid *solid,
                          SlError *error)
{
    SlMesh mesh;
    solid->is_mesh = true;
    solid->position = collider->pose.position;
    sl_view_axes(collider, solid->axes);
    SlStatus status = sl_mesh_copy(context, sl_view_vertices(collider), collider->mesh.vertex_count,
                                   collider->mesh.triangles, collider->mesh.triangle_count, &mesh,
                                   error);
    if (status != SL_OK)
        return status;
    status = sl_bvh_create(context, &mesh, &solid->bvh, error);
    sl_mesh_destroy(&mesh);
    return status;
}

/* A frame does not say which meshes are containers: one is if more particles are inside than outside. */
static void find_side(const SlFieldView *position, SurfaceSolid *solid)
{
    size_t step = position->count / MAX_SAMPLES + 1, inside = 0, outside = 0;
    for (size_t i = 0; i < position->count; i += step) {
        SlVec3 x;
        memcpy(&x, (const char *)position->data + i * position->stride, sizeof x);
        bool in = is_near(solid, x, 0) && sign_at(solid, x) < 0;
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

/* A mesh's bounds before its tree is built. */
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
    double began = sl_seconds();
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
        SlStatus status = make_mesh(context, collider, solid, error);
        if (status != SL_OK)
            return status;
        find_side(position, solid);
        solids->count++;
    }
    solids->seconds = sl_seconds() - began;
    return SL_OK;
}

void surface_solids_free(SurfaceSolids *solids)
{
    for (size_t k = 0; k < solids->count; k++)
        if (solids->items[k].is_mesh)
            sl_bvh_destroy(&solids->items[k].bvh);
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
    SlVec3 x, n;
    memcpy(&x, (const char *)p->position->data + particle * p->position->stride, sizeof x);
    size_t count = 0;
    for (size_t k = 0; k < p->solids->count && count < SURFACE_SOLID_IMAGES; k++) {
        const SurfaceSolid *solid = &p->solids->items[k];
        if (!is_near(solid, x, p->depth))
            continue;
        float s = solid->is_mesh ? mesh_distance(solid, x, p->depth, &n)
                                 : distance_to(solid, x, p->depth, &n);
        if (!(s > 0 && s < p->depth) || sign_at(solid, x) < 0)
            continue;
        SlVec3 image = {x.x - 2 * s * n.x, x.y - 2 * s * n.y, x.z - 2 * s * n.z};
        SlVec3 behind = {image.x - p->cover * n.x, image.y - p->cover * n.y, image.z - p->cover * n.z};
        if (sign_at(solid, behind) > 0)
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

typedef struct Nodes {
    const SurfaceLattice *lattice;
    const float *first;
    float cell, reach;            /* m: of the widest cell; beyond reach no node is cut */
    float s[SURFACE_BLOCK_NODES]; /* distance to the nearest solid, at most `reach` */
} Nodes;

static SlVec3 node_at(const Nodes *nodes, int node)
{
    const float *first = nodes->first, *cell = nodes->lattice->cell;
    return (SlVec3){first[0] + (float)(node & 7) * cell[0],
                    first[1] + (float)(node >> 3 & 7) * cell[1],
                    first[2] + (float)(node >> 6) * cell[2]};
}

static void near_shape(const SurfaceSolid *solid, Nodes *nodes)
{
    SlVec3 normal;
    for (int node = 0; node < SURFACE_BLOCK_NODES; node++) {
        SlVec3 x = node_at(nodes, node);
        if (is_near(solid, x, nodes->reach))
            nodes->s[node] = fminf(nodes->s[node],
                                   solid->type->distance(&solid->shape, x, nodes->reach, &normal));
    }
}

/* Most of the time is for signs. A node farther than a cell from the surface has that of the node before it,
   which is a cell away; a block without the surface has one sign. */
static void near_mesh(const SurfaceSolid *solid, Nodes *nodes)
{
    SlVec3 normal, center = node_at(nodes, 0);
    const float *cell = nodes->lattice->cell;
    float half = 0.5f * (SURFACE_BLOCK - 1), around = nodes->reach;
    around += half * sqrtf(cell[0] * cell[0] + cell[1] * cell[1] + cell[2] * cell[2]);
    for (int k = 0; k < 3; k++)
        (&center.x)[k] += half * cell[k];
    if (!is_near(solid, center, around))
        return;
    bool crossed = mesh_distance(solid, center, around, &normal) < around;
    float sign = sign_at(solid, center), signs[SURFACE_BLOCK_NODES];
    for (int node = 0; node < SURFACE_BLOCK_NODES; node++) {
        SlVec3 x = node_at(nodes, node);
        float s = crossed ? mesh_distance(solid, x, nodes->reach, &normal) : nodes->reach;
        int before = (node & 7) != 0 ? node - 1 : (node & 63) != 0 ? node - 8 : node - 64;
        if (crossed && (node == 0 || s < 1.01f * nodes->cell))
            sign = sign_at(solid, x);
        else if (crossed)
            sign = signs[before];
        signs[node] = sign;
        nodes->s[node] = fminf(nodes->s[node], sign * s);
    }
}

void surface_solids_cut(const SurfaceSolids *solids, const SurfaceLattice *lattice, float iso,
                        const float first[3], SurfaceCut *cut)
{
    Nodes nodes = {.lattice = lattice, .first = first};
    nodes.cell = fmaxf(lattice->cell[0], fmaxf(lattice->cell[1], lattice->cell[2]));
    nodes.reach = 2 * nodes.cell + solids->sink; /* beyond, the cut is above 1 */
    for (int node = 0; node < SURFACE_BLOCK_NODES; node++)
        nodes.s[node] = nodes.reach;
    for (size_t k = 0; k < solids->count; k++) {
        if (solids->items[k].is_mesh)
            near_mesh(&solids->items[k], &nodes);
        else
            near_shape(&solids->items[k], &nodes);
    }
    for (int node = 0; node < SURFACE_BLOCK_NODES; node++) {
        float most = iso + 0.5f * (nodes.s[node] + solids->sink) / nodes.cell;
        if (nodes.s[node] >= nodes.reach || cut->values[node] <= most)
            continue;
        cut->values[node] = most > 0 ? most : 0;
        cut->bits[node / 64] |= UINT64_C(1) << node % 64;
    }
}

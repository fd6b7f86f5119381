#include "geometry/mesh/mesh.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/hash.h"

SlStatus sl_mesh_create(SlContext *context, size_t vertex_count, size_t triangle_count,
                        SlMesh *mesh, SlError *error)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->context = context;
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    const size_t most = (size_t)1 << 31;
    if (vertex_count <= most && triangle_count <= most) {
        mesh->positions = sl_alloc(&context->memory, vertex_count * 3 * sizeof(float));
        mesh->triangles = sl_alloc(&context->memory, triangle_count * 3 * sizeof(uint32_t));
    }
    if ((vertex_count > 0 && mesh->positions == NULL) ||
        (triangle_count > 0 && mesh->triangles == NULL)) {
        sl_mesh_destroy(mesh);
        return sl_error_set(error, SL_ERROR_MEMORY,
                            "no memory for a mesh of %zu vertices and %zu triangles", vertex_count,
                            triangle_count);
    }
    return SL_OK;
}

void sl_mesh_destroy(SlMesh *mesh)
{
    if (mesh->context == NULL)
        return;
    SlMemory *memory = &mesh->context->memory;
    sl_free(memory, mesh->positions, mesh->vertex_count * 3 * sizeof(float));
    sl_free(memory, mesh->triangles, mesh->triangle_count * 3 * sizeof(uint32_t));
    memset(mesh, 0, sizeof *mesh);
}

SlStatus sl_mesh_copy(SlContext *context, const float *positions, size_t vertex_count,
                      const uint32_t *triangles, size_t triangle_count, SlMesh *mesh,
                      SlError *error)
{
    for (size_t k = 0; k < 3 * vertex_count; k++)
        if (!isfinite(positions[k]))
            return sl_error_set(error, SL_ERROR_ARGUMENT, "vertex %zu of the mesh is not finite",
                                k / 3);
    for (size_t k = 0; k < 3 * triangle_count; k++)
        if (triangles[k] >= vertex_count)
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "triangle %zu of the mesh has the vertex %u; there are %zu", k / 3,
                                triangles[k], vertex_count);
    SlStatus status = sl_mesh_create(context, vertex_count, triangle_count, mesh, error);
    if (status == SL_OK) {
        memcpy(mesh->positions, positions, 3 * vertex_count * sizeof *positions);
        memcpy(mesh->triangles, triangles, 3 * triangle_count * sizeof *triangles);
    }
    return status;
}

SlBox sl_mesh_bounds(const SlMesh *mesh)
{
    SlBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        SlVec3 p = sl_mesh_vertex(mesh, (uint32_t)v);
        box.min = sl_vec3(fminf(box.min.x, p.x), fminf(box.min.y, p.y), fminf(box.min.z, p.z));
        box.max = sl_vec3(fmaxf(box.max.x, p.x), fmaxf(box.max.y, p.y), fmaxf(box.max.z, p.z));
    }
    return box;
}

typedef struct Transform {
    double matrix[9], offset[3];
} Transform;

static SlVec3 moved(const Transform *t, SlVec3 p)
{
    double out[3];
    for (int row = 0; row < 3; row++) {
        const double *m = t->matrix + 3 * row;
        out[row] = m[0] * (double)p.x + m[1] * (double)p.y + m[2] * (double)p.z + t->offset[row];
    }
    return sl_vec3((float)out[0], (float)out[1], (float)out[2]);
}

static double determinant(const double *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

SlStatus sl_mesh_transform(SlMesh *mesh, float scale, const float rotation[9], SlVec3 translation,
                           SlError *error)
{
    static const float none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    Transform t = {.offset = {(double)translation.x, (double)translation.y, (double)translation.z}};
    for (int k = 0; k < 9; k++)
        t.matrix[k] = (double)scale * (double)(rotation != NULL ? rotation : none)[k];
    for (size_t v = 0; v < mesh->vertex_count; v++)
        if (!sl_finite(moved(&t, sl_mesh_vertex(mesh, (uint32_t)v))))
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "scaled by %g and moved, vertex %zu is not at a finite place",
                                (double)scale, v);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        SlVec3 p = moved(&t, sl_mesh_vertex(mesh, (uint32_t)v));
        memcpy(mesh->positions + 3 * v, &p, sizeof p);
    }
    bool mirrors = determinant(t.matrix) < 0;
    for (size_t k = 0; mirrors && k < mesh->triangle_count; k++) {
        uint32_t *corner = mesh->triangles + 3 * k;
        uint32_t second = corner[1];
        corner[1] = corner[2];
        corner[2] = second;
    }
    return SL_OK;
}

enum { FIRST_ROOM = 256 };
static const size_t most = (size_t)1 << 30;

void sl_mesh_builder_init(SlMeshBuilder *builder, SlContext *context, const char *name)
{
    *builder = (SlMeshBuilder){.context = context, .name = name};
}

void sl_mesh_builder_free(SlMeshBuilder *builder)
{
    SlMemory *memory = &builder->context->memory;
    sl_free(memory, builder->positions, builder->vertex_room * 3 * sizeof(float));
    sl_free(memory, builder->triangles, builder->triangle_room * 3 * sizeof(uint32_t));
    sl_mesh_builder_init(builder, builder->context, builder->name);
}

/* Both arrays hold records of 12 bytes. Gives the new array, or NULL. */
static void *grow(SlMeshBuilder *builder, void *records, size_t count, size_t *room,
                  const char *what, SlError *error)
{
    const size_t record = 12;
    size_t wanted = *room == 0 ? FIRST_ROOM : 2 * *room;
    void *grown = NULL;
    if (count >= most) {
        sl_error_set(error, SL_ERROR_PARSE, "%.300s: more than %zu %s, which is the most",
                     builder->name, most, what);
        return NULL;
    }
    grown = sl_regrow(&builder->context->memory, records, *room * record, wanted * record,
                      count * record);
    if (grown == NULL)
        sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory for %zu %s", builder->name, wanted,
                     what);
    else
        *room = wanted;
    return grown;
}

SlStatus sl_mesh_builder_add_vertex(SlMeshBuilder *builder, const float position[3],
                                    SlError *error)
{
    if (builder->vertex_count == builder->vertex_room) {
        void *grown = grow(builder, builder->positions, builder->vertex_count,
                           &builder->vertex_room, "vertices", error);
        if (grown == NULL)
            return builder->vertex_count >= most ? SL_ERROR_PARSE : SL_ERROR_MEMORY;
        builder->positions = grown;
    }
    memcpy(builder->positions + 3 * builder->vertex_count++, position, 3 * sizeof(float));
    return SL_OK;
}

SlStatus sl_mesh_builder_add_triangle(SlMeshBuilder *builder, uint32_t a, uint32_t b, uint32_t c,
                                      SlError *error)
{
    if (builder->triangle_count == builder->triangle_room) {
        void *grown = grow(builder, builder->triangles, builder->triangle_count,
                           &builder->triangle_room, "triangles", error);
        if (grown == NULL)
            return builder->triangle_count >= most ? SL_ERROR_PARSE : SL_ERROR_MEMORY;
        builder->triangles = grown;
    }
    uint32_t *corner = builder->triangles + 3 * builder->triangle_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return SL_OK;
}

SlStatus sl_mesh_builder_finish(const SlMeshBuilder *builder, SlMesh *mesh, SlError *error)
{
    SlStatus status = sl_mesh_create(builder->context, builder->vertex_count,
                                     builder->triangle_count, mesh, error);
    if (status != SL_OK)
        return status;
    if (builder->vertex_count > 0)
        memcpy(mesh->positions, builder->positions, builder->vertex_count * 3 * sizeof(float));
    if (builder->triangle_count > 0)
        memcpy(mesh->triangles, builder->triangles,
               builder->triangle_count * 3 * sizeof(uint32_t));
    return SL_OK;
}

/* --- A hash table whose seed is drawn anew for each file: no one can construct a file whose vertices all
   fall into one slot. The result does not depend on the seed, for vertices are numbered in order of
   appearance. --- */

enum { FIRST_SLOTS = 1024 };

void sl_mesh_merge_init(SlMeshMerge *merge, SlMeshBuilder *builder)
{
    *merge = (SlMeshMerge){.builder = builder};
    if (getentropy(&merge->seed, sizeof merge->seed) != 0)
        merge->seed = (uint64_t)(uintptr_t)merge; /* the stack's place is random too */
}

void sl_mesh_merge_free(SlMeshMerge *merge)
{
    sl_free(&merge->builder->context->memory, merge->slots, merge->room * sizeof *merge->slots);
    merge->slots = NULL;
    merge->room = 0;
}

/* The slot that holds the position, or the empty one where it belongs. Without nan and -0, equal
   values are equal bits: what is found equal was hashed alike. */
static size_t find_slot(const SlMeshMerge *merge, const float position[3])
{
    size_t mask = merge->room - 1;
    size_t slot = (size_t)sl_hash(position, 3 * sizeof(float), merge->seed) & mask;
    while (merge->slots[slot] != 0) {
        const float *other = merge->builder->positions + 3 * (size_t)(merge->slots[slot] - 1);
        if (other[0] == position[0] && other[1] == position[1] && other[2] == position[2])
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow_slots(SlMeshMerge *merge)
{
    SlMemory *memory = &merge->builder->context->memory;
    size_t room = merge->room == 0 ? FIRST_SLOTS : 2 * merge->room;
    uint32_t *slots = sl_alloc_zero(memory, room, sizeof *slots);
    if (slots == NULL)
        return false;
    sl_mesh_merge_free(merge);
    merge->slots = slots;
    merge->room = room;
    for (size_t v = 0; v < merge->builder->vertex_count; v++)
        slots[find_slot(merge, merge->builder->positions + 3 * v)] = (uint32_t)v + 1;
    return true;
}

SlStatus sl_mesh_merge_vertex(SlMeshMerge *merge, const float position[3], uint32_t *vertex,
                              SlError *error)
{
    const float p[3] = {position[0] + 0.0f, position[1] + 0.0f, position[2] + 0.0f}; /* no -0 */
    SlMeshBuilder *builder = merge->builder;
    if (2 * (builder->vertex_count + 1) > merge->room && !grow_slots(merge))
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to merge %zu vertices",
                            builder->name, builder->vertex_count);
    size_t slot = find_slot(merge, p);
    if (merge->slots[slot] == 0) {
        SlStatus status = sl_mesh_builder_add_vertex(builder, p, error);
        if (status != SL_OK)
            return status;
        merge->slots[slot] = (uint32_t)builder->vertex_count;
    }
    *vertex = merge->slots[slot] - 1;
    return SL_OK;
}

SlStatus sl_mesh_weld(SlMesh *mesh, const char *name, SlError *error)
{
    SlMeshBuilder builder;
    SlMeshMerge merge;
    SlMesh welded;
    SlStatus status = SL_OK;
    sl_mesh_builder_init(&builder, mesh->context, name);
    sl_mesh_merge_init(&merge, &builder);
    for (size_t t = 0; status == SL_OK && t < mesh->triangle_count; t++) {
        uint32_t corner[3];
        for (int k = 0; status == SL_OK && k < 3; k++) {
            const float *p = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + (size_t)k];
            status = sl_mesh_merge_vertex(&merge, p, &corner[k], error);
        }
        if (status == SL_OK)
            status = sl_mesh_builder_add_triangle(&builder, corner[0], corner[1], corner[2], error);
    }
    if (status == SL_OK)
        status = sl_mesh_builder_finish(&builder, &welded, error);
    if (status == SL_OK) {
        sl_mesh_destroy(mesh);
        *mesh = welded;
    }
    sl_mesh_merge_free(&merge);
    sl_mesh_builder_free(&builder);
    return status;
}

/* A hash table whose seed is drawn anew for each file: nobody can make a file whose vertices all
   fall into one slot. The result does not depend on the seed, for vertices are numbered in order of
   appearance. */
#include "geometry/mesh_merge.h"

#include <unistd.h>

#include "core/hash.h"

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

static bool grow(SlMeshMerge *merge)
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
    if (2 * (builder->vertex_count + 1) > merge->room && !grow(merge))
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

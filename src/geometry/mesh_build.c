#include "geometry/mesh_build.h"

#include <string.h>

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

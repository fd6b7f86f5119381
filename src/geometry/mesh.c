#include "geometry/mesh.h"

#include <math.h>
#include <string.h>

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

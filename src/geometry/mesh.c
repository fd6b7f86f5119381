#include "geometry/mesh.h"

#include <math.h>
#include <string.h>

#include "core/error.h"

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
    const float *turn = rotation != NULL ? rotation : none;
    Transform t = {.offset = {(double)translation.x, (double)translation.y, (double)translation.z}};
    for (int k = 0; k < 9; k++)
        t.matrix[k] = (double)scale * (double)turn[k];
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

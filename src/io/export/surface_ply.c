/* surface_ply: the surfaces of a frame as one triangle mesh in a binary PLY file, little-endian: x, y, z,
   nx, ny, nz, vx, vy, vz per vertex. */
#include <stdio.h>
#include <string.h>

#include "io/export/exporter.h"

enum { BUFFER_BYTES = 1 << 16, VERTEX_BYTES = 36, FACE_BYTES = 13 };

static SlStatus write_head(const SlFrameView *frame, SlFileWriter *file, SlError *error)
{
    char head[512];
    size_t vertices = 0, triangles = 0;
    for (size_t s = 0; s < frame->surface_count; s++) {
        vertices += frame->surfaces[s].vertex_count;
        triangles += frame->surfaces[s].triangle_count;
    }
    int length =
        snprintf(head, sizeof head,
                 "ply\nformat binary_little_endian 1.0\ncomment Sleet, frame %llu, %.9g s\n"
                 "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n"
                 "property float nx\nproperty float ny\nproperty float nz\n"
                 "property float vx\nproperty float vy\nproperty float vz\n"
                 "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
                 (unsigned long long)frame->frame, frame->time, vertices, triangles);
    return sl_file_append(file, head, (size_t)length, error);
}

static SlStatus write_vertices(const SlSurfaceView *surface, char *buffer, SlFileWriter *file,
                               SlError *error)
{
    SlStatus status = SL_OK;
    size_t used = 0;
    for (size_t i = 0; status == SL_OK && i < surface->vertex_count; i++) {
        memcpy(buffer + used, surface->positions + 3 * i, 12);
        memcpy(buffer + used + 12, surface->normals + 3 * i, 12);
        memcpy(buffer + used + 24, surface->velocities + 3 * i, 12);
        used += VERTEX_BYTES;
        if (used + VERTEX_BYTES > BUFFER_BYTES || i + 1 == surface->vertex_count) {
            status = sl_file_append(file, buffer, used, error);
            used = 0;
        }
    }
    return status;
}

/* Vertices are numbered over all surfaces: `first` is that of this one. */
static SlStatus write_faces(const SlSurfaceView *surface, uint32_t first, char *buffer,
                            SlFileWriter *file, SlError *error)
{
    SlStatus status = SL_OK;
    size_t used = 0;
    for (size_t t = 0; status == SL_OK && t < surface->triangle_count; t++) {
        uint32_t corners[3];
        for (int k = 0; k < 3; k++)
            corners[k] = first + surface->triangles[3 * t + (size_t)k];
        buffer[used] = 3;
        memcpy(buffer + used + 1, corners, sizeof corners);
        used += FACE_BYTES;
        if (used + FACE_BYTES > BUFFER_BYTES || t + 1 == surface->triangle_count) {
            status = sl_file_append(file, buffer, used, error);
            used = 0;
        }
    }
    return status;
}

static SlStatus write(SlContext *context, const SlParamValue *values, const SlFrameView *frame,
                      SlFileWriter *file, SlError *error)
{
    (void)values;
    char *buffer = sl_alloc(&context->memory, BUFFER_BYTES);
    if (buffer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "surface_ply: no memory for a buffer");
    SlStatus status = write_head(frame, file, error);
    for (size_t s = 0; status == SL_OK && s < frame->surface_count; s++)
        status = write_vertices(&frame->surfaces[s], buffer, file, error);
    size_t first = 0;
    for (size_t s = 0; status == SL_OK && s < frame->surface_count; s++) {
        status = write_faces(&frame->surfaces[s], (uint32_t)first, buffer, file, error);
        first += frame->surfaces[s].vertex_count;
    }
    sl_free(&context->memory, buffer, BUFFER_BYTES);
    return status;
}

extern const SlExporter sl_exporter_surface_ply;
const SlExporter sl_exporter_surface_ply = {
    .table = {.name = "surface_ply",
              .kind = "exporter",
              .summary = "surfaces as a binary PLY mesh with normals and velocities",
              .citation = ""},
    .ending = ".ply",
    .write = write,
};

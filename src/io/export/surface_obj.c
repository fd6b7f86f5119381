/* surface_obj: the surfaces of a frame as a Wavefront OBJ file, one object per surface, with normals. OBJ
   has no place for velocities: a line "# velocity vx vy vz" follows each normal, which other programs
   skip as a comment. */
#include <stdio.h>

#include "io/export/exporter.h"

enum { BUFFER_BYTES = 1 << 16, MAX_LINE = 256 };

typedef struct Text {
    char *buffer;
    size_t used;
    SlFileWriter *file;
    SlStatus status;
    SlError *error;
} Text;

static void flush(Text *text)
{
    if (text->status == SL_OK && text->used > 0)
        text->status = sl_file_append(text->file, text->buffer, text->used, text->error);
    text->used = 0;
}

/* Writes the buffer where a vertex or a face might not fit. Nine digits restore a float exactly. */
static char *line(Text *text)
{
    if (text->used + MAX_LINE > BUFFER_BYTES)
        flush(text);
    return text->buffer + text->used;
}

static void write_vertex(Text *text, const SlSurfaceView *surface, size_t i)
{
    const float *x = surface->positions + 3 * i, *n = surface->normals + 3 * i;
    const float *v = surface->velocities + 3 * i;
    text->used += (size_t)snprintf(
        line(text), MAX_LINE, "v %.9g %.9g %.9g\nvn %.6g %.6g %.6g\n# velocity %.6g %.6g %.6g\n",
        (double)x[0], (double)x[1], (double)x[2], (double)n[0], (double)n[1], (double)n[2],
        (double)v[0], (double)v[1], (double)v[2]);
}

static void write_surface(Text *text, const SlSurfaceView *surface, size_t first)
{
    text->used += (size_t)snprintf(line(text), MAX_LINE, "o %.200s\n", surface->system);
    for (size_t i = 0; text->status == SL_OK && i < surface->vertex_count; i++)
        write_vertex(text, surface, i);
    for (size_t t = 0; text->status == SL_OK && t < surface->triangle_count; t++) {
        size_t v[3];
        for (int k = 0; k < 3; k++)
            v[k] = first + surface->triangles[3 * t + (size_t)k] + 1;
        text->used += (size_t)snprintf(line(text), MAX_LINE, "f %zu//%zu %zu//%zu %zu//%zu\n", v[0],
                                       v[0], v[1], v[1], v[2], v[2]);
    }
}

static SlStatus write(SlContext *context, const SlParamValue *values, const SlFrameView *frame,
                      SlFileWriter *file, SlError *error)
{
    (void)values;
    Text text = {.buffer = sl_alloc(&context->memory, BUFFER_BYTES), .file = file, .error = error};
    if (text.buffer == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "surface_obj: no memory for a buffer");
    text.used = (size_t)snprintf(text.buffer, MAX_LINE, "# Sleet, frame %llu, %.9g s\n",
                                 (unsigned long long)frame->frame, frame->time);
    size_t first = 0;
    for (size_t s = 0; s < frame->surface_count; s++) {
        write_surface(&text, &frame->surfaces[s], first);
        first += frame->surfaces[s].vertex_count;
    }
    flush(&text);
    sl_free(&context->memory, text.buffer, BUFFER_BYTES);
    return text.status;
}

extern const SlExporter sl_exporter_surface_obj;
const SlExporter sl_exporter_surface_obj = {
    .table = {.name = "surface_obj",
              .kind = "exporter",
              .summary = "surfaces as an OBJ mesh with normals",
              .citation = ""},
    .ending = ".obj",
    .write = write,
};

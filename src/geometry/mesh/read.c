/* Which reader takes a file, and what all of them share: the file itself and the last checks. */
#include "geometry/mesh/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "geometry/mesh/formats.h"
#include "geometry/mesh/mesh.h"

static const uint64_t max_bytes = (uint64_t)4 << 30;

SlMeshFormat sl_mesh_format(const char *path)
{
    static const struct {
        const char *ending;
        SlMeshFormat format;
    } endings[] = {{".obj", SL_MESH_OBJ}, {".ply", SL_MESH_PLY}, {".stl", SL_MESH_STL}};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot != NULL && k < sizeof endings / sizeof *endings; k++)
        if (strcasecmp(dot, endings[k].ending) == 0)
            return endings[k].format;
    return SL_MESH_UNKNOWN;
}

static SlMeshFormat format_of_content(const char *bytes, size_t size)
{
    if (size >= 4 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r'))
        return SL_MESH_PLY;
    if (sl_mesh_stl_is_binary(bytes, size) || (size >= 6 && memcmp(bytes, "solid ", 6) == 0))
        return SL_MESH_STL;
    if (size >= 2 && strchr("#vofgsum", bytes[0]) != NULL && memchr(bytes, '\0', size) == NULL)
        return SL_MESH_OBJ;
    return SL_MESH_UNKNOWN;
}

static SlStatus parse_into(SlMeshBuilder *builder, const char *name, const char *bytes,
                           size_t size, SlMeshFormat format, SlError *error)
{
    switch (format) {
    case SL_MESH_OBJ: return sl_mesh_obj_parse(builder, name, bytes, size, error);
    case SL_MESH_PLY: return sl_mesh_ply_parse(builder, name, bytes, size, error);
    case SL_MESH_STL: return sl_mesh_stl_parse(builder, name, bytes, size, error);
    default:
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: neither its ending nor its content is of a mesh; .obj, .ply "
                            "and .stl are read",
                            name);
    }
}

SlStatus sl_mesh_parse(SlContext *context, const char *name, const void *bytes, size_t size,
                       SlMeshFormat format, SlMesh *mesh, SlError *error)
{
    memset(mesh, 0, sizeof *mesh);
    if (size == 0)
        return sl_error_set(error, SL_ERROR_PARSE,
                            "%.300s: is empty; a mesh has at least one face", name);
    if (size > max_bytes)
        return sl_error_set(error, SL_ERROR_PARSE, "%.300s: has %zu bytes, at most %llu are read",
                            name, size, (unsigned long long)max_bytes);
    if (format == SL_MESH_UNKNOWN)
        format = format_of_content(bytes, size);
    SlMeshBuilder builder;
    sl_mesh_builder_init(&builder, context, name);
    SlStatus status = parse_into(&builder, name, bytes, size, format, error);
    if (status == SL_OK && builder.triangle_count == 0)
        status = sl_error_set(error, SL_ERROR_PARSE,
                              "%.300s: holds %zu vertices but no face; a mesh has at least one",
                              name, builder.vertex_count);
    if (status == SL_OK)
        status = sl_mesh_builder_finish(&builder, mesh, error);
    sl_mesh_builder_free(&builder);
    return status;
}

SlStatus sl_mesh_read(SlContext *context, const char *path, SlMesh *mesh, SlError *error)
{
    memset(mesh, 0, sizeof *mesh);
    char *bytes;
    size_t size;
    SlStatus status = sl_file_read(&context->memory, path, max_bytes, &bytes, &size, error);
    if (status != SL_OK)
        return status;
    status = sl_mesh_parse(context, path, bytes, size, sl_mesh_format(path), mesh, error);
    sl_free(&context->memory, bytes, size + 1);
    return status;
}

SlStatus sl_mesh_bytes_error(const char *name, size_t byte, SlError *error, const char *format, ...)
{
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sl_error_set(error, SL_ERROR_PARSE, "%.170s: byte %zu: %s", name, byte, message);
}

/* What the fuzz targets of the mesh readers share: any bytes as a file of one format. Beyond not
   crashing: a refusal has a sentence with the file's name; a mesh that is read is one; nothing
   stays in memory; and the allocator never gave more than 64 × size + 64 MB at a time. */
#ifndef TESTS_GEOMETRY_FUZZ_MESH_H
#define TESTS_GEOMETRY_FUZZ_MESH_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "geometry/mesh/check.h"
#include "geometry/mesh/read.h"

typedef struct Held {
    size_t now, most;
} Held;

static void *fuzz_alloc(void *user, size_t bytes, size_t alignment)
{
    Held *held = user;
    held->now += bytes;
    if (held->now > held->most)
        held->most = held->now;
    void *block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    SL_ASSERT(block != NULL);
    return block;
}

static void fuzz_release(void *user, void *memory, size_t bytes)
{
    ((Held *)user)->now -= bytes;
    free(memory);
}

static void check_mesh(const SlMesh *mesh)
{
    SL_ASSERT(mesh->triangle_count > 0);
    for (size_t k = 0; k < 3 * mesh->triangle_count; k++)
        SL_ASSERT(mesh->triangles[k] < mesh->vertex_count);
    for (size_t k = 0; k < 3 * mesh->vertex_count; k++)
        SL_ASSERT(isfinite(mesh->positions[k]));
    SlMeshReport report;
    SL_ASSERT(sl_mesh_check(mesh, &report, NULL) == SL_OK);
    SL_ASSERT(report.components > 0 && report.components <= mesh->triangle_count);
    SL_ASSERT(isfinite(report.area) && isfinite(report.volume));
}

static int fuzz_mesh(SlMeshFormat format, const uint8_t *data, size_t size)
{
    static Held held;
    static SlContext *context;
    if (context == NULL) {
        SlContextDef def = sl_default_context_def();
        def.threads = 1;
        def.allocator = (SlAllocator){fuzz_alloc, fuzz_release, &held};
        SL_ASSERT(sl_context_create(&def, &context, NULL) == SL_OK);
    }
    /* A copy without a 0 after it, so that the sanitizer sees the first byte too far. */
    char *bytes = malloc(size > 0 ? size : 1);
    SL_ASSERT(bytes != NULL);
    if (size > 0)
        memcpy(bytes, data, size);
    SlMesh mesh;
    SlError error = {SL_OK, ""};
    size_t before = held.now;
    held.most = before;
    SlStatus status = sl_mesh_parse(context, "fuzz", bytes, size, format, &mesh, &error);
    SL_ASSERT(held.most - before <= 64 * size + ((size_t)64 << 20));
    if (status == SL_OK)
        check_mesh(&mesh);
    else
        SL_ASSERT(error.status == status && strncmp(error.text, "fuzz:", 5) == 0);
    sl_mesh_destroy(&mesh);
    SL_ASSERT(held.now == before);
    free(bytes);
    return 0;
}

#endif

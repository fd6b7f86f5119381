/* Mesh files: the triangles of colliders, stored once per folder under the hash of their content.
   A frame names the hash, so a mesh that does not change costs 16 bytes per frame. */
#include <stdio.h>
#include <string.h>

#include "io/records.h"

void sl_mesh_folder(char folder[SL_PATH_BYTES], const char *frame_path)
{
    const char *slash = strrchr(frame_path, '/');
    int length = slash != NULL ? (int)(slash - frame_path) + 1 : 0;
    snprintf(folder, SL_PATH_BYTES, "%.*smeshes", length < 900 ? length : 900, frame_path);
}

void sl_mesh_path(char path[SL_PATH_BYTES], const char *folder, const uint64_t hash[2])
{
    snprintf(path, SL_PATH_BYTES, "%.960s/%016llx%016llx.slm", folder, (unsigned long long)hash[1],
             (unsigned long long)hash[0]);
}

SlStatus sl_mesh_sources(SlArena *arena, const SlMeshView *mesh, SlContainerHeader *head,
                         SlSource **out, size_t *count, SlError *error)
{
    sl_arena_reset(arena);
    SlSource *sources = SL_PUSH(arena, SlSource, 2);
    if (sources == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to write a mesh");
    sources[0] = (SlSource){.name = "position",
                            .unit = "m",
                            .meaning = "of each vertex",
                            .kind = SL_SECTION_MESH,
                            .type = SL_FIELD_F32X3,
                            .element_bytes = 12,
                            .stride = 12,
                            .count = mesh->vertex_count,
                            .data = mesh->positions};
    sources[1] = (SlSource){.name = "triangle",
                            .unit = "",
                            .meaning = "three vertices each",
                            .kind = SL_SECTION_MESH,
                            .type = SL_FIELD_U32,
                            .element_bytes = 4,
                            .stride = 4,
                            .count = 3 * (uint64_t)mesh->triangle_count,
                            .data = mesh->triangles};
    memset(head, 0, sizeof *head);
    head->kind = SL_CONTAINER_MESH;
    *out = sources;
    *count = 2;
    return SL_OK;
}

static const char *check_layout(const SlContainer *c)
{
    const SlSection *s = c->sections;
    if (c->header.section_count != 2 || s[0].kind != SL_SECTION_MESH ||
        s[1].kind != SL_SECTION_MESH || s[0].type != SL_FIELD_F32X3 || s[1].type != SL_FIELD_U32)
        return "its sections are not positions and triangles";
    if (s[0].count > INT32_MAX || s[1].count > 3 * (uint64_t)INT32_MAX || s[1].count % 3 != 0)
        return "its counts of vertices and triangles are out of range";
    return NULL;
}

static const char *check_content(const SlStoredMesh *mesh, const uint64_t hash[2])
{
    const SlMeshView *view = &mesh->view;
    for (size_t k = 0; k < 3 * view->triangle_count; k++)
        if (view->triangles[k] >= view->vertex_count)
            return "a triangle has a vertex that the mesh does not have";
    uint64_t found[2];
    sl_mesh_hash(view, found);
    return found[0] == hash[0] && found[1] == hash[1]
               ? NULL
               : "the hash of its content is not the one in its name";
}

static SlStatus decode(SlStoredMesh *mesh, const SlContainer *c, const char *path,
                       const uint64_t hash[2], SlError *error)
{
    SlMemory *memory = &mesh->context->memory;
    const char *wrong = check_layout(c);
    if (wrong != NULL)
        return sl_container_broken(path, SL_CONTAINER_MESH, wrong, error);
    size_t vertices = (size_t)c->sections[0].count, corners = (size_t)c->sections[1].count;
    mesh->view.vertex_count = vertices;
    mesh->view.triangle_count = corners / 3;
    mesh->positions = sl_alloc(memory, vertices * 12 + 1);
    mesh->triangles = sl_alloc(memory, corners * 4 + 1);
    if (mesh->positions == NULL || mesh->triangles == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    mesh->view.positions = mesh->positions;
    mesh->view.triangles = mesh->triangles;
    memcpy(mesh->view.hash, hash, sizeof mesh->view.hash);
    char *const to[2] = {(char *)mesh->positions, (char *)mesh->triangles};
    SlStatus status = sl_container_decode(c, path, to, error);
    if (status == SL_OK && (wrong = check_content(mesh, hash)) != NULL)
        status = sl_container_broken(path, SL_CONTAINER_MESH, wrong, error);
    return status;
}

SlStatus sl_stored_mesh_read(SlContext *context, const char *folder, const uint64_t hash[2],
                             SlStoredMesh **out, SlError *error)
{
    char path[SL_PATH_BYTES];
    *out = NULL;
    sl_mesh_path(path, folder, hash);
    SlStoredMesh *mesh = sl_alloc_zero(&context->memory, 1, sizeof *mesh);
    if (mesh == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "%.300s: no memory to read it", path);
    mesh->context = context;
    mesh->users = 1;
    SlContainer container;
    SlStatus status = sl_container_open(context, path, SL_CONTAINER_MESH, &container, error);
    if (status == SL_OK)
        status = decode(mesh, &container, path, hash, error);
    sl_container_close(&container);
    if (status != SL_OK) {
        sl_stored_mesh_release(mesh);
        return status;
    }
    *out = mesh;
    return SL_OK;
}

void sl_stored_mesh_release(SlStoredMesh *mesh)
{
    if (mesh == NULL || --mesh->users > 0)
        return;
    SlMemory *memory = &mesh->context->memory;
    sl_free(memory, mesh->positions, mesh->view.vertex_count * 12 + 1);
    sl_free(memory, mesh->triangles, mesh->view.triangle_count * 12 + 1);
    sl_free(memory, mesh, sizeof *mesh);
}

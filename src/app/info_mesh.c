/* sleet info mesh.obj: what a mesh holds and what is wrong with it. */
#include "app/info_mesh.h"

#include "geometry/mesh_check.h"
#include "geometry/mesh_read.h"

bool app_is_mesh(const char *path)
{
    return sl_mesh_format(path) != SL_MESH_UNKNOWN;
}

static void print_report(const SlMesh *mesh, const SlMeshReport *report)
{
    const SlBox *box = &report->bounds;
    printf("vertices: %zu\ntriangles: %zu\n", mesh->vertex_count, mesh->triangle_count);
    printf("closed: %s\n", report->closed ? "yes" : "no");
    printf("open edges: %zu\n", report->open_edges);
    printf("non-manifold edges: %zu\n", report->non_manifold_edges);
    printf("flipped edges: %zu\n", report->flipped_edges);
    printf("degenerate faces: %zu\n", report->degenerate_faces);
    printf("duplicate faces: %zu\n", report->duplicate_faces);
    printf("components: %zu\n", report->components);
    printf("size: %.6g × %.6g × %.6g m\n", (double)box->max.x - (double)box->min.x,
           (double)box->max.y - (double)box->min.y, (double)box->max.z - (double)box->min.z);
    printf("area: %.6g m^2\nvolume: %.6g m^3\n", report->area, report->volume);
}

int app_info_mesh(SlContext *context, const char *path)
{
    SlMesh mesh;
    SlMeshReport report;
    SlError error;
    SlStatus status = sl_mesh_read(context, path, &mesh, &error);
    if (status == SL_OK)
        status = sl_mesh_check(&mesh, &report, &error);
    if (status == SL_OK)
        print_report(&mesh, &report);
    sl_mesh_destroy(&mesh);
    return status == SL_OK ? EXIT_DONE : app_fail(&error);
}

/* sleet info: what a scene, a mesh, a frame file, a folder of frames or this program is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/info_mesh.h"
#include "core/error.h"
#include "core/machine.h"
#include "geometry/mesh/check.h"
#include "geometry/mesh/read.h"

static const double gib = 1024.0 * 1024 * 1024;

static int info_program(void)
{
    SlError error;
    SlContext *context;
    if (cli_context(NULL, true, &context, &error) != SL_OK)
        return cli_fail(&error);
    printf("sleet %s\n", sl_version());
    printf("path: %s\n", sl_context_isa_name(context));
    printf("threads: %u\n", sl_context_threads(context));
    printf("memory available: %.1f GiB\n", (double)sl_machine_memory_available() / gib);
    printf("ffmpeg: %s\n", system("command -v ffmpeg > /dev/null 2>&1") == 0 ? "yes" : "no");
    sl_context_destroy(context);
    return EXIT_DONE;
}

/* Least, mean and most of a field; of the length for vectors. */
static void print_field(const SlFieldView *field)
{
    double least = INFINITY, most = -INFINITY, sum = 0;
    for (size_t i = 0; i < field->count; i++) {
        const char *at = (const char *)field->data + i * field->stride;
        float v[3] = {0, 0, 0};
        uint32_t whole = 0;
        double value;
        if (field->type == SL_FIELD_U32) {
            memcpy(&whole, at, 4);
            value = whole;
        } else {
            memcpy(v, at, 4 * sl_field_lanes(field->type));
            value = field->type == SL_FIELD_F32
                        ? (double)v[0]
                        : sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        }
        least = fmin(least, value);
        most = fmax(most, value);
        sum += value;
    }
    static const char *const types[] = {"", "u32", "f32", "f32x3"};
    printf("  %-10s %-6s %-6s", field->name, types[field->type],
           field->unit[0] != '\0' ? field->unit : "-");
    if (field->count > 0)
        printf(" %sleast %.6g, mean %.6g, most %.6g", field->type == SL_FIELD_F32X3 ? "length " : "",
               least, sum / (double)field->count, most);
    printf("\n");
}

static int info_frame(SlContext *context, const char *path)
{
    SlFrame *frame;
    SlError error;
    if (sl_frame_read(context, path, &frame, &error) != SL_OK)
        return cli_fail(&error);
    const SlFrameView *view = sl_frame_view(frame);
    printf("frame: %llu\ntime: %.6g s\n", (unsigned long long)view->frame, view->time);
    printf("domain: (%g, %g, %g) to (%g, %g, %g) m\n", (double)view->domain.min.x,
           (double)view->domain.min.y, (double)view->domain.min.z, (double)view->domain.max.x,
           (double)view->domain.max.y, (double)view->domain.max.z);
    printf("colliders: %zu\n", view->collider_count);
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        printf("system: %s, solver %s, %zu particles, spacing %g m\n", system->name,
               system->solver, system->particle_count, (double)system->spacing);
        for (size_t f = 0; f < system->field_count; f++)
            print_field(&system->fields[f]);
    }
    sl_frame_destroy(frame);
    return EXIT_DONE;
}

static int info_checkpoint(SlContext *context, const char *path)
{
    SlCheckpoint *checkpoint;
    SlError error;
    if (sl_checkpoint_read(context, path, &checkpoint, &error) != SL_OK)
        return cli_fail(&error);
    const SlStateView *state = sl_checkpoint_state(checkpoint);
    printf("checkpoint: frame %llu\ntime: %.6g s\nsystems: %u\n", (unsigned long long)state->frame,
           state->time, state->system_count);
    for (size_t k = 0; k < state->item_count; k++) {
        const SlStateItem *item = &state->items[k];
        char owner[24] = "world";
        if (item->system < state->system_count)
            snprintf(owner, sizeof owner, "system %u", item->system);
        printf("  %-10s %-16s %zu x %u bytes\n", owner, item->name, item->count,
               item->element_bytes);
    }
    sl_checkpoint_destroy(checkpoint);
    return EXIT_DONE;
}

static int info_scene(SlContext *context, const char *path, const CliInput *input)
{
    SlScene *scene = NULL;
    SlWorld *world = NULL;
    SlError error;
    SlWorldDef def = sl_default_world_def();
    def.context = context;
    SlStatus status = cli_scene(context, path, input, &scene, &error);
    if (status == SL_OK)
        status = sl_scene_build(scene, &def, &world, &error);
    if (status == SL_OK) {
        printf("scene: %s\n", sl_scene_name(scene));
        printf("frames: %llu at %.6g per second\n", (unsigned long long)sl_scene_frames(scene),
               1 / sl_scene_frame_time(scene));
        printf("particles: %llu\n", (unsigned long long)sl_world_particle_count(world));
        printf("memory: %.3f GiB\n", (double)sl_world_memory_needed(world) / gib);
        printf("cameras: %zu\n", sl_scene_camera_count(scene));
    }
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    return status == SL_OK ? EXIT_DONE : cli_fail(&error);
}

static int info_folder(SlContext *context, const char *path)
{
    uint64_t *numbers;
    long count = cli_list_frames(path, &numbers);
    int code = EXIT_DONE;
    if (count <= 0) {
        SlError error;
        sl_error_set(&error, SL_ERROR_IO, "%.300s: holds no frames", path);
        code = cli_fail(&error);
    } else {
        char last[1024];
        printf("frames: %ld, %llu to %llu\n", count, (unsigned long long)numbers[0],
               (unsigned long long)numbers[count - 1]);
        cli_frame_path(last, sizeof last, path, numbers[count - 1], ".slf");
        code = info_frame(context, last);
    }
    free(numbers);
    return code;
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

enum { O_SET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of a scene; may be repeated", true},
};

static int info(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_info_command, count, words, &input);
    SlContext *context;
    SlError error;
    if (code >= 0 || input.word_count == 0)
        code = code >= 0 ? code : info_program();
    else if (input.word_count > 1)
        code = cli_usage_error("info", "one file or folder at a time");
    else if (cli_context(NULL, true, &context, &error) != SL_OK)
        code = cli_fail(&error);
    else {
        const char *path = input.words[0];
        if (cli_is_folder(path))
            code = info_folder(context, path);
        else if (ends_with(path, ".slf"))
            code = info_frame(context, path);
        else if (ends_with(path, ".slc"))
            code = info_checkpoint(context, path);
        else if (cli_is_mesh(path))
            code = cli_info_mesh(context, path);
        else
            code = info_scene(context, path, &input);
        sl_context_destroy(context);
    }
    cli_input_free(&input);
    return code;
}

const CliCommand cli_info_command = {
    .name = "info",
    .arguments = "[FILE|DIR]",
    .summary = "describe a scene, a mesh, a frame, a checkpoint, a folder of frames, or this program",
    .examples = "  sleet info\n"
                "  sleet info scenes/dam_break.json\n"
                "  sleet info mesh.obj\n"
                "  sleet info out/dam/frame_000120.slf\n",
    .options = options,
    .option_count = O_COUNT,
    .run = info,
};

/* --- sleet info mesh.obj: what a mesh holds and what is wrong with it. --- */

bool cli_is_mesh(const char *path)
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

int cli_info_mesh(SlContext *context, const char *path)
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
    return status == SL_OK ? EXIT_DONE : cli_fail(&error);
}

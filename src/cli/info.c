/* sleet info: describes a scene, a mesh, a frame, a checkpoint, a run folder or this program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const double gib = 1024.0 * 1024 * 1024;

static int info_program(void)
{
    SlError error;
    SlContext *context;
    if (cli_context(NULL, true, &context, &error) != SL_OK)
        return cli_fail(&error);
    printf("sleet %s\n", sl_version());
    printf("commit: %s\ncompiler: %s\n", sl_build_commit(), sl_build_compiler());
    printf("path: %s\n", sl_context_isa_name(context));
    printf("threads: %u\n", sl_context_threads(context));
    printf("memory available: %.1f GiB\n", (double)sl_machine_memory_available() / gib);
    printf("ffmpeg: %s\n", system("command -v ffmpeg > /dev/null 2>&1") == 0 ? "yes" : "no");
    sl_context_destroy(context);
    return EXIT_DONE;
}

/* Minimum, mean and maximum of a field; of the length for vectors. */
static void print_field(const SlFieldView *field)
{
    double min = INFINITY, max = -INFINITY, sum = 0;
    for (size_t i = 0; i < field->count; i++) {
        const char *at = (const char *)field->data + i * field->stride;
        float v[3] = {0, 0, 0};
        uint32_t integer = 0;
        double value;
        if (field->type == SL_FIELD_U32) {
            memcpy(&integer, at, 4);
            value = integer;
        } else {
            memcpy(v, at, 4 * sl_field_lanes(field->type));
            value = field->type == SL_FIELD_F32
                        ? (double)v[0]
                        : sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        }
        min = fmin(min, value);
        max = fmax(max, value);
        sum += value;
    }
    static const char *const types[] = {"", "u32", "f32", "f32x3"};
    printf("  %-10s %-6s %-6s", field->name, types[field->type],
           field->unit[0] != '\0' ? field->unit : "-");
    if (field->count > 0)
        printf(" %smin %.6g, mean %.6g, max %.6g", field->type == SL_FIELD_F32X3 ? "length " : "",
               min, sum / (double)field->count, max);
    printf("\n");
}

static void print_colliders(const SlFrameView *view)
{
    printf("colliders: %zu\n", view->collider_count);
    for (size_t k = 0; k < view->collider_count; k++) {
        const SlColliderView *collider = &view->colliders[k];
        bool is_mesh = collider->kind == SL_COLLIDER_MESH;
        printf("  %s, %s, %s", collider->name,
               is_mesh ? "mesh" : sl_shape_kind_name(collider->shape.kind),
               sl_material_kind_name(collider->material.kind));
        if (is_mesh)
            printf(", meshes/%016llx%016llx.slm", (unsigned long long)collider->mesh.hash[1],
                   (unsigned long long)collider->mesh.hash[0]);
        printf("\n");
    }
}

/* Without the meshes: their files may be elsewhere. */
static SlStatus read_frame(SlContext *context, const char *path, SlFrame **frame, SlError *error)
{
    SlFrameReaderDef def = sl_default_frame_reader_def();
    SlFrameReader *reader;
    def.without_meshes = true;
    SlStatus status = sl_frame_reader_create(context, &def, &reader, error);
    if (status == SL_OK)
        status = sl_frame_reader_read(reader, path, frame, error);
    sl_frame_reader_destroy(reader);
    return status;
}

static int info_frame(SlContext *context, const char *path)
{
    SlFrame *frame;
    SlError error;
    if (read_frame(context, path, &frame, &error) != SL_OK)
        return cli_fail(&error);
    const SlFrameView *view = sl_frame_view(frame);
    printf("frame: %llu\ntime: %.6g s\n", (unsigned long long)view->frame, view->time);
    printf("domain: (%g, %g, %g) to (%g, %g, %g) m\n", (double)view->domain.min.x,
           (double)view->domain.min.y, (double)view->domain.min.z, (double)view->domain.max.x,
           (double)view->domain.max.y, (double)view->domain.max.z);
    print_colliders(view);
    printf("cameras: %zu\n", view->camera_count);
    for (size_t s = 0; s < view->system_count; s++) {
        const SlSystemView *system = &view->systems[s];
        printf("system: %s, solver %s, %s, %zu particles, spacing %g m\n", system->name,
               system->solver, sl_material_kind_name(system->material.kind),
               system->particle_count, (double)system->spacing);
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

/* How much of its volume each fill has as particles. */
static SlStatus print_fills(SlWorld *world, SlError *error)
{
    SlFillReport report;
    for (uint32_t s = 0; s < sl_world_system_count(world); s++) {
        SlSystemId system = sl_world_system(world, s);
        for (uint32_t k = 0; k < sl_system_fill_count(world, system); k++) {
            SlStatus status = sl_system_fill_report(world, system, k, &report, error);
            if (status != SL_OK)
                return status;
            printf("fill: %u of %s, %.6g m^3, %llu particles of %.6g m^3, %.2f %%\n", k,
                   sl_system_name(world, system), report.volume,
                   (unsigned long long)report.particles, report.particle_volume,
                   100 * report.particle_volume / report.volume);
        }
    }
    return SL_OK;
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
        status = print_fills(world, &error); /* counts them: the next line is exact */
        printf("particles: %llu\n", (unsigned long long)sl_world_particle_count(world));
        printf("memory: %.3f GiB\n", (double)sl_world_memory_needed(world) / gib);
        printf("cameras: %zu\n", sl_scene_camera_count(scene));
    }
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    return status == SL_OK ? EXIT_DONE : cli_fail(&error);
}

static int info_mesh(SlContext *context, const char *path)
{
    SlMeshReport report;
    SlError error;
    if (sl_mesh_file_report(context, path, &report, &error) != SL_OK)
        return cli_fail(&error);
    const SlBox *box = &report.bounds;
    printf("vertices: %zu\ntriangles: %zu\n", report.vertices, report.triangles);
    printf("closed: %s\n", report.closed ? "yes" : "no");
    printf("manifold: %s\n",
           report.non_manifold_edges == 0 && report.duplicate_faces == 0 ? "yes" : "no");
    printf("open edges: %zu\n", report.open_edges);
    printf("non-manifold edges: %zu\n", report.non_manifold_edges);
    printf("flipped edges: %zu\n", report.flipped_edges);
    printf("degenerate faces: %zu\n", report.degenerate_faces);
    printf("duplicate faces: %zu\n", report.duplicate_faces);
    printf("components: %zu\n", report.components);
    printf("size: %.6g × %.6g × %.6g m\n", (double)box->max.x - (double)box->min.x,
           (double)box->max.y - (double)box->min.y, (double)box->max.z - (double)box->min.z);
    printf("area: %.6g m^2\nvolume: %.6g m^3\n", report.area, report.volume);
    return EXIT_DONE;
}

static void print_session(const SlRunSession *s)
{
    printf("session: %s to %s, frames %llu to %llu, %s\n", s->started,
           s->ended[0] != '\0' ? s->ended : "(no end)", (unsigned long long)s->from_frame,
           (unsigned long long)s->to_frame, s->end[0] != '\0' ? s->end : "running or killed");
    printf("  sleet %s (%s), %s, %s path, %u threads\n", s->version, s->commit, s->compiler,
           s->path, s->threads);
    for (size_t k = 0; k < s->change_count; k++)
        printf("  changed: %s\n", s->changes[k]);
}

static void print_provenance(const SlRunInfo *info)
{
    printf("run: %s, %s, frame %llu of %llu\n", info->scene, sl_run_state_name(info->state),
           (unsigned long long)info->frame, (unsigned long long)info->frames);
    printf("scene hash: %016llx\n", (unsigned long long)info->scene_hash);
    if (info->has_state_hash)
        printf("state hash: %016llx\n", (unsigned long long)info->state_hash);
    for (size_t k = 0; k < info->mesh_count; k++)
        printf("mesh: %s, hash %016llx\n", info->meshes[k].file,
               (unsigned long long)info->meshes[k].hash);
    for (size_t k = 0; k < info->session_count; k++)
        print_session(&info->sessions[k]);
}

static int info_folder(SlContext *context, const char *path)
{
    SlRunFolder *folder;
    SlError error;
    size_t count, checkpoints;
    if (sl_run_folder_open(context, path, &folder, &error) != SL_OK)
        return cli_fail(&error);
    const uint64_t *numbers = sl_run_folder_frames(folder, &count);
    (void)sl_run_folder_checkpoints(folder, &checkpoints);
    int code = EXIT_DONE;
    if (count == 0) {
        cli_error(&error, SL_ERROR_IO, "%.300s: holds no frames", path);
        code = cli_fail(&error);
    } else {
        char last[1024];
        printf("frames: %zu, %llu to %llu\ncheckpoints: %zu\n", count,
               (unsigned long long)numbers[0], (unsigned long long)numbers[count - 1], checkpoints);
        if (sl_run_folder_info(folder) != NULL)
            print_provenance(sl_run_folder_info(folder));
        sl_run_folder_frame_path(folder, numbers[count - 1], last, sizeof last);
        code = info_frame(context, last);
    }
    sl_run_folder_close(folder);
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
        if (sl_folder_exists(path))
            code = info_folder(context, path);
        else if (ends_with(path, ".slf"))
            code = info_frame(context, path);
        else if (ends_with(path, ".slc"))
            code = info_checkpoint(context, path);
        else if (sl_mesh_file_is_known(path))
            code = info_mesh(context, path);
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
    .summary = "describe a scene, a mesh, a frame, a checkpoint, a run folder or this program",
    .examples = "  sleet info\n"
                "  sleet info scenes/dam_break.json\n"
                "  sleet info mesh.obj\n"
                "  sleet info out/dam                     provenance and the last frame\n"
                "  sleet info out/dam/frame_000120.slf\n",
    .options = options,
    .option_count = O_COUNT,
    .run = info,
};

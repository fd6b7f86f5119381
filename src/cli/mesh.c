/* sleet mesh: the water surface of stored frames as PLY or OBJ files. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_OUTPUT, O_FRAMES, O_SYSTEM, O_CUBE, O_SMOOTHING, O_ANISOTROPY, O_ISO, O_SINK,
       O_MIN_COMPONENT,
       O_THREADS, O_VERBOSE, O_QUIET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "FILE",
                  "a .ply or .obj file; for several frames with %d or %06d for the frame\n"
                  "(default: DIR/surface/frame_%06d.ply)"},
    [O_FRAMES] = {"frames", 'n', "K|A-B", "one frame or a range (default: all)"},
    [O_SYSTEM] = {"system", 0, "NAME", "only the particles of this system (default: all)"},
    [O_CUBE] = {"cube", 0, "X", "edge of the cubes in particle spacings (0.5)"},
    [O_SMOOTHING] = {"smoothing", 0, "N", "iterations of weighted smoothing (30)"},
    [O_ANISOTROPY] = {"anisotropy", 0, "X", "how flat a particle's kernel may become; 1: spheres (4)"},
    [O_ISO] = {"iso", 0, "X", "level of the surface as a fraction of the density inside (0.5)"},
    [O_SINK] = {"sink", 0, "X", "spacings that the mesh continues behind walls and into colliders (0)"},
    [O_MIN_COMPONENT] = {"min-component", 0, "X",
                         "remove closed pieces and voids below this volume, in particles (0.1)"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_VERBOSE] = {"verbose", 'v', NULL, "print the size of each mesh and the time of each stage"},
    [O_QUIET] = {"quiet", 'q', NULL, "print only what was written"},
};

/* Options that are a number of the filter's table. */
static const struct {
    int option;
    const char *name;
} numbers[] = {{O_CUBE, "cube"},
               {O_SMOOTHING, "smoothing"},
               {O_ANISOTROPY, "anisotropy"},
               {O_ISO, "iso"},
               {O_SINK, "sink"},
               {O_MIN_COMPONENT, "min_component"}};
enum { NUMBERS = sizeof numbers / sizeof numbers[0], MAX_ROWS = 32 };

typedef struct Job {
    SlContext *context;
    SlRunFolder *folder; /* NULL: the source is one frame file */
    SlFilter *filter;    /* of one frame file */
    SlRunFilter *cached; /* of a folder */
    const char *source, *exporter;
    char pattern[1024], first_path[1024], last_path[1024];
    uint64_t first, last, written, stored, empty, vertices, triangles;
    uint64_t broken; /* frames that were left out */
    bool quiet;
    CliProgress progress;
} Job;

static SlStatus write_mesh(Job *job, const SlFrameView *output, SlError *error)
{
    cli_numbered_path(job->last_path, sizeof job->last_path, job->pattern, output->frame);
    SlStatus status = sl_export_frame(job->context, job->exporter, NULL, job->last_path, output, error);
    if (status != SL_OK)
        return status;
    if (job->written++ == 0)
        memcpy(job->first_path, job->last_path, sizeof job->first_path);
    uint64_t triangles = 0;
    for (size_t s = 0; s < output->surface_count; s++) {
        triangles += output->surfaces[s].triangle_count;
        job->vertices += output->surfaces[s].vertex_count;
    }
    job->triangles += triangles;
    if (triangles == 0) {
        job->empty++;
        cli_progress_clear();
        fprintf(stderr, "frame %llu has no particles: its mesh is empty\n",
                (unsigned long long)output->frame);
    }
    return SL_OK;
}

static SlStatus mesh_folder(Job *job, SlError *error)
{
    CliFrames frames;
    SlStatus status = cli_frames(job->folder, job->source, job->first, job->last, &frames, error);
    if (status != SL_OK)
        return status;
    if (frames.count > 1 && !cli_has_number(job->pattern))
        return cli_error(error, SL_ERROR_ARGUMENT,
                         "%.300s: %llu frames need a name with %%d or %%06d for the frame's number",
                         job->pattern, (unsigned long long)frames.count);
    cli_progress_begin(&job->progress, "meshing", frames.count, job->quiet);
    for (size_t k = 0; status == SL_OK && k < frames.count; k++) {
        const SlFrameView *output;
        status = sl_run_filter_frame(job->cached, frames.numbers[k], &output, error);
        if (status == SL_ERROR_PARSE) { /* a damaged file: the others have their meshes */
            cli_damaged_frame(error, "");
            job->broken++;
            status = SL_OK;
        } else if (status == SL_OK) {
            job->stored += sl_run_filter_was_stored(job->cached);
            status = write_mesh(job, output, error);
        }
        cli_progress_show(&job->progress, k + 1, "");
        if (status == SL_OK && cli_interrupted())
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    cli_progress_end(&job->progress);
    return status;
}

/* Of a folder, results are stored there; of one file they are not. */
static SlStatus make_filter(Job *job, const CliInput *input, SlError *error)
{
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, "surface");
    SlParamValue values[MAX_ROWS];
    SlStatus status = SL_OK;
    sl_table_defaults(table, values);
    for (int k = 0; status == SL_OK && k < NUMBERS; k++) {
        const char *text = input->value[numbers[k].option];
        if (text == NULL)
            continue;
        char *end;
        double number = strtod(text, &end);
        status = end == text || *end != '\0'
                     ? cli_error(error, SL_ERROR_ARGUMENT, "--%s takes a number, not \"%.40s\"",
                                 options[numbers[k].option].name, text)
                     : sl_table_set_number(table, values, numbers[k].name, number, error);
    }
    if (status == SL_OK && input->value[O_SYSTEM] != NULL)
        status = sl_table_set_text(table, values, "system", input->value[O_SYSTEM], error);
    if (status != SL_OK)
        return status;
    return job->folder != NULL
               ? sl_run_filter_open(job->folder, "surface", values, NULL, &job->cached, error)
               : sl_filter_create(job->context, "surface", values, &job->filter, error);
}

static SlStatus choose_output(Job *job, const char *output, SlError *error)
{
    bool is_folder = sl_folder_exists(job->source);
    if (output == NULL) {
        if (!is_folder)
            return cli_error(error, SL_ERROR_ARGUMENT, "one frame file needs --output FILE");
        snprintf(job->pattern, sizeof job->pattern, "%.800s/surface", job->source);
        SlStatus status = sl_folder_make(job->pattern, error);
        if (status != SL_OK)
            return status;
        snprintf(job->pattern, sizeof job->pattern, "%.800s/surface/frame_%%06d.ply", job->source);
    } else {
        snprintf(job->pattern, sizeof job->pattern, "%.900s", output);
    }
    const char *ending = strrchr(job->pattern, '.');
    job->exporter = ending == NULL                  ? NULL
                    : strcmp(ending, ".ply") == 0 ? "surface_ply"
                    : strcmp(ending, ".obj") == 0 ? "surface_obj"
                                                  : NULL;
    if (job->exporter == NULL)
        return cli_error(error, SL_ERROR_ARGUMENT, "%.300s: the name must end in .ply or .obj",
                         job->pattern);
    return is_folder ? sl_run_folder_open(job->context, job->source, &job->folder, error) : SL_OK;
}

static SlStatus mesh_all(Job *job, const CliInput *input, SlError *error)
{
    bool verbose = !job->quiet && input->value[O_VERBOSE] != NULL;
    SlStatus status =
        cli_context(input->value[O_THREADS], verbose ? CLI_LOG_ALL : CLI_LOG_WARNINGS, &job->context,
                    error);
    if (status == SL_OK)
        status = choose_output(job, input->value[O_OUTPUT], error);
    if (status == SL_OK)
        status = make_filter(job, input, error);
    if (status == SL_OK && job->folder != NULL)
        return mesh_folder(job, error);
    SlFrame *frame = NULL;
    const SlFrameView *output;
    if (status == SL_OK)
        status = sl_frame_read(job->context, job->source, &frame, error);
    if (status == SL_OK)
        status = sl_filter_apply(job->filter, sl_frame_view(frame), &output, error);
    if (status == SL_OK)
        status = write_mesh(job, output, error);
    sl_frame_destroy(frame);
    return status;
}

static int finish(Job *job, SlStatus status, const SlError *error)
{
    if (job->written == 1)
        printf("%s\n", job->last_path);
    else if (job->written > 1)
        printf("%s and %llu more\n", job->first_path, (unsigned long long)job->written - 1);
    if (!job->quiet && job->written > 0)
        fprintf(stderr, "%llu meshes, %llu triangles on average; %llu were stored already\n",
                (unsigned long long)job->written,
                (unsigned long long)(job->triangles / job->written),
                (unsigned long long)job->stored);
    sl_filter_destroy(job->filter);
    sl_run_filter_close(job->cached);
    sl_run_folder_close(job->folder);
    if (job->context != NULL)
        sl_context_destroy(job->context);
    if (status != SL_OK)
        return cli_fail(error);
    return job->broken > 0 ? cli_damaged_frames(job->broken) : EXIT_DONE;
}

static int mesh(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_mesh_command, count, words, &input);
    Job job = {.last = UINT64_MAX, .quiet = input.value[O_QUIET] != NULL};
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("mesh", "one run folder or frame file is needed");
    if (code < 0 && input.value[O_FRAMES] != NULL &&
        !cli_range(&cli_mesh_command, input.value[O_FRAMES], &job.first, &job.last))
        code = EXIT_USAGE;
    if (code < 0 && !cli_threads(&cli_mesh_command, input.value[O_THREADS]))
        code = EXIT_USAGE;
    if (code < 0) {
        SlError error = {SL_OK, ""};
        job.source = input.words[0];
        cli_catch_interrupts();
        SlStatus status = mesh_all(&job, &input, &error);
        code = finish(&job, status, &error);
    }
    cli_input_free(&input);
    return code;
}

const CliCommand cli_mesh_command = {
    .name = "mesh",
    .arguments = "DIR|FRAME [options]",
    .summary = "write the water surface of frames as PLY or OBJ",
    .examples = "  sleet mesh out/dam                                   every frame\n"
                "  sleet mesh out/dam --frames 120 -o dam.obj           one frame\n"
                "  sleet mesh out/dam --frames 0-60 -o mesh_%04d.ply    a range\n"
                "  sleet mesh out/dam --cube 0.25 --smoothing 60        finer\n",
    .options = options,
    .option_count = O_COUNT,
    .run = mesh,
};

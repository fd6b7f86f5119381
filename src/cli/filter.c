/* sleet filter: applies filters to stored frames and keeps the results in the run folder, where renderers and
   exporters find them; writes particles, such as whitewater, as PLY files. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_FILTER, O_SET, O_FRAMES, O_OUTPUT, O_SYSTEM, O_THREADS, O_VERBOSE, O_QUIET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_FILTER] = {"filter", 'f', "NAME", "whitewater, surface, … (default: the scene's filters)"},
    [O_SET] = {"set", 's', "NAME=VALUE",
               "a value of the filter, see sleet params; may be repeated", .repeats = true},
    [O_FRAMES] = {"frames", 'n', "K|A-B", "one frame or a range (default: all)"},
    [O_OUTPUT] = {"output", 'o', "FILE",
                  "also write the particles as points of a .ply file with all their fields;\n"
                  "for several frames with %d or %06d for the frame"},
    [O_SYSTEM] = {"system", 0, "NAME",
                  "the system that --output writes (default: whitewater where there is any, else all)"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_VERBOSE] = {"verbose", 'v', NULL, "print what each frame took"},
    [O_QUIET] = {"quiet", 'q', NULL, "print only the last line"},
};
enum { MAX_ROWS = 64 };

typedef struct Job {
    SlContext *context;
    SlRunFolder *folder;
    SlRunFilter *filter;
    const char *source, *name; /* NULL: the scene's filters */
    uint64_t first, last, done, stored;
    uint64_t broken; /* frames that were left out */
    double seconds; /* of frames that were made */
    char made[300]; /* of the last frame */
    const char *pattern, *system; /* of PLY files; NULL: none, and as the frame has them */
    char first_path[1024], last_path[1024];
    uint64_t written;
    bool quiet;
} Job;

/* --- The filter --- */

static SlStatus set_value(const SlTable *table, SlParamValue *values, const SlSceneOverride *set,
                          SlError *error)
{
    const SlParamRow *row = sl_table_find(table, set->path);
    char *end;
    double number = strtod(set->value, &end);
    bool is_number = end != set->value && *end == '\0';
    if (row != NULL && row->type == SL_PARAM_BOOL &&
        (strcmp(set->value, "true") == 0 || strcmp(set->value, "false") == 0))
        return sl_table_set_number(table, values, set->path, set->value[0] == 't', error);
    if (row == NULL || row->type == SL_PARAM_TEXT || row->type == SL_PARAM_CHOICE || !is_number)
        return sl_table_set_text(table, values, set->path, set->value, error);
    return sl_table_set_number(table, values, set->path, number, error);
}

static SlStatus open_named(Job *job, const CliInput *input, SlError *error)
{
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, job->name);
    if (table == NULL) /* for its message, with the nearest name */
        return sl_run_filter_open(job->folder, job->name, NULL, NULL, &job->filter, error);
    SlParamValue values[MAX_ROWS];
    if (table->row_count > MAX_ROWS)
        return cli_error(error, SL_ERROR_UNSUPPORTED, "the filter has too many values");
    sl_table_defaults(table, values);
    SlStatus status = SL_OK;
    for (size_t k = 0; status == SL_OK && k < input->set_count; k++)
        status = set_value(table, values, &input->sets[k], error);
    return status == SL_OK ? sl_run_filter_open(job->folder, job->name, values, NULL, &job->filter,
                                                error)
                           : status;
}

static SlStatus open_scene(Job *job, const CliInput *input, SlError *error)
{
    SlScene *scene;
    SlSceneOptions scene_options = sl_default_scene_options();
    if (input->set_count > 0)
        return cli_error(error, SL_ERROR_ARGUMENT, "--set needs --filter NAME");
    SlStatus status = sl_run_folder_read_scene(job->folder, &scene_options, &scene, error);
    if (status != SL_OK)
        return status;
    status = sl_run_filter_open_scene(job->folder, scene, &job->filter, error);
    sl_scene_destroy(scene);
    if (status == SL_OK && job->filter == NULL)
        status = cli_error(error, SL_ERROR_ARGUMENT,
                           "the scene in %.300s has no filters; choose one with --filter",
                           job->source);
    return status;
}

/* --- Frames --- */

/* "whitewater: 12034 particles (210 spray, 8000 foam, 3824 bubbles)", "surface of water: …". */
static void describe(const SlFrameView *view, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < view->surface_count && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%ssurface of %s: %zu triangles",
                                 used > 0 ? "; " : "", view->surfaces[k].system,
                                 view->surfaces[k].triangle_count);
    for (size_t s = 0; s < view->system_count && used < size; s++) {
        const SlSystemView *system = &view->systems[s];
        SlFieldView phase = sl_view_field(system, "phase");
        used += (size_t)snprintf(text + used, size - used, "%s%s: %zu particles",
                                 used > 0 ? "; " : "", system->name, system->particle_count);
        if (strcmp(system->solver, "whitewater") != 0 || phase.type != SL_FIELD_U32 || used >= size)
            continue;
        size_t counts[3] = {0, 0, 0};
        for (size_t i = 0; i < phase.count; i++) {
            uint32_t is;
            memcpy(&is, (const char *)phase.data + i * phase.stride, sizeof is);
            counts[is < 3 ? is : 0]++;
        }
        used += (size_t)snprintf(text + used, size - used, " (%zu spray, %zu foam, %zu bubbles)",
                                 counts[0], counts[1], counts[2]);
    }
}

/* The name of the system to write; "" for all. */
static const char *choose_system(const Job *job, const SlFrameView *view)
{
    if (job->system != NULL)
        return job->system;
    for (size_t s = 0; s < view->system_count; s++)
        if (strcmp(view->systems[s].solver, "whitewater") == 0)
            return view->systems[s].name;
    return "";
}

static SlStatus write_ply(Job *job, const SlFrameView *view, SlError *error)
{
    size_t count;
    const SlTable *const *tables = sl_exporter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, "ply");
    SlParamValue values[MAX_ROWS];
    sl_table_defaults(table, values);
    SlStatus status = sl_table_set_text(table, values, "system", choose_system(job, view), error);
    cli_numbered_path(job->last_path, sizeof job->last_path, job->pattern, view->frame);
    if (status == SL_OK)
        status = sl_export_frame(job->context, "ply", values, job->last_path, view, error);
    if (status == SL_OK && job->written++ == 0)
        memcpy(job->first_path, job->last_path, sizeof job->first_path);
    return status;
}

static SlStatus filter_frame(Job *job, uint64_t number, SlError *error)
{
    const SlFrameView *view;
    double begin = sl_machine_seconds();
    SlStatus status = sl_run_filter_frame(job->filter, number, &view, error);
    if (status == SL_ERROR_PARSE) { /* a damaged file: the others have their results */
        cli_damaged_frame(error, sl_run_filter_reads_previous(job->filter)
                                     ? ", the next continues from the last good one"
                                     : "");
        job->broken++;
        return SL_OK;
    }
    if (status != SL_OK)
        return status;
    bool stored = sl_run_filter_was_stored(job->filter);
    job->stored += stored;
    job->seconds += stored ? 0 : sl_machine_seconds() - begin;
    job->done++;
    describe(view, job->made, sizeof job->made);
    return job->pattern != NULL ? write_ply(job, view, error) : SL_OK;
}

static SlStatus filter_frames(Job *job, SlError *error)
{
    CliFrames frames;
    SlStatus status = cli_frames(job->folder, job->source, job->first, job->last, &frames, error);
    if (status != SL_OK)
        return status;
    if (job->pattern != NULL && frames.count > 1 && !cli_has_number(job->pattern))
        return cli_error(error, SL_ERROR_ARGUMENT,
                         "%.300s: %llu frames need a name with %%d or %%06d for the frame's number",
                         job->pattern, (unsigned long long)frames.count);
    CliProgress progress;
    cli_progress_begin(&progress, "filtering", frames.count, job->quiet);
    cli_progress_watch(&progress);
    for (size_t k = 0; status == SL_OK && k < frames.count; k++) {
        status = filter_frame(job, frames.numbers[k], error);
        cli_progress_show(&progress, k + 1, job->made);
        if (status == SL_OK && cli_interrupted())
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    cli_progress_watch(NULL);
    cli_progress_end(&progress);
    return status;
}

static SlStatus filter_all(Job *job, const CliInput *input, SlError *error)
{
    bool verbose = !job->quiet && input->value[O_VERBOSE] != NULL;
    SlStatus status =
        cli_context(input->value[O_THREADS], verbose ? CLI_LOG_ALL : CLI_LOG_WARNINGS, &job->context,
                    error);
    if (status == SL_OK)
        status = sl_run_folder_open(job->context, job->source, &job->folder, error);
    if (status == SL_OK)
        status = job->name != NULL ? open_named(job, input, error) : open_scene(job, input, error);
    return status == SL_OK ? filter_frames(job, error) : status;
}

static int finish(Job *job, SlStatus status, const SlError *error)
{
    double begin = sl_machine_seconds();
    sl_run_filter_close(job->filter); /* waits for the disk */
    job->seconds += sl_machine_seconds() - begin;
    uint64_t made = job->done - job->stored;
    if (job->done > 0) {
        printf("%llu frames: %llu made", (unsigned long long)job->done, (unsigned long long)made);
        if (made > 0)
            printf(" in %.1f s (%.1f ms each, with reading and storing)", job->seconds,
                   1e3 * job->seconds / (double)made);
        printf(", %llu stored already; the last has %s\n", (unsigned long long)job->stored,
               job->made);
    }
    if (job->written == 1)
        printf("%s\n", job->last_path);
    else if (job->written > 1)
        printf("%s and %llu more\n", job->first_path, (unsigned long long)job->written - 1);
    sl_run_folder_close(job->folder);
    if (job->context != NULL)
        sl_context_destroy(job->context);
    if (status != SL_OK)
        return cli_fail(error);
    return job->broken > 0 ? cli_damaged_frames(job->broken) : EXIT_DONE;
}

static int filter(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_filter_command, count, words, &input);
    Job job = {.last = UINT64_MAX, .quiet = input.value[O_QUIET] != NULL,
               .name = input.value[O_FILTER],
               .pattern = input.value[O_OUTPUT],
               .system = input.value[O_SYSTEM]};
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("filter", "one run folder is needed");
    if (code < 0 && input.value[O_FRAMES] != NULL &&
        !cli_range(&cli_filter_command, input.value[O_FRAMES], &job.first, &job.last))
        code = EXIT_USAGE;
    if (code < 0 && !cli_threads(&cli_filter_command, input.value[O_THREADS]))
        code = EXIT_USAGE;
    if (code < 0 && job.pattern == NULL && job.system != NULL)
        code = cli_usage_error("filter", "--system is of --output FILE");
    const char *ending = job.pattern != NULL ? strrchr(job.pattern, '.') : NULL;
    if (code < 0 && job.pattern != NULL && (ending == NULL || strcmp(ending, ".ply") != 0))
        code = cli_usage_error("filter", "--output takes a name that ends in .ply, not \"%.200s\"",
                               job.pattern);
    if (code < 0) {
        SlError error = {SL_OK, ""};
        job.source = input.words[0];
        cli_catch_interrupts();
        SlStatus status = filter_all(&job, &input, &error);
        code = finish(&job, status, &error);
    }
    cli_input_free(&input);
    return code;
}

const CliCommand cli_filter_command = {
    .name = "filter",
    .arguments = "DIR [options]",
    .summary = "apply filters to frames and keep the results in the run folder",
    .examples = "  sleet filter out/dam                                 the scene's filters\n"
                "  sleet filter out/dam --filter whitewater             spray, foam and bubbles\n"
                "  sleet filter out/dam -f whitewater -s size=0.003 -s lifetime=5\n"
                "  sleet filter out/dam -f whitewater -o white_%06d.ply  and its particles as PLY\n"
                "  sleet filter out/dam --filter surface --frames 60-90\n",
    .options = options,
    .option_count = O_COUNT,
    .run = filter,
};

/* sleet measure: figures of the frames of a run folder as CSV: pieces, compaction, run-out, energies, and what
   is in a box. A row per frame and system. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { O_FRAMES, O_SYSTEM, O_BOX, O_TURNED, O_LINK, O_OUTPUT, O_THREADS, O_QUIET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_FRAMES] = {"frames", 'n', "K|A-B", "one frame or a range (default: all)"},
    [O_SYSTEM] = {"system", 0, "NAME", "only this system (default: all)"},
    [O_BOX] = {"box", 'b', "X0,Y0,Z0,X1,Y1,Z1",
               "also mass, particles and height of what is in this box, in metres"},
    [O_TURNED] = {"turned", 0, NULL,
                  "also how much of the snow in the box was turned over since the first frame"},
    [O_LINK] = {"link", 0, "N",
                "particles closer than N spacings are of one piece, at most 10 (default: 1.5)"},
    [O_OUTPUT] = {"output", 'o', "FILE", "write the table there instead of to standard output"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_QUIET] = {"quiet", 'q', NULL, "no progress"},
};

typedef struct Job {
    SlContext *context;
    SlRunFolder *folder;
    SlFrameReader *reader;
    SlFrame *first_frame; /* run-out and turning are measured against it */
    SlVec3 *centers;      /* of its systems */
    SlMeasureDef def;
    const char *source, *system; /* NULL: all systems */
    uint64_t first, last;
    bool has_box, turned, quiet;
    FILE *to;
} Job;

/* --- The table --- */

static const char head[] =
    "frame,time_s,system,particles,mass_kg,pieces,largest,second,crumbs,density_ratio,plastic,"
    "center_x_m,center_y_m,center_z_m,min_x_m,min_y_m,min_z_m,max_x_m,max_y_m,max_z_m,run_out_m,"
    "kinetic_energy_J,potential_energy_J,max_speed_m_per_s";
static const char box_head[] = ",box_particles,box_mass_kg,box_height_m,box_top_m";
static const char turned_head[] = ",low_on_top,top_from_low";

/* A figure that does not exist is an empty cell. */
static void print_figures(FILE *to, const double *figures, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (isnan(figures[k]))
            fprintf(to, ",");
        else
            fprintf(to, ",%.9g", figures[k]);
}

static void print_row(const Job *job, const SlFrameView *view, const char *system,
                      const SlMeasurement *m)
{
    FILE *to = job->to;
    const double pieces[] = {m->largest, m->second, m->crumbs, m->density_ratio, m->plastic};
    const double motion[] = {m->run_out, m->kinetic_energy, m->potential_energy, m->max_speed};
    const double box[] = {m->box.mass, m->box.height, m->box.top};
    const double turned[] = {m->low_on_top, m->top_from_low};
    fprintf(to, "%llu,%.9g,%s,%zu,%.9g,%zu", (unsigned long long)view->frame, view->time, system,
            m->particles, m->mass, m->pieces);
    print_figures(to, pieces, sizeof pieces / sizeof pieces[0]);
    print_figures(to, m->center, 3);
    print_figures(to, m->min, 3);
    print_figures(to, m->max, 3);
    print_figures(to, motion, sizeof motion / sizeof motion[0]);
    if (job->has_box) {
        fprintf(to, ",%zu", m->box.particles);
        print_figures(to, box, sizeof box / sizeof box[0]);
    }
    if (job->turned)
        print_figures(to, turned, sizeof turned / sizeof turned[0]);
    fprintf(to, "\n");
}

/* --- Frames --- */

static SlStatus read_frame(Job *job, uint64_t number, SlFrame **frame, SlError *error)
{
    char path[1024];
    sl_run_folder_frame_path(job->folder, number, path, sizeof path);
    return sl_frame_reader_read(job->reader, path, frame, error);
}

static SlStatus unknown_system(const Job *job, const SlFrameView *view, SlError *error)
{
    enum { MAX_NAMES = 64 };
    const char *names[MAX_NAMES];
    size_t count = 0;
    for (; count < view->system_count && count < MAX_NAMES; count++)
        names[count] = view->systems[count].name;
    const char *near = sl_nearest_name(job->system, names, count);
    if (near == NULL && count > 0)
        near = names[0];
    return cli_error(error, SL_ERROR_ARGUMENT, "%.300s: has no system \"%.40s\"; it has \"%.40s\"",
                     job->source, job->system, near != NULL ? near : "");
}

static bool is_chosen(const Job *job, const SlSystemView *system)
{
    return job->system == NULL || strcmp(job->system, system->name) == 0;
}

/* Where the centres of mass were in the first frame: run-out is measured from there. */
static SlStatus find_centers(Job *job, SlError *error)
{
    const SlFrameView *view = sl_frame_view(job->first_frame);
    SlMeasureDef def = sl_default_measure_def();
    SlStatus status = SL_OK;
    job->centers = calloc(view->system_count > 0 ? view->system_count : 1, sizeof *job->centers);
    if (job->centers == NULL)
        return cli_error(error, SL_ERROR_MEMORY, "no memory");
    for (size_t s = 0; status == SL_OK && s < view->system_count; s++) {
        SlMeasurement m;
        if (!is_chosen(job, &view->systems[s]))
            continue;
        status = sl_measure_system(job->context, view, &view->systems[s], &def, &m, error);
        if (status == SL_OK && m.particles > 0)
            job->centers[s] =
                (SlVec3){(float)m.center[0], (float)m.center[1], (float)m.center[2]};
    }
    return status;
}

static SlStatus measure_system(Job *job, const SlFrameView *view, const SlSystemView *system,
                               SlMeasurement *m, SlError *error)
{
    SlMeasureDef def = job->def;
    const SlFrameView *start = sl_frame_view(job->first_frame);
    const SlSystemView *first = sl_view_system(start, system->name);
    if (first != NULL)
        def.center = job->centers[first - start->systems];
    def.first = job->turned ? first : NULL;
    return sl_measure_system(job->context, view, system, &def, m, error);
}

static SlStatus measure_frame(Job *job, uint64_t number, SlError *error)
{
    SlFrame *frame;
    SlStatus status = read_frame(job, number, &frame, error);
    if (status != SL_OK)
        return status;
    const SlFrameView *view = sl_frame_view(frame);
    if (job->system != NULL && sl_view_system(view, job->system) == NULL)
        status = unknown_system(job, view, error);
    for (size_t s = 0; status == SL_OK && s < view->system_count; s++) {
        SlMeasurement m;
        const SlSystemView *system = &view->systems[s];
        if (!is_chosen(job, system))
            continue;
        status = measure_system(job, view, system, &m, error);
        if (status == SL_OK)
            print_row(job, view, system->name, &m);
    }
    sl_frame_destroy(frame);
    return status;
}

static SlStatus measure_frames(Job *job, SlError *error)
{
    CliFrames frames;
    SlStatus status = cli_frames(job->folder, job->source, job->first, job->last, &frames, error);
    if (status != SL_OK)
        return status;
    uint64_t begin = sl_run_folder_frames(job->folder, &(size_t){0})[0];
    status = read_frame(job, begin, &job->first_frame, error);
    if (status == SL_OK)
        status = find_centers(job, error);
    if (status != SL_OK)
        return status;
    if (begin > 0 && !job->quiet)
        fprintf(stderr, "frame 0 is missing; run-out is measured from frame %llu on\n",
                (unsigned long long)begin);
    fprintf(job->to, "%s%s%s\n", head, job->has_box ? box_head : "",
            job->turned ? turned_head : "");
    CliProgress progress;
    cli_progress_begin(&progress, "measuring", frames.count, job->quiet);
    for (size_t k = 0; status == SL_OK && k < frames.count; k++) {
        status = measure_frame(job, frames.numbers[k], error);
        cli_progress_show(&progress, k + 1, "");
        if (status == SL_OK && cli_interrupted())
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    cli_progress_end(&progress);
    return status;
}

static SlStatus measure_folder(Job *job, const CliInput *input, SlError *error)
{
    SlFrameReaderDef def = sl_default_frame_reader_def();
    def.without_meshes = true;
    SlStatus status = cli_context(input->value[O_THREADS], CLI_LOG_WARNINGS, &job->context, error);
    if (status == SL_OK)
        status = sl_run_folder_open(job->context, job->source, &job->folder, error);
    if (status == SL_OK)
        status = sl_frame_reader_create(job->context, &def, &job->reader, error);
    if (status == SL_OK)
        status = measure_frames(job, error);
    free(job->centers);
    sl_frame_destroy(job->first_frame);
    sl_frame_reader_destroy(job->reader);
    sl_run_folder_close(job->folder);
    if (job->context != NULL)
        sl_context_destroy(job->context);
    return status;
}

/* --- The command line --- */

static bool read_box(const char *text, SlBox *box)
{
    float values[6];
    const char *at = text;
    for (int k = 0; k < 6; k++) {
        char *end;
        values[k] = strtof(at, &end);
        if (end == at || *end != (k < 5 ? ',' : '\0') || isnan(values[k]))
            return false;
        at = end + 1;
    }
    *box = (SlBox){{values[0], values[1], values[2]}, {values[3], values[4], values[5]}};
    return values[0] <= values[3] && values[1] <= values[4] && values[2] <= values[5];
}

static int read_options(const CliInput *input, Job *job)
{
    const char *const *value = input->value;
    if (input->word_count != 1)
        return cli_usage_error("measure", "one run folder is needed");
    if (value[O_FRAMES] != NULL &&
        !cli_range(&cli_measure_command, value[O_FRAMES], &job->first, &job->last))
        return EXIT_USAGE;
    if (!cli_threads(&cli_measure_command, value[O_THREADS]))
        return EXIT_USAGE;
    if (value[O_LINK] != NULL) {
        if (!cli_number(&cli_measure_command, "link", value[O_LINK], 0, 10))
            return EXIT_USAGE;
        job->def.link = strtod(value[O_LINK], NULL);
    }
    if (value[O_BOX] != NULL && !read_box(value[O_BOX], &job->def.box))
        return cli_usage_error("measure",
                               "--box takes six numbers, the lower corner first, as in "
                               "-1,0,-0.5,1,0.2,0.5, not \"%.80s\"",
                               value[O_BOX]);
    job->source = input->words[0];
    job->system = value[O_SYSTEM];
    job->has_box = value[O_BOX] != NULL;
    job->turned = value[O_TURNED] != NULL;
    job->quiet = value[O_QUIET] != NULL;
    return -1;
}

/* Into FILE.tmp, which gets its name when it is complete. */
static int measure_into_file(Job *job, const CliInput *input, const char *path)
{
    char temporary[CLI_MAX_BYTES + 16];
    SlError error = {SL_OK, ""};
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    job->to = fopen(temporary, "w");
    SlStatus status = job->to != NULL ? measure_folder(job, input, &error) : SL_OK;
    bool written = job->to != NULL && ferror(job->to) == 0;
    if (job->to != NULL)
        written = fclose(job->to) == 0 && written;
    if (status == SL_OK && (!written || rename(temporary, path) != 0))
        status = cli_error(&error, SL_ERROR_IO, "%.300s: cannot be written: %s", path,
                           strerror(errno));
    if (status != SL_OK && job->to != NULL)
        (void)remove(temporary);
    return status == SL_OK ? EXIT_DONE : cli_fail(&error);
}

static int measure(int count, char **words)
{
    CliInput input;
    Job job = {.last = UINT64_MAX, .def = sl_default_measure_def(), .to = stdout};
    int code = cli_parse(&cli_measure_command, count, words, &input);
    if (code < 0)
        code = read_options(&input, &job);
    if (code < 0)
        cli_catch_interrupts();
    if (code < 0 && input.value[O_OUTPUT] != NULL)
        code = measure_into_file(&job, &input, input.value[O_OUTPUT]);
    if (code < 0) {
        SlError error = {SL_OK, ""};
        code = measure_folder(&job, &input, &error) == SL_OK ? EXIT_DONE : cli_fail(&error);
    }
    cli_input_free(&input);
    return code;
}

const CliCommand cli_measure_command = {
    .name = "measure",
    .arguments = "DIR [options]",
    .summary = "figures of each frame as CSV: pieces, compaction, run-out, energies",
    .examples = "  sleet measure out/double > double.csv\n"
                "  sleet measure out/plough --frames 60 --box 0,0,-0.4,0.5,1,0.4 --turned\n"
                "  sleet measure out/walk --system snow --frames 40-80 -o walk.csv\n",
    .options = options,
    .option_count = O_COUNT,
    .run = measure,
};

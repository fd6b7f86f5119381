/* sleet estimate: memory, disk and time of a run before it is started, from two trials in processes
   of their own. The scene itself for a few seconds gives speed and memory; the whole run with larger
   particles gives how well frames compress once the particles have left their lattice, and with
   emitters how their number changes: it grows until as much drains off as enters, which the first
   seconds do not show. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

enum { MAX_FRAMES = 4096, MIN_TRIAL_FRAMES = 4 };
static const double mib = 1024.0 * 1024, trial_seconds = 4, coarse_trial_seconds = 12;
static const double patience = 4; /* a trial on a loaded machine may take so many times as long */
static const double coarse_particles = 4000;
/* How much larger the particles are where emitters make them: how many there will be is not known,
   and a jet must stay several wide. */
static const double coarse_factor_of_flow = 2;

/* Results of a trial; sent through a pipe. */
typedef struct Trial {
    int code; /* exit code; 0: all that follows is valid */
    double base_bytes, peak_bytes;  /* resident, before the world and the maximum */
    double frame_bytes;             /* mean size of a frame file per particle */
    double checkpoint_bytes;        /* of the last state, per particle */
    double seconds;                 /* of all frames but the first */
    double work;                    /* particles summed over those frames */
    uint64_t frames, every;         /* done; written every */
    uint64_t scene_frames;
    bool emits;
    float count[MAX_FRAMES];       /* particles at each frame */
} Trial;

static double resident_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static double count_particles(SlWorld *world)
{
    const SlFrameView *view = sl_world_view(world);
    double count = 0;
    for (size_t s = 0; s < view->system_count; s++)
        count += (double)view->systems[s].particle_count;
    return count;
}

static double thread_seconds(void)
{
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A trial is over after the same work on a loaded machine as on an idle one: the time that this thread had
   a processor counts, unless that takes too long. */
static bool is_over(double began, double worked, double limit)
{
    return sl_machine_seconds() - began > patience * limit || thread_seconds() - worked > limit;
}

/* One frame of the trial: stepped, written, counted. */
static SlStatus try_frame(SlWorld *world, SlWriter *writer, const char *folder, Trial *trial,
                          SlError *error)
{
    char path[1024];
    double began = sl_machine_seconds();
    SlStatus status = trial->frames > 0 ? sl_world_advance_frame(world, error) : SL_OK;
    double count = count_particles(world);
    uint64_t bytes = sl_writer_bytes(writer);
    snprintf(path, sizeof path, "%s/frame.slf", folder);
    if (status == SL_OK)
        status = sl_writer_frame(writer, path, sl_world_view(world), error);
    if (status != SL_OK)
        return status;
    if (trial->frames > 1) {
        trial->seconds += sl_machine_seconds() - began;
        trial->work += count;
    }
    trial->frame_bytes += (double)(sl_writer_bytes(writer) - bytes) / fmax(count, 1);
    if (trial->frames < MAX_FRAMES)
        trial->count[trial->frames] = (float)count;
    trial->frames++;
    return SL_OK;
}

static SlStatus try_scene(const char *path, CliInput *input, const char *folder, bool coarse,
                          Trial *trial, SlError *error)
{
    SlContext *context = NULL;
    SlScene *scene = NULL;
    SlWorld *world = NULL;
    SlWriter *writer = NULL;
    SlWorldDef def = sl_default_world_def();
    SlWriterDef writer_def = sl_default_writer_def();
    SlStatus status = cli_context(NULL, true, &context, error);
    if (status == SL_OK)
        status = cli_scene(context, path, input, &scene, error);
    trial->base_bytes = resident_peak();
    def.context = context;
    if (status == SL_OK)
        status = sl_scene_build(scene, &def, &world, error);
    if (status == SL_OK)
        status = sl_world_start(world, error);
    if (status == SL_OK) {
        writer_def.quantise = sl_scene_output_quantise(scene);
        trial->every = sl_scene_output_every(scene);
        trial->scene_frames = sl_scene_frames(scene);
        trial->emits = sl_scene_has_emitters(scene);
        status = sl_writer_create(context, &writer_def, &writer, error);
    }
    double began = sl_machine_seconds(), worked = thread_seconds();
    double limit = coarse ? coarse_trial_seconds : trial_seconds;
    uint64_t last = trial->scene_frames + 1 < MAX_FRAMES ? trial->scene_frames + 1 : MAX_FRAMES;
    while (status == SL_OK && trial->frames < last &&
           (trial->frames < MIN_TRIAL_FRAMES || !is_over(began, worked, limit)))
        status = try_frame(world, writer, folder, trial, error);
    const SlStateView *state;
    char file[1024];
    snprintf(file, sizeof file, "%s/frame.slf", folder);
    if (status == SL_OK)
        status = sl_world_state(world, &state, error);
    uint64_t bytes = writer != NULL ? sl_writer_bytes(writer) : 0;
    if (status == SL_OK)
        status = sl_writer_checkpoint(writer, file, state, error);
    if (status == SL_OK) {
        trial->checkpoint_bytes =
            (double)(sl_writer_bytes(writer) - bytes) / fmax(count_particles(world), 1);
        trial->frame_bytes /= (double)trial->frames;
        status = sl_writer_wait(writer, error);
    }
    trial->peak_bytes = resident_peak();
    sl_writer_destroy(writer);
    unlink(file);
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    sl_context_destroy(context);
    return status;
}

/* In a process of its own: peaks of memory are the process's. */
static bool try_in_process(const char *path, CliInput *input, bool coarse, bool report,
                           Trial *trial)
{
    int ends[2];
    char folder[64];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/sleet-estimate-XXXXXX", base != NULL ? base : "/tmp");
    memset(trial, 0, sizeof *trial);
    trial->code = EXIT_FILES;
    if (mkdtemp(folder) == NULL || pipe(ends) != 0)
        return false;
    fflush(stdout);
    double parent_bytes = resident_peak();
    pid_t child = fork();
    if (child == 0) {
        SlError error = {SL_OK, ""};
        /* Pages of the program and its libraries that were read are not mapped again by fork. */
        double program_bytes = fmax(parent_bytes - resident_peak(), 0);
        SlStatus status = try_scene(path, input, folder, coarse, trial, &error);
        trial->base_bytes += program_bytes;
        trial->peak_bytes += program_bytes;
        trial->code = cli_exit_code(status);
        if (status != SL_OK && report)
            cli_fail(&error);
        const char *at = (const char *)trial;
        for (size_t left = sizeof *trial; left > 0;) {
            ssize_t done = write(ends[1], at, left);
            if (done <= 0)
                break;
            at += done;
            left -= (size_t)done;
        }
        _exit(trial->code);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t part = 1; child > 0 && got < sizeof *trial && part > 0; got += (size_t)part) {
        part = read(ends[0], (char *)trial + got, sizeof *trial - got);
        if (part < 0)
            break;
    }
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    rmdir(folder);
    if (got < sizeof *trial)
        trial->code = EXIT_MEMORY;
    return trial->code == EXIT_DONE;
}

/* The same scene with so few particles that the whole run is short. */
static SlStatus coarsen(const char *path, CliInput *input, bool emits, SlError *error)
{
    SlContext *context = NULL;
    SlScene *scene = NULL;
    SlWorld *world = NULL;
    SlWorldDef def = sl_default_world_def();
    SlStatus status = cli_context("1", true, &context, error);
    if (status == SL_OK)
        status = cli_scene(context, path, input, &scene, error);
    def.context = context;
    if (status == SL_OK)
        status = sl_scene_build(scene, &def, &world, error);
    if (status == SL_OK) {
        double count = (double)sl_world_particle_count(world);
        double factor = emits ? coarse_factor_of_flow
                              : fmin(fmax(cbrt(count / coarse_particles), 1), 4);
        const SlFrameView *view = sl_world_view(world);
        for (unsigned s = 0; s < view->system_count; s++) {
            char text[160];
            snprintf(text, sizeof text, "systems[%u].parameters.spacing=%.9g", s,
                     (double)view->systems[s].spacing * factor);
            if (cli_add_set(&cli_estimate_command, text, input) >= 0)
                status = SL_ERROR_MEMORY;
        }
    }
    sl_world_destroy(world);
    sl_scene_destroy(scene);
    sl_context_destroy(context);
    return status;
}

static void print_seconds(double seconds)
{
    if (seconds < 120)
        printf("time: %.0f s\n", seconds);
    else if (seconds < 7200)
        printf("time: %.0f min\n", seconds / 60);
    else
        printf("time: %.1f h\n", seconds / 3600);
}

/* Particles at a frame after the trial's, if their number increases on as in its last quarter. */
static double extrapolate(const Trial *trial, uint64_t frame)
{
    uint64_t last = trial->frames - 1, before = last - last / 4;
    double slope = last > before ? ((double)trial->count[last] - (double)trial->count[before]) /
                                       (double)(last - before)
                                 : 0;
    return (double)trial->count[last] + fmax(slope, 0) * (double)(frame - last);
}

static double count_at(const Trial *trial, uint64_t frame)
{
    return frame < trial->frames ? (double)trial->count[frame] : extrapolate(trial, frame);
}

/* Particles at a frame: of the scene's own trial; after it, with emitters, in proportion to those of
   the trial with larger particles. */
static double expected_count(const Trial *fine, const Trial *coarse, uint64_t frame)
{
    uint64_t last = fine->frames - 1;
    bool known = fine->emits && coarse->code == EXIT_DONE && coarse->frames > fine->frames &&
                 coarse->count[last] > 0;
    if (frame <= last || !known)
        return count_at(fine, frame);
    return count_at(coarse, frame) * ((double)fine->count[last] / (double)coarse->count[last]);
}

static void print_estimate(const Trial *fine, const Trial *coarse)
{
    uint64_t frames = fine->scene_frames;
    double seen = 0, max = 0, sum = 0, frame_bytes = fine->frame_bytes;
    for (uint64_t k = 0; k <= frames; k++) {
        double count = expected_count(fine, coarse, k);
        seen = k < fine->frames ? fmax(seen, count) : seen;
        max = fmax(max, count);
        sum += count;
    }
    double mean = sum / (double)(frames + 1);
    double peak = fine->peak_bytes +
                  (fine->peak_bytes - fine->base_bytes) * (max - seen) / fmax(seen, 1);
    if (coarse->code == EXIT_DONE && !fine->emits)
        frame_bytes = fmax(frame_bytes, coarse->frame_bytes);
    double written = floor((double)frames / (double)fine->every) + 1;
    double disk = mean * frame_bytes * written + 2 * max * fine->checkpoint_bytes;
    double each = fine->work > 0 ? fine->seconds / fine->work : 0;
    printf("particles: %.0f at most\n", max);
    printf("memory: %.1f MiB\n", peak / mib);
    printf("disk: %.1f MiB\n", disk / mib);
    print_seconds(each * mean * (double)frames);
}

enum { O_SET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", true},
};

static int estimate(int count, char **words)
{
    CliInput input;
    SlError error;
    int code = cli_parse(&cli_estimate_command, count, words, &input);
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("estimate", "one scene is needed");
    Trial *fine = calloc(1, sizeof *fine), *coarse = calloc(1, sizeof *coarse);
    if (code < 0 && (fine == NULL || coarse == NULL))
        code = EXIT_MEMORY;
    if (code < 0 && !try_in_process(input.words[0], &input, false, true, fine))
        code = fine->code;
    if (code < 0) {
        coarse->code = EXIT_INPUT;
        bool whole = fine->frames > fine->scene_frames;
        if (!(fine->emits && whole) &&
            coarsen(input.words[0], &input, fine->emits, &error) == SL_OK)
            try_in_process(input.words[0], &input, true, false, coarse);
        print_estimate(fine, coarse);
        code = EXIT_DONE;
    }
    free(fine);
    free(coarse);
    cli_input_free(&input);
    return code;
}

const CliCommand cli_estimate_command = {
    .name = "estimate",
    .arguments = "SCENE [options]",
    .summary = "memory, disk and time a scene will take, from short trials",
    .examples = "  sleet estimate scenes/dam_break.json\n"
                "  sleet estimate scenes/dam_break.json --set "
                "systems.water.parameters.spacing=0.05\n",
    .options = options,
    .option_count = O_COUNT,
    .run = estimate,
};

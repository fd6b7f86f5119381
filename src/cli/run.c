/* sleet run: a scene simulated into a run folder, with checkpoints to resume from. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum {
    O_OUTPUT,
    O_FRAMES,
    O_THREADS,
    O_SET,
    O_SEED,
    O_QUANTISE,
    O_EVERY,
    O_RESUME,
    O_OVERWRITE,
    O_QUIET,
    O_COUNT
};
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "DIR", "run folder: frames, checkpoints, stats.csv, scene.json, "
                                        "run.json (out/NAME)"},
    [O_FRAMES] = {"frames", 'n', "N", "simulate frames 0 to N instead of the scene's"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", true},
    [O_SEED] = {"seed", 0, "N", "the scene's seed"},
    [O_QUANTISE] = {"quantise", 0, NULL, "16 bits per coordinate in frames: half the bytes"},
    [O_EVERY] = {"checkpoint-every", 0, "N|TIME",
                 "frames (10) or time (30s, 5min, 2h) between checkpoints; off (5min)"},
    [O_RESUME] = {"resume", 0, "FRAME",
                  "continue the run in DIR at its last checkpoint, or at that of FRAME;\n"
                  "0: compute missing frames again, keep the others",
                  false, true},
    [O_OVERWRITE] = {"overwrite", 0, NULL,
                     "replace the run in DIR; with --resume, its frames after the checkpoint"},
    [O_QUIET] = {"quiet", 'q', NULL, "print nothing but the state hash"},
};

typedef struct Job {
    SlContext *context;
    SlScene *scene;
    SlRun *run;
    SlRunDef def;
    CliProgress progress;
    SlStepStats last;
    char folder[900];
    uint64_t frames, seed;
    char frames_text[24], seed_text[24]; /* as JSON: no leading zeros */
    bool quiet;
} Job;

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    Job *job = user;
    (void)system;
    job->last = *stats;
    return !cli_interrupted();
}

/* "10", "30s", "5min", "2h" or "off"; false after an error message. */
static bool read_checkpoint_interval(const char *text, SlRunDef *def)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    def->checkpoint_frames = 0;
    def->checkpoint_seconds = 0;
    if (strcmp(text, "off") == 0)
        return true;
    char *end;
    double number = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;
    if (number > 0 && number <= 1e9) {
        for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
            if (strcmp(end, units[k].unit) == 0)
                def->checkpoint_seconds = number * units[k].seconds;
        if (*end == '\0' && number == (double)(uint64_t)number)
            def->checkpoint_frames = (uint64_t)number;
    }
    if (def->checkpoint_seconds > 0 || def->checkpoint_frames > 0)
        return true;
    cli_usage_error("run",
                    "--checkpoint-every takes frames (10), a time (30s, 5min, 2h) or off, not "
                    "\"%.40s\"",
                    text);
    return false;
}

static bool writes_checkpoints(const Job *job)
{
    return job->def.checkpoint_frames > 0 || job->def.checkpoint_seconds > 0;
}

/* --frames and --seed become part of the scene, so that DIR/scene.json repeats the run. They are
   set in a second reading: the first finds the mistakes they would hide. */
static SlStatus read_scene(Job *job, CliInput *input, SlError *error)
{
    SlStatus status = cli_scene(job->context, input->words[0], input, &job->scene, error);
    if (status != SL_OK || (input->value[O_FRAMES] == NULL && input->value[O_SEED] == NULL))
        return status;
    snprintf(job->frames_text, sizeof job->frames_text, "%llu", (unsigned long long)job->frames);
    snprintf(job->seed_text, sizeof job->seed_text, "%llu", (unsigned long long)job->seed);
    if (input->value[O_SEED] != NULL)
        input->sets[input->set_count++] = (SlSceneOverride){"seed", job->seed_text};
    if (input->value[O_FRAMES] != NULL)
        input->sets[input->set_count++] = (SlSceneOverride){"time.frames", job->frames_text};
    sl_scene_destroy(job->scene);
    job->scene = NULL;
    return cli_scene(job->context, input->words[0], input, &job->scene, error);
}

/* The command's folder, else the scene's, else out/ and the scene file's name. */
static void choose_folder(Job *job, const CliInput *input)
{
    char stem[200];
    cli_stem(stem, sizeof stem, input->words[0]);
    if (input->value[O_OUTPUT] != NULL)
        snprintf(job->folder, sizeof job->folder, "%s", input->value[O_OUTPUT]);
    else if (sl_scene_output_folder(job->scene)[0] != '\0')
        snprintf(job->folder, sizeof job->folder, "%s", sl_scene_output_folder(job->scene));
    else
        snprintf(job->folder, sizeof job->folder, "out/%s", stem);
    job->def.folder = job->folder;
}

/* The options that do what the library's message speaks of. */
static void report_choices(const Job *job)
{
    fprintf(stderr, job->def.mode == SL_RUN_NEW
                        ? "-o DIR writes elsewhere, --overwrite replaces the run that is there, --resume "
                          "continues it if the scene is the same\n"
                        : "-o DIR writes elsewhere, --resume --overwrite replaces the frames that are "
                          "there\n");
}

/* The library warned of frames that are missing before the one it resumed at; the option that computes
   them again. */
static void report_missing(const Job *job)
{
    SlRunFolder *folder;
    uint64_t every = sl_scene_output_every(job->scene);
    uint64_t last = sl_run_has_later_frames(job->run) ? job->frames : sl_run_first_frame(job->run);
    if (job->quiet || job->def.mode == SL_RUN_NEW ||
        sl_run_folder_open(job->context, job->folder, &folder, NULL) != SL_OK)
        return;
    size_t count, stored = 0;
    const uint64_t *numbers = sl_run_folder_frames(folder, &count);
    for (size_t k = 0; k < count; k++)
        stored += numbers[k] <= last && numbers[k] % every == 0;
    if (last > 0 && stored < last / every + 1)
        fprintf(stderr, "--resume=0 computes the missing frames again and keeps the others\n");
    sl_run_folder_close(folder);
}

static SlStatus open_run(Job *job, CliInput *input, SlError *error)
{
    SlStatus status = cli_context(input->value[O_THREADS], job->quiet, &job->context, error);
    if (status == SL_OK)
        status = read_scene(job, input, error);
    if (status != SL_OK)
        return status;
    job->frames = sl_scene_frames(job->scene);
    choose_folder(job, input);
    job->def.on_step = on_step;
    job->def.on_step_user = job;
    status = sl_run_open(job->context, job->scene, &job->def, &job->run, error);
    if (status == SL_OK)
        report_missing(job);
    return status;
}

static SlStatus simulate(Job *job, SlError *error)
{
    SlStatus status = SL_OK;
    while (status == SL_OK && !sl_run_is_done(job->run)) {
        status = sl_run_advance(job->run, error);
        if (status == SL_OK && cli_checkpoint_requested())
            status = sl_run_checkpoint(job->run, error);
        if (status != SL_OK)
            break;
        char more[80];
        snprintf(more, sizeof more, "compression %.2f %%, top speed %.3g m/s",
                 100 * job->last.mean_compression, job->last.max_speed);
        cli_progress_show(&job->progress, sl_run_frame(job->run), more);
        if (cli_interrupted() && !sl_run_is_done(job->run))
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by a signal");
    }
    return status;
}

/* Where a run that ended early can be resumed. */
static void report_checkpoint(const Job *job)
{
    SlRunFolder *folder;
    size_t count;
    if (sl_run_folder_open(job->context, job->folder, &folder, NULL) != SL_OK)
        return;
    const uint64_t *numbers = sl_run_folder_checkpoints(folder, &count);
    if (count > 0)
        fprintf(stderr, "the last checkpoint is %s/checkpoint_%06llu.slc; run … --resume continues\n",
                job->folder, (unsigned long long)numbers[count - 1]);
    sl_run_folder_close(folder);
}

static int report_end(const Job *job, SlStatus status, uint64_t frame, bool complete, uint64_t hash,
                      const SlError *error)
{
    if (status == SL_ERROR_CANCELLED) {
        if (!job->quiet)
            fprintf(stderr, "stopped; frames 0 to %llu in %s are complete%s\n",
                    (unsigned long long)frame, job->folder,
                    writes_checkpoints(job) ? "; run … --resume continues" : "");
        return writes_checkpoints(job) ? EXIT_RESUMABLE : EXIT_STOPPED;
    }
    if (status != SL_OK) {
        int code = cli_fail(error);
        if (status == SL_ERROR_EXISTS)
            report_choices(job);
        if (job->run != NULL)
            report_checkpoint(job);
        return code;
    }
    if (complete)
        return EXIT_DONE;
    if (!job->quiet)
        fprintf(stderr, "frames 0 to %llu and stats.csv are in %s\n", (unsigned long long)frame,
                job->folder);
    printf("state hash: %016llx\n", (unsigned long long)hash);
    return EXIT_DONE;
}

static int finish(Job *job, SlStatus status, SlError *error)
{
    cli_progress_end(&job->progress);
    uint64_t frame = 0, hash = 0;
    bool complete = false;
    if (job->run != NULL) {
        SlError close_error;
        frame = sl_run_frame(job->run);
        complete = sl_run_has_later_frames(job->run);
        if (status == SL_OK && !complete)
            hash = sl_world_hash(sl_run_world(job->run));
        SlStatus closed = sl_run_close(job->run, &close_error);
        if (closed != SL_OK && (status == SL_OK || status == SL_ERROR_CANCELLED)) {
            status = closed;
            *error = close_error;
        }
    }
    int code = report_end(job, status, frame, complete, hash, error);
    sl_scene_destroy(job->scene);
    sl_context_destroy(job->context);
    return code;
}

/* The options into the definition; -1, or an exit code. */
static int read_options(Job *job, const CliInput *input)
{
    if (input->word_count != 1)
        return cli_usage_error("run", input->word_count == 0 ? "a scene file is needed"
                                                             : "one scene at a time");
    if (input->value[O_FRAMES] != NULL &&
        !cli_integer(&cli_run_command, "frames", input->value[O_FRAMES], 1, 10000000, &job->frames))
        return EXIT_USAGE;
    if (!cli_threads(&cli_run_command, input->value[O_THREADS]))
        return EXIT_USAGE;
    if (input->value[O_SEED] != NULL && !cli_integer(&cli_run_command, "seed", input->value[O_SEED],
                                                     0, (uint64_t)1 << 53, &job->seed))
        return EXIT_USAGE;
    if (input->value[O_EVERY] != NULL &&
        !read_checkpoint_interval(input->value[O_EVERY], &job->def))
        return EXIT_USAGE;
    const char *resume = input->value[O_RESUME];
    if (resume != NULL)
        job->def.mode = resume[0] != '\0' ? SL_RUN_RESUME_AT : SL_RUN_RESUME;
    if (job->def.mode == SL_RUN_RESUME_AT && !cli_integer(&cli_run_command, "resume", resume, 0,
                                                          10000000, &job->def.resume_frame))
        return EXIT_USAGE;
    job->def.overwrite = input->value[O_OVERWRITE] != NULL;
    job->def.quantise = input->value[O_QUANTISE] != NULL;
    job->quiet = input->value[O_QUIET] != NULL;
    return -1;
}

static int run(int count, char **words)
{
    CliInput input;
    Job job = {.def = sl_default_run_def()};
    int code = cli_parse(&cli_run_command, count, words, &input);
    if (code < 0)
        code = read_options(&job, &input);
    if (code >= 0) {
        cli_input_free(&input);
        return code;
    }
    cli_catch_interrupts();
    cli_catch_hangups();
    cli_catch_checkpoint_request();
    SlError error = {SL_OK, ""};
    SlStatus status = open_run(&job, &input, &error);
    if (status == SL_OK && !sl_run_has_later_frames(job.run)) {
        if (!job.quiet)
            fprintf(stderr, "%s: %llu particles, %llu frames, %u threads, %s path\n",
                    sl_scene_name(job.scene),
                    (unsigned long long)sl_world_particle_count(sl_run_world(job.run)),
                    (unsigned long long)job.frames, sl_context_threads(job.context),
                    sl_context_isa_name(job.context));
        cli_progress_begin(&job.progress, "simulating", job.frames, job.quiet);
        job.progress.first = sl_run_first_frame(job.run);
        status = simulate(&job, &error);
    }
    code = finish(&job, status, &error);
    cli_input_free(&input);
    return code;
}

const CliCommand cli_run_command = {
    .name = "run",
    .arguments = "SCENE [options]",
    .summary = "simulate a scene into a run folder; nothing is replaced without --overwrite",
    .examples = "  sleet run scenes/dam_break.json -o out/dam\n"
                "  sleet run scenes/dam_break.json --frames 60 --threads 2\n"
                "  sleet run scenes/dam_break.json --set systems.water.parameters.iterations=6 "
                "--set gravity[1]=-3.7\n"
                "  sleet run scenes/dam_break.json -o out/dam --resume     after Ctrl-C, a crash, a "
                "full disk\n"
                "  sleet run scenes/dam_break.json -o out/dam --overwrite  anew\n"
                "  sleet run scenes/dam_break.json -o out/dam --checkpoint-every 10\n\n"
                "signals: Ctrl-C, SIGTERM, SIGHUP and SIGPIPE write a checkpoint and end with code "
                "75;\n         SIGUSR1 writes one and the run continues\n",
    .options = options,
    .option_count = O_COUNT,
    .run = run,
};

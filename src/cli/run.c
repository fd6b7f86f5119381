/* sleet run: a scene simulated into a folder of frames, with checkpoints to go on from. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run_folder.h"
#include "core/context.h"
#include "core/timer.h"

enum {
    O_OUTPUT,
    O_FRAMES,
    O_THREADS,
    O_SET,
    O_SEED,
    O_QUANTISE,
    O_EVERY,
    O_RESUME,
    O_QUIET,
    O_COUNT
};
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "DIR", "folder for frames, stats.csv and scene.json (out/NAME)"},
    [O_FRAMES] = {"frames", 'n', "N", "simulate frames 0 to N instead of the scene's"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", true},
    [O_SEED] = {"seed", 0, "N", "the scene's seed"},
    [O_QUANTISE] = {"quantise", 0, NULL, "16 bits per coordinate in frames: half the bytes"},
    [O_EVERY] = {"checkpoint-every", 0, "N|TIME",
                 "frames (10) or time (30s, 5min, 2h) between checkpoints; off (5min)"},
    [O_RESUME] = {"resume", 0, "FRAME", "go on from the folder's last checkpoint, or that one's",
                  false, true},
    [O_QUIET] = {"quiet", 'q', NULL, "print nothing but the state hash"},
};

typedef struct Job {
    SlContext *context;
    SlScene *scene;
    SlWorld *world;
    SlWriter *writer;
    CliStats stats;
    CliProgress progress;
    CliRhythm rhythm;
    SlStepStats last;
    char folder[900];
    int lock;
    uint64_t frames, seed, resume_frame;
    int64_t resumed;    /* the frame it goes on from; -1: from the start */
    char frames_text[24], seed_text[24]; /* as JSON: no leading zeros */
    bool quiet, resume, resume_exact, stats_failed, prune;
} Job;

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    Job *job = user;
    job->last = *stats;
    job->stats_failed =
        !cli_stats_add(&job->stats, sl_system_name(job->world, system), stats);
    return !job->stats_failed && !cli_interrupted();
}

/* Files of an earlier run would mix with ours. */
static void remove_old_files(const Job *job)
{
    cli_folder_remove_after(job->folder, "checkpoint", ".slc", -1);
    long count = cli_folder_remove_after(job->folder, "frame", ".slf", -1);
    if (count > 0 && !job->quiet)
        fprintf(stderr, "replacing %ld frames of an earlier run in %s\n", count, job->folder);
}

static void say_change(void *user, const char *path, const char *was, const char *is)
{
    const Job *job = user;
    if (!job->quiet)
        fprintf(stderr, "changed since: %s: %s → %s\n", path, was, is);
}

/* Says what of the scene changed since. Frames and checkpoints after the one we go on from are then
   of another run; without a change they will be written again as they are. */
static void say_changes(Job *job)
{
    SlScene *was;
    SlError error;
    char path[1024];
    CliInput nothing = {0};
    snprintf(path, sizeof path, "%s/scene.json", job->folder);
    if (cli_scene(job->context, path, &nothing, &was, &error) != SL_OK) {
        if (!job->quiet)
            fprintf(stderr, "warning: the scene of the run so far cannot be compared: %s\n",
                    error.text);
        return;
    }
    size_t changes = sl_scene_compare(was, job->scene, say_change, job);
    sl_scene_destroy(was);
    if (changes > 0) {
        cli_folder_remove_after(job->folder, "frame", ".slf", job->resumed);
        cli_folder_remove_after(job->folder, "checkpoint", ".slc", job->resumed);
    }
}

static void say_where(const Job *job)
{
    if (job->quiet || !job->resume)
        return;
    if (job->resumed < 0)
        fprintf(stderr, "%s has no checkpoint: starting at frame 0\n", job->folder);
    else
        fprintf(stderr, "going on from frame %lld of %llu in %s\n", (long long)job->resumed,
                (unsigned long long)job->frames, job->folder);
}

static SlStatus prepare_folder(Job *job, SlError *error)
{
    cli_folder_sweep(job->folder);
    if (job->resumed < 0)
        remove_old_files(job);
    else
        say_changes(job);
    char path[1024];
    snprintf(path, sizeof path, "%s/scene.json", job->folder);
    const char *text = sl_scene_text(job->scene);
    SlStatus status = sl_file_write(&job->context->file_layer, path, text, strlen(text), error);
    if (status != SL_OK)
        return status;
    return job->resumed < 0
               ? cli_stats_open(&job->stats, job->folder, error)
               : cli_stats_continue(&job->stats, job->context, job->folder, job->world, error);
}

static SlStatus write_frame(Job *job, SlError *error)
{
    char path[1024];
    const SlFrameView *view = sl_world_view(job->world);
    cli_frame_path(path, sizeof path, job->folder, view->frame, ".slf");
    return sl_writer_frame(job->writer, path, view, error);
}

/* Frames before it are on disk before it is: the writer keeps their order. */
static SlStatus write_checkpoint(Job *job, SlError *error)
{
    char path[1024];
    const SlStateView *state;
    SlStatus status = cli_stats_sync(&job->stats, error);
    if (status == SL_OK)
        status = sl_world_state(job->world, &state, error);
    if (status != SL_OK)
        return status;
    cli_checkpoint_path(path, sizeof path, job->folder, state->frame);
    status = sl_writer_checkpoint(job->writer, path, state, error);
    if (status == SL_OK) {
        if (job->prune) /* the one before is on disk */
            cli_checkpoints_prune(job->folder);
        job->rhythm.last = sl_seconds();
        job->prune = true;
    }
    return status;
}

/* After a frame: what is due. Old checkpoints go once the new one has its name. */
static SlStatus keep(Job *job, uint64_t frame, SlError *error)
{
    SlStatus status = SL_OK;
    if (frame % sl_scene_output_every(job->scene) == 0) {
        status = write_frame(job, error);
        if (status == SL_OK && job->prune) {
            cli_checkpoints_prune(job->folder);
            job->prune = false;
        }
    }
    bool wished = cli_checkpoint_requested();
    bool last = frame == job->frames && (job->rhythm.frames > 0 || job->rhythm.seconds > 0);
    if (status == SL_OK && (wished || last || cli_rhythm_due(&job->rhythm, frame)))
        status = write_checkpoint(job, error);
    return status;
}

static SlStatus simulate(Job *job, SlError *error)
{
    uint64_t frame = sl_world_view(job->world)->frame;
    SlStatus status = job->resumed < 0 ? write_frame(job, error) : SL_OK;
    while (status == SL_OK && frame < job->frames) {
        status = sl_world_advance_frame(job->world, error);
        if (status == SL_OK)
            status = keep(job, ++frame, error);
        if (status != SL_OK)
            break;
        char more[80];
        snprintf(more, sizeof more, "compression %.2f %%, top speed %.3g m/s",
                 100 * job->last.mean_compression, job->last.max_speed);
        cli_progress_show(&job->progress, frame, more);
        if (cli_interrupted() && frame < job->frames)
            status = sl_error_set(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    if (status == SL_ERROR_CANCELLED && job->stats_failed)
        status = sl_error_set(error, SL_ERROR_IO, "%.300s: could not be written in full",
                              job->stats.path);
    return status;
}

/* Ends the run on disk: a stopped one with a checkpoint, any one with its last file whole. */
static SlStatus settle(Job *job, SlStatus status, SlError *error)
{
    if (job->writer == NULL)
        return status;
    SlError last = {SL_OK, ""};
    bool checkpoints = job->rhythm.frames > 0 || job->rhythm.seconds > 0;
    if (status == SL_ERROR_CANCELLED && checkpoints)
        last.status = write_checkpoint(job, &last);
    SlError waited = {SL_OK, ""};
    waited.status = sl_writer_wait(job->writer, &waited);
    if (last.status == SL_OK)
        last = waited;
    cli_checkpoints_prune(job->folder);
    if (last.status != SL_OK && (status == SL_OK || status == SL_ERROR_CANCELLED)) {
        status = last.status;
        *error = last;
    }
    return status;
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
static void choose_folder(Job *job, const char *scene_path)
{
    if (job->folder[0] != '\0')
        return;
    char stem[200];
    cli_stem(stem, sizeof stem, scene_path);
    if (sl_scene_output_folder(job->scene)[0] != '\0')
        snprintf(job->folder, sizeof job->folder, "%s", sl_scene_output_folder(job->scene));
    else
        snprintf(job->folder, sizeof job->folder, "out/%s", stem);
}

static SlStatus set_up(Job *job, CliInput *input, SlError *error)
{
    SlStatus status = cli_context(input->value[O_THREADS], job->quiet, &job->context, error);
    if (status == SL_OK)
        status = read_scene(job, input, error);
    if (status != SL_OK)
        return status;
    job->frames = sl_scene_frames(job->scene);
    choose_folder(job, input->words[0]);
    SlWorldDef def = sl_default_world_def();
    def.context = job->context;
    def.on_step = on_step;
    def.on_step_user = job;
    status = sl_scene_build(job->scene, &def, &job->world, error);
    if (status == SL_OK && job->resume && cli_is_folder(job->folder)) {
        status = cli_folder_take(job->folder, &job->lock, error);
        if (status == SL_OK)
            status = cli_checkpoints_resume(job->folder, job->world,
                                            job->resume_exact ? job->resume_frame : job->frames,
                                            job->resume_exact, job->quiet, &job->resumed, error);
    }
    /* The set-up is checked in full before the folder is touched. */
    if (status == SL_OK)
        status = sl_world_start(job->world, error);
    if (status == SL_OK && job->lock < 0)
        status = cli_folder_take(job->folder, &job->lock, error);
    if (status != SL_OK)
        return status;
    say_where(job);
    SlWriterDef writer = sl_default_writer_def();
    writer.quantise =
        input->value[O_QUANTISE] != NULL || sl_scene_output_quantise(job->scene);
    status = sl_writer_create(job->context, &writer, &job->writer, error);
    if (status == SL_OK)
        status = prepare_folder(job, error);
    return status;
}

/* Where a run that ended early can go on from. */
static void say_checkpoint(const Job *job)
{
    uint64_t *numbers;
    long count = cli_list_numbers(job->folder, "checkpoint", ".slc", &numbers);
    if (count > 0)
        fprintf(stderr, "the last checkpoint is %s/checkpoint_%06llu.slc; run … --resume goes on\n",
                job->folder, (unsigned long long)numbers[count - 1]);
    free(numbers);
}

static int say_end(const Job *job, SlStatus status, const SlError *error)
{
    bool checkpoints = job->rhythm.frames > 0 || job->rhythm.seconds > 0;
    if (status == SL_ERROR_CANCELLED) {
        if (!job->quiet)
            fprintf(stderr, "stopped; frames 0 to %llu in %s are whole%s\n",
                    (unsigned long long)sl_world_view(job->world)->frame, job->folder,
                    checkpoints ? "; run … --resume goes on" : "");
        return checkpoints ? EXIT_RESUMABLE : EXIT_STOPPED;
    }
    if (status != SL_OK) {
        int code = cli_fail(error);
        if (job->writer != NULL)
            say_checkpoint(job);
        return code;
    }
    if (!job->quiet)
        fprintf(stderr, "frames 0 to %llu and stats.csv are in %s\n",
                (unsigned long long)job->frames, job->folder);
    printf("state hash: %016llx\n", (unsigned long long)sl_world_hash(job->world));
    return EXIT_DONE;
}

static int finish(Job *job, SlStatus status, SlError *error)
{
    cli_progress_end(&job->progress);
    SlError close_error;
    if (cli_stats_close(&job->stats, &close_error) != SL_OK && status == SL_OK) {
        status = close_error.status;
        *error = close_error;
    }
    int code = say_end(job, status, error);
    sl_writer_destroy(job->writer);
    sl_world_destroy(job->world);
    sl_scene_destroy(job->scene);
    sl_context_destroy(job->context);
    if (job->lock >= 0)
        close(job->lock);
    return code;
}

static int run(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_run_command, count, words, &input);
    Job job = {.quiet = input.value[O_QUIET] != NULL,
               .resume = input.value[O_RESUME] != NULL,
               .lock = -1,
               .resumed = -1};
    uint64_t number;
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("run", input.word_count == 0 ? "a scene file is needed"
                                                            : "one scene at a time");
    if (code < 0 && input.value[O_FRAMES] != NULL &&
        !cli_integer(&cli_run_command, "frames", input.value[O_FRAMES], 1, 10000000, &job.frames))
        code = EXIT_USAGE;
    if (code < 0 && input.value[O_THREADS] != NULL &&
        !cli_integer(&cli_run_command, "threads", input.value[O_THREADS], 1, 256, &number))
        code = EXIT_USAGE;
    if (code < 0 && input.value[O_SEED] != NULL &&
        !cli_integer(&cli_run_command, "seed", input.value[O_SEED], 0, (uint64_t)1 << 53, &job.seed))
        code = EXIT_USAGE;
    const char *every = input.value[O_EVERY] != NULL ? input.value[O_EVERY] : "5min";
    if (code < 0 && !cli_rhythm_read(&cli_run_command, every, &job.rhythm))
        code = EXIT_USAGE;
    job.resume_exact = input.value[O_RESUME] != NULL && input.value[O_RESUME][0] != '\0';
    if (code < 0 && job.resume_exact &&
        !cli_integer(&cli_run_command, "resume", input.value[O_RESUME], 0, 10000000,
                   &job.resume_frame))
        code = EXIT_USAGE;
    if (code >= 0) {
        cli_input_free(&input);
        return code;
    }
    if (input.value[O_OUTPUT] != NULL) {
        snprintf(job.folder, sizeof job.folder, "%s", input.value[O_OUTPUT]);
    }
    cli_catch_interrupts();
    cli_catch_checkpoint_request();
    SlError error = {SL_OK, ""};
    SlStatus status = set_up(&job, &input, &error);
    if (status == SL_OK) {
        if (!job.quiet)
            fprintf(stderr, "%s: %llu particles, %llu frames, %u threads, %s path\n",
                    sl_scene_name(job.scene),
                    (unsigned long long)sl_world_particle_count(job.world),
                    (unsigned long long)job.frames, sl_context_threads(job.context),
                    sl_context_isa_name(job.context));
        cli_progress_begin(&job.progress, "simulating", job.frames, job.quiet);
        job.progress.first = job.resumed > 0 ? (uint64_t)job.resumed : 0;
        status = simulate(&job, &error);
    }
    status = settle(&job, status, &error);
    code = finish(&job, status, &error);
    cli_input_free(&input);
    return code;
}

const CliCommand cli_run_command = {
    .name = "run",
    .arguments = "SCENE [options]",
    .summary = "simulate a scene into a folder of frames",
    .examples = "  sleet run scenes/dam_break.json -o out/dam\n"
                "  sleet run scenes/dam_break.json --frames 60 --threads 2\n"
                "  sleet run scenes/dam_break.json --set systems.water.parameters.iterations=6 "
                "--set gravity[1]=-3.7\n"
                "  sleet run scenes/dam_break.json -o out/dam --resume   after Ctrl-C, a crash, a "
                "full disk\n"
                "  sleet run scenes/dam_break.json -o out/dam --checkpoint-every 10\n",
    .options = options,
    .option_count = O_COUNT,
    .run = run,
};

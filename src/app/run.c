/* sleet run: a scene simulated into a folder of frames. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "core/context.h"

enum { O_OUTPUT, O_FRAMES, O_THREADS, O_SET, O_SEED, O_QUIET, O_COUNT };
static const AppOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "DIR", "folder for frames, stats.csv and scene.json (out/NAME)"},
    [O_FRAMES] = {"frames", 'n', "N", "simulate frames 0 to N instead of the scene's"},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", true},
    [O_SEED] = {"seed", 0, "N", "the scene's seed"},
    [O_QUIET] = {"quiet", 'q', NULL, "print nothing but the state hash"},
};

typedef struct Job {
    SlContext *context;
    SlScene *scene;
    SlWorld *world;
    AppStats stats;
    AppProgress progress;
    SlStepStats last;
    char folder[900];
    uint64_t frames, seed;
    char frames_text[24], seed_text[24]; /* as JSON: no leading zeros */
    bool quiet;
} Job;

static bool on_step(void *user, SlSystemId system, const SlStepStats *stats)
{
    Job *job = user;
    job->last = *stats;
    app_stats_add(&job->stats, sl_world_view(job->world)->systems[system].name, stats);
    return !app_interrupted();
}

/* Frames of an earlier run would mix with ours. */
static void remove_old_frames(const Job *job)
{
    uint64_t *numbers;
    long count = app_list_frames(job->folder, &numbers);
    for (long k = 0; k < count; k++) {
        char path[1024];
        app_frame_path(path, sizeof path, job->folder, numbers[k], ".slf");
        unlink(path);
    }
    free(numbers);
    if (count > 0 && !job->quiet)
        fprintf(stderr, "replacing %ld frames of an earlier run in %s\n", count, job->folder);
}

static SlStatus prepare_folder(Job *job, SlError *error)
{
    SlStatus status = sl_folder_make(job->folder, error);
    if (status != SL_OK)
        return status;
    remove_old_frames(job);
    char path[1024];
    snprintf(path, sizeof path, "%s/scene.json", job->folder);
    const char *text = sl_scene_text(job->scene);
    status = sl_file_write(&job->context->file_layer, path, text, strlen(text), error);
    return status == SL_OK ? app_stats_open(&job->stats, job->folder, error) : status;
}

static SlStatus write_frame(Job *job, SlError *error)
{
    char path[1024];
    const SlFrameView *view = sl_world_view(job->world);
    app_frame_path(path, sizeof path, job->folder, view->frame, ".slf");
    return sl_frame_write(job->context, path, view, error);
}

static SlStatus simulate(Job *job, SlError *error)
{
    SlStatus status = write_frame(job, error);
    for (uint64_t frame = 1; status == SL_OK && frame <= job->frames; frame++) {
        status = sl_world_advance_frame(job->world, error);
        if (status == SL_OK && frame % sl_scene_output_every(job->scene) == 0)
            status = write_frame(job, error);
        if (status != SL_OK)
            break;
        char more[80];
        snprintf(more, sizeof more, "compression %.2f %%, top speed %.3g m/s",
                 100 * job->last.mean_compression, job->last.max_speed);
        app_progress_show(&job->progress, frame, more);
        if (app_interrupted() && frame < job->frames)
            status = sl_error_set(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    return status;
}

/* --frames and --seed become part of the scene, so that DIR/scene.json repeats the run. They are
   set in a second reading: the first finds the mistakes they would hide. */
static SlStatus read_scene(Job *job, AppInput *input, SlError *error)
{
    SlStatus status = app_scene(job->context, input->words[0], input, &job->scene, error);
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
    return app_scene(job->context, input->words[0], input, &job->scene, error);
}

/* The command's folder, else the scene's, else out/ and the scene file's name. */
static void choose_folder(Job *job, const char *scene_path)
{
    if (job->folder[0] != '\0')
        return;
    char stem[200];
    app_stem(stem, sizeof stem, scene_path);
    if (sl_scene_output_folder(job->scene)[0] != '\0')
        snprintf(job->folder, sizeof job->folder, "%s", sl_scene_output_folder(job->scene));
    else
        snprintf(job->folder, sizeof job->folder, "out/%s", stem);
}

static SlStatus set_up(Job *job, AppInput *input, SlError *error)
{
    SlStatus status = app_context(input->value[O_THREADS], job->quiet, &job->context, error);
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
    /* The set-up is checked in full before the folder is touched. */
    if (status == SL_OK)
        status = sl_world_start(job->world, error);
    if (status == SL_OK)
        status = prepare_folder(job, error);
    return status;
}

static int finish(Job *job, SlStatus status, SlError *error)
{
    app_progress_end(&job->progress);
    SlError close_error;
    if (app_stats_close(&job->stats, &close_error) != SL_OK && status == SL_OK) {
        status = close_error.status;
        *error = close_error;
    }
    int code = EXIT_DONE;
    if (status == SL_ERROR_CANCELLED) {
        if (!job->quiet)
            fprintf(stderr, "stopped; frames 0 to %llu in %s are whole\n",
                    (unsigned long long)sl_world_view(job->world)->frame, job->folder);
        code = EXIT_STOPPED;
    } else if (status != SL_OK) {
        code = app_fail(error);
    } else {
        if (!job->quiet)
            fprintf(stderr, "frames 0 to %llu and stats.csv are in %s\n",
                    (unsigned long long)job->frames, job->folder);
        printf("state hash: %016llx\n", (unsigned long long)sl_world_hash(job->world));
    }
    sl_world_destroy(job->world);
    sl_scene_destroy(job->scene);
    sl_context_destroy(job->context);
    return code;
}

static int run(int count, char **words)
{
    AppInput input;
    int code = app_parse(&app_run_command, count, words, &input);
    Job job = {.quiet = input.value[O_QUIET] != NULL};
    uint64_t number;
    if (code < 0 && input.word_count != 1)
        code = app_usage_error("run", input.word_count == 0 ? "a scene file is needed"
                                                            : "one scene at a time");
    if (code < 0 && input.value[O_FRAMES] != NULL &&
        !app_whole(&app_run_command, "frames", input.value[O_FRAMES], 1, 10000000, &job.frames))
        code = EXIT_USAGE;
    if (code < 0 && input.value[O_THREADS] != NULL &&
        !app_whole(&app_run_command, "threads", input.value[O_THREADS], 1, 256, &number))
        code = EXIT_USAGE;
    if (code < 0 && input.value[O_SEED] != NULL &&
        !app_whole(&app_run_command, "seed", input.value[O_SEED], 0, (uint64_t)1 << 53, &job.seed))
        code = EXIT_USAGE;
    if (code >= 0) {
        app_input_free(&input);
        return code;
    }
    if (input.value[O_OUTPUT] != NULL) {
        snprintf(job.folder, sizeof job.folder, "%s", input.value[O_OUTPUT]);
    }
    app_catch_interrupts();
    SlError error = {SL_OK, ""};
    SlStatus status = set_up(&job, &input, &error);
    if (status == SL_OK) {
        if (!job.quiet)
            fprintf(stderr, "%s: %llu particles, %llu frames, %u threads, %s path\n",
                    sl_scene_name(job.scene),
                    (unsigned long long)sl_world_particle_count(job.world),
                    (unsigned long long)job.frames, sl_context_threads(job.context),
                    sl_context_isa_name(job.context));
        app_progress_begin(&job.progress, "simulating", job.frames, job.quiet);
        status = simulate(&job, &error);
    }
    code = finish(&job, status, &error);
    app_input_free(&input);
    return code;
}

const AppCommand app_run_command = {
    .name = "run",
    .arguments = "SCENE [options]",
    .summary = "simulate a scene into a folder of frames",
    .examples = "  sleet run scenes/dam_break.json -o out/dam\n"
                "  sleet run scenes/dam_break.json --frames 60 --threads 2\n"
                "  sleet run scenes/dam_break.json --set systems.water.parameters.iterations=6 "
                "--set gravity[1]=-3.7\n",
    .options = options,
    .option_count = O_COUNT,
    .run = run,
};

/* sleet demo: a scene of scenes/ simulated and drawn in one go, for the first look. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/draw.h"

enum { O_OUTPUT, O_FRAMES, O_SET, O_THREADS, O_LIST, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "DIR", "folder for the picture and the video (out/demo)"},
    [O_FRAMES] = {"frames", 'n', "N", "show frames 0 to N instead of the scene's"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", true},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_LIST] = {"list", 'l', NULL, "list the scenes there are"},
};

/* The folder of scenes: beside the working folder, or beside the program. */
static bool find_scenes(char *folder, size_t size)
{
    sl_program_file("../scenes", folder, size);
    if (!sl_folder_exists(folder))
        sl_program_file("../share/sleet/scenes", folder, size);
    if (!sl_folder_exists(folder))
        snprintf(folder, size, "scenes");
    return sl_folder_exists(folder);
}

enum { MAX_SCENES = 256 };
typedef struct Scenes {
    char stem[MAX_SCENES][64];
    const char *name[MAX_SCENES]; /* each points to its stem */
    size_t count;
} Scenes;

static int is_scene(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".json") == 0;
}

static void read_scenes(const char *folder, Scenes *scenes)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_scene, alphasort);
    scenes->count = 0;
    for (int k = 0; k < count; k++) {
        if (scenes->count < MAX_SCENES) {
            size_t at = scenes->count++;
            cli_stem(scenes->stem[at], sizeof scenes->stem[at], entries[k]->d_name);
            scenes->name[at] = scenes->stem[at];
        }
        free(entries[k]);
    }
    if (count >= 0)
        free(entries);
}

static int list_scenes(const char *folder)
{
    Scenes scenes;
    read_scenes(folder, &scenes);
    for (size_t k = 0; k < scenes.count; k++)
        printf("%s\n", scenes.name[k]);
    return EXIT_DONE;
}

static int unknown_scene(const char *folder, const char *name)
{
    Scenes scenes;
    read_scenes(folder, &scenes);
    const char *near = sl_nearest_name(name, scenes.name, scenes.count);
    return cli_usage_error("demo", "there is no demo \"%.40s\"%s%s%s; see sleet demo --list",
                           name, near != NULL ? "; did you mean \"" : "",
                           near != NULL ? near : "", near != NULL ? "\"?" : "");
}

typedef struct Job {
    SlContext *context;
    SlScene *scene;
    SlWorld *world;
    CliDrawing drawing;
    CliProgress progress;
    uint64_t frames, picture;
    char picture_path[1024];
} Job;

static SlStatus set_up(Job *job, const CliInput *input, const char *path, const char *folder,
                       SlError *error)
{
    SlStatus status = cli_context(input->value[O_THREADS], CLI_LOG_WARNINGS, &job->context, error);
    if (status == SL_OK)
        status = cli_scene(job->context, path, input, &job->scene, error);
    if (status != SL_OK)
        return status;
    if (input->value[O_FRAMES] == NULL)
        job->frames = sl_scene_frames(job->scene);
    /* By then the wave of a dam break has come back from the wall and turned over. */
    job->picture = 4 * job->frames / 5;
    SlWorldDef def = sl_default_world_def();
    def.context = job->context;
    def.on_step = cli_continue_step;
    status = sl_scene_build(job->scene, &def, &job->world, error);
    if (status == SL_OK)
        status = sl_world_start(job->world, error);
    char video[1024];
    snprintf(video, sizeof video, "%s/video.mp4", folder);
    if (status == SL_OK)
        status = cli_drawing_open(&job->drawing, job->context, job->scene,
                                  &(CliDrawingOutput){.folder = folder, .video_path = video}, error);
    return status;
}

static SlStatus play(Job *job, SlError *error)
{
    SlStatus status = SL_OK;
    for (uint64_t frame = 0; status == SL_OK && frame <= job->frames; frame++) {
        if (frame > 0)
            status = sl_world_advance_frame(job->world, error);
        /* Frame 0 and 1 … N are N + 1 pictures; the video holds N, its length is N / rate. */
        if (status == SL_OK && frame < job->frames)
            status = cli_drawing_add(&job->drawing, job->scene, sl_world_view(job->world),
                                     frame == job->picture, error);
        if (frame == job->picture)
            memcpy(job->picture_path, job->drawing.last_png, sizeof job->picture_path);
        cli_progress_show(&job->progress, frame, "");
        if (status == SL_OK && cli_interrupted())
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    return status;
}

static int finish(Job *job, SlStatus status, double seconds, SlError *error)
{
    cli_progress_end(&job->progress);
    bool keep = status == SL_OK || status == SL_ERROR_CANCELLED;
    bool film = job->drawing.video != NULL;
    SlError close_error;
    SlStatus closed = cli_drawing_close(&job->drawing, keep, &close_error);
    if (status == SL_OK && closed != SL_OK) {
        status = closed;
        *error = close_error;
    }
    int code = EXIT_DONE;
    if (status == SL_ERROR_CANCELLED) {
        fprintf(stderr, "stopped; %llu frames drawn\n", (unsigned long long)job->drawing.drawn);
        code = EXIT_STOPPED;
    } else if (status != SL_OK)
        code = cli_fail(error);
    else
        fprintf(stderr, "done in %.0f s\n", seconds);
    if (keep && job->picture_path[0] != '\0')
        printf("picture: %s\n", job->picture_path);
    if (keep && film && closed == SL_OK)
        printf("video:   %s\n", job->drawing.video_path);
    else if (keep && job->drawing.drawn > 0 && !film)
        printf("frames:  %s\n", job->drawing.folder);
    sl_world_destroy(job->world);
    sl_scene_destroy(job->scene);
    sl_context_destroy(job->context);
    return code;
}

static int demo_of(const CliInput *input, const char *scenes, Job *job)
{
    const char *name = input->word_count > 0 ? input->words[0] : "dam_break";
    char path[1024], folder[900];
    if (strchr(name, '/') != NULL || strstr(name, ".json") != NULL)
        snprintf(path, sizeof path, "%s", name);
    else {
        snprintf(path, sizeof path, "%.700s/%.200s.json", scenes, name);
        if (access(path, F_OK) != 0)
            return unknown_scene(scenes, name);
    }
    snprintf(folder, sizeof folder, "%s",
             input->value[O_OUTPUT] != NULL ? input->value[O_OUTPUT] : "out/demo");
    SlError error = {SL_OK, ""};
    double began = sl_machine_seconds();
    cli_catch_interrupts();
    SlStatus status = set_up(job, input, path, folder, &error);
    if (status == SL_OK) {
        fprintf(stderr, "%s: %llu particles, %llu frames, %u threads\n", sl_scene_name(job->scene),
                (unsigned long long)sl_world_particle_count(job->world),
                (unsigned long long)job->frames, sl_context_threads(job->context));
        cli_progress_begin(&job->progress, "simulating and drawing", job->frames, false);
        status = play(job, &error);
    }
    return finish(job, status, sl_machine_seconds() - began, &error);
}

static int demo(int count, char **words)
{
    CliInput input;
    Job job = {0};
    char scenes[800];
    int code = cli_parse(&cli_demo_command, count, words, &input);
    if (code < 0 && input.word_count > 1)
        code = cli_usage_error("demo", "one scene at a time");
    if (code < 0 && input.value[O_FRAMES] != NULL &&
        !cli_integer(&cli_demo_command, "frames", input.value[O_FRAMES], 1, 10000000, &job.frames))
        code = EXIT_USAGE;
    if (code < 0 && !cli_threads(&cli_demo_command, input.value[O_THREADS]))
        code = EXIT_USAGE;
    if (code < 0 && !find_scenes(scenes, sizeof scenes)) {
        fprintf(stderr, "sleet: no folder \"scenes\" beside the program or here\n");
        code = EXIT_FILES;
    }
    if (code < 0)
        code = input.value[O_LIST] != NULL ? list_scenes(scenes) : demo_of(&input, scenes, &job);
    cli_input_free(&input);
    return code;
}

const CliCommand cli_demo_command = {
    .name = "demo",
    .arguments = "[NAME] [options]",
    .summary = "simulate and draw a scene for a first look",
    .examples = "  sleet demo\n"
                "  sleet demo --list\n"
                "  sleet demo dam_break_small --frames 120 -o out/small\n",
    .options = options,
    .option_count = O_COUNT,
    .run = demo,
};

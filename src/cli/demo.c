/* sleet demo: a scene simulated and drawn in one go, for the first look. The demos of the table below have a
   size that ends with a picture within five minutes on two cores; any scene of scenes/ can be shown too. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/draw.h"

enum { O_OUTPUT, O_FRAMES, O_SET, O_THREADS, O_LIST, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "DIR", "folder for the picture and the video (out/demo)"},
    [O_FRAMES] = {"frames", 'n', "N", "show frames 0 to N instead of the demo's or scene's"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene; may be repeated", true},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_LIST] = {"list", 'l', NULL, "list the demos and scenes there are"},
};

enum { MAX_DEMO_SETS = 8 };
typedef struct Demo {
    const char *name;
    const char *scene; /* below the folder of scenes */
    const char *meaning;
    uint64_t frames, picture; /* the last frame, and which one becomes the picture */
    const char *style;        /* of the video; NULL: the scene's */
    bool final;               /* the picture is path traced */
    const char *sets[MAX_DEMO_SETS + 1]; /* as of --set, which come after them; ends with NULL */
} Demo;

static const Demo demos[] = {
    {"water", "dam_break.json", "a dam breaks, drawn as water (the default)", 300, 240, "water", false,
     {NULL}},
    {"adaptive", "papers/apbf/dam_216k.json",
     "a dam breaks by adaptive iterations; the colour is their number", 120, 90, "particles", false,
     {"render.color_by=level", "render.color_map=turbo", "render.color_min=3", "render.color_max=6",
      "render.width=960", "render.height=540"}},
    {"squirrel", "squirrel.json", "a wave breaks over a squirrel, drawn as water", 120, 75, "water",
     false, {"render.width=960", "render.height=540"}},
    {"snowball", "showcase/snowball.json", "a snowball breaks on the ground; path traced picture", 20,
     16, "particles", true,
     {"systems.snow.parameters.spacing=0.0049", "render.samples=12", "render.width=960",
      "render.height=540", "render.domain=false"}},
    {"snowman", "papers/snow/snowman.json",
     "a snowball rolls down a slope and hits a snowman; path traced picture", 70, 56, "particles", true,
     {"systems.snow.parameters.spacing=0.03", "render.samples=12", "render.width=960",
      "render.height=540", "render.domain=false"}},
    {"plough", "papers/snow/plough.json", "a blade ploughs through snow; path traced picture", 84, 66,
     "particles", true,
     {"systems.snow.parameters.spacing=0.047", "render.samples=12", "render.width=960",
      "render.height=540"}},
};
enum { DEMOS = sizeof demos / sizeof demos[0] };

static const Demo *find_demo(const char *name)
{
    for (int k = 0; k < DEMOS; k++)
        if (strcmp(demos[k].name, name) == 0)
            return &demos[k];
    return NULL;
}

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

static int list_demos(const char *folder)
{
    Scenes scenes;
    read_scenes(folder, &scenes);
    for (int k = 0; k < DEMOS; k++)
        printf("%-9s %s\n", demos[k].name, demos[k].meaning);
    printf("\nscenes of %s, in their own size:\n", folder);
    for (size_t k = 0; k < scenes.count; k++)
        if (find_demo(scenes.name[k]) == NULL)
            printf("%s\n", scenes.name[k]);
    return EXIT_DONE;
}

static int unknown_demo(const char *folder, const char *name)
{
    const char *names[DEMOS + MAX_SCENES];
    Scenes scenes;
    read_scenes(folder, &scenes);
    for (int k = 0; k < DEMOS; k++)
        names[k] = demos[k].name;
    memcpy(names + DEMOS, scenes.name, scenes.count * sizeof *names);
    const char *near = sl_nearest_name(name, names, DEMOS + scenes.count);
    return cli_usage_error("demo", "there is no demo \"%.40s\"%s%s%s; see sleet demo --list",
                           name, near != NULL ? "; did you mean \"" : "",
                           near != NULL ? near : "", near != NULL ? "\"?" : "");
}

/* The demo's values go before those of the command line, which may change them. */
static int add_demo_sets(const Demo *demo, CliInput *input)
{
    CliInput given = *input;
    input->set_count = 0;
    for (size_t k = 0; demo->sets[k] != NULL; k++) {
        int code = cli_add_set(&cli_demo_command, demo->sets[k], input);
        if (code >= 0)
            return code;
    }
    for (size_t k = 0; k < given.set_count; k++) {
        input->set_storage[input->set_count] = given.set_storage[k];
        input->sets[input->set_count++] = given.sets[k];
    }
    return -1;
}

typedef struct Job {
    SlContext *context;
    SlScene *scene;
    SlWorld *world;
    const Demo *demo; /* NULL: a scene in its own size */
    CliDrawing drawing;
    CliDrawing still; /* the path traced picture; its renderer is NULL where there is none */
    CliProgress progress;
    uint64_t frames, picture;
    char picture_path[1024];
} Job;

static SlStatus open_drawings(Job *job, const char *folder, SlError *error)
{
    char video[1024], still[1024];
    snprintf(video, sizeof video, "%s/video.mp4", folder);
    snprintf(still, sizeof still, "%s/final_%%06d.png", folder);
    const CliDrawingOutput outputs[] = {
        {.folder = folder,
         .video_path = video,
         .style = job->demo != NULL ? job->demo->style : NULL},
        {.folder = folder, .pattern = still, .style = "final"},
    };
    SlStatus status =
        cli_drawing_open(&job->drawing, job->context, job->scene, &outputs[0], error);
    if (status == SL_OK && job->demo != NULL && job->demo->final)
        status = cli_drawing_open(&job->still, job->context, job->scene, &outputs[1], error);
    return status;
}

static SlStatus set_up(Job *job, const CliInput *input, const char *path, const char *folder,
                       SlError *error)
{
    SlStatus status = cli_context(input->value[O_THREADS], CLI_LOG_WARNINGS, &job->context, error);
    if (status == SL_OK)
        status = cli_scene(job->context, path, input, &job->scene, error);
    if (status != SL_OK)
        return status;
    const Demo *demo = job->demo;
    if (input->value[O_FRAMES] == NULL)
        job->frames = demo != NULL ? demo->frames : sl_scene_frames(job->scene);
    /* By then the wave of a dam break has come back from the wall and turned over. */
    job->picture = 4 * job->frames / 5;
    if (demo != NULL && demo->picture < job->frames)
        job->picture = demo->picture;
    SlWorldDef def = sl_default_world_def();
    def.context = job->context;
    def.on_step = cli_continue_step;
    status = sl_scene_build(job->scene, &def, &job->world, error);
    if (status == SL_OK)
        status = sl_world_start(job->world, error);
    return status == SL_OK ? open_drawings(job, folder, error) : status;
}

/* The frame for the video, and the picture where it is that frame. */
static SlStatus draw_frame(Job *job, uint64_t frame, SlError *error)
{
    const SlFrameView *view = sl_world_view(job->world);
    bool picture = frame == job->picture, final = job->demo != NULL && job->demo->final;
    SlStatus status =
        cli_drawing_add(&job->drawing, job->scene, view, picture && !final, error);
    if (status == SL_OK && final && frame + 1 == job->picture)
        status = cli_drawing_pass(&job->still, view, error);
    if (status != SL_OK || !picture)
        return status;
    if (final) {
        cli_progress_watch(&job->progress); /* it takes longer than all other frames */
        status = cli_drawing_add(&job->still, job->scene, view, true, error);
        cli_progress_watch(NULL);
    }
    if (status == SL_OK)
        memcpy(job->picture_path, (final ? &job->still : &job->drawing)->last_png,
               sizeof job->picture_path);
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
            status = draw_frame(job, frame, error);
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
    (void)cli_drawing_close(&job->still, keep, NULL); /* has no video: cannot fail */
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

static int demo_of(CliInput *input, const char *scenes, Job *job)
{
    const char *name = input->word_count > 0 ? input->words[0] : demos[0].name;
    char path[1024], folder[900];
    job->demo = find_demo(name);
    if (strchr(name, '/') != NULL || strstr(name, ".json") != NULL)
        snprintf(path, sizeof path, "%s", name);
    else if (job->demo != NULL)
        snprintf(path, sizeof path, "%.700s/%.200s", scenes, job->demo->scene);
    else {
        snprintf(path, sizeof path, "%.700s/%.200s.json", scenes, name);
        if (access(path, F_OK) != 0)
            return unknown_demo(scenes, name);
    }
    int code = job->demo != NULL ? add_demo_sets(job->demo, input) : -1;
    if (code >= 0)
        return code;
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
        code = cli_usage_error("demo", "one demo at a time");
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
        code = input.value[O_LIST] != NULL ? list_demos(scenes) : demo_of(&input, scenes, &job);
    cli_input_free(&input);
    return code;
}

const CliCommand cli_demo_command = {
    .name = "demo",
    .arguments = "[NAME] [options]",
    .summary = "simulate and draw a scene for a first look",
    .examples = "  sleet demo                     the demo water\n"
                "  sleet demo --list\n"
                "  sleet demo snowball -o out/snowball\n"
                "  sleet demo dam_break_small --frames 120 -o out/small\n",
    .options = options,
    .option_count = O_COUNT,
    .run = demo,
};

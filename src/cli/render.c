/* sleet render: pictures and video from a folder of frames, or from a scene simulated on the way. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/draw.h"

enum { O_OUTPUT, O_STYLE, O_FRAMES, O_SIZE, O_REGION, O_CAMERA, O_SAMPLES, O_NOISE, O_TIME_LIMIT,
       O_DENOISE, O_SET, O_THREADS, O_PNG, O_NO_VIDEO, O_FOLLOW, O_QUIET, O_COUNT };
static const CliOption options[O_COUNT] = {
    [O_OUTPUT] = {"output", 'o', "PATH",
                  "a folder for pictures and video.mp4 (DIR/render, out/NAME), or a file:\n"
                  ".mp4 or .webm for a video, .png or .exr for a picture; %d or %06d is the frame"},
    [O_STYLE] = {"style", 0, "NAME",
                 "final (path traced), water, particles, or auto: water where there is a liquid\n"
                 "(the scene's, auto)"},
    [O_FRAMES] = {"frames", 'n', "K|A-B", "one frame, as a picture, or a range (default: all)"},
    [O_SIZE] = {"size", 0, "WxH", "size of the pictures in pixels (1280x720)"},
    [O_REGION] = {"region", 0, "X,Y,W,H", "only this part of the picture, in pixels from the upper left corner"},
    [O_CAMERA] = {"camera", 'c', "NAME", "a camera of the scene (default: the first)"},
    [O_SAMPLES] = {"samples", 0, "N", "final: paths per pixel, at most (24 for snow, 40 for the rest; 65536 with --noise or\n--time-limit)"},
    [O_NOISE] = {"noise", 0, "X", "final: done at this relative error of a pixel, e.g. 0.05"},
    [O_TIME_LIMIT] = {"time-limit", 0, "S", "final: done after S seconds a picture"},
    [O_DENOISE] = {"denoise", 0, "NAME",
                   "final: oidn (Open Image Denoise), filter, none, or auto: oidn where it is\n"
                   "installed, else filter (auto)"},
    [O_SET] = {"set", 's', "PATH=VALUE", "change any value of the scene, e.g. render.width=640",
               true},
    [O_THREADS] = {"threads", 't', "N", "threads (default: one per processor)"},
    [O_PNG] = {"png", 'p', NULL, "also write every frame as a PNG"},
    [O_NO_VIDEO] = {"no-video", 0, NULL, "pictures only"},
    [O_FOLLOW] = {"follow", 'f', NULL, "wait for the frames of a run in progress; ends when it does"},
    [O_QUIET] = {"quiet", 'q', NULL, "print only what was written"},
};

typedef struct Job {
    SlContext *context;
    SlScene *scene;
    SlWorld *world;        /* when the source is a scene */
    const char *camera_name;
    size_t camera_index;    /* of it in the scene */
    SlCamera camera;        /* of the last frame that was drawn: the frame's is gone by then */
    bool frame_cameras; /* as stored; else --set changed the scene's */
    const char *source;
    bool from_folder, quiet, follow;
    uint64_t first, last;
    SlPixelRegion region; /* zero: all of the picture */
    uint64_t broken; /* frames that were left out */
    SlRunFolder *folder; /* when it is a run folder */
    CliDrawing drawing;
    CliProgress progress;
} Job;

/* The camera of a frame: where the frame has it, or where the changed scene has it at that time. */
static void aim(Job *job, const SlFrameView *view)
{
    const SlCamera *camera = NULL;
    if (job->frame_cameras && view->camera_count > 0)
        camera = job->camera_name != NULL ? sl_view_camera(view, job->camera_name) : view->cameras;
    job->camera = camera != NULL ? *camera
                                 : sl_scene_camera_at(job->scene, job->camera_index, view->time);
    job->drawing.camera = &job->camera;
}

static SlStatus draw_stored(Job *job, uint64_t number, SlError *error)
{
    SlFrame *frame;
    SlStatus status = sl_run_folder_read_frame(job->folder, number, &frame, error);
    if (status == SL_ERROR_PARSE) { /* a damaged file: the others are drawn */
        cli_damaged_frame(error, "");
        job->broken++;
        return SL_OK;
    }
    if (status != SL_OK)
        return status;
    const SlFrameView *view = sl_frame_view(frame);
    aim(job, view);
    status = cli_drawing_add(&job->drawing, job->scene, view, false, error);
    sl_frame_destroy(frame);
    return status;
}

/* Draws the frames that are there and were not drawn yet; *next is the first of the others. */
static SlStatus draw_listed(Job *job, uint64_t *next, uint64_t *done, SlError *error)
{
    SlStatus status = SL_OK;
    size_t count;
    const uint64_t *numbers = sl_run_folder_frames(job->folder, &count);
    for (size_t k = 0; status == SL_OK && k < count; k++) {
        if (numbers[k] < *next || numbers[k] > job->last)
            continue;
        status = draw_stored(job, numbers[k], error);
        *next = numbers[k] + 1;
        cli_progress_show(&job->progress, ++*done, "");
        if (status == SL_OK && cli_interrupted())
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    return status;
}

/* Frames under their names are complete also while a run writes. A run in progress holds the folder's
   lock; one that ended has left all its frames before it let go of it. */
static SlStatus draw_folder(Job *job, SlError *error)
{
    enum { GRACE = 10 }; /* looks without a lock before the run is taken to be over: 2 s */
    uint64_t done = 0, next = job->first, every = sl_scene_output_every(job->scene);
    SlStatus status = SL_OK;
    for (int free_looks = 0; status == SL_OK;) {
        status = draw_listed(job, &next, &done, error);
        if (status != SL_OK || !job->follow || next > job->last / every * every)
            return status;
        if (cli_interrupted())
            return cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
        const struct timespec pause = {.tv_nsec = 200000000};
        free_looks = sl_run_folder_is_locked(job->folder) ? 0 : free_looks + 1;
        if (free_looks > GRACE)
            return cli_error(error, SL_ERROR_IO,
                             "%.300s: its run has ended without the frames from %llu to %llu; "
                             "run --resume continues it",
                             job->source, (unsigned long long)next, (unsigned long long)job->last);
        nanosleep(&pause, NULL);
        status = sl_run_folder_refresh(job->folder, error);
    }
    return status;
}

static SlStatus draw_scene(Job *job, SlError *error)
{
    SlStatus status = SL_OK;
    bool warm = true;
    for (uint64_t frame = 0; status == SL_OK && frame <= job->last; frame++) {
        if (frame > 0)
            status = sl_world_advance_frame(job->world, error);
        const SlFrameView *view = sl_world_view(job->world);
        if (status == SL_OK && frame >= job->first) {
            aim(job, view);
            status = cli_drawing_add(&job->drawing, job->scene, view, false, error);
        }
        else if (status == SL_OK && warm)
            status = cli_drawing_warm(&job->drawing, job->scene, view, &warm, error);
        cli_progress_show(&job->progress, frame, "");
        if (status == SL_OK && cli_interrupted())
            status = cli_error(error, SL_ERROR_CANCELLED, "stopped by the user");
    }
    return status;
}

/* What the folder or scene offers of the frames asked for. */
static SlStatus choose_frames(Job *job, SlError *error)
{
    if (!job->from_folder) {
        uint64_t end = sl_scene_frames(job->scene);
        if (job->last == UINT64_MAX)
            job->last = end;
        return SL_OK;
    }
    if (job->follow) { /* those still to come count too */
        uint64_t end = sl_scene_frames(job->scene);
        job->last = job->last < end ? job->last : end;
        job->progress.total = job->last < job->first ? 0 : job->last - job->first + 1;
        return SL_OK;
    }
    CliFrames frames = {NULL, 0};
    SlStatus status = cli_frames(job->folder, job->source, job->first, job->last, &frames, error);
    if (status == SL_OK && job->last == UINT64_MAX)
        job->last = frames.numbers[frames.count - 1];
    job->progress.total = frames.count;
    return status;
}

/* What --output asks for: a video, pictures by a pattern, or a folder with both. */
static SlStatus open_drawing(Job *job, const CliInput *input, SlError *error)
{
    char folder[900], video[1024];
    const char *given = input->value[O_OUTPUT];
    bool single = job->first == job->last, png = input->value[O_PNG] != NULL;
    CliDrawingOutput output = {.style = input->value[O_STYLE], .run = job->folder, .region = job->region};
    if (given != NULL && (cli_ends_in(given, ".mp4") || cli_ends_in(given, ".webm"))) {
        output.video_path = given;
    } else if (given != NULL && (cli_ends_in(given, ".png") || cli_ends_in(given, ".exr"))) {
        if (!single && !cli_has_number(given))
            return cli_error(error, SL_ERROR_ARGUMENT,
                             "%.300s: several frames need a name with %%d or %%06d for the frame's "
                             "number; --frames K draws one",
                             given);
        output.pattern = given;
        output.every_png = true;
    } else {
        char stem[200];
        cli_stem(stem, sizeof stem, job->source);
        if (given != NULL)
            snprintf(folder, sizeof folder, "%s", given);
        else if (job->from_folder)
            snprintf(folder, sizeof folder, "%.880s/render", job->source);
        else
            snprintf(folder, sizeof folder, "out/%s", stem);
        snprintf(video, sizeof video, "%s/video.mp4", folder);
        output.folder = folder;
        output.video_path = !single && input->value[O_NO_VIDEO] == NULL ? video : NULL;
        output.every_png = png || output.video_path == NULL;
    }
    if (output.folder == NULL && output.pattern == NULL && png)
        return cli_error(error, SL_ERROR_ARGUMENT,
                         "--png needs a folder or a pattern for the pictures; %.300s is a video",
                         given);
    return cli_drawing_open(&job->drawing, job->context, job->scene, &output, error);
}

static SlStatus set_up(Job *job, const CliInput *input, SlError *error)
{
    char scene_path[1024];
    job->from_folder = sl_folder_exists(job->source);
    snprintf(scene_path, sizeof scene_path, job->from_folder ? "%s/scene.json" : "%s",
             job->source);
    SlStatus status = cli_context(input->value[O_THREADS],
                                  job->quiet ? CLI_LOG_NOTHING : CLI_LOG_WARNINGS, &job->context, error);
    if (status == SL_OK && job->from_folder) {
        size_t count = 0;
        status = sl_run_folder_open(job->context, job->source, &job->folder, error);
        if (status == SL_OK)
            (void)sl_run_folder_frames(job->folder, &count);
        if (status == SL_OK && count == 0)
            status = cli_error(error, SL_ERROR_IO,
                               "%.300s: holds no frames; sleet run SCENE -o DIR writes them",
                               job->source);
    }
    if (status == SL_OK)
        status = cli_scene(job->context, scene_path, input, &job->scene, error);
    if (status == SL_OK)
        status = choose_frames(job, error);
    job->camera_name = input->value[O_CAMERA];
    job->frame_cameras = true;
    for (size_t k = 0; k < input->set_count; k++)
        job->frame_cameras &= strncmp(input->sets[k].path, "cameras", 7) != 0;
    if (status == SL_OK)
        status = cli_camera(job->scene, input->value[O_CAMERA], &job->camera_index, error);
    if (status == SL_OK && !job->from_folder) {
        SlWorldDef def = sl_default_world_def();
        def.context = job->context;
        def.on_step = cli_continue_step;
        status = sl_scene_build(job->scene, &def, &job->world, error);
        if (status == SL_OK)
            status = sl_world_start(job->world, error);
    }
    if (status != SL_OK)
        return status;

    return open_drawing(job, input, error);
}

static void print_times(const CliDrawing *drawing)
{
    double frames = (double)drawing->drawn;
    fprintf(stderr, "%llu frames drawn, %.1f ms each", (unsigned long long)drawing->drawn,
            drawing->draw_ms / frames);
    if (drawing->filter_ms > 1)
        fprintf(stderr, ", and %.1f ms for filters", drawing->filter_ms / frames);
    fprintf(stderr, "\n");
    const SlRenderReport *report = &drawing->report;
    if (report->samples == 0)
        return;
    char noise[32] = "not known";
    if (report->noise >= 0)
        snprintf(noise, sizeof noise, "%.2g %%", 100 * report->noise);
    fprintf(stderr, "%s%u samples per pixel in %.1f s, noise %s; %s%s%s\n",
            drawing->drawn > 1 ? "the last: " : "", report->samples, report->seconds, noise,
            report->intersector[0] != '\0' ? report->intersector : "no rays",
            report->denoiser[0] != '\0' ? ", denoiser: " : "", report->denoiser);
}

static int finish(Job *job, SlStatus status, SlError *error)
{
    cli_progress_end(&job->progress);
    /* What was drawn before the source ended is kept as well. */
    bool keep = status == SL_OK || status == SL_ERROR_CANCELLED ||
                (job->follow && status == SL_ERROR_IO);
    bool film = job->drawing.wants_video && job->drawing.drawn > 0;
    SlError close_error;
    SlStatus closed = cli_drawing_close(&job->drawing, keep, &close_error);
    if (status == SL_OK && closed != SL_OK) {
        status = closed;
        *error = close_error;
    }
    int code = EXIT_DONE;
    if (keep && closed == SL_OK && film)
        printf("%s\n", job->drawing.video_path);
    if (keep && job->drawing.pictures == 1)
        printf("%s\n", job->drawing.last_png);
    else if (keep && job->drawing.pictures > 1)
        printf("%s to %s\n", job->drawing.first_png, job->drawing.last_png);
    if (status == SL_ERROR_CANCELLED) {
        if (!job->quiet)
            fprintf(stderr, "stopped; %llu frames drawn\n",
                    (unsigned long long)job->drawing.drawn);
        code = EXIT_STOPPED;
    } else if (status != SL_OK)
        code = cli_fail(error);
    else if (job->broken > 0)
        code = cli_damaged_frames(job->broken);
    else if (!job->quiet && job->drawing.drawn > 0)
        print_times(&job->drawing);
    sl_run_folder_close(job->folder);
    sl_world_destroy(job->world);
    sl_scene_destroy(job->scene);
    sl_context_destroy(job->context);
    return code;
}

/* --size as two values of the scene; -1, or an exit code. */
static int set_size(const char *text, CliInput *input)
{
    unsigned long width, height;
    char set[64], rest;
    if (sscanf(text, "%5lu%*1[xX]%5lu%c", &width, &height, &rest) != 2)
        return cli_usage_error("render", "--size takes WIDTHxHEIGHT as in 1280x720, not \"%.40s\"", text);
    snprintf(set, sizeof set, "render.width=%lu", width);
    int code = cli_add_set(&cli_render_command, set, input);
    snprintf(set, sizeof set, "render.height=%lu", height);
    return code >= 0 ? code : cli_add_set(&cli_render_command, set, input);
}

/* --region; false: a usage error was printed. */
static bool read_region(const char *text, SlPixelRegion *region)
{
    char rest;
    if (sscanf(text, "%5" SCNu32 ",%5" SCNu32 ",%5" SCNu32 ",%5" SCNu32 "%c", &region->x, &region->y,
               &region->width, &region->height, &rest) == 4 &&
        region->width > 0 && region->height > 0)
        return true;
    cli_usage_error("render", "--region takes X,Y,WIDTH,HEIGHT in pixels as in 640,360,96,54, not \"%.40s\"",
                    text);
    return false;
}

/* --samples, --noise, --time-limit and --denoise as values of the scene; they ask for the style final.
   -1, or an exit code. */
static int set_final(CliInput *input)
{
    static const struct {
        int option;
        const char *key;
    } values[] = {{O_SAMPLES, "samples"}, {O_NOISE, "noise"}, {O_TIME_LIMIT, "time_limit"},
                  {O_DENOISE, "denoise"}};
    const CliCommand *command = &cli_render_command;
    const char *denoise = input->value[O_DENOISE];
    uint64_t samples;
    if ((input->value[O_SAMPLES] != NULL &&
         !cli_integer(command, "samples", input->value[O_SAMPLES], 1, 1000000, &samples)) ||
        (input->value[O_NOISE] != NULL && !cli_number(command, "noise", input->value[O_NOISE], 0, 1)) ||
        (input->value[O_TIME_LIMIT] != NULL &&
         !cli_number(command, "time-limit", input->value[O_TIME_LIMIT], 0, 1e7)))
        return EXIT_USAGE;
    if (denoise != NULL && strcmp(denoise, "auto") != 0 && strcmp(denoise, "oidn") != 0 &&
        strcmp(denoise, "filter") != 0 && strcmp(denoise, "none") != 0)
        return cli_usage_error("render", "--denoise takes auto, oidn, filter or none, not \"%.40s\"",
                               denoise);
    for (int k = 0; k < 4; k++) {
        const char *value = input->value[values[k].option], *style = input->value[O_STYLE];
        char set[320];
        if (value == NULL)
            continue;
        if (style != NULL && strcmp(style, "final") != 0)
            return cli_usage_error("render", "--%s is for --style final; --style %.40s has no samples",
                                   options[values[k].option].name, style);
        input->value[O_STYLE] = "final";
        bool text = values[k].option == O_DENOISE;
        snprintf(set, sizeof set, text ? "render.%s=\"%.200s\"" : "render.%s=%.200s", values[k].key,
                 value);
        int code = cli_add_set(command, set, input);
        if (code >= 0)
            return code;
    }
    return -1;
}

static int render(int count, char **words)
{
    CliInput input;
    int code = cli_parse(&cli_render_command, count, words, &input);
    Job job = {.last = UINT64_MAX,
               .quiet = input.value[O_QUIET] != NULL,
               .follow = input.value[O_FOLLOW] != NULL};
    if (code < 0 && input.word_count != 1)
        code = cli_usage_error("render", "one scene or folder of frames is needed");
    if (code < 0 && input.value[O_FRAMES] != NULL &&
        !cli_range(&cli_render_command, input.value[O_FRAMES], &job.first, &job.last))
        code = EXIT_USAGE;
    if (code < 0 && input.value[O_STYLE] != NULL && !cli_style("render", input.value[O_STYLE]))
        code = EXIT_USAGE;
    if (code < 0 && input.value[O_SIZE] != NULL)
        code = set_size(input.value[O_SIZE], &input);
    if (code < 0 && input.value[O_REGION] != NULL && !read_region(input.value[O_REGION], &job.region))
        code = EXIT_USAGE;
    if (code < 0)
        code = set_final(&input);
    if (code < 0 && !cli_threads(&cli_render_command, input.value[O_THREADS]))
        code = EXIT_USAGE;
    if (code < 0) {
        SlError error = {SL_OK, ""};
        job.source = input.words[0];
        cli_catch_interrupts();
        SlStatus status = set_up(&job, &input, &error);
        if (status == SL_OK) {
            uint64_t total = job.from_folder ? job.progress.total : job.last;
            cli_progress_begin(&job.progress,
                               job.from_folder ? "drawing" : "simulating and drawing", total,
                               job.quiet);
            cli_progress_watch(&job.progress);
            status = job.from_folder ? draw_folder(&job, &error) : draw_scene(&job, &error);
        }
        code = finish(&job, status, &error);
        cli_progress_watch(NULL);
    }
    cli_input_free(&input);
    return code;
}

const CliCommand cli_render_command = {
    .name = "render",
    .arguments = "DIR|SCENE [options]",
    .summary = "draw a folder of frames, or a scene simulated on the way",
    .examples = "  sleet render out/dam                       the whole run as a video\n"
                "  sleet render out/dam --frames 120          one picture\n"
                "  sleet render out/dam --follow              beside the run that writes it\n"
                "  sleet render out/dam --frames 0-60 --png   a range, as video and pictures\n"
                "  sleet render out/dam -o dam.webm --size 1920x1080\n"
                "  sleet render out/dam --style particles --set render.blend=transparent\n"
                "  sleet render out/dam -n 60 --style final --samples 128 -o dam.png\n"
                "  sleet render out/dam -n 60 --style final --time-limit 120 -o dam.exr\n"
                "  sleet render out/dam -n 60 --style final --region 400,300,320,180 -o part.png\n"
                "  sleet render scenes/fountain.json --frames 90 -o fountain.png\n",
    .options = options,
    .option_count = O_COUNT,
    .run = render,
};

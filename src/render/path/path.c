/* The renderer `path`: physically based pictures by path tracing. This file holds its parameters, the
   planes it accumulates and the order of a picture:

     begin       stage and parameters -> scene, lights, tree of boxes    scene.c, lights.c, intersect_*.c
     accumulate  photons for a group of passes; one sample of every pixel photons.c, integrate.c
     resolve     means of the samples -> planes of a target               film.c */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/camera.h"
#include "render/color.h"
#include "render/path/film.h"
#include "render/path/photons.h"
#include "render/renderer.h"

/* Rows of each lamp. */
enum { LAMP_LIGHT, LAMP_PLACE, LAMP_TARGET, LAMP_WIDTH, LAMP_HEIGHT, LAMP_ROW_COUNT };
enum {
    SAMPLES = SL_STAGE_ROW_COUNT, NOISE, TIME_LIMIT, SEED, DENOISE, DENOISE_PATH, TONE, MAX_BOUNCES, MAX_SCATTERINGS, CLAMP,
    INTERSECTOR, SURFACE, FOAM, MIST, TINT, WET, GROUND_STYLE, HAZE, TANK, HIDE, SUN, SUN_ANGLE, SUN_THROUGH, PHOTONS,
    PHOTON_SAMPLES, SKY,
    SKY_SCALE, TURBIDITY, CLOUDS, ENVIRONMENT, LIGHT_SAMPLING, APERTURE, FOCUS, SHUTTER, VOLUME,
    LAMPS_VISIBLE = VOLUME + SL_VOLUME_ROW_COUNT, LAMPS, ROW_COUNT = LAMPS + SL_MAX_LAMPS * LAMP_ROW_COUNT
};
enum { GROUND_AUTO, GROUND_TILES, GROUND_PLAIN, GROUND_SNOW };
enum { INTERSECTOR_AUTO, INTERSECTOR_EMBREE, INTERSECTOR_BVH };

/* clang-format off */
#define LAMP_ROW(number_, row_) [LAMPS + ((number_) - 1) * LAMP_ROW_COUNT + (row_)]
#define LAMP_ROWS(number_) \
    LAMP_ROW(number_, LAMP_LIGHT) = {"lamp" #number_ "_light", SL_PARAM_VEC3, {{0, 0, 0}}, 0, 1e6, "", NULL, \
        "radiance of the rectangular lamp " #number_ " at exposure 1: red, green, blue; 0: none"}, \
    LAMP_ROW(number_, LAMP_PLACE) = {"lamp" #number_ "_place", SL_PARAM_VEC3, {{0, 4, 0}}, -1e6, 1e6, "m", NULL, \
        "its middle"}, \
    LAMP_ROW(number_, LAMP_TARGET) = {"lamp" #number_ "_target", SL_PARAM_VEC3, {{0, 0, 0}}, -1e6, 1e6, "m", NULL, \
        "the point it faces"}, \
    LAMP_ROW(number_, LAMP_WIDTH) = {"lamp" #number_ "_width", SL_PARAM_NUMBER, {{1}}, 1e-6, 1e6, "m", NULL, \
        "its horizontal side"}, \
    LAMP_ROW(number_, LAMP_HEIGHT) = {"lamp" #number_ "_height", SL_PARAM_NUMBER, {{1}}, 1e-6, 1e6, "m", NULL, \
        "its other side"}
/* clang-format on */

static const SlParamRow rows[ROW_COUNT] = {
    SL_STAGE_ROWS_WITH((0.46, 0.46, 0.455), (0.40, 0.55, 0.75), (0.86, 0.89, 0.92),
                       (0.68, 0.80, 0.55), 1.0, 0),
    [SAMPLES] = {"samples", SL_PARAM_INTEGER, {{0}}, 0, 1e6, "", NULL,
                 "paths per pixel, at most; 0: 24 for snow, 40 for other pictures, enough for the denoiser; with "
                 "noise or time_limit 65536"},
    [NOISE] = {"noise", SL_PARAM_NUMBER, {{0}}, 0, 1, "", NULL,
                      "relative standard error at which sampling stops; 0: all samples"},
    [TIME_LIMIT] = {"time_limit", SL_PARAM_NUMBER, {{0}}, 0, 1e7, "s", NULL,
                    "time per picture after which sampling stops; 0: none"},
    [SEED] = {"seed", SL_PARAM_INTEGER, {{0}}, 0, 4294967295.0, "", NULL, "of the random numbers"},
    [DENOISE] = {"denoise", SL_PARAM_CHOICE, {{0}}, 0, SL_DENOISE_METHOD_COUNT - 1, "", SL_DENOISE_NAMES,
                 "auto: Open Image Denoise where it is found, else Sleet's own filter; none for references"},
    [DENOISE_PATH] = {"denoise_path", SL_PARAM_TEXT, {{0}, ""}, 0, 0, "", NULL,
                      "libOpenImageDenoise.so or its folder; empty: the usual places"},
    [TONE] = {"tone", SL_PARAM_CHOICE, {{0}}, 0, SL_TONE_COUNT - 1, "", SL_TONE_NAMES,
              "curve from light to picture"},
    [MAX_BOUNCES] = {"max_bounces", SL_PARAM_INTEGER, {{16}}, 1, 1000, "", NULL,
                     "surfaces that a path may meet"},
    [MAX_SCATTERINGS] = {"max_scatterings", SL_PARAM_INTEGER, {{160}}, 1, 100000, "", NULL,
                         "scatterings of a path within snow, in a row"},
    [CLAMP] = {"clamp", SL_PARAM_NUMBER, {{8}}, 0, 1e9, "", NULL,
               "brightest light of a path after its first surface; 0: no limit (unbiased)"},
    [INTERSECTOR] = {"intersector", SL_PARAM_CHOICE, {{0}}, 0, 2, "", "auto|embree|bvh",
                     "finds what rays meet: Embree, Sleet's own tree, or the tree for fewer than 256 primitives and Embree, where it was built in, for more"},
    [SURFACE] = {"surface", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL,
                 "draw a liquid by its surface where the frame has one, else by its particles"},
    [FOAM] = {"foam", SL_PARAM_NUMBER, {{1}}, 0, 100, "", NULL,
              "size of whitewater's spheres, over what the filter gives; 0: none"},
    [MIST] = {"mist", SL_PARAM_NUMBER, {{0}}, 0, 100, "", NULL,
              "density of the mist around spray; 0: none"},
    [TINT] = {"tint", SL_PARAM_NUMBER, {{1}}, 0, 100, "", NULL, "factor of a liquid's absorption"},
    [WET] = {"wet", SL_PARAM_NUMBER, {{8}}, 0, 1000, "", NULL,
             "distance from water within which solids are wet: darker and shining, in spacings; 0: dry"},
    [GROUND_STYLE] = {"ground_style", SL_PARAM_CHOICE, {{0}}, 0, 3, "", "auto|tiles|plain|snow",
                      "look of the ground; auto: snow where there is snow, else tiles"},
    [HAZE] = {"haze", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL, "far ground fades into the horizon"},
    [TANK] = {"tank", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL,
              "draw the walls of a closed domain with water as panes of glass, unless solids stand there"},
    [HIDE] = {"hide", SL_PARAM_TEXT, {{0}, ""}, 0, 0, "", NULL,
              "names of colliders that are not drawn, with commas between them"},
    [SUN] = {"sun", SL_PARAM_NUMBER, {{1}}, 0, 1e6, "", NULL, "brightness of the sun; 0: none"},
    [SUN_ANGLE] = {"sun_angle", SL_PARAM_NUMBER, {{0.7}}, 0.01, 45, "degree", NULL,
                   "half of the sun's angular diameter (0.27 of the real one); more: softer shadows"},
    [SUN_THROUGH] = {"sun_through", SL_PARAM_CHOICE, {{0}}, 0, 2, "", SL_SUN_NAMES,
                     "how sunlight passes water and glass: caustics by photons, straight shadow rays, "
                     "or by paths that meet the sun by chance (unbiased)"},
    [PHOTONS] = {"photons", SL_PARAM_INTEGER, {{600000}}, 0, 1e9, "", NULL,
                 "photons of each caustics map"},
    [PHOTON_SAMPLES] = {"photon_samples", SL_PARAM_INTEGER, {{8}}, 1, 1e6, "", NULL,
                        "samples that share a caustics map"},
    [SKY] = {"sky", SL_PARAM_CHOICE, {{SL_SKY_GRADIENT}}, 0, 2, "", SL_SKY_NAMES,
             "Preetham's clear sky, a gradient between the background's colours, or background_bottom"},
    [SKY_SCALE] = {"sky_scale", SL_PARAM_NUMBER, {{1}}, 0, 1e6, "", NULL,
                   "brightness of the sky or of the environment image"},
    [TURBIDITY] = {"turbidity", SL_PARAM_NUMBER, {{3}}, 1.8, 10, "", NULL,
                   "haze of the physical sky: 2 is clear, 6 hazy"},
    [CLOUDS] = {"clouds", SL_PARAM_NUMBER, {{0.7}}, 0, 1, "", NULL, "thin clouds"},
    [ENVIRONMENT] = {"environment", SL_PARAM_TEXT, {{0}, ""}, 0, 0, "", NULL,
                     "image of latitude and longitude in place of the sky"},
    [LIGHT_SAMPLING] = {"light_sampling", SL_PARAM_CHOICE, {{SL_SAMPLE_BOTH}}, 0, 2, "", SL_LIGHT_SAMPLING_NAMES,
                        "how paths find sun and lamps: by points of lights and by directions of surfaces, "
                        "weighted; by one of them alone, for comparison (the same light, more noise)"},
    [APERTURE] = {"aperture", SL_PARAM_NUMBER, {{0}}, 0, 1e3, "m", NULL,
                  "diameter of the lens; 0: everything is sharp"},
    [FOCUS] = {"focus", SL_PARAM_NUMBER, {{0}}, 0, 1e6, "m", NULL,
               "distance of what is sharp; 0: that of the camera's target"},
    [SHUTTER] = {"shutter", SL_PARAM_NUMBER, {{0.25}}, 0, 1, "", NULL,
                 "fraction of a frame's time that the shutter is open, where the job names none"},
    SL_VOLUME_ROWS(VOLUME),
    [LAMPS_VISIBLE] = {"lamps_visible", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL,
                       "the camera sees lamps; false: only their light and their reflections"},
    LAMP_ROWS(1), LAMP_ROWS(2), LAMP_ROWS(3), LAMP_ROWS(4),
    LAMP_ROWS(5), LAMP_ROWS(6), LAMP_ROWS(7), LAMP_ROWS(8),
};

const SlTable sl_path_table = {
    .name = "path",
    .kind = "renderer",
    .summary = "physically based pictures by path tracing: water, glass, solids, snow as a volume",
    .citation = "[Kajiya 1986]; multiple importance sampling: [Veach 1995]",
    .rows = rows,
    .row_count = ROW_COUNT,
};

typedef struct PathTracer {
    SlContext *context;
    SlParamValue given[ROW_COUNT];  /* as the program set them */
    SlParamValue values[ROW_COUNT]; /* of the picture: with the stage of snow where it shows snow */
    bool snow;
    uint32_t width, height;
    SlPixelRegion region; /* that is drawn */
    SlArena arena; /* of the scene */
    SlFilm film;
    SlPathScene scene;
    SlPhotonMap photons;
    SlCameraFrame camera;
    float focus; /* m */
    SlMedia media; /* around the eye */
    char denoiser[SL_DENOISE_TEXT]; /* of the last resolve */
} PathTracer;

enum { TILE = 16 };

static double number(const PathTracer *tracer, int row)
{
    return tracer->values[row].number[0];
}

static SlVec3 vector(const PathTracer *tracer, int row)
{
    const double *v = tracer->values[row].number;
    return sl_vec3((float)v[0], (float)v[1], (float)v[2]);
}

static SlDenoiseSettings denoise_settings(const PathTracer *tracer)
{
    return (SlDenoiseSettings){(SlDenoiseMethod)number(tracer, DENOISE), tracer->values[DENOISE_PATH].text};
}

/* A lamp faces a point other than its own. */
static SlStatus check_lamps(const PathTracer *tracer, SlError *error)
{
    for (int k = 0; k < SL_MAX_LAMPS; k++) {
        int row = LAMPS + k * LAMP_ROW_COUNT;
        SlVec3 way = sl_sub(vector(tracer, row + LAMP_TARGET), vector(tracer, row + LAMP_PLACE));
        if (sl_max3(vector(tracer, row + LAMP_LIGHT)) > 0 && !(sl_length(way) > 0))
            return sl_error_set(error, SL_ERROR_ARGUMENT, "%s is the lamp's own place; it must be another point",
                                rows[row + LAMP_TARGET].name);
    }
    return SL_OK;
}

static SlStatus init(void *state, SlContext *context, const SlParamValue *values, SlError *error)
{
    PathTracer *tracer = state;
    tracer->context = context;
    memcpy(tracer->given, values, sizeof tracer->given);
    memcpy(tracer->values, values, sizeof tracer->values);
    sl_arena_init(&tracer->arena, &context->memory);
    sl_film_init(&tracer->film, context);
    sl_photons_init(&tracer->photons, context);
    tracer->width = (uint32_t)number(tracer, SL_STAGE_WIDTH);
    tracer->height = (uint32_t)number(tracer, SL_STAGE_HEIGHT);
    if (number(tracer, INTERSECTOR) == INTERSECTOR_EMBREE && sl_intersector_embree() == NULL)
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "intersector: this build has no Embree (apt-get install libembree-dev, then "
                            "build again); bvh draws the same picture");
    SlDenoiseSettings denoise = denoise_settings(tracer);
    SlStatus status = check_lamps(tracer, error);
    return status == SL_OK ? sl_denoise_check(&denoise, error) : status;
}

static void destroy(void *state)
{
    PathTracer *tracer = state;
    if (tracer->context == NULL)
        return;
    sl_path_scene_destroy(&tracer->scene);
    sl_photons_free(&tracer->photons);
    sl_arena_free(&tracer->arena);
    sl_film_free(&tracer->film);
}

/* --- The beginning of a picture. --- */

static bool has_snow(const SlFrameView *view)
{
    bool snow = false;
    for (size_t k = 0; k < view->system_count; k++) {
        if (view->systems[k].material.kind == SL_MATERIAL_WATER)
            return false;
        snow = snow || view->systems[k].material.kind == SL_MATERIAL_SNOW;
    }
    return snow;
}

/* The stage of pictures with snow and no water, where a row was left as it is: a low warm sun from the
   side and a muted sky. What reads as snow is the contrast of warm light and blue shadow. */
static const struct {
    int row;
    double value[3];
} snow_stage[] = {
    {SL_STAGE_LIGHT, {-1, 0.40, 0.05}},
    {SL_STAGE_EXPOSURE, {1.05}},
    {SL_STAGE_BACKGROUND_TOP, {0.31, 0.46, 0.70}},
    {SL_STAGE_BACKGROUND_BOTTOM, {0.66, 0.71, 0.78}},
    {SKY, {SL_SKY_GRADIENT}},
    {SKY_SCALE, {0.75}},
    {SUN, {1.25}},
};

static bool same_numbers(const SlParamValue *a, const SlParamValue *b)
{
    bool same = true;
    for (size_t k = 0; k < sizeof a->number / sizeof *a->number; k++)
        same = same && a->number[k] == b->number[k];
    return same;
}

static void set_stage(PathTracer *tracer, const SlFrameView *view)
{
    memcpy(tracer->values, tracer->given, sizeof tracer->values);
    tracer->snow = has_snow(view);
    for (size_t k = 0; tracer->snow && k < sizeof snow_stage / sizeof *snow_stage; k++) {
        SlParamValue *v = &tracer->values[snow_stage[k].row];
        const SlParamValue *usual = &rows[snow_stage[k].row].value;
        if (same_numbers(v, usual))
            memcpy(v->number, snow_stage[k].value, sizeof v->number);
    }
}

/* Snow scatters light so often that its noise has no structure, which the denoiser likes; refracted light
   of water has. */
static uint32_t sample_count(const PathTracer *tracer)
{
    enum { SNOW = 24, OTHER = 40, LIMITED = 65536 };
    bool limited = number(tracer, NOISE) > 0 || number(tracer, TIME_LIMIT) > 0;
    uint32_t given = (uint32_t)number(tracer, SAMPLES);
    return given > 0 ? given : limited ? LIMITED : tracer->snow ? SNOW : OTHER;
}

static SlPattern ground_pattern(const PathTracer *tracer, const SlFrameView *view)
{
    int style = (int)number(tracer, GROUND_STYLE);
    if (style == GROUND_AUTO)
        style = has_snow(view) ? GROUND_SNOW : GROUND_TILES;
    return style == GROUND_TILES ? SL_PATTERN_TILES
           : style == GROUND_SNOW ? SL_PATTERN_SNOW
                                  : SL_PATTERN_NONE;
}

static SlRenderStage make_stage(const PathTracer *tracer, const SlRenderJob *job)
{
    SlRenderStage stage = sl_stage_make(job->view, tracer->values);
    stage.outdoor = true;
    float distance = sl_length(sl_sub(job->camera->eye, stage.ground.center));
    stage.ground.fade = fmaxf(18 * stage.diagonal, 14 * distance);
    if (ground_pattern(tracer, job->view) == SL_PATTERN_SNOW) {
        const SlMaterial *own = &job->view->domain_material;
        stage.ground.color = sl_stage_color(own, SL_MATERIAL_GROUND, sl_vec3(0.80f, 0.84f, 0.90f));
    }
    return stage;
}

static SlLamps make_lamps(const PathTracer *tracer)
{
    SlLamps lamps = {0};
    float exposure = (float)number(tracer, SL_STAGE_EXPOSURE);
    for (int k = 0; k < SL_MAX_LAMPS; k++) {
        int row = LAMPS + k * LAMP_ROW_COUNT;
        const float size[2] = {(float)number(tracer, row + LAMP_WIDTH), (float)number(tracer, row + LAMP_HEIGHT)};
        sl_lamps_add(&lamps, vector(tracer, row + LAMP_PLACE), vector(tracer, row + LAMP_TARGET), size,
                     sl_scale(vector(tracer, row + LAMP_LIGHT), exposure));
    }
    return lamps;
}

/* Sun and sky: their ratio is that of the physical sky; the stage's key light, as the light that a
   white surface sends back, sets the sun. */
static SlStatus make_lights(PathTracer *tracer, const SlRenderStage *stage, SlError *error)
{
    SlPathScene *scene = &tracer->scene;
    float exposure = (float)number(tracer, SL_STAGE_EXPOSURE), turbidity = (float)number(tracer, TURBIDITY);
    float scale = (float)number(tracer, SKY_SCALE);
    bool physical = number(tracer, SKY) == SL_SKY_PHYSICAL;
    float key = 1.27f * exposure * SL_PI;
    SlVec3 color = physical       ? sl_sun_color(stage->to_light, turbidity)
                   : tracer->snow ? sl_vec3(1, 0.86f, 0.66f)
                                  : sl_vec3(1.04f, 1, 0.93f);
    SlVec3 light = sl_scale(color, key * (float)number(tracer, SUN));
    if (stage->to_light.y < 0 && stage->ground.visible)
        light = sl_vec3(0, 0, 0); /* below the horizon */
    scene->sun = sl_sun_make(stage->to_light, light, (float)number(tracer, SUN_ANGLE));
    if (tracer->values[ENVIRONMENT].text[0] != '\0')
        return sl_surroundings_image(tracer->context, &tracer->arena, tracer->values[ENVIRONMENT].text,
                                     scale * exposure, &scene->sky, error);
    SlSkySettings sky = {.kind = (SlSkyKind)number(tracer, SKY),
                         .to_sun = stage->to_light,
                         .turbidity = turbidity,
                         .zenith = stage->background_top,
                         .horizon = stage->background_bottom,
                         .scale = scale * (physical ? key / 60 : exposure), /* a sun of 60 klx: a little haze */
                         .clouds = (float)number(tracer, CLOUDS)};
    return sl_surroundings_sky(tracer->context, &tracer->arena, &sky, &scene->sky, error);
}

static void set_settings(PathTracer *tracer)
{
    tracer->scene.settings =
        (SlPathSettings){.samples = sample_count(tracer),
                         .seed = (uint32_t)number(tracer, SEED),
                         .max_bounces = (uint32_t)number(tracer, MAX_BOUNCES),
                         .max_scatterings = (uint32_t)number(tracer, MAX_SCATTERINGS),
                         .clamp = (float)number(tracer, CLAMP),
                         .sun_through = (SlSunThrough)number(tracer, SUN_THROUGH),
                         .aperture = (float)number(tracer, APERTURE),
                         .focus = (float)number(tracer, FOCUS),
                         .haze = number(tracer, HAZE) != 0,
                         .sampling = (SlLightSampling)number(tracer, LIGHT_SAMPLING),
                         .hide_lamps = number(tracer, LAMPS_VISIBLE) == 0};
}

static const SlIntersectorKind *choose_intersector(const PathTracer *tracer)
{
    int choice = (int)number(tracer, INTERSECTOR);
    return choice == INTERSECTOR_BVH      ? &sl_intersector_bvh
           : choice == INTERSECTOR_EMBREE ? sl_intersector_embree()
                                          : NULL;
}

static SlStatus begin(void *state, const SlRenderJob *job, uint32_t *passes, SlError *error)
{
    PathTracer *tracer = state;
    SlPathScene *scene = &tracer->scene;
    tracer->denoiser[0] = '\0';
    sl_path_scene_destroy(scene);
    *scene = (SlPathScene){0};
    sl_arena_reset(&tracer->arena);
    set_stage(tracer, job->view);
    set_settings(tracer);
    *passes = scene->settings.samples;
    SlRenderStage stage = make_stage(tracer, job);
    SlVolumeSettings volume = sl_volume_settings(tracer->values + VOLUME);
    double open = job->shutter_open, close = job->shutter_close;
    if (open == close && job->view->frame_time > 0) {
        double half = 0.5 * number(tracer, SHUTTER) * job->view->frame_time;
        open -= half;
        close += half;
    }
    SlFrameView view = *job->view;
    SlRenderJob inner = *job;
    if (number(tracer, SURFACE) == 0)
        view.surface_count = 0;
    inner.view = &view;
    SlSceneInput input = {.job = &inner,
                          .stage = &stage,
                          .volume = &volume,
                          .intersector = choose_intersector(tracer),
                          .shutter_open = open,
                          .shutter_close = close,
                          .velocities = sl_job_names(job, "velocity"),
                          .tint = (float)number(tracer, TINT),
                          .foam = (float)number(tracer, FOAM),
                          .ground = ground_pattern(tracer, job->view),
                          .tank = number(tracer, TANK) != 0,
                          .mist = (float)number(tracer, MIST),
                          .wet = (float)number(tracer, WET),
                          .hide = tracer->values[HIDE].text};
    scene->lamps = make_lamps(tracer);
    tracer->region = job->region;
    SlStatus status = sl_film_begin(&tracer->film, &tracer->region, job,
                                    number(tracer, DENOISE) != SL_DENOISE_NONE, error);
    if (status == SL_OK)
        status = sl_path_scene_build(tracer->context, &tracer->arena, &input, scene, error);
    if (status == SL_OK)
        status = make_lights(tracer, &stage, error);
    if (status != SL_OK)
        return status;
    tracer->camera = sl_camera_frame(job->camera, tracer->width, tracer->height);
    float focus = scene->settings.focus;
    tracer->focus = focus > 0 ? focus : sl_length(sl_sub(job->camera->target, job->camera->eye));
    tracer->media = sl_media_at(scene, tracer->camera.eye);
    return SL_OK;
}

/* --- Samples. --- */

/* Box filter over the pixel; thin lens. */
static SlRay camera_ray(const PathTracer *tracer, uint32_t x, uint32_t y, SlPathSampler *sampler)
{
    const SlCameraFrame *c = &tracer->camera;
    sampler->dimension = SL_EVEN_PIXEL;
    float a = sl_path_even(sampler), b = sl_path_even(sampler);
    sampler->dimension = SL_EVEN_TIME;
    float time = sl_path_even(sampler);
    float right = ((float)x + a - c->center_x) / c->focal, up = (c->center_y - (float)y - b) / c->focal;
    SlVec3 d = sl_add(c->forward, sl_add(sl_scale(c->right, right), sl_scale(c->up, up)));
    SlRay ray = {.origin = c->eye, .t_max = INFINITY, .time = time};
    float aperture = tracer->scene.settings.aperture;
    if (aperture > 0) {
        sampler->dimension = SL_EVEN_LENS;
        float r = 0.5f * aperture * sqrtf(sl_path_even(sampler));
        float angle = 2 * SL_PI * sl_path_even(sampler);
        SlVec3 shift = sl_add(sl_scale(c->right, r * cosf(angle)), sl_scale(c->up, r * sinf(angle)));
        ray.origin = sl_add(c->eye, shift);
        d = sl_sub(sl_scale(d, tracer->focus), shift);
    }
    ray.direction = sl_unit(d);
    return ray;
}

/* x, y: of the whole picture, so that a region has the same samples. */
static void sample_pixel(PathTracer *tracer, uint32_t x, uint32_t y)
{
    const SlPixelRegion *region = &tracer->region;
    SlPathSampler sampler = sl_path_sampler_even((uint64_t)y * tracer->width + x, tracer->film.samples,
                                                 tracer->scene.settings.seed);
    SlRay ray = camera_ray(tracer, x, y, &sampler);
    SlPathResult r = sl_path_trace(&tracer->scene, &ray, &tracer->media, &sampler);
    sl_film_add(&tracer->film, (size_t)(y - region->y) * region->width + (x - region->x), &r,
                r.distance * sl_dot(ray.direction, tracer->camera.forward));
}

static void tile_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    PathTracer *tracer = argument;
    const SlPixelRegion *region = &tracer->region;
    size_t across = (region->width + TILE - 1) / TILE;
    for (size_t tile = begin; tile < end; tile++) {
        uint32_t left = (uint32_t)(tile % across) * TILE, top = (uint32_t)(tile / across) * TILE;
        for (uint32_t y = top; y < top + TILE && y < region->height; y++)
            for (uint32_t x = left; x < left + TILE && x < region->width; x++)
                sample_pixel(tracer, region->x + x, region->y + y);
    }
}

static double noise(const void *state)
{
    const PathTracer *tracer = state;
    return sl_film_noise(&tracer->film);
}

static SlStatus shoot_photons(PathTracer *tracer, SlError *error)
{
    SlPathScene *scene = &tracer->scene;
    size_t count = (size_t)number(tracer, PHOTONS);
    bool wanted = scene->settings.sun_through == SL_SUN_PHOTONS && scene->has_clear && count > 0;
    if (!wanted || tracer->film.samples % (uint32_t)number(tracer, PHOTON_SAMPLES) != 0)
        return SL_OK;
    scene->photons = NULL;
    SlStatus status = sl_photons_shoot(&tracer->photons, scene, count,
                                       scene->settings.seed + 0x9e37u * (tracer->film.samples + 1), error);
    if (status == SL_OK && tracer->photons.made)
        scene->photons = &tracer->photons;
    return status;
}

static SlStatus accumulate(void *state, SlError *error)
{
    PathTracer *tracer = state;
    SlStatus status = shoot_photons(tracer, error);
    if (status != SL_OK)
        return status;
    size_t across = (tracer->region.width + TILE - 1) / TILE;
    size_t down = (tracer->region.height + TILE - 1) / TILE;
    sl_parallel_for(tracer->context->pool, across * down, 1, tile_chunk, tracer);
    tracer->film.samples++;
    return SL_OK;
}

/* --- What was drawn. --- */

static SlStatus resolve(void *state, SlTarget *target, SlError *error)
{
    PathTracer *tracer = state;
    SlDenoiseSettings settings = denoise_settings(tracer);
    return sl_film_resolve(&tracer->film, &settings, target, tracer->denoiser, error);
}

static void report(const void *state, SlRenderReport *result)
{
    const PathTracer *tracer = state;
    result->samples = tracer->film.samples;
    const SlIntersectorKind *kind = tracer->scene.intersector.kind;
    snprintf(result->intersector, sizeof result->intersector, "%s", kind != NULL ? kind->label() : "");
    snprintf(result->denoiser, sizeof result->denoiser, "%s", tracer->denoiser);
}

static const char *const planes[] = {"color", "depth", "normal", "albedo", "velocity"};

const SlRendererKind sl_renderer_path = {
    .table = &sl_path_table,
    .planes = planes,
    .plane_count = sizeof planes / sizeof planes[0],
    .progressive = true,
    .regions = true,
    .state_bytes = sizeof(PathTracer),
    .init = init,
    .begin = begin,
    .accumulate = accumulate,
    .resolve = resolve,
    .noise = noise,
    .report = report,
    .destroy = destroy,
};

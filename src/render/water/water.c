/* The renderer `water`: liquids as a smooth surface that reflects, refracts and absorbs, in screen space.
   This file holds its parameters and the order of the passes; water.h lists what each reads and
   writes. */
#include "render/water/water.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "render/renderer.h"

enum {
    ANTIALIAS = SL_STAGE_ROW_COUNT, SURFACE, RADIUS, SMOOTHING, SMOOTHING_PASSES, TINT, FOAM, SHADOWS,
    SHADOW_SIZE, TANK, ROW_COUNT
};

#define MAX_SAMPLED 16e6 /* pixels of a picture that is drawn with more than one sample each */

static const SlParamRow rows[ROW_COUNT] = {
    SL_STAGE_ROWS_WITH((0.385, 0.40, 0.415), (0.36, 0.50, 0.70), (0.84, 0.88, 0.92),
                       (-0.42, 0.90, 0.91), 0.76, 0),
    [ANTIALIAS] = {"antialias", SL_PARAM_INTEGER, {{4}}, 1, SL_SAMPLES_MAX, "", NULL,
                   "samples per pixel at edges; one in pictures of more than 16 million pixels"},
    [SURFACE] = {"surface", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL,
                 "draw a liquid by its surface where the frame has one, else by its particles"},
    [RADIUS] = {"radius", SL_PARAM_NUMBER, {{0.7}}, 0.1, 4, "", NULL,
                "radius of a particle in particle spacings, where there is no surface"},
    [SMOOTHING] = {"smoothing", SL_PARAM_NUMBER, {{1.2}}, 0.05, 10, "", NULL,
                   "width of the smoothing filter in particle spacings"},
    [SMOOTHING_PASSES] = {"smoothing_passes", SL_PARAM_INTEGER, {{3}}, 0, 16, "", NULL,
                          "how often the filter is applied"},
    [TINT] = {"tint", SL_PARAM_NUMBER, {{1}}, 0, 100, "", NULL,
              "factor of the material's absorption"},
    [FOAM] = {"foam", SL_PARAM_NUMBER, {{1}}, 0, 100, "", NULL, "density of whitewater"},
    [SHADOWS] = {"shadows", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL, "the sun casts shadows"},
    [SHADOW_SIZE] = {"shadow_size", SL_PARAM_INTEGER, {{1024}}, 64, 8192, "texel", NULL,
                     "side of the shadow map, rounded up to a multiple of 32"},
    [TANK] = {"tank", SL_PARAM_BOOL, {{0}}, 0, 1, "", NULL,
              "draw the walls of a closed domain as panes of glass, where a surface of water is drawn and no solids stand"},
};

const SlTable sl_water_table = {
    .name = "water",
    .kind = "renderer",
    .summary = "liquids as a smooth surface with reflection, refraction and whitewater",
    .citation = "smoothing: [Truong 2018]; reflectance: [Schlick 1994]",
    .rows = rows,
    .row_count = ROW_COUNT,
};

typedef struct Water {
    SlContext *context;
    SlParamValue values[ROW_COUNT];
    SlArena scratch;  /* of one picture: what depends on the number of particles */
    SlArena pictures; /* what depends only on the picture's size */
    SlImage image;
    void *back, *liquid; /* states of sl_renderer_splats */
    bool back_made, liquid_made;
    SlWaterFrame frame;
    SlRenderStage stage;
    SlWaterViews views;
    SlFrameView view;    /* of the picture */
    uint32_t pass;
    float tone[SL_TONE_SIZE];
    const SlWaterLayerKernels *layer;
    const SlWaterLightKernels *light;
} Water;

static double number(const Water *water, int row)
{
    return water->values[row].number[0];
}

static size_t tile_count(const SlSplatFrame *f)
{
    return (size_t)f->tiles_x * f->tiles_y;
}

/* --- Set-up. --- */

/* A state of the splat renderer with our stage, and text or numbers for some of its own rows. */
typedef struct Setting {
    const char *name;
    double value;
} Setting;

static SlStatus make_splats(Water *water, const Setting *settings, size_t count, void **state,
                            SlError *error)
{
    enum { MAX_ROWS = 64 };
    const SlRendererKind *kind = &sl_renderer_splats;
    SlParamValue values[MAX_ROWS];
    SL_ASSERT(kind->table->row_count <= MAX_ROWS);
    sl_table_defaults(kind->table, values);
    memcpy(values, water->values, SL_STAGE_ROW_COUNT * sizeof *values);
    for (size_t k = 0; k < count; k++)
        values[sl_table_find(kind->table, settings[k].name) - kind->table->rows].number[0] =
            settings[k].value;
    *state = sl_alloc_zero(&water->context->memory, 1, kind->state_bytes);
    if (*state == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for a renderer");
    return kind->init(*state, water->context, values, error);
}

static void free_splats(Water *water, void *state)
{
    if (state == NULL)
        return;
    sl_renderer_splats.destroy(state);
    sl_free(&water->context->memory, state, sl_renderer_splats.state_bytes);
}

/* A plane of rows with the water's margin, filled with `value`. */
static float *push_plane(Water *water, float value)
{
    const SlWaterFrame *f = &water->frame;
    size_t padded = (f->height + SL_TILE - 1) / SL_TILE * SL_TILE;
    size_t count = (size_t)f->stride * (padded + 2 * SL_WATER_MARGIN);
    float *plane = SL_PUSH(&water->pictures, float, count);
    for (size_t k = 0; plane != NULL && k < count; k++)
        plane[k] = value;
    return plane;
}

/* Planes of discs over a picture of that size; false when memory is out. */
static bool make_discs(Water *water, SlDiscs *discs, uint32_t width, uint32_t height, int planes)
{
    *discs = (SlDiscs){.width = width,
                       .height = height,
                       .tiles_x = (width + SL_TILE - 1) / SL_TILE,
                       .tiles_y = (height + SL_TILE - 1) / SL_TILE};
    discs->stride = discs->tiles_x * SL_TILE + 2 * SL_MARGIN;
    size_t count = (size_t)discs->stride * (discs->tiles_y * SL_TILE + 2 * SL_MARGIN);
    for (int k = 0; k < planes; k++) {
        discs->plane[k] = SL_PUSH(&water->pictures, float, count);
        if (discs->plane[k] == NULL)
            return false;
        memset(discs->plane[k], 0, count * sizeof(float));
    }
    return true;
}

enum { MAP_SIZE = 512 }; /* of the ground's map of sunlight */

static bool make_sun_planes(Water *water)
{
    SlWaterFrame *f = &water->frame;
    size_t count = (size_t)f->cover.stride * (f->cover.tiles_y * SL_TILE + 2 * SL_MARGIN);
    f->sun_depth = SL_PUSH(&water->pictures, float, count);
    f->sun_scratch = SL_PUSH(&water->pictures, float, count);
    for (size_t k = 0; f->sun_depth != NULL && f->sun_scratch != NULL && k < count; k++)
        f->sun_depth[k] = f->sun_scratch[k] = SL_DEPTH_NONE;
    return f->sun_depth != NULL && f->sun_scratch != NULL;
}

static bool make_layer(Water *water, SlWaterLayer *layer)
{
    layer->depth = push_plane(water, SL_DEPTH_NONE);
    layer->leave = push_plane(water, SL_DEPTH_NONE);
    layer->coverage = push_plane(water, 0);
    bool ready = layer->depth != NULL && layer->leave != NULL && layer->coverage != NULL;
    for (int k = 0; k < 3; k++) {
        layer->normal[k] = push_plane(water, 0);
        ready = ready && layer->normal[k] != NULL;
    }
    return ready;
}

static bool make_planes(Water *water)
{
    SlWaterFrame *f = &water->frame;
    uint32_t half_w = (f->width + 1) / SL_WATER_COARSE, half_h = (f->height + 1) / SL_WATER_COARSE;
    uint32_t tiles = ((uint32_t)number(water, SHADOW_SIZE) + SL_TILE - 1) / SL_TILE;
    f->stride = (f->width + SL_TILE - 1) / SL_TILE * SL_TILE + 2 * SL_WATER_MARGIN;
    f->scratch = push_plane(water, SL_DEPTH_NONE);
    f->leave = SL_PUSH(&water->pictures, float, tile_count(sl_splats_frame(water->liquid)) * SL_TILE_SIZE);
    f->behind = SL_PUSH(&water->pictures, float, 3 * (size_t)f->width * f->height);
    bool ready = f->scratch != NULL && f->leave != NULL && f->behind != NULL &&
                 make_layer(water, &f->near) && make_layer(water, &f->far);
    f->light = SL_PUSH(&water->pictures, float, 3 * (size_t)f->width * f->height);
    ready = ready && f->light != NULL && make_discs(water, &f->thickness, half_w, half_h, 1) &&
            make_discs(water, &f->foam, f->width, f->height, 1) &&
            make_discs(water, &f->deep, f->width, f->height, 2) &&
            make_discs(water, &f->mist, (f->width + SL_WATER_MIST - 1) / SL_WATER_MIST,
                       (f->height + SL_WATER_MIST - 1) / SL_WATER_MIST, 1);
    if (ready && number(water, SHADOWS) != 0)
        ready = make_discs(water, &f->cover, tiles * SL_TILE / SL_WATER_COARSE,
                           tiles * SL_TILE / SL_WATER_COARSE, 2) &&
                make_discs(water, &f->caustic, MAP_SIZE, MAP_SIZE, 1) && make_sun_planes(water);
    return ready;
}

static SlStatus init(void *state, SlContext *context, const SlParamValue *values, SlError *error)
{
    Water *water = state;
    SlWaterFrame *f = &water->frame;
    water->context = context;
    memcpy(water->values, values, sizeof water->values);
    sl_arena_init(&water->scratch, &context->memory);
    sl_arena_init(&water->pictures, &context->memory);
    water->layer = SL_KERNELS(context->isa, sl_water_layer_kernels);
    water->light = SL_KERNELS(context->isa, sl_water_light_kernels);
    f->width = (uint32_t)number(water, SL_STAGE_WIDTH);
    f->height = (uint32_t)number(water, SL_STAGE_HEIGHT);
    sl_water_tone(water->tone);
    /* Pixels of a very large picture are small enough, and its samples would take gigabytes. */
    double samples = (double)f->width * f->height > MAX_SAMPLED ? 1 : number(water, ANTIALIAS);
    const Setting back[] = {{"antialias", samples},
                            {"shadows", number(water, SHADOWS)},
                            {"shadow_size", number(water, SHADOW_SIZE)}};
    const Setting liquid[] = {{"antialias", samples},
                              {"shadows", number(water, SHADOWS)},
                              {"shadow_size", number(water, SHADOW_SIZE)},
                              {"occlusion", 0},
                              {"radius_scale", 2 * number(water, RADIUS)}};
    SlStatus status = sl_image_create(context, f->width, f->height, &water->image, error);
    if (status == SL_OK)
        status = make_splats(water, back, sizeof back / sizeof back[0], &water->back, error);
    if (status == SL_OK)
        status = make_splats(water, liquid, sizeof liquid / sizeof liquid[0], &water->liquid, error);
    if (status == SL_OK && !make_planes(water))
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory for pictures of %u × %u pixels",
                              f->width, f->height);
    return status;
}

static void destroy(void *state)
{
    Water *water = state;
    if (water->context == NULL)
        return;
    free_splats(water, water->back);
    free_splats(water, water->liquid);
    sl_arena_free(&water->scratch);
    sl_arena_free(&water->pictures);
    sl_image_destroy(water->context, &water->image);
}

/* --- The beginning of a picture. --- */

static SlVec3 to_view(const SlCameraFrame *c, SlVec3 v)
{
    return sl_vec3(sl_dot(v, c->right), sl_dot(v, c->up), sl_dot(v, c->forward));
}

/* Walls of the domain that the camera sees from outside. */
static void set_walls(SlWaterFrame *f, const SlBox *domain)
{
    const SlCameraFrame *c = &f->back->camera;
    const float *low = &domain->min.x, *high = &domain->max.x, *eye = &c->eye.x;
    f->wall_count = 0;
    for (int k = 0; k < 6; k++) {
        int axis = k / 2;
        float side = k % 2 != 0 ? 1 : -1, at = k % 2 != 0 ? high[axis] : low[axis];
        if (!isfinite(at) || side * (eye[axis] - at) <= 0)
            continue;
        SlVec3 normal = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
        f->wall[f->wall_count].normal = to_view(c, normal);
        f->wall[f->wall_count++].offset = side * at - sl_dot(normal, c->eye);
    }
}

/* The side walls of the domain, for rays within the water; an open side is far away. */
static void set_tank(SlWaterFrame *f, const SlBox *domain, const SlGround *ground)
{
    const float *low = &domain->min.x, *high = &domain->max.x;
    f->walled = ground->visible && fabsf(domain->min.y - ground->height) < f->spacing;
    for (int k = 0; k < 3; k++) {
        f->wall_low[k] = isfinite(low[k]) ? low[k] : -1e6f;
        f->wall_high[k] = isfinite(high[k]) ? high[k] : 1e6f;
    }
}

/* Liquids of different materials are told apart by what the splat renderer takes for the colour of particles
   and meshes: the index of the liquid. Both are in the order of the systems. */
static SlStatus set_liquids(Water *water, SlError *error)
{
    SlWaterFrame *f = &water->frame;
    const SlFrameView *liquid = &water->views.liquid;
    if (liquid->system_count < 2)
        return SL_OK;
    if (f->near.liquid == NULL) {
        f->near.liquid = push_plane(water, 0);
        f->far.liquid = push_plane(water, 0);
    }
    if (f->near.liquid == NULL || f->far.liquid == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for pictures of several liquids");
    uint32_t *color = sl_splats_frame(water->liquid)->color;
    size_t next = f->meshed ? sl_mesh_id(f->liquid) : 0;
    for (size_t k = 0; k < liquid->system_count; k++) {
        size_t end = next + (f->meshed ? 1 : sl_water_placed(&liquid->systems[k]));
        for (; next < end; next++)
            color[next] = (uint32_t)(k < SL_WATER_LIQUIDS ? k : SL_WATER_LIQUIDS - 1);
    }
    return SL_OK;
}

static SlRenderStage make_stage(const Water *water, const SlFrameView *view, const SlCamera *camera)
{
    SlRenderStage stage = sl_stage_make(view, water->values);
    float exposure = (float)number(water, SL_STAGE_EXPOSURE);
    stage.outdoor = true;
    /* Sun and sky of a clear day: less light from the sky than on the hazy one of the plain stage. */
    stage.key = sl_scale(sl_vec3(1.32f, 1.27f, 1.18f), exposure);
    stage.sky = sl_scale(stage.sky, 0.6f);
    stage.bounce = sl_scale(stage.bounce, 0.5f);
    stage.background_top = sl_scale(stage.background_top, exposure);
    stage.background_bottom = sl_scale(stage.background_bottom, exposure);
    /* The ground ends in the haze of the horizon, far from scene and camera. */
    float distance = sl_length(sl_sub(camera->eye, stage.ground.center));
    stage.ground.fade = fmaxf(14 * stage.diagonal, 12 * distance);
    return stage;
}

static SlStatus begin_layers(Water *water, const SlRenderJob *job, SlError *error)
{
    static const char *const color[] = {"color"};
    uint32_t count;
    SlRenderJob inner = *job;
    SlRenderStage bare = water->stage;
    inner.planes = color;
    inner.plane_count = 1;
    inner.view = &water->views.back;
    SlStatus status = sl_splats_begin(water->back, &inner, &water->stage, &count, error);
    bare.ground.visible = false;
    inner.plane_count = 0;
    SlFrameView liquid = water->views.liquid;
    inner.view = &liquid;
    if (water->views.meshed) /* only the triangles are drawn */
        liquid.system_count = 0;
    if (status == SL_OK)
        status = sl_splats_begin(water->liquid, &inner, &bare, &count, error);
    return status;
}

/* --- The passes, in their order. --- */

enum { ROWS = 8 };

typedef struct Rows {
    const Water *water;
    const float *in;
    float *out;
    void (*kernel)(const SlWaterFrame *frame, const float *in, float *out, size_t y);
} Rows;

typedef struct Layer {
    const Water *water;
    const SlWaterLayer *layer;
} Layer;

static void layer_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const Layer *job = argument;
    job->water->layer->layer(&job->water->frame, job->layer, begin);
}

static void filter_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Rows *job = argument;
    for (size_t y = begin; y < end; y++)
        job->kernel(&job->water->frame, job->in, job->out, y);
}

static void normal_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Layer *job = argument;
    for (size_t y = begin; y < end; y++)
        job->water->layer->normals(&job->water->frame, job->layer, y);
}

static void shadow_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Water *water = argument;
    for (size_t y = begin; y < end; y++)
        water->light->shadow(&water->frame, sl_splats_frame(water->back)->lit, y);
}

static void far_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Water *water = argument;
    for (size_t y = begin; y < end; y++)
        water->light->shade_far(&water->frame, y);
}

static void near_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Water *water = argument;
    for (size_t y = begin; y < end; y++)
        water->light->shade_near(&water->frame, y);
}

static void disc_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const void *const *pair = argument;
    const SlWaterLayerKernels *kernels = pair[0];
    kernels->add_discs(pair[1], begin);
}

static void add_discs(Water *water, const SlDiscs *discs)
{
    const void *pair[2] = {water->layer, discs};
    sl_parallel_for(water->context->pool, (size_t)discs->tiles_x * discs->tiles_y, 1, disc_chunk,
                    pair);
}

static void for_rows(Water *water, SlChunkFunction function)
{
    sl_parallel_for(water->context->pool, water->frame.height, ROWS, function, water);
}

/* Shadow map and depths of both layers. */
static SlStatus raster_pass(Water *water, SlError *error)
{
    const SlRendererKind *splats = &sl_renderer_splats;
    SlSplatFrame *liquid = sl_splats_frame(water->liquid);
    liquid->leave = water->frame.meshed ? water->frame.leave : NULL;
    liquid->beyond = NULL;
    liquid->closed = water->frame.meshed && !sl_water_is_near(&water->views.liquid, liquid->camera.eye);
    SlStatus status = splats->accumulate(water->back, error); /* shadows */
    for (int k = 0; k < 2 && status == SL_OK; k++)           /* depth, light */
        status = splats->accumulate(water->back, error);
    for (int k = 0; k < 2 && status == SL_OK; k++) /* the sun's picture, depth */
        status = splats->accumulate(water->liquid, error);
    return status;
}

/* A surface from the depths that were drawn. */
static void take_layer(Water *water, const SlWaterLayer *layer)
{
    SlWaterFrame *f = &water->frame;
    SlPool *pool = water->context->pool;
    Layer job = {water, layer};
    sl_parallel_for(pool, tile_count(f->liquid), 1, layer_chunk, &job);
    int rounds = f->meshed ? 0 : (int)number(water, SMOOTHING_PASSES);
    for (int k = 0; k < rounds; k++) {
        Rows along_x = {water, layer->depth, f->scratch, water->layer->filter_x};
        Rows along_y = {water, f->scratch, layer->depth, water->layer->filter_y};
        sl_parallel_for(pool, f->height, ROWS, filter_chunk, &along_x);
        sl_parallel_for(pool, f->height, ROWS, filter_chunk, &along_y);
    }
    sl_parallel_for(pool, f->height, ROWS, normal_chunk, &job);
}

/* The first surface; of meshes also the one behind the water that it begins. */
static SlStatus layer_pass(Water *water, SlError *error)
{
    (void)error;
    SlWaterFrame *f = &water->frame;
    take_layer(water, &f->near);
    if (!f->meshed)
        return SL_OK;
    SlSplatFrame *liquid = sl_splats_frame(water->liquid);
    liquid->leave = NULL;
    liquid->beyond = f->leave;
    sl_splats_raster(water->liquid);
    take_layer(water, &f->far);
    return SL_OK;
}

/* Thickness, the sun through the water, and with it the background. */
static SlStatus light_pass(Water *water, SlError *error)
{
    SlWaterFrame *f = &water->frame;
    add_discs(water, &f->thickness);
    if (f->cover.plane[0] != NULL) {
        SlStatus status = sl_water_caustics(water->context, &water->scratch, f, error);
        if (status != SL_OK)
            return status;
        add_discs(water, &f->caustic);
        add_discs(water, &f->cover);
        for_rows(water, shadow_chunk);
    }
    return sl_renderer_splats.accumulate(water->back, error);
}

static SlStatus shade_pass(Water *water, SlError *error)
{
    SlWaterFrame *f = &water->frame;
    SlStatus status =
        sl_water_spread_foam(water->context, &water->scratch, &water->view, f, error);
    if (status != SL_OK)
        return status;
    if (f->foam.count > 0) {
        add_discs(water, &f->foam);
        add_discs(water, &f->deep);
        add_discs(water, &f->mist);
    }
    if (f->meshed)
        for_rows(water, far_chunk);
    for_rows(water, near_chunk);
    SlBox walls;
    if (number(water, TANK) != 0 && sl_stage_tank(&water->view, f->spacing, &walls))
        sl_water_tank(water->context, f, &walls);
    sl_water_image(water->context, f, water->tone, &water->image);
    return SL_OK;
}

static SlStatus (*const passes[])(Water *water, SlError *error) = {raster_pass, layer_pass, light_pass,
                                                                   shade_pass};

enum { PASS_COUNT = sizeof passes / sizeof passes[0] };

static SlStatus begin(void *state, const SlRenderJob *job, uint32_t *count, SlError *error)
{
    Water *water = state;
    SlWaterFrame *f = &water->frame;
    sl_arena_reset(&water->scratch);
    *count = PASS_COUNT;
    water->pass = 0;
    water->view = *job->view;
    water->stage = make_stage(water, job->view, job->camera);
    SlStatus status = sl_water_split(&water->scratch, job->view, number(water, SURFACE) != 0,
                                     &water->views, error);
    if (status == SL_OK)
        status = begin_layers(water, job, error);
    if (status != SL_OK)
        return status;
    f->back = sl_splats_frame(water->back);
    f->liquid = sl_splats_frame(water->liquid);
    f->meshed = water->views.meshed;
    f->spacing = sl_stage_spacing(&water->views.liquid, &water->stage.scene);
    f->filter_sigma = (float)number(water, SMOOTHING) * f->spacing;
    f->filter_clamp = f->spacing;
    f->filter_range = 3 * f->spacing;
    /* The map covers the scene and a quarter around it: light leaves the water sideways. */
    const SlBox *scene = &water->stage.scene;
    float side = 1.5f * fmaxf(scene->max.x - scene->min.x, scene->max.z - scene->min.z);
    f->map_x = 0.5f * (scene->min.x + scene->max.x - side);
    f->map_z = 0.5f * (scene->min.z + scene->max.z - side);
    f->map_scale = MAP_SIZE / side;
    set_walls(f, &job->view->domain);
    set_tank(f, &job->view->domain, &water->stage.ground);
    sl_water_set_look(f, &water->stage, &water->views, (float)number(water, TINT),
                      (float)number(water, FOAM));
    status = set_liquids(water, error);
    return status == SL_OK ? sl_water_spread_liquid(water->context, &water->scratch,
                                                    &water->views.liquid, f, error)
                           : status;
}

static SlStatus accumulate(void *state, SlError *error)
{
    Water *water = state;
    return passes[water->pass++](water, error);
}

/* --- What was drawn. --- */

static SlStatus image(void *state, const SlImage **result, SlError *error)
{
    (void)error;
    const Water *water = state;
    *result = &water->image;
    return SL_OK;
}

static SlStatus resolve(void *state, SlTarget *target, SlError *error)
{
    (void)error;
    Water *water = state;
    sl_water_resolve(water->context, &water->frame, target);
    return SL_OK;
}

static const char *const planes[] = {"color", "depth", "normal"};

const SlRendererKind sl_renderer_water = {
    .table = &sl_water_table,
    .planes = planes,
    .plane_count = sizeof planes / sizeof planes[0],
    .state_bytes = sizeof(Water),
    .init = init,
    .begin = begin,
    .accumulate = accumulate,
    .resolve = resolve,
    .image = image,
    .destroy = destroy,
};

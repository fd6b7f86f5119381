/* The renderer `splats`: particles as shaded spheres. This file holds its parameters and the order of
   the passes; splats.h lists what each reads and writes. */
#include "render/splats/splats.h"

#include <string.h>

#include "core/context.h"
#include "geometry/shape.h"
#include "render/renderer.h"
#include "render/splats/solids.h"

enum {
    ANTIALIAS = SL_STAGE_ROW_COUNT, BLEND, OPACITY, RADIUS_SCALE, COLOR_BY, COLOR_MAP, COLOR_MIN,
    COLOR_MAX, COLOR, SHADOWS, SHADOW_SIZE, OCCLUSION, OCCLUSION_RADIUS, ROW_COUNT
};

static const SlParamRow rows[ROW_COUNT] = {
    SL_STAGE_ROWS,
    [ANTIALIAS] = {"antialias", SL_PARAM_INTEGER, {{4}}, 1, SL_SAMPLES_MAX, "", NULL,
                   "samples per pixel"},
    [BLEND] = {"blend", SL_PARAM_CHOICE, {{0}}, 0, 1, "", "opaque|transparent",
               "opaque spheres, or spheres that let part of the light behind them through"},
    [OPACITY] = {"opacity", SL_PARAM_NUMBER, {{0.25}}, 0, 1, "", NULL,
                 "fraction of the light behind it that a transparent sphere covers"},
    [RADIUS_SCALE] = {"radius_scale", SL_PARAM_NUMBER, {{1.1}}, 0.01, 100, "", NULL,
                      "radius of a sphere in units of half the particle spacing"},
    [COLOR_BY] = {"color_by", SL_PARAM_TEXT, {.text = "auto"}, 0, 0, "", NULL,
                  "what gives the colour: auto (speed for water, the material's colour for snow and others), "
                  "speed, none or the name of an exported field"},
    [COLOR_MAP] = {"color_map", SL_PARAM_CHOICE, {{0}}, 0, SL_COLOR_MAP_COUNT - 1, "",
                   SL_COLOR_MAP_NAMES, "colours from the smallest to the largest value"},
    [COLOR_MIN] = {"color_min", SL_PARAM_NUMBER, {{0}}, -1e30, 1e30, "", NULL,
                   "value of the first colour; equal to color_max: chosen from scene or data"},
    [COLOR_MAX] = {"color_max", SL_PARAM_NUMBER, {{0}}, -1e30, 1e30, "", NULL,
                   "value of the last colour"},
    [COLOR] = {"color", SL_PARAM_VEC3, {{0.10, 0.38, 0.72}}, 0, 1, "sRGB", NULL,
               "colour of particles where color_by is none and the system has no material of its "
               "own"},
    [SHADOWS] = {"shadows", SL_PARAM_BOOL, {{1}}, 0, 1, "", NULL, "the key light casts shadows"},
    [SHADOW_SIZE] = {"shadow_size", SL_PARAM_INTEGER, {{1024}}, 64, 8192, "texel", NULL,
                     "side of the shadow map, rounded up to a multiple of 32"},
    [OCCLUSION] = {"occlusion", SL_PARAM_NUMBER, {{1}}, 0, 4, "", NULL,
                   "strength of ambient occlusion; 0: none"},
    [OCCLUSION_RADIUS] = {"occlusion_radius", SL_PARAM_NUMBER, {{5}}, 0.1, 1000, "", NULL,
                          "reach of ambient occlusion in particle spacings"},
};

const SlTable sl_splats_table = {
    .name = "splats",
    .kind = "renderer",
    .summary = "particles as shaded spheres, opaque or transparent",
    .citation = "occlusion: [McGuire 2012]",
    .rows = rows,
    .row_count = ROW_COUNT,
};

typedef struct Splats {
    SlContext *context;
    SlParamValue values[ROW_COUNT];
    SlArena scratch;    /* of one picture: what depends on the number of particles */
    SlArena pictures;   /* what depends only on the picture's size */
    SlImage image;
    SlSplatFrame frame; /* what depends on the picture's size is kept, the rest is set by begin */
    SlRenderStage stage;
    uint32_t pass; /* the next one */
    float tap_x[4 * SL_TAPS * 8], tap_y[4 * SL_TAPS * 8];
    float tone[SL_TONE_SIZE];
    const SlSphereKernels *sphere;
    const SlSolidKernels *solid;
    const SlMeshKernels *mesh;
    const SlLightKernels *light;
    const SlShadeKernels *shade;
} Splats;

static double number(const Splats *splats, int row)
{
    return splats->values[row].number[0];
}

/* Four samples on a rotated grid, which smooths nearly horizontal and vertical edges best; any other
   number by the R2 sequence [Roberts 2018]. */
static void place_samples(SlSplatFrame *frame)
{
    static const float rotated[4][2] = {
        {0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
    for (uint32_t s = 0; s < frame->samples; s++) {
        double x = 0.5 + 0.7548776662466927 * s, y = 0.5 + 0.5698402909980532 * s;
        frame->offset_x[s] = frame->samples == 4 ? rotated[s][0] : (float)(x - floor(x));
        frame->offset_y[s] = frame->samples == 4 ? rotated[s][1] : (float)(y - floor(y));
    }
}

/* A spiral of taps, rotated by one of sixteen angles that fill a 4 × 4 square of pixels evenly. */
static void place_taps(Splats *splats)
{
    static const int rotation[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < SL_TAPS; k++)
            for (int lane = 0; lane < 8; lane++) {
                double angle = 6.283185307179586 *
                               ((double)k * 5 / SL_TAPS + rotation[row][lane & 3] / 16.0 / 2);
                double radius = (k + 0.5 + (rotation[row][lane & 3] & 3) / 4.0 - 0.375) / SL_TAPS;
                int at = (row * SL_TAPS + k) * 8 + lane;
                splats->tap_x[at] = (float)(radius * cos(angle));
                splats->tap_y[at] = (float)(radius * sin(angle));
            }
}

/* A plane of rows with its margin, filled with `value`, which the margin keeps. */
static float *push_rows(SlArena *arena, size_t stride, size_t height, float value)
{
    size_t count = stride * (height + 2 * SL_MARGIN);
    float *plane = SL_PUSH(arena, float, count);
    for (size_t k = 0; plane != NULL && k < count; k++)
        plane[k] = value;
    return plane;
}

static SlStatus make_pictures(Splats *splats, SlError *error)
{
    SlSplatFrame *f = &splats->frame;
    SlArena *arena = &splats->pictures;
    size_t tiled = (size_t)f->tiles_x * f->tiles_y * f->samples * SL_TILE_SIZE;
    size_t rows_high = (size_t)f->tiles_y * SL_TILE;
    f->z = SL_PUSH(arena, float, tiled);
    f->id = SL_PUSH(arena, uint32_t, tiled);
    f->normal = SL_PUSH(arena, uint32_t, tiled);
    f->busy = SL_PUSH(arena, uint8_t, (size_t)f->tiles_x * f->tiles_y);
    f->depth = push_rows(arena, f->stride, rows_high, SL_DEPTH_NONE);
    f->raw = push_rows(arena, f->stride, rows_high, 1);
    f->occlusion = push_rows(arena, f->stride, rows_high, 1);
    f->lit = push_rows(arena, f->stride, rows_high, 1);
    SlShadow *shadow = &f->shadow;
    if (shadow->size > 0)
        shadow->depth = push_rows(arena, shadow->stride, shadow->size, SL_DEPTH_NONE);
    if (f->z == NULL || f->id == NULL || f->normal == NULL || f->busy == NULL ||
        f->depth == NULL || f->raw == NULL || f->occlusion == NULL || f->lit == NULL ||
        (shadow->size > 0 && shadow->depth == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for pictures of %u × %u pixels",
                            f->width, f->height);
    memset(f->normal, 0, tiled * sizeof *f->normal);
    return SL_OK;
}

static SlStatus init(void *state, SlContext *context, const SlParamValue *values, SlError *error)
{
    Splats *splats = state;
    SlSplatFrame *f = &splats->frame;
    splats->context = context;
    memcpy(splats->values, values, sizeof splats->values);
    sl_arena_init(&splats->scratch, &context->memory);
    sl_arena_init(&splats->pictures, &context->memory);
    splats->sphere = SL_KERNELS(context->isa, sl_sphere_kernels);
    splats->solid = SL_KERNELS(context->isa, sl_solid_kernels);
    splats->mesh = SL_KERNELS(context->isa, sl_mesh_kernels);
    splats->light = SL_KERNELS(context->isa, sl_light_kernels);
    splats->shade = SL_KERNELS(context->isa, sl_shade_kernels);
    f->width = (uint32_t)number(splats, SL_STAGE_WIDTH);
    f->height = (uint32_t)number(splats, SL_STAGE_HEIGHT);
    f->samples = (uint32_t)number(splats, ANTIALIAS);
    f->tiles_x = (f->width + SL_TILE - 1) / SL_TILE;
    f->tiles_y = (f->height + SL_TILE - 1) / SL_TILE;
    f->stride = f->tiles_x * SL_TILE + 2 * SL_MARGIN;
    if (number(splats, SHADOWS) != 0) {
        f->shadow.tiles = ((uint32_t)number(splats, SHADOW_SIZE) + SL_TILE - 1) / SL_TILE;
        f->shadow.size = f->shadow.tiles * SL_TILE;
        f->shadow.stride = f->shadow.size + 2 * SL_MARGIN;
    }
    place_samples(f);
    place_taps(splats);
    sl_tone_table(splats->tone);
    f->tap_x = splats->tap_x;
    f->tap_y = splats->tap_y;
    f->tone = splats->tone;
    SlStatus status = sl_image_create(context, f->width, f->height, &splats->image, error);
    f->pixels = splats->image.pixels;
    return status == SL_OK ? make_pictures(splats, error) : status;
}

static void destroy(void *state)
{
    Splats *splats = state;
    if (splats->context == NULL)
        return;
    sl_arena_free(&splats->scratch);
    sl_arena_free(&splats->pictures);
    sl_image_destroy(splats->context, &splats->image);
}

enum { PARTICLE_CHUNK = 4096 };

static void project_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Splats *splats = argument;
    splats->sphere->project_camera(&splats->frame, begin, end);
    if (splats->frame.shadow.size > 0)
        splats->sphere->project_light(&splats->frame, begin, end);
}

static void light_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Splats *splats = argument;
    splats->light->particles(&splats->frame, begin, end);
}

static bool touches(SlRect r, size_t tile, uint32_t tiles_x)
{
    int left = (int)(tile % tiles_x) * SL_TILE, top = (int)(tile / tiles_x) * SL_TILE;
    return r.x0 <= r.x1 && r.y0 <= r.y1 && r.x0 < left + SL_TILE && r.x1 >= left &&
           r.y0 < top + SL_TILE && r.y1 >= top;
}

static void shadow_tile(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const Splats *splats = argument;
    const SlSplatFrame *f = &splats->frame;
    const SlShadow *shadow = &f->shadow;
    float z[SL_TILE_SIZE];
    for (int k = 0; k < SL_TILE_SIZE; k++)
        z[k] = SL_DEPTH_NONE;
    size_t tile_column = begin % shadow->tiles, tile_row = begin / shadow->tiles;
    SlTileView tile = {.x = (float)(tile_column * SL_TILE) + 0.5f,
                       .y = (float)(tile_row * SL_TILE) + 0.5f,
                       .z = z};
    for (uint32_t k = 0; k < f->solid_count; k++)
        if (touches(f->solids[k].light_rect, begin, shadow->tiles))
            splats->solid->draw(&f->solids[k], &shadow->rays, &tile, 0);
    if (f->triangles.count > 0)
        splats->mesh->shadow(f, begin, z);
    splats->sphere->shadow(f, begin, z);
    float *out = shadow->depth + sl_tile_origin(begin, shadow->tiles, shadow->stride);
    for (size_t row = 0; row < SL_TILE; row++)
        memcpy(out + row * shadow->stride, z + row * SL_TILE_STRIDE, SL_TILE * sizeof *z);
}

static void clear_tile(const SlSplatFrame *f, size_t tile)
{
    uint32_t nothing = (uint32_t)f->count + f->solid_count;
    size_t plane = sl_tile_plane(f, tile, 0), end = sl_tile_plane(f, tile + 1, 0);
    for (size_t k = plane; k < end; k++) {
        f->z[k] = SL_DEPTH_NONE;
        f->id[k] = nothing;
    }
    for (size_t k = tile * SL_TILE_SIZE; f->leave != NULL && k < (tile + 1) * SL_TILE_SIZE; k++)
        f->leave[k] = SL_DEPTH_NONE;
}

static SlTileView tile_view(const SlSplatFrame *f, size_t tile, uint32_t sample)
{
    size_t tile_column = tile % f->tiles_x, tile_row = tile / f->tiles_x;
    size_t plane = sl_tile_plane(f, tile, sample);
    return (SlTileView){.x = (float)(tile_column * SL_TILE) + f->offset_x[sample],
                        .y = (float)(tile_row * SL_TILE) + f->offset_y[sample],
                        .z = f->z + plane,
                        .id = f->id + plane,
                        .normal = f->normal + plane};
}

static void raster_tile(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const Splats *splats = argument;
    const SlSplatFrame *f = &splats->frame;
    uint32_t first_id = (uint32_t)f->count;
    clear_tile(f, begin);
    for (uint32_t k = 0; k < f->solid_count; k++)
        for (uint32_t s = 0; s < f->samples && touches(f->solids[k].rect, begin, f->tiles_x); s++) {
            SlTileView tile = tile_view(f, begin, s);
            splats->solid->draw(&f->solids[k], &f->rays, &tile, first_id + k);
        }
    if (f->triangles.count > 0)
        splats->mesh->draw(f, begin);
    if (!f->look.transparent)
        splats->sphere->draw(f, begin);
    /* Normals once it is known which solids are seen. */
    for (uint32_t k = 0; k < f->solid_count; k++)
        for (uint32_t s = 0; s < f->samples && touches(f->solids[k].rect, begin, f->tiles_x); s++) {
            SlTileView tile = tile_view(f, begin, s);
            splats->solid->normals(&f->solids[k], f, &tile, first_id + k);
        }
    f->busy[begin] = splats->sphere->resolve(f, begin);
    const float *z = f->z + sl_tile_plane(f, begin, 0);
    float *out = f->depth + sl_tile_origin(begin, f->tiles_x, f->stride);
    for (size_t row = 0; row < SL_TILE; row++)
        memcpy(out + row * f->stride, z + row * SL_TILE_STRIDE, SL_TILE * sizeof *z);
}

/* Whether occlusion taps of this tile can reach anything but the flat ground. */
static bool busy_around(const SlSplatFrame *f, size_t tile)
{
    int reach = (int)(SL_TAP_REACH * (float)f->height) / SL_TILE + 1;
    int x = (int)(tile % f->tiles_x), y = (int)(tile / f->tiles_x);
    for (int j = y - reach; j <= y + reach; j++)
        for (int i = x - reach; i <= x + reach; i++)
            if (i >= 0 && j >= 0 && i < (int)f->tiles_x && j < (int)f->tiles_y &&
                f->busy[(size_t)j * f->tiles_x + (size_t)i])
                return true;
    return false;
}

static void light_tile(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const Splats *splats = argument;
    const SlSplatFrame *f = &splats->frame;
    splats->light->gather(f, begin, f->look.occlusion > 0 && busy_around(f, begin));
}

static void blur_tile(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const Splats *splats = argument;
    splats->light->blur(&splats->frame, begin);
}

static void shade_tile(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)end;
    (void)chunk;
    const Splats *splats = argument;
    const SlSplatFrame *f = &splats->frame;
    float sum[3 * SL_TILE_SIZE], blend[5 * SL_TILE_SIZE];
    memset(sum, 0, sizeof sum);
    for (uint32_t s = 0; s < f->samples; s++) {
        if (f->look.transparent)
            splats->shade->blend(f, begin, s, blend);
        splats->shade->plane(f, begin, s, f->look.transparent ? blend : NULL, sum);
        if (f->look.transparent) /* the domain's edges are drawn against this */
            memcpy(f->z + sl_tile_plane(f, begin, s), blend + 4 * SL_TILE_SIZE,
                   SL_TILE_SIZE * sizeof *blend);
    }
    splats->shade->pixels(f, begin, sum);
}

static bool push_particles(Splats *splats)
{
    SlSplatFrame *f = &splats->frame;
    SlArena *arena = &splats->scratch;
    size_t padded = (f->count + 7) / 8 * 8;
    f->record = SL_PUSH(arena, float, 4 * padded);
    f->rect = SL_PUSH(arena, SlRect, padded);
    f->key = SL_PUSH(arena, uint32_t, padded);
    f->light_record = SL_PUSH(arena, float, 4 * padded);
    f->light_rect = SL_PUSH(arena, SlRect, padded);
    f->particle_lit = SL_PUSH(arena, float, padded);
    return f->record != NULL && f->rect != NULL && f->key != NULL && f->light_record != NULL &&
           f->light_rect != NULL && f->particle_lit != NULL;
}

/* From particles to lists per tile. */
static bool sort_particles(Splats *splats)
{
    SlSplatFrame *f = &splats->frame;
    SlArena *arena = &splats->scratch;
    SlPool *pool = splats->context->pool;
    if (!push_particles(splats))
        return false;
    sl_parallel_for(pool, f->count, PARTICLE_CHUNK, project_chunk, splats);
    uint32_t *order = sl_sort_keys(pool, arena, f->key, f->count);
    SlRects seen = {f->rect, order, f->count}, lit = {f->light_rect, NULL, f->count};
    SlTiles tiles = {f->tiles_x, f->tiles_y, SL_TILE_SHIFT};
    SlTiles shadow_tiles = {f->shadow.tiles, f->shadow.tiles, SL_TILE_SHIFT};
    return order != NULL && sl_bins_build(pool, arena, &seen, tiles, &f->bins) &&
           (f->shadow.size == 0 ||
            sl_bins_build(pool, arena, &lit, shadow_tiles, &f->light_bins));
}

/* A direction in view space. */
static SlVec3 to_view(const SlCameraFrame *c, SlVec3 v)
{
    return sl_vec3(sl_dot(v, c->right), sl_dot(v, c->up), sl_dot(v, c->forward));
}

static void set_look(const Splats *splats, SlSplatFrame *f)
{
    const SlCameraFrame *c = &f->camera;
    const SlRenderStage *stage = &splats->stage;
    f->look = (SlLook){
        .to_light = to_view(c, stage->to_light),
        .up = {c->right.y, c->up.y, c->forward.y},
        .key = stage->key,
        .sky = stage->sky,
        .bounce = stage->bounce,
        .top = stage->background_top,
        .bottom = stage->background_bottom,
        .opacity = (float)number(splats, OPACITY),
        .occlusion = (float)number(splats, OCCLUSION),
        .occlusion_radius = (float)number(splats, OCCLUSION_RADIUS) * stage->spacing,
        .particle_radius = 0.5f * stage->spacing * (float)number(splats, RADIUS_SCALE),
        .translucency = 0.15f * stage->diagonal,
        .checker = stage->ground.checker,
        .center = stage->ground.center,
        .fade = stage->ground.fade,
        .transparent = number(splats, BLEND) == 1,
        .outdoor = stage->outdoor,
        .dome = sl_stage_sky(stage, c->right, c->up, c->forward)};
    f->look.half = sl_unit(sl_add(f->look.to_light, sl_vec3(0, 0, -1)));
}

static SlStatus set_scene(Splats *splats, const SlFrameView *view, SlError *error)
{
    SlSplatFrame *f = &splats->frame;
    const SlRenderStage *stage = &splats->stage;
    uint32_t max_solids = (uint32_t)view->collider_count + 1;
    const double *rgb = splats->values[COLOR].number;
    SlVec3 color = {(float)rgb[0], (float)rgb[1], (float)rgb[2]};
    SlColoring coloring = {.field = splats->values[COLOR_BY].text,
                           .map = (uint32_t)number(splats, COLOR_MAP),
                           .minimum = (float)number(splats, COLOR_MIN),
                           .maximum = (float)number(splats, COLOR_MAX),
                           .solid = sl_color_from_srgb(color),
                           .radius_scale = (float)number(splats, RADIUS_SCALE),
                           .scene = stage->scene};
    uint32_t more_colors = 2 * max_solids; /* solids, background, meshes */
    SlStatus status = sl_splats_gather(splats->context, &splats->scratch, view, &coloring,
                                       more_colors, f, error);
    if (status != SL_OK)
        return status;
    SlSolid *solids = SL_PUSH(&splats->scratch, SlSolid, max_solids);
    if (solids == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %u solids", max_solids);
    f->solids = solids;
    f->solid_count = sl_splats_solids(view, stage, splats->solid, solids);
    uint32_t *colors = f->color + f->count;
    for (uint32_t k = 0; k < f->solid_count; k++) {
        sl_splats_bound_solid(f, &solids[k]);
        colors[k] = sl_color_pack(solids[k].color);
    }
    colors[f->solid_count] = 0;
    for (size_t k = 0; k < view->collider_count; k++)
        f->color[sl_mesh_id(f) + k] = sl_color_pack(
            sl_stage_color(&view->colliders[k].material, SL_MATERIAL_SOLID, stage->solid_color));
    return sl_splats_gather_meshes(splats->context, &splats->scratch, view, f, error);
}

/* --- The passes of a picture, in their order. --- */

static size_t tile_count(const Splats *splats)
{
    return (size_t)splats->frame.tiles_x * splats->frame.tiles_y;
}

static void shadow_pass(Splats *splats)
{
    const SlSplatFrame *f = &splats->frame;
    SlPool *pool = splats->context->pool;
    if (f->shadow.size == 0)
        return;
    sl_parallel_for(pool, (size_t)f->shadow.tiles * f->shadow.tiles, 1, shadow_tile, splats);
    if (f->look.transparent)
        sl_parallel_for(pool, f->count, PARTICLE_CHUNK, light_chunk, splats);
}

static void raster_pass(Splats *splats)
{
    sl_parallel_for(splats->context->pool, tile_count(splats), 1, raster_tile, splats);
}

static void light_pass(Splats *splats)
{
    sl_parallel_for(splats->context->pool, tile_count(splats), 1, light_tile, splats);
    sl_parallel_for(splats->context->pool, tile_count(splats), 1, blur_tile, splats);
}

static void shade_pass(Splats *splats)
{
    sl_parallel_for(splats->context->pool, tile_count(splats), 1, shade_tile, splats);
    if (splats->stage.draw_edges)
        sl_splats_edges(&splats->frame, &splats->stage);
}

void sl_splats_raster(void *state)
{
    raster_pass(state);
}

static void (*const passes[])(Splats *splats) = {shadow_pass, raster_pass, light_pass, shade_pass};

enum { PASS_COUNT = sizeof passes / sizeof passes[0] };

/* Particles and solids as the passes need them; nothing of the view is read later. */
SlStatus sl_splats_begin(void *state, const SlRenderJob *job, const SlRenderStage *stage,
                         uint32_t *count, SlError *error)
{
    Splats *splats = state;
    SlSplatFrame *f = &splats->frame;
    sl_arena_reset(&splats->scratch);
    *count = PASS_COUNT;
    splats->pass = 0;
    splats->stage = *stage;
    f->camera = sl_camera_frame(job->camera, f->width, f->height);
    f->rays = sl_splats_camera_rays(&f->camera);
    set_look(splats, f);
    sl_splats_aim_shadow(&splats->stage, &f->camera, &f->shadow);
    SlMeshedView meshed;
    SlStatus status = sl_meshed_view_make(splats->context, &splats->scratch, job->view,
                                          splats->solid, &meshed, error);
    if (status == SL_OK)
        status = set_scene(splats, &meshed.view, error);
    sl_meshed_view_free(&meshed);
    if (status != SL_OK)
        return status;
    bool ready = sort_particles(splats);
    f->light = NULL;
    if (sl_job_names(job, "color")) {
        f->light = SL_PUSH(&splats->scratch, float, 3 * (size_t)f->width * f->height);
        ready = ready && f->light != NULL;
    }
    return ready ? SL_OK
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory to draw %zu particles",
                                f->count);
}

static SlStatus begin(void *state, const SlRenderJob *job, uint32_t *count, SlError *error)
{
    const Splats *splats = state;
    SlRenderStage stage = sl_stage_make(job->view, splats->values);
    return sl_splats_begin(state, job, &stage, count, error);
}

SlSplatFrame *sl_splats_frame(void *state)
{
    Splats *splats = state;
    return &splats->frame;
}

static SlStatus accumulate(void *state, SlError *error)
{
    (void)error;
    Splats *splats = state;
    passes[splats->pass++](splats);
    return SL_OK;
}

static SlStatus resolve(void *state, SlTarget *target, SlError *error)
{
    (void)error;
    const Splats *splats = state;
    sl_splats_resolve(splats->context, &splats->frame, target);
    return SL_OK;
}

static SlStatus image(void *state, const SlImage **result, SlError *error)
{
    (void)error;
    const Splats *splats = state;
    *result = &splats->image;
    return SL_OK;
}

static const char *const planes[] = {"color", "depth", "normal", "albedo"};

const SlRendererKind sl_renderer_splats = {
    .table = &sl_splats_table,
    .planes = planes,
    .plane_count = sizeof planes / sizeof planes[0],
    .state_bytes = sizeof(Splats),
    .init = init,
    .begin = begin,
    .accumulate = accumulate,
    .resolve = resolve,
    .image = image,
    .destroy = destroy,
};

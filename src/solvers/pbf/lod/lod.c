/* The models of level of detail, and the levels they give [Köster 2016 eq. 8]. */
#include "solvers/pbf/lod/lod.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

/* Resolution of our own depth image: a few pixels per splash are enough. */
enum { IMAGE_WIDTH = 320, IMAGE_HEIGHT = 180, CHUNK = 4096 };

static SlVec3 position_of(const float *records, size_t i)
{
    return (SlVec3){records[4 * i], records[4 * i + 1], records[4 * i + 2]};
}

/* --- The models --- */

/* Distance to camera. */
static void distance_to_camera(const SlLodQuery *q, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        q->distance[i] = sl_length(sl_sub(position_of(q->records, i), q->frame.eye));
}

/* The nearest quarter of the range: over all of it nearly all particles would get middle levels, and
   little time would be saved. */
static void near_quarter(const SlLodSettings *settings, double smallest, double greatest,
                         double *near, double *far)
{
    *near = smallest;
    *far = smallest + fmax(0.25 * (greatest - smallest), settings->spacing);
}

/* Distance to the visible surface, along the view: the depth behind what is seen first. Particles
   outside the image are out of view. */
static void distance_to_surface(const SlLodQuery *q, size_t begin, size_t end)
{
    sl_depth_behind(q->context, q->image, begin, end, q->distance);
}

static void some_spacings(const SlLodSettings *settings, double smallest, double greatest,
                          double *near, double *far)
{
    (void)smallest;
    (void)greatest;
    *near = settings->spacing;
    *far = 4 * settings->spacing;
}

static const SlLodModel to_camera = {.name = "dtc",
                                     .summary = "distance to camera",
                                     .citation = "[Köster 2016 section 4.1]",
                                     .needs_extremes = true,
                                     .distances = distance_to_camera,
                                     .automatic = near_quarter};
static const SlLodModel to_surface = {.name = "dtvs",
                                      .summary = "distance to visible surface",
                                      .citation = "[Köster 2016 section 4.2]",
                                      .needs_image = true,
                                      .distances = distance_to_surface,
                                      .automatic = some_spacings};
const SlLodModel *const sl_lod_models[SL_LOD_KINDS] = {NULL, &to_camera, &to_surface};

/* --- From distances to levels --- */

typedef struct Assign {
    SlLodQuery query;
    const SlLodModel *model;
    double (*extremes)[2]; /* per chunk: smallest and greatest finite distance */
    double near, far;
    float weight; /* of this camera in the blend */
    bool highest; /* blend by maximum */
    float *height; /* per particle: 0 at the lowest level to 1 at the highest */
    uint32_t *levels;
} Assign;

static void distances_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Assign *a = argument;
    a->model->distances(&a->query, begin, end);
    if (!a->model->needs_extremes)
        return;
    double smallest = INFINITY, greatest = 0;
    for (size_t i = begin; i < end; i++) {
        double d = (double)a->query.distance[i];
        smallest = d < smallest ? d : smallest;
        greatest = d > greatest && d < 1e30 ? d : greatest;
    }
    a->extremes[chunk][0] = smallest;
    a->extremes[chunk][1] = greatest;
}

/* The height of a level between the lowest and the highest, 0 to 1; t is 1 when near. */
static float mapped(const SlLodSettings *settings, float t)
{
    if (settings->map == SL_LOD_SMOOTHSTEP)
        return t * t * (3 - 2 * t);
    return settings->map == SL_LOD_POWER ? (float)pow((double)t, settings->power) : t;
}

static inline float between_0_and_1(float t)
{
    return t < 0 ? 0 : t < 1 ? t : 1;
}

static void heights_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Assign *a = argument;
    float far = (float)a->far, per_metre = (float)(1 / (a->far - a->near));
    float *t = a->query.distance; /* in place */
    for (size_t i = begin; i < end; i++)
        t[i] = between_0_and_1((far - t[i]) * per_metre);
    if (a->query.settings->map != SL_LOD_LINEAR)
        for (size_t i = begin; i < end; i++)
            t[i] = mapped(a->query.settings, t[i]);
    float *height = a->height, weight = a->weight;
    if (a->highest)
        for (size_t i = begin; i < end; i++)
            height[i] = t[i] > height[i] ? t[i] : height[i];
    else
        for (size_t i = begin; i < end; i++)
            height[i] += weight * t[i];
}

static void levels_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    Assign *a = argument;
    const SlLodSettings *s = a->query.settings;
    uint32_t lowest = s->min_level, *levels = a->levels;
    const float *height = a->height;
    float range = (float)(s->max_level - s->min_level);
    for (size_t i = begin; i < end; i++)
        levels[i] = lowest + (uint32_t)(int32_t)(height[i] * range + 0.5f);
}

/* Adds one camera's heights to the blend. */
static void blend_camera(const SlSystem *system, Assign *a, size_t chunks)
{
    SlPool *pool = system->context->pool;
    size_t count = system->particles.count;
    sl_parallel_for(pool, count, CHUNK, distances_chunk, a);
    double smallest = INFINITY, greatest = 0;
    for (size_t c = 0; a->model->needs_extremes && c < chunks; c++) {
        smallest = fmin(smallest, a->extremes[c][0]);
        greatest = fmax(greatest, a->extremes[c][1]);
    }
    a->near = a->query.settings->near;
    a->far = a->query.settings->far;
    if (a->far <= 0)
        a->model->automatic(a->query.settings, smallest, greatest, &a->near, &a->far);
    sl_parallel_for(pool, count, CHUNK, heights_chunk, a);
}

/* --- Depth images --- */

static const SlDepthView *host_view(const SlSurroundings *around, size_t camera)
{
    const SlDepthView *view = around->depth_views != NULL ? &around->depth_views[camera] : NULL;
    return view != NULL && view->depth != NULL ? view : NULL;
}

/* The host's depth image of a camera where it handed one in, else our own. */
static SlStatus make_image(SlSystem *system, size_t camera, const SlSpheres *spheres,
                           SlDepthImage *image, SlError *error)
{
    const SlSurroundings *around = &system->surroundings;
    const SlDepthView *view = host_view(around, camera);
    SlContext *context = system->context;
    bool made = view != NULL
                    ? sl_depth_from_view(context, &system->arena, view, spheres, image)
                    : sl_depth_draw(context, &system->arena, &around->cameras[camera], spheres,
                                    IMAGE_WIDTH, IMAGE_HEIGHT, image);
    return made ? SL_OK : sl_error_set(error, SL_ERROR_MEMORY, "no memory for a depth image");
}

/* Particles seen first in some pixel, found in a host's image: the front of the sphere is not behind
   the image there. The sphere is that of our own images (spatial/depth.c). */
typedef struct Visible {
    const SlDepthImage *image;
    float radius; /* m */
    uint32_t *levels;
    uint32_t max_level;
} Visible;

static bool is_visible(const Visible *v, const SlSpot *s)
{
    const SlDepthImage *image = v->image;
    int32_t width = (int32_t)image->width, height = (int32_t)image->height;
    float left = s->x - s->radius, top = s->y - s->radius, inverse = 1 / s->radius;
    int32_t x0 = left > 0 ? (int32_t)left : 0, y0 = top > 0 ? (int32_t)top : 0;
    int32_t x1 = (int32_t)(s->x + s->radius), y1 = (int32_t)(s->y + s->radius);
    x1 = x1 < width - 1 ? x1 : width - 1;
    y1 = y1 < height - 1 ? y1 : height - 1;
    for (int32_t y = y0; y <= y1; y++) {
        float b = ((float)y + 0.5f - s->y) * inverse;
        for (int32_t x = x0; x <= x1; x++) {
            float a = ((float)x + 0.5f - s->x) * inverse, rest = 1 - a * a - b * b;
            size_t pixel = (size_t)y * (size_t)width + (size_t)x;
            if (rest >= 0 && s->depth - v->radius * sqrtf(rest) <= image->depth[pixel])
                return true;
        }
    }
    return false;
}

static void visible_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Visible *v = argument;
    for (size_t i = begin; i < end; i++)
        if (v->levels[i] < v->max_level && v->image->spots[i].radius > 0 &&
            is_visible(v, &v->image->spots[i]))
            v->levels[i] = v->max_level;
}

/* A particle seen first in some pixel has the highest level, even if its centre is hidden. */
static void raise_visible(const SlSystem *system, const SlDepthImage *image, float radius,
                          uint32_t max_level, uint32_t *levels)
{
    Visible visible = {image, radius, levels, max_level};
    if (image->seen == NULL)
        sl_parallel_for(system->context->pool, system->particles.count, CHUNK, visible_chunk,
                        &visible);
    for (size_t p = 0; image->seen != NULL && p < (size_t)image->width * image->height; p++)
        if (image->seen[p] != SL_DEPTH_NONE)
            levels[image->seen[p]] = max_level;
}

/* --- Levels of all particles --- */

SlStatus sl_lod_check(const SlSystem *system, const SlLodSettings *settings, SlError *error)
{
    if (settings->kind == SL_LOD_NONE)
        return SL_OK;
    if (settings->far > 0 && settings->near > settings->far)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: \"lod_near\" is %g m and beyond \"lod_far\", %g m; the highest "
                            "level is at the near distance, so lod_near <= lod_far",
                            system->name, settings->near, settings->far);
    if (settings->min_level > settings->max_level)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: \"lod_min\" is %u and above \"iterations\", %u; the lowest level "
                            "may be at most the number of iterations",
                            system->name, settings->min_level, settings->max_level);
    return SL_OK;
}

SlStatus sl_lod_assign(SlSystem *system, const SlLodSettings *settings, const float *records,
                       uint32_t *levels, SlError *error)
{
    const SlSurroundings *around = &system->surroundings;
    SlArena *arena = &system->arena;
    size_t count = system->particles.count, chunks = sl_chunk_count(count, CHUNK);
    if (around->camera_count == 0)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: level of detail needs a camera: give the scene one with a weight, "
                            "or call sl_world_set_cameras",
                            system->name);
    Assign a = {.model = sl_lod_models[settings->kind],
                .extremes = (double(*)[2])sl_arena_push_array(arena, chunks, 2 * sizeof(double)),
                .highest = settings->blend == SL_LOD_MAX,
                .height = SL_PUSH(arena, float, count),
                .levels = levels};
    float *distance = SL_PUSH(arena, float, count + 8); /* written by eights */
    if (a.extremes == NULL || a.height == NULL || distance == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for levels of detail");
    memset(a.height, 0, count * sizeof *a.height);
    double weights = 0;
    for (size_t k = 0; k < around->camera_count; k++)
        weights += settings->blend == SL_LOD_WEIGHTED ? (double)around->cameras[k].weight : 1;
    SlSpheres spheres = {records, count, (float)(0.5 * settings->spacing)};
    SlDepthImage images[SL_MAX_CAMERAS];
    for (size_t k = 0; k < around->camera_count; k++) {
        const SlCamera *camera = &around->cameras[k];
        a.weight =
            (float)((settings->blend == SL_LOD_WEIGHTED ? (double)camera->weight : 1) / weights);
        SlStatus status =
            a.model->needs_image ? make_image(system, k, &spheres, &images[k], error) : SL_OK;
        if (status != SL_OK)
            return status;
        a.query = (SlLodQuery){
            system->context, settings, sl_camera_frame(camera, IMAGE_WIDTH, IMAGE_HEIGHT),
            &images[k],      records,  distance};
        blend_camera(system, &a, chunks);
    }
    sl_parallel_for(system->context->pool, count, CHUNK, levels_chunk, &a);
    for (size_t k = 0; a.model->needs_image && k < around->camera_count; k++)
        raise_visible(system, &images[k], spheres.radius, settings->max_level, levels);
    return SL_OK;
}

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

/* What a camera sees: the host's image where it handed one in, else one drawn from the particles. */
static SlStatus make_image(SlSystem *system, size_t camera, const SlSpheres *spheres,
                           SlDepthImage *image, SlError *error)
{
    const SlSurroundings *around = &system->surroundings;
    const SlDepthView *view = around->depth_views != NULL ? &around->depth_views[camera] : NULL;
    bool made = view != NULL && view->depth != NULL
                    ? sl_depth_from_view(system->context, &system->arena, view, spheres, image)
                    : sl_depth_draw(system->context, &system->arena, &around->cameras[camera],
                                    spheres, IMAGE_WIDTH, IMAGE_HEIGHT, image);
    return made ? SL_OK : sl_error_set(error, SL_ERROR_MEMORY, "no memory for a depth image");
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
    SlDepthImage images[SL_MAX_CAMERAS];
    for (size_t k = 0; k < around->camera_count; k++) {
        const SlCamera *camera = &around->cameras[k];
        a.weight =
            (float)((settings->blend == SL_LOD_WEIGHTED ? (double)camera->weight : 1) / weights);
        if (a.model->needs_image) {
            SlSpheres spheres = {records, count, (float)(0.5 * settings->spacing)};
            SlStatus status = make_image(system, k, &spheres, &images[k], error);
            if (status != SL_OK)
                return status;
        }
        a.query = (SlLodQuery){
            system->context, settings, sl_camera_frame(camera, IMAGE_WIDTH, IMAGE_HEIGHT),
            &images[k],      records,  distance};
        blend_camera(system, &a, chunks);
    }
    sl_parallel_for(system->context->pool, count, CHUNK, levels_chunk, &a);
    /* A particle seen first in some pixel has the highest level, even if its centre is hidden. */
    for (size_t k = 0; a.model->needs_image && k < around->camera_count; k++) {
        size_t pixels = images[k].seen != NULL ? (size_t)images[k].width * images[k].height : 0;
        for (size_t p = 0; p < pixels; p++)
            if (images[k].seen[p] != SL_DEPTH_NONE)
                levels[images[k].seen[p]] = settings->max_level;
    }
    return SL_OK;
}

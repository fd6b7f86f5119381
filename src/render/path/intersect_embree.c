/* Rays by Embree, version 3 or 4, whichever CMake found; without it this file offers nothing and
   intersect_bvh.c does the work. One thread of Embree's builds the tree, so it is the same each time.

   Embree reports any one of several hits at the same distance, by the order of its tree. A filter that it
   calls for each candidate takes the smallest primitive of them, as Sleet's own tree does. */
#include <math.h>
#include <string.h>

#include "config.h"
#include "render/path/intersect.h"

#if SLEET_HAVE_EMBREE
#if SLEET_HAVE_EMBREE == 4
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

/* A ray's context, as Embree's with what the filter remembers. Embree hands it back by its first member. */
typedef struct Query {
#if SLEET_HAVE_EMBREE == 4
    struct RTCRayQueryContext context;
#else
    struct RTCIntersectContext context;
#endif
    float t;            /* of the nearest hit so far */
    uint32_t primitive; /* ours */
} Query;

typedef struct State {
    SlContext *context;
    RTCDevice device;
    /* By mask: opaque, clear, all primitives. Embree's own masks are off in many builds of it. */
    RTCScene scene[4];
    /* Embree's geometries: triangles and spheres, opaque and clear; the index is their number. */
    uint32_t *primitive[4]; /* ours, of theirs */
    size_t count[4];
} State;

enum { TRIANGLES, CLEAR_TRIANGLES, SPHERES, CLEAR_SPHERES };

static SlStatus device_error(State *state, SlError *error)
{
    enum RTCError code = rtcGetDeviceError(state->device);
    return code == RTC_ERROR_NONE
               ? SL_OK
               : sl_error_set(error, code == RTC_ERROR_OUT_OF_MEMORY ? SL_ERROR_MEMORY : SL_ERROR_UNSUPPORTED,
                              "Embree reports error %d; set intersector to bvh", (int)code);
}

/* The primitives of a class. */
static bool list(State *state, int kind, const uint8_t *classes, size_t count, size_t first)
{
    uint8_t wanted = kind % 2 == 1 ? SL_RAY_CLEAR : SL_RAY_OPAQUE;
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        found += classes[k] == wanted;
    state->count[kind] = found;
    if (found == 0)
        return true;
    state->primitive[kind] = sl_alloc(&state->context->memory, found * sizeof(uint32_t));
    if (state->primitive[kind] == NULL)
        return false;
    found = 0;
    for (size_t k = 0; k < count; k++)
        if (classes[k] == wanted)
            state->primitive[kind][found++] = (uint32_t)(first + k);
    return true;
}

/* Candidates come with t not above that of the hit before them. Rays are sent one by one, and a packet
   of one has the layout of RTCRay and RTCHit (Embree's functions that read packets are C++ only). */
static void break_tie(const struct RTCFilterFunctionNArguments *candidate)
{
    Query *query = (Query *)candidate->context;
    const uint32_t *primitives = candidate->geometryUserPtr;
    float t = ((const struct RTCRay *)candidate->ray)->tfar;
    uint32_t primitive = primitives[((const struct RTCHit *)candidate->hit)->primID];
    if (t == query->t && primitive > query->primitive) {
        candidate->valid[0] = 0;
        return;
    }
    query->t = t;
    query->primitive = primitive;
}

static void attach(State *state, RTCGeometry geometry, int kind)
{
    rtcSetGeometryUserData(geometry, state->primitive[kind]);
    rtcSetGeometryIntersectFilterFunction(geometry, break_tie);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(state->scene[SL_RAY_ALL], geometry, (unsigned int)kind);
    rtcAttachGeometryByID(state->scene[kind % 2 == 1 ? SL_RAY_CLEAR : SL_RAY_OPAQUE], geometry,
                          (unsigned int)kind);
    rtcReleaseGeometry(geometry);
}

static bool add_triangles(State *state, const SlGeometry *g, int kind)
{
    size_t count = state->count[kind];
    unsigned int steps = g->motion != NULL ? 2 : 1;
    if (count == 0)
        return true;
    RTCGeometry geometry = rtcNewGeometry(state->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned int step = 0; step < steps; step++) {
        float *to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT3,
                                            3 * sizeof(float), g->vertex_count);
        if (to == NULL)
            return false;
        for (size_t k = 0; k < 3 * g->vertex_count; k++)
            to[k] = g->positions[k] + (step == 1 ? g->motion[k] : 0);
    }
    uint32_t *index = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                              3 * sizeof(uint32_t), count);
    if (index == NULL)
        return false;
    for (size_t k = 0; k < count; k++)
        memcpy(index + 3 * k, g->triangles + 3 * (size_t)state->primitive[kind][k], 3 * sizeof *index);
    attach(state, geometry, kind);
    return true;
}

static bool add_spheres(State *state, const SlGeometry *g, int kind)
{
    size_t count = state->count[kind];
    unsigned int steps = g->sphere_motion != NULL ? 2 : 1;
    if (count == 0)
        return true;
    RTCGeometry geometry = rtcNewGeometry(state->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned int step = 0; step < steps; step++) {
        float *to = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT4,
                                            4 * sizeof(float), count);
        if (to == NULL)
            return false;
        for (size_t k = 0; k < count; k++) {
            size_t sphere = state->primitive[kind][k] - g->triangle_count;
            memcpy(to + 4 * k, g->spheres + 4 * sphere, 4 * sizeof *to);
            for (size_t c = 0; c < 3 && step == 1; c++)
                to[4 * k + c] += g->sphere_motion[3 * sphere + c];
        }
    }
    attach(state, geometry, kind);
    return true;
}

static SlStatus build(void *memory, SlContext *context, const SlGeometry *g, SlError *error)
{
    State *state = memory;
    state->context = context;
    state->device = rtcNewDevice("threads=1,user_threads=1");
    if (state->device == NULL)
        return sl_error_set(error, SL_ERROR_UNSUPPORTED, "Embree gives no device; set intersector to bvh");
    for (int k = 1; k < 4; k++) {
        state->scene[k] = rtcNewScene(state->device);
        rtcSetSceneFlags(state->scene[k], RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(state->scene[k], RTC_BUILD_QUALITY_MEDIUM);
    }
    bool ready = list(state, TRIANGLES, g->triangle_class, g->triangle_count, 0) &&
                 list(state, CLEAR_TRIANGLES, g->triangle_class, g->triangle_count, 0) &&
                 list(state, SPHERES, g->sphere_class, g->sphere_count, g->triangle_count) &&
                 list(state, CLEAR_SPHERES, g->sphere_class, g->sphere_count, g->triangle_count) &&
                 add_triangles(state, g, TRIANGLES) && add_triangles(state, g, CLEAR_TRIANGLES) &&
                 add_spheres(state, g, SPHERES) && add_spheres(state, g, CLEAR_SPHERES);
    if (!ready)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for Embree's %zu primitives",
                            g->triangle_count + g->sphere_count);
    for (int k = 1; k < 4; k++)
        rtcCommitScene(state->scene[k]);
    return device_error(state, error);
}

static void destroy(void *memory)
{
    State *state = memory;
    if (state->context == NULL)
        return;
    for (int k = 1; k < 4; k++)
        if (state->scene[k] != NULL)
            rtcReleaseScene(state->scene[k]);
    if (state->device != NULL)
        rtcReleaseDevice(state->device);
    for (int k = 0; k < 4; k++)
        if (state->primitive[k] != NULL)
            sl_free(&state->context->memory, state->primitive[k], state->count[k] * sizeof(uint32_t));
}

static struct RTCRay ray_of(const SlRay *ray)
{
    return (struct RTCRay){.org_x = ray->origin.x, .org_y = ray->origin.y, .org_z = ray->origin.z,
                           .dir_x = ray->direction.x, .dir_y = ray->direction.y, .dir_z = ray->direction.z,
                           .time = ray->time, .tfar = ray->t_max, .mask = UINT32_MAX};
}

static bool closest(const void *memory, const SlRay *ray, uint32_t mask, SlHit *hit)
{
    const State *state = memory;
    Query query = {.t = INFINITY, .primitive = SL_NO_PRIMITIVE};
    struct RTCRayHit found = {.ray = ray_of(ray)};
    found.hit.geomID = found.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
#if SLEET_HAVE_EMBREE == 4
    struct RTCIntersectArguments arguments;
    rtcInitIntersectArguments(&arguments);
    rtcInitRayQueryContext(&query.context);
    arguments.context = &query.context;
    rtcIntersect1(state->scene[mask], &found, &arguments);
#else
    rtcInitIntersectContext(&query.context);
    rtcIntersect1(state->scene[mask], &query.context, &found);
#endif
    *hit = (SlHit){found.ray.tfar, found.hit.u, found.hit.v, SL_NO_PRIMITIVE};
    if (found.hit.geomID < 4)
        hit->primitive = state->primitive[found.hit.geomID][found.hit.primID];
    return hit->primitive != SL_NO_PRIMITIVE;
}

static bool occluded(const void *memory, const SlRay *ray, uint32_t mask)
{
    const State *state = memory;
    struct RTCRay query = ray_of(ray);
#if SLEET_HAVE_EMBREE == 4
    rtcOccluded1(state->scene[mask], &query, NULL);
#else
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(state->scene[mask], &context, &query);
#endif
    return query.tfar < 0;
}

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

static const char *label(void)
{
    return "Embree " TEXT(RTC_VERSION_MAJOR) "." TEXT(RTC_VERSION_MINOR);
}

const SlIntersectorKind *sl_intersector_embree(void)
{
    static const SlIntersectorKind kind = {.label = label,
                                           .state_bytes = sizeof(State),
                                           .build = build,
                                           .destroy = destroy,
                                           .closest = closest,
                                           .occluded = occluded};
    return &kind;
}

#else

const SlIntersectorKind *sl_intersector_embree(void)
{
    return NULL;
}

#endif

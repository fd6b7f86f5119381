/* Set-up and changes of a world: errors that are kept, gravity, cameras and depth images.

   The first error of a set-up call or of the start is kept in the world: later set-up calls do
   nothing and return it, and so do sl_world_start and steps. A program may check every call or only
   one of these. */
#include <stdio.h>
#include <string.h>

#include "math/camera.h"
#include "math/vec3.h"
#include "world/world.h"

SlStatus sl_setup_status(const SlWorld *world, SlError *error)
{
    if (world == NULL)
        return SL_ERROR_ARGUMENT; /* `error` still says why sl_world_create made none */
    if (world->error.status != SL_OK && error != NULL)
        *error = world->error;
    return world->error.status;
}

SlStatus sl_setup_end(SlWorld *world, const char *call, SlStatus status, const SlError *found,
                      SlError *error)
{
    if (status == SL_OK)
        return SL_OK;
    if (error != NULL)
        *error = *found;
    /* While it runs, a refused change is no reason to stop; what a hook stopped may be repeated. */
    if (!world->started && status != SL_ERROR_CANCELLED) {
        world->error.status = status;
        snprintf(world->error.text, sizeof world->error.text, "%s: %.450s", call, found->text);
    }
    return status;
}

const SlError *sl_world_error(const SlWorld *world)
{
    static const SlError no_world = {SL_ERROR_ARGUMENT, "there is no world"};
    return world != NULL ? &world->error : &no_world;
}

void sl_world_clear_error(SlWorld *world)
{
    if (world != NULL)
        world->error = (SlError){SL_OK, ""};
}

SlStatus sl_require_not_started(const SlWorld *world, SlError *error)
{
    if (world->started)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "the world has started; its set-up is fixed");
    return SL_OK;
}

bool sl_gravity_valid(SlVec3 gravity)
{
    return sl_finite(gravity) && sl_length(gravity) <= 1e4f;
}

static SlStatus set_cameras(SlWorld *world, const SlCamera *cameras, size_t count,
                            SlError *error)
{
    size_t counting = 0;
    if (count > SL_MAX_VIEW_CAMERAS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "a world has at most %d cameras",
                            SL_MAX_VIEW_CAMERAS);
    for (size_t k = 0; k < count; k++) {
        const char *reason;
        if (!sl_camera_valid(&cameras[k], &reason))
            return sl_error_set(error, SL_ERROR_ARGUMENT, "camera %zu: %s", k, reason);
        counting += cameras[k].weight > 0;
    }
    if (counting > SL_MAX_CAMERAS)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "at most %d cameras may have a weight",
                            SL_MAX_CAMERAS);
    sl_world_take_camera_paths(world, NULL);
    world->view_camera_count = count;
    for (size_t k = 0; k < count; k++)
        world->view_cameras[k] = world->set_cameras[k] = cameras[k];
    world->camera_count = 0;
    memset(world->depth_views, 0, sizeof world->depth_views);
    for (size_t k = 0; k < count; k++)
        if (cameras[k].weight > 0)
            world->cameras[world->camera_count++] = cameras[k];
    for (uint32_t k = 0; k < world->system_count; k++)
        world->systems[k]->base.surroundings.camera_count = world->camera_count;
    return SL_OK;
}

/* --- Cameras that move. --- */

SlSharedCameraPath *sl_camera_path_retain(SlSharedCameraPath *path)
{
    if (path != NULL)
        path->references++;
    return path;
}

void sl_camera_path_release(SlContext *context, SlSharedCameraPath *path)
{
    if (path == NULL || --path->references > 0)
        return;
    sl_free(&context->memory, (void *)path->path.keys,
            path->path.key_count * sizeof *path->path.keys);
    sl_free(&context->memory, path, sizeof *path);
}

void sl_world_take_camera_paths(SlWorld *world, SlSharedCameraPath *const *paths)
{
    for (size_t k = 0; k < SL_MAX_VIEW_CAMERAS; k++) {
        SlSharedCameraPath *old = world->camera_paths[k];
        world->camera_paths[k] = paths != NULL ? sl_camera_path_retain(paths[k]) : NULL;
        sl_camera_path_release(world->context, old);
    }
}

void sl_world_move_cameras(SlWorld *world)
{
    size_t counting = 0;
    for (size_t k = 0; k < world->view_camera_count; k++) {
        bool counts = world->set_cameras[k].weight > 0;
        if (world->camera_paths[k] != NULL) {
            world->view_cameras[k] = sl_camera_on_path(&world->set_cameras[k],
                                                       &world->camera_paths[k]->path, world->time);
            if (counts && world->depth_views[counting].depth == NULL)
                world->cameras[counting] = world->view_cameras[k];
        }
        counting += counts;
    }
}

/* A copy with one reference; NULL: no memory. */
static SlSharedCameraPath *share_path(SlContext *context, const SlCameraPath *path)
{
    size_t bytes = path->key_count * sizeof *path->keys;
    SlSharedCameraPath *shared = sl_alloc_zero(&context->memory, 1, sizeof *shared);
    SlCameraKey *keys = bytes > 0 ? sl_alloc(&context->memory, bytes) : NULL;
    if (shared == NULL || (bytes > 0 && keys == NULL)) {
        sl_free(&context->memory, keys, bytes);
        sl_free(&context->memory, shared, sizeof *shared);
        return NULL;
    }
    if (bytes > 0)
        memcpy(keys, path->keys, bytes);
    *shared = (SlSharedCameraPath){.references = 1, .path = *path};
    shared->path.keys = keys;
    return shared;
}

static SlStatus set_camera_path(SlWorld *world, size_t camera, const SlCameraPath *path,
                                SlError *error)
{
    const char *reason;
    if (camera >= world->view_camera_count)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "there is no camera %zu; there are %zu", camera,
                            world->view_camera_count);
    if (path != NULL && !sl_camera_path_valid(&world->set_cameras[camera], path, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "path of camera %zu: %s", camera, reason);
    SlSharedCameraPath *shared = NULL;
    if (path != NULL) {
        shared = share_path(world->context, path);
        if (shared == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the path of a camera");
    }
    sl_camera_path_release(world->context, world->camera_paths[camera]);
    world->camera_paths[camera] = shared;
    if (shared == NULL)
        world->view_cameras[camera] = world->set_cameras[camera];
    sl_world_move_cameras(world);
    return SL_OK;
}

static SlStatus set_depth_image(SlWorld *world, size_t camera, const SlDepthView *view,
                                SlError *error)
{
    const char *reason = NULL;
    if (camera >= world->camera_count)
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "there is no camera %zu with a weight; there are %zu", camera,
                            world->camera_count);
    if (view == NULL) {
        world->depth_views[camera].depth = NULL;
        return SL_OK;
    }
    if (view->depth == NULL || view->width < 1 || view->width > 16384 || view->height < 1 ||
        view->height > 16384)
        reason = "it has no pixels, or more than 16384 along a side";
    else if (!(view->camera.weight > 0))
        reason = "its camera has no weight";
    if (reason != NULL || !sl_camera_valid(&view->camera, &reason))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "depth image of camera %zu: %s", camera,
                            reason);
    world->cameras[camera] = view->camera;
    world->depth_views[camera] = *view;
    return SL_OK;
}

static SlStatus set_gravity(SlWorld *world, SlVec3 gravity, SlError *error)
{
    if (!sl_gravity_valid(gravity))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "gravity must be below 1e4 m/s^2");
    world->def.gravity = gravity;
    for (uint32_t k = 0; k < world->system_count; k++)
        world->systems[k]->base.surroundings.gravity = gravity;
    return SL_OK;
}

SlStatus sl_world_set_cameras(SlWorld *world, const SlCamera *cameras, size_t count,
                              SlError *error)
{
    SL_SETUP_CALL(world, error, set_cameras(world, cameras, count, &found));
}

SlStatus sl_world_set_camera_path(SlWorld *world, size_t camera, const SlCameraPath *path,
                                  SlError *error)
{
    SL_SETUP_CALL(world, error, set_camera_path(world, camera, path, &found));
}

SlStatus sl_world_set_depth_image(SlWorld *world, size_t camera, const SlDepthView *view,
                                  SlError *error)
{
    SL_SETUP_CALL(world, error, set_depth_image(world, camera, view, &found));
}

SlVec3 sl_world_gravity(const SlWorld *world)
{
    return world != NULL ? world->def.gravity : (SlVec3){0, 0, 0};
}

SlStatus sl_world_set_gravity(SlWorld *world, SlVec3 gravity, SlError *error)
{
    SL_SETUP_CALL(world, error, set_gravity(world, gravity, &found));
}

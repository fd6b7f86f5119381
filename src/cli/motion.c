/* How solids move in a frame that is drawn: their places in the frame before it, or in the one after the first.
   A frame from disk and the same frame of a live world so get the same picture, whatever frames are drawn beside
   it and however far the run has come. Of the other frame only its colliders are kept: without meshes, but for the
   vertices of those that deform. */
#include <stdlib.h>
#include <string.h>

#include "cli/draw.h"

void cli_motion_forget(CliMotion *motion)
{
    free(motion->colliders);
    free(motion->vertices);
    free(motion->names);
    memset(motion, 0, sizeof *motion);
}

SlStatus cli_motion_keep(CliMotion *motion, const SlFrameView *view, SlError *error)
{
    size_t count = view->collider_count, floats = 0, letters = 0;
    for (size_t k = 0; k < count; k++) {
        const SlColliderView *c = &view->colliders[k];
        floats += c->vertices != NULL ? 3 * c->mesh.vertex_count : 0;
        letters += strlen(c->name) + 1;
    }
    cli_motion_forget(motion);
    motion->colliders = calloc(count + 1, sizeof *motion->colliders);
    motion->vertices = calloc(floats + 1, sizeof *motion->vertices);
    motion->names = calloc(letters + 1, 1);
    if (motion->colliders == NULL || motion->vertices == NULL || motion->names == NULL) {
        cli_motion_forget(motion);
        return cli_error(error, SL_ERROR_MEMORY, "no memory for the motion of %zu colliders", count);
    }
    float *vertices = motion->vertices;
    char *name = motion->names;
    for (size_t k = 0; k < count; k++) {
        SlColliderView *c = &motion->colliders[k];
        size_t length = strlen(view->colliders[k].name) + 1;
        *c = view->colliders[k];
        memcpy(name, c->name, length);
        c->name = name;
        name += length;
        c->shape.heights = NULL;
        c->mesh.positions = NULL;
        c->mesh.triangles = NULL;
        if (c->vertices == NULL)
            continue;
        memcpy(vertices, c->vertices, 3 * c->mesh.vertex_count * sizeof *vertices);
        c->vertices = vertices;
        vertices += 3 * c->mesh.vertex_count;
    }
    motion->view = (SlFrameView){.frame = view->frame, .time = view->time, .frame_time = view->frame_time,
                                 .colliders = motion->colliders, .collider_count = count};
    motion->is_known = true;
    return SL_OK;
}

/* Keeps frame `number` of the run; a damaged one is passed over. */
static SlStatus keep_stored(CliMotion *motion, const SlRunFolder *run, uint64_t number, SlError *error)
{
    SlFrame *frame;
    SlStatus status = sl_run_folder_read_frame(run, number, &frame, error);
    if (status == SL_ERROR_PARSE)
        return SL_OK;
    if (status != SL_OK)
        return status;
    status = cli_motion_keep(motion, sl_frame_view(frame), error);
    sl_frame_destroy(frame);
    return status;
}

SlStatus cli_motion_find(CliMotion *motion, const SlRunFolder *run, uint64_t number, SlError *error)
{
    size_t count, at = 0;
    const uint64_t *numbers = sl_run_folder_frames(run, &count);
    SlStatus status = SL_OK;
    while (at < count && numbers[at] < number)
        at++;
    if (at > 0 && motion->is_known && motion->view.frame == numbers[at - 1])
        return SL_OK; /* it was drawn just before */
    cli_motion_forget(motion);
    if (at > 0)
        status = keep_stored(motion, run, numbers[at - 1], error);
    if (status == SL_OK && !motion->is_known && at + 1 < count && numbers[at] == number)
        status = keep_stored(motion, run, numbers[at + 1], error);
    return status;
}

void cli_motion_apply(const CliMotion *motion, SlRenderJob *job)
{
    if (!motion->is_known)
        return;
    if (motion->view.time > job->view->time)
        job->next = &motion->view;
    else if (motion->view.time < job->view->time)
        job->previous = &motion->view;
}

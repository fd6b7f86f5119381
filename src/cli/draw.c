#include "cli/draw.h"

#include <string.h>

SlStatus cli_drawing_open(CliDrawing *drawing, SlContext *context, const SlScene *scene,
                          const SlCamera *camera, const CliDrawingOutput *output, SlError *error)
{
    memset(drawing, 0, sizeof *drawing);
    drawing->context = context;
    drawing->camera = camera;
    drawing->wants_video = output->video_path != NULL;
    drawing->every_png = output->every_png;
    snprintf(drawing->folder, sizeof drawing->folder, "%s", output->folder);
    if (output->video_path != NULL)
        snprintf(drawing->video_path, sizeof drawing->video_path, "%s", output->video_path);
    SlStatus status = sl_folder_make(output->folder, error);
    if (status == SL_OK)
        status = sl_renderer_create(context, "splats", sl_scene_render_values(scene),
                                    &drawing->renderer, error);
    return status;
}

/* The video is opened with the first picture: its size is the renderer's. */
static SlStatus open_video(CliDrawing *drawing, const SlScene *scene, const SlImage *image,
                           SlError *error)
{
    SlStatus status =
        sl_video_open(drawing->context, drawing->video_path, image->width, image->height,
                      1 / sl_scene_frame_time(scene), &drawing->video, error);
    if (status != SL_ERROR_UNSUPPORTED)
        return status;
    cli_progress_clear();
    fprintf(stderr, "%s; every frame is written as a PNG to %s instead\n",
            error != NULL ? error->text : "no video", drawing->folder);
    drawing->wants_video = false;
    drawing->every_png = true;
    return SL_OK;
}

SlStatus cli_drawing_add(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                         bool png, SlError *error)
{
    const SlImage *image;
    SlStatus status =
        sl_renderer_draw(drawing->renderer, view, drawing->camera, &image, error);
    if (status != SL_OK)
        return status;
    drawing->draw_ms += sl_renderer_last_ms(drawing->renderer);
    if (drawing->wants_video && drawing->video == NULL)
        status = open_video(drawing, scene, image, error);
    if (status == SL_OK && drawing->video != NULL)
        status = sl_video_add(drawing->video, image, error);
    if (status == SL_OK && (png || drawing->every_png)) {
        cli_picture_path(drawing->last_png, sizeof drawing->last_png, drawing->folder,
                         view->frame);
        status = sl_image_write_png(drawing->context, image, drawing->last_png, error);
        if (drawing->pictures == 0)
            memcpy(drawing->first_png, drawing->last_png, sizeof drawing->first_png);
        drawing->pictures += status == SL_OK;
    }
    drawing->drawn += status == SL_OK;
    return status;
}

SlStatus cli_drawing_close(CliDrawing *drawing, bool keep, SlError *error)
{
    SlStatus status = SL_OK;
    if (drawing->video != NULL)
        status = sl_video_close(drawing->video, keep, error);
    drawing->video = NULL;
    sl_renderer_destroy(drawing->renderer);
    drawing->renderer = NULL;
    return status;
}

#include "cli/draw.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool cli_style(const char *command, const char *style)
{
    if (sl_style_renderer(style) != NULL)
        return true;
    bool old = strcmp(style, "opaque") == 0 || strcmp(style, "transparent") == 0;
    cli_usage_error(command, "--style takes auto, particles, water or final, not \"%.40s\"%s%.40s", style,
                    old ? "; that is --set render.blend=" : "", old ? style : "");
    return false;
}

bool cli_ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

SlStatus cli_drawing_open(CliDrawing *drawing, SlContext *context, const SlScene *scene,
                          const CliDrawingOutput *output, SlError *error)
{
    memset(drawing, 0, sizeof *drawing);
    drawing->context = context;
    drawing->run = output->run;
    drawing->region = output->region;
    drawing->wants_video = output->video_path != NULL;
    drawing->every_png = output->every_png;
    snprintf(drawing->style, sizeof drawing->style, "%s",
             output->style != NULL ? output->style : sl_scene_render_style(scene));
    if (output->folder != NULL)
        snprintf(drawing->folder, sizeof drawing->folder, "%s", output->folder);
    if (output->video_path != NULL)
        snprintf(drawing->video_path, sizeof drawing->video_path, "%s", output->video_path);
    if (output->pattern != NULL)
        snprintf(drawing->pattern, sizeof drawing->pattern, "%s", output->pattern);
    drawing->exr = output->pattern != NULL && cli_ends_in(output->pattern, ".exr");
    if (drawing->exr && !sl_has_feature("exr"))
        return cli_error(error, SL_ERROR_UNSUPPORTED,
                         "%.300s: this Sleet was built without OpenEXR (libopenexr-dev); .png files "
                         "can be written",
                         output->pattern);
    if (output->folder != NULL)
        return sl_folder_make(output->folder, error);
    /* A picture may take hours: better to know before. */
    char parent[1024] = ".";
    const char *path = output->pattern != NULL ? output->pattern : output->video_path;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL)
        snprintf(parent, sizeof parent, "%.*s", (int)(slash > path ? slash - path : 1), path);
    if (path != NULL && access(parent, W_OK) != 0)
        return cli_error(error, SL_ERROR_IO, "%.300s: cannot be written: %s", path, strerror(errno));
    return SL_OK;
}

static bool has_material(const SlFrameView *view, SlMaterialKind kind)
{
    for (size_t s = 0; s < view->system_count; s++)
        if (view->systems[s].material.kind == kind)
            return true;
    return false;
}

/* Water where the frame has a liquid. */
static bool has_liquid(const SlFrameView *view)
{
    return has_material(view, SL_MATERIAL_WATER);
}

/* A system that the filter made already. */
static bool has_result(const SlFrameView *view, const char *filter)
{
    for (size_t s = 0; s < view->system_count; s++)
        if (strcmp(view->systems[s].solver, filter) == 0)
            return true;
    return false;
}

/* The values that the scene has for a filter; NULL: it does not list it. */
static const SlParamValue *scene_filter(const SlScene *scene, const char *name)
{
    for (size_t k = 0; k < sl_scene_filter_count(scene); k++)
        if (strcmp(sl_scene_filter(scene, k).name, name) == 0)
            return sl_scene_filter(scene, k).values;
    return NULL;
}

/* A filter of frames as they come, or one whose results are stored in the run folder. */
static SlStatus open_filter(CliDrawing *drawing, const char *name, const SlParamValue *values,
                            SlError *error)
{
    bool surface = strcmp(name, "surface") == 0;
    return drawing->run == NULL
               ? sl_filter_create(drawing->context, name, values,
                                  surface ? &drawing->surface : &drawing->whitewater, error)
               : sl_run_filter_open(drawing->run, name, values, NULL,
                                    surface ? &drawing->stored_surface : &drawing->stored_whitewater,
                                    error);
}

/* The renderer's value of that name; `otherwise` where it has none. */
static double render_value(const SlTable *table, const SlParamValue *values, const char *name,
                           double otherwise)
{
    const SlParamRow *row = sl_table_find(table, name);
    return row != NULL ? values[row - table->rows].number[0] : otherwise;
}

/* The scene's filter, or one with as many points as the renderer would draw by itself, in the same places.
   Its results are not stored: they are several times the size of the frames, and soon made again. */
static SlStatus make_upsample(CliDrawing *drawing, const SlScene *scene, const SlTable *renderer,
                              const SlParamValue *look, SlError *error)
{
    enum { MAX_ROWS = 32 };
    size_t count;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, "upsample");
    const SlParamValue *given = scene_filter(scene, "upsample");
    double points = render_value(renderer, look, "snow_copies", 1);
    double reach = render_value(renderer, look, "snow_jitter", 0);
    SlParamValue values[MAX_ROWS];
    SlStatus status = SL_OK;
    if (given == NULL) {
        const SlParamRow *row = sl_table_find(table, "points");
        /* the paper's one point, or too few to turn with the snow */
        if (render_value(renderer, look, "snow_preset", 0) != 0 || points < row->minimum ||
            !(reach >= sl_table_find(table, "reach")->minimum))
            return SL_OK;
        sl_table_defaults(table, values);
        status = sl_table_set_number(table, values, "points", points, error);
        if (status == SL_OK)
            status = sl_table_set_number(table, values, "reach", reach, error);
        given = values;
    }
    if (status == SL_OK && drawing->run == NULL)
        return sl_filter_create(drawing->context, "upsample", given, &drawing->upsample, error);
    if (status == SL_OK)
        status = sl_run_filter_open(drawing->run, "upsample", given, drawing->stored_whitewater,
                                    &drawing->stored_upsample, error);
    if (status == SL_OK)
        sl_run_filter_skip_storing(drawing->stored_upsample);
    return status;
}

/* The scene's filter, or that of the liquid; of all systems where there are several. */
static SlStatus make_surface(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                             SlError *error)
{
    const SlParamValue *given = scene_filter(scene, "surface");
    if (given != NULL)
        return open_filter(drawing, "surface", given, error);
    enum { MAX_ROWS = 32 };
    size_t count, liquids = 0;
    const SlTable *const *tables = sl_filter_tables(&count);
    const SlTable *table = sl_table_named(tables, count, "surface");
    const char *name = "";
    SlParamValue values[MAX_ROWS];
    for (size_t s = 0; s < view->system_count; s++)
        if (view->systems[s].material.kind == SL_MATERIAL_WATER) {
            name = view->systems[s].name;
            liquids++;
        }
    sl_table_defaults(table, values);
    SlStatus status =
        liquids == 1 ? sl_table_set_text(table, values, "system", name, error) : SL_OK;
    return status == SL_OK ? open_filter(drawing, "surface", values, error) : status;
}

static SlStatus make_renderer(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                              SlError *error)
{
    size_t count;
    const SlTable *const *tables = sl_renderer_tables(&count);
    if (strcmp(drawing->style, "auto") == 0)
        snprintf(drawing->style, sizeof drawing->style, has_liquid(view) ? "water" : "particles");
    const char *name = sl_style_renderer(drawing->style);
    if (name == NULL)
        return cli_error(error, SL_ERROR_ARGUMENT,
                         "there is no style \"%.15s\"; it may be auto, particles, water or final",
                         drawing->style);
    const SlParamValue *values = sl_scene_render_values(scene, name);
    SlStatus status =
        sl_renderer_create(drawing->context, name, values, &drawing->renderer, error);
    const SlTable *table = sl_table_named(tables, count, name);
    const SlParamRow *surface = sl_table_find(table, "surface");
    drawing->blurs = sl_table_find(table, "shutter") != NULL &&
                     (drawing->exr || render_value(table, values, "shutter", 0) > 0);
    /* Snow and solids have neither a surface of water nor whitewater. */
    bool liquid = has_liquid(view);
    if (status != SL_OK)
        return status;
    if (surface == NULL) /* particles as they are; whitewater is among them where the scene lists it */
        return liquid && scene_filter(scene, "whitewater") != NULL && !has_result(view, "whitewater")
                   ? open_filter(drawing, "whitewater", scene_filter(scene, "whitewater"), error)
                   : SL_OK;
    if (liquid && values[surface - table->rows].number[0] != 0)
        status = make_surface(drawing, scene, view, error);
    /* A run may have made its whitewater already. */
    const SlTable *const *filters = sl_filter_tables(&count);
    const SlParamRow *foam = sl_table_find(table, "foam");
    bool white = liquid && values[foam - table->rows].number[0] > 0;
    if (status == SL_OK && white && !has_result(view, "whitewater") &&
        sl_table_named(filters, count, "whitewater") != NULL)
        status = open_filter(drawing, "whitewater", scene_filter(scene, "whitewater"), error);
    bool finer = render_value(table, values, "snow_upsample", 0) != 0 &&
                 has_material(view, SL_MATERIAL_SNOW) && !has_result(view, "upsample");
    if (status == SL_OK && finer)
        status = make_upsample(drawing, scene, table, values, error);
    return status;
}

/* The frame of the run folder with the surfaces of one stored result and the systems of another. */
static SlStatus apply_stored(CliDrawing *drawing, const SlFrameView **view, SlError *error)
{
    uint64_t number = (*view)->frame;
    const SlFrameView *given = *view, *surface = given, *particles = given;
    SlRunFilter *last = drawing->stored_upsample != NULL ? drawing->stored_upsample
                                                         : drawing->stored_whitewater;
    SlStatus status = SL_OK;
    if (drawing->stored_surface != NULL)
        status = sl_run_filter_frame(drawing->stored_surface, number, &surface, error);
    if (status == SL_OK && last != NULL)
        status = sl_run_filter_frame(last, number, &particles, error);
    if (status != SL_OK)
        return status;
    drawing->merged = *given;
    drawing->merged.surfaces = surface->surfaces;
    drawing->merged.surface_count = surface->surface_count;
    drawing->merged.systems = particles->systems;
    drawing->merged.system_count = particles->system_count;
    *view = &drawing->merged;
    return SL_OK;
}

/* The frame with what the style needs besides particles. */
static SlStatus apply_filters(CliDrawing *drawing, const SlFrameView **view, SlError *error)
{
    double began = sl_machine_seconds();
    SlStatus status = SL_OK;
    if (drawing->run != NULL)
        status = apply_stored(drawing, view, error);
    if (drawing->surface != NULL)
        status = sl_filter_apply(drawing->surface, *view, view, error);
    if (status == SL_OK && drawing->whitewater != NULL)
        status = sl_filter_apply(drawing->whitewater, *view, view, error);
    if (status == SL_OK && drawing->upsample != NULL)
        status = sl_filter_apply(drawing->upsample, *view, view, error);
    drawing->filter_ms += 1e3 * (sl_machine_seconds() - began);
    return status;
}

SlStatus cli_drawing_warm(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                          bool *wanted, SlError *error)
{
    const SlFrameView *output;
    SlStatus status = SL_OK;
    if (drawing->renderer == NULL)
        status = make_renderer(drawing, scene, view, error);
    *wanted = status == SL_OK &&
              (drawing->whitewater != NULL || drawing->upsample != NULL || drawing->blurs);
    if (status == SL_OK && drawing->whitewater != NULL)
        status = sl_filter_apply(drawing->whitewater, view, &output, error);
    if (status == SL_OK && drawing->upsample != NULL)
        status = sl_filter_apply(drawing->upsample, view, &output, error);
    if (status == SL_OK && drawing->blurs)
        status = cli_motion_keep(&drawing->motion, view, error);
    return status;
}

SlStatus cli_drawing_pass(CliDrawing *drawing, const SlFrameView *view, SlError *error)
{
    return cli_motion_keep(&drawing->motion, view, error);
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

/* The planes that the renderer fills, for EXR files. */
static size_t list_planes(const CliDrawing *drawing, const char **planes, size_t room)
{
    size_t count, used = 0;
    const SlPlaneInfo *infos = sl_plane_infos(&count);
    for (size_t k = 0; drawing->exr && k < count && used < room; k++)
        if (sl_renderer_fills(drawing->renderer, infos[k].name))
            planes[used++] = infos[k].name;
    return used;
}

/* The picture as an image, and as planes where EXR files are written. */
static SlStatus draw(CliDrawing *drawing, const SlFrameView *view, const SlImage **image,
                     SlError *error)
{
    enum { MAX_PLANES = 16 };
    SlRenderer *renderer = drawing->renderer;
    const char *planes[MAX_PLANES];
    SlRenderJob job = sl_default_render_job(view);
    job.camera = drawing->camera;
    job.region = drawing->region;
    job.planes = planes;
    job.plane_count = list_planes(drawing, planes, MAX_PLANES);
    cli_motion_apply(&drawing->motion, &job);
    SlStatus status = sl_render_begin(renderer, &job, error);
    uint32_t remaining = 1;
    bool part = job.region.width > 0;
    while (status == SL_OK && remaining > 0)
        status = sl_render_accumulate(renderer, &remaining, error);
    if (status == SL_OK && (!drawing->exr || drawing->wants_video))
        status = sl_render_image(renderer, image, error);
    if (status == SL_OK && drawing->exr && drawing->target == NULL)
        status = sl_target_create(drawing->context,
                                  part ? job.region.width : sl_renderer_width(renderer),
                                  part ? job.region.height : sl_renderer_height(renderer), planes,
                                  job.plane_count, &drawing->target, error);
    if (status == SL_OK && drawing->exr)
        status = sl_render_resolve(renderer, drawing->target, error);
    if (status == SL_OK)
        sl_render_report(renderer, &drawing->report);
    return status;
}

static SlStatus write_picture(CliDrawing *drawing, const SlFrameView *view, const SlImage *image,
                              SlError *error)
{
    if (drawing->pattern[0] != '\0')
        cli_numbered_path(drawing->last_png, sizeof drawing->last_png, drawing->pattern,
                          view->frame);
    else
        cli_picture_path(drawing->last_png, sizeof drawing->last_png, drawing->folder, view->frame);
    SlStatus status =
        drawing->exr
            ? sl_target_write_exr(drawing->target, drawing->last_png, SL_EXR_HALF, error)
            : sl_image_write_png(drawing->context, image, drawing->last_png, error);
    if (drawing->pictures == 0)
        memcpy(drawing->first_png, drawing->last_png, sizeof drawing->first_png);
    drawing->pictures += status == SL_OK;
    return status;
}

SlStatus cli_drawing_add(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                         bool png, SlError *error)
{
    const SlImage *image = NULL;
    SlStatus status = SL_OK;
    if (drawing->renderer == NULL)
        status = make_renderer(drawing, scene, view, error);
    bool moves = drawing->blurs && view->collider_count > 0;
    if (status == SL_OK && moves && drawing->run != NULL)
        status = cli_motion_find(&drawing->motion, drawing->run, view->frame, error);
    if (status == SL_OK)
        status = apply_filters(drawing, &view, error);
    if (status == SL_OK)
        status = draw(drawing, view, &image, error);
    if (status == SL_OK && moves)
        status = cli_motion_keep(&drawing->motion, view, error);
    if (status != SL_OK)
        return status;
    drawing->draw_ms += sl_renderer_last_ms(drawing->renderer);
    if (drawing->wants_video && drawing->video == NULL && image != NULL)
        status = open_video(drawing, scene, image, error);
    if (status == SL_OK && drawing->video != NULL)
        status = sl_video_add(drawing->video, image, error);
    if (status == SL_OK && (png || drawing->every_png))
        status = write_picture(drawing, view, image, error);
    drawing->drawn += status == SL_OK;
    return status;
}

SlStatus cli_drawing_close(CliDrawing *drawing, bool keep, SlError *error)
{
    SlStatus status = SL_OK;
    if (drawing->video != NULL)
        status = sl_video_close(drawing->video, keep, error);
    drawing->video = NULL;
    cli_motion_forget(&drawing->motion);
    sl_target_destroy(drawing->target);
    drawing->target = NULL;
    sl_filter_destroy(drawing->surface);
    sl_filter_destroy(drawing->whitewater);
    sl_filter_destroy(drawing->upsample);
    sl_run_filter_close(drawing->stored_upsample); /* reads what stored_whitewater made */
    sl_run_filter_close(drawing->stored_surface);
    sl_run_filter_close(drawing->stored_whitewater);
    sl_renderer_destroy(drawing->renderer);
    drawing->renderer = NULL;
    drawing->surface = drawing->whitewater = drawing->upsample = NULL;
    drawing->stored_surface = drawing->stored_whitewater = drawing->stored_upsample = NULL;
    return status;
}

/* What a renderer is: its parameters, the planes it fills, and the functions that make one picture:
   begin, accumulate until no pass remains, resolve. A new renderer is a file that ends in a const
   SlRendererKind and one line in the list in renderer.c. It reads nothing but the frame view, so it
   draws live worlds and stored frames alike. */
#ifndef RENDER_RENDERER_H
#define RENDER_RENDERER_H

#include "core/context.h"
#include "frame/view.h"
#include "sleet/render.h"

/* Rows by which renderer.c itself acts, for kinds whose table has them:
     tone        a choice SL_TONE_NAMES (render/color.h): the curve of pictures made from "color"
     noise       a number; above 0 the picture is done when noise() is not above it
     time_limit  s; above 0 the picture is done when so much time has passed since begin
   The number of passes that begin gives is their maximum then. */
typedef struct SlRendererKind {
    const SlTable *table; /* begins with the rows of render/stage/stage_rows.h */
    const char *const *planes; /* those it can fill, of sl_plane_infos; "color" is one of them */
    size_t plane_count;
    bool progressive; /* can be resolved after each pass; else only when none remains */
    bool regions; /* draws the job's region, with targets of its size; else all, and renderer.c cuts */
    size_t state_bytes; /* zeroed before `init`, passed to all functions */
    /* `values`: one per row, within their ranges, valid only during the call. */
    SlStatus (*init)(void *state, SlContext *context, const SlParamValue *values, SlError *error);
    /* Starts a picture, whatever was begun before; *passes is the number of passes it takes. The job
       was checked, has a camera, and stays valid until the next begin. */
    SlStatus (*begin)(void *state, const SlRenderJob *job, uint32_t *passes, SlError *error);
    /* The next pass. */
    SlStatus (*accumulate)(void *state, SlError *error);
    /* Fills the target's planes; they are among those of the job. */
    SlStatus (*resolve)(void *state, SlTarget *target, SlError *error);
    /* The picture as an image of its own; NULL: made from the plane "color", which `resolve` then
       fills whether or not the job names it. */
    SlStatus (*image)(void *state, const SlImage **image, SlError *error);
    /* Relative standard error of "color"; NULL: pictures have no noise. */
    double (*noise)(const void *state);
    /* Sets samples, intersector and denoiser of a zeroed report; NULL: they stay empty. */
    void (*report)(const void *state, SlRenderReport *report);
    /* Also after a failed init. */
    void (*destroy)(void *state);
} SlRendererKind;

extern const SlRendererKind sl_renderer_splats, sl_renderer_water, sl_renderer_path;
extern const SlTable sl_splats_table, sl_water_table, sl_path_table;

/* As sl_renderer_create, of a kind that need not be in the list. */
SlStatus sl_renderer_create_kind(SlContext *context, const SlRendererKind *kind,
                                 const SlParamValue *values, SlRenderer **renderer, SlError *error);

/* Whether the job names a plane. */
bool sl_job_names(const SlRenderJob *job, const char *plane);

#endif

/* Frames drawn into a video, pictures, or both: shared by render and demo. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "cli/cli.h"

/* Colliders of another frame, from which the motion of solids follows. */
typedef struct CliMotion {
    bool is_known;
    SlFrameView view; /* time and colliders */
    SlColliderView *colliders;
    float *vertices; /* of those that deform */
    char *names;
} CliMotion;

/* Keeps the colliders of a frame. */
SlStatus cli_motion_keep(CliMotion *motion, const SlFrameView *view, SlError *error);
/* Keeps those of the frame before `number` in the run, or after it where there is none. */
SlStatus cli_motion_find(CliMotion *motion, const SlRunFolder *run, uint64_t number, SlError *error);
/* Gives them to a job, as its next or previous frame. */
void cli_motion_apply(const CliMotion *motion, SlRenderJob *job);
void cli_motion_forget(CliMotion *motion);

typedef struct CliDrawing {
    SlContext *context;
    SlRenderer *renderer; /* made with the first frame: the style may depend on it */
    /* of the styles water and final; NULL: not needed. Frames of a run folder have results that are stored
       there. */
    SlFilter *surface, *whitewater, *upsample;
    SlRunFolder *run;
    SlRunFilter *stored_surface, *stored_whitewater;
    SlRunFilter *stored_upsample; /* of what stored_whitewater made, where there is that; not stored by drawing */
    SlFrameView merged;
    bool blurs; /* the style draws, or an EXR file says, how solids move */
    CliMotion motion;
    const SlCamera *camera; /* NULL: the frame's first */
    SlVideo *video;
    SlTarget *target; /* planes for EXR files; NULL: not needed yet */
    SlRenderReport report; /* of the last picture */
    char style[16]; /* auto, particles, water or final */
    char video_path[1024];
    bool wants_video, every_png, exr;
    SlPixelRegion region; /* of pictures; zero: all */
    char pattern[1024]; /* of the pictures' paths */
    char folder[900];   /* where pictures go without a pattern */
    char first_png[1024], last_png[1024];
    uint64_t drawn, pictures;
    double draw_ms, filter_ms;
} CliDrawing;

/* Where it goes, and how it looks. */
typedef struct CliDrawingOutput {
    const char *folder;     /* made if there is none; NULL: pattern or video_path say where */
    const char *pattern;    /* of the pictures' paths, EXR files where it ends so; NULL:
                               FOLDER/frame_NNNNNN.png */
    const char *video_path; /* .mp4 or .webm; NULL: pictures only */
    bool every_png;
    const char *style; /* NULL: the scene's */
    SlRunFolder *run;  /* whose frames are drawn; NULL: those of a live world */
    SlPixelRegion region; /* the part of pictures that is drawn; zero: all */
} CliDrawingOutput;

/* False after a message: there is no such style. */
bool cli_style(const char *command, const char *style);
/* Where ffmpeg is missing, one line says so and every frame becomes a picture. */
SlStatus cli_drawing_open(CliDrawing *drawing, SlContext *context, const SlScene *scene,
                          const CliDrawingOutput *output, SlError *error);
bool cli_ends_in(const char *text, const char *ending);
/* Adds a frame; `png` asks for a picture of this one in any case. */
SlStatus cli_drawing_add(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                         bool png, SlError *error);
/* A frame of a live world before the first that is drawn: whitewater and upsample depend on all frames
   before. *wanted becomes false where the style does not need it. */
SlStatus cli_drawing_warm(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                          bool *wanted, SlError *error);
/* A frame of a live world that is not drawn, before one that is: solids move from there. */
SlStatus cli_drawing_pass(CliDrawing *drawing, const SlFrameView *view, SlError *error);
SlStatus cli_drawing_close(CliDrawing *drawing, bool keep, SlError *error);

#endif

/* Frames drawn into a video, pictures, or both: shared by render and demo. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "cli/cli.h"

typedef struct CliDrawing {
    SlContext *context;
    SlRenderer *renderer;
    const SlCamera *camera;
    SlVideo *video;
    char video_path[1024];
    bool wants_video, every_png;
    char folder[900]; /* of the pictures */
    char first_png[1024], last_png[1024];
    uint64_t drawn, pictures;
    double draw_ms;
} CliDrawing;

/* Where it goes. */
typedef struct CliDrawingOutput {
    const char *folder;
    const char *video_path; /* NULL: pictures only */
    bool every_png;
} CliDrawingOutput;

/* Where ffmpeg is missing, one line says so and every frame becomes a picture. */
SlStatus cli_drawing_open(CliDrawing *drawing, SlContext *context, const SlScene *scene,
                          const SlCamera *camera, const CliDrawingOutput *output, SlError *error);
/* Adds a frame; `png` asks for a picture of this one in any case. */
SlStatus cli_drawing_add(CliDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                         bool png, SlError *error);
SlStatus cli_drawing_close(CliDrawing *drawing, bool keep, SlError *error);

#endif

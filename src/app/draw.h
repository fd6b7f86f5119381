/* Frames drawn into a video, pictures, or both: shared by render and demo. */
#ifndef APP_DRAW_H
#define APP_DRAW_H

#include "app/app.h"

typedef struct AppDrawing {
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
} AppDrawing;

/* `video_path` NULL: pictures only. Where ffmpeg is missing, one line says so and every frame
   becomes a picture. */
SlStatus app_drawing_open(AppDrawing *drawing, SlContext *context, const SlScene *scene,
                          const SlCamera *camera, const char *folder, const char *video_path,
                          bool every_png, SlError *error);
/* Adds a frame; `png` asks for a picture of this one in any case. */
SlStatus app_drawing_add(AppDrawing *drawing, const SlScene *scene, const SlFrameView *view,
                         bool png, SlError *error);
SlStatus app_drawing_close(AppDrawing *drawing, bool keep, SlError *error);

#endif

/* Sleet: scenes in JSON. Builds a world through the same calls a program makes. Errors
   have their place, file:line:column. */
#ifndef SLEET_SCENE_H
#define SLEET_SCENE_H

#include "sleet/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SlScene SlScene;

/* One value of the scene replaced: path as in "systems[0].parameters.iterations" or "time.frames" (a name
   in place of an index picks the system, collider or camera of that name); value is JSON, or bare
   text where that is not JSON. */
typedef struct SlSceneOverride {
    const char *path, *value;
} SlSceneOverride;

typedef struct SlSceneOptions {
    uint32_t cookie, size; /* set by sl_default_scene_options */
    const SlSceneOverride *overrides;
    size_t override_count;
    /* Tables of renderers (sl_renderer_tables) check the scene's "render" object: a key must be one of
       theirs, or "style". None: a tool that does not draw, the object is not checked. */
    const SlTable *const *render_tables;
    size_t render_table_count;
    const char *cache_folder; /* for the distance fields of meshes; NULL: none are kept */
} SlSceneOptions;

SL_API SlSceneOptions sl_default_scene_options(void);

/* The context must outlive the scene. SL_ERROR_PARSE for a mistake in the file, SL_ERROR_ARGUMENT
   for one in an override, SL_ERROR_IO for a file that cannot be read. */
SL_API SlStatus sl_scene_read(SlContext *context, const char *path, const SlSceneOptions *options,
                              SlScene **scene, SlError *error);
SL_API void sl_scene_destroy(SlScene *scene);

SL_API const char *sl_scene_name(const SlScene *scene);
SL_API uint64_t sl_scene_frames(const SlScene *scene);
SL_API double sl_scene_frame_time(const SlScene *scene);
/* Where frames go if the command does not say ("": it chooses), and that only every n-th frame
   (0, n, 2n …) is written. */
SL_API const char *sl_scene_output_folder(const SlScene *scene);
SL_API uint64_t sl_scene_output_every(const SlScene *scene);
/* Whether frames keep vectors in 16 bits (SlWriterDef). */
SL_API bool sl_scene_output_quantise(const SlScene *scene);
/* At least one: a scene without cameras gets one that frames its domain. */
SL_API size_t sl_scene_camera_count(const SlScene *scene);
/* At time 0, if it moves. */
SL_API const SlCamera *sl_scene_camera(const SlScene *scene, size_t index);
/* Where it is at a time (s); index below sl_scene_camera_count. */
SL_API SlCamera sl_scene_camera_at(const SlScene *scene, size_t index, double time);
/* One value per row of the table of that renderer, which was among those given in the options; NULL
   where it was not. Keys of other renderers are not looked at. */
SL_API const SlParamValue *sl_scene_render_values(const SlScene *scene, const char *renderer);
/* The scene's "render.style": "auto" (default), "particles", "water" or "final". Where it is auto, a key that
   only the renderer of one style has asks for that style. */
SL_API const char *sl_scene_render_style(const SlScene *scene);
/* The name of the renderer that draws a style; "" for "auto", which depends on the frame; NULL: there is no
   such style. */
SL_API const char *sl_style_renderer(const char *style);
/* The filters that are to be applied, in this order, where frames of the scene are drawn or exported. */
typedef struct SlSceneFilter {
    const char *name;           /* NULL: there is none of that index */
    const SlParamValue *values; /* one per row of the filter's table */
} SlSceneFilter;
SL_API size_t sl_scene_filter_count(const SlScene *scene);
SL_API SlSceneFilter sl_scene_filter(const SlScene *scene, size_t index);
/* The scene as read, overrides applied, as JSON text that reads back to the same scene. */
SL_API const char *sl_scene_text(const SlScene *scene);

/* Writes that text to a file: under a temporary name, synced, renamed. */
SL_API SlStatus sl_scene_write(SlContext *context, const SlScene *scene, const char *path,
                               SlError *error);
/* Whether a system has emitters: the number of particles then grows with time. */
SL_API bool sl_scene_has_emitters(const SlScene *scene);

/* Called for each value that differs: its path as --set takes it, and both values as text. */
typedef void (*SlSceneChange)(void *user, const char *path, const char *was, const char *is);
/* Calls `each` (may be NULL) for what differs; returns how many values do. */
SL_API size_t sl_scene_compare(const SlScene *was, const SlScene *is, SlSceneChange each,
                               void *user);

/* Makes the world; `def` gives what a scene does not hold (hooks, threads, on_step …); gravity,
   domain, frame time and seed come from the scene. Errors name the place in the scene. */
SL_API SlStatus sl_scene_build(const SlScene *scene, const SlWorldDef *def, SlWorld **world,
                               SlError *error);

#ifdef __cplusplus
}
#endif
#endif

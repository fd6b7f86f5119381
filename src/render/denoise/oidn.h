/* Intel Open Image Denoise, loaded at run time: Sleet neither links nor needs it. */
#ifndef RENDER_DENOISE_OIDN_H
#define RENDER_DENOISE_OIDN_H

#include "render/denoise/denoise.h"

/* The library and those of its functions that are called (oidn.c). */
typedef struct SlOidn SlOidn;
struct SlOidn {
    void *library;
    bool version_1; /* functions have the names of version 1 */
    void *(*new_device)(int type);
    void (*set_device_int)(void *device, const char *name, int value);
    void (*set_device_bool)(void *device, const char *name, bool value);
    int (*get_device_int)(void *device, const char *name);
    void (*commit_device)(void *device);
    int (*get_device_error)(void *device, const char **message);
    void (*release_device)(void *device);
    void *(*new_filter)(void *device, const char *type);
    void (*set_image)(void *filter, const char *name, void *data, int format, size_t width,
                      size_t height, size_t byte_offset, size_t pixel_stride, size_t row_stride);
    void (*set_filter_bool)(void *filter, const char *name, bool value);
    void (*commit_filter)(void *filter);
    void (*execute_filter)(void *filter);
    void (*release_filter)(void *filter);
};

/* Finds and loads it; SL_ERROR_UNSUPPORTED with a message where there is none, or where the path that
   was given (parameter or environment) leads to none. *given: a path was given. It stays loaded until
   the process ends: its threads outlive a call. */
SlStatus sl_oidn_load(const char *path, SlOidn *oidn, bool *given, SlError *error);
/* All planes of the job are finite; albedo and normal may be NULL. `guides`: the job's albedo and normal,
   which are changed. */
SlStatus sl_oidn_run(SlContext *context, const SlOidn *oidn, const SlDenoiseJob *job,
                     float *guides[2], SlError *error);

#endif

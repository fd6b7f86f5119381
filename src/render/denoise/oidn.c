/* Open Image Denoise by dlopen. Its C interface is the same in versions 1 and 2 but for the names of
   the calls that set numbers; those of version 2 are tried first.

   Places, in this order: the given path, the environment's SLEET_OIDN ("none": do not look), the
   loader's own search, the folders where pip puts the wheel `pyoidn`, which ships the library (a virtual
   environment, conda, the user's own, pyenv), and folders of packages and archives. */
#include "render/denoise/oidn.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_CPU = 1, FORMAT_FLOAT3 = 3 }; /* of its header */

static const char *const names[] = {"libOpenImageDenoise.so.2", "libOpenImageDenoise.so.1",
                                    "libOpenImageDenoise.so"};
enum { NAME_COUNT = sizeof names / sizeof names[0] };

/* --- Its functions. --- */

/* A function by its name in version 2, or else by that in version 1. */
static bool find(void *library, const char *name, const char *old_name, void *function)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL && old_name != NULL)
        symbol = dlsym(library, old_name);
    memcpy(function, &symbol, sizeof symbol); /* an object pointer as a function: POSIX allows it */
    return symbol != NULL;
}

static bool bind_functions(SlOidn *o)
{
    void *lib = o->library;
    o->version_1 = dlsym(lib, "oidnSetFilterBool") == NULL;
    return find(lib, "oidnNewDevice", NULL, &o->new_device) &&
           find(lib, "oidnSetDeviceInt", "oidnSetDevice1i", &o->set_device_int) &&
           find(lib, "oidnSetDeviceBool", "oidnSetDevice1b", &o->set_device_bool) &&
           find(lib, "oidnGetDeviceInt", "oidnGetDevice1i", &o->get_device_int) &&
           find(lib, "oidnCommitDevice", NULL, &o->commit_device) &&
           find(lib, "oidnGetDeviceError", NULL, &o->get_device_error) &&
           find(lib, "oidnReleaseDevice", NULL, &o->release_device) &&
           find(lib, "oidnNewFilter", NULL, &o->new_filter) &&
           find(lib, "oidnSetSharedFilterImage", NULL, &o->set_image) &&
           find(lib, "oidnSetFilterBool", "oidnSetFilter1b", &o->set_filter_bool) &&
           find(lib, "oidnCommitFilter", NULL, &o->commit_filter) &&
           find(lib, "oidnExecuteFilter", NULL, &o->execute_filter) &&
           find(lib, "oidnReleaseFilter", NULL, &o->release_filter);
}

/* --- Where it is. --- */

static bool load_file(const char *file, SlOidn *oidn)
{
    oidn->library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (oidn->library == NULL)
        return false;
    if (bind_functions(oidn))
        return true;
    dlclose(oidn->library);
    oidn->library = NULL;
    return false;
}

static bool load_from_folder(const char *folder, SlOidn *oidn)
{
    for (int k = 0; k < NAME_COUNT; k++) {
        char file[1200];
        int wrote = snprintf(file, sizeof file, "%s/%s", folder, names[k]);
        if (wrote > 0 && (size_t)wrote < sizeof file && load_file(file, oidn))
            return true;
    }
    return false;
}

/* Folders by a pattern, the last first: the newest version of Python. */
static bool load_from_pattern(const char *pattern, SlOidn *oidn)
{
    glob_t found;
    bool loaded = false;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t k = found.gl_pathc; !loaded && k > 0; k--)
            loaded = load_from_folder(found.gl_pathv[k - 1], oidn);
    globfree(&found);
    return loaded;
}

static bool load_from_home(const char *variable, const char *below, SlOidn *oidn)
{
    const char *home = getenv(variable);
    char pattern[1200];
    if (home == NULL || home[0] != '/')
        return false;
    int wrote = snprintf(pattern, sizeof pattern, "%s/%s", home, below);
    return wrote > 0 && (size_t)wrote < sizeof pattern && load_from_pattern(pattern, oidn);
}

static bool load_from_usual_places(SlOidn *oidn)
{
    static const char *const patterns[] = {
        "/usr/local/lib", "/usr/lib", "/opt/oidn*/lib", "/usr/local/oidn*/lib",
        "/usr/local/lib/python3*/*-packages/pyoidn/oidn/lib",
        "/usr/lib/python3*/*-packages/pyoidn/oidn/lib"};
    for (int k = 0; k < NAME_COUNT; k++)
        if (load_file(names[k], oidn))
            return true;
#define WHEEL "lib/python3*/site-packages/pyoidn/oidn/lib"
    if (load_from_home("VIRTUAL_ENV", WHEEL, oidn) || load_from_home("CONDA_PREFIX", WHEEL, oidn) ||
        load_from_home("HOME", ".local/" WHEEL, oidn) ||
        load_from_home("PYENV_ROOT", "versions/*/" WHEEL, oidn) ||
        load_from_home("HOME", ".pyenv/versions/*/" WHEEL, oidn))
        return true;
    for (size_t k = 0; k < sizeof patterns / sizeof patterns[0]; k++)
        if (load_from_pattern(patterns[k], oidn))
            return true;
    return false;
}

SlStatus sl_oidn_load(const char *path, SlOidn *oidn, bool *given, SlError *error)
{
    *oidn = (SlOidn){0};
    const char *from = path != NULL && path[0] != '\0' ? path : getenv("SLEET_OIDN");
    bool off = from != NULL && strcmp(from, "none") == 0;
    *given = from != NULL && from[0] != '\0' && !off;
    if (*given && (load_file(from, oidn) || load_from_folder(from, oidn)))
        return SL_OK;
    if (*given)
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "%.300s: no Open Image Denoise can be loaded from there; give "
                            "libOpenImageDenoise.so or its folder",
                            from);
    if (!off && load_from_usual_places(oidn))
        return SL_OK;
    return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                        "Open Image Denoise was not found; pip install pyoidn brings it, "
                        "denoise_path or SLEET_OIDN says where it is");
}

/* --- A picture. --- */

static SlStatus check_device(const SlOidn *oidn, void *device, SlError *error)
{
    const char *message = NULL;
    int code = oidn->get_device_error(device, &message);
    if (code == 0)
        return SL_OK;
    return sl_error_set(error, code == 4 ? SL_ERROR_MEMORY : SL_ERROR_UNSUPPORTED,
                        "Open Image Denoise failed: %.300s", message != NULL ? message : "?");
}

static void set_plane(const SlOidn *oidn, void *filter, const char *name, const float *plane,
                      const SlDenoiseJob *job)
{
    if (plane != NULL)
        oidn->set_image(filter, name, (void *)plane, FORMAT_FLOAT3, job->width, job->height, 0, 0,
                        0);
}

/* Runs a filter on `input` (NULL: on the job's color with its guides) into `output`. */
static bool execute(const SlOidn *oidn, void *device, const SlDenoiseJob *job, const char *input,
                    float *output)
{
    void *filter = oidn->new_filter(device, "RT");
    if (filter == NULL)
        return false;
    if (input != NULL) {
        set_plane(oidn, filter, input, output, job);
    } else {
        set_plane(oidn, filter, "color", job->color, job);
        set_plane(oidn, filter, "albedo", job->albedo, job);
        set_plane(oidn, filter, "normal", job->albedo != NULL ? job->normal : NULL, job);
        oidn->set_filter_bool(filter, "hdr", true);
        oidn->set_filter_bool(filter, "cleanAux", job->albedo != NULL && !oidn->version_1);
    }
    set_plane(oidn, filter, "output", output, job);
    oidn->commit_filter(filter);
    oidn->execute_filter(filter);
    oidn->release_filter(filter);
    return true;
}

/* Guides are denoised first, each by itself: motion blur, small drops and what is seen through water
   make them noisy as well. */
SlStatus sl_oidn_run(SlContext *context, const SlOidn *oidn, const SlDenoiseJob *job,
                     float *guides[2], SlError *error)
{
    void *device = oidn->new_device(DEVICE_CPU);
    if (device == NULL)
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "Open Image Denoise failed: this processor is not supported");
    oidn->set_device_int(device, "numThreads", (int)sl_pool_workers(context->pool));
    oidn->set_device_bool(device, "setAffinity", false);
    oidn->commit_device(device);
    SlStatus status = check_device(oidn, device, error);
    bool ready = status == SL_OK;
    if (job->albedo != NULL && !oidn->version_1) {
        ready = ready && execute(oidn, device, job, "albedo", guides[0]);
        ready = ready && (job->normal == NULL || execute(oidn, device, job, "normal", guides[1]));
    }
    if (ready)
        execute(oidn, device, job, NULL, job->output);
    if (status == SL_OK)
        status = check_device(oidn, device, error);
    if (status == SL_OK && job->used != NULL) {
        int version = oidn->get_device_int(device, "version");
        snprintf(job->used, SL_DENOISE_TEXT, "Open Image Denoise %d.%d.%d", version / 10000,
                 version / 100 % 100, version % 100);
    }
    oidn->release_device(device);
    return status;
}

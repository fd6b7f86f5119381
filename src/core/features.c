/* Optional parts of this build and of this machine, by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "core/machine.h"

static bool has_png(void)
{
    return SLEET_HAVE_PNG;
}

static bool has_exr(void)
{
    return SLEET_HAVE_EXR;
}

static bool has_embree(void)
{
    return SLEET_HAVE_EMBREE != 0;
}

static bool has_ldl(void)
{
    return SLEET_HAVE_LDL;
}

static bool has_avx2(void)
{
    SlIsa isa;
    return SLEET_HAVE_AVX2_PATH && sl_isa_choose(SL_ISA_AVX2, &isa, NULL) == SL_OK;
}

/* A program somewhere on the path. */
static bool has_ffmpeg(void)
{
    const char *at = getenv("PATH");
    while (at != NULL && at[0] != '\0') {
        char file[1024];
        size_t length = strcspn(at, ":");
        int wrote = snprintf(file, sizeof file, "%.*s/ffmpeg", (int)length, at);
        if (wrote > 0 && (size_t)wrote < sizeof file && access(file, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* One line per feature, here and in its names. */
static bool (*const present[])(void) = {has_png, has_exr, has_embree, has_ldl, has_avx2, has_ffmpeg};
static const char *const names[] = {"png", "exr", "embree", "ldl", "avx2", "ffmpeg"};
enum { FEATURES = sizeof names / sizeof names[0] };
_Static_assert(FEATURES == sizeof present / sizeof present[0], "one name each");

const char *const *sl_feature_names(size_t *count)
{
    *count = FEATURES;
    return names;
}

bool sl_has_feature(const char *name)
{
    for (size_t k = 0; name != NULL && k < FEATURES; k++)
        if (strcmp(names[k], name) == 0)
            return present[k]();
    return false;
}

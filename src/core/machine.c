#include "core/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.h"
#include "core/timer.h"

/* Written by cmake/commit.cmake; absent where the sources are compiled without it. */
#if __has_include("commit.h")
#include "commit.h"
#else
#define SLEET_COMMIT "unknown"
#endif

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

const char *sl_build_commit(void)
{
    return SLEET_COMMIT;
}

const char *sl_build_compiler(void)
{
#if defined(__clang__)
    return "clang " TEXT_OF(__clang_major__) "." TEXT_OF(__clang_minor__) "." TEXT_OF(
        __clang_patchlevel__);
#elif defined(__GNUC__)
    return "gcc " TEXT_OF(__GNUC__) "." TEXT_OF(__GNUC_MINOR__) "." TEXT_OF(__GNUC_PATCHLEVEL__);
#else
    return "unknown";
#endif
}

double sl_machine_seconds(void)
{
    return sl_seconds();
}

uint32_t sl_machine_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

/* The number in a one-line file; false if absent or "max". */
static int read_number(const char *path, uint64_t *value)
{
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    unsigned long long number;
    int ok = fscanf(file, "%llu", &number) == 1;
    fclose(file);
    if (ok)
        *value = number;
    return ok;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number after `key` in a file of "key number" lines; 0 if there is none. */
static uint64_t read_entry(const char *path, const char *key)
{
    uint64_t value = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    char line[128], name[64];
    unsigned long long number;
    while (fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%63s %llu", name, &number) == 2 && strcmp(name, key) == 0)
            value = number;
    fclose(file);
    return value;
}

/* Room left in a cgroup: limit minus what its processes hold. Its usage counts cached files too,
   which the kernel drops when memory is needed; unless they are subtracted, a container that has just
   built something seems full. */
static uint64_t cgroup_room(const char *folder, const char *limit_name, const char *usage_name,
                            const char *cache_key)
{
    char path[128];
    uint64_t limit, usage;
    snprintf(path, sizeof path, "%s/%s", folder, limit_name);
    if (!read_number(path, &limit))
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, usage_name);
    if (!read_number(path, &usage))
        return UINT64_MAX;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t cached = read_entry(path, cache_key);
    usage -= smaller(usage, cached);
    return limit > usage ? limit - usage : 0;
}

uint64_t sl_machine_memory_available(void)
{
    uint64_t room = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "r");
    if (file != NULL) {
        char line[128];
        unsigned long long kib;
        while (fgets(line, sizeof line, file) != NULL)
            if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
                room = (uint64_t)kib * 1024;
        fclose(file);
    }
    room = smaller(room, cgroup_room("/sys/fs/cgroup", "memory.max", "memory.current",
                                     "inactive_file"));
    room = smaller(room, cgroup_room("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                     "memory.usage_in_bytes", "total_inactive_file"));
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        room = smaller(room, (uint64_t)limit.rlim_cur);
    return room;
}

const char *sl_isa_name(SlIsa isa)
{
    return isa == SL_ISA_AVX2 ? "avx2" : isa == SL_ISA_BASE ? "base" : "auto";
}

static bool processor_has_avx2(void)
{
#if SLEET_HAVE_AVX2_PATH
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

SlStatus sl_isa_choose(SlIsa wanted, SlIsa *chosen, SlError *error)
{
    if (wanted != SL_ISA_AUTO && wanted != SL_ISA_BASE && wanted != SL_ISA_AVX2)
        return sl_error_set(error, SL_ERROR_ARGUMENT, "isa: there is no path %d", (int)wanted);
    const char *forced = wanted == SL_ISA_AUTO ? getenv("SLEET_ISA") : NULL;
    if (forced != NULL && forced[0] != '\0') {
        if (strcmp(forced, "base") == 0)
            wanted = SL_ISA_BASE;
        else if (strcmp(forced, "avx2") == 0)
            wanted = SL_ISA_AVX2;
        else
            return sl_error_set(error, SL_ERROR_ARGUMENT,
                                "SLEET_ISA is \"%.32s\"; it may be base or avx2", forced);
    }
    if (wanted == SL_ISA_AVX2 && !processor_has_avx2())
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "the avx2 path was asked for, but this processor lacks AVX2 or FMA");
#ifdef SLEET_NO_BASE_PATH
    if (!processor_has_avx2())
        return sl_error_set(error, SL_ERROR_UNSUPPORTED,
                            "this processor lacks AVX2 or FMA and this build has no other path; "
                            "configure it with -DSLEET_BASE_PATH=ON");
#endif
    if (wanted == SL_ISA_AUTO)
        wanted = processor_has_avx2() ? SL_ISA_AVX2 : SL_ISA_BASE;
    *chosen = wanted;
    return SL_OK;
}

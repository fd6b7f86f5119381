#include "core/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Room left in a cgroup: limit minus what its processes hold. */
static uint64_t cgroup_room(const char *limit_path, const char *usage_path)
{
    uint64_t limit, usage;
    if (!read_number(limit_path, &limit) || !read_number(usage_path, &usage))
        return UINT64_MAX;
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
    room = smaller(room, cgroup_room("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"));
    room = smaller(room, cgroup_room("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                     "/sys/fs/cgroup/memory/memory.usage_in_bytes"));
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        room = smaller(room, (uint64_t)limit.rlim_cur);
    return room;
}

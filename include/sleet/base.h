/* Sleet: the types every other public header needs: status, error text, vectors, hooks.
   SI units and y up everywhere. The library never exits and never prints: it calls the hooks. */
#ifndef SLEET_BASE_H
#define SLEET_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version these headers belong to; sl_version() is the library's. */
#define SLEET_VERSION_MAJOR 0
#define SLEET_VERSION_MINOR 1
#define SLEET_VERSION_PATCH 0
#define SLEET_VERSION "0.1.0"

/* On a function a program may call. SLEET_STATIC: the program links the static library;
   SLEET_BUILD: the library itself is compiled. Both matter on Windows only. */
#if defined(_WIN32)
#if defined(SLEET_STATIC)
#define SL_API
#elif defined(SLEET_BUILD)
#define SL_API __declspec(dllexport)
#else
#define SL_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SL_API __attribute__((visibility("default")))
#else
#define SL_API
#endif

/* What a call returns. Everything but SL_OK comes with a message in SlError. */
typedef enum SlStatus {
    SL_OK = 0,
    SL_ERROR_ARGUMENT,    /* a value the call cannot take */
    SL_ERROR_PARSE,       /* a file whose text or bytes are not what they should be */
    SL_ERROR_MEMORY,      /* not enough memory, or a request beyond what is available */
    SL_ERROR_IO,          /* a file that cannot be read or written */
    SL_ERROR_NUMBERS,     /* the simulation went wrong: not finite, runaway, out of the world */
    SL_ERROR_UNSUPPORTED, /* a part that was not built in, or a processor that lacks it */
    SL_ERROR_CANCELLED,   /* the caller's hook asked to stop */
    SL_ERROR_EXISTS       /* results are in the way and would be lost; nothing was changed */
} SlStatus;

/* Filled by the call that fails; `text` says what was found, where, and what is allowed. A pointer
   to one may be NULL in any call. */
typedef struct SlError {
    SlStatus status;
    char text[512];
} SlError;

typedef struct SlVec3 {
    float x, y, z;
} SlVec3;

typedef struct SlBox {
    SlVec3 min, max;
} SlBox;

/* A unit quaternion: the rotation by angle a about the unit axis n is (n sin(a/2), cos(a/2)).
   (0, 0, 0, 1) is no rotation. */
typedef struct SlQuat {
    float x, y, z, w;
} SlQuat;

/* The rotation by `angle` (rad, right-handed) about an axis of any length above 0; no rotation where
   the axis has none or a value is not finite. */
SL_API SlQuat sl_quat_from_axis_angle(SlVec3 axis, float angle);

/* Where a body is in world space: its own point p stands at position + rotation p. */
typedef struct SlPose {
    SlVec3 position; /* m */
    SlQuat rotation;
} SlPose;

/* Handles name things of a world. A zeroed handle is null. A null handle, one of another world and
   one of a thing that was removed are answered with SL_ERROR_ARGUMENT. */
typedef struct SlSystemId {
    uint32_t index1; /* index + 1; 0: null */
    uint16_t world, generation;
} SlSystemId;

typedef struct SlColliderId {
    uint32_t index1;
    uint16_t world, generation;
} SlColliderId;

typedef struct SlEmitterId {
    uint32_t index1;
    uint16_t world, generation;
} SlEmitterId;

typedef struct SlForceFieldId {
    uint32_t index1;
    uint16_t world, generation;
} SlForceFieldId;

typedef enum SlLogLevel { SL_LOG_INFO, SL_LOG_WARNING } SlLogLevel;

/* Log and progress messages. Either function may be NULL.
   Called only from the thread that called the library. */
typedef struct SlHooks {
    void (*log)(void *user, SlLogLevel level, const char *text);
    /* How far a long operation is, [0, 1]: `what` names it ("start", "distance field", "fill", …);
       one may run inside another. Return false to stop: the call returns SL_ERROR_CANCELLED, leaves
       nothing half-made, and may be made again. */
    bool (*progress)(void *user, double fraction, const char *what);
    void *user;
} SlHooks;

/* Memory. `alloc` returns `bytes` (above 0) aligned to `alignment`, a power of two, or NULL where there
   is none: the call then returns SL_ERROR_MEMORY. `release` gets a block with the size that was asked
   for. The thread of a writer (sleet/checkpoint.h) may call both while another thread does, so both must be
   thread-safe. Default: the C library. */
typedef struct SlAllocator {
    void *(*alloc)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
} SlAllocator;

/* A program's own scheduler: run task(argument, 0 … count-1), in any order, on up to `workers`
   threads, and return when all are done. Results do not depend on it. */
typedef struct SlTaskScheduler {
    void (*run)(void *user, void (*task)(void *argument, uint32_t index), void *argument,
                uint32_t count);
    uint32_t workers;
    void *user;
} SlTaskScheduler;

/* Which compiled path runs the hot loops. AUTO takes the environment's SLEET_ISA (base or avx2)
   or else the best the processor has. One path gives the same bits everywhere; two paths agree
   within tolerance. */
typedef enum SlIsa { SL_ISA_AUTO = 0, SL_ISA_BASE, SL_ISA_AVX2 } SlIsa;

/* What a computation runs with: memory, threads, instruction set, hooks. A world makes its own
   unless it is given one; reading frames and drawing take one too. Not for two threads at once. */
typedef struct SlContext SlContext;

typedef struct SlContextDef {
    uint32_t cookie, size; /* set by sl_default_context_def */
    uint32_t threads;      /* 0: one per processor this process may use */
    SlTaskScheduler tasks; /* run == NULL: Sleet's own pool */
    SlAllocator allocator; /* alloc == NULL: the C library */
    SlHooks hooks;
    SlIsa isa;
} SlContextDef;

SL_API SlContextDef sl_default_context_def(void);
SL_API SlStatus sl_context_create(const SlContextDef *def, SlContext **context, SlError *error);
SL_API void sl_context_destroy(SlContext *context);
/* Threads in use, and the path chosen ("base" or "avx2"). */
SL_API uint32_t sl_context_threads(const SlContext *context);
SL_API const char *sl_context_isa_name(const SlContext *context);
/* Calls to the allocator so far, and bytes held now. For tests and estimates. */
SL_API uint64_t sl_context_allocation_count(const SlContext *context);
SL_API uint64_t sl_context_bytes_held(const SlContext *context);

SL_API const char *sl_version(void);
/* Is an optional part built in and usable here? "png": pictures as PNG; "exr": as EXR; "embree": rays of the
   path tracer by Embree; "ldl": the solver "ldlt"; "avx2": the path of that name; "ffmpeg": video. False for a name that is not known. */
SL_API bool sl_has_feature(const char *name);
SL_API const char *const *sl_feature_names(size_t *count);
SL_API const char *sl_status_name(SlStatus status);

/* Replaces what happens when a programmer's mistake is found (default: abort). Process-wide by
   nature: set it once, before anything else. */
typedef void (*SlAssertHandler)(const char *condition, const char *file, int line);
SL_API void sl_set_assert_handler(SlAssertHandler handler);

#ifdef __cplusplus
}
#endif
#endif

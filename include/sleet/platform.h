/* Sleet: what this build and this machine are, and the few services a command-line program needs
   beside the simulation: a clock, folders, memory left. */
#ifndef SLEET_PLATFORM_H
#define SLEET_PLATFORM_H

#include "sleet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The commit the library was built from: twelve hexadecimal digits, "-dirty" behind them where
   files were changed since; "unknown" where it was built outside a git repository. */
SL_API const char *sl_build_commit(void);
/* The compiler and its version, e.g. "gcc 12.2.0". */
SL_API const char *sl_build_compiler(void);

/* Processors this process may use. */
SL_API uint32_t sl_machine_processors(void);
/* Bytes that may still be allocated: the system's available memory, or less where a cgroup or an
   address-space limit is tighter. UINT64_MAX where that is not known. */
SL_API uint64_t sl_machine_memory_available(void);
/* Seconds since an arbitrary start; never goes back. */
SL_API double sl_machine_seconds(void);

/* The path of a file named relative to the folder of the running program, e.g. "../scenes". */
SL_API void sl_program_file(const char *relative, char *path, size_t size);
/* Makes a folder and its parents; no error if it exists. SL_ERROR_IO where it cannot be made or
   written to. */
SL_API SlStatus sl_folder_make(const char *path, SlError *error);
SL_API bool sl_folder_exists(const char *path);

#ifdef __cplusplus
}
#endif
#endif

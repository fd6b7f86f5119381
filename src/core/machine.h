/* Facts of the machine: processors and memory this process may use. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdint.h>

uint32_t sl_machine_processors(void);
/* Bytes that may still be taken: MemAvailable, or less where a cgroup or address-space limit is
   tighter. UINT64_MAX where nothing tells. */
uint64_t sl_machine_memory_available(void);

#endif

/* Facts of the machine and of this build (sleet/platform.h), and the choice of an instruction-set
   path. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdint.h>

#include "config.h"
#include "sleet/platform.h"

/* --- Which instruction-set path runs the hot loops. A *_kernels.c file is compiled once per path and
   ends in SL_KERNEL_TABLE(Type, name) = {…}; its header declares the tables with
   SL_DECLARE_KERNELS and callers pick one with SL_KERNELS. --- */

SlStatus sl_isa_choose(SlIsa wanted, SlIsa *chosen, SlError *error);
const char *sl_isa_name(SlIsa isa);

#if !SLEET_HAVE_AVX2_PATH
#define SL_DECLARE_KERNELS(Type, name) extern const Type name##_base
#define SL_KERNELS(isa, name) ((void)(isa), &name##_base)
#elif defined SLEET_NO_BASE_PATH /* SLEET_BASE_PATH of CMakeLists.txt is OFF */
#define SL_DECLARE_KERNELS(Type, name) extern const Type name##_avx2
#define SL_KERNELS(isa, name) ((void)(isa), &name##_avx2)
#else
#define SL_DECLARE_KERNELS(Type, name) extern const Type name##_base; extern const Type name##_avx2
#define SL_KERNELS(isa, name) ((isa) == SL_ISA_AVX2 ? &name##_avx2 : &name##_base)
#endif
#define SL_JOIN_(a, b) a##b
#define SL_JOIN(a, b) SL_JOIN_(a, b)
#ifdef SL_ISA_SUFFIX
#define SL_KERNEL_TABLE(Type, name) const Type SL_JOIN(name, SL_ISA_SUFFIX)
#endif

#endif

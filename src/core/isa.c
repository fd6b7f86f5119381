#include "core/isa.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

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
    if (wanted == SL_ISA_AUTO)
        wanted = processor_has_avx2() ? SL_ISA_AVX2 : SL_ISA_BASE;
    *chosen = wanted;
    return SL_OK;
}

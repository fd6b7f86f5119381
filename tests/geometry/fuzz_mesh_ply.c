/* libFuzzer target: any bytes as a mesh in PLY. clang -fsanitize=fuzzer,address,undefined */
#include "geometry/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh(SL_MESH_PLY, data, size);
}

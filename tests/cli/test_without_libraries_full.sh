#!/usr/bin/env bash
# A build without Embree, OpenEXR and SuiteSparse, and with no Open Image Denoise on the machine: it is
# complete, draws with the style final, and names in one line what is missing where it is asked for.
# Without libpng the two files that use it compile too.
set -u
# shellcheck source=tests/support/command.sh
source "${SLEET_SOURCE:-$(dirname "$0")/../..}/tests/support/command.sh"
sanitized && { skip "a sanitizer's build has nothing to add"; finish; exit; }

lean=$work/lean
tests="render_path_rays render_path_sky render_exr math_linear"
# -O1 and kernels for one instruction set: the build takes a minute.
check "cmake" bash -c "cmake -S '$SLEET_SOURCE' -B '$lean' -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLEET_OPTIMIZATION=-O1 \
    -DSLEET_BASE_PATH=OFF -DSLEET_WERROR=ON -DSLEET_EMBREE=OFF -DSLEET_EXR=OFF -DLDL_LIBRARY=OFF > log"
for part in Embree "EXR pictures" "LDLT solver"; do
    check "CMake does not say that there is no $part" grep -q "$part: off" log
done
# shellcheck disable=SC2086
ninja -C "$lean" sleet $tests > log 2>&1 || { tail -20 log; fail "it does not build"; finish; }
for name in $tests; do
    check "$name" bash -c "SLEET_BUILD='$lean' '$lean/tests/$name' > log 2>&1 || { tail -20 log; false; }"
done
check "Embree is linked" bash -c "! ldd '$lean/sleet' | grep -qE 'embree|OpenEXR|libldl'"

# missing CODE WORDS ARGUMENTS…: one line of errors that holds the words, and no picture.
missing() {
    local wanted=$1 words=$2
    shift 2
    expect "$wanted" "$@"
    complains "$words"
    same "lines of errors" "$(grep -c . <<< "$errors")" 1
    check "a picture was written" test ! -e missing.exr -a ! -e missing.png
}
full=$sleet
sleet=$lean/sleet
export SLEET_OIDN=none
small_scene scene.json 2
expect 0 run scene.json -o out -q
tiny=(render out --frames 2 --style final --size 48x32 --samples 4)
expect 0 "${tiny[@]}" -o lean.png
complains "4 samples per pixel" "own filter"
missing 7 libopenexr-dev "${tiny[@]}" -q -o missing.exr
missing 7 libembree-dev "${tiny[@]}" -q -o missing.png --set render.intersector=embree
missing 7 pyoidn "${tiny[@]}" -q -o missing.png --denoise oidn
sed 's/"solver": "pbf", "parameters": {"spacing": 0.1, "steps": 2}/"solver": "projective", "parameters": {"spacing": 0.1, "global_solver": "ldlt"}/' \
    scene.json > ldlt.json
missing 7 libsuitesparse-dev run ldlt.json -o ldlt -q

# Sleet's own tree draws the same picture in both builds, bit by bit.
expect 0 "${tiny[@]}" -q -o own.png --denoise none --set render.intersector=bvh
sleet=$full
expect 0 "${tiny[@]}" -q -o usual.png --denoise none --set render.intersector=bvh
check "the two builds draw different pictures" cmp -s own.png usual.png

# Without libpng.
check "cmake without libpng" bash -c "cmake '$lean' -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON > log && grep -q 'PNG pictures: off' log"
check "the files that write pictures do not compile without libpng" \
    bash -c "ninja -C '$lean' CMakeFiles/sleet_objects.dir/src/render/{image,float_image}.c.o > log 2>&1 || { tail -20 log; false; }"
finish

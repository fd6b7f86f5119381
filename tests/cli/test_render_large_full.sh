#!/usr/bin/env bash
# The largest picture, 8192 × 4320, in every style, and of snow: it is drawn within 8 GiB.
# shellcheck source=../support/command.sh
. "$(dirname "$0")/../support/command.sh"
sanitized && { skip "a sanitizer takes more memory"; finish; exit; }

cat > scene.json << 'EOF'
{"domain": {"min": [0, 0, 0], "max": [2, 1, 1]}, "time": {"frames": 1, "frame_rate": 30},
 "systems": [{"name": "water", "solver": "pbf", "parameters": {"spacing": 0.05},
              "blocks": [{"min": [0, 0, 0], "max": [0.6, 0.6, 1]}]}]}
EOF
expect 0 run scene.json -o out -q
for style in water particles; do
    expect 0 render out --frames 1 -o large.png --style $style --size 8192x4320 -q
    same "size" "$(file -b large.png | grep -o '[0-9]* x [0-9]*')" "8192 x 4320"
done
limit=$((8 * 1024 * 1024)) # KiB of address space: more than that is an error with a message, not a crash
if (ulimit -v $limit; "$sleet" render out --frames 1 -o small.png --style water --size 8192x4320 -q 2> said); then
    check "picture" test -s small.png
else
    check "the message says what is missing" grep -q memory said
    check "a picture is left" test ! -e small.png
fi

# Path traced: one sample of each of 35 million pixels, a little snow as a volume among them.
sed -e 's/"solver": "pbf"/"solver": "snow"/' -e 's/"water"/"snow"/' -e 's/\[0.6, 0.6, 1\]/[0.3, 0.3, 0.3]/' scene.json > snow.json
expect 0 run snow.json -o snow -q
rm -f large.png
bash -c "ulimit -v $limit; exec timeout 300 '$sleet' render snow --frames 1 -o large.png --style final \
    --size 8192x4320 --samples 1 --denoise none -q" 2> said
same "exit code of the snow" "$?" 0
same "messages" "$(cat said)" ""
same "size" "$(file -b large.png | grep -o '[0-9]* x [0-9]*')" "8192 x 4320"
finish

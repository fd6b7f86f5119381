#!/usr/bin/env bash
# sleet render: styles, sizes, where pictures and videos go, and what goes wrong with them.
# shellcheck source=../support/command.sh
. "$(dirname "$0")/../support/command.sh"

cat > scene.json << 'EOF'
{"domain": {"min": [0, 0, 0], "max": [2, 1, 1]}, "time": {"frames": 4, "frame_rate": 30},
 "systems": [{"name": "water", "solver": "pbf", "parameters": {"spacing": 0.1},
              "blocks": [{"min": [0, 0, 0], "max": [0.6, 0.6, 1]}]}],
 "cameras": [{"name": "round", "orbit": {"center": [1, 0.3, 0.5], "radius": 4, "height": 1.5, "speed": 60}}]}
EOF
expect 0 run scene.json -o out -q
small=(--size 96x54 -q)

# --- styles: auto is water for a liquid; a parameter of one renderer asks for it -----------------
expect 0 render out --frames 2 -o auto.png "${small[@]}"
expect 0 render out --frames 2 -o water.png --style water "${small[@]}"
expect 0 render out --frames 2 -o particles.png --style particles "${small[@]}"
expect 0 render out --frames 2 -o colored.png --set render.color_by=speed "${small[@]}"
check "auto is not water" cmp -s auto.png water.png
check "color_by does not ask for particles" cmp -s colored.png particles.png
check "the styles look the same" bash -c '! cmp -s water.png particles.png'
expect 2 render out --style transparent
complains "render.blend=transparent"
expect 3 render out --set render.style=transparent
complains '"blend": "transparent"'
expect 2 render out --style oil
complains "auto, particles, water or final"

# --- the scene's style, each of them; particles have whitewater where the scene lists it ------------
for style in auto particles water final; do
    sed "s/\"cameras\"/\"render\": {\"style\": \"$style\"},\n \"cameras\"/" scene.json > styled.json
    fast=()
    [[ $style != final ]] || fast=(--set render.samples=1 --set render.denoise=none)
    expect 0 run styled.json -o "styled_$style" -q --frames 1
    expect 0 render "styled_$style" --frames 1 -o scenes.png "${small[@]}" "${fast[@]}"
    expect 0 render "styled_$style" --frames 1 -o options.png --style $style "${small[@]}" "${fast[@]}"
    check "the scene's style $style is another" cmp -s scenes.png options.png
done
cat > splash.json << 'EOF'
{"domain": {"min": [0, 0, 0], "max": [1.2, 2, 1.2]}, "time": {"frames": 8, "frame_rate": 25},
 "systems": [{"name": "water", "solver": "pbf", "parameters": {"spacing": 0.1},
              "blocks": [{"min": [0, 0, 0], "max": [1.2, 0.4, 1.2]}, {"min": [0.3, 0.6, 0.3], "max": [0.9, 1.4, 0.9]}]}]}
EOF
expect 0 run splash.json -o splash -q
particles=(render splash --frames 8 --style particles "${small[@]}")
expect 0 "${particles[@]}" -o bare.png
check "whitewater that nothing asked for" test ! -e splash/filters
expect 0 "${particles[@]}" -o white.png --set 'filters=[{"type": "whitewater", "size": 0.02}]'
check "no whitewater is stored" compgen -G 'splash/filters/whitewater-*/frame_000008.slf'
check "whitewater is not seen" bash -c '! cmp -s bare.png white.png'
sed 's/}]}]}$/}]}],\n "filters": [{"type": "whitewater", "size": 0.02}]}/' splash.json > white.json
expect 0 render white.json --frames 8 --style particles "${small[@]}" -o live.png
check "live whitewater is another" cmp -s live.png white.png

# --- final: samples, noise, time and denoiser; wrong values in one line ----------------------------
export SLEET_OIDN=none
tiny=(--size 24x16 --frames 2)
expect 0 render out -o final.png "${tiny[@]}" --style final --samples 2
complains "2 samples per pixel"
complains "own filter"
expect 0 render out -o final2.png "${tiny[@]}" --samples 2 --denoise filter -q
check "--samples does not ask for final" cmp -s final.png final2.png
expect 0 render out -o final2.png "${tiny[@]}" --samples 100000 --time-limit 0.3 --denoise none
expect 0 render out -o final2.png "${tiny[@]}" --samples 100000 --noise 0.9 -q
expect 7 render out -o none.png "${tiny[@]}" --denoise oidn --samples 1 -q
complains "pyoidn"
while read -r option value; do
    expect 2 render out -o none.png "--$option" "$value"
    complains "--$option takes"
done << 'EOF'
samples 0
samples many
noise 2
noise 0
time-limit -1
time-limit soon
denoise best
EOF
expect 2 render out -o none.png --style water --samples 4
complains "style final"
check "a picture was written" test ! -e none.png

# --- EXR -------------------------------------------------------------------------------------------
if "$sleet" render out "${tiny[@]}" -q -o try.exr 2> said; then
    for style in particles water final; do
        expect 0 render out -o "$style.exr" "${tiny[@]}" --style $style --set render.samples=1 -q
        same "magic number" "$(head -c 4 "$style.exr" | od -An -tx1 | tr -d ' ')" "762f3101"
        check "$style has no normals" grep -q normal.X "$style.exr"
    done
    expect 0 render out --frames 1-2 --size 24x16 -o 'e_%03d.exr' --style particles -q
    check "pattern" test -s e_001.exr -a -s e_002.exr
    expect 5 render out -o no/such/folder.exr "${tiny[@]}" -q
    complains "no/such/folder.exr"
else
    expect 7 render out -o try.exr "${tiny[@]}" -q
    complains "libopenexr-dev"
fi

# --- a frame from disk is the frame that was simulated; the camera is where it is at its time ------
expect 0 render scene.json --frames 3 -o live.png "${small[@]}"
expect 0 render out --frames 3 -o stored.png "${small[@]}"
check "live and stored frames differ" cmp -s live.png stored.png
expect 0 render out --frames 3 -o later.png "${small[@]}" --set cameras.round.orbit.speed=0
check "the camera does not move" bash -c '! cmp -s later.png stored.png'

# --- results of filters are stored in the run folder, and give the same picture --------------------------
check "no surface is stored" compgen -G 'out/filters/surface-*/frame_000003.slf'
for k in 0 1 2 3; do
    check "no whitewater of frame $k is stored" compgen -G "out/filters/whitewater-*/frame_00000$k.slf"
done
cp -r out unstored
rm -r unstored/filters
expect 0 render unstored --frames 3 -o anew.png "${small[@]}"
check "stored results give another picture" cmp -s anew.png stored.png
expect 0 render unstored --frames 3 -o again.png "${small[@]}"
check "its own stored results give another picture" cmp -s again.png stored.png

# --- no frames, no particles, one particle --------------------------------------------------------
mkdir empty
cp out/scene.json out/run.json empty
expect 5 render empty -o nothing.png
complains "holds no frames"
sed 's/"blocks": .*/"blocks": [{"min": [0, 0, 0], "max": [0.1, 0.1, 0.1]}]}],/' scene.json > one.json
expect 0 run one.json -o one -q
expect 0 render one --frames 1 -o one_particle.png "${small[@]}"
check "one particle" test -s one_particle.png
# An emitter has given nothing in frame 0
expect 0 run "$SLEET_SOURCE/scenes/fountain.json" -o none --frames 1 -q
expect 0 render none --frames 0 -o no_particle.png "${small[@]}"
check "no particle" test -s no_particle.png

# --- sizes ----------------------------------------------------------------------------------------
for style in water particles; do
    expect 0 render out --frames 1 -o one.png --style $style --size 1x1 -q
    same "size" "$(file -b one.png | grep -o '[0-9]* x [0-9]*')" "1 x 1"
done
for bad in 12 0x5 9000x10 axb 5x; do
    check "--size $bad was taken" bash -c "! '$sleet' render out --frames 1 -o bad.png --size $bad -q 2> said"
done
check "a picture was written" test ! -e bad.png

# --- regions --------------------------------------------------------------------------------------
for style in water particles final; do
    region=(render out --frames 1 --style $style --size 96x54 -q)
    [[ $style == final ]] && region+=(--samples 2 --denoise none)
    expect 0 "${region[@]}" -o all.png
    expect 0 "${region[@]}" -o part.png --region 20,10,33,17
    same "size of a region" "$(file -b part.png | grep -o '[0-9]* x [0-9]*')" "33 x 17"
    check "a region of $style is not that part of the picture" python3 "$SLEET_SOURCE/tests/cli/is_part.py" \
        all.png part.png 20 10
done
for bad in 12 1,2,3 0,0,0,5 a,b,c,d 1,2,3,4,5; do
    expect 2 render out --frames 1 -o bad.png --region "$bad" -q
    complains "--region takes"
done
expect 3 render out --frames 1 -o bad.png --size 96x54 --region 90,0,7,1 -q
complains "within"
check "a picture was written" test ! -e bad.png

# --- where it goes --------------------------------------------------------------------------------
expect 0 render out --frames 1-3 -o 'p_%03d.png' "${small[@]}"
check "pattern" test -s p_001.png -a -s p_003.png
expect 3 render out --frames 1-3 -o several.png
complains "%06d"
expect 5 render out --frames 1 -o no/such/folder.png "${small[@]}"
complains "no/such/folder.png"
expect 5 render out --frames 1 -o /dev/full "${small[@]}"
complains "/dev/full"
if command -v ffmpeg > /dev/null; then
    for kind in mp4:h264 webm:vp9; do
        expect 0 render out -o "film.${kind%:*}" "${small[@]}"
        same "codec" "$(ffprobe -v error -show_entries stream=codec_name,pix_fmt -of csv=p=0 "film.${kind%:*}")" "${kind#*:},yuv420p"
    done
    expect 5 render out -o no/such/film.mp4 "${small[@]}"
    complains "no/such/film.mp4"
else
    skip "no ffmpeg: no videos"
fi

# --- a broken frame among good ones: the others are drawn, and the exit code tells ----------------
cp -r out broken
head -c 100 out/frame_000002.slf > broken/frame_000002.slf
expect 3 render broken -o 'b_%d.png' "${small[@]}"
complains "frame_000002.slf" "1 damaged frames were left out"
check "the other frames" test -s b_0.png -a -s b_1.png -a ! -e b_2.png -a -s b_4.png
finish

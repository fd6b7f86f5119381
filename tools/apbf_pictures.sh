#!/usr/bin/env bash
# The pictures of docs/notes/level-of-detail.md: [Köster 2016] Figures 1, 8, 10 and 11 (four ways to iterate, from
# one camera at one moment, and their differences from the highest number of iterations) and
# Figure 3 (particles coloured by level), with PSNR and SSIM in pictures.csv.
#
#   tools/apbf_pictures.sh [FOLDER] [FIGURE…]      (default: docs/notes/level-of-detail, all figures)
#
# All four go on from one checkpoint for a twelfth of a second: after longer, any two runs differ in
# every particle, and a picture says no more of the method. Ends with 1 if distance to visible
# surface does not beat the lowest number of iterations in both measures everywhere.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sleet=${SLEET:-$root/build/sleet}
folder=${1:-$root/docs/notes/level-of-detail}
shift || true
figures=("$@")
[ ${#figures[@]} -gt 0 ] || figures=(fig8 fig1 fig10 fig11)
work=${SLEET_WORK:-$(mktemp -d)}
[ -n "${SLEET_WORK:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$folder" "$work"
parameters="systems[0].parameters"
frames=${APBF_FRAMES:-5} # from the checkpoint to the picture

# What a figure shows: scene, fewest and most iterations, frame of the checkpoint.
describe() {
    case $1 in
        fig8) echo "dam_216k 3 6 85" ;;           # the wave has reached the far wall
        fig1) echo "double_dam_673k 5 10 55" ;;   # the two meet
        fig10) echo "double_dam_673k 5 10 85" ;;  # and rise
        fig11) echo "multi_dam_225k 4 8 55" ;;    # between walls, cone and each other
        *) echo "there is no figure $1; there are fig1, fig8, fig10 and fig11" >&2; exit 2 ;;
    esac
}

# kind MIN MAX NAME: its --set options, in `sets`.
kind() {
    local lod=dtc least=$1 most=$2
    case $3 in
        pbf_max) least=$2 ;;
        pbf_min) most=$1 ;;
        dtvs) lod=dtvs ;;
    esac
    sets=(--set "$parameters.lod=$lod" --set "$parameters.iterations=$most"
          --set "$parameters.lod_min=$least" --set output.every=5)
}

# draw RUN FRAME FILE SETS…
draw() {
    local run=$1 frame=$2 file=$3
    shift 3
    "$sleet" render "$run" --frames "$frame" --quiet -o "$work/drawn" "$@" > "$work/said"
    mv "$(cat "$work/said")" "$file"
}

small=(--set render.width=400 --set render.height=225)
table=$folder/pictures.csv
echo "figure,kind,frame,psnr_dB,ssim" > "$work/table"
missed=0
for figure in "${figures[@]}"; do
    description=$(describe "$figure")
    read -r scene least most start <<< "$description"
    file=$root/scenes/papers/apbf/$scene.json
    end=$((start + frames))
    kind "$least" "$most" pbf_max
    "$sleet" run "$file" -o "$work/$scene" --frames "$start" --resume --overwrite --quiet "${sets[@]}" > /dev/null
    for name in pbf_max pbf_min dtc dtvs; do
        run=$work/$figure.$name
        mkdir -p "$run"
        cp "$work/$scene/checkpoint_$(printf %06d "$start").slc" "$run"
        kind "$least" "$most" "$name"
        "$sleet" run "$file" -o "$run" --frames "$end" --resume --quiet "${sets[@]}" > /dev/null
        draw "$run" "$end" "$work/$figure.$name.png"
        draw "$run" "$end" "$folder/${figure}_$name.png" "${small[@]}"
        [ "$name" = pbf_max ] && continue
        "$sleet" compare "$work/$figure.pbf_max.png" "$work/$figure.$name.png" > "$work/said"
        psnr=$(sed -n 's/^psnr: \([0-9.]*\).*/\1/p' "$work/said")
        ssim=$(sed -n 's/^ssim: //p' "$work/said")
        echo "$figure,$name,$end,$psnr,$ssim" | tee -a "$work/table"
        "$sleet" compare "$folder/${figure}_pbf_max.png" "$folder/${figure}_$name.png" --gain 2 \
            -o "$folder/${figure}_${name}_difference.png" > /dev/null
        if [ "$figure" = fig8 ] && [ "$name" != pbf_min ]; then
            draw "$run" "$end" "$folder/fig3_$name.png" "${small[@]}" --set render.color_by=level \
                --set render.color_map=viridis --set "render.color_min=$least" \
                --set "render.color_max=$most"
        fi
    done
    awk -F, -v figure="$figure" '$1 == figure { psnr[$2] = $4; ssim[$2] = $5 }
        END { exit !(psnr["dtvs"] > psnr["pbf_min"] && ssim["dtvs"] > ssim["pbf_min"]) }' \
        "$work/table" || { echo "$figure: dtvs does not beat pbf_min"; missed=1; }
done
if [ ${#figures[@]} -eq 4 ]; then # a part of the table would replace the whole
    cp "$work/table" "$table"
fi
exit $missed

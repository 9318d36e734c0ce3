#!/usr/bin/env bash
# Trains splats that move on video rigs of `mote synth`, and prints the table of docs/moving.md:
# for each scene splats that move, the same without velocities, splats that stand still, and the
# upper bound, which is the mean of still scenes of single moments. All are compared with the frames
# of the test camera; the moments of the upper bound with theirs.
#   tools/moving_table.sh [TIME] [RESOLUTION] [CAMERAS] [FRAMES]
# TIME: of each training, 5m by default; a number without a unit is a number of steps, so that other
# programs do not change the results. RESOLUTION: 480x360, CAMERAS: 20, FRAMES: 60 by default.
# FOLDER=DIR keeps data and runs. Runs that are done there are not repeated, and others go on, so
# that the script can be stopped and started again. SCENES="arm room" takes only these. SEEDS=3 is
# the number of seeds of orrery, arm and room, and MOMENTS=3 of their single moments; the other
# scenes have one seed and no upper bound. DEVICE=cpu. The whole takes 41 times TIME and an hour for
# the pictures. A small version: tools/moving_table.sh 20s 160x120 6 12
# Measure on a machine without other programs.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly mote=${MOTE:-build/release/mote} device=${DEVICE:-auto}
readonly time=${1:-5m} resolution=${2:-480x360} cameras=${3:-20} frames=${4:-60}
readonly seeds=${SEEDS:-3} moments=${MOMENTS:-3}
length=(--time-budget "$time") unit=
if [[ $time =~ ^[0-9]+$ ]]; then length=(--steps "$time") unit=' steps'; fi
readonly length unit
read -ra scenes <<<"${SCENES:-orrery arm room flag stage throw fountain}"
readonly scenes
if [[ -n ${FOLDER:-} ]]; then
  readonly folder=$FOLDER
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  readonly folder
  trap 'rm -rf "$folder"' EXIT
fi

# run OPTION...: runs mote without output; prints it if it fails.
run() {
  echo "mote $*" >&2
  "$mote" "$@" --progress none >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
  }
}

# is_reference SCENE: whether it has several seeds and an upper bound.
is_reference() {
  [[ $1 == orrery || $1 == arm || $1 == room ]]
}

# data_of SCENE: makes its pictures if they are missing or incomplete, and prints their folder.
data_of() {
  local data=$folder/data_$1
  if ! grep -qs '"complete": true' "$data/rig.json"; then
    run synth "$1" --rig arc --cameras "$cameras" --frames "$frames" --resolution "$resolution" \
      -o "$data" -y
  fi
  echo "$data"
}

# moment_of SCENE FRAME: a dataset of one frame of all cameras; prints its folder.
moment_of() {
  local data moment list
  data=$(data_of "$1")
  moment=$folder/moment_$1_$2
  mkdir -p "$moment"
  for list in images dynamic_masks scene_flow points.ply; do
    ln -sfn "../data_$1/$list" "$moment/$list"
  done
  for list in transforms_test.json transforms_train.json; do
    # A frame is an object of the list, indented by two spaces.
    awk -v picture="/$2.png\"" '
      /^  \{$/ { inside = 1; text = ""; wanted = 0 }
      !inside { print; next }
      { text = text $0 "\n" }
      /"file_path"/ && index($0, picture) { wanted = 1 }
      /^  \},?$/ {
        inside = 0
        if (!wanted) next
        sub(/,?\n$/, "\n", text)
        printf "%s%s", count++ ? "," : "", text
      }' "$data/$list" >"$moment/$list"
  done
  echo "$moment"
}

# trained NAME DATA OPTION...: trains in $folder/run_NAME unless that is done, and prints the file
# with its scores.
trained() {
  local out=$folder/run_$1 data=$2 file=stats.json
  shift 2
  [[ $* != *--seeds* ]] || file=seed_stats.json
  if [[ $file == stats.json ]] && ! grep -qs '"status": "done"' "$out/stats.json"; then
    if [[ -e $out/config.json ]]; then
      run train --resume -o "$out" --device "$device"
    else
      run train "$data" -o "$out" "${length[@]}" --no-eval-pictures --device "$device" "$@"
    fi
  elif [[ $file == seed_stats.json && ! -e $out/$file ]]; then
    if [[ -e $out/seeds.json ]]; then
      run train --resume -o "$out" --device "$device"
    else
      run train "$data" -o "$out" "${length[@]}" --no-eval-pictures --device "$device" "$@"
    fi
  fi
  echo "$out/$file"
}

# score FILE NAME: a number of a JSON file with an indentation of two, by its path, such as
# evaluation.psnr; empty if it is missing.
score() {
  awk -v name="$2" '
    {
      match($0, /^ */)
      depth = RLENGTH / 2
      key = $1
      gsub(/[":]/, "", key)
      keys[depth] = key
      path = keys[1]
      for (i = 2; i <= depth; ++i) path = path "." keys[i]
      if (path != name) next
      sub(/,$/, "", $2)
      print $2
      exit
    }' "$1"
}

# cell FILE NAME DIGITS: a number of the table, with its spread over the seeds if there are several.
cell() {
  local value spread=
  if [[ $1 == *seed_stats.json ]]; then
    value=$(score "$1" "mean.$2")
    spread=$(score "$1" "spread.$2")
  else
    value=$(score "$1" "evaluation.$2")
  fi
  [[ -n $value ]] || return 0
  printf "%.$3f" "$value"
  [[ -z $spread ]] || printf " ± %.$3f" "$spread"
}

# row SCENE NAME FILE: prints a line of the table.
row() {
  printf '| %s | %s |' "$1" "$2"
  local name digits
  while read -r name digits; do
    printf ' %s |' "$(cell "$3" "$name" "$digits")"
  done <<'END'
psnr 2
ssim 3
psnr_dynamic 2
ssim_dynamic 3
flicker_psnr 2
flicker_psnr_dynamic 2
velocity.error 3
velocity.true 3
velocity.still_speed 4
END
  echo
}

# bound_row SCENE: trains single moments, and prints the means of their scores.
bound_row() {
  local i frame file sums=()
  for ((i = 0; i < moments; ++i)); do
    frame=$(printf '%05d' $(((2 * i + 1) * frames / (2 * moments))))
    file=$(trained "$1_moment_$frame" "$(moment_of "$1" "$frame")")
    sums+=("$(score "$file" evaluation.psnr) $(score "$file" evaluation.ssim) $(score "$file" evaluation.psnr_dynamic) $(score "$file" evaluation.ssim_dynamic)")
  done
  printf '%s\n' "${sums[@]}" | awk -v scene="$1" '
    { for (i = 1; i <= 4; ++i) sum[i] += $i }
    END {
      printf "| %s | single moments (%d) | %.2f | %.3f | %.2f | %.3f | | | | | |\n", scene, NR,
        sum[1] / NR, sum[2] / NR, sum[3] / NR, sum[4] / NR
    }'
}

echo "| scene | splats | PSNR, dB | SSIM | PSNR where it moves | SSIM where it moves | PSNR of changes where nothing moves | PSNR of changes where it moves | error of velocities | true velocities | speed where nothing moves |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for scene in "${scenes[@]}"; do
  data=$(data_of "$scene")
  repeats=()
  if is_reference "$scene" && ((seeds > 1)); then repeats=(--seeds "$seeds"); fi
  file=$(trained "${scene}_moving" "$data" --motion life "${repeats[@]}")
  row "$scene" "moving" "$file"
  file=$(trained "${scene}_no_velocity" "$data" --motion life --velocity none)
  row "$scene" "moving, without velocities" "$file"
  file=$(trained "${scene}_still" "$data" --motion still)
  row "$scene" "still" "$file"
  if is_reference "$scene"; then bound_row "$scene"; fi
done
printf '\n%s, %s CPUs, %s; %s of %s, %s cameras, %s frames\n' \
  "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(date +%F)" \
  "$time$unit" "$resolution" "$cameras" "$frames"

#!/usr/bin/env bash
# What the window costs beside rendering, and how fast a scene turns in it: the same tour with a
# window and without one. Needs a display (xvfb-run gives one).
#   tools/window_bench.sh [SCENE] [FRAMES]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly mote=${MOTE:-build/release/mote}
readonly scene=${1:-assets/still_life.spz}
readonly frames=${2:-120}
readonly width=1280 height=720
folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT

# tour NAME COUNT RATE LINE: a script that goes round in COUNT pictures, each of which it waits for.
tour() {
  {
    printf 'set smoothing 0\nset target-fps %s\n%s\nopen %q\nwait still\n' "$3" "$4" "$scene"
    for ((i = 0; i < $2; ++i)); do printf 'camera orbit 1 0\nwait frames 1\n'; done
    echo quit
  } >"$folder/$1.txt"
}

# run NAME OPTION...: leaves the wall time and the processor's time, s, in $wall and $busy.
run() {
  local TIMEFORMAT='%R %U %S'
  { time "$mote" view --device cpu --size ${width}x$height --settings "$folder/settings" \
    --script "$folder/$1.txt" --json "${@:2}" >"$folder/$1.json" 2>"$folder/$1.log"; } 2>"$folder/time"
  read -r wall busy < <(awk '{ print $1, $2 + $3 }' "$folder/time")
}

# per_frame A B: (B - A) / frames, in ms.
per_frame() {
  awk -v a="$1" -v b="$2" -v n="$frames" 'BEGIN { printf "%.2f", 1000 * (b - a) / n }'
}

# pair NAME RATE LINE OPTION...: $wall_ms and $busy_ms of a frame, the start taken off.
pair() {
  tour "$1_start" 0 "$2" "$3"
  tour "$1" "$frames" "$2" "$3"
  run "$1_start" "${@:4}"
  local start_wall=$wall start_busy=$busy
  run "$1" "${@:4}"
  wall_ms=$(per_frame "$start_wall" "$wall")
  busy_ms=$(per_frame "$start_busy" "$busy")
}

# The view that a window of this size has without panels, so that both render the same.
pair bare 1 "size $width $height" --offscreen
bare=$busy_ms
pair view 1 "window view"
printf 'full resolution, view alone:  %s ms a frame, %s ms of the processor beside rendering\n' \
  "$wall_ms" "$(awk -v a="$bare" -v b="$busy_ms" 'BEGIN { printf "%.2f", b - a }')"
pair panels 1 "panel view on"
printf 'full resolution, with panels: %s ms a frame, %s ms of the processor in all\n' \
  "$wall_ms" "$busy_ms"
pair held 30 "window view"
printf 'held at 30 FPS:               %s ms a frame\n' "$wall_ms"
grep -A4 '"window"' "$folder/panels.json"

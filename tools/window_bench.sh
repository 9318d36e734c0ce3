#!/usr/bin/env bash
# Measures the window's cost in addition to rendering, and the frame rate of a turning scene: runs
# the same tour with and without a window. Needs a display (xvfb-run gives one). The rounds
# alternate, so that other load on the machine affects all of them.
#   tools/window_bench.sh [SCENE] [FRAMES] [ROUNDS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly mote=${MOTE:-build/release/mote}
readonly scene=${1:-assets/still_life.spz}
readonly frames=${2:-120}
readonly rounds=${3:-5}
readonly width=1280 height=720
folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT

# tour NAME COUNT RATE LINE: writes a script that orbits in COUNT pictures and waits for each of
# them. With a RATE of 0 all are rendered at full size. Otherwise the view keeps moving between them
# as with a mouse, so that the rate determines their size.
tour() {
  local smoothing=0
  [[ $3 == 0 ]] || smoothing=0.1
  {
    printf 'set smoothing %s\nset target-fps %s\n%s\nopen %q\nwait still\n' \
      "$smoothing" "$(($3 > 0 ? $3 : 1))" "$4" "$scene"
    for ((i = 0; i < $2; ++i)); do printf 'camera orbit 1 0\nwait frames 1\n'; done
    echo quit
  } >"$folder/$1.txt"
}

# tour_pair NAME RATE LINE: writes the tour, and its start alone.
tour_pair() {
  tour "$1_start" 0 "$2" "$3"
  tour "$1" "$frames" "$2" "$3"
}

# run NAME OPTION...: sets $wall and $busy to the wall time and the CPU time, s.
run() {
  local TIMEFORMAT='%R %U %S'
  { time "$mote" view --yes --device cpu --size ${width}x$height --settings "$folder/settings" \
    --script "$folder/$1.txt" --json "${@:2}" >"$folder/$1.json" 2>"$folder/$1.log"; } 2>"$folder/time"
  read -r wall busy < <(awk '{ print $1, $2 + $3 }' "$folder/time")
}

# per_frame A B: prints (B - A) / frames, in ms.
per_frame() {
  awk -v a="$1" -v b="$2" -v n="$frames" 'BEGIN { printf "%.3f\n", 1000 * (b - a) / n }'
}

# sample NAME OPTION...: appends the time per frame, without the start, to NAME.wall and NAME.busy,
# ms.
sample() {
  run "$1_start" "${@:2}"
  local start_wall=$wall start_busy=$busy
  run "$1" "${@:2}"
  per_frame "$start_wall" "$wall" >>"$folder/$1.wall"
  per_frame "$start_busy" "$busy" >>"$folder/$1.busy"
}

# median FILE
median() {
  sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%.2f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# size_of LINE: prints the size of the view in the window after LINE, as "WIDTH HEIGHT".
size_of() {
  printf '%s\nopen %q\nwait still\nscreenshot %q\nquit\n' "$1" "$scene" "$folder/size.png" >"$folder/size.txt"
  run size
  od -An -tu4 -j16 -N8 --endian=big "$folder/size.png"
}

# Each has a twin that renders the same number of pixels without a window.
read -r view_width view_height < <(size_of "panel view on")
tour_pair bare 0 "size $width $height"
tour_pair view 0 "window view"
tour_pair bare_panels 0 "size $view_width $view_height"
tour_pair panels 0 "panel view on"
tour_pair held30 30 "window view"
tour_pair held60 60 "window view"
for ((round = 0; round < rounds; ++round)); do
  sample bare --offscreen
  sample view
  sample bare_panels --offscreen
  sample panels
  sample held30
  sample held60
done
# beside NAME TWIN: prints the CPU time of NAME beyond its twin, ms.
beside() {
  paste "$folder/$1.busy" "$folder/$2.busy" | awk '{ print $1 - $2 }' >"$folder/$1.beside"
  median "$folder/$1.beside"
}

printf 'medians of %d rounds of %d frames, window %dx%d:\n' "$rounds" "$frames" "$width" "$height"
printf 'view alone:                 %s ms a frame, %s ms of the processor beside rendering\n' \
  "$(median "$folder/view.wall")" "$(beside view bare)"
printf 'with panels, view %dx%d: %s ms a frame, %s ms of the processor beside rendering\n' \
  "$view_width" "$view_height" "$(median "$folder/panels.wall")" "$(beside panels bare_panels)"
printf 'view alone, held at 30 FPS: %s ms a frame; at 60 FPS: %s ms\n' \
  "$(median "$folder/held30.wall")" "$(median "$folder/held60.wall")"

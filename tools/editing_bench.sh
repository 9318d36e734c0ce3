#!/usr/bin/env bash
# Measures tools of the editor in the window on a large scene: the time of a gesture until the view
# shows its result, its time of all processors, and the longest cycle of the window's thread
# meanwhile, with the part that was its own computing. Each tool is used REPEATS times, with pointer
# input or actions. Needs a display (xvfb-run gives one).
#   tools/editing_bench.sh SCENE [REPEATS]
# The generated scene of the benchmarks, with 3 million splats:
#   build/release/make_garden --splats 3000000 garden.ply
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly mote=${MOTE:-build/release/mote}
readonly scene=${1:?the scene is missing}
readonly repeats=${2:-5}
folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT

# drag FROM PLACE...: presses at FROM, moves in ten steps to each PLACE ("X Y", fractions of the
# view), and releases.
drag() {
  local x y next_x next_y
  read -r x y <<<"$1"
  printf 'pointer at view %s %s\npointer press left\n' "$x" "$y"
  for place in "${@:2}"; do
    read -r next_x next_y <<<"$place"
    awk -v x="$x" -v y="$y" -v a="$next_x" -v b="$next_y" 'BEGIN {
      for (i = 1; i <= 10; ++i) printf "pointer at view %g %g\n", x + (a - x) * i / 10, y + (b - y) * i / 10
    }'
    x=$next_x y=$next_y
  done
  printf 'pointer release left\nwait still\n'
}

# The lines of one use of a tool. Each differs from the last one, so that there is something to do.
use() {
  local shift
  shift=$(awk -v i="$2" 'BEGIN { printf "%.2f", 0.02 * i }')
  case $1 in
    orbit) printf 'camera orbit 1 0\nwait still\n' ;;
    rectangle) drag "0.$((30 + $2)) 0.3" "0.7 0.7" ;;
    brush) drag "0.$((30 + $2)) 0.5" "0.7 0.6" ;;
    lasso) drag "0.$((30 + $2)) 0.3" "0.7 0.3" "0.7 0.7" "0.3 0.7" ;;
    sphere) drag "0.5 0.5" "0.$((55 + $2)) 0.5" ;;
    flood) printf 'pointer at view 0.5 0.%s\npointer click left\nwait still\n' "$((50 + $2))" ;;
    range) printf 'select range opacity 0 %s\nwait still\n' "0.$((30 + $2))" ;;
    histogram) printf 'select histogram %s\nwait still\n' "$(($2 % 2 == 0))" ;;
    move) printf 'select move 0.01 0 0\nwait still\n' ;;
    delete) printf 'delete\nwait still\nundo\nwait still\n' ;;
    place) printf 'place move %s 0 0\nwait still\n' "$shift" ;;
  esac
}

# script NAME TIMES: the script that uses the tool so often.
script() {
  printf 'set smoothing 0\nopen %q\nwait still\npanel edit on\nwait still\n' "$scene"
  case $1 in
    rectangle | brush | lasso | sphere | flood) printf 'tool %s\nwait still\n' "$1" ;;
    move | delete) printf 'select rectangle 0.4 0.4 0.6 0.6\nwait still\n' ;;
  esac
  for ((i = 0; i < $2; ++i)); do use "$1" "$i" | sed 's/histogram 1/histogram size/; s/histogram 0/histogram opacity/'; done
  echo quit
}

# run NAME TIMES: sets $wall and $busy to the wall time and the CPU time, s; the report is in
# NAME.json.
run() {
  local TIMEFORMAT='%R %U %S'
  script "$1" "$2" >"$folder/$1.txt"
  { time "$mote" view --yes --device cpu --size 1280x720 --settings "$folder/settings" \
    --script "$folder/$1.txt" --json >"$folder/$1.json" 2>"$folder/$1.log"; } 2>"$folder/time"
  read -r wall busy < <(awk '{ print $1, $2 + $3 }' "$folder/time")
}

value() {
  sed -n "s/.*\"$2\": *\([0-9.]*\).*/\1/p" "$folder/$1.json" | head -1
}

# per_use A B: prints (B - A) / repeats, in ms.
per_use() {
  awk -v a="$1" -v b="$2" -v n="$repeats" 'BEGIN { printf "%.0f", 1000 * (b - a) / n }'
}

printf '%-10s %10s %10s %16s %14s\n' tool 'ms a use' 'CPU, ms' 'longest turn, ms' 'own work, ms'
run orbit 0
start_wall=$wall start_busy=$busy
for tool in orbit rectangle brush lasso sphere flood range histogram move delete place; do
  run "$tool" "$repeats"
  printf '%-10s %10s %10s %16s %14s\n' "$tool" "$(per_use "$start_wall" "$wall")" \
    "$(per_use "$start_busy" "$busy")" "$(value "$tool" longest_turn_ms)" \
    "$(value "$tool" longest_work_ms)"
done

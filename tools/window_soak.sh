#!/usr/bin/env bash
# Uses the window for MINUTES (default 10; 0: two rounds) with pointer and keyboard input. Every
# round opens and drops, orbits, shows every mode and panel, edits and undoes, exports, records,
# trains, compares, resizes, minimises, goes full screen and closes everything. Fails if the program
# fails, if a sanitizer or Vulkan's validation reports something, or if memory, threads or open
# files grow. Needs a display (xvfb-run gives one). Meant for a build with sanitizers:
#   cmake --preset asan && cmake --build --preset asan --target mote
#   MOTE=build/asan/mote xvfb-run -a -s "-screen 0 1600x1200x24" tools/window_soak.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly mote=${MOTE:-build/release/mote}
readonly minutes=${1:-10}
# Caches fill during the first third of the rounds. After that memory may grow by 1.25 MiB per
# round; a leaked picture of the window would be 2 MiB, a leaked scene with its copies ten. Growth
# below 24 MiB in total is fragmentation of the heap and the sanitizer, which settles slowly. With
# few rounds memory is not checked. oneTBB starts some of its threads late. The number of open files
# may not grow.
readonly growth_mib=1.25 least_growth_mib=24 few_rounds=6 late_threads=2
folder=$(mktemp -d)
readonly folder
pid=
# shellcheck disable=SC2329  # by trap
clean_up() {
  [[ -z $pid ]] || kill "$pid" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT

# Freed memory is reused or returned soon, so that growing memory means memory that is still held.
export ASAN_OPTIONS="quarantine_size_mb=4:allocator_release_to_os_interval_ms=500:${ASAN_OPTIONS:-}"
export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

# After lavapipe is unloaded its own memory would count as leaked, without symbol names.
readonly kept_loaded=libvulkan_lvp.so

make_data() {
  "$mote" convert -q assets/still_life.spz "$folder/scene.ply" --keep-sh 1 --crop -0.5,-2,-0.5,0.5,1,0.5
  "$mote" synth -q pottery -o "$folder/data" --resolution 96x72 --views 10 --test-views 2 --samples 1 \
    --points 500
  printf 'ply\nformat of no kind\n' >"$folder/broken.ply"
}

# The actions of one round. It ends with nothing open and takes a screenshot of the window as a marker.
round() {
  cat <<LINES
drop $folder/scene.ply
wait loaded
wait still
drop $folder/broken.ply
wait loaded
notices clear
LINES
  for mode in depth normals alpha ellipsoids points overdraw tiles color; do
    printf 'mode %s\ncamera orbit 10 3\nwait still\n' "$mode"
  done
  for panel in scenes view camera edit train path benchmark settings photographs curves log; do
    printf 'panel %s on\nwait seconds 0.05\n' "$panel"
  done
  cat <<LINES
panel log off
panel edit on
screenshot window $folder/window.png
pointer 600 300
pointer press left
pointer 660 330
pointer 700 310
pointer release left
pointer scroll 2
camera fly 0 0 0.2
wait frames 5
camera fly 0 0 0
wait still
tool rectangle
pointer 500 200
pointer press left
pointer 620 320
pointer 700 400
pointer release left
wait still
key Delete
wait still
key Ctrl+Z
key Ctrl+Z
tool navigate
select all
select duplicate
wait still
color exposure=0.5 saturation=0.5
wait still
undo
undo
undo
box fit
wait still
box scale 0.5
box apply
wait still
undo
box fit
wait still
box clear
place move 0.1 0 0
place reset
export $folder/out.ply
export $folder/out.spz
screenshot $folder/view.png
wait saved
path add
camera orbit 30 0
wait still
path add 0.4
path play
wait seconds 0.2
path stop
path export $folder/flight.mp4 64x48 10
wait saved
path clear
benchmark run 64x48 frames=2 warmup=0 orbit=2
wait measured
set theme light
set font-size 18
wait frames 1
set theme dark
set font-size 16
open $folder/data
wait loaded
hide scene.ply
panel photographs on
photograph 1
wait still
compare split 0.4
wait still
compare difference
wait still
compare flicker
wait seconds 0.1
score
compare off
train start steps=400 max-splats=1500 sh-degree=1 out=$folder/run replace=true
panel train on
panel curves on
wait trained 20
window size 1000 640
train pause
wait paused
camera orbit 20 5
wait still
train resume
train save
wait trained 60
train stop
wait trained
train continue $folder/run
wait trained 90
train stop
wait trained
wait still
window minimise
wait seconds 0.1
window restore
window full
wait seconds 0.2
window full
wait seconds 0.1
window size 900 560
key Tab
wait still
key Tab
panel curves off
panel train off
close 1
close 1
close 1
close 1
recent clear
notices clear
wait seconds 0.5
screenshot window $folder/closed_$1.png
wait seconds 1
LINES
}

# rounds N FILE: writes a script of N rounds.
rounds() {
  {
    echo 'set smoothing 0.02'
    for ((i = 1; i <= $1; ++i)); do round "$i"; done
    echo quit
  } >"$2"
}

# use N: runs N rounds. Prints a line after each: time, s, memory, MiB, threads and open files.
use() {
  local -r begin=$SECONDS
  rounds "$1" "$folder/script"
  rm -rf "$folder"/closed_*.png "$folder/run"
  LD_PRELOAD=$kept_loaded "$mote" view --device cpu --validation --settings "$folder/settings" --size 900x560 --json --yes \
    --script "$folder/script" >"$folder/out" 2>"$folder/log" &
  pid=$!
  for ((i = 1; i <= $1; ++i)); do
    until [[ -e $folder/closed_$i.png ]] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    [[ -e $folder/closed_$i.png ]] || break
    local files=(/proc/"$pid"/fd/*)
    awk -v round="$i" -v time=$((SECONDS - begin)) -v files=${#files[@]} '
      /^VmRSS/ { memory = $2 / 1024 } /^Threads/ { threads = $2 }
      END { printf "%5d %6d %8.1f %7d %6d\n", round, time, memory, threads, files }' \
      /proc/"$pid"/status | tee -a "$folder/table"
  done
  local code=0
  wait "$pid" || code=$?
  pid=
  return "$code"
}

fail() {
  printf 'window_soak: %s\n' "$1" >&2
  grep -vE "^mote: (warning: )?$folder/.*: (written|training)" "$folder/log" | head -c 20000 >&2 || true
  exit 1
}

# Checks the log for messages that no round causes.
look_at_log() {
  if grep -qE 'Sanitizer|runtime error:' "$folder/log"; then fail 'a sanitizer has found something'; fi
  if grep -q 'validation' "$folder/log"; then fail "Vulkan's validation has found something"; fi
  if grep -E '^mote: ' "$folder/log" | grep -qv 'broken.ply'; then fail 'something went wrong'; fi
  if ! grep -q '"scenes": \[\]' "$folder/out"; then fail 'a round leaves something open'; fi
}

look_at_growth() {
  awk -v each="$growth_mib" -v least="$least_growth_mib" -v few="$few_rounds" -v late="$late_threads" '
    { memory[NR] = $3; threads[NR] = $4; files[NR] = $5 }
    END {
      from = NR < few ? 1 : int(NR / 3) + 1
      most = each * (NR - from) > least ? each * (NR - from) : least
      printf "from round %d to %d: %+.1f MiB, %+d threads, %+d open files; ", from, NR,
        memory[NR] - memory[from], threads[NR] - threads[from], files[NR] - files[from]
      print NR < few ? "too few rounds to judge memory by" : "at most " most " MiB may be"
      grows = NR >= few && memory[NR] - memory[from] > most
      exit grows || threads[NR] > threads[from] + late || files[NR] > files[from]
    }' "$folder/table"
}

make_data
echo 'round  time s  memory MiB threads files'
first=$SECONDS
use 2 || fail "the program ended with $?"
look_at_log
rate=$(((SECONDS - first + 1) / 2))
count=$((minutes * 60 / (rate > 0 ? rate : 1)))
if ((count > 2)); then
  rm "$folder/table"
  use "$count" || fail "the program ended with $?"
  look_at_log
fi
look_at_growth || fail 'memory, threads or files grow'

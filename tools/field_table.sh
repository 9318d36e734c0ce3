#!/usr/bin/env bash
# Trains a small field of each of the four applications with each of the three encodings, on data of
# `mote synth`, and prints the table of docs/field_performance.md: the frame times of `mote bench`,
# the shares of its stages, and the factor that is missing to 60 frames per second.
#   tools/field_table.sh [STEPS] [SIZE]...
# STEPS: of each training, 1000 by default; of images four times as many. SIZE: 1280x720 and
# 3840x2160 by default. FOLDER=DIR keeps data and fields, and uses those that are there. SMALL=1
# makes small data, to try the script. Measure on a machine without other programs.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly mote=${MOTE:-build/release/mote}
readonly steps=${1:-1000}
sizes=("${@:2}")
[[ ${#sizes[@]} -gt 0 ]] || sizes=(1280x720 3840x2160)
readonly sizes
if [[ -n ${FOLDER:-} ]]; then
  readonly folder=$FOLDER
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  readonly folder
  trap 'rm -rf "$folder"' EXIT
fi

# run NAME OPTION...: runs mote without output; prints it if it fails.
run() {
  "$mote" "$@" --progress none >"$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
  }
}

# data_of APPLICATION: makes the training data if they are missing, and prints their path.
data_of() {
  local resolution=400x400 views=60 triangles=250000 voxels=128
  [[ -z ${SMALL:-} ]] || resolution=64x64 views=8 triangles=50000 voxels=32
  case $1 in
    nerf)
      [[ -e $folder/pottery ]] ||
        run synth pottery -o "$folder/pottery" --views "$views" --test-views 4 --resolution "$resolution"
      echo "$folder/pottery"
      ;;
    sdf)
      [[ -e $folder/figure.ply ]] || run synth figure -o "$folder/figure.ply" --triangles "$triangles"
      echo "$folder/figure.ply"
      ;;
    image)
      data_of nerf >/dev/null
      local pictures=("$folder"/pottery/train/*.png)
      echo "${pictures[0]}"
      ;;
    volume)
      [[ -e $folder/cloud.nvdb ]] || run synth cloud -o "$folder/cloud.nvdb" --voxels "$voxels"
      echo "$folder/cloud.nvdb"
      ;;
  esac
}

# field_of APPLICATION ENCODING: trains the field if it is missing, and prints its path.
field_of() {
  local out=$folder/$1_$2 data count=$steps options=()
  [[ $1 != image ]] || count=$((4 * steps))
  [[ $1 != nerf ]] || options=(--model nerf)
  local file=$out/field_$count.ingp
  if [[ ! -e $file ]]; then
    data=$(data_of "$1")
    rm -rf "$out"
    run train "$data" -o "$out" --encoding "$2" --steps "$count" --no-eval "${options[@]}"
  fi
  echo "$file"
}

# row APPLICATION ENCODING SIZE: measures the field and prints a line of the table.
row() {
  local views=() field frames=3
  field=$(field_of "$1" "$2")
  # An image is shown from the front.
  [[ $1 == image ]] || views=(--orbit 4)
  # A distance field's 3840x2160 takes up to 20 s.
  [[ ${3%x*} -le 1920 ]] || frames=1
  run bench "$field" --size "$3" --frames "$frames" --warmup 1 "${views[@]}"
  awk -v application="$1" -v encoding="$2" -v size="$3" '
    /^  [0-9]+ parameters,/ { parameters = $1 }
    $1 == "all" && $2 == "views" && frame == "" { frame = $3 }
    $1 == "march" || $1 == "encoding" || $1 == "network" || $1 == "rest" { share[$1] = $3 }
    /times too slow/ { factor = $1 "×" }
    END {
      printf "| %s | %s | %s | %s | %s ms |", application, encoding, parameters, size, frame
      split("encoding network march rest", stages, " ")
      for (i = 1; i in stages; ++i) {
        if (stages[i] in share) printf " %.0f %% |", share[stages[i]]
        else printf " |"
      }
      printf " %s |\n", factor == "" ? "none" : factor
    }' "$folder/log"
}

echo "| field | encoding | parameters | picture | frame | encoding | network | march | rest | missing to 60 frames/s |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for application in nerf sdf image volume; do
  for encoding in hash dense low-resolution; do
    for size in "${sizes[@]}"; do row "$application" "$encoding" "$size"; done
  done
done
printf '\n%s, %s CPUs, %s\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(date +%F)"

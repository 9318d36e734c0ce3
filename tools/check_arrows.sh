#!/usr/bin/env bash
# Checks the includes between folders: check_arrows.sh [ROOT]. A folder may include only the folders
# in its line of the table below, so that dependencies have one direction. Prints each include that
# is not allowed, and exits with 1. A folder without a line in the table is an error, too.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# FOLDER: FOLDERS. A file belongs to the deepest folder of the table that contains it.
table='
renderer/core:
renderer/lanes: core
renderer/math: core lanes
renderer/cameras: core math
renderer/scene: core math cameras
renderer/splats/kinds: core lanes math cameras
renderer/splats/motions: core lanes math splats/kinds
renderer/pipeline: core lanes math cameras splats/kinds splats/motions
renderer/splats: core lanes math cameras scene splats/kinds
renderer/splats/density: core lanes math splats splats/kinds
renderer/backend: core math cameras scene splats splats/kinds splats/density
renderer/cpu: core lanes math cameras scene splats splats/kinds splats/motions splats/density pipeline backend
renderer/devices: core backend cpu
renderer/io: core io/datasets
renderer/io/images: core
renderer/io/video: core
renderer/io/splats: core math scene splats
renderer/io/datasets: core cameras scene io io/images io/splats
renderer/io/cameras: core cameras scene io io/images io/datasets
renderer/model: core cameras scene splats backend
renderer/model/moving: core scene splats backend io/splats model
renderer/synth: core cameras io/images
renderer/train: core model
renderer/train/splats: core math scene splats splats/kinds backend model io/datasets io/splats train/run
renderer/train/run: core math cameras scene backend model io/cameras io/datasets io/images io/splats
renderer/present: core lanes
cuda: core lanes math cameras scene splats splats/kinds splats/motions splats/density pipeline backend devices
app/jobs: core cameras scene splats backend model model/moving devices io/cameras io/datasets io/images io/splats io/video train/run train/splats
app/viewer/document: core scene splats model model/moving io/datasets io/images train/run train/splats app/jobs
app/viewer/workers: core scene splats backend model io/images train/run app/jobs app/viewer/document
app/viewer/training: core scene train/run app/jobs app/viewer/document app/viewer/workers
app/viewer/camera: core cameras scene
app/viewer/session: core app/jobs app/viewer/document app/viewer/workers app/viewer/training app/viewer/camera
app/viewer/movement: app/viewer/workers app/viewer/session
app/viewer/view: core cameras scene splats present app/viewer/session
app/viewer/actions: core splats io/cameras io/splats app/jobs app/viewer/document app/viewer/workers app/viewer/training app/viewer/session app/viewer/movement app/viewer/view
app/viewer: core io/images app/viewer/workers app/viewer/session app/viewer/movement app/viewer/view
app/gui: core io/splats scene splats model model/moving present app/jobs app/viewer app/viewer/workers app/viewer/training app/viewer/session app/viewer/movement app/viewer/view app/viewer/actions
app/shells: core io/splats app
app/commands: core cameras scene splats backend model model/moving devices io/cameras io/datasets io/images io/splats synth train/run train/splats present app app/jobs app/viewer app/viewer/workers app/viewer/session app/gui app/shells
app: core backend cpu devices app/commands
'

# Prints the includes of all sources, one "FILE INCLUDED" per line.
includes() {
  find renderer app cuda \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
    xargs -0 grep -Ho '^ *#include "[^"]*"' | sed -E 's/:[^"]*"/ /; s/"$//'
}

includes | awk -v table="$table" '
  function full(name) { return name ~ /^(app|cuda|renderer)(\/|$)/ ? name : "renderer/" name }
  function room_of(path) {
    while (sub(/\/[^\/]*$/, "", path)) if (path in known) return path
    return ""
  }
  BEGIN {
    count = split(table, lines, "\n")
    for (i = 1; i <= count; ++i) {
      if (split(lines[i], parts, ":") < 2) continue
      known[parts[1]] = 1
      rooms = split(parts[2], names, " ")
      for (k = 1; k <= rooms; ++k) allowed[parts[1], full(names[k])] = 1
    }
  }
  {
    from = room_of($1)
    to = $2 ~ /^(app|cuda)\// ? room_of($2) : room_of("renderer/" $2)
    if (from == "") { print $1 ": lies in no folder of the table in tools/check_arrows.sh"; bad = 1 }
    # A name without a folder is a generated file, or a file in the same folder.
    if ($2 !~ /\// || to == "" || from == to || (from, to) in allowed) next
    print $1 ": includes \"" $2 "\", but " from " may not know " to
    bad = 1
  }
  END { if (NR == 0) { print "no sources were found"; bad = 1 } exit bad }'

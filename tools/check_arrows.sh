#!/usr/bin/env bash
# Checks the includes between folders, and those of libraries: check_arrows.sh [ROOT]. A folder may
# include only the folders in its line of the table below, so that dependencies have one direction.
# Prints each include that is not allowed, and exits with 1. A folder without a line in the table is
# an error, and so is a circle in the table.
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
renderer/fields/encodings: core lanes math
renderer/fields/networks: core lanes math
renderer/fields: core lanes math cameras scene fields/encodings fields/networks
renderer/meshes: core
renderer/volumes: core math
renderer/pipeline: core lanes math cameras splats/kinds splats/motions
renderer/splats: core lanes math cameras scene fields/encodings fields/networks splats/kinds splats/motions
renderer/splats/density: core lanes math cameras splats splats/kinds splats/motions
renderer/backend: core math cameras scene fields splats splats/kinds splats/motions splats/density
renderer/cpu: core lanes math fields fields/encodings fields/networks cameras scene splats splats/kinds splats/motions splats/density pipeline backend
renderer/devices: core backend cpu
renderer/io: core cameras
renderer/io/fields: core math io io/splats fields fields/encodings fields/networks
renderer/io/fourdgs: core io
renderer/io/images: core math
renderer/io/meshes: core math meshes io/splats
renderer/io/torch: core math
renderer/io/volumes: core volumes io
renderer/io/video: core
renderer/io/splats: core math scene splats splats/motions io io/fourdgs io/torch
renderer/io/datasets: core cameras scene io io/images io/splats io/video
renderer/io/cameras: core cameras scene io io/images io/datasets
renderer/io/projects: core cameras scene splats splats/kinds io io/cameras
renderer/model: core cameras scene splats backend
renderer/model/moving: core scene splats backend io/splats model
renderer/synth: core cameras meshes volumes splats splats/kinds splats/motions io io/images io/video
renderer/train: core model
renderer/train/fields: core math scene cameras fields fields/encodings splats meshes volumes backend model io/fields io/images io/meshes io/volumes train/run
renderer/train/splats: core math cameras scene splats splats/kinds splats/density backend model io/datasets io/splats train/run
renderer/train/run: core math cameras scene splats backend model io/cameras io/datasets io/images io/splats
renderer/present: core lanes
cuda/runtime: core lanes
cuda/pictures: core math backend cuda/runtime
cuda/kernels: lanes math cameras fields/encodings splats splats/kinds splats/motions splats/density pipeline cuda/runtime cuda/pictures
cuda/kernels/fields: core lanes math fields fields/encodings fields/networks cuda/runtime cuda/pictures
cuda/fields: core math fields fields/encodings fields/networks backend cuda/runtime cuda/kernels/fields cuda/pictures
cuda: core math fields scene splats splats/kinds pipeline backend devices cuda/runtime cuda/kernels cuda/kernels/fields cuda/fields cuda/pictures
app/jobs: core cameras scene fields splats splats/kinds meshes backend model model/moving devices io/cameras io/datasets io/images io/meshes io/splats io/video train/run train/fields train/splats
app/viewer/document: core scene splats io/projects model model/moving io/datasets io/images train/run train/fields train/splats app/jobs
app/viewer/workers: core scene splats backend model io/images train/run app/jobs app/viewer/document
app/viewer/training: core scene train/run app/jobs app/viewer/document app/viewer/workers
app/viewer/importing: core io/datasets app/viewer/workers app/viewer/training
app/viewer/camera: core cameras scene
app/viewer/session: core io/projects app/jobs app/viewer/document app/viewer/workers app/viewer/training app/viewer/importing app/viewer/camera
app/viewer/movement: app/viewer/workers app/viewer/session
app/viewer/view: core cameras scene splats present app/viewer/session
app/viewer/project: core splats io/projects app/viewer/document app/viewer/workers app/viewer/session app/viewer/movement app/viewer/view
app/viewer/actions: core model splats io/cameras io/fields io/meshes io/projects io/splats app/jobs app/viewer/document app/viewer/workers app/viewer/training app/viewer/session app/viewer/movement app/viewer/view app/viewer/project
app/viewer: core io/images io/projects app/viewer/document app/viewer/workers app/viewer/project app/viewer/session app/viewer/movement app/viewer/view
app/gui: core io/splats present app/viewer app/viewer/workers app/viewer/training app/viewer/session app/viewer/movement app/viewer/view app/viewer/actions
app/gui/panels: core io/splats scene train/fields app/jobs app/viewer/workers app/viewer/session app/viewer/training app/viewer/view app/gui
app/cli: core backend cpu devices app/jobs
app/shells: core io/splats app/cli
app/commands: core cameras scene fields fields/encodings fields/networks splats meshes volumes backend model model/moving devices io/cameras io/datasets io/fields io/images io/meshes io/projects io/splats io/volumes synth train/run train/fields train/splats present app/cli app/jobs app/viewer app/viewer/workers app/viewer/session app/gui app/shells
app: core app/cli app/commands
'

# LIBRARY: FOLDERS. Only these folders may include headers of the library; a name ends at / or .
libraries='
CLI: app/cli
GLFW: app/gui
imgui: app/gui app/gui/panels
vulkan: renderer/present app/gui
cuda_runtime: cuda cuda/runtime cuda/kernels cuda/fields cuda/kernels/fields cuda/pictures
cub: cuda
oneapi: renderer/core
spdlog: renderer/core
libavcodec: renderer/io/video
libavformat: renderer/io/video
OpenEXR: renderer/io/images
assimp: renderer/io/meshes
nanovdb: renderer/io/volumes
png: renderer/io/images
turbojpeg: renderer/io/images
jpeglib: renderer/io/images
zstd: renderer/io
'

# Prints the includes of all sources, one "FILE INCLUDED" per line; libraries in angle brackets.
includes() {
  find renderer app cuda \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
    xargs -0 grep -HoE '^ *#include ("[^"]*"|<[^>]*>)' |
    sed -E 's/: *#include "([^"]*)"/ \1/; s/: *#include </ </'
}

includes | awk -v table="$table" -v libraries="$libraries" '
  function full(name) { return name ~ /^(app|cuda|renderer)(\/|$)/ ? name : "renderer/" name }
  function room_of(path) {
    while (sub(/\/[^\/]*$/, "", path)) if (path in known) return path
    return ""
  }
  function report(text) { print text; bad = 1 }
  # Looks for a way from the room back to itself.
  function visit(room, way,    k, names) {
    if (state[room] == 2) return
    if (state[room] == 1) {
      report("tools/check_arrows.sh: a circle: " way)
      return
    }
    state[room] = 1
    split(targets[room], names, " ")
    for (k = 1; k in names; ++k) visit(names[k], way " > " names[k])
    state[room] = 2
  }
  function read_table(    i, k, lines, parts, names, room) {
    split(table, lines, "\n")
    for (i = 1; i in lines; ++i) if (split(lines[i], parts, ":") == 2) known[parts[1]] = 1
    for (i = 1; i in lines; ++i) {
      if (split(lines[i], parts, ":") < 2) continue
      split(parts[2], names, " ")
      for (k = 1; k in names; ++k) {
        room = full(names[k])
        if (!(room in known)) report("tools/check_arrows.sh: " parts[1] " names " room ", which has no line")
        allowed[parts[1], room] = 1
        targets[parts[1]] = targets[parts[1]] " " room
      }
    }
    for (room in known) visit(room, room)
    split(libraries, lines, "\n")
    for (i = 1; i in lines; ++i) {
      if (split(lines[i], parts, ":") < 2) continue
      limited[parts[1]] = 1
      split(parts[2], names, " ")
      for (k = 1; k in names; ++k) user[parts[1], names[k]] = 1
    }
  }
  BEGIN { read_table() }
  {
    from = room_of($1)
    if (from == "") report($1 ": lies in no folder of the table in tools/check_arrows.sh")
    if ($2 ~ /^</) {
      split(substr($2, 2), names, /[\/.>]/)
      if (names[1] in limited && !((names[1], from) in user)) {
        report($1 ": includes " $2 ", but " from " may not use this library")
      }
      next
    }
    to = $2 ~ /^(app|cuda)\// ? room_of($2) : room_of("renderer/" $2)
    # A name without a folder is a generated file, or a file in the same folder.
    if ($2 !~ /\// || from == to || (from, to) in allowed) next
    if (to == "") to = "a folder that has no line in the table"
    report($1 ": includes \"" $2 "\", but " from " may not know " to)
  }
  END { if (NR == 0) report("no sources were found"); exit bad }'

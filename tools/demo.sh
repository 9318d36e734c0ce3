#!/usr/bin/env bash
# Sets up, builds, renders an orbit of the bundled scene into out/demo and measures frames of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh build
cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target mote

mote=build/release/mote
scene=assets/still_life.spz
pictures=out/demo
"$mote" render "$scene" --orbit 24 --size 1280x720 --background 0.02,0.022,0.026 -o "$pictures" --yes
for size in 1280x720 3840x2160; do
  printf '\n'
  "$mote" bench "$scene" --orbit 6 --size "$size" --frames 5 --warmup 1
done
printf '\nThe pictures are in %s. The same for a scene of yours:\n  %s render SCENE.ply --orbit 24 -o out/mine\n' \
  "$PWD/$pictures" "$PWD/$mote"

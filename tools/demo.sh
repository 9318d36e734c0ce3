#!/usr/bin/env bash
# Sets up, builds and shows the bundled scene. Then makes a small dataset, trains splats and a neural
# radiance field on it, together for two minutes, compares both with held-out views, and renders a
# tour around each. All results are in out/demo; later runs reuse the dataset.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The CUDA kernels take longer to compile than everything else. Without NVIDIA's driver they are
# skipped; with it they are compiled for this machine's GPU only.
cuda=(-DMOTE_CUDA=OFF)
if [[ -e /proc/driver/nvidia/version ]] || command -v nvidia-smi >/dev/null; then
  cuda=(-DMOTE_CUDA=AUTO -DMOTE_CUDA_ARCHITECTURES=native)
fi

tools/setup.sh build
cmake --preset release "${cuda[@]}"
cmake --build --preset release --parallel "$(nproc)" --target mote

mote=build/release/mote
out=out/demo
say() { printf '\n== %s\n' "$*"; }

say "the bundled scene: six views, and how fast they are"
"$mote" render assets/still_life.spz --orbit 6 --size 1280x720 --background 0.02,0.022,0.026 \
  -o "$out/still_life" --yes
"$mote" bench assets/still_life.spz --orbit 6 --size 1280x720 --frames 5 --warmup 1

if [[ -e $out/dataset/.complete ]]; then
  say "the dataset of an earlier run is reused; remove $out/dataset to make it again"
else
  say "a dataset: rendered photographs of a pottery scene"
  "$mote" synth pottery -o "$out/dataset" --yes
  touch "$out/dataset/.complete"
fi

say "training splats, 80 seconds"
"$mote" train "$out/dataset" -o "$out/run" --time-budget 80s --yes

say "training a neural radiance field on the same photographs, 40 seconds"
"$mote" train "$out/dataset" --model nerf -o "$out/field" --time-budget 40s --yes

say "around the splats"
scenes=("$out"/run/splat_*.ply)
scene=$(printf '%s\n' "${scenes[@]}" | sort -V | tail -n 1)
"$mote" render "$scene" --cameras "$out/run/cameras.json" --orbit 24 --size 1280x960 -o "$out/orbit" --yes
"$mote" bench "$scene" --cameras "$out/run/cameras.json" --size 1280x960 --frames 2 --warmup 1 \
  --json "$out/run/bench.json" --yes

say "around the field, which takes longer to draw"
"$mote" render "$out/field" --cameras "$out/run/cameras.json" --orbit 8 --size 640x480 \
  -o "$out/field_orbit" --yes

# The last evaluation of a run.
evaluation() {
  local all=("$1"/eval/step_*)
  printf '%s\n' "${all[@]}" | sort -V | tail -n 1
}
say "where to look"
cat <<END
  $PWD/$out/orbit                    the trained splats from all sides
  $PWD/$out/field_orbit              the trained field from all sides
  $PWD/$(evaluation "$out/run")
  $PWD/$(evaluation "$out/field")
                                     test views of both: gt (photographed), render, diff
  $PWD/$out/run/metrics.svg          loss, PSNR and splats over the steps
  $PWD/$out/field/metrics.svg        loss and PSNR of the field
  $PWD/$out/still_life               the bundled scene
The same with photographs of yours:  $PWD/$mote import PHOTOS -o DATASET
                                     $PWD/$mote train DATASET -o OUT
END

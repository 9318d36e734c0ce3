# The parts of tools/gpu_check.sh, which are functions named part_NAME. Sourced by it.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of gpu_check.sh

part_machine() {
  local file=$out/parts/machine.devices.json
  mote devices --json >"$file"
  measure devices devices "$file" "$bin/mote" devices
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi >"$out/parts/machine.nvidia-smi.txt" 2>&1 || true
    record Vulkan passed 0 "" "$vulkan"
    record driver passed 0 nvidia-smi "$(nvidia-smi --format=csv,noheader \
      --query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit 2>&1 || true)"
  fi
  [[ $device == cuda* ]] || return 0
  local capability
  capability=$(sed -n 's/.*"compute_capability": "\(.*\)".*/\1/p' "$file" | head -n 1)
  record "kernels for compute capability $capability" "$(coverage "${capability/./}" status)" 0 "" \
    "$(coverage "${capability/./}" text)"
}

# coverage CAPABILITY status|text: whether the build has code for a GPU of compute capability 9.0
# (given as 90). Machine code runs on GPUs of the same major version that are not older;
# intermediate code runs on all GPUs that are not older.
coverage() {
  local entry best=none number
  for entry in ${architectures//;/ }; do
    number=${entry%%-*}
    if [[ ! $number =~ ^[0-9]+$ ]] || ((number > $1)); then continue; fi
    if [[ $entry != *-virtual ]] && ((number / 10 == $1 / 10)); then
      best=machine
    elif [[ $entry != *-real && $best == none ]]; then
      best=intermediate
    fi
  done
  case $2-$best in
    status-none) echo failed ;;
    status-*) echo passed ;;
    text-none) echo "the build has none (it has ${architectures:-none}): configure with -DMOTE_CUDA_ARCHITECTURES=$1" ;;
    text-machine) echo "machine code for it is in the build ($architectures)" ;;
    text-*) echo "only intermediate code is in the build ($architectures): the driver compiles it at the first start" ;;
  esac
}

part_tests() {
  local test found=0 failed=0
  while read -r test; do
    found=1
    measure "$test" tests "" "$tests/$test" --gtest_brief=1 </dev/null || failed=1
  done < <(cat "$test_list" 2>/dev/null || true)
  ((found)) || skip "tests labelled gpu" "none in this build: it has no CUDA, or no tests"
  return "$failed"
}

# garden SPLATS SEED [VIEWS WxH]: makes the generated scene and its cameras, if they are missing,
# and sets $scene and $cameras to their files.
garden() {
  local count=${3:-24} size=${4:-1920x1080}
  scene=$work/garden_$1_$2.ply cameras=$work/cameras_${count}_$size.json
  [[ ! -e $scene || ! -e $cameras ]] || return 0
  measure "making $1 splats" quiet "" "$bin/make_garden" "$scene" --splats "$1" --seed "$2" \
    --cameras "$cameras" --views "$count" --width "${size%x*}" --height "${size#*x}"
}

# dataset SPLATS VIEWS WxH: renders photographs of the generated scene into the folder $data.
dataset() {
  data=$work/photographs_$2_$3
  garden "$1" 42 "$2" "$3"
  [[ ! -e $data/.complete ]] || return 0
  mkdir -p "$data"
  cp "$cameras" "$data/transforms.json"
  measure "making $2 photographs" quiet "" "$bin/mote" render "$scene" --cameras "$cameras" -o "$data" --device "$device" --yes
  touch "$data/.complete"
}

# find_tool NAME: prints the path of a tool of the CUDA toolkit; empty if it is not there.
find_tool() {
  command -v "$1" || find /usr/local/cuda*/ /opt/nvidia -name "$1" -type f 2>/dev/null | head -n 1 || true
}

# One frame and 60 steps under each tool of compute-sanitizer, for the forms of changing the splats and
# of the backward pass. A tool that cannot run here is tried once.
part_sanitizer() {
  local checker tool run strategy form log status failed=0 scene cameras data
  local runs=("adc strips" "mcmc strips" "adc buckets")
  checker=$(find_tool compute-sanitizer)
  if [[ -z $checker ]]; then
    skip compute-sanitizer "not on this machine: it is part of the CUDA toolkit"
    return 0
  fi
  if [[ $device != cuda* ]]; then
    skip compute-sanitizer "nothing to check on $device"
    return 0
  fi
  dataset 20000 8 160x112
  for tool in ${checkers//,/ }; do
    before=("$checker" --target-processes all --tool "$tool" --error-exitcode 99)
    log=$out/parts/$part.$tool.log status=0
    limited "$bin/mote" render "$scene" --cameras "$cameras" --size 320x208 --output rgb,alpha,depth,depth-median \
      --device "$device" -o "$work/checked" --yes >"$log" 2>&1 || status=$?
    if ! grep -q 'ERROR SUMMARY' "$log"; then
      skip "$tool" "cannot run here (exit code $status): $(grep -v '^$' "$log" | tail -n 2)"
      continue
    fi
    record "$tool, a frame" "$( ((status == 0)) && echo passed || echo failed)" 0 "${checker##*/} --tool $tool mote render" \
      "$(grep 'ERROR SUMMARY' "$log" | tail -n 1)"
    ((status == 0)) || failed=1
    for run in "${runs[@]}"; do
      read -r strategy form <<<"$run"
      measure "$tool, 60 steps by $strategy, backward by $form" last_line "" "$bin/mote" train "$data" \
        -o "$work/checked_${strategy}_$form" --yes --init random --init-count 3000 --strategy "$strategy" --steps 60 \
        --densify-from 10 --densify-every 10 --backward "$form" --no-eval --device "$device" || failed=1
    done
  done
  return "$failed"
}

# The counters of the kernels of sorting and blending, by Nsight Compute.
part_profile() {
  local profiler scene cameras
  profiler=$(find_tool ncu)
  if [[ -z $profiler || $device != cuda* ]]; then
    skip ncu "$([[ $device == cuda* ]] && echo "not on this machine: it is part of the CUDA toolkit" || echo "nothing to profile on $device")"
    return 0
  fi
  garden "$splats" 42
  before=("$profiler" --target-processes all --set detailed --kernel-name 'regex:sort_segments|blend' --launch-skip 6
    --launch-count 2 --log-file "$out/parts/profile.txt")
  measure "sorting and blending" last_line "" "$bin/mote" bench "$scene" --cameras "$cameras" --size "${sizes%%,*}" \
    --frames 1 --warmup 4 --device "$device" --progress none
}

part_bench() {
  local entry file name size failed=0 scene cameras precision precisions=(exact)
  [[ $device != cuda* ]] || precisions+=(fast)
  garden "$splats" 42
  for entry in "$scene,$cameras" "$assets/still_life.spz" "${scenes[@]}"; do
    scene=${entry%%,*} cameras=${entry#"${entry%%,*}"}
    name=$(basename "$scene")
    for size in ${sizes//,/ }; do
      for precision in "${precisions[@]}"; do
        file=$out/parts/bench.$name.$size.$precision.json
        measure "$name, $size, $precision" bench "$file" "$bin/mote" bench "$scene" \
          ${cameras:+--cameras "${cameras#,}"} --size "$size" --frames "$frames" --warmup "$warmup" \
          --preheat "$preheat" --precision "$precision" --device "$device" --progress none --json "$file" --yes ||
          failed=1
      done
    done
  done
  return "$failed"
}

# field_frames NAME FIELD SIZE TARGET [OPTION...]: frame times of a field. TARGET: ms, or empty.
field_frames() {
  local file=$out/parts/fields.$1.$3.json
  target=$4
  measure "$1, $3" field_frames "$file" "$bin/mote" bench "$2" --size "$3" --frames "$frames" --warmup "$warmup" \
    --preheat "$preheat" --device "$device" --progress none --json "$file" --yes "${@:5}"
}

# field_run NAME RUN DATA [OPTION...]: trains a field in steps of 2^18 samples. `target`: M samples/s, or
# empty.
field_run() {
  rm -rf "$2"
  measure "$1, $field_steps steps" field_run "$2/stats.json" "$bin/mote" train "$3" -o "$2" --yes --steps "$field_steps" \
    --batch "$field_batch" --no-eval --checkpoint-every 0 --device "$device" --progress none "${@:4}"
}

# Rates of kernels, training and frames of neural fields, beside their targets. A smaller picture than
# 3840x2160 has no target.
part_fields() {
  local size data scene cameras seconds failed=0 target='' field_batch=262144 large=3840x2160 full=1920x1080
  # A processor trains smaller steps.
  [[ $device == cuda* ]] || field_batch=4096
  if [[ $device == cuda* && -x $bin/field_gpu_rates ]]; then
    measure "kernels" rates "" "$bin/field_gpu_rates" || failed=1
  else
    skip kernels "they are measured on CUDA devices, by a build with CUDA"
  fi
  dataset "$splats" "$views" "$train_size"
  local pictures=("$data"/*.png)
  measure "making a mesh" quiet "" "$bin/mote" synth figure -o "$work/figure.ply" --triangles 50000 --yes || failed=1
  field_run "neural image" "$work/field_image" "${pictures[0]}" || failed=1
  field_run "signed distances" "$work/field_sdf" "$work/figure.ply" || failed=1
  target=150
  field_run NeRF "$work/field_nerf" "$data" --model nerf || failed=1
  local -A image=([$large]=2) sdf=([$large]=2) nerf_ms=([$full]=4 [$large]=12)
  for size in ${sizes//,/ }; do
    field_frames "neural image" "$work/field_image" "$size" "${image[$size]:-}" || failed=1
    field_frames "signed distances" "$work/field_sdf" "$size" "${sdf[$size]:-}" --orbit 4 || failed=1
    field_frames NeRF "$work/field_nerf" "$size" "${nerf_ms[$size]:-}" --orbit 4 || failed=1
  done
  [[ -n $nerf ]] || { skip "quality by time" "no --nerf given" && return "$failed"; }
  for seconds in 6 60; do
    target=$((seconds == 6 ? 335 : 363))
    measure "$(basename "$nerf"), $seconds s" field_quality "$work/field_$seconds/stats.json" "$bin/mote" train "$nerf" \
      --model nerf -o "$work/field_$seconds" --yes --time-budget "${seconds}s" --checkpoint-every 0 --device "$device" \
      --progress none || failed=1
  done
  return "$failed"
}

part_train() {
  local scene cameras data form failed=0
  # The form under test runs a tenth of the steps.
  local -A steps_by=([strips]=$steps [buckets]=$(((steps + 9) / 10)))
  local -A run_by=([strips]=$work/run [buckets]=$work/run_buckets)
  dataset "$splats" "$views" "$train_size"
  garden "$train_splats" 7
  for form in strips buckets; do
    measure "$train_splats splats, $views photographs of $train_size, ${steps_by[$form]} steps, backward by $form" \
      train "${run_by[$form]}/stats.json" \
      "$bin/mote" train "$data" -o "${run_by[$form]}" --yes --init "$scene" --strategy mcmc \
      --max-splats "$train_splats" --steps "${steps_by[$form]}" --test-every 0 --no-eval --checkpoint-every 0 \
      --save-steps "${steps_by[$form]}" --backward "$form" --device "$device" --progress none || failed=1
  done
  return "$failed"
}

part_gsplat() {
  local size file failed=0 scene cameras data script=("$python" "$here/gpu/gsplat_bench.py" --gsplat "$gsplat")
  [[ -n $gsplat ]] || { skip gsplat "no --gsplat given" && return; }
  "$python" -c 'import torch; assert torch.cuda.is_available()' &>/dev/null ||
    { skip gsplat "$python has no PyTorch with CUDA" && return; }
  dataset "$splats" "$views" "$train_size"
  garden "$train_splats" 7
  local start=$scene
  garden "$splats" 42
  environment=() launch=() # our libraries are not Python's
  for size in ${sizes//,/ }; do
    file=$out/parts/gsplat.$size.json
    measure "gsplat, $(basename "$scene"), $size" last_line "$file" "${script[@]}" frames --scene "$scene" --cameras "$cameras" \
      --size "$size" --frames "$frames" --warmup "$warmup" --json "$file" \
      --ours "$out/parts/bench.$(basename "$scene").$size.exact.json" || failed=1
  done
  file=$out/parts/gsplat.train.json
  measure "gsplat, training, $train_splats splats of $train_size" last_line "$file" "${script[@]}" train --scene "$start" \
    --data "$data" --steps "$((steps < 2000 ? steps : 2000))" --json "$file" --ours "$work/run/stats.json" || failed=1
  return "$failed"
}

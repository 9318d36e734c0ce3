#!/usr/bin/env bash
# Tests and measures Mote on a machine with an NVIDIA GPU. Runs from a built clone, or from the
# folder packed by tools/gpu_pack.sh, which needs only the GPU's driver. gpu_check.sh --help
#
# One call ends within --time. Every part has a share of it, and writes its results to OUT/parts, so
# that parts can also be run one by one. After each part, the report combines all existing results:
# OUT/report.md, OUT/report.json, and OUT/results.tar.gz with all files. Exit code: 0 all chosen parts
# passed or had nothing to run, 1 something failed, 2 wrong usage.
set -euo pipefail

# In the order of importance, with their shares of the time.
readonly all_parts=(machine tests sanitizer bench train profile gsplat)
declare -Ar shares=([machine]=10 [tests]=90 [sanitizer]=120 [bench]=100 [train]=110 [profile]=50 [gsplat]=150)

usage() {
  cat <<END
gpu_check.sh [OPTION...]
  --parts LIST        of ${all_parts[*]} (all, in this order);
                      "" makes the report anew, of parts that were brought together in OUT/parts
  --out DIR           for the results (gpu_check)
  --work DIR          for generated scenes and datasets, kept for later parts (OUT/work)
  --device NAME       cuda, cuda:N or cpu (cuda)
  --time SECONDS      for the whole call (480); a part gets its share of what is left
  --build DIR         of a clone (build/release)
 sanitizer
  --tools LIST        of compute-sanitizer (memcheck,racecheck); also initcheck, synccheck
 bench
  --sizes LIST        of frames (3840x2160,1920x1080)
  --frames N          of each view (20), after --warmup N (5)
  --preheat SECONDS   of rendering before the first view (1)
  --splats N          of the generated scene (3000000)
  --scene FILE[,CAMERAS]   a further scene; any number of times
 train
  --steps N           (10000)
  --train-splats N    all the time (1000000)
  --train-size WxH    of the photographs (1296x840)
  --views N           photographs (100)
 gsplat
  --gsplat DIR        its source tree, built in place or installed for --python
  --python EXE        one that has PyTorch (python3)
END
}

fail() {
  printf 'gpu_check: %s\n' "$@" >&2
  exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
parts=("${all_parts[@]}")
out=gpu_check work='' device=cuda time=480 build='' checkers=memcheck,racecheck
sizes=3840x2160,1920x1080 frames=20 warmup=5 preheat=1 splats=3000000 scenes=()
steps=10000 train_splats=1000000 train_size=1296x840 views=100
gsplat='' python=python3

while (($# > 0)); do
  [[ $1 != -h && $1 != --help ]] || { usage && exit 0; }
  (($# > 1)) || fail "$1 needs a value, or is unknown; see gpu_check.sh --help"
  case $1 in
    --parts) IFS=, read -ra parts <<<"$2" ;;
    --scene) scenes+=("$2") ;;
    --tools) checkers=$2 ;;
    --out | --work | --device | --time | --build | --sizes | --frames | --warmup | --preheat | --splats | \
      --steps | --train-splats | --train-size | --views | --gsplat | --python)
      name=${1#--}
      printf -v "${name//-/_}" %s "$2"
      ;;
    *) fail "unknown: $1; see gpu_check.sh --help" ;;
  esac
  shift 2
done
for part in "${parts[@]}"; do
  [[ " ${all_parts[*]} " == *" $part "* ]] || fail "unknown part: $part; there are ${all_parts[*]}"
done
same=$(for scene in "${scenes[@]}"; do basename "${scene%%,*}"; done | sort | uniq -d | head -n 1)
[[ -z $same ]] || fail "two scenes are called $same: their results would have the same name"
[[ $time =~ ^[0-9]+$ ]] || fail "--time needs a number of seconds, not $time"
work=${work:-$out/work}
for folder in "$out/parts" "$work"; do
  if ! mkdir -p "$folder" 2>/dev/null || ! echo 1 2>/dev/null >"$folder/.trial"; then
    fail "cannot write to $folder: choose a writable folder with enough space by --out"
  fi
  rm -f "$folder/.trial"
done

# The folder of the driver's library libcuda.so.1 if the loader does not find it by itself: some
# containers name it in no configuration. Empty otherwise.
driver_folder() {
  local folder searched=${LD_LIBRARY_PATH:-}
  [[ -z $(ldconfig -p 2>/dev/null | grep 'libcuda\.so\.1 ' || true) ]] || return 0
  for folder in ${searched//:/ }; do [[ ! -e $folder/libcuda.so.1 ]] || return 0; done
  for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib /usr/local/cuda/compat; do
    [[ ! -e $folder/libcuda.so.1 ]] || { echo "$folder" && return 0; }
  done
}

# Folders of the programs, and prefixes for starting them. The search path of the machine is extended,
# since the driver may be found by it alone. A bundle contains the programs' libraries; its C library
# is used if the machine's own is too old for the programs.
paths=$(driver_folder)
paths=${LD_LIBRARY_PATH:-}${paths:+${LD_LIBRARY_PATH:+:}$paths}
launch=()
if [[ -e $here/BUILD.txt ]]; then
  bin=$here/bin tests=$here/bin test_list=$here/gpu_tests.txt assets=$here/assets tools=$here
  environment=(env "LD_LIBRARY_PATH=$here/lib${paths:+:$paths}")
  if ! "${environment[@]}" "$bin/mote" --version &>/dev/null; then
    loader=$(find "$here/lib/c" -name 'ld-linux*')
    environment=(env "LD_LIBRARY_PATH=$paths")
    launch=("$loader" --library-path "$here/lib/c:$here/lib${paths:+:$paths}")
  fi
  commit=$(sed -n 's/^commit: //p' "$here/BUILD.txt")
  architectures=$(sed -n 's/^architectures: //p' "$here/BUILD.txt")
else
  build=${build:-$here/../build/release}
  bin=$build tests=$build/tests test_list=$build/gpu_tests.txt assets=$here/../assets tools=$here
  environment=(env "LD_LIBRARY_PATH=$paths")
  commit=$(git -C "$here" describe --always --dirty 2>/dev/null || echo unknown)
  architectures=$(sed -n 's/^MOTE_CUDA_ARCHITECTURES:[A-Z]*=//p' "$build/CMakeCache.txt" 2>/dev/null || true)
fi
mote() { "${environment[@]}" "${launch[@]}" "$bin/mote" "$@"; }
mote --version >/dev/null ||
  fail "$bin/mote does not start: build it, or carry a bundle that tools/gpu_pack.sh made"

# Vulkan finds a driver by a manifest. Where the driver's library is there and no manifest is, makes
# one. Prints what it did; sets nothing, since it runs in a subshell.
readonly vulkan_manifest=$work/nvidia_icd.json
find_vulkan() {
  local folder library=''
  if compgen -G '/usr/share/vulkan/icd.d/nvidia*' >/dev/null || compgen -G '/etc/vulkan/icd.d/nvidia*' >/dev/null; then
    echo "the driver's manifest is installed" && return 0
  fi
  for folder in ${paths//:/ } /usr/lib/x86_64-linux-gnu /usr/lib64; do
    [[ -n $library || ! -e $folder/libGLX_nvidia.so.0 ]] || library=$folder/libGLX_nvidia.so.0
  done
  [[ -n $library ]] || { echo "no Vulkan driver of the GPU: tests that share pictures with it are skipped" && return 0; }
  printf '{"file_format_version": "1.0.1", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$library" >"$vulkan_manifest"
  echo "no manifest is installed; made one for $library"
}
vulkan=$(find_vulkan)
[[ ! -e $vulkan_manifest ]] || environment+=("VK_ADD_DRIVER_FILES=$vulkan_manifest")

# json_value FILE PATH: the value at a path of keys, as in frame.mean_ms, of JSON indented by two.
json_value() {
  awk -v path="$2" '
    match($0, /^ *"[^"]*":/) {
      depth = int((index($0, "\"") - 1) / 2)
      split($0, part, "\""); key[depth] = part[2]
      name = key[1]
      for (i = 2; i <= depth; ++i) name = name "." key[i]
      if (name == path) { sub(/^[^:]*: */, ""); sub(/,$/, ""); gsub(/"/, ""); print; exit }
    }' "$1"
}

# Prints text as a JSON string, on one line.
json_string() {
  printf '"%s"' "$(tr '\n\t' '  ' <<<"$1" | tr -d '\000-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/ *$//')"
}

# record WHAT STATUS SECONDS COMMAND SUMMARY [JSON_FILE]: adds a result of the current part to the
# report and to its table.
record() {
  local data=null
  [[ -z ${6:-} || ! -s $6 ]] || data=$(<"$6")
  {
    printf '{"part": "%s", "what": %s, "status": "%s", "seconds": %s, ' \
      "$part" "$(json_string "$1")" "$2" "$3"
    printf '"command": %s, "summary": %s, "date": "%s", "commit": %s, "data": %s}\n,\n' \
      "$(json_string "$4")" "$(json_string "$5")" "$(date -u +%FT%TZ)" "$(json_string "$commit")" "$data"
  } >>"$out/parts/$part.json"
  printf '| %s | %s | %s | %s | %s |\n' "$part" "$1" "${2^^}: ${5//|//}" "$3" "${4:+\`$4\`}" |
    tee -a "$out/parts/$part.rows"
  [[ $2 != failed ]] || touch "$out/parts/$part.failed"
}

# limited PROGRAM...: runs within the part's remaining time; `before` is a prefix, as of a checker.
before=()
limited() {
  local left=$((deadline - SECONDS))
  ((left > 0)) || return 124
  # A checker gets the machine's environment, and only the program that it starts gets ours.
  # In the foreground, the program stays in the part's process group.
  timeout --foreground --kill-after=10 "$left" "${before[@]}" "${environment[@]}" "${launch[@]}" "$@"
}

# measure WHAT KIND JSON_FILE PROGRAM...: runs the program, records its result with a summary of
# that kind, and fails if the program fails. The kind `quiet` records failures only.
measure() {
  local what=$1 kind=$2 data=$3 begin=$SECONDS status=0 verdict=passed log
  shift 3
  log=$out/parts/$part.$(tr -c 'a-zA-Z0-9\n' '_' <<<"$what").log
  limited "$@" >"$log" 2>&1 || status=$?
  local seconds=$((SECONDS - begin))
  local shown="${before[*]:+${before[*]##*/} }${1##*/} ${*:2}"
  if ((status == 0)); then
    [[ $kind != tests ]] || ! grep -q '^\[  PASSED  \] 0 ' "$log" || verdict=skipped
    [[ $kind == quiet ]] || record "$what" "$verdict" "$seconds" "$shown" "$(summary "$kind" "$log" "$data")" "$data"
  elif ((status == 124 || status == 137)); then
    record "$what" failed "$seconds" "$shown" "not done within the part's $part_s s: use a larger --time or fewer --parts"
  else
    record "$what" failed "$seconds" "$shown" "exit code $status: $(grep -v '^$' "$log" | tail -n 2)"
  fi
  return "$status"
}

skip() { record "$1" skipped 0 "" "$2"; }

# summary KIND LOG JSON_FILE: prints a program's result in one line.
summary() {
  case $1 in
    last_line) tail -n 1 "$2" ;;
    devices) machine_text <"$2" ;;
    tests)
      sed -n 's/^\[==========\] \([0-9]* tests\{0,1\}\).*ran.*/\1 ran/p; s/^\[  PASSED  \] \([0-9]*\).*/\1 passed/p
        s/^\[  SKIPPED \] \([0-9]*\) tests\{0,1\}[.,].*/\1 skipped/p' "$2" | paste -sd, | sed 's/,/, /g'
      ;;
    bench) bench_summary "$3" ;;
    train) train_summary "$3" ;;
  esac
}

# Reads the output of `mote devices`; prints the machine and its GPUs.
machine_text() { sed -n 's/^machine *//p; s/^ *\(cuda:[0-9]*\) */\1 /p' | paste -sd';' | sed 's/;/; /g'; }

bench_summary() {
  printf '%.3f ms p50 by the device, %.3f p99; call %.3f ms p50, %.0f FPS; %.0f of %s splats visible, %.0f pairs, %.0f evaluations' \
    "$(json_value "$1" device_frame.p50_ms)" "$(json_value "$1" device_frame.p99_ms)" \
    "$(json_value "$1" frame.p50_ms)" "$(json_value "$1" frame.fps)" "$(json_value "$1" scene.visible)" \
    "$(json_value "$1" scene.splats)" "$(json_value "$1" scene.pairs)" "$(json_value "$1" scene.evaluations)"
}

train_summary() {
  local rate
  rate=$(json_value "$1" steps_per_s)
  printf '%.1f steps/s, %.1f s of training, %s splats; 30000 steps at this rate: %s s' "$rate" \
    "$(json_value "$1" training_seconds)" "$(json_value "$1" splats)" "$(awk -v rate="$rate" 'BEGIN { printf "%.0f", 30000 / rate }')"
}

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
  local entry file name size failed=0 scene cameras
  garden "$splats" 42
  for entry in "$scene,$cameras" "$assets/still_life.spz" "${scenes[@]}"; do
    scene=${entry%%,*} cameras=${entry#"${entry%%,*}"}
    name=$(basename "$scene")
    for size in ${sizes//,/ }; do
      file=$out/parts/bench.$name.$size.json
      measure "$name, $size" bench "$file" "$bin/mote" bench "$scene" ${cameras:+--cameras "${cameras#,}"} \
        --size "$size" --frames "$frames" --warmup "$warmup" --preheat "$preheat" --device "$device" --progress none \
        --json "$file" --yes || failed=1
    done
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
  local size file failed=0 scene cameras data script=("$python" "$tools/gsplat_bench.py" --gsplat "$gsplat")
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
      --ours "$out/parts/bench.$(basename "$scene").$size.json" || failed=1
  done
  file=$out/parts/gsplat.train.json
  measure "gsplat, training, $train_splats splats of $train_size" last_line "$file" "${script[@]}" train --scene "$start" \
    --data "$data" --steps "$((steps < 2000 ? steps : 2000))" --json "$file" --ours "$work/run/stats.json" || failed=1
  return "$failed"
}

# Combines all parts with results into one table and one JSON file, and packs all results.
report() {
  local name machine
  machine=$(sed -n 's/^| machine | devices | PASSED: \(.*\) | [0-9]* | [^|]*|$/\1/p' "$out/parts/machine.rows" 2>/dev/null || true)
  machine=${machine:-a machine that the part "machine" was not run on}
  {
    printf '{"machine": %s, "commit": %s, "architectures": %s, "date": "%s", "results": [\n' "$(json_string "$machine")" \
      "$(json_string "$commit")" "$(json_string "$architectures")" "$(date -u +%FT%TZ)"
    for name in "${all_parts[@]}"; do cat "$out/parts/$name.json" 2>/dev/null || true; done | sed '$d'
    printf ']}\n'
  } >"$out/report.json"
  {
    printf '%s. %s, commit %s, kernels for %s.\n\n' "$machine" "$(date -u +%F)" "$commit" "$architectures"
    printf '| part | what | result | s | command |\n|---|---|---|---|---|\n'
    for name in "${all_parts[@]}"; do cat "$out/parts/$name.rows" 2>/dev/null || true; done
  } >"$out/report.md"
  tar -C "$out" -czf "$out/results.tar.gz" --exclude='*.failed' report.md report.json parts
}

# Prints why the device cannot be used; empty if it can.
device_problem() {
  [[ $device == cuda* ]] || return 0
  local found
  found=$(mote devices) || true
  grep -q '^cuda *not usable' <<<"$found" || return 0
  sed -n 's/^cuda *not usable: //p' <<<"$found"
}

# Runs the part in a process group of its own, so that a signal can end it. A part ends where something
# goes wrong in it; the others go on.
run_part() {
  set -m
  (
    set -e
    case $part in
      machine) part_machine ;;
      tests) part_tests ;;
      sanitizer) part_sanitizer ;;
      bench) part_bench ;;
      train) part_train ;;
      profile) part_profile ;;
      gsplat) part_gsplat ;;
    esac
  ) &
  part_pid=$!
  set +m
  local status=0
  wait "$part_pid" || status=$?
  kill -KILL -- "-$part_pid" 2>/dev/null || true # what a program that ran out of time left
  return "$status"
}

# Ends the running part and reports what there is.
# shellcheck disable=SC2317 # called by the trap
stop() {
  trap - INT TERM
  [[ -z $part_pid ]] || kill -TERM -- "-$part_pid" 2>/dev/null || true
  record "$part" failed $((SECONDS - begin)) "" "stopped by a signal"
  report
  echo "gpu_check: stopped; results so far are in $out/report.md" >&2
  exit 1
}
part_pid=''
trap stop INT TERM

problem=$(device_problem)
[[ -z $problem ]] || echo "gpu_check: no GPU to test: $problem" >&2
failed=0
end=$((SECONDS + time))
for index in "${!parts[@]}"; do
  part=${parts[index]}
  rm -f "$out/parts/$part".{json,rows,failed}
  # The part's share of the time that is left, among the parts that are left.
  all_shares=0
  for later in "${parts[@]:index}"; do all_shares=$((all_shares + shares[$later])); done
  left=$((end > SECONDS ? end - SECONDS : 0))
  part_s=$((left * shares[$part] / all_shares))
  deadline=$((SECONDS + part_s)) begin=$SECONDS
  if [[ -n $problem ]]; then
    record "$part" failed 0 "" "not run: $problem"
  else
    set +e # and not `run_part || ...`, in which a part would go on after errors
    run_part
    status=$?
    set -e
    ((status == 0)) || [[ -e $out/parts/$part.failed ]] || record "$part" failed $((SECONDS - begin)) "" "stopped half-way"
  fi
  [[ ! -e $out/parts/$part.failed ]] || failed=1
  report
done
((${#parts[@]} > 0)) || report
echo "$out/report.md, $out/report.json, $out/results.tar.gz ($(du -h "$out/results.tar.gz" | cut -f1))"
exit "$failed"

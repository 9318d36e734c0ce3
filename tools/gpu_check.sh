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
readonly all_parts=(machine tests sanitizer bench fields train profile gsplat)
declare -Ar shares=([machine]=10 [tests]=90 [sanitizer]=120 [bench]=80 [fields]=90 [train]=90 [profile]=40 [gsplat]=120)

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
 fields, beside the targets of docs/field_kernels.md
  --field-steps N     of a neural image, a signed distance field and a NeRF (2000)
  --nerf DATASET      for time budgets of 6 and 60 seconds, such as NeRF-synthetic's lego
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
field_steps=2000 nerf=''
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
      --field-steps | --nerf | --steps | --train-splats | --train-size | --views | --gsplat | --python)
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
  bin=$here/bin tests=$here/bin test_list=$here/gpu_tests.txt assets=$here/assets
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
  bin=$build tests=$build/tests test_list=$build/gpu_tests.txt assets=$here/../assets
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

# shellcheck source=tools/gpu/results.sh
source "$here/gpu/results.sh"
# shellcheck source=tools/gpu/parts.sh
source "$here/gpu/parts.sh"

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
    "part_$part"
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

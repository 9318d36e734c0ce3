#!/usr/bin/env bash
# Packs the files for tools/gpu_check.sh into one archive, for a GPU machine without Mote's
# libraries and without a network: gpu_pack.sh -o FILE.tar.gz [--build DIR] [--architectures LIST]
# [--limit-mib N]
#
# With --architectures, builds for these first, in build/gpu: 90-real is machine code for an H100 or
# H200 alone, which is smallest. An archive above --limit-mib (45) is refused.
#
# Contents: the program, the generator of the large scene, the program that measures kernels of fields,
# that of the tests labelled `gpu`, their
# shared libraries (the C library in its own folder, for machines with an older one), the bundled
# scene and the scripts. The machine provides the GPU's driver, and FFmpeg's libraries if videos are
# to be written. On that machine run:
#   tar xf FILE.tar.gz && mote_gpu/gpu_check.sh
set -euo pipefail

fail() {
  printf 'gpu_pack: %s\n' "$@" >&2
  exit 2
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release
output='' wanted='' limit_mib=45
while (($# > 0)); do
  case $1 in
    -o | --output) output=${2:?needs a file} && shift ;;
    --build) build=${2:?needs a folder} && shift ;;
    --architectures) wanted=${2:?needs a list, as 90-real} && shift ;;
    --limit-mib) limit_mib=${2:?needs a number} && shift ;;
    -h | --help) sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 0 ;;
    *) fail "unknown: $1; see gpu_pack.sh --help" ;;
  esac
  shift
done
[[ -n $output ]] || fail "name the file to write: -o FILE.tar.gz"

if [[ -n $wanted ]]; then
  build=$root/build/gpu
  cmake --preset release -S "$root" -B "$build" -DMOTE_CUDA_ARCHITECTURES="$wanted" >/dev/null
  cmake --build "$build" --parallel "$(nproc)" --target mote make_garden field_gpu_rates gpu_test
fi
for program in mote make_garden; do
  [[ -x $build/$program ]] ||
    fail "$build/$program is not built: cmake --preset release && cmake --build --preset release"
done
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
bundle=$stage/mote_gpu
mkdir -p "$bundle"/{bin,lib/c,assets}

programs=("$build"/mote "$build"/make_garden)
[[ ! -x $build/field_gpu_rates ]] || programs+=("$build"/field_gpu_rates)
[[ -e $build/gpu_tests.txt ]] || fail "$build has no tests: configure it with -DBUILD_TESTING=ON"
while read -r test; do
  [[ -x $build/tests/$test ]] || fail "$build/tests/$test is not built"
  programs+=("$build/tests/$test")
done <"$build/gpu_tests.txt"
cp "$build/gpu_tests.txt" "$bundle"
cp "${programs[@]}" "$bundle/bin"
strip "$bundle"/bin/*

# The shared libraries found by ldd. None of the driver's is linked.
libraries=$(for program in "${programs[@]}"; do ldd "$program"; done |
  awk '$2 == "=>" && $3 ~ "^/" { print $3 } $1 ~ "^/.*/ld-linux" { print $1 }' | sort -u)
[[ -n $libraries ]] || fail "ldd names no library of ${programs[0]}"
for library in $libraries; do
  case ${library##*/} in
    libcuda.so* | libnvidia*) ;;
    ld-linux* | libc.so* | libm.so* | libpthread.so* | libdl.so* | librt.so*)
      cp -L "$library" "$bundle/lib/c"
      ;;
    *) cp -L "$library" "$bundle/lib" ;;
  esac
done

cp "$root"/assets/still_life.spz "$bundle/assets"
cp -r "$root"/tools/gpu_check.sh "$root"/tools/gpu "$bundle"
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
architectures=none
[[ -z $(cached CMAKE_CUDA_COMPILER) || $(cached MOTE_CUDA) == OFF ]] || architectures=$(cached MOTE_CUDA_ARCHITECTURES)
{
  echo "commit: $(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
  echo "built: $(date -u -r "$build/mote" +%Y-%m-%d)"
  echo "architectures: $architectures"
} >"$bundle/BUILD.txt"

mkdir -p "$(dirname "$output")"
tar -C "$stage" -caf "$output" mote_gpu
mib=$(($(stat -c %s "$output") / 1048576 + 1))
du -sh --apparent-size "$bundle"/bin/* "$bundle"/lib | sed "s#$bundle/##"
echo "$output: $mib MiB, ${#programs[@]} programs, CUDA kernels for: $architectures"
if ((mib > limit_mib)); then
  rm -f "$output"
  fail "the archive has $mib MiB, more than $limit_mib: build for fewer GPUs, as with --architectures 90-real," \
    "or allow more with --limit-mib"
fi
[[ $architectures != none ]] || echo "gpu_pack: no CUDA in this build; it can only run on the CPU" >&2

#!/usr/bin/env bash
# Runs all checks for a change; installs missing packages first:
#   check.sh [PART...]
# Runs the named parts, or all of them in this order:
#   scripts   formatting of the sources, shellcheck of the scripts, arrows between folders, words
#   release   tools/test.sh with g++, and with nvcc for one architecture if it is installed; warnings are errors
#   kernels   the machine code of the CUDA kernels in the build of `release` (tools/kernels/): no fused
#             operations where they may not be, no loop with more clocks than before. The build itself
#             fails where a kernel spills registers or uses local memory
#   fuzz      clang++ with sanitizers: the readers of scene formats, with broken files
#   asan      clang++ with the address and undefined-behaviour sanitizers: every test, fuzz too
#   tsan      the thread sanitizer: the tests labelled `threads`
#   tidy      static analysis
#   architectures  the part `kernels` for all architectures, with spills and local memory; needs nvcc
# Scenes and photographs for tests on real data are too large for the repository. MOTE_DATA names
# their folder; the default is shared/data beside the clone. Without them these tests are skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly tuned_architecture=90  # its machine code is checked
readonly all_parts=(scripts release kernels fuzz asan tsan tidy architectures)

# build TARGET PRESET: warnings are errors; further arguments are passed to the configure step.
build() {
  local target=$1
  shift
  cmake --preset "$@" -DMOTE_WERROR=ON >/dev/null
  cmake --build --preset "$1" --parallel "$(nproc)" --target "$target"
}

scripts() {
  git ls-files '*.cpp' '*.h' '*.cu' | xargs -r -n 100 -P "$(nproc)" clang-format-14 --dry-run --Werror
  git ls-files '*.sh' .ci/run | xargs -r shellcheck --external-sources
  tools/check_arrows.sh
  tools/check_words.sh
}

release() {
  tools/test.sh -DMOTE_WERROR=ON -DMOTE_CUDA_ARCHITECTURES="$tuned_architecture"
}

# with_kernel_code COMMAND...: runs it with a folder in KERNEL_CODE for tools/kernels/code.sh.
with_kernel_code() {
  if ! PATH=$PATH:/usr/local/cuda/bin command -v nvcc >/dev/null; then
    echo "SKIPPED: nvcc is not installed"
    return
  fi
  KERNEL_CODE=$(mktemp -d)
  export KERNEL_CODE
  "$@"
  rm -rf "$KERNEL_CODE"
  unset KERNEL_CODE
}

check_built_kernels() {
  # shellcheck source=tools/kernels/code.sh
  (. tools/kernels/code.sh && take_kernels "$tuned_architecture" build/release)
  tools/kernels/pinned.sh "$tuned_architecture"
  tools/kernels/loops.sh --check
}

kernels() {
  with_kernel_code check_built_kernels
}

check_all_kernels() {
  tools/kernels/registers.sh --check
  tools/kernels/pinned.sh
  tools/kernels/loops.sh --check
}

architectures() {
  with_kernel_code check_all_kernels
}

fuzz() {
  # The sanitizers' build then needs no more than the readers.
  build make_seeds release
  build/release/tests/fuzz/make_seeds build/fuzz_seeds
  build fuzz_targets asan -DMOTE_FUZZ_SECONDS=10 -DMOTE_FUZZ_SEEDS="$PWD/build/fuzz_seeds"
  ctest --preset asan --label-regex fuzz --parallel "$(nproc)"
}

asan() {
  build all asan -DMOTE_FUZZ_SECONDS=10 -DMOTE_FUZZ_SEEDS=
  ctest --preset asan --parallel "$(nproc)"
}

tsan() {
  build all tsan
  ctest --preset tsan --parallel "$(nproc)"
}

tidy() {
  tools/tidy.sh
}

parts=("$@")
((${#parts[@]} > 0)) || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
  if [[ " ${all_parts[*]} " != *" $part "* ]]; then
    printf 'check: no part is called %s; there are: %s\n' "$part" "${all_parts[*]}" >&2
    exit 2
  fi
done

if [[ -z ${MOTE_DATA:-} && -d ../shared/data ]]; then
  MOTE_DATA=$(realpath ../shared/data)
  export MOTE_DATA
fi
tools/setup.sh build check
for part in "${parts[@]}"; do
  printf '\n== %s (%d s so far)\n' "$part" "$SECONDS"
  "$part"
done
printf '\n== all of it holds (%d s)\n' "$SECONDS"

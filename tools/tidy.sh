#!/usr/bin/env bash
# Static analysis of the library and the program with the checks of .clang-tidy.
#
# Third-party headers take most of the time, so files with the same compile command are analysed
# together as one translation unit. If names in such a batch conflict, the batch is halved, down to
# single files.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly build=build/tidy
readonly batch_files=12

# Analyses the files as one unit with the command of the first file: the unit's path ends like that
# file's path, and clang-tidy takes the nearest known command.
analyse() {
  if (($# == 1)); then
    clang-tidy-14 -p $build --quiet "$1"
    return
  fi
  local unit=$build/units/$1
  mkdir -p "$(dirname "$unit")"
  printf '#include "%s"  // NOLINT(bugprone-suspicious-include)\n' "${@/#/$PWD/}" >"$unit"
  # A quick check tests whether the unit compiles.
  if clang-tidy-14 -p $build --quiet --checks='-*,modernize-use-nullptr' "$unit" &>/dev/null; then
    clang-tidy-14 -p $build --quiet "$unit"
  else
    local half=$(($# / 2)) failed=0
    analyse "${@:1:half}" || failed=1
    analyse "${@:half+1}" || failed=1
    return $failed
  fi
}

# Prints lines of batches: project files whose commands differ only in the file.
batches() {
  awk -v size=$batch_files -v root="$PWD/" '
    $1 == "\"command\":" { alike = $0; sub(/ -o .*/, "", alike) }
    $1 == "\"file\":" {
      split($0, quoted, "\"")
      file = substr(quoted[4], length(root) + 1)
      if (file !~ "^(renderer|app)/.*\\.cpp$") next
      if (count[alike]++ % size == 0) unit[alike] = ++units
      files[unit[alike]] = files[unit[alike]] " " file
    }
    END { for (i = 1; i <= units; ++i) print files[i] }' $build/compile_commands.json
}

if [[ ${1:-} == --units-of ]]; then
  analyse "${@:2}"
  exit
fi
tools/setup.sh build check
cmake --preset tidy >/dev/null
cmake --build $build --target shader_code >/dev/null
batches | xargs -P "$(nproc)" -L 1 "${BASH_SOURCE[0]}" --units-of

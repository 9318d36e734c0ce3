#!/usr/bin/env bash
# Static analysis of the library and the program with the checks of .clang-tidy.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh build check
cmake --preset clang >/dev/null
git ls-files 'renderer/*.cpp' 'app/*.cpp' |
  xargs -P "$(nproc)" -n 1 clang-tidy-14 -p build/clang --quiet

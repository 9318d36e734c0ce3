#!/usr/bin/env bash
# Sets up, builds and runs every test that this machine can run. Arguments go to the configure step,
# for example -DMOTE_WERROR=ON. Tests on real scenes need their folder in MOTE_DATA; otherwise they
# are skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools/setup.sh build
cmake --preset release -DMOTE_CUDA=AUTO "$@"
cmake --build --preset release --parallel "$(nproc)"
ctest --preset release --parallel "$(nproc)"

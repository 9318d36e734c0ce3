# shellcheck shell=bash
# Shared by the tests of packages, which source it; `work` is a folder that goes when the test ends.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'FAILED: %s\n' "$@" >&2
  exit 1
}

# needs TOOL...: ends the test as skipped where one is not there.
needs() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || {
      printf 'SKIPPED: there is no %s here\n' "$tool"
      exit 77
    }
  done
}

has() {
  command -v "$1" >/dev/null
}

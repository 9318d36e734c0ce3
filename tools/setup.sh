#!/usr/bin/env bash
# Installs missing Debian packages of tools/packages.txt: setup.sh [GROUP...]; the default group is
# `build`. If none is missing it does nothing and needs no network.
set -euo pipefail

list=$(dirname "${BASH_SOURCE[0]}")/packages.txt
groups=" ${*:-build} "

# Prints lines "package purpose" for the chosen groups.
wanted() {
  local group package purpose
  while read -r group package purpose; do
    [[ $groups != *" $group "* ]] || printf '%-20s %s\n' "$package" "$purpose"
  done <"$list"
}

# Prints the lines of wanted() whose package is not installed.
missing() {
  local package purpose
  wanted | while read -r package purpose; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      printf '  %-20s %s\n' "$package" "$purpose"
  done
}

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  printf 'setup: no apt here, so nothing is installed. The build needs these (Debian names):\n%s\n' \
    "$(wanted | sed 's/^/  /')" >&2
  exit 0
fi

needed=$(missing)
[[ -n $needed ]] || exit 0
read -ra packages <<<"$(awk '{print $1}' <<<"$needed" | tr '\n' ' ')"
printf 'setup: installing %d Debian packages:\n%s\n' "${#packages[@]}" "$needed" >&2

as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || fail "neither root nor sudo; ask an administrator for:" \
    "  apt-get install --no-install-recommends ${packages[*]}"
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq
  -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
"${apt[@]}" update || printf 'setup: apt-get update failed; trying the package lists at hand\n' >&2
"${apt[@]}" install -y --no-install-recommends "${packages[@]}" >&2 ||
  fail "apt-get could not install them (is there a network?); see its message above"

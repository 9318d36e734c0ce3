#!/usr/bin/env bash
# completions_test.sh PROGRAM SHELL: the completions of a shell parse, have every flag of every help
# text, and offer the words that may follow.
set -euo pipefail
# shellcheck source=tests/package/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
program=$1 shell=$2
needs "$shell"
script=$work/completions
"$program" completions "$shell" >"$script"
"$shell" -n "$script"

mkdir -p "$work/files/a folder"
cd "$work/files"
touch scene.ply 'blank scene.spz' small.compressed.ply text.txt film.mp4

# offered_SHELL WORD...: the completions of the last word, one per line, sorted. zsh completes only in
# a terminal, so its function lists the flags in the script.
offered_bash() {
  # shellcheck disable=SC2016  # expanded by the inner bash
  bash -c 'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _mote; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$script" "$@" | sort -u
}
offered_fish() {
  local line="$*"
  [[ -n ${*: -1} ]] || line+=" "
  HOME=$work fish --no-config -c "source $script; complete -C '$line'" | cut -f1 | sed 's|/$||' | sort -u
}
offered_zsh() {
  grep -oE -- "('|\)|\*)--?[a-z][a-z0-9-]*" "$script" | sed "s/^.//" | sort -u
}

# expect WORD... => COMPLETIONS: checks the offered completions, which are separated by '/'.
expect() {
  local words=() wanted
  while [[ $1 != '=>' ]]; do words+=("$1") && shift; done
  wanted=$(tr '/' '\n' <<<"$2" | sort -u)
  local found
  found=$("offered_$shell" "${words[@]}")
  [[ $found == "$wanted" ]] || fail "mote ${words[*]:1}: expected" "$wanted" "offered" "$found"
}

check_flags() {
  local command flag offered count=0
  for command in '' $("$program" completions bash | sed -n "s/^_mote_commands='help \(.*\)'/\1/p"); do
    offered=$("offered_$shell" mote ${command:+"$command"} --)$'\n'$("offered_$shell" mote ${command:+"$command"} -)
    # shellcheck disable=SC2086  # an empty command must not become a word
    for flag in $("$program" $command --help | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' ' '); do
      grep -qxF -- "$flag" <<<"$offered" || fail "mote $command: $flag is not offered"
      count=$((count + 1))
    done
  done
  ((count > 100)) || fail "only $count flags were found in help texts"
}

check_values() {
  expect mote ren '=>' render
  expect mote --device cpu ren '=>' render
  expect mote help conv '=>' convert
  expect mote render --format '' '=>' png/exr
  expect mote render --output rgb,al '=>' rgb,alpha
  expect mote render --out '' '=>' 'film.mp4/a folder'
  expect mote render '' '=>' 'scene.ply/small.compressed.ply/blank scene.spz/a folder'
  expect mote import '' '=>' 'a folder'
  expect mote synth pot '=>' pottery
  expect mote completions '' '=>' bash/zsh/fish
  expect mote train --no-eval '=>' --no-eval/--no-eval-pictures
}

check_flags
[[ $shell == zsh ]] || check_values
if [[ $shell == bash ]]; then
  expect mote render --format = e '=>' exr
  expect mote bench --json --warm '=>' --warmup
  expect mote render scene.ply --antialiased o '=>' on/off
  expect mote render scene.ply --out film.mp4 '' '=>' ''
  expect mote convert scene.ply '' '=>' 'scene.ply/small.compressed.ply/blank scene.spz/a folder'
fi

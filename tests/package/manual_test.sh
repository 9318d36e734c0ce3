#!/usr/bin/env bash
# manual_test.sh PROGRAM: the manual page has every flag of every help text, and mandoc and man read it
# without warnings.
set -euo pipefail
# shellcheck source=tests/package/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
program=$1

"$program" man >"$work/mote.1"
flags=0
for command in '' $("$program" completions bash | sed -n "s/^_mote_commands='help \(.*\)'/\1/p"); do
  [[ -z $command ]] || grep -q "^\.Ss mote $command$" "$work/mote.1" || fail "the manual lacks mote $command"
  # shellcheck disable=SC2086  # an empty command must not become a word
  for flag in $("$program" $command --help | sed -n 's/^  \(-[^ ]*\).*/\1/p' | tr ',' ' '); do
    grep -qE -- "^\.It.* Fl ${flag//-/\\\\?-}( |$)" <(sed 's/Fl /Fl -/g' "$work/mote.1") ||
      fail "the manual lacks $flag of mote $command"
    flags=$((flags + 1))
  done
done
((flags > 100)) || fail "only $flags flags were found in help texts"

if has mandoc; then
  complaints=$(mandoc -T lint "$work/mote.1" || true)
  [[ -z $complaints ]] || fail "mandoc:" "$complaints"
fi
if has man && has groff; then
  complaints=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$work/mote.1" 2>&1 >/dev/null)
  [[ -z $complaints ]] || fail "man:" "$complaints"
fi

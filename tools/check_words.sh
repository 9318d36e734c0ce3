#!/usr/bin/env bash
# Checks the window's texts against docs/glossary.md: check_words.sh [ROOT]. Prints each text in
# app/gui that uses a word of the glossary's last column, or the American spelling of colour, and
# each tooltip that begins with a small letter, and exits with 1. One word is wrong only where it is
# the whole text; a phrase is wrong anywhere in a text.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

failed=0

# report REASON PATTERN: prints the lines of app/gui that match.
report() {
  local lines
  if lines=$(grep -rnE --include='*.cpp' --include='*.h' -e "$2" app/gui); then
    printf '%s\n' "$lines" | sed "s|\$|  <- $1|"
    failed=1
  fi
}

# shellcheck disable=SC2016  # the backticks are Markdown's
words=$(awk -F'|' '/^\| [A-Z]/ { print $4 }' docs/glossary.md | grep -o '`[^`]*`' | tr -d '`' | sort -u || true)
if [[ -z $words ]]; then
  echo "docs/glossary.md: has no words not to use; expected a table with them in its last column" >&2
  exit 1
fi
while IFS= read -r word; do
  if [[ $word == *' '* ]]; then
    report "docs/glossary.md: not \"$word\"" "\"[^\"]*${word}[^\"]*\""
  else
    report "docs/glossary.md: not \"$word\"" "\"${word}\""
  fi
done <<<"$words"
report 'spell it Colour' '"([^"]* )?Colors?( [^"]*)?"'
report 'a tooltip begins with a capital' 'tooltip\(context, "[a-z]'
report 'a tooltip begins with a capital' '(slider|number|vector)_row\(context, "[^"]*", "[a-z]'
exit "$failed"

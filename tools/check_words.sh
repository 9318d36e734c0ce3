#!/usr/bin/env bash
# Checks the texts for users against docs/glossary.md: check_words.sh [ROOT]. Prints each text in
# app/gui and app/viewer that uses a word of the glossary's last column, each text of app and
# renderer in American spelling, each number of the window whose noun is always in the plural, and
# each tooltip that begins with a small letter. Exits with 1 if there is one. One word is wrong only
# where it is the whole text; a phrase is wrong anywhere in a text. Names of actions, options, keys
# of files and modes are not texts.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

failed=0

# report REASON PATTERN [NAMES] FOLDER...: prints the lines of the folders that match, unless the
# matching text is one of the names.
report() {
  local reason=$1 pattern=$2 names=$3 lines
  shift 3
  lines=$(grep -rnE --include='*.cpp' --include='*.h' -e "$pattern" "$@" | grep -vE '#include' || true)
  if [[ -n $names && -n $lines ]]; then
    lines=$(while IFS= read -r line; do
      if sed -E "s/\"($names)\"//g" <<<"$line" | grep -qE -e "$pattern"; then
        printf '%s\n' "$line"
      fi
    done <<<"$lines")
  fi
  if [[ -n $lines ]]; then
    printf '%s\n' "$lines" | sed "s|\$|  <- $reason|"
    failed=1
  fi
}

# Folders that ROOT has; a test has fewer.
folders() {
  local folder
  for folder in "$@"; do
    [[ ! -d $folder ]] || printf '%s\n' "$folder"
  done
}
mapfile -t window < <(folders app/gui app/viewer)
mapfile -t all < <(folders app renderer)

# shellcheck disable=SC2016  # the backticks are Markdown's
words=$(awk -F'|' '/^\| [A-Z]/ { print $4 }' docs/glossary.md | grep -o '`[^`]*`' | tr -d '`' | sort -u || true)
if [[ -z $words ]]; then
  echo "docs/glossary.md: has no words not to use; expected a table with them in its last column" >&2
  exit 1
fi
while IFS= read -r word; do
  if [[ $word == *' '* ]]; then
    report "docs/glossary.md: not \"$word\"" "\"[^\"]*${word}[^\"]*\"" "" "${window[@]}"
  else
    report "docs/glossary.md: not \"$word\"" "\"${word}\"" "" "${window[@]}"
  fi
done <<<"$words"

# A word in a text with other words, and a capitalised one alone. Actions keep their names.
spelling() {
  report "spell it $1" "\"([^\"]*[( ])?$2([ ,.;:)][^\"]*)? [^\"]*\"|\"([^\"]* )$2[^\"a-z_=]*\"|\"$3\"" "$4" "${all[@]}"
}
spelling Colour '[Cc]olors?' 'Colors?' 'color further|flood color|color, depth, [a-z, ]*'
spelling Centre '[Cc]enter(s|ed)?' 'Center(s|ed)?' 'box center'
spelling Grey '[Gg]ray' 'Gray' ''
report 'write number_of(), since the number may be 1' \
  '"\{\} (frame|keyframe|photograph|picture|splat|step|view|scene|file)s\b(,| written| and|\.|")' '' "${window[@]}"
report 'a tooltip begins with a capital' 'tooltip\(context, "[a-z]' '' "${window[@]}"
report 'a tooltip begins with a capital' '(slider|number|vector)_row\(context, "[^"]*", "[a-z]' '' "${window[@]}"
exit "$failed"

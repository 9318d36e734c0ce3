# shellcheck shell=bash
# Shared functions for the tests of packages. `work` is a temporary folder; it is removed at the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  printf 'FAILED: %s\n' "$@" >&2
  exit 1
}

# needs TOOL...: skips the test where a tool is missing.
needs() {
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || {
      printf 'SKIPPED: %s is not installed\n' "$tool"
      exit 77
    }
  done
}

has() {
  command -v "$1" >/dev/null
}

# make_package BUILD GENERATOR PATTERN: makes the build's package with cpack and prints its path.
make_package() {
  local made=$work/made found
  cpack --config "$1/CPackConfig.cmake" -G "$2" -B "$made" >"$work/cpack.log" 2>&1 ||
    fail "cpack failed:" "$(cat "$work/cpack.log")"
  found=$(find "$made" -maxdepth 1 -name "$3")
  [[ -f $found ]] || fail "cpack made no $3:" "$(cat "$work/cpack.log")"
  printf '%s\n' "$found"
}

# run_installed PREFIX: checks that the installed program renders its bundled scene without the build.
run_installed() {
  local prefix=$1 home=$work/home scene=$1/share/mote/still_life.spz picture version
  local alone=(env -i "PATH=$PATH" "HOME=$home" "$prefix/bin/mote")
  mkdir -p "$home"
  version=$("${alone[@]}" --version --json)
  [[ $version == *"\"bundled_scene\": \"$scene\""* ]] ||
    fail "the program does not find its scene $scene:" "$version"
  "${alone[@]}" render "$scene" --orbit 2 --size 160x90 --device cpu --progress none -o "$work/pictures" >&2 ||
    fail "the installed program does not render"
  for picture in "$work"/pictures/orbit_00{0,1}.png; do
    check_picture "$picture"
  done
  [[ -z $(find "$home" -mindepth 1) ]] || fail "rendering left files in the home folder"
}

# check_picture FILE: checks that FILE is a PNG of 160x90 with more than one colour.
check_picture() {
  local head bytes
  head=$(od -An -v -tx1 -N24 "$1" | tr -d ' \n')
  [[ $head == 89504e470d0a1a0a????????49484452000000a00000005a ]] || fail "$1 is not a PNG of 160x90: $head"
  bytes=$(stat -c %s "$1")
  ((bytes > 4000)) || fail "$1 has $bytes bytes, too few for a picture of the scene"
}

# types_of EXTENSION FILE: prints the MIME types in FILE whose names end in EXTENSION.
types_of() {
  awk -v pattern="\"*$1\"" '/<mime-type / { split($0, parts, "\""); type = parts[2] }
    /<glob / && index($0, pattern) { print type }' "$2"
}

# check_types SHARE EXTENSION...: checks that files with these extensions have types, and that the desktop
# entry opens them and has no other types.
check_types() {
  local types=$1/mime/packages/mote.xml opened extension type found
  opened=$(sed -n 's/^MimeType=//p' "$1/applications/mote.desktop")
  shift
  for extension in "$@"; do
    found=
    while read -r type; do
      # Few checkpoints are of splats.
      [[ ";$opened" != *";$type;"* && $type != application/x-pytorch-checkpoint ]] || found=1
    done < <(types_of "$extension" "$types")
    [[ -n $found ]] || fail "packaging/mote.desktop opens no type of packaging/mote.xml for *$extension"
  done
  while read -r type; do
    grep -q "<mime-type type=\"$type\">" "$types" || fail "packaging/mote.xml does not describe $type"
  done < <(tr ';' '\n' <<<"${opened%;}")
}

# check_texts PREFIX: checks completions, manual, desktop entry and MIME types with the programs that
# read them.
check_texts() {
  local share=$1/share extensions
  bash -n "$share/bash-completion/completions/mote"
  ! has fish || fish --no-config -n "$share/fish/vendor_completions.d/mote.fish"
  [[ $(gzip -dc "$share/man/man1/mote.1.gz") == *".Dt MOTE 1"* ]] || fail "the manual page has no title line"
  ! has desktop-file-validate || desktop-file-validate "$share/applications/mote.desktop"
  ! has xmllint || xmllint --noout "$share/mime/packages/mote.xml" "$share/icons/hicolor/scalable/apps/mote.svg"
  ! has update-mime-database || update-mime-database "$share/mime" 2>/dev/null
  # The completions have the extensions from the table of formats.
  read -ra extensions < <(sed -n "s/^ *'render 0') offer=(_mote_files \(.*\)) ;;/\1/p" \
    "$share/bash-completion/completions/mote") || fail "the completions contain no scene extension"
  check_types "$share" "${extensions[@]}" .mote
}

#!/usr/bin/env bash
# deb_test.sh BUILD: the build's .deb installs in a clean root, renders there, and is removed without a
# trace. Works for root and for other users.
set -euo pipefail
# shellcheck source=tests/package/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$1
export PATH=$PATH:/usr/sbin:/sbin
needs dpkg dpkg-deb dpkg-shlibdeps file

deb=$(make_package "$build" DEB '*.deb')
root=$work/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
touch "$root"/var/lib/dpkg/{status,available}

# Dependencies are ignored: the program uses this machine's libraries. Nothing waits for the disk.
in_root() {
  dpkg --root="$root" --log="$work/dpkg.log" --force-not-root --force-depends --force-bad-path --force-unsafe-io "$@" \
    >>"$work/dpkg.out" 2>&1 || fail "dpkg $* fails:" "$(cat "$work/dpkg.out")"
}

# All paths except dpkg's database.
listing() {
  find "$root" -path "$root/var/lib/dpkg" -prune -o -print | sort
}

field() {
  dpkg-deb -f "$deb" "$1"
}

check_control() {
  local library
  [[ $(field Package) == mote && $(field Section) == graphics ]] || fail "wrong package or section: $(dpkg-deb -f "$deb")"
  for library in libc6 libstdc++6 libvulkan1 libtbb; do
    [[ $(field Depends) == *"$library"* ]] || fail "Depends lacks $library: $(field Depends)"
  done
  [[ $(field Recommends) =~ libavcodec[0-9]+ ]] || fail "Recommends lacks FFmpeg: $(field Recommends)"
  ! dpkg-deb --ctrl-tarfile "$deb" | tar -t | grep -E 'inst$|rm$' ||
    fail "the package has scripts, which this test does not run"
}

check_files() {
  local strangers
  strangers=$(dpkg-deb --fsys-tarfile "$deb" | tar -tv |
    awk '$2 != "root/root" || substr($1, 6, 1) == "w" || substr($1, 9, 1) == "w" || $6 !~ "^./usr/"')
  [[ -z $strangers ]] || fail "files not owned by root, writable for others, or outside /usr:" "$strangers"
  ! has readelf || ! readelf -d "$root/usr/bin/mote" | grep -E 'RPATH|RUNPATH' ||
    fail "the installed program has a library path of its build"
}

check_control
before=$(listing)
in_root --install "$deb"
grep -q '^Package: mote$' "$root/var/lib/dpkg/status" || fail "dpkg does not list the package"
check_files
run_installed "$root/usr"
in_root --purge mote
after=$(listing)
[[ $before == "$after" ]] || fail "the removed package left files:" "$(diff <(echo "$before") <(echo "$after"))"
! grep -q '^Package: mote$' "$root/var/lib/dpkg/status" || fail "dpkg still lists the package"
[[ -z $(find "$root/var/lib/dpkg/info" -name 'mote.*') ]] || fail "dpkg keeps files of the package"

dpkg-deb -x "$deb" "$work/plain"
check_texts "$work/plain/usr"

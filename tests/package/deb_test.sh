#!/usr/bin/env bash
# deb_test.sh BUILD: the .deb of the build installs in a clean root, renders there and goes without a
# trace. Works as root and as anyone else.
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

# The libraries of this machine stand in for the packages that it depends on.
in_root() {
  dpkg --root="$root" --log="$work/dpkg.log" --force-not-root --force-depends --force-bad-path "$@" \
    >>"$work/dpkg.out" 2>&1 || fail "dpkg $* fails:" "$(cat "$work/dpkg.out")"
}

# Every path but the database of dpkg.
listing() {
  find "$root" -path "$root/var/lib/dpkg" -prune -o -print | sort
}

field() {
  dpkg-deb -f "$deb" "$1"
}

check_control() {
  local library
  [[ $(field Package) == mote && $(field Section) == graphics ]] || fail "odd control file: $(dpkg-deb -f "$deb")"
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
  [[ -z $strangers ]] || fail "files of others, for all to write, or outside of /usr:" "$strangers"
  ! has readelf || ! readelf -d "$root/usr/bin/mote" | grep -E 'RPATH|RUNPATH' ||
    fail "the installed program looks for libraries elsewhere"
}

check_control
before=$(listing)
in_root --install "$deb"
grep -q '^Package: mote$' "$root/var/lib/dpkg/status" || fail "dpkg does not know the package"
check_files
run_installed "$root/usr"
in_root --purge mote
after=$(listing)
[[ $before == "$after" ]] || fail "the removed package leaves:" "$(diff <(echo "$before") <(echo "$after"))"
! grep -q '^Package: mote$' "$root/var/lib/dpkg/status" || fail "dpkg still knows the package"
[[ -z $(find "$root/var/lib/dpkg/info" -name 'mote.*') ]] || fail "dpkg keeps files of the package"

dpkg-deb -x "$deb" "$work/plain"
check_texts "$work/plain/usr"

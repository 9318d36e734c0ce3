#!/usr/bin/env bash
# portable_test.sh BUILD: the build's .tar.gz is one folder, runs from any place, and uses only those
# libraries of the system that every Linux has.
set -euo pipefail
# shellcheck source=tests/package/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$1
needs tar ldd

package=$(make_package "$build" TGZ '*.tar.gz')
folder="$work/a folder with blanks"
mkdir "$folder"
tar -C "$folder" -xzf "$package"
prefix=$(find "$folder" -mindepth 1 -maxdepth 1)
[[ -x $prefix/bin/mote ]] || fail "not one folder with bin/mote: $(ls "$folder")"

strangers=$(env -i "PATH=$PATH" ldd "$prefix/bin/mote" | grep -vF "=> $prefix/" |
  grep -vE '^\s*(linux-vdso|/lib.*/ld-linux|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+|z)\.so)' || true)
[[ -z $strangers ]] || fail "libraries that are not in the package:" "$strangers"
run_installed "$prefix"
check_texts "$prefix"

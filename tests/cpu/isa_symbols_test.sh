#!/usr/bin/env bash
# isa_symbols_test.sh NAMESPACE OBJECT...: the objects define no symbol outside their own namespace
# (or Highway's for that target). The linker keeps one copy of a weak symbol for the whole program:
# were it one compiled for AVX-512, other code would call it on processors that lack it. DW.ref is
# data: the address of the function that unwinds the stack.
set -euo pipefail

namespace=$1
shift
own="${#namespace}${namespace}|3hwy[0-9]+N_|^DW\.ref\."
symbols=$(nm --extern-only --defined-only --format=posix "$@" | awk 'NF > 1 {print $1}' | sort -u)
[[ -n $symbols ]] || { echo "no symbols in $*"; exit 1; }
strangers=$(grep -Ev "$own" <<<"$symbols" || true)
[[ -z $strangers ]] || { printf 'outside %s:\n%s\n' "$namespace" "$strangers"; exit 1; }

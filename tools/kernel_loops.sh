#!/usr/bin/env bash
# Prints the instructions of each loop of the CUDA kernels by kind, without those of inner loops, as
# a markdown table. Counts come from the machine code; there are no times. The script decodes only
# opcodes and branch targets, for sm_75 to sm_90 (tested on 90). Needs nvcc and readelf, no GPU.
#  kernel_loops.sh [-a ARCHITECTURE] [-k PATTERN] [FILE.cu...]; PATTERN matches names of kernels.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

architecture=90 pattern=.
while getopts a:k: option; do
  case $option in
    a) architecture=$OPTARG ;;
    k) pattern=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
files=("$@")
[[ $# -gt 0 ]] || files=(cuda/kernels/*.cu)
command -v nvcc >/dev/null || {
  echo "kernel_loops: no nvcc in PATH" >&2
  exit 1
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints lines "# name" and, for each instruction of 16 bytes, its two words.
code() {
  local file cubin=$scratch/kernels.cubin section offset size
  for file in "${files[@]}"; do
    nvcc -std=c++20 -O3 -DNDEBUG -ftz=true -prec-div=false -prec-sqrt=false --expt-relaxed-constexpr -I. \
      -Irenderer -arch="sm_$architecture" -cubin -o "$cubin" "$file"
    readelf -SW "$cubin" 2>/dev/null | sed -nE 's/^ *\[ *[0-9]+\] \.text\.(\S+) +PROGBITS +\S+ (\S+) (\S+) .*/\1 \2 \3/p' |
      while read -r section offset size; do
        echo "# $(c++filt "$section")"
        od -An -v -tx8 -w16 -j "$((16#$offset))" -N "$((16#$size))" "$cubin"
      done
  done
}

code | awk -v pattern="$pattern" '
  function number(hex,   i, value) {
    value = 0
    for (i = 1; i <= length(hex); ++i) {
      value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
    }
    return value
  }
  # The kind of an opcode. Arithmetic opcodes have their operands in the upper three of 12 bits.
  function kind(op,   base) {
    base = " " sprintf("%03x", op % 512) " "
    op = " " sprintf("%03x", op) " "
    if (index(" 300 301 305 306 307 308 309 ", op)) return "special"
    if (index(" 388 988 984 38c 98c ", op)) return "shared"
    if (index(" 387 983 980 981 386 986 3a8 9a8 38e 98e b82 ab9 ", op)) return "memory"
    if (index(" 806 3c4 3a1 886 ", op) || base == " 189 ") return "lanes"
    if (index(" 945 941 946 947 948 348 942 944 94d 950 918 b1d 31c ", op)) return "control"
    if (index(" 020 021 023 ", base)) return "float"
    if (index(" 008 009 00a 00b ", base)) return "choice"
    return "integer"
  }
  # The target of a branch at `here`: 48 bits from bit 34 on, followed by 8 bits from bit 16 on, in
  # words of 4 bytes, relative to the next instruction. Values from 2^31 on are negative.
  function target(here, low, high,   upper, offset) {
    upper = int(number(substr(low, 1, 8)) / 4) + number(substr(high, 15, 2)) % 4 * 2 ^ 30
    if (upper >= 2 ^ 31) upper -= 2 ^ 32
    offset = upper * 256 + number(substr(low, 11, 2))
    return here + 16 + offset * 4
  }
  function row(title, at,   i, total) {
    total = 0
    for (i = 1; i <= kinds; ++i) total += own[at, names[i]]
    if (total == 0) return
    printf "| %s | %d |", title, total
    for (i = 1; i <= kinds; ++i) printf " %d |", own[at, names[i]]
    printf "\n"
  }
  function finish(   i, k, best, depth) {
    if (count == 0) return
    split("", own)
    for (i = 1; i <= count; ++i) {
      best = 0
      for (k = 1; k <= loops; ++k) {
        if (address[i] < begin[k] || address[i] > end[k]) continue
        if (best == 0 || end[k] - begin[k] < end[best] - begin[best]) best = k
      }
      ++own[best, kind(opcode[i])]
    }
    row("`" name "`, outside of loops", 0)
    for (k = 1; k <= loops; ++k) {
      depth = 0
      for (i = 1; i <= loops; ++i) depth += begin[i] <= begin[k] && end[i] >= end[k]
      row(sprintf("loop at %x to %x, depth %d", begin[k], end[k], depth), k)
    }
  }
  BEGIN {
    kinds = split("float choice special shared memory lanes integer control", names, " ")
    print "| code | all | FP32 arithmetic | FP32 minima, choices | MUFU, conversions | shared memory | other memory | between lanes | integer, moves | control |"
    print "|---|---|---|---|---|---|---|---|---|---|"
  }
  /^#/ {
    finish()
    count = loops = here = 0
    name = substr($0, 3)
    gsub(/mote::cuda::|mote::|\(anonymous namespace\)::|^void |^static /, "", name)
    sub(/\([A-Z][A-Za-z]*Args.*/, "", name)
    wanted = name ~ pattern
    next
  }
  wanted {
    address[++count] = here
    opcode[count] = number(substr($1, 14, 3))
    if (opcode[count] == 2375) {  # BRA
      to = target(here, $1, $2)
      if (to < here) {
        for (k = 1; k <= loops; ++k) if (begin[k] == to) break
        if (k > loops) {
          begin[++loops] = to
          end[loops] = 0
        }
        if (here > end[k]) end[k] = here
      }
    }
    here += 16
  }
  END { finish() }'

#!/usr/bin/env bash
# Counts the instructions of each loop of the CUDA kernels, without those of inner loops, from the
# machine code, and weighs them by the units that run them. Needs nvcc and readelf, no GPU.
#   loops.sh [-a ARCHITECTURE] [-k PATTERN] [FILE.cu...]   a markdown table; PATTERN matches names of kernels
#   loops.sh --check    fails if a loop takes more clocks than tools/kernels/loop_clocks.txt says
#   loops.sh --write    writes that file anew
# The clocks of a loop are those of a scheduler for one warp, in the unit that needs most (throughput
# of sm_90, CUDA C++ Programming Guide, "Arithmetic Instructions"): an instruction takes a clock to
# issue and in the FP32 unit, two in the integer unit, in the uniform one or as an integer product,
# eight in the unit for special functions, conversions and bit counts, four in shared memory or
# between lanes, without conflicts of banks, and four in the tensor core: 2,048 products of halves at
# the data sheet's rate.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/kernels/code.sh

table=tools/kernels/loop_clocks.txt
architecture=90 pattern=. mode=table
case ${1:-} in
  --check | --write) mode=${1#--} ;;
  *)
    while getopts a:k: option; do
      case $option in
        a) architecture=$OPTARG ;;
        k) pattern=$OPTARG ;;
        *) exit 2 ;;
      esac
    done
    shift $((OPTIND - 1))
    ;;
esac
files=(cuda/kernels/*.cu cuda/kernels/*/*.cu)
if [[ $mode == table && $# -gt 0 ]]; then files=("$@"); fi
compiler=$(nvcc --version | sed -nE 's/.*release ([0-9.]+), V([0-9.]+)/nvcc \2/p')
compile_kernels "$architecture" "${files[@]}"

# Lines "file kernel..." follow "= " for the table and "# " for the check.
count() {
  local file
  for file in "${files[@]}"; do
    printf '@ %s\n' "$(basename "$file")"
    instructions "$KERNEL_CODE/$architecture/$(basename "$file" .cu).cubin"
  done | short_names | awk -v pattern="$pattern" -v mode="$mode" '
    function number(hex,   i, value) {
      value = 0
      for (i = 1; i <= length(hex); ++i) {
        value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
      }
      return value
    }
    # The unit of an opcode, of which the lower nine of twelve bits name the operation.
    function unit(op) {
      op %= 512
      if (op == 60) return "tensor"  # HMMA
      if (op >= 32 && op <= 35 || op >= 48 && op <= 53) return "fp32"  # FMUL to FFMA, halves
      if (op == 36 || op == 37 || op == 39) return "product"           # IMAD
      if (op >= 128 && op <= 255) return "uniform"
      if (op >= 256 && op <= 274 || op == 452) return "special"        # FLO to POPC, REDUX
      if (op >= 280 && op <= 336) return "control"
      if (op == 59 || op == 388 || op == 392 || op == 396 || op == 393 || op == 417) return "shared"  # LDSM, LDS, STS, ATOMS, SHFL, MATCH
      if (op >= 384 && op < 448) return "memory"
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
    function most(a, b) { return a > b ? a : b }
    function clocks(at, issued,   fp32) {
      fp32 = own[at, "fp32"] + own[at, "product"]
      fp32 = most(fp32, 2 * own[at, "product"])
      return most(most(issued, fp32), most(most(2 * own[at, "integer"], 8 * own[at, "special"]), most(4 * most(own[at, "shared"], own[at, "tensor"]), 2 * own[at, "uniform"])))
    }
    function row(title, at,   i, issued) {
      issued = 0
      for (i = 1; i <= units; ++i) issued += own[at, names[i]]
      if (mode != "table") { list = list " " clocks(at, issued); return }
      if (issued == 0) return
      printf "| %s | %d | %d |", title, clocks(at, issued), issued
      for (i = 1; i <= units; ++i) printf " %d |", own[at, names[i]]
      printf "\n"
    }
    function finish(   i, k, best, depth) {
      if (total == 0) return
      split("", own)
      list = ""
      for (i = 1; i <= total; ++i) {
        best = 0
        for (k = 1; k <= loops; ++k) {
          if (address[i] < begin[k] || address[i] > end[k]) continue
          if (best == 0 || end[k] - begin[k] < end[best] - begin[best]) best = k
        }
        ++own[best, unit(opcode[i])]
      }
      row("`" name "`, outside of loops", 0)
      for (k = 1; k <= loops; ++k) {
        depth = 0
        for (i = 1; i <= loops; ++i) depth += begin[i] <= begin[k] && end[i] >= end[k]
        row(sprintf("loop at %x to %x, depth %d", begin[k], end[k], depth), k)
      }
      if (mode != "table") printf "%s %s:%s\n", file, name, list
    }
    BEGIN {
      units = split("fp32 product integer special tensor shared memory uniform control", names, " ")
      if (mode == "table") {
        print "| code | clocks | instructions | FP32 | integer products | integer, choices, moves | special, conversions | tensor | shared, lanes | other memory | uniform | control |"
        print "|---|---|---|---|---|---|---|---|---|---|---|---|"
      }
    }
    /^@/ { finish(); total = 0; file = $2; next }
    /^#/ {
      finish()
      total = loops = here = 0
      name = substr($0, 3)
      wanted = name ~ pattern
      next
    }
    wanted {
      address[++total] = here
      opcode[total] = number(substr($1, 14, 3))
      if (opcode[total] == 2375) {  # BRA
        to = target(here, $1, $2)
        # The branch to itself that ends a kernel is no loop.
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
}

case $mode in
  table) count ;;
  write)
    {
      echo "# Clocks of a scheduler for the code outside of loops and for each loop, sm_90, by loops.sh --write;"
      echo "# $compiler"
      count
    } >"$table"
    ;;
  check)
    if ! grep -qxF "# $compiler" "$table"; then
      echo "SKIPPED: $table is of another compiler than $compiler"
      exit
    fi
    count | awk -v table="$table" '
      function split_row(line,   at) {
        at = match(line, /:[ 0-9]*$/)
        name = substr(line, 1, at - 1)
        values = substr(line, at + 2)
      }
      BEGIN {
        while ((getline line < table) > 0) {
          if (line ~ /^#/) continue
          split_row(line)
          known[name] = values
        }
      }
      {
        split_row($0)
        ++kernels
        if (!(name in known)) { printf "loops: %s is not in %s\n", name, table; failed = 1; next }
        before = split(known[name], old, " ")
        now = split(values, new, " ")
        if (before != now) {
          printf "loops: %s has %d loops, in %s %d\n", name, now - 1, table, before - 1
          failed = 1
        } else {
          for (i = 1; i <= now; ++i) {
            if (new[i] <= old[i]) continue
            printf "loops: %s, %s: %d clocks, in %s %d\n", name, i == 1 ? "outside of loops" : "loop " i - 1, new[i], table, old[i]
            failed = 1
          }
        }
        delete known[name]
      }
      END {
        for (name in known) { printf "loops: %s of %s does not exist any more\n", name, table; failed = 1 }
        if (failed) print "loops: after a change that is meant, tools/kernels/loops.sh --write renews the file"
        else printf "no loop of %d kernels takes more clocks than before (sm_90)\n", kernels
        exit failed
      }'
    ;;
esac

#!/usr/bin/env bash
# Checks the machine code of renderer/lanes/pinned.h: each product is an FMUL and each sum an FADD, so
# that none of them is fused, and every kernel that uses the header has the same number of both.
# Projection and filing then get the same floats from the same formula. Needs nvcc, no GPU.
#   pinned.sh [ARCHITECTURE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/kernels/code.sh

architectures=${*:-75 80 86 89 90 120}
header=renderer/lanes/pinned.h
mapfile -t files < <(grep -lE 'macro_tiles.h|pinned.h' cuda/kernels/*.cu cuda/kernels/*/*.cu)
product=$(grep -n '__fmul_rn' $header | cut -d: -f1)
sum=$(grep -n '__fadd_rn' $header | cut -d: -f1)
compile_kernels "$architectures" "${files[@]}"

# For each kernel of a file: "# name", then "line N ADDRESS" where the code of a line of pinned.h starts
# and "other ADDRESS" where that of other lines does, in the order of the addresses.
lines() {
  {
    # The order of the kernels in the table of lines.
    readelf -rW "$1" 2>/dev/null | awk '
      /^Relocation/ { wanted = /\.rela?\.debug_line/ }
      wanted && $1 ~ /^[0-9a-f]+$/ { for (i = 4; i <= NF; ++i) if ($i ~ /^_Z/) print $1, "# " $i }' |
      sort | cut -d' ' -f2-
    readelf -wL "$1" 2>/dev/null
  } | awk '
    /^# / { names[++count] = $0; next }
    NF >= 3 && $2 == "-" { current = 0; next }
    NF >= 3 && $2 ~ /^[0-9]+$/ && $3 ~ /^(0x)?[0-9a-f]+$/ {
      if (!current) { current = 1; print names[++at] }
      print ($1 == "pinned.h" ? "line " $2 : "other") " " $3
    }'
}

for architecture in $architectures; do
  for file in "${files[@]}"; do
    code=$KERNEL_CODE/$architecture/$(basename "$file" .cu).cubin
    { lines "$code"; echo "== "; instructions "$code"; } | short_names |
      awk -v product="$product" -v sum="$sum" -v architecture="$architecture" -v file="$(basename "$file")" '
        function number(hex,   i, value) {
          sub(/^0x/, "", hex)
          for (i = 1; i <= length(hex); ++i) value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
          return value
        }
        function finish() {
          if (name == "" || products == 0) return  # it lists no tiles
          printf "%s %s sm_%s %d %d\n", file, name, architecture, products, sums
        }
        /^== / { code = 1; name = ""; next }
        /^# / { finish(); name = substr($0, 3); here = products = sums = 0; at = 1; next }
        !code { ++rows[name]; start[name, rows[name]] = number($NF); what[name, rows[name]] = $1 == "line" ? $2 : 0; next }
        {
          while (at < rows[name] && start[name, at + 1] <= here) ++at
          line = what[name, at]
          operation = number(substr($1, 14, 3)) % 512  # FMUL 32, FADD 33, FFMA 35
          here += 16
          if (line == 0 || operation < 32 || operation > 35) next
          if (line == product) ++products
          if (line == sum) ++sums
          if ((line == product && operation != 32) || (line == sum && operation != 33)) {
            printf "pinned: %s, %s, sm_%s: the operation of %s:%d at %x is fused\n", file, name, architecture, "renderer/lanes/pinned.h", line, here - 16 >"/dev/stderr"
            failed = 1
          }
        }
        END { finish(); exit failed }'
  done
done >"$KERNEL_CODE/pinned"
awk -v list="$architectures" '
  {
    architecture = $(NF - 2)
    if (!(architecture in products)) { products[architecture] = $(NF - 1); sums[architecture] = $NF }
    if ($(NF - 1) == products[architecture] && $NF == sums[architecture]) next
    printf "pinned: %s has %d products and %d sums, another kernel %d and %d\n", $0, $(NF - 1), $NF, products[architecture], sums[architecture] >"/dev/stderr"
    failed = 1
  }
  END {
    for (i = split(list, listed, " "); i > 0; --i) {
      if ("sm_" listed[i] in products) continue
      printf "pinned: no kernel for sm_%s uses the header\n", listed[i] >"/dev/stderr"
      failed = 1
    }
    if (!failed) printf "no operation of renderer/lanes/pinned.h is fused, in any of %d kernels (sm_%s)\n", NR, list
    exit failed
  }' "$KERNEL_CODE/pinned"

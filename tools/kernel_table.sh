#!/usr/bin/env bash
# Prints registers, shared memory and spills of each CUDA kernel for every architecture, as a
# markdown table. Needs nvcc, no GPU. kernel_table.sh [ARCHITECTURE...]
# Some kernels are compiled for each degree of harmonics. For kinds other than Gaussians, the table
# has only their degree 3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

architectures=("${@:-75}")
[[ $# -gt 0 ]] || architectures=(75 80 86 89 90 120)
command -v nvcc >/dev/null || {
  echo "kernel_table: no nvcc in PATH" >&2
  exit 1
}

# Prints lines "kernel architecture registers shared_bytes spill_bytes file".
measure() {
  local file architecture compiled
  compiled=$(mktemp) # nvcc deletes its output where it fails, were it /dev/null
  for architecture in "${architectures[@]}"; do
    for file in cuda/kernels/*.cu; do
      nvcc -std=c++20 -O3 -DNDEBUG -ftz=true -prec-div=false -prec-sqrt=false --expt-relaxed-constexpr -I. \
        -Irenderer -arch="sm_$architecture" \
        -Xptxas -v -cubin -o "$compiled" "$file" 2>&1 | awk -v architecture="$architecture" -v file="$(basename "$file")" '
          /Compiling entry function/ { split($0, part, "\047"); name = part[2] }
          /spill stores/ { for (i = 1; i < NF; ++i) if ($(i + 1) == "bytes" && $(i + 2) == "spill" && $(i + 3) ~ /^stores/) spill += $i }
          /Used [0-9]+ registers/ {
            registers = $5; shared = 0
            for (i = 1; i < NF; ++i) if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) shared = $i
            print name, architecture, registers, shared, spill + 0, file; spill = 0
          }'
    done
  done | c++filt | sed -E 's/mote::cuda::\(anonymous namespace\):://g; s/mote::cuda:://g; s/mote:://g; s/\([^)]*\) / /; s/^(void|static) //'
  rm -f "$compiled"
}

measure | awk -v list="${architectures[*]}" '
  {
    spill = $(NF - 1); shared = $(NF - 2); registers = $(NF - 3); architecture = $(NF - 4)
    name = $1
    for (i = 2; i < NF - 4; ++i) name = name " " $i
    if (name ~ /<(Beta|Surfel), Still, [0124]/) next
    name = "`" $NF "` | `" name "`"
    if (!(name in seen)) { seen[name] = 1; order[++count] = name }
    cell[name, architecture] = registers (spill > 0 ? ", " spill " B spilled" : "")
    memory[name] = shared
  }
  END {
    n = split(list, architectures, " ")
    printf "| file | kernel | shared, bytes |"
    for (i = 1; i <= n; ++i) printf " sm_%s |", architectures[i]
    printf "\n|---|---|---|"
    for (i = 1; i <= n; ++i) printf "---|"
    printf "\n"
    for (k = 1; k <= count; ++k) {
      printf "| %s | %s |", order[k], memory[order[k]]
      for (i = 1; i <= n; ++i) printf " %s |", cell[order[k], architectures[i]]
      printf "\n"
    }
  }'

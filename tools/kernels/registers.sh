#!/usr/bin/env bash
# Prints registers, shared memory and spills of each CUDA kernel for every architecture, as a
# markdown table. Needs nvcc, no GPU.
#   registers.sh [--check] [ARCHITECTURE...]
# With --check, prints only the kernels that spill registers or use local memory, and fails if there
# are any.
# Some kernels are compiled for each degree of harmonics. For kinds other than Gaussians, the table
# has only their degree 3. Of the kernels that fuse a grid and a network, it has those of grids with two
# features.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/kernels/code.sh

check=0
if [[ ${1:-} == --check ]]; then
  check=1
  shift
fi
architectures=("$@")
[[ $# -gt 0 ]] || architectures=(75 80 86 89 90 120)
compile_kernels "${architectures[*]}"

# Lines "kernel architecture registers shared_bytes spill_bytes local_bytes file".
for architecture in "${architectures[@]}"; do
  for file in cuda/kernels/*.cu cuda/kernels/*/*.cu; do
    awk -v architecture="$architecture" -v file="$(basename "$file")" '
      /Compiling entry function/ { split($0, part, "\047"); name = part[2]; spill = local = 0 }
      /bytes stack frame/ {
        local += $1
        for (i = 1; i < NF; ++i) if ($(i + 1) == "bytes" && $(i + 2) == "spill" && $(i + 3) ~ /^stores/) spill += $i
      }
      /Used [0-9]+ registers/ {
        registers = $5; shared = 0
        for (i = 1; i < NF; ++i) if ($(i + 1) == "bytes" && $(i + 2) ~ /^smem/) shared = $i
        print name, architecture, registers, shared, spill + 0, local + 0, file
      }' "$KERNEL_CODE/$architecture/$(basename "$file" .cu).report"
  done
done | c++filt |
  sed -E 's/mote::cuda::\(anonymous namespace\):://g; s/mote::cuda:://g; s/mote:://g; s/\([^)]*\) / /; s/^(void|static) //' \
    >"$KERNEL_CODE/registers"

if ((check)); then
  awk -v list="${architectures[*]}" '
    $(NF - 1) > 0 || $(NF - 2) > 0 {
      name = $1
      for (i = 2; i < NF - 5; ++i) name = name " " $i
      printf "registers: %s, %s, sm_%s: %s bytes spilled, %s bytes of local memory\n", $NF, name, $(NF - 5), $(NF - 2), $(NF - 1)
      failed = 1
    }
    END {
      if (!failed) printf "no kernel spills or uses local memory (%d kernels, sm_%s)\n", NR, list
      exit failed
    }' "$KERNEL_CODE/registers"
  exit
fi

awk -v list="${architectures[*]}" '
  {
    spill = $(NF - 2); shared = $(NF - 3); registers = $(NF - 4); architecture = $(NF - 5)
    name = $1
    for (i = 2; i < NF - 5; ++i) name = name " " $i
    if (name ~ /<(Beta|Surfel), Still, [0124]/ || name ~ /^(field_values|image_picture|surface_(picture|distances)|follow_rays)<.*, [148], /) next
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
  }' "$KERNEL_CODE/registers"

# For the scripts of this folder, which source it: the machine code of the CUDA kernels. Needs nvcc
# and readelf, no GPU. The scripts decode only opcodes, branch targets and the size of an access, in the
# instruction format of sm_75 to sm_120.
# shellcheck shell=bash

shopt -s nullglob  # cuda/kernels may have no folders
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || {
  echo "$(basename "$0" .sh): no nvcc in PATH" >&2
  exit 1
}

# Where compiled kernels are kept: KERNEL_CODE names a folder that several scripts share.
if [[ -z ${KERNEL_CODE:-} ]]; then
  KERNEL_CODE=$(mktemp -d)
  trap 'rm -rf "$KERNEL_CODE"' EXIT
fi
export KERNEL_CODE

# compile_kernel ARCHITECTURE FILE.cu: $KERNEL_CODE/ARCHITECTURE/FILE.cubin, and FILE.report with what
# the compiler says of registers and memory. Line numbers do not change the code.
compile_kernel() {
  local base
  base=$KERNEL_CODE/$1/$(basename "$2" .cu)
  [[ ! -f $base.cubin ]] || return 0
  nvcc -std=c++20 -O3 -DNDEBUG -ftz=true -prec-div=false -prec-sqrt=false --expt-relaxed-constexpr -lineinfo \
    -I. -Irenderer -arch="sm_$1" -Xptxas -v -cubin -o "$base.cubin" "$2" >"$base.report" 2>&1 || {
    cat "$base.report" >&2
    return 255  # ends xargs
  }
}
export -f compile_kernel

# compile_kernels "ARCHITECTURE..." [FILE.cu...]: all files without names.
compile_kernels() {
  local architectures=$1 architecture file
  shift
  (($# > 0)) || set -- cuda/kernels/*.cu cuda/kernels/*/*.cu
  for architecture in $architectures; do
    mkdir -p "$KERNEL_CODE/$architecture"
    for file in "$@"; do printf '%s %s\0' "$architecture" "$file"; done
  done | xargs -0 -P "$(nproc)" -I{} bash -c 'compile_kernel {}'
}

# Shortens the names of kernels: without namespaces and parameters.
short_names() {
  c++filt | sed -E 's/mote::cuda::\(anonymous namespace\):://g; s/mote::cuda:://g; s/mote:://g
    s/\([A-Z][A-Za-z]*Args.*//; s/^(# )?(void|static) /\1/'
}

# instructions CUBIN: "# name" of each kernel, then a line for each instruction of 16 bytes: its two
# words.
instructions() {
  local section offset size
  readelf -SW "$1" 2>/dev/null | sed -nE 's/^ *\[ *[0-9]+\] \.text\.(\S+) +PROGBITS +\S+ (\S+) (\S+) .*/\1 \2 \3/p' |
    while read -r section offset size; do
      echo "# $section"
      od -An -v -tx8 -w16 -j "$((16#$offset))" -N "$((16#$size))" "$1"
    done
}

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

# take_kernels ARCHITECTURE BUILD: $KERNEL_CODE/ARCHITECTURE/FILE.cubin from the objects of a build folder,
# without reports. Fails where the build has no such code.
#
# An object holds code for devices in a section: a header of 16 bytes, whose last 8 are the size of
# the rest, then records. A record begins with words of 4 bytes: its kind in 2 bytes (2 is machine
# code), the size of its own header, the size of its content (8 bytes), that of content which zstd
# compressed (0: none), and in the eighth the architecture.
take_kernels() {
  local architecture=$1 object section size end kind header content compressed built target
  local -a word
  mkdir -p "$KERNEL_CODE/$architecture"
  for object in "$2"/cuda/CMakeFiles/mote_cuda.dir/kernels/{,*/}*.cu.o; do
    target=$KERNEL_CODE/$architecture/$(basename "$object" .cu.o).cubin
    read -r section size < <(readelf -SW "$object" |
      sed -nE 's/.* \.nv_fatbin +PROGBITS +\S+ (\S+) (\S+) .*/\1 \2/p')
    section=$((16#$section)) end=$((section + 16#$size))
    section=$((section + 16))
    while ((section < end)); do
      read -ra word < <(od -An -v -tu4 -w32 -j "$section" -N 32 "$object")
      kind=$((word[0] & 0xffff)) header=${word[1]} content=${word[2]} compressed=${word[4]} built=${word[7]}
      if ((kind == 2 && built == architecture)); then
        dd status=none bs=1M iflag=skip_bytes,count_bytes skip=$((section + header)) \
          count=$((compressed > 0 ? compressed : content)) if="$object" |
          if ((compressed > 0)); then zstd -dc; else cat; fi >"$target"
        break
      fi
      section=$((section + header + content))
    done
    [[ -s $target ]] || {
      echo "$(basename "$0" .sh): $object has no code for sm_$architecture; configure with -DMOTE_CUDA_ARCHITECTURES=$architecture" >&2
      return 1
    }
  done
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

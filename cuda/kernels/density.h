#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "splats/density/density.h"

namespace mote::cuda {

/// The destination of a changed set of splats, in the order of its edit (DensityEdit).
struct EditTarget {
  FieldPlanes planes;
  float* geometry;        // [blocks][planes][16]
  std::uint32_t* source;  // index in the old set that each one copies
  std::uint8_t* forget;   // not 0: its moments start at zero
};

/// Copies splat source[i] of `from` to splat i of `to`. Writes zero where `forget` (if not null)
/// marks it, and in the lanes after the last splat.
struct GatherArgs {
  const float* from;  // [blocks][planes][16]
  float* to;          // likewise
  unsigned planes;
  const std::uint32_t* source;  // [count]
  const std::uint8_t* forget;   // [count] or null
  unsigned count;
};

void run_gather_planes(const GatherArgs& args, cudaStream_t stream);

/// to[i] = from[source[i]]; for float, std::uint32_t and std::uint8_t.
template <class T>
void run_gather(const T* from, T* to, const std::uint32_t* source, unsigned count,
                cudaStream_t stream);

/// Writes changes over geometry, [blocks][planes][16].
void run_write_changes(const DensityEdit::Change* changes, unsigned count,
                       const FieldPlanes& planes, float* geometry, cudaStream_t stream);

/// The same for motions.
void run_write_moves(const DensityEdit::Move* moves, unsigned count, const FieldPlanes& planes,
                     float* geometry, cudaStream_t stream);

/// Writes colours over the harmonics of a set whose splat i was splat order[i] of the edit.
struct WriteColorsArgs {
  const DensityEdit::Color* colors;  // [color_count], ascending by splat
  unsigned color_count;
  const std::uint32_t* order;  // [count]
  unsigned count;
  float* sh;        // [blocks][planes][16]
  unsigned planes;  // at least 3: r, g, b of the constant harmonic come first
};

void run_write_colors(const WriteColorsArgs& args, cudaStream_t stream);

/// Copies the motion of splat target.source[i] of `from`, [blocks][planes][16], to splat i of the
/// target.
void run_copy_motions(const float* from, const EditTarget& target, unsigned count,
                      cudaStream_t stream);

/// marks[numbers[i]] = 1
void run_mark(const std::uint32_t* numbers, unsigned count, std::uint8_t* marks,
              cudaStream_t stream);

/// Limits logit opacities to `most` and sets their moments to zero. Arrays as in SplatState.
struct LimitOpacityArgs {
  FieldPlanes planes;
  float *geometry, *first, *second;
  float most;  // logit
  unsigned count;
};

void run_limit_opacity(const LimitOpacityArgs& args, cudaStream_t stream);

}  // namespace mote::cuda

#pragma once

// The instructions of tensor cores: products of small matrices, of which each lane of a warp has a
// part, and loads of their operands. cuda/runtime/matrices.h has the maps of elements to lanes.

#include <cuda_host/site.h>
#include <cuda_host/vectors.h>

namespace cuda_host {

enum class MatrixNumber { half, bfloat };

/// mma.sync.m16n8k16 with sums as floats: the lane's part of a b + c. Products are exact; their sum
/// with c is rounded once, to the nearest float or, if the machine says so, towards zero.
float4 multiply_matrices(MatrixNumber number, uint4 a, uint2 b, float4 c, Site site);

/// ldmatrix.x4, with .trans if `transposed`. `row`: 16 bytes of shared memory. A fault for other
/// memory.
uint4 load_matrices(const void* row, bool transposed, Site site);

/// One access of 16 bytes, for the checks and counts of accesses.
uint4 load_whole(const uint4* address);

}  // namespace cuda_host

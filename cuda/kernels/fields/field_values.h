#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/fields/encoded_parts.h"
#include "cuda/kernels/fields/network_blocks.h"

namespace mote::cuda {

/// A field of an encoding and a network on the device.
struct FieldTables {
  GridConfig grid;             // which has_grid_kernels()
  const GridLevel* levels;     // as in GridEncodingArgs
  const std::uint16_t* table;  // the same
  NetworkShape shape;          // with lane_order_blocks() inputs; by parts, in the layout's order
  const uint4* weights;        // NetworkWeightsArgs::blocks, in lane order
  int outputs;                 // at most 16
  uint4* space = nullptr;      // [field_space()]: of kernels, which use it one after the other
  const EncodedParts* parts = nullptr;  // GridEncodingArgs::parts
};

/// Elements of FieldTables::space for the current device; 0 for networks whose hidden layers fit
/// the registers of a warp.
std::size_t field_space(const NetworkShape& shape);

/// A field at some positions.
struct FieldValuesArgs {
  FieldTables field;
  const float* positions;  // [dimensions][stride], from 0 to 1
  float* values;           // [outputs][stride]
  unsigned count;
  std::size_t stride;
};

/// Encodes and evaluates the positions in one kernel.
void run_field_values(const FieldValuesArgs& args, cudaStream_t stream);

}  // namespace mote::cuda

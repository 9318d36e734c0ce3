#pragma once

#include <string>

#include "cuda/fields/device_encoding.h"
#include "cuda/kernels/fields/field_values.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// The first part of a field with one network that has no kernels, as a phrase; empty if all have.
std::string missing_kernels(const NeuralField& field);

/// The same for a network.
std::string missing_network_kernels(const NetworkConfig& network);

/// The parameters of a field with one network, in the forms that kernels read.
class DeviceTables {
 public:
  /// Copies the parameters, in stream order, and waits for that. CHECKs that no kernels are
  /// missing. Throws Error if memory is insufficient.
  DeviceTables(const NeuralField& field, cudaStream_t stream);

  /// Valid while this lives.
  FieldTables tables() const;
  std::size_t memory_bytes() const;

 private:
  EncodingForm form_;
  DeviceEncoding encoding_;
  NetworkShape shape_;
  int outputs_;
  DeviceBuffer<std::uint16_t> table_{"the table of a grid"};
  DeviceBuffer<uint4> weights_{"the weights of a network"};
  mutable DeviceBuffer<uint4> space_{"the layers of a network"};  // of kernels
};

}  // namespace mote::cuda

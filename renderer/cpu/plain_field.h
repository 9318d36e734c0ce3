#pragma once

// Fields with one network on the CPU: signed distances, images and volumes.

#include <cstddef>
#include <vector>

#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/cpu_encoding.h"
#include "cpu/field_parameters.h"
#include "cpu/field_times.h"
#include "cpu/kernels.h"
#include "cpu/part_gradients.h"
#include "fields/applications/field_layout.h"

namespace mote {

/// The parts of a field that training does not change.
struct PlainShape {
  explicit PlainShape(const NeuralField& field);

  FieldConfig config;
  SimpleFieldLayout layout;
  std::vector<MlpLayer> layers;
  EncodingShape encoding;
  std::size_t inputs, outputs;
  bool is_general;  // Gaussians, or wider than the fused kernels, or not in whole packs
};

/// A field at some positions.
class PlainField {
 public:
  /// References must outlive this.
  PlainField(const PlainShape& shape, const CpuKernels& kernels, ThreadPool& pool);

  const PlainShape& shape() const { return shape_; }

  /// Makes space for as many positions. Earlier values are lost.
  void begin(std::size_t count);
  float* positions() { return positions_.data(); }        // [inputs][stride], 0 to 1
  const float* values() const { return values_.data(); }  // [outputs][stride]
  float* d_values() { return d_values_.data(); }          // [outputs][stride], for gradients
  std::size_t stride() const { return stride_; }

  /// Evaluates the first `count` positions. Positions up to the stride are evaluated too.
  void evaluate(FieldParameters tables, std::size_t count);
  /// Makes space for d_values().
  void begin_gradients() { d_values_.resize_discard(shape_.outputs * stride_); }
  /// Adds the gradients by the network to `d_network`, from those by the values of the positions
  /// that were evaluated last. d_values() must be zero from `count` on up to a whole pack of 16.
  void differentiate(FieldParameters tables, float* d_network, std::size_t count);
  /// Those by the tables, after differentiate().
  TableGradients table_gradients(std::size_t count);

  /// Finds the derivatives of the first output by the positions that were evaluated last, in
  /// slopes(). Makes space for d_slopes(). CHECKs that the grids are not of the nearest point.
  void find_slopes(FieldParameters tables, std::size_t count);
  const float* slopes() const { return slopes_.data(); }  // [inputs][stride]
  float* d_slopes() { return d_slopes_.data(); }          // [inputs][stride], for gradients
  /// As differentiate(), after find_slopes(): also from the gradients by the slopes. Those must be
  /// zero from `count` on up to a whole pack of 16.
  void differentiate_slopes(FieldParameters tables, float* d_network, std::size_t count);
  /// Those by the tables, after differentiate_slopes().
  TableGradients slope_table_gradients(std::size_t count);

  /// As DeviceField::evaluate().
  void evaluate_all(FieldParameters tables, const float* positions, std::size_t count,
                    std::size_t stride, float* values);

  /// The memory of evaluate_all() in bytes, which is kept.
  std::size_t evaluation_bytes(std::size_t count) const;

  /// Times of all evaluations.
  FieldTimes& times() { return times_; }
  std::size_t memory_bytes() const;

 private:
  /// The changes of the features [from, to) while positions move with d_slopes().
  void encode_rates(FieldParameters tables, std::size_t from, std::size_t to);
  EncodedSamples samples(float* features) { return {positions_.data(), features, stride_}; }
  NerfNetworkParams network_params(FieldParameters tables);
  GeneralNetworkParams general_params(FieldParameters tables);
  /// Adds the gradients of the network for the samples [from, to) to `d_weights`. Writes those of
  /// the features in their place.
  void differentiate_network(FieldParameters tables, std::size_t from, std::size_t to,
                             float* d_weights);

  const PlainShape& shape_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  std::size_t stride_ = 0;
  FieldTimes times_;
  Buffer<float> positions_, features_, values_, d_values_, transposed_;
  PartGradients part_gradients_;
  // For slopes: their gradients move the positions.
  Buffer<float> slopes_, d_slopes_, d_features_, rates_;
  Buffer<float> first_output_;  // [outputs][stride]: 1 for the first output
};

}  // namespace mote

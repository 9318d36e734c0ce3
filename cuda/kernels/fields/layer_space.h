#pragma once

// Where the layers of a network are in NetworkArgs::space while it is evaluated layer by layer.

#include <algorithm>
#include <cstddef>

#include "cuda/kernels/fields/layer_products.h"
#include "cuda/kernels/fields/sample_count.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// The samples that are evaluated together.
struct SampleGroup {
  unsigned first, space;  // at most `space` samples
  unsigned count;         // of all samples of the launch
  const unsigned* known;  // see sample_count()
};

MOTE_DEVICE unsigned samples_of(const SampleGroup& group) {
  const unsigned all = sample_count(group.count, group.known);
  const unsigned left = all <= group.first ? 0 : all - group.first;
  return left < group.space ? left : group.space;
}

/// Rows of 16 samples, in whole tiles. Those without samples have inputs and gradients of zero.
MOTE_DEVICE int rows_of(const SampleGroup& group) {
  const unsigned samples = samples_of(group);
  return static_cast<int>((samples + kSideValues - 1) / kSideValues) * kSideBlocks;
}

/// Layers are [rows of 16 samples][blocks], see layer_products.h. Without gradients, two hidden
/// layers take turns in the same memory.
class GroupLayers {
 public:
  /// `samples`: of a group. `shape` must outlive this.
  GroupLayers(const NetworkShape& shape, unsigned samples, LayerUse use, uint4* space)
      : shape_(shape),
        rows_(blocks_for(samples, kSideValues) * kSideBlocks),
        kept_(use == LayerUse::values ? std::min(shape.hidden_layers, 2) : shape.hidden_layers),
        use_(use),
        space_(space) {}

  unsigned rows() const { return rows_; }
  uint4* inputs() const { return space_; }
  /// The values of a hidden layer, after its activation.
  uint4* values(int layer) const { return space_ + hidden(layer % kept_); }
  /// Those before its activation, where this is not simple. They are kept for gradients only.
  uint4* arguments(int layer) const {
    return keeps_arguments() ? space_ + hidden(kept_ + layer) : values(layer);
  }
  /// Gradients of a layer's inputs, which take turns.
  uint4* gradients(int layer) const {
    return space_ + first_gradients() + lanes(widest()) * static_cast<std::size_t>(layer % 2);
  }
  /// Those of the outputs, in one block.
  uint4* output_gradients() const { return space_ + first_gradients() + 2 * lanes(widest()); }
  /// The same of rates.
  uint4* rate_inputs() const { return space_ + first_rates(); }
  uint4* rates(int layer) const {
    return rate_inputs() + lanes(shape_.input_blocks) +
           lanes(shape_.width_blocks) * static_cast<std::size_t>(layer);
  }
  uint4* rate_gradients(int layer) const {
    return rates(shape_.hidden_layers) + lanes(widest()) * static_cast<std::size_t>(layer % 2);
  }
  uint4* output_rate_gradients() const { return rate_gradients(0) + 2 * lanes(widest()); }
  /// Elements of all.
  std::size_t size() const {
    if (use_ == LayerUse::values) return first_gradients();
    if (use_ == LayerUse::gradients) return first_rates();
    const auto hidden_rates = static_cast<std::size_t>(shape_.hidden_layers);
    return first_rates() + lanes(shape_.input_blocks) + hidden_rates * lanes(shape_.width_blocks) +
           2 * lanes(widest()) + lanes(1);
  }

 private:
  int widest() const { return std::max(shape_.width_blocks, shape_.input_blocks); }
  std::size_t lanes(int blocks) const {
    return std::size_t{rows_} * static_cast<std::size_t>(blocks * kBlockLanes);
  }
  std::size_t hidden(int number) const {
    return lanes(shape_.input_blocks) +
           lanes(shape_.width_blocks) * static_cast<std::size_t>(number);
  }
  bool keeps_arguments() const { return use_ != LayerUse::values && !is_simple(shape_.activation); }
  std::size_t first_gradients() const { return hidden(keeps_arguments() ? 2 * kept_ : kept_); }
  std::size_t first_rates() const { return first_gradients() + 2 * lanes(widest()) + lanes(1); }

  const NetworkShape& shape_;
  unsigned rows_;
  int kept_;  // layers
  LayerUse use_;
  uint4* space_;
};

}  // namespace mote::cuda

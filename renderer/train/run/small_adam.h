#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

/// Adam for a few numbers that the host keeps, such as one photograph's exposure.
class SmallAdam {
 public:
  explicit SmallAdam(std::size_t count) : first_(count), second_(count) {}

  /// The change that this gradient makes to the values at `learning_rate`; counts one step. Nothing
  /// changes, and all is zero, where a gradient is not finite.
  std::vector<double> step(std::span<const double> gradient, double learning_rate);

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  std::vector<double> first_, second_;
  std::uint64_t steps_ = 0;
};

}  // namespace mote

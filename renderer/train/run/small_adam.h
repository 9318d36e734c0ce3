#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

/// Adam for a few parameters on the host, such as one photograph's exposure.
class SmallAdam {
 public:
  explicit SmallAdam(std::size_t count) : first_(count), second_(count) {}

  /// Counts one step and returns the change of the values for this gradient at `learning_rate`. If
  /// a gradient is not finite, returns zeros and changes nothing.
  std::vector<double> step(std::span<const double> gradient, double learning_rate);

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  std::vector<double> first_, second_;
  std::uint64_t steps_ = 0;
};

}  // namespace mote

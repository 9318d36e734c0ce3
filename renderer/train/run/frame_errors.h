#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

/// The last errors of the training photographs of a moving scene. In the second half of a run,
/// photographs with larger errors have more steps.
class FrameErrors {
 public:
  /// Fewer photographs have equal numbers of steps: photographs are announced ahead of their steps,
  /// so that the order must be known one epoch before.
  static constexpr std::size_t kFewest = 64;
  /// Bounds of a photograph's weight, in mean weights.
  static constexpr float kLeast = 0.25f, kMost = 4;

  explicit FrameErrors(std::size_t photographs) : errors_(photographs, 0.0f) {}

  /// Records the error after a step on a photograph, by its place among the training photographs.
  void note(std::size_t place, double error) { errors_[place] = static_cast<float>(error); }
  /// The weights of the photographs: their errors, relative to the mean. A photograph without a
  /// step has the weight 1.
  std::vector<float> weights() const;

  void save(ByteSink& sink) const { sink.put_all(std::span<const float>(errors_)); }
  /// Throws Error for errors of another number of photographs.
  void restore(ByteSource& source);

 private:
  std::vector<float> errors_;  // 0: no step yet
};

}  // namespace mote

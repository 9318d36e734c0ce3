#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/byte_stream.h"
#include "train/run/small_adam.h"

namespace mote {

/// What stands behind the splats: one colour, another one each step, or a learned one.
class Background {
 public:
  /// `text` as TrainOptions::background has it. Throws UsageError for anything else.
  Background(const std::string& text, std::uint64_t seed);

  /// For the step with this number.
  std::array<float, 3> of_step(std::uint64_t step) const;
  /// For pictures: the fixed or learned colour; black where it is random.
  std::array<float, 3> shown() const;
  bool is_white() const;
  /// A learned colour takes a step, and stays in 0..1; others stay.
  void update(const std::array<float, 3>& d_background, double learning_rate);

  void save(ByteSink& sink) const;
  void restore(ByteSource& source);

 private:
  enum class Kind { fixed, random, learned };
  Kind kind_ = Kind::fixed;
  std::array<double, 3> color_{0, 0, 0};
  std::uint64_t seed_;
  SmallAdam adam_{3};
};

}  // namespace mote

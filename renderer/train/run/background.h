#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/byte_stream.h"
#include "train/run/small_adam.h"

namespace mote {

/// The background behind the model: a fixed colour, a random one each step, or a learned one.
class Background {
 public:
  /// `text` has the form of LoopOptions::background. Throws UsageError for any other text.
  Background(const std::string& text, std::uint64_t seed);

  /// The background of step `step`.
  std::array<float, 3> of_step(std::uint64_t step) const;
  /// The background for pictures: the fixed or learned colour; black if it is random.
  std::array<float, 3> shown() const;
  bool is_white() const;
  bool is_random() const { return kind_ == Kind::random; }
  /// Updates a learned colour and keeps it in 0..1. Other backgrounds do not change.
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

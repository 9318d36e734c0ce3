#pragma once

// A map of errors in photographs, from which half of the pixels of a training step are chosen, so
// that rays go where the field is wrong. As in instant-ngp, but by mean errors: sums would grow
// where more pixels are chosen.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"

namespace mote {

/// A place in a photograph, from 0 to 1 along each axis.
struct PhotoPlace {
  float x, y;
};

/// The mean errors in the cells of each photograph, and the chances that follow from them. Chances
/// are uniform until update() is called.
class ErrorMap {
 public:
  explicit ErrorMap(std::size_t photographs);

  std::size_t photographs() const { return photograph_chances_.size(); }
  /// Cells per axis of a photograph.
  std::size_t side() const { return side_; }

  /// Adds an error, which is at least 0, to the cell of a place. NaN is ignored.
  void add(std::size_t photograph, PhotoPlace place, float error);
  /// Ends a step. Now and then, makes chances from the mean errors and forgets those: after
  /// kFirstErrorSteps steps, then after half as many more each time. Cells without errors count as
  /// the mean of their photograph.
  void end_step();

  /// The chance of a photograph, relative to those of others.
  float chance(std::size_t photograph) const { return photograph_chances_[photograph]; }
  /// A random place, more often where errors are large. Each cell gets at least kErrorFloor of the
  /// places that it would get if all cells were alike.
  PhotoPlace place(std::size_t photograph, std::uint64_t bits) const;

  /// The complete state.
  void save(ByteSink& sink) const;
  /// Throws Error if the state is not that of as many photographs.
  void restore(ByteSource& source);
  std::size_t memory_bytes() const;

 private:
  void update();
  void set_side(std::size_t side);
  std::size_t cells() const { return side_ * side_; }

  std::size_t side_ = 0;
  std::uint64_t steps_ = 0, next_update_, steps_between_;
  std::vector<float> sums_, counts_;       // [photographs][cells], since the last update
  std::size_t chance_side_ = 1;            // cells per axis of `cumulative_`
  std::vector<float> cumulative_;          // [photographs][chance_side_^2]: up to 1 in the last
  std::vector<float> photograph_chances_;  // their mean errors, with a floor
};

inline constexpr std::uint64_t kFirstErrorSteps = 128;
inline constexpr float kErrorFloor = 0.01f;

/// Cells per axis for as many errors in each photograph, at least 4 and at most 128.
std::size_t error_map_side(double errors);

}  // namespace mote

#pragma once

// Schedules of training that are the same for every model: the photograph of each step and its
// size.

#include <cstdint>
#include <span>
#include <vector>

#include "model/learner.h"
#include "train/run/run_options.h"

namespace mote {

/// Log-linear interpolation: `from` at 0, `to` at 1. Linear if one of them is 0.
double log_linear(double from, double to, double fraction);

/// The number of halvings of the photographs for the step after `position`. All levels of the
/// schedule get an equal share of the time before `resolution_until`.
int resolution_level_at(const LoopOptions& options, const RunPosition& position);

/// The photograph of each step: random permutations of all photographs, one after another. Depends
/// on the seed only.
class PhotographOrder {
 public:
  /// Without photographs, none may be asked for.
  PhotographOrder(std::span<const std::uint32_t> photographs, std::uint64_t seed);

  /// The photograph of step `step`, from 1.
  std::uint32_t at(std::uint64_t step);
  /// The photographs of the `count` steps from `step` on.
  std::vector<std::uint32_t> from(std::uint64_t step, std::size_t count);

 private:
  const std::vector<std::uint32_t>& epoch(std::uint64_t number);

  struct Epoch {
    std::uint64_t number = ~std::uint64_t{0};
    std::vector<std::uint32_t> order;
  };
  std::vector<std::uint32_t> photographs_;
  std::uint64_t seed_;
  Epoch kept_[2];  // indexed by the parity of the epoch: the current and the next one
};

}  // namespace mote

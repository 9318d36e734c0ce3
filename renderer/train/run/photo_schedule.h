#pragma once

// Schedules of training that are the same for every model: the photograph of each step and its
// size.

#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "model/learner.h"
#include "scene/dataset.h"
#include "train/run/run_options.h"

namespace mote {

/// Log-linear interpolation: `from` at 0, `to` at 1. Linear if one of them is 0.
double log_linear(double from, double to, double fraction);

/// The number of halvings of the photographs for the step after `position`. All levels of the
/// schedule get an equal share of the time before `resolution_until`.
int resolution_level_at(const LoopOptions& options, const RunPosition& position);

/// A share of the steps for each training photograph of a moving scene, so that its cameras have
/// equal numbers of steps, whatever their rates: the mean number of training photographs of a
/// camera, by that of the photograph's own camera. Their mean is 1, up to the bound
/// kMostOfPhotograph. Empty where all cameras have equally many photographs, or are not named.
std::vector<float> camera_shares(const Dataset& dataset);

/// Upper bound of camera_shares(): a few photographs by a camera must not have most of the steps.
inline constexpr float kMostOfPhotograph = 10;

/// The photograph of each step: random permutations of all photographs, one after another (epochs).
/// Depends on the seed only, and on shares and weights where they are set: with these, an epoch has
/// as many steps, but some photographs have several of them and others none.
class PhotographOrder {
 public:
  /// Without photographs, none may be asked for.
  PhotographOrder(std::span<const std::uint32_t> photographs, std::uint64_t seed);

  /// Factors on the weights of the photographs in all epochs; empty: 1. They are not saved. Call it
  /// before a step is asked for. They are above 0.
  void set_shares(std::vector<float> shares);
  /// Weights of the photographs in an epoch, from 0. Call it before a step of that epoch is asked
  /// for. Keeps the weights of two epochs. They are at least 0; their sum is above 0.
  void set_weights(std::uint64_t epoch, std::vector<float> weights);
  /// Windows of time of the photographs in an epoch, as set_weights(): the number of the window of
  /// each photograph. The steps of the epoch are then in visits of windows: random photographs of
  /// one window, at most kVisitSteps, then those of another one.
  void set_windows(std::uint64_t epoch, std::vector<std::uint32_t> windows);
  static constexpr std::size_t kVisitSteps = 100;
  std::size_t epoch_steps() const { return photographs_.size(); }
  /// The windows of an epoch, by photograph; empty: it has none.
  std::span<const std::uint32_t> windows(std::uint64_t epoch) const;
  std::uint64_t epoch_of(std::uint64_t step) const { return (step - 1) / photographs_.size(); }

  /// The photograph of step `step`, from 1.
  std::uint32_t at(std::uint64_t step);
  /// The photographs of the `count` steps from `step` on.
  std::vector<std::uint32_t> from(std::uint64_t step, std::size_t count);

  void save(ByteSink& sink) const;
  /// Throws Error for weights or windows of another number of photographs.
  void restore(ByteSource& source);

 private:
  const std::vector<std::uint32_t>& epoch(std::uint64_t number);

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Epoch {
    std::uint64_t number = kNone;
    std::vector<std::uint32_t> order;
  };
  struct Weights {
    std::uint64_t epoch = kNone;
    std::vector<float> values;
  };
  struct Windows {
    std::uint64_t epoch = kNone;
    std::vector<std::uint32_t> of_photographs;
  };
  std::vector<std::uint32_t> photographs_;
  std::uint64_t seed_;
  std::vector<float> shares_;  // empty: 1
  Weights weights_[2];         // indexed by the parity of the epoch
  Windows windows_[2];         // as well
  Epoch kept_[2];              // indexed by the parity of the epoch: the current and the next one
};

}  // namespace mote

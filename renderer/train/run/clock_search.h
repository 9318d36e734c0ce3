#pragma once

// A coarse search for the clocks of cameras, by whole frames of each camera. The gradient by the
// time of a photograph says on which side of it a moving object fits better, which it only knows
// while picture and photograph of the object overlap. So clocks that are off by more than about
// half a frame are not learned from 0. The search compares photographs with pictures of other
// times.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"
#include "train/run/run_options.h"

namespace mote {

/// The input of a search. References must outlive it.
struct ClockSearch {
  const Dataset& dataset;
  PhotoStore& photos;
  int frames = 1;                    // the largest offset, in frames of a camera; at least 1
  std::uint64_t seed = 0, step = 0;  // of the random choice of photographs
  std::array<float, 3> background{0, 0, 0};  // behind photographs with alpha
  /// The present time of a training photograph, s: offsets are relative to it.
  std::function<double(std::uint32_t photograph)> time_of;
  /// Renders a photograph's view with its exposure, at a level of its pyramid and at a time, s.
  std::function<void(std::uint32_t photograph, int level, double time_s, Frame& frame)> render;
  /// Gets the share of the search that is done, before each picture; may be empty, and may throw.
  std::function<void(double share)> progress = {};
};

/// The result of a search for the clock of one camera.
struct FoundClock {
  std::uint32_t camera = 0;  // in Dataset::camera_groups
  double frame_s = 0;        // time between its frames
  /// Frames from the present times of its photographs to the times at which pictures look like
  /// them; 0 if no other time is clearly better.
  int frames = 0;
  bool at_end = false;        // `frames` is the largest offset of the search: it may be more
  double change_s = 0;        // change of the camera's offset; set by Trainer::search_clocks()
  std::string left_out = {};  // why the camera was not searched, a phrase; empty: it was
};

/// Searches for the clocks of all cameras with training photographs. Up to eight photographs of a
/// camera, evenly spread over those from whose times the scene goes on for `frames` frames on both
/// sides, are compared with pictures of -frames to frames frames from their times, at most 320 px
/// long. A photograph's error is the sum of its absolute differences, times its mask, over the
/// pixels in which it differs from the camera's median over time, or over all of them where there
/// is no median (see CameraMedians). The offset with the least sum of errors is found if it is
/// clearly better than 0. Deterministic for any number of threads. Throws the errors of rendering,
/// and Error if a photograph cannot be read.
std::vector<FoundClock> find_clocks(const ClockSearch& search);

/// Throws Error if the options ask for a search for which no camera has enough photographs.
void check_clock_search(const LoopOptions& options, const Dataset& dataset);

}  // namespace mote

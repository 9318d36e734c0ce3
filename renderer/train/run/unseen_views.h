#pragma once

#include <vector>

#include "scene/dataset.h"

namespace mote {

/// Whether no training photograph has the moment, or the camera, of a photograph.
struct Unseen {
  bool moment = false;  // none is within a quarter of a frame of its time
  bool camera = false;  // none is by its camera
};

/// The training photographs of a scene that moves, to compare others with.
class SeenViews {
 public:
  explicit SeenViews(const Dataset& dataset);

  /// Nothing is unseen in a scene that stands still, and no camera in a dataset that does not name
  /// its cameras.
  Unseen unseen_in(const Photograph& photograph) const;
  /// Time between the frames of a photograph's camera, s; 0 if it is unknown.
  double frame_s(const Photograph& photograph) const;

 private:
  const Dataset& dataset_;
  std::vector<double> times_s_;  // ascending
  std::vector<bool> cameras_;    // by group: whether it has a training photograph
};

}  // namespace mote

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "synth/scene.h"

namespace mote::synth {

/// What a dataset shows, and how much of it.
struct DatasetPlan {
  int train_views = 40, test_views = 8;
  int width = 400, height = 300;  // px
  Lens lens;
  double exposure_jitter = 0;  // standard deviation of the training views' gain, in stops
  bool moving = false;         // a time of its own for every view
  std::uint32_t seed = 42;
};

struct DatasetView {
  std::string name;  // "r_007"
  bool is_test = false;
  Camera camera;
  double time = 0;      // 0 to 1
  double exposure = 1;  // gain on the light
};

/// Views around a scene, spread evenly over directions, test views among the others. Their times,
/// where things move, run through 0 to 1 in the order of the names. Every number of `seed` turns
/// and shakes them differently.
std::vector<DatasetView> dataset_views(const Scene& scene, const DatasetPlan& plan);

/// Throws UsageError where the lens cannot be: two directions that fall on one pixel, or none. Of
/// one that passes, undistort_from() finds each direction from where it lands.
void check_lens(const Lens& lens, const Camera& camera);

}  // namespace mote::synth

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "cameras/shutter_motion.h"
#include "synth/scene.h"

namespace mote::synth {

/// The content and the size of a dataset.
struct DatasetPlan {
  int train_views = 40, test_views = 8;
  int width = 400, height = 300;  // px
  Lens lens;
  double rolling_shutter_rad = 0;  // turn of the camera from the first row to the last
  double exposure_jitter = 0;      // standard deviation of the training views' gain, in stops
  bool moving = false;             // every view has its own time
  std::uint32_t seed = 42;
};

struct DatasetView {
  std::string name;  // "r_007"
  bool is_test = false;
  Camera camera;
  double time = 0;      // 0 to 1
  double exposure = 1;  // gain of the light
};

/// Views around a scene, or from inside of it, spread evenly over directions, with test views
/// between the others. In a moving scene their times run from 0 to 1 in the order of the names.
/// Each `seed` rotates and perturbs them differently. Throws UsageError for an unusable lens: two
/// directions map to one pixel, or a pixel has no direction.
std::vector<DatasetView> dataset_views(const Scene& scene, const DatasetPlan& plan);

/// Width and height of pictures, px.
struct PictureSize {
  int width, height;
};

/// A camera of this size and lens for the scene, without its pose. `zoom`: factor on the focal
/// length. Throws UsageError for an unusable lens.
Camera camera_with_lens(const Scene& scene, PictureSize size, const Lens& lens, double zoom = 1);

/// The poses of a moving camera at its first row and at its last.
struct ShutterPoses {
  CameraPose first, last;
};
ShutterPoses shutter_poses(const Camera& camera);

}  // namespace mote::synth

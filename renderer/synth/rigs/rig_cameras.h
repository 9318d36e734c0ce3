#pragma once

#include <cstdint>
#include <glm/mat3x3.hpp>
#include <glm/vec3.hpp>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"
#include "synth/scene.h"

namespace mote::synth {

enum class RigForm { arc, dome };

/// Several still cameras that film a moving scene.
struct RigPlan {
  RigForm form = RigForm::arc;
  int cameras = 20, frames = 60;
  double frames_per_second = 30;
  int width = 480, height = 360;  // px
  Lens lens;
  double clock_jitter = 0;  // largest offset of a camera's clock, in frames
  double color_jitter = 0;  // standard deviation of the entries of the colour matrices
  double lens_jitter = 0;   // standard deviation of the focal lengths' logarithm and of k1
  double noise = 0;         // standard deviation of display values, 0 to 1
  std::uint32_t seed = 42;
};

struct RigCamera {
  std::string name;  // "cam00"
  bool is_test = false;
  Camera camera;  // its lens is also in Camera::lens
  Lens lens;
  double clock_offset_s = 0;  // frame i shows the time i / frames_per_second + clock_offset_s
  /// Display-referred colours are seen as color_matrix * color + color_bias.
  glm::dmat3 color_matrix{1};
  glm::dvec3 color_bias{0};
};

/// The cameras of a rig. cam00, which is for testing, is in the middle of the others; its clock and
/// its colours are exact. The colour matrices of the others have the identity as their mean, and
/// their clock offsets 0. Throws UsageError for an unusable lens.
std::vector<RigCamera> rig_cameras(const Scene& scene, const RigPlan& plan);

}  // namespace mote::synth

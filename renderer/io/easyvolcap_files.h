#pragma once

#include <glm/mat3x3.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "cameras/lens.h"

namespace mote {

/// One camera in the files of EasyVolcap. The lens is a pinhole, or brown with five parameters.
struct EasyVolcapCamera {
  std::string name;
  Camera camera;
  Lens lens;
  std::optional<glm::dmat3> to_neutral_colors = {};  // from the colours of this camera
};

/// The text of intri.yml: names, rate and intrinsics. `frames_per_second`: 0 leaves it out.
std::string easyvolcap_intrinsics(const std::vector<EasyVolcapCamera>& cameras,
                                  double frames_per_second);
/// The text of extri.yml: names and poses.
std::string easyvolcap_extrinsics(const std::vector<EasyVolcapCamera>& cameras);

}  // namespace mote

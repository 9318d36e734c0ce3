#pragma once

#include <vector>

#include "cameras/camera.h"

namespace mote::garden {

/// Views of a person with a phone who walks around the table: at two to four metres distance,
/// above, level with it and below, all different. Named view_0000 and so on.
std::vector<View> make_views(int count, int width, int height);

}  // namespace mote::garden

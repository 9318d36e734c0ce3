#pragma once

#include <vector>

#include "cameras/camera.h"

namespace mote::garden {

/// Views about the table as somebody takes them who walks around it, phone in hand: from two to
/// four metres away, above, level with it and below, none like another. Named view_0000 and so on.
std::vector<View> make_views(int count, int width, int height);

}  // namespace mote::garden

#include "app/viewer/view/axis_cross.h"

#include <algorithm>

#include "app/viewer/session/settings.h"

namespace mote {

std::array<CrossEnd, 6> cross_ends(const glm::dmat3& cam_from_world) {
  std::array<CrossEnd, 6> ends;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CrossEnd& end = ends[i];
    end.axis = static_cast<int>(i / 2);
    end.positive = i % 2 == 0;
    const glm::dvec3 way = (end.positive ? 1.0 : -1.0) * cam_from_world[end.axis];
    end.place = {way.x, way.y};
    end.depth = way.z;
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const CrossEnd& a, const CrossEnd& b) { return a.depth > b.depth; });
  return ends;
}

std::string_view name_of(const CrossEnd& end) {
  return kAxisNames[static_cast<std::size_t>(2 * end.axis + (end.positive ? 0 : 1))];
}

}  // namespace mote

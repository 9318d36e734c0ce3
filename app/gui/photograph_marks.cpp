// Photographs inside the pyramids of their cameras, over the lines of the overlay.
#include <imgui.h>

#include <vector>

#include "app/gui/view_marks.h"
#include "app/viewer/view/frustum_photographs.h"

namespace mote::gui {

void draw_frustum_photographs(const PanelContext& context, const present::Rectangle& picture) {
  const ImVec2 low{static_cast<float>(picture.x), static_cast<float>(picture.y)};
  const ImVec2 high{low.x + static_cast<float>(picture.width),
                    low.y + static_cast<float>(picture.height)};
  std::vector<StandingPicture> standing;
  const PictureDepth depth(context.session);
  for (const FrustumPhotograph& one : frustum_photographs(context.session)) {
    const CameraSet& set = *context.session.find_cameras(one.mark.set);
    const std::shared_ptr<const Image8>& thumbnail = set.views[one.mark.index].thumbnail;
    if (thumbnail == nullptr) continue;
    StandingPicture& picture_there = standing.emplace_back();
    picture_there.picture = thumbnail;
    picture_there.opacity = static_cast<float>(one.opacity);
    picture_there.cells = visible_cells(depth, one);
    for (std::size_t i = 0; i < one.corners.size(); ++i) {
      const glm::vec3 corner(one.corners[i]);
      picture_there.corners[i] = {corner.x + low.x * corner.z, corner.y + low.y * corner.z,
                                  corner.z};
    }
  }
  if (standing.empty()) return;
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  draw->PushClipRect(low, high, true);
  context.pictures.stand(*draw, standing);
  draw->PopClipRect();
}

}  // namespace mote::gui

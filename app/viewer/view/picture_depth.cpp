#include "app/viewer/view/picture_depth.h"

#include <algorithm>

#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/photograph_view.h"

namespace mote {

PictureDepth::PictureDepth(const Session& session) {
  const FinishedFrame* frame = session.frame;
  if (frame == nullptr || frame->shared || frame->frame.depth_median.pixels.empty()) return;
  const bool of_this_view =
      frame->full_width == session.view.width && frame->full_height == session.view.height;
  if (!of_this_view || session.documents.empty()) return;
  depth_ = &frame->frame.depth_median;
  texels_per_px_ = glm::dvec2(depth_->width, depth_->height) /
                   glm::dvec2(session.view.width, session.view.height);
  before_ = frame->depth_before;
}

bool PictureDepth::hides(const glm::dvec2& px, double depth) const {
  constexpr double kUneven = 0.01;  // of the distance
  if (depth_ == nullptr) return false;
  const glm::dvec2 at = px * texels_per_px_;
  const int column = std::clamp(static_cast<int>(at.x), 0, depth_->width - 1);
  const int row = std::clamp(static_cast<int>(at.y), 0, depth_->height - 1);
  const auto surface = static_cast<double>(depth_->row(row)[column]);
  return surface > 0 && depth - before_ > (1 + kUneven) * (surface - before_);
}

bool marks_need_depth(const Session& session) {
  const ViewerSettings& settings = session.settings();
  if (comparing(session) || session.window.view_only) return false;
  if (settings.grid) return true;
  return settings.frustum_photographs && settings.frusta &&
         std::ranges::any_of(session.cameras, [&](const CameraSet& set) {
           return set.data && !is_hidden(session, set) && !shows_run_of(session, set);
         });
}

}  // namespace mote

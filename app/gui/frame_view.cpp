#include "app/gui/frame_view.h"

#include <algorithm>
#include <cmath>

namespace mote::gui {
namespace {

/// The largest rectangle of the picture's shape within the area.
present::Rectangle place_of(const FinishedFrame& frame, const present::Rectangle& area) {
  if (frame.full_width == area.width && frame.full_height == area.height) return area;
  const double scale = std::min(static_cast<double>(area.width) / frame.full_width,
                                static_cast<double>(area.height) / frame.full_height);
  present::Rectangle place;
  place.width = std::max(1, static_cast<int>(std::lround(scale * frame.full_width)));
  place.height = std::max(1, static_cast<int>(std::lround(scale * frame.full_height)));
  place.x = area.x + (area.width - place.width) / 2;
  place.y = area.y + (area.height - place.height) / 2;
  return place;
}

}  // namespace

bool FrameView::refresh(present::Presenter& presenter, const Session& session,
                        const present::Rectangle& area) {
  const FinishedFrame* frame = session.frame;
  if (frame == nullptr || area.width <= 0 || area.height <= 0) return false;
  const present::Rectangle place = place_of(*frame, area);
  const Shown wanted{frame->number, place.width, place.height};
  if (wanted == shown_) return false;
  presenter.set_image(present::ImageSlot::first, frame->picture(),
                      {.format = present::TexelFormat::color8,
                       .view_width = place.width,
                       .view_height = place.height});
  shown_ = wanted;
  return true;
}

void FrameView::describe(present::DrawRequest& request, const Session& session,
                         const present::Rectangle& area) const {
  request.view = area;
  if (session.frame != nullptr) request.view = place_of(*session.frame, area);
  std::ranges::transform(session.settings().background, request.clear_color.begin(),
                         [](double value) { return static_cast<float>(value); });
}

}  // namespace mote::gui

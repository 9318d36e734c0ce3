#include "app/gui/frame_view.h"

#include <algorithm>
#include <cmath>

#include "app/viewer/view/display.h"
#include "present/vulkan_error.h"

namespace mote::gui {
namespace {

/// Whether there is a picture; without open documents the window has none.
bool shows_picture(const Session& session) {
  return session.frame != nullptr && !(session.documents.empty() && session.cameras.empty());
}

present::Rectangle place_of(const Session& session, const present::Rectangle& area) {
  const FinishedFrame& frame = *session.frame;
  const PicturePlace wanted = picture_place(session);
  present::Rectangle place{wanted.x, wanted.y, wanted.width, wanted.height};
  if (frame.full_width != wanted.width || frame.full_height != wanted.height) {
    const double scale = std::min(static_cast<double>(area.width) / frame.full_width,
                                  static_cast<double>(area.height) / frame.full_height);
    place.width = std::max(1, static_cast<int>(std::lround(scale * frame.full_width)));
    place.height = std::max(1, static_cast<int>(std::lround(scale * frame.full_height)));
    place.x = (area.width - place.width) / 2;
    place.y = (area.height - place.height) / 2;
  }
  place.x += area.x;
  place.y += area.y;
  return place;
}

bool is_graded(const present::DisplayOptions& options) {
  return options.exposure_ev != 0 || options.tone != present::ToneCurve::none;
}

}  // namespace

void FrameView::note_drawn(const present::Presenter& presenter, const Session& session) {
  const FinishedFrame* frame = session.frame;
  if (frame == nullptr || !frame->shared || frame->sharing != sharing_number_) return;
  if (presenter.last_read() == frame->shared->number) {
    sharing_->note_read(sharing_number_, *frame->shared);
  }
}

void FrameView::forget() {
  shown_ = {};
  compared_.reset();
  place_width_ = place_height_ = 0;
  if (sharing_ != nullptr) sharing_number_ = sharing_->offer(std::nullopt);
}

void FrameView::share(present::Presenter& presenter, const present::Rectangle& area) {
  if (sharing_ == nullptr || (area.width <= place_width_ && area.height <= place_height_)) return;
  // Rounds up, since a border being dragged outwards needs more in every frame.
  constexpr int kStep = 256;
  const auto rounded_up = [](int px) { return (px + kStep) / kStep * kStep; };
  place_width_ = std::max(place_width_, rounded_up(area.width));
  place_height_ = std::max(place_height_, rounded_up(area.height));
  try {
    sharing_number_ = sharing_->offer(
        presenter.share_pictures(PictureSharing::kPlaces, place_width_, place_height_));
  } catch (const present::DeviceLost&) {
    throw;
  } catch (const Error& error) {
    sharing_->note_fault(error);
    sharing_->offer(std::nullopt);
    sharing_ = nullptr;
  }
}

void FrameView::refresh(present::Presenter& presenter, const Session& session,
                        const present::Rectangle& area) {
  share(presenter, area);
  if (!shows_picture(session)) {
    if (shown_ != Shown{}) presenter.clear_image(present::ImageSlot::first);
    shown_ = {};
    return;
  }
  const present::Rectangle place = place_of(session, area);
  const present::DisplayOptions display = display_options(session);
  const Shown wanted{
      .frame = session.frame->number,
      .width = place.width,
      .height = place.height,
      .upscale = display.upscale,
      .format = is_graded(display) ? present::TexelFormat::color16 : present::TexelFormat::color8,
      .with_alpha = display_alpha(session) != nullptr};
  if (wanted != shown_) refresh_first(presenter, session, wanted);
  refresh_second(presenter, session);
}

void FrameView::refresh_first(present::Presenter& presenter, const Session& session,
                              const Shown& wanted) {
  const FinishedFrame& frame = *session.frame;
  if (frame.shared) {
    // Other display options keep the same picture. A picture of an earlier sharing is lost.
    if (frame.number == shown_.frame || frame.sharing != sharing_number_) return;
    presenter.set_image(*frame.shared);
  } else {
    presenter.set_image(present::ImageSlot::first, frame.picture(),
                        {.alpha = display_alpha(session),
                         .format = wanted.format,
                         .view_width = wanted.width,
                         .view_height = wanted.height,
                         .upscale = wanted.upscale});
  }
  shown_ = wanted;
}

void FrameView::refresh_second(present::Presenter& presenter, const Session& session) {
  std::shared_ptr<const Image8> wanted = compared_picture(session);
  if (wanted == compared_) return;
  if (wanted) {
    presenter.set_image(present::ImageSlot::second, *wanted);
  } else {
    presenter.clear_image(present::ImageSlot::second);
  }
  compared_ = std::move(wanted);
}

void FrameView::describe(present::DrawRequest& request, const Session& session,
                         const present::Rectangle& area) const {
  request.view = area;
  if (!shows_picture(session)) return;
  request.view = place_of(session, area);
  request.display = display_options(session);
}

}  // namespace mote::gui

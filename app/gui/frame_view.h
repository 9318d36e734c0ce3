#pragma once

#include <cstdint>
#include <memory>

#include "app/viewer/session/session.h"
#include "present/presenter.h"

namespace mote::gui {

/// Shows the session's newest picture, and the picture it is compared with, in the view's part of
/// the window.
class FrameView {
 public:
  /// `sharing`: null if pictures go through the host.
  explicit FrameView(PictureSharing* sharing) : sharing_(sharing) {}

  /// Passes new pictures, or changed display options, to the presenter.
  void refresh(present::Presenter& presenter, const Session& session,
               const present::Rectangle& area);
  /// Sets how the pictures are shown in the area, framebuffer px. A picture of an old size is not
  /// distorted.
  void describe(present::DrawRequest& request, const Session& session,
                const present::Rectangle& area) const;
  /// Called after the presenter has drawn the pictures of refresh().
  void note_drawn(const present::Presenter& presenter, const Session& session);
  /// Called before the presenter is replaced.
  void forget();

 private:
  /// The picture that the presenter holds.
  struct Shown {
    std::uint64_t frame = 0;  // 0: nothing
    int width = 0, height = 0;
    present::Upscale upscale = {};
    present::TexelFormat format = {};
    bool with_alpha = false;
    bool operator==(const Shown&) const = default;
  };
  void refresh_first(present::Presenter& presenter, const Session& session, const Shown& wanted);
  void refresh_second(present::Presenter& presenter, const Session& session);
  /// Offers places large enough for the area, if pictures can be shared.
  void share(present::Presenter& presenter, const present::Rectangle& area);

  PictureSharing* sharing_;
  std::uint64_t sharing_number_ = 0;        // 0: no offer yet
  int place_width_ = 0, place_height_ = 0;  // size of the offered places, px
  Shown shown_;
  std::shared_ptr<const Image8> compared_;
};

}  // namespace mote::gui

#pragma once

#include <cstdint>
#include <memory>

#include "app/viewer/session.h"
#include "present/presenter.h"

namespace mote::gui {

/// The session's newest picture in its part of the window, and what it is compared with.
class FrameView {
 public:
  /// `sharing`: null where pictures go over the host.
  explicit FrameView(PictureSharing* sharing) : sharing_(sharing) {}

  /// Gives the presenter the pictures where they are others, or shall be shown in another way.
  void refresh(present::Presenter& presenter, const Session& session,
               const present::Rectangle& area);
  /// How they are to be shown in the area, framebuffer px; not distorted while a picture is still
  /// of another size.
  void describe(present::DrawRequest& request, const Session& session,
                const present::Rectangle& area) const;
  /// To be called when the presenter has drawn what refresh() gave it.
  void note_drawn(const present::Presenter& presenter, const Session& session);
  /// The presenter is going to be another one.
  void forget();

 private:
  /// What the presenter has.
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
  /// Offers places that are large enough for the area, where pictures need not go over the host.
  void share(present::Presenter& presenter, const present::Rectangle& area);

  PictureSharing* sharing_;
  std::uint64_t sharing_number_ = 0;        // 0: nothing was offered
  int place_width_ = 0, place_height_ = 0;  // px, of what is offered
  Shown shown_;
  std::shared_ptr<const Image8> compared_;
};

}  // namespace mote::gui

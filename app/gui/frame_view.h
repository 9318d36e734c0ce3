#pragma once

#include <cstdint>
#include <memory>

#include "app/viewer/session.h"
#include "present/presenter.h"

namespace mote::gui {

/// The session's newest picture in its part of the window, and what it is compared with.
class FrameView {
 public:
  /// Gives the presenter the pictures where they are others, or shall be shown in another way.
  void refresh(present::Presenter& presenter, const Session& session,
               const present::Rectangle& area);
  /// How they are to be shown in the area, framebuffer px; not distorted while a picture is still
  /// of another size.
  void describe(present::DrawRequest& request, const Session& session,
                const present::Rectangle& area) const;
  /// The presenter is another one.
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
  void refresh_second(present::Presenter& presenter, const Session& session);

  Shown shown_;
  std::shared_ptr<const Image8> compared_;
};

}  // namespace mote::gui

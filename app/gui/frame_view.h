#pragma once

#include <cstdint>

#include "app/viewer/session.h"
#include "present/presenter.h"

namespace mote::gui {

/// The session's newest picture in its part of the window.
class FrameView {
 public:
  /// Gives the presenter the picture where that is another one, or the view has another size than
  /// it was prepared for. True where the view then shows something else.
  bool refresh(present::Presenter& presenter, const Session& session,
               const present::Rectangle& area);
  /// How the picture is to be shown, and where: not distorted while it has still another size.
  void describe(present::DrawRequest& request, const Session& session,
                const present::Rectangle& area) const;
  /// The presenter is another one.
  void forget() { shown_ = {}; }

 private:
  /// What the presenter has.
  struct Shown {
    std::uint64_t frame = 0;
    int width = 0, height = 0;  // px, that it was prepared for
    bool operator==(const Shown&) const = default;
  };
  Shown shown_;
};

}  // namespace mote::gui

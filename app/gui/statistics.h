#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "app/gui/panel.h"
#include "present/display_pass.h"

namespace mote::gui {

/// The overlay with frame times at the view's upper right.
class Statistics {
 public:
  /// `last`: costs of the previous frame of the window.
  void draw(const PanelContext& context, const present::Rectangle& view, const WindowCosts& last);

 private:
  void record(const FinishedFrame& frame);
  void draw_graph(const PanelContext& context) const;

  static constexpr std::size_t kKept = 120;
  std::array<float, kKept> times_ms_{};  // ring buffer of rendered frames
  std::size_t next_ = 0;
  std::uint64_t last_frame_ = 0;
  double last_finished_s_ = 0, interval_s_ = 0;  // smoothed
};

}  // namespace mote::gui

#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

namespace mote::gui {

/// What ImGui has laid out for a frame, in two: the parts of the window that stand around the view,
/// and what lies over them and over it.
class GuiLayers {
 public:
  /// Of the frame that ImGui::Render() ended. Lists with pictures and other callbacks lie over,
  /// since what these draw may change without the list.
  void take(const ImDrawData& frame);

  /// For ImGui's renderers. Valid until the next frame is begun.
  ImDrawData& around() { return around_.data; }
  ImDrawData& over() { return over_.data; }
  /// Another one where what stands around looks different.
  std::uint64_t around_version() const { return version_; }

 private:
  struct Layer {
    std::vector<ImDrawList*> lists;
    ImDrawData data;
  };
  static void fill(Layer& layer, const ImDrawData& frame);

  Layer around_, over_;
  std::uint64_t version_ = 0;
};

}  // namespace mote::gui

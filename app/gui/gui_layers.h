#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

namespace mote::gui {

/// Splits ImGui's draw data of a frame into two layers: the fixed parts around the view, and
/// everything on top of them and of the view.
class GuiLayers {
 public:
  /// Takes the data of ImGui::Render(). Lists with callbacks, such as pictures, go into the upper
  /// layer, since their result may change without the list.
  void take(const ImDrawData& frame);

  /// Draw data for ImGui's renderers, valid until the next frame begins.
  ImDrawData& around() { return around_.data; }
  ImDrawData& over() { return over_.data; }
  /// Changes whenever the layer around the view looks different.
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

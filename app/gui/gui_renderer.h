#pragma once

#include "app/gui/gui_layers.h"
#include "present/presenter.h"

namespace mote::gui {

/// Draws what ImGui has laid out, by ImGui's own renderer for Vulkan. The context must live longer,
/// and its fonts must stay as they are.
class GuiRenderer {
 public:
  /// Throws Error.
  explicit GuiRenderer(const present::Presenter& presenter);
  ~GuiRenderer();
  GuiRenderer(const GuiRenderer&) = delete;
  GuiRenderer& operator=(const GuiRenderer&) = delete;

  /// For DrawRequest's `around` and `gui`: a layer of what ImGui::Render() left.
  void record(ImDrawData& layer, VkCommandBuffer commands) const;

 private:
  const present::Device& device_;
  present::DescriptorPool pool_;
};

}  // namespace mote::gui

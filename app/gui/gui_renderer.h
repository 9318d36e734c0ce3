#pragma once

#include "app/gui/gui_layers.h"
#include "present/presenter.h"

namespace mote::gui {

/// Draws ImGui's draw data with ImGui's Vulkan renderer. The ImGui context must outlive it, and its
/// fonts must not change.
class GuiRenderer {
 public:
  /// Throws Error.
  explicit GuiRenderer(const present::Presenter& presenter);
  ~GuiRenderer();
  GuiRenderer(const GuiRenderer&) = delete;
  GuiRenderer& operator=(const GuiRenderer&) = delete;

  /// Records one layer of ImGui::Render() for DrawRequest's `around` or `gui`.
  void record(ImDrawData& layer, VkCommandBuffer commands) const;

 private:
  const present::Device& device_;
  present::DescriptorPool pool_;
};

}  // namespace mote::gui

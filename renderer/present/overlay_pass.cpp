#include "present/overlay_pass.h"

#include <algorithm>
#include <cstddef>

#include "present/shader_code.h"

namespace mote::present {
namespace {

constexpr std::size_t kLeastStrokes = 1024;  // initial capacity

constexpr VkVertexInputAttributeDescription kAttributes[] = {
    {0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(OverlayStroke, from)},
    {1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(OverlayStroke, to)},
    {2, 0, VK_FORMAT_R32_SFLOAT, offsetof(OverlayStroke, width_px)},
    {3, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(OverlayStroke, color)},
};

}  // namespace

OverlayPass::OverlayPass(const Device& device, VkRenderPass render_pass)
    : device_(device),
      layout_(make_pipeline_layout(device, VK_NULL_HANDLE, VK_SHADER_STAGE_VERTEX_BIT,
                                   2 * sizeof(float))),
      pipeline_(make_pipeline(device, {.vertex_code = kOverlayVertexCode,
                                       .fragment_code = kOverlayFragmentCode,
                                       .attributes = kAttributes,
                                       .instance_bytes = sizeof(OverlayStroke),
                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                       .blends = true,
                                       .layout = layout_.get(),
                                       .render_pass = render_pass,
                                       .name = "overlay"})) {}

void OverlayPass::record(VkCommandBuffer commands, const Rectangle& view, VkExtent2D target,
                         std::span<const OverlayStroke> strokes, std::size_t slot) {
  if (strokes.empty() || !set_view(commands, view, target)) return;
  MappedBuffer& buffer = strokes_[slot];
  if (buffer.bytes() < strokes.size_bytes()) {
    const std::size_t capacity = std::max(kLeastStrokes, strokes.size() + strokes.size() / 2);
    buffer = {};  // freed before the new one is allocated
    buffer = MappedBuffer(device_, capacity * sizeof(OverlayStroke),
                          VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, "overlay");
  }
  std::ranges::copy(std::as_bytes(strokes), buffer.data());
  const float clip_per_px[2] = {2.0f / static_cast<float>(view.width),
                                2.0f / static_cast<float>(view.height)};
  const VkBuffer vertices = buffer.get();
  const VkDeviceSize start = 0;
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.get());
  vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(clip_per_px),
                     clip_per_px);
  vkCmdBindVertexBuffers(commands, 0, 1, &vertices, &start);
  vkCmdDraw(commands, 4, static_cast<std::uint32_t>(strokes.size()), 0, 0);
}

}  // namespace mote::present

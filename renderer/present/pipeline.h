#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// What the pipelines of Mote differ in. Everything else is alike: one colour attachment, no depth,
/// viewport and scissor set when drawing.
struct PipelineSpec {
  std::span<const std::uint32_t> vertex_code{}, fragment_code{};  // SPIR-V
  const VkSpecializationInfo* fragment_constants = nullptr;
  std::span<const VkVertexInputAttributeDescription>
      attributes{};  // of one instance; location order
  std::uint32_t instance_bytes = 0;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool blends = false;  // over what is there, by the fragment's alpha
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkRenderPass render_pass = VK_NULL_HANDLE;  // of the format that is drawn on
  const char* name = "";
};

/// Throws Error where the driver refuses.
Pipeline make_pipeline(const Device& device, const PipelineSpec& spec);

/// `push_bytes` of push constants for the stages; `set` may be null.
PipelineLayout make_pipeline_layout(const Device& device, VkDescriptorSetLayout set,
                                    VkShaderStageFlags stages, std::uint32_t push_bytes);

/// Holds on to the edge outside of the image. Throws Error.
Sampler make_sampler(const Device& device, VkFilter filter);

}  // namespace mote::present

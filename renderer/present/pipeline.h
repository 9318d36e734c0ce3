#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// The properties in which Mote's pipelines differ. All have one colour attachment, no depth, and
/// dynamic viewport and scissor.
struct PipelineSpec {
  std::span<const std::uint32_t> vertex_code{}, fragment_code{};  // SPIR-V
  const VkSpecializationInfo* fragment_constants = nullptr;
  std::span<const VkVertexInputAttributeDescription>
      attributes{};  // per instance, in location order
  std::uint32_t instance_bytes = 0;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool blends = false;  // blended by the fragment's alpha
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkRenderPass render_pass = VK_NULL_HANDLE;  // for the format of the target
  const char* name = "";
};

/// Throws Error where the driver refuses.
Pipeline make_pipeline(const Device& device, const PipelineSpec& spec);

/// Has `push_bytes` of push constants for the stages; `set` may be null.
PipelineLayout make_pipeline_layout(const Device& device, VkDescriptorSetLayout set,
                                    VkShaderStageFlags stages, std::uint32_t push_bytes);

/// Clamps to the edge outside the image. Throws Error.
Sampler make_sampler(const Device& device, VkFilter filter);

}  // namespace mote::present

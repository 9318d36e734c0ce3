#include "present/pipeline.h"

#include "present/handle.h"

namespace mote::present {
namespace {

ShaderModule make_module(const Device& device, std::span<const std::uint32_t> code) {
  auto info = structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = code.size_bytes();
  info.pCode = code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  device.check(vkCreateShaderModule(device.handle(), &info, nullptr, &module), "load a shader");
  return {device.handle(), module};
}

VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits which, const ShaderModule& module,
                                      const VkSpecializationInfo* constants) {
  auto info = structure<VkPipelineShaderStageCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage = which;
  info.module = module.get();
  info.pName = "main";
  info.pSpecializationInfo = constants;
  return info;
}

VkPipelineColorBlendAttachmentState blending(bool blends) {
  VkPipelineColorBlendAttachmentState state{};
  state.colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                         VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  state.blendEnable = blends ? VK_TRUE : VK_FALSE;
  state.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  state.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  state.colorBlendOp = VK_BLEND_OP_ADD;
  state.srcAlphaBlendFactor = VK_BLEND_FACTOR_ZERO;
  state.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  state.alphaBlendOp = VK_BLEND_OP_ADD;
  return state;
}

/// The states that all pipelines share.
struct CommonStates {
  VkPipelineViewportStateCreateInfo viewport = structure<VkPipelineViewportStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  VkPipelineRasterizationStateCreateInfo rasterization =
      structure<VkPipelineRasterizationStateCreateInfo>(
          VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  VkPipelineMultisampleStateCreateInfo samples = structure<VkPipelineMultisampleStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  VkDynamicState set_when_drawing[2] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic = structure<VkPipelineDynamicStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);

  CommonStates() {
    viewport.viewportCount = 1;
    viewport.scissorCount = 1;
    rasterization.polygonMode = VK_POLYGON_MODE_FILL;
    rasterization.cullMode = VK_CULL_MODE_NONE;
    rasterization.lineWidth = 1;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = set_when_drawing;
  }
  CommonStates(const CommonStates&) = delete;
  CommonStates& operator=(const CommonStates&) = delete;
};

}  // namespace

Pipeline make_pipeline(const Device& device, const PipelineSpec& spec) {
  const ShaderModule vertex = make_module(device, spec.vertex_code);
  const ShaderModule fragment = make_module(device, spec.fragment_code);
  const VkPipelineShaderStageCreateInfo stages[] = {
      stage(VK_SHADER_STAGE_VERTEX_BIT, vertex, nullptr),
      stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment, spec.fragment_constants)};
  const VkVertexInputBindingDescription binding{0, spec.instance_bytes,
                                                VK_VERTEX_INPUT_RATE_INSTANCE};
  auto input = structure<VkPipelineVertexInputStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  input.vertexBindingDescriptionCount = spec.attributes.empty() ? 0 : 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = static_cast<std::uint32_t>(spec.attributes.size());
  input.pVertexAttributeDescriptions = spec.attributes.data();
  auto assembly = structure<VkPipelineInputAssemblyStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = spec.topology;
  const VkPipelineColorBlendAttachmentState attachment = blending(spec.blends);
  auto blend = structure<VkPipelineColorBlendStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  const CommonStates common;
  auto info =
      structure<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &common.viewport;
  info.pRasterizationState = &common.rasterization;
  info.pMultisampleState = &common.samples;
  info.pColorBlendState = &blend;
  info.pDynamicState = &common.dynamic;
  info.layout = spec.layout;
  info.renderPass = spec.render_pass;
  VkPipeline pipeline = VK_NULL_HANDLE;
  device.check(vkCreateGraphicsPipelines(device.handle(), device.pipeline_cache(), 1, &info,
                                         nullptr, &pipeline),
               "make a pipeline");
  device.note_pipeline();
  device.set_name(VK_OBJECT_TYPE_PIPELINE, pipeline, spec.name);
  return {device.handle(), pipeline};
}

PipelineLayout make_pipeline_layout(const Device& device, VkDescriptorSetLayout set,
                                    VkShaderStageFlags stages, std::uint32_t push_bytes) {
  const VkPushConstantRange range{stages, 0, push_bytes};
  auto info = structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = set != VK_NULL_HANDLE ? 1 : 0;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  device.check(vkCreatePipelineLayout(device.handle(), &info, nullptr, &layout),
               "make a pipeline layout");
  return {device.handle(), layout};
}

Sampler make_sampler(const Device& device, VkFilter filter) {
  auto info = structure<VkSamplerCreateInfo>(VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO);
  info.magFilter = filter;
  info.minFilter = filter;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler = VK_NULL_HANDLE;
  device.check(vkCreateSampler(device.handle(), &info, nullptr, &sampler), "make a sampler");
  return {device.handle(), sampler};
}

}  // namespace mote::present

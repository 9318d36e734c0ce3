#include "present/target.h"

#include "present/handle.h"

namespace mote::present {

namespace {

RenderPass make_render_pass(const Device& device, VkFormat format, bool clears,
                            VkImageLayout final_layout) {
  VkAttachmentDescription attachment{};
  attachment.format = format;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = clears ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
  attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  attachment.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  attachment.initialLayout =
      clears ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  attachment.finalLayout = final_layout;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  // When the pass begins, the image may still be read by the window system (until `ready`) or by a
  // copy to the CPU. It may be copied when the pass ends.
  const VkSubpassDependency dependencies[] = {
      {VK_SUBPASS_EXTERNAL, 0,
       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT, 0},
      {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
       VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT, 0}};
  auto info = structure<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  info.attachmentCount = 1;
  info.pAttachments = &attachment;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = 2;
  info.pDependencies = dependencies;
  VkRenderPass pass = VK_NULL_HANDLE;
  device.check(vkCreateRenderPass(device.handle(), &info, nullptr, &pass), "make a render pass");
  return {device.handle(), pass};
}

}  // namespace

RenderPasses make_render_passes(const Device& device, VkFormat format, VkImageLayout final_layout) {
  return {make_render_pass(device, format, true, final_layout),
          make_render_pass(device, format, false, final_layout)};
}

Framebuffer make_framebuffer(const Device& device, VkRenderPass render_pass, VkImageView view,
                             VkExtent2D extent) {
  auto info = structure<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
  info.renderPass = render_pass;
  info.attachmentCount = 1;
  info.pAttachments = &view;
  info.width = extent.width;
  info.height = extent.height;
  info.layers = 1;
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  device.check(vkCreateFramebuffer(device.handle(), &info, nullptr, &framebuffer),
               "make a framebuffer");
  return {device.handle(), framebuffer};
}

Semaphore make_semaphore(const Device& device) {
  const auto info = structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  VkSemaphore semaphore = VK_NULL_HANDLE;
  device.check(vkCreateSemaphore(device.handle(), &info, nullptr, &semaphore), "make a semaphore");
  return {device.handle(), semaphore};
}

}  // namespace mote::present

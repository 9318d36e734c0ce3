#include "present/picture_pass.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "present/handle.h"
#include "present/one_shot.h"
#include "present/shader_code.h"
#include "present/texels.h"

namespace mote::present {
namespace {

DescriptorSetLayout make_picture_set_layout(const Device& device, VkSampler sampler) {
  VkDescriptorSetLayoutBinding binding{};
  binding.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  binding.descriptorCount = 1;
  binding.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
  binding.pImmutableSamplers = &sampler;
  auto info = structure<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = 1;
  info.pBindings = &binding;
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  device.check(vkCreateDescriptorSetLayout(device.handle(), &info, nullptr, &layout),
               "make a descriptor set layout");
  return {device.handle(), layout};
}

DescriptorPool make_picture_pool(const Device& device) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, PicturePass::kMost};
  auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = PicturePass::kMost;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  device.check(vkCreateDescriptorPool(device.handle(), &info, nullptr, &pool),
               "make a descriptor pool");
  return {device.handle(), pool};
}

constexpr VkShaderStageFlags kPushStages =
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

/// The push constants of picture.vert and picture.frag.
struct PicturePush {
  std::array<std::array<float, 4>, 4> corners;  // in clip space
  PictureCells::Bits cells;
  float opacity;
};

void copy_texels(const Device& device, const Image8& picture, const DeviceImage& image) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(picture.width) * texel_bytes(TexelFormat::color8);
  const MappedBuffer staging(device, row_bytes * static_cast<std::size_t>(picture.height),
                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "picture on its way");
  write_texels(picture, {.first = staging.data(), .row_bytes = row_bytes});
  run_once(device, [&](VkCommandBuffer commands) {
    constexpr ImageUse kCopiedTo{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_PIPELINE_STAGE_2_COPY_BIT,
                                 VK_ACCESS_2_TRANSFER_WRITE_BIT};
    record_transition(commands, image.get(), {}, kCopiedTo);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {static_cast<std::uint32_t>(picture.width),
                          static_cast<std::uint32_t>(picture.height), 1};
    vkCmdCopyBufferToImage(commands, staging.get(), image.get(), kCopiedTo.layout, 1, &region);
    record_transition(
        commands, image.get(), kCopiedTo,
        {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
         VK_ACCESS_2_SHADER_SAMPLED_READ_BIT});
  });
}

}  // namespace

PicturePass::PicturePass(const Device& device, VkRenderPass render_pass)
    : device_(device),
      sampler_(make_sampler(device, VK_FILTER_LINEAR)),
      set_layout_(make_picture_set_layout(device, sampler_.get())),
      pool_(make_picture_pool(device)),
      layout_(make_pipeline_layout(device, set_layout_.get(), kPushStages, sizeof(PicturePush))),
      pipeline_(make_pipeline(device, {.vertex_code = kPictureVertexCode,
                                       .fragment_code = kPictureFragmentCode,
                                       .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                       .blends = true,
                                       .layout = layout_.get(),
                                       .render_pass = render_pass,
                                       .name = "picture"})),
      pictures_(kMost),
      free_(kMost) {
  std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
}

void PicturePass::write_set(Picture& picture) const {
  if (picture.set == VK_NULL_HANDLE) {
    const VkDescriptorSetLayout layout = set_layout_.get();
    auto info =
        structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    info.descriptorPool = pool_.get();
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout;
    device_.check(vkAllocateDescriptorSets(device_.handle(), &info, &picture.set),
                  "make a descriptor set");
  }
  const VkDescriptorImageInfo image{VK_NULL_HANDLE, picture.image.view(),
                                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = picture.set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = &image;
  vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
}

std::size_t PicturePass::add(const Image8& picture) {
  CHECK(!full());
  DeviceImage image(device_, {.width = picture.width,
                              .height = picture.height,
                              .format = VK_FORMAT_R8G8B8A8_UNORM,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                              .name = "picture"});
  copy_texels(device_, picture, image);
  const std::size_t place = free_.back();
  pictures_[place].image = std::move(image);
  write_set(pictures_[place]);
  free_.pop_back();
  return place;
}

void PicturePass::remove(std::size_t place) {
  pictures_[place].image = {};
  free_.push_back(place);
}

void PicturePass::record(VkCommandBuffer commands, std::size_t place,
                         const PicturePlace& where) const {
  const auto down = [](float value) { return static_cast<std::int32_t>(std::floor(value)); };
  const std::int32_t left = down(std::clamp(where.clip_from[0], 0.0f, where.target[0]));
  const std::int32_t top = down(std::clamp(where.clip_from[1], 0.0f, where.target[1]));
  const std::int32_t right = down(std::clamp(where.clip_to[0], 0.0f, where.target[0]));
  const std::int32_t bottom = down(std::clamp(where.clip_to[1], 0.0f, where.target[1]));
  if (right <= left || bottom <= top) return;
  const VkViewport viewport{0, 0, where.target[0], where.target[1], 0, 1};
  const VkRect2D scissor{
      {left, top},
      {static_cast<std::uint32_t>(right - left), static_cast<std::uint32_t>(bottom - top)}};
  PicturePush push{.corners = {}, .cells = where.cells.bits(), .opacity = where.opacity};
  for (std::size_t i = 0; i < push.corners.size(); ++i) {
    const auto& [x, y, w] = where.corners[i];
    push.corners[i] = {2 * x / where.target[0] - w, 2 * y / where.target[1] - w, 0, w};
  }
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &scissor);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.get());
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1,
                          &pictures_[place].set, 0, nullptr);
  vkCmdPushConstants(commands, layout_.get(), kPushStages, 0, sizeof(push), &push);
  vkCmdDraw(commands, 4, 1, 0, 0);
}

}  // namespace mote::present

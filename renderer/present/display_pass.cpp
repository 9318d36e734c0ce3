#include "present/display_pass.h"

#include <algorithm>
#include <cmath>

#include "present/handle.h"
#include "present/shader_code.h"

namespace mote::present {
namespace {

constexpr std::uint32_t kImages = 2;

/// Must match shaders/display.frag.
struct Push {
  float view_origin[2];
  float split_px;
  float difference_gain;
  float first_texels_per_px[2];
  float second_texels_per_px[2];
  float exposure;
  float checker_px;
  std::int32_t metric;
  alignas(16) float rendered_background[4];
  float backdrop_color[4];
};
static_assert(sizeof(Push) == 80);

DescriptorSetLayout make_set_layout(const Device& device, VkSampler sampler) {
  VkDescriptorSetLayoutBinding bindings[kImages]{};
  for (std::uint32_t i = 0; i < kImages; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
    bindings[i].pImmutableSamplers = &sampler;
  }
  auto info = structure<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  info.bindingCount = kImages;
  info.pBindings = bindings;
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  device.check(vkCreateDescriptorSetLayout(device.handle(), &info, nullptr, &layout),
               "make a descriptor set layout");
  return {device.handle(), layout};
}

DescriptorPool make_pool(const Device& device) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                  kImages * kFramesInFlight};
  auto info = structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = kFramesInFlight;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  device.check(vkCreateDescriptorPool(device.handle(), &info, nullptr, &pool),
               "make a descriptor pool");
  return {device.handle(), pool};
}

std::array<float, 2> texels_per_px(const ImageRing& image, const Rectangle& view) {
  if (!image.has_image()) return {1, 1};
  return {static_cast<float>(image.width()) / static_cast<float>(view.width),
          static_cast<float>(image.height()) / static_cast<float>(view.height)};
}

std::int32_t upscale_for(const ImageRing& image, const Rectangle& view, Upscale upscale) {
  const bool same_size = image.width() == view.width && image.height() == view.height;
  return static_cast<std::int32_t>(same_size ? Upscale::nearest : upscale);
}

bool is_graded(const DisplayOptions& options) {
  return options.exposure_ev != 0 || options.tone != ToneCurve::none || options.is_linear;
}

bool shows_second_now(const DisplayOptions& options, double time_s) {
  const double interval = std::max(options.flicker_interval_s, 1e-3);
  return std::fmod(std::floor(time_s / interval), 2.0) != 0;
}

Push push_for(const DisplayPass::Job& job, const ImageRing& first, const ImageRing& second) {
  const DisplayOptions& options = job.options;
  Push push{};
  push.view_origin[0] = static_cast<float>(job.view.x);
  push.view_origin[1] = static_cast<float>(job.view.y);
  push.split_px = options.split * static_cast<float>(job.view.width);
  push.difference_gain = options.difference_gain;
  std::ranges::copy(texels_per_px(first, job.view), push.first_texels_per_px);
  std::ranges::copy(texels_per_px(second, job.view), push.second_texels_per_px);
  push.exposure = std::exp2(options.exposure_ev);
  push.checker_px = std::max(options.checker_px, 1.0f);
  push.metric = static_cast<std::int32_t>(options.metric);
  std::ranges::copy(options.rendered_background, push.rendered_background);
  std::ranges::copy(options.backdrop_color, push.backdrop_color);
  return push;
}

}  // namespace

bool set_view(VkCommandBuffer commands, const Rectangle& view, VkExtent2D target) {
  const int left = std::max(view.x, 0), top = std::max(view.y, 0);
  const int right = std::min(view.x + view.width, static_cast<int>(target.width));
  const int bottom = std::min(view.y + view.height, static_cast<int>(target.height));
  if (left >= right || top >= bottom) return false;
  const VkViewport viewport{static_cast<float>(view.x),
                            static_cast<float>(view.y),
                            static_cast<float>(view.width),
                            static_cast<float>(view.height),
                            0,
                            1};
  const VkRect2D scissor{
      {left, top},
      {static_cast<std::uint32_t>(right - left), static_cast<std::uint32_t>(bottom - top)}};
  vkCmdSetViewport(commands, 0, 1, &viewport);
  vkCmdSetScissor(commands, 0, 1, &scissor);
  return true;
}

DisplayPass::DisplayPass(const Device& device, VkRenderPass render_pass, Background background)
    : device_(device),
      render_pass_(render_pass),
      sampler_(make_sampler(device, VK_FILTER_NEAREST)),
      set_layout_(make_set_layout(device, sampler_.get())),
      pool_(make_pool(device)),
      layout_(make_pipeline_layout(device, set_layout_.get(), VK_SHADER_STAGE_FRAGMENT_BIT,
                                   sizeof(Push))),
      pipelines_({.make = [this](const DisplayVariant& variant) { return make(variant); },
                  .rehearse = std::move(background.rehearse),
                  .rest = std::move(background.rest)},
                 shown_) {
  std::array<VkDescriptorSetLayout, kFramesInFlight> layouts;
  layouts.fill(set_layout_.get());
  auto info =
      structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorPool = pool_.get();
  info.descriptorSetCount = kFramesInFlight;
  info.pSetLayouts = layouts.data();
  device.check(vkAllocateDescriptorSets(device.handle(), &info, sets_.data()),
               "make descriptor sets");
}

std::pair<const ImageRing*, const ImageRing*> DisplayPass::shown_images(const Job& job) {
  const Compare compare = job.second.has_image() ? job.options.compare : Compare::none;
  if (compare == Compare::flicker && shows_second_now(job.options, job.time_s)) {
    return {&job.second, nullptr};
  }
  const bool compares = compare == Compare::split || compare == Compare::difference;
  return {&job.first, compares ? &job.second : nullptr};
}

const ImageRing* DisplayPass::only_copies(const Device& device, const Job& job) {
  const auto [first, second] = shown_images(job);
  const Rectangle& view = job.view;
  const bool is_inside = view.x >= 0 && view.y >= 0 &&
                         view.x + view.width <= static_cast<int>(job.target.width) &&
                         view.y + view.height <= static_cast<int>(job.target.height);
  const bool copies = device.is_processor() && is_inside && second == nullptr &&
                      first->can_copy() && first->format() == TexelFormat::color8 &&
                      first->width() == view.width && first->height() == view.height &&
                      !is_graded(job.options) && job.options.backdrop == Backdrop::as_rendered;
  return copies ? first : nullptr;
}

bool DisplayPass::record(VkCommandBuffer commands, const Job& job) {
  if (!set_view(commands, job.view, job.target)) return true;
  const auto [first, second] = shown_images(job);
  const ImageRing& other = second != nullptr ? *second : *first;
  const VkDescriptorSet set = sets_[job.slot];
  update_set(set, *first, other);
  const Push push = push_for(job, *first, other);
  const DisplayVariant variant = variant_for(job, *first, second);
  // Until the pipeline is made, the previous one is used.
  const VkPipeline wanted = job.waits ? pipelines_.wait_for(variant) : pipelines_.find(variant);
  const bool settled = wanted != VK_NULL_HANDLE;
  if (settled) shown_ = variant;
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                    settled ? wanted : pipelines_.wait_for(shown_));
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1, &set, 0,
                          nullptr);
  vkCmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof(push), &push);
  vkCmdDraw(commands, 3, 1, 0, 0);
  return settled;
}

DisplayVariant DisplayPass::variant_for(const Job& job, const ImageRing& first,
                                        const ImageRing* second) {
  const DisplayOptions& options = job.options;
  // Differences are computed on ungraded values.
  const bool graded =
      is_graded(options) && (second == nullptr || options.compare != Compare::difference);
  return {upscale_for(first, job.view, options.upscale),
          second != nullptr ? upscale_for(*second, job.view, options.upscale) : 0,
          graded,
          graded && options.is_linear,
          graded ? static_cast<std::int32_t>(options.tone) : 0,
          static_cast<std::int32_t>(options.backdrop),
          second != nullptr ? static_cast<std::int32_t>(options.compare) : 0};
}

void DisplayPass::prepare_likely() {
  const auto number = [](auto value) { return static_cast<std::int32_t>(value); };
  const auto prepare = [this](DisplayPlace place, std::int32_t value) {
    DisplayVariant variant{};
    variant[place] = value;
    if (place == kTonePlace) variant[kGradedPlace] = 1;
    pipelines_.prepare(variant);
  };
  for (const Compare compare : {Compare::split, Compare::difference}) {
    prepare(kComparePlace, number(compare));
    // Photographs may be smaller than the view.
    DisplayVariant enlarged{};
    enlarged[kComparePlace] = number(compare);
    enlarged[kSecondUpscalePlace] = number(Upscale::sharp);
    pipelines_.prepare(enlarged);
  }
  for (const ToneCurve tone : {ToneCurve::none, ToneCurve::filmic, ToneCurve::neutral}) {
    prepare(kTonePlace, number(tone));
  }
  for (const Backdrop backdrop : {Backdrop::color, Backdrop::checker}) {
    prepare(kBackdropPlace, number(backdrop));
  }
  for (const Upscale upscale : {Upscale::smooth, Upscale::sharp}) {
    prepare(kFirstUpscalePlace, number(upscale));
  }
}

Pipeline DisplayPass::make(const DisplayVariant& variant) const {
  std::array<VkSpecializationMapEntry, std::tuple_size_v<DisplayVariant>> entries;
  for (std::uint32_t i = 0; i < entries.size(); ++i) {
    entries[i] = {i, static_cast<std::uint32_t>(i * sizeof(variant[0])), sizeof(variant[0])};
  }
  const VkSpecializationInfo constants{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                       sizeof(variant), variant.data()};
  return make_pipeline(device_, {.vertex_code = kFullViewVertexCode,
                                 .fragment_code = kDisplayFragmentCode,
                                 .fragment_constants = &constants,
                                 .layout = layout_.get(),
                                 .render_pass = render_pass_,
                                 .name = "display"});
}

void DisplayPass::update_set(VkDescriptorSet set, const ImageRing& first,
                             const ImageRing& second) const {
  const VkDescriptorImageInfo images[kImages] = {first.sampled(), second.sampled()};
  auto write = structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set;
  write.descriptorCount = kImages;  // continues in the next binding, which has the same type
  write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  write.pImageInfo = images;
  vkUpdateDescriptorSets(device_.handle(), 1, &write, 0, nullptr);
}

}  // namespace mote::present

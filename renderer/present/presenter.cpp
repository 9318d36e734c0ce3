#include "present/presenter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "present/enlarge.h"
#include "present/handle.h"
#include "present/one_shot.h"

namespace mote::present {
namespace {

InstanceOptions instance_options(const PresenterOptions& options) {
  InstanceOptions result;
  if (options.window.has_value()) result.extensions = options.window->instance_extensions;
  result.validation = options.validation;
  result.log = options.validation_log;
  return result;
}

std::unique_ptr<Surface> make_surface(const Instance& instance, const PresenterOptions& options) {
  if (!options.window.has_value()) return nullptr;
  return std::make_unique<Surface>(instance.handle(), *options.window);
}

std::unique_ptr<Device> open_device(const Instance& instance, const Surface* surface,
                                    const std::string& wanted) {
  const VkSurfaceKHR shown_on = surface != nullptr ? surface->get() : VK_NULL_HANDLE;
  const std::vector<GpuInfo> gpus = list_gpus(instance.handle(), shown_on);
  auto device = std::make_unique<Device>(instance, choose_gpu(gpus, wanted), surface != nullptr);
  const GpuInfo& gpu = device->gpu();
  log_detail("Vulkan: presenting on {} ({}; {}); {}", gpu.name, type_name(gpu.type), gpu.driver,
             device->shares_memory() ? "it reads images directly from host memory"
                                     : "images pass through staging memory");
  return device;
}

std::unique_ptr<Target> make_target(const Device& device, Surface* surface,
                                    const PresenterOptions& options) {
  const VkExtent2D size{static_cast<std::uint32_t>(std::max(options.width, 0)),
                        static_cast<std::uint32_t>(std::max(options.height, 0))};
  if (surface == nullptr) {
    return std::make_unique<OffscreenTarget>(device, options.offscreen_format, size);
  }
  return std::make_unique<Swapchain>(device, *surface, options.pacing, size);
}

bool enlarges(const Image& image, const ImageUpload& upload) {
  const int width = upload.view_width, height = upload.view_height;
  const bool is_larger = width >= image.width && height >= image.height &&
                         (width > image.width || height > image.height);
  return is_larger && upload.alpha == nullptr && upload.format == TexelFormat::color8 &&
         upload.upscale != Upscale::nearest;
}

VkClearValue clear_value(const DrawRequest& request) {
  VkClearValue clear{};
  std::ranges::copy(request.clear_color, clear.color.float32);
  clear.color.float32[3] = 1;
  return clear;
}

/// Opens the cache before the first pipeline is made.
PipelineCache open_cache(Device& device, const PresenterOptions& options) {
  PipelineCache cache(device, options.cache_folder);
  device.set_pipeline_cache(cache.get());
  return cache;
}

VkSemaphoreSubmitInfo semaphore_info(VkSemaphore semaphore, std::uint64_t value) {
  auto info = structure<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
  info.semaphore = semaphore;
  info.value = value;
  info.stageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_COPY_BIT;
  return info;
}

}  // namespace

Presenter::Presenter(const PresenterOptions& options)
    : instance_(instance_options(options)),
      surface_(make_surface(instance_, options)),
      device_(open_device(instance_, surface_.get(), options.gpu)),
      cache_(open_cache(*device_, options)),
      drawn_(*device_),
      target_(make_target(*device_, surface_.get(), options)),
      first_(*device_, target_->format(), "first image"),
      second_(*device_, target_->format(), "second image"),
      display_(*device_, target_->passes().clears.get(), background(options)),
      overlay_(*device_, target_->passes().clears.get()) {
  for (FrameResources& frame : frames_) {
    frame.pool = make_command_pool(*device_);
    frame.commands = make_command_buffer(*device_, frame.pool);
  }
  if (options.prepares) display_.prepare_likely();
}

/// The callbacks refer to members that outlive the display pass.
DisplayPass::Background Presenter::background(const PresenterOptions& options) {
  DisplayPass::Background work{.rehearse = {}, .rest = [this] { cache_.save(); }};
  if (options.prepares && device_->is_processor()) {
    rehearsal_ = std::make_unique<Rehearsal>(device_->gpu().index, target_->format());
    work.rehearse = [this](const DisplayVariant& variant) { rehearsal_->play(variant); };
  }
  return work;
}

Presenter::~Presenter() {
  vkDeviceWaitIdle(device_->handle());  // result ignored: a lost device has nothing to wait for
}

GuiContext Presenter::gui_context() const {
  GuiContext context;
  context.instance = instance_.handle();
  context.gpu = device_->gpu().handle;
  context.device = device_->handle();
  context.queue_family = device_->gpu().queue_family;
  context.queue = device_->queue();
  context.format = target_->format();
  context.render_pass = target_->passes().clears.get();
  context.frames_in_flight = kFramesInFlight;
  context.image_count = target_->image_count();
  return context;
}

TexelRows Presenter::place_for(ImageSlot slot, int width, int height, TexelFormat format) {
  if (slot == ImageSlot::first) unread_ = 0;
  const int largest = device_->largest_image_side();
  if (width > largest || height > largest) {
    throw Error(
        fmt::format("an image of {}x{} pixels exceeds its limit of {}", width, height, largest),
        device_->gpu().name, "render at a smaller size");
  }
  return ring(slot).put(width, height, format, drawn_.reached());
}

void Presenter::set_image(ImageSlot slot, const Image& image, const ImageUpload& upload) {
  if (device_->is_processor() && enlarges(image, upload)) {
    const TexelRows rows =
        place_for(slot, upload.view_width, upload.view_height, TexelFormat::color8);
    write_enlarged(image, upload.upscale, upload.view_width, upload.view_height, rows);
  } else {
    const TexelRows rows = place_for(slot, image.width, image.height, upload.format);
    write_texels(image, upload.alpha, upload.format, rows);
  }
}

void Presenter::set_image(ImageSlot slot, const Image8& picture) {
  write_texels(picture, place_for(slot, picture.width, picture.height, TexelFormat::color8));
}

void Presenter::clear_image(ImageSlot slot) {
  if (slot == ImageSlot::first) unread_ = 0;
  ring(slot).clear();
}

SharedPictures Presenter::share_pictures(std::size_t places, int width, int height) {
  device_->wait_idle();  // frames may still read the old ones
  if (unread_ != 0) clear_image(ImageSlot::first);
  last_read_ = 0;
  places_.reset();
  places_ = std::make_unique<PicturePlaces>(*device_, places, width, height);
  return places_->exported(first_.blue_first());
}

void Presenter::set_image(const SharedPicture& picture) {
  CHECK(places_ != nullptr && picture.number > last_read_);
  first_.take(places_->texels(picture), drawn_.reached());
  unread_ = picture.number;
}

void Presenter::resize(int width, int height) {
  target_->resize(width, height);
}

void Presenter::set_pacing(Pacing pacing) {
  target_->set_pacing(pacing);
}

bool Presenter::draw(const DrawRequest& request) {
  return draw_on(*target_, request, false);
}

Image8 Presenter::capture(const DrawRequest& request, int width, int height) {
  CHECK(width > 0 && height > 0);
  if (capture_target_ == nullptr) {
    capture_target_ = std::make_unique<OffscreenTarget>(*device_, target_->format(), VkExtent2D{});
  }
  capture_target_->resize(width, height);
  draw_on(*capture_target_, request, true);
  return capture_target_->read();
}

bool Presenter::draw_on(Target& target, const DrawRequest& request, bool waits) {
  const std::size_t slot = (frame_number_ + 1) % kFramesInFlight;
  FrameResources& frame = frames_[slot];
  drawn_.wait(frame.number);
  const std::optional<TargetImage> image = target.acquire();
  if (!image.has_value()) return false;
  frame.number = ++frame_number_;
  device_->check(vkResetCommandPool(device_->handle(), frame.pool.get(), 0), "reset commands");
  begin_commands(*device_, frame.commands);
  record(frame.commands, target, *image, request, slot, waits);
  device_->check(vkEndCommandBuffer(frame.commands), "end commands");
  submit(frame, *image);
  target.present(*image);
  return true;
}

void Presenter::record(VkCommandBuffer commands, const Target& target, const TargetImage& image,
                       const DrawRequest& request, std::size_t slot, bool waits) {
  for (ImageRing* ring : {&first_, &second_}) {
    if (ring->has_image()) ring->record_upload(commands, frame_number_);
  }
  const VkExtent2D extent = target.extent();
  const DisplayPass::Job job{.view = request.view,
                             .target = extent,
                             .options = request.display,
                             .first = first_,
                             .second = second_,
                             .time_s = request.time_s,
                             .slot = slot,
                             .waits = waits};
  const ImageRing* copied = first_.has_image() && image.image != VK_NULL_HANDLE
                                ? DisplayPass::only_copies(*device_, job)
                                : nullptr;
  if (copied != nullptr) record_copy(commands, *copied, image, request, extent);
  const VkClearValue clear = clear_value(request);
  auto info = structure<VkRenderPassBeginInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO);
  info.renderPass =
      copied != nullptr ? target.passes().goes_on.get() : target.passes().clears.get();
  info.framebuffer = image.framebuffer;
  info.renderArea.extent = extent;
  info.clearValueCount = 1;
  info.pClearValues = &clear;
  vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  settled_ = true;
  if (first_.has_image() && copied == nullptr) settled_ = display_.record(commands, job);
  if (copied == nullptr && request.around) request.around(commands);
  overlay_.record(commands, request.view, extent, request.overlay, slot);
  if (request.gui) request.gui(commands);
  vkCmdEndRenderPass(commands);
}

void Presenter::record_copy(VkCommandBuffer commands, const ImageRing& image, const TargetImage& to,
                            const DrawRequest& request, VkExtent2D extent) {
  constexpr VkPipelineStageFlags2 kTransfer = VK_PIPELINE_STAGE_2_COPY_BIT;
  constexpr ImageUse kCopiedTo{VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kTransfer,
                               VK_ACCESS_2_TRANSFER_WRITE_BIT};
  const Rectangle& view = request.view;
  const bool fills = view.width == static_cast<int>(extent.width) &&
                     view.height == static_cast<int>(extent.height);
  if (!fills) {
    if (around_ == nullptr) around_ = std::make_unique<KeptLayer>(*device_, target_->format());
    around_->record(commands, request.around, request.around_version, clear_value(request), extent);
  }
  // After the stage that waits for `ready`, and after reads of the last content.
  record_transition(commands, to.image, {VK_IMAGE_LAYOUT_UNDEFINED, kTransfer, 0}, kCopiedTo);
  if (!fills) {
    around_->record_copy(commands, to.image);
    record_transition(commands, to.image, kCopiedTo, kCopiedTo);
  }
  image.record_copy(commands, to.image, {view.x, view.y});
  record_transition(
      commands, to.image, kCopiedTo,
      {VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
       VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT});
}

void Presenter::submit(const FrameResources& frame, const TargetImage& image) {
  std::array<VkSemaphoreSubmitInfo, 2> waits;
  std::array<VkSemaphoreSubmitInfo, 3> signals;
  std::size_t wait_count = 0, signal_count = 0;
  if (image.ready != VK_NULL_HANDLE) waits[wait_count++] = semaphore_info(image.ready, 0);
  signals[signal_count] = semaphore_info(drawn_.get(), frame.number);
  // The frame's buffers may be reused when all of it is done.
  signals[signal_count++].stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  if (image.drawn != VK_NULL_HANDLE) signals[signal_count++] = semaphore_info(image.drawn, 0);
  const bool by_device = unread_ != 0 && !places_->ordered_by_host();
  if (by_device) {
    waits[wait_count++] = semaphore_info(places_->written(), unread_);
    signals[signal_count++] = semaphore_info(places_->read(), unread_);
  }
  submit(frame, {waits.data(), wait_count}, {signals.data(), signal_count});
  if (unread_ == 0) return;
  if (!by_device) drawn_.wait(frame.number);
  last_read_ = std::exchange(unread_, 0);
}

void Presenter::submit(const FrameResources& frame, std::span<const VkSemaphoreSubmitInfo> waits,
                       std::span<const VkSemaphoreSubmitInfo> signals) {
  auto commands =
      structure<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
  commands.commandBuffer = frame.commands;
  auto info = structure<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
  info.waitSemaphoreInfoCount = static_cast<std::uint32_t>(waits.size());
  info.pWaitSemaphoreInfos = waits.data();
  info.commandBufferInfoCount = 1;
  info.pCommandBufferInfos = &commands;
  info.signalSemaphoreInfoCount = static_cast<std::uint32_t>(signals.size());
  info.pSignalSemaphoreInfos = signals.data();
  device_->check(vkQueueSubmit2(device_->queue(), 1, &info, VK_NULL_HANDLE), "draw a frame");
}

}  // namespace mote::present

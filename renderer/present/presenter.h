#pragma once

// The way from images to the screen, or to an image that no window shows: the whole of what a
// program needs of this folder.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/image.h"
#include "present/display_pass.h"
#include "present/image_ring.h"
#include "present/kept_layer.h"
#include "present/offscreen_target.h"
#include "present/overlay_pass.h"
#include "present/picture_places.h"
#include "present/pipeline_cache.h"
#include "present/rehearsal.h"
#include "present/surface.h"
#include "present/swapchain.h"
#include "present/timeline.h"

namespace mote::present {

struct PresenterOptions {
  std::string gpu = "auto";  // as choose_gpu() takes it
  bool validation = false;   // Khronos' layers watch every call
  /// Where what they say goes, what they say of the end included; null: one of its own.
  std::shared_ptr<ValidationLog> validation_log{};
  std::optional<WindowSystem> window{};  // none: offscreen
  Pacing pacing = Pacing::vsync;
  int width = 1280, height = 720;  // framebuffer pixels; zero of either while nothing is to be seen
  VkFormat offscreen_format = VK_FORMAT_R8G8B8A8_UNORM;  // where there is no window
  /// Pipelines that are likely to be needed are made, and on a device that is the processor tried
  /// out, in the background from the start on.
  bool prepares = false;
  std::filesystem::path cache_folder{};  // for what the driver keeps of pipelines; empty: none
};

/// The images that a view can show. The second is there to be compared with.
enum class ImageSlot { first, second };

/// How an image is copied.
struct ImageUpload {
  const Image* alpha = nullptr;  // [h][w][1]
  /// color8 is enough for display values that are not graded. On a device that is the processor it
  /// costs a fraction of what color16 does, when drawn above all.
  TexelFormat format = TexelFormat::color16;
  /// The size of the view that will show it, framebuffer pixels, and the filter. A device that is
  /// the processor then gets a smaller color8 image without alpha enlarged, which is quicker than a
  /// shader; otherwise they are of no matter. 0: not known.
  int view_width = 0, view_height = 0;
  Upscale upscale = Upscale::sharp;
};

/// What a GUI's own Vulkan renderer needs. Valid as long as the presenter lives.
struct GuiContext {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice gpu = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
  VkQueue queue = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;      // UNORM: colours are written as display values
  VkRenderPass render_pass = VK_NULL_HANDLE;  // to make pipelines for; subpass 0, one sample
  std::uint32_t frames_in_flight = 0;         // before buffers may be written again
  std::uint32_t image_count = 0;              // of the window
};

/// One frame.
struct DrawRequest {
  Rectangle view{};  // of the image; none is drawn where nothing was set
  DisplayOptions display{};
  std::vector<OverlayStroke> overlay{};       // over the image, within the view
  std::array<float, 3> clear_color{0, 0, 0};  // around the view; display values
  // Over that colour beside the view, inside GuiContext's pass, and another version where it looks
  // different: it need not be called for every frame.
  std::function<void(VkCommandBuffer)> around = {};
  std::uint64_t around_version = 0;
  double time_s = 0;                              // on any clock; for what changes with time
  std::function<void(VkCommandBuffer)> gui = {};  // draws over all of it, inside GuiContext's pass
};

/// Not thread safe: one thread, that of the window. After DeviceLost or SurfaceLost a new presenter
/// is needed; images have to be set again.
class Presenter {
 public:
  /// Throws UsageError for an unknown device, and Error with the remedy where there is no driver,
  /// no usable device, or no way to show images on the display.
  explicit Presenter(const PresenterOptions& options);
  ~Presenter();
  Presenter(const Presenter&) = delete;
  Presenter& operator=(const Presenter&) = delete;

  const GpuInfo& gpu() const { return device_->gpu(); }
  const Device& device() const { return *device_; }
  const ValidationLog& validation() const { return instance_.validation(); }
  GuiContext gui_context() const;

  /// Copies an image of the renderer: [h][w][3] display values, or linear light where the display
  /// options say so. Throws Error where there is no memory or a side is larger than the device can
  /// take.
  void set_image(ImageSlot slot, const Image& image, const ImageUpload& upload = {});
  /// Copies a picture of 1, 3 or 4 channels.
  void set_image(ImageSlot slot, const Image8& picture);
  void clear_image(ImageSlot slot);

  /// Makes places for pictures of up to width x height px that another API renders on this device,
  /// in place of those made before. Throws Error where the device cannot share them.
  SharedPictures share_pictures(std::size_t places, int width, int height);
  /// A picture in one of these places becomes the first image. The device waits until it is
  /// written.
  void set_image(const SharedPicture& picture);
  /// The number of the last shared picture that a frame was told to read: once it is that of a
  /// picture, `read` will come to say when its place may be written again. 0: none.
  std::uint64_t last_read() const { return last_read_; }

  /// The window's framebuffer has another size now; zero of either while it is minimised.
  void resize(int width, int height);
  void set_pacing(Pacing pacing);
  /// Of what is drawn on: the window's, which may be newer than the last resize().
  VkExtent2D extent() const { return target_->extent(); }

  /// Whether the last frame shows all that its display options say: the first time that a
  /// combination of them is used, frames go on with the former one until it can be drawn.
  bool settled() const { return settled_; }

  /// Draws one frame and hands it to the window. False where none could be shown: the window is
  /// minimised or covered, or changes its size. Throws DeviceLost, SurfaceLost, Error, and what the
  /// GUI throws.
  bool draw(const DrawRequest& request);

  /// Draws one frame of the given size and reads it back: [h][w][3]. The window sees nothing of it.
  /// Waits for whatever the display options need.
  Image8 capture(const DrawRequest& request, int width, int height);

 private:
  struct FrameResources {
    CommandPool pool;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint64_t number = 0;  // of the frame that used them last
  };

  bool draw_on(Target& target, const DrawRequest& request, bool waits);
  void record(VkCommandBuffer commands, const Target& target, const TargetImage& image,
              const DrawRequest& request, std::size_t slot, bool waits);
  DisplayPass::Background background(const PresenterOptions& options);
  void record_copy(VkCommandBuffer commands, const ImageRing& image, const TargetImage& to,
                   const DrawRequest& request, VkExtent2D extent);
  void submit(const FrameResources& frame, const TargetImage& image);
  void submit(const FrameResources& frame, std::span<const VkSemaphoreSubmitInfo> waits,
              std::span<const VkSemaphoreSubmitInfo> signals);
  TexelRows place_for(ImageSlot slot, int width, int height, TexelFormat format);
  ImageRing& ring(ImageSlot slot) { return slot == ImageSlot::first ? first_ : second_; }

  Instance instance_;
  std::unique_ptr<Surface> surface_;  // none offscreen
  std::unique_ptr<Device> device_;
  PipelineCache cache_;
  Timeline drawn_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<OffscreenTarget> capture_target_;
  std::unique_ptr<KeptLayer> around_;      // where what stands around the view was kept
  std::unique_ptr<PicturePlaces> places_;  // null where none are shared
  std::uint64_t unread_ = 0,
                last_read_ = 0;  // numbers of shared pictures; the first for the next frame
  ImageRing first_, second_;
  std::unique_ptr<Rehearsal> rehearsal_;  // null where nothing is tried out
  DisplayPass display_;
  OverlayPass overlay_;
  std::array<FrameResources, kFramesInFlight> frames_;
  std::uint64_t frame_number_ = 0;
  bool settled_ = true;
};

}  // namespace mote::present

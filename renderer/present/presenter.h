#pragma once

// Presents images in a window or offscreen: the interface of this folder to the program.

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
  std::string gpu = "auto";  // argument of choose_gpu()
  bool validation = false;   // enables Khronos' validation layers
  /// Destination of their messages, including those at the end; null: its own.
  std::shared_ptr<ValidationLog> validation_log{};
  std::optional<WindowSystem> window{};  // empty: offscreen
  Pacing pacing = Pacing::vsync;
  int width = 1280, height = 720;  // framebuffer pixels; one of them is 0 while nothing is visible
  VkFormat offscreen_format = VK_FORMAT_R8G8B8A8_UNORM;  // used without a window
  /// Makes probable pipelines in the background from the start. If the device is the processor,
  /// also tries them out.
  bool prepares = false;
  std::filesystem::path cache_folder{};  // for the driver's pipeline cache; empty: none
};

/// The images that a view can show. The second one is for comparison.
enum class ImageSlot { first, second };

/// Settings for the upload of an image.
struct ImageUpload {
  const Image* alpha = nullptr;  // [h][w][1]
  /// color8 suffices for ungraded display values. On a device that is the processor it costs a
  /// fraction of color16, above all in drawing.
  TexelFormat format = TexelFormat::color16;
  /// Size of the target view in framebuffer pixels, and its filter; 0: unknown. If the device is
  /// the processor, a smaller color8 image without alpha is enlarged on upload, which is faster
  /// than a shader. Unused otherwise.
  int view_width = 0, view_height = 0;
  Upscale upscale = Upscale::sharp;
};

/// The data that a GUI's own Vulkan renderer needs. Valid during the presenter's lifetime.
struct GuiContext {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice gpu = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
  VkQueue queue = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;      // UNORM: colours are written as display values
  VkRenderPass render_pass = VK_NULL_HANDLE;  // for pipelines: subpass 0, one sample
  std::uint32_t frames_in_flight = 0;         // number of frames before buffers may be reused
  std::uint32_t image_count = 0;              // number of images of the window
};

/// One frame.
struct DrawRequest {
  Rectangle view{};  // position of the image; if it is not set, no image is drawn
  DisplayOptions display{};
  std::vector<OverlayStroke> overlay{};       // over the image, clipped to the view
  std::array<float, 3> clear_color{0, 0, 0};  // around the view; display values
  // Draws around the view over that colour, inside GuiContext's pass. Its result may be kept until
  // around_version changes, so it is not called for every frame.
  std::function<void(VkCommandBuffer)> around = {};
  std::uint64_t around_version = 0;
  double time_s = 0;                              // on any clock; for time-dependent options
  std::function<void(VkCommandBuffer)> gui = {};  // draws over everything, inside GuiContext's pass
};

/// Not thread safe: used by the window's thread only. After DeviceLost or SurfaceLost a new
/// presenter is needed, and images must be set again.
class Presenter {
 public:
  /// Throws UsageError for an unknown device. Throws Error with the remedy where there is no
  /// driver, no usable device, or no way to show images on the display.
  explicit Presenter(const PresenterOptions& options);
  ~Presenter();
  Presenter(const Presenter&) = delete;
  Presenter& operator=(const Presenter&) = delete;

  const GpuInfo& gpu() const { return device_->gpu(); }
  const Device& device() const { return *device_; }
  const ValidationLog& validation() const { return instance_.validation(); }
  GuiContext gui_context() const;

  /// Copies an image of the renderer, [h][w][3]: display values, or linear light if the display
  /// options say so. Throws Error where there is not enough memory or a side exceeds the device's
  /// limit.
  void set_image(ImageSlot slot, const Image& image, const ImageUpload& upload = {});
  /// Copies a picture of 1, 3 or 4 channels.
  void set_image(ImageSlot slot, const Image8& picture);
  void clear_image(ImageSlot slot);

  /// Makes places for pictures of up to width x height px that another API renders on this device.
  /// They replace earlier places. Throws Error where the device cannot share them.
  SharedPictures share_pictures(std::size_t places, int width, int height);
  /// Shows a picture in one of these places as the first image. The device waits until it is
  /// written.
  void set_image(const SharedPicture& picture);
  /// Number of the last shared picture that a submitted frame reads; 0: none. The semaphore `read`
  /// reaches this number when the place may be written again.
  std::uint64_t last_read() const { return last_read_; }

  /// The window's framebuffer has a new size; one of them is 0 while it is minimised.
  void resize(int width, int height);
  void set_pacing(Pacing pacing);
  /// Size of the target. A window's size may be newer than the last resize().
  VkExtent2D extent() const { return target_->extent(); }

  /// Whether the last frame used its display options. The first use of a combination continues with
  /// the former pipeline until the new one is ready.
  bool settled() const { return settled_; }

  /// Draws one frame and presents it. Returns false where none could be shown: the window is
  /// minimised, covered, or being resized. Throws DeviceLost, SurfaceLost, Error, and the errors of
  /// the GUI.
  bool draw(const DrawRequest& request);

  /// Draws one frame of the given size offscreen and reads it back: [h][w][3]. Waits for the
  /// pipelines of the display options.
  Image8 capture(const DrawRequest& request, int width, int height);

 private:
  struct FrameResources {
    CommandPool pool;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::uint64_t number = 0;  // the last frame that used them
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
  std::unique_ptr<Surface> surface_;  // null offscreen
  std::unique_ptr<Device> device_;
  PipelineCache cache_;
  Timeline drawn_;
  std::unique_ptr<Target> target_;
  std::unique_ptr<OffscreenTarget> capture_target_;
  std::unique_ptr<KeptLayer> around_;      // cached content around the view
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

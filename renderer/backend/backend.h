#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/picture_sink.h"
#include "backend/training_room.h"
#include "cameras/camera.h"
#include "core/image.h"
#include "primitives/splat_shape.h"
#include "scene/splat_cloud.h"

namespace mote {

/// What a frame is asked to hold besides colour.
struct RenderOutputs {
  bool alpha = false;
  bool depth = false;
  bool overdraw = false;
  bool tile_cost = false;
  bool picture = true;  // false: a device may leave the frame where it was drawn, for benchmarks
  /// The picture goes there, and nothing to the Frame. Only to a backend that made the sink.
  const PictureDelivery* delivery = nullptr;
};

inline constexpr float kSplatScaleMin = 0.01f, kSplatScaleMax = 10;

struct RenderSettings {
  std::array<float, 3> background{0, 0, 0};
  bool antialiased = false;          // compensated 0.3 px dilation (reference: Mip-Splatting)
  int max_sh_degree = kMaxShDegree;  // higher bands of the scene are not evaluated
  float splat_scale = 1;             // on the size of every splat; kSplatScaleMin to kSplatScaleMax
  SplatShape shape = SplatShape::gaussian;
  RenderOutputs outputs;
};

/// One rendered view. Memory is kept from frame to frame.
struct Frame {
  Image rgb;             // [h][w][3]: blended colour with the background behind it
  Image alpha;           // [h][w][1]: 1 - transmittance
  Image depth_expected;  // [h][w][1]: sum of weight * view z / sum of weight; 0 where alpha is 0
  Image depth_median;    // [h][w][1]: view z where transmittance crosses 1/2; 0 where it never does
  Image overdraw;        // [h][w][1]: how many splats the pixel is blended of; of solids 1 or 0
  /// [h][w][1]: how many splats are listed for the tile that the pixel lies in. Tiles are the
  /// device's: 16 px a side on the CPU, 32 px with CUDA.
  Image tile_cost;
};

/// Throws Error for a camera that nothing can be rendered with: image sides outside
/// 1..kMaxImageSide, a focal length that is not positive.
void check_camera(const Camera& camera);

/// Checks the camera and gives `frame` its size; what is not wanted has none. Throws Error as
/// check_camera() does, and for a splat scale outside its range.
void prepare_frame(const Camera& camera, const RenderSettings& settings, Frame& frame);

/// Where the time of one frame went, and how much there was to do. Stage times are shares of the
/// wall time: the threads' time in a stage over the number of threads.
struct FrameStats {
  double total_ms = 0, project_ms = 0, bin_ms = 0, sort_ms = 0, blend_ms = 0;
  std::uint64_t splats = 0;       // in the scene
  std::uint64_t visible = 0;      // with at least one pixel that they might touch
  std::uint64_t pairs = 0;        // splat-tile pairs blended
  std::uint64_t evaluations = 0;  // splat-pixel evaluations, masked lanes included
  std::uint64_t dropped = 0;      // visible or not: non-finite position, scale or rotation
};

/// A scene as a backend holds it. Made and understood by the same backend only.
class DeviceScene {
 public:
  virtual ~DeviceScene() = default;
};

class SplatTrainer;
struct TrainerSettings;

/// A device that renders and trains. Operations are coarse; no device type crosses this interface.
/// Not thread safe: one caller at a time.
class Backend {
 public:
  virtual ~Backend() = default;
  /// For a person: the device, its instruction set or architecture, its threads or memory.
  virtual std::string description() const = 0;
  /// Takes the cloud over, to hold no second copy of it.
  virtual std::unique_ptr<DeviceScene> upload(SplatCloud cloud) = 0;
  /// Renders one view into `frame`. Throws Error as prepare_frame() does.
  virtual FrameStats render(const DeviceScene& scene, const Camera& camera,
                            const RenderSettings& settings, Frame& frame) = 0;
  /// Whether pictures are made on a device that can leave them there for another API.
  virtual bool shares_pictures() const { return false; }
  /// Makes a sink of pictures that another API shares. Throws Error, with the reason, where this
  /// backend cannot leave pictures there.
  virtual std::unique_ptr<PictureSink> import_pictures(SharedPictures pictures);
  /// Takes the cloud over to train it; the trainer must not outlive the backend.
  virtual std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                                     const TrainerSettings& settings) = 0;
  /// Nothing where training takes the host's memory.
  virtual std::optional<TrainingRoom> training_room(const TrainingSize&) const { return {}; }
};

struct DeviceOptions {
  int threads = 0;  // CPU threads; 0 takes all that this process may use
  std::string isa;  // CPU instruction set: v2, v3, v4; empty takes the best that runs here
  /// Which device of the kind; none takes the first that works.
  std::optional<int> index = std::nullopt;
};

struct BackendProbe {
  bool usable = false;
  std::string detail;  // what was found, or why it cannot be used and what would help
};

/// One GPU as its driver describes it.
struct GpuDescription {
  int index = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;  // compute capability
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0, free_bytes = 0;
  std::string driver;   // the newest CUDA that the driver knows: "13.0"
  std::string problem;  // why it cannot be used; empty where it can
  std::string remedy;   // what helps then
};

/// One kind of device.
struct BackendEntry {
  std::string_view name;
  /// Whether --device auto takes it only once self_check() has found nothing.
  bool checked;
  /// Whether make() would work without an index.
  BackendProbe (*probe)();
  /// Throws Error, with the remedy, where the device is not there or cannot be used.
  std::unique_ptr<Backend> (*make)(const DeviceOptions& options);
  /// All devices of the kind, usable or not, none where there is no driver; null where the kind has
  /// one device, which probe() describes. Takes longer than probe(): it opens each.
  std::vector<GpuDescription> (*list)();
};

/// All kinds that this build knows, fastest first.
std::span<const BackendEntry> backends();

/// `device` is "auto" or NAME or NAME:INDEX. Throws UsageError where it, or the instruction set, is
/// unknown, and Error with the remedy where it is not usable. "auto" takes the first that can be
/// made, and logs which and why none before it.
std::unique_ptr<Backend> make_backend(std::string_view device, DeviceOptions options);

/// The same among some kinds, fastest first.
std::unique_ptr<Backend> make_backend(std::span<const BackendEntry> kinds, std::string_view device,
                                      DeviceOptions options);

}  // namespace mote

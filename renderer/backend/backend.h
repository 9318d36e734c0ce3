#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device_memory.h"
#include "backend/picture_sink.h"
#include "cameras/camera.h"
#include "core/image.h"
#include "scene/plane.h"
#include "scene/similarity.h"
#include "splats/kinds/splat_shape.h"
#include "splats/motions/motion_paint.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// The images of a frame that are requested in addition to colour.
struct RenderOutputs {
  bool alpha = false;
  bool depth = false;
  bool normal = false;  // only for kinds that are surfaces
  bool overdraw = false;
  bool tile_cost = false;
  /// RenderSettings::slice in place of neural fields, as an opaque sheet in the background's colour
  /// with Frame::slice. Splats have no slices.
  bool slice = false;
  /// FrameStats::project_ms to blend_ms. Without them, a device may leave them 0: it interrupts its
  /// work to take them.
  bool stage_times = false;
  bool picture = true;  // false: a device may leave the frame in its memory, for benchmarks
  /// If given, it may receive the picture instead of the Frame, see FrameStats::delivered. Only a
  /// sink made by the same backend is valid.
  const PictureDelivery* delivery = nullptr;
};

inline constexpr float kSplatScaleMin = 0.01f, kSplatScaleMax = 10;

/// Arithmetic of a picture. `fast`: harmonics, colours and transmittance in half precision, on
/// devices that have it (see Backend::has_fast_precision()); others draw exactly. A frame with
/// other images than colour and alpha is always drawn exactly, and so are solids and training.
enum class Precision { exact, fast };

inline constexpr float kFieldStepMin = 1, kFieldStepMax = 16;

/// The default of RenderSettings::surface_color.
inline constexpr std::array<double, 3> kUsualSurfaceColor{0.896, 0.876, 0.843};

struct RenderSettings {
  std::array<float, 3> background{0, 0, 0};
  bool antialiased = false;          // compensated 0.3 px dilation (reference: Mip-Splatting)
  int max_sh_degree = kMaxShDegree;  // higher bands of the scene are not evaluated
  /// Factor on the size of every splat; kSplatScaleMin to kSplatScaleMax.
  float splat_scale = 1;
  SplatShape shape = SplatShape::blended;
  bool marks = false;  // splats marked by Backend::mark() are tinted
  MotionPaint paint = {};
  Precision precision = Precision::exact;
  /// The picture is a part of a composed one: colours that cover their pixel whatever is behind it,
  /// those of features, are multiplied by alpha, which is requested. Other colours are so anyway.
  bool is_layer = false;
  /// Factor on the length of the steps along rays through neural radiance fields and volumes;
  /// kFieldStepMin to kFieldStepMax.
  float field_step = 1;
  /// Colour of the surfaces of signed distance fields in white light, as display values.
  std::array<float, 3> surface_color{static_cast<float>(kUsualSurfaceColor[0]),
                                     static_cast<float>(kUsualSurfaceColor[1]),
                                     static_cast<float>(kUsualSurfaceColor[2])};
  Plane slice = {};  // of RenderOutputs::slice, in the world
  RenderOutputs outputs;
  /// Set by another thread that does not need the picture any more, or by a signal. A device may
  /// then throw Interrupted; pictures of neural fields on the CPU do so within about a tenth of a
  /// second. Null: the picture is always finished.
  const std::atomic<bool>* superseded = nullptr;
};

/// Throws Interrupted if the picture is not needed any more.
void stop_if_superseded(const RenderSettings& settings);

/// One rendered view. Rendering into it again reuses its memory.
struct Frame {
  Image rgb;             // [h][w][3]: blended colour over the background
  Image alpha;           // [h][w][1]: 1 - transmittance
  Image depth_expected;  // [h][w][1]: sum of weight * view z / sum of weight; 0 where alpha is 0
  Image depth_median;    // [h][w][1]: view z where transmittance crosses 1/2; 0 where it never does
  /// [h][w][3]: sum of weight * unit normal towards the camera, in its frame.
  Image normal;
  Image overdraw;  // [h][w][1]: number of splats blended into the pixel; for solids 1 or 0
  /// [h][w][1]: number of splats listed for the tile of the pixel. The tile size depends on the
  /// device: 16 px per side on the CPU, 32 px with CUDA.
  Image tile_cost;
  /// [h][w][1]: value of a neural field where the pixel's ray meets RenderSettings::slice: its
  /// density or signed distance, in the units of its own frame; NaN outside of the field.
  Image slice;
  bool slice_is_distance = false;  // the values are signed distances
};

/// Layers of a picture between the parts of another model, for DeviceField::render_parts().
struct Dividers {
  std::span<const Frame> sheets = {};  // with alpha and both depths
  float depth_scale = 1;               // from their depths to the view z of the divided model
};

/// Throws Error if the camera has image sides outside 1..kMaxImageSide or a focal length that is
/// not positive.
void check_camera(const Camera& camera);

/// Checks the camera and resizes the images of `frame`; images not requested become empty. Throws
/// Error as check_camera() does, and if the splat scale is outside its range.
void prepare_frame(const Camera& camera, const RenderSettings& settings, Frame& frame);

/// The splats of a streamed scene that a view had to wait for, and the work on them.
struct StreamWork {
  double wait_ms = 0;  // until all needed splats were there, or the patience had ended
  double fill_ms = 0;  // of that: filling pages of the device, also with splats read ahead
  // Sums over the parts of the scene that came during the view and are needed. Several threads read
  // the file, decode what was read, and prepare it for drawing.
  double read_ms = 0, decode_ms = 0, prepare_ms = 0;
  std::uint64_t parts = 0, splats = 0, bytes = 0;  // bytes: of the file

  void add(const StreamWork& other);
};

/// Times and amounts of work of one frame. A stage time (see RenderOutputs::stage_times) is a share
/// of the wall time: the threads' total time in the stage divided by the number of threads.
struct FrameStats {
  double total_ms = 0, project_ms = 0, bin_ms = 0, sort_ms = 0, blend_ms = 0;
  // Stages of neural fields: finding samples along rays, encoding their positions, evaluating
  // networks, and the rest, such as compositing.
  double march_ms = 0, encode_ms = 0, network_ms = 0, compose_ms = 0;
  std::uint64_t splats = 0;   // in the scene
  std::uint64_t visible = 0;  // may touch at least one pixel
  std::uint64_t pairs = 0;    // splat-tile pairs blended
  /// Splat-pixel evaluations, masked lanes included, or evaluated samples of neural fields.
  std::uint64_t evaluations = 0;
  /// Splats, visible or not, whose position, scale or rotation was not finite at the upload.
  std::uint64_t dropped = 0;
  // Counts of scenes that move, of streamed ones always, else by Drawable::add_life_counts():
  // splats of the parts or blocks that are seen at the time, those on the device, all, and those of
  // parts that are needed and not there.
  std::uint64_t needed = 0, resident = 0, stored = 0, missing = 0;
  StreamWork streaming;
  bool delivered = false;  // RenderOutputs::delivery received the picture
};

/// A scene in the memory of a backend. Only the backend that made it can use it.
class DeviceScene {
 public:
  virtual ~DeviceScene() = default;
  virtual SplatKind kind() const = 0;
  /// Whether its splats have features (splats/kinds/feature_decoder.h): it is drawn alone.
  virtual bool has_features() const { return false; }
  /// Number of splats in the blocks of memory that hold one that lives at the time: those that a
  /// picture of that time reads. 0 for a scene of pages.
  virtual std::size_t living(double /*time_s*/) const { return 0; }
};

/// Throws Error if the kinds differ: scenes that are blended together must have splats of one kind.
void check_same_kind(SplatKind first, SplatKind other);

/// Throws Error if splats of the kind cannot be drawn into a requested image with the settings.
void check_outputs(SplatKind kind, const RenderSettings& settings);

/// A scene placed in the world, at a time.
struct SceneInstance {
  const DeviceScene* scene;
  Similarity world_from_scene = {};
  double time_s = 0;  // ignored by splats that stand still

  bool operator==(const SceneInstance&) const = default;
};

class DrawableSplats;

/// Splats of a page.
inline constexpr std::size_t kPageSplats = 256;

/// Pages of a scene that is partly in the device's memory, and splats to fill them with.
struct PagesToFill {
  std::span<const std::uint32_t>
      pages;  // numbers, kPageSplats splats each; the last one may have fewer
  const DrawableSplats& splats;
  /// Number of the first of the splats in the whole scene: at equal depth, splats with smaller
  /// numbers come first.
  std::uint32_t first = 0;
};

class SplatTrainer;
struct TrainerSettings;
class DeviceField;
class FieldFitter;
class FieldTrainer;
struct FieldTrainerSettings;
struct NeuralField;

/// A device that renders and trains. Operations are coarse; no device type crosses this interface.
/// Not thread safe.
class Backend {
 public:
  virtual ~Backend() = default;
  /// Text for messages: the device, its instruction set or architecture, its threads or memory.
  virtual std::string description() const = 0;
  /// Moves the cloud to the device. It is passed by value to avoid a second copy.
  virtual std::unique_ptr<DeviceScene> upload(SplatCloud cloud) = 0;
  /// Replaces splats of a scene: the splat with index splats[i] in the uploaded cloud gets the
  /// values of splat i of `values`. The order in memory stays, so the cost depends on the number of
  /// these splats, not of all. Indices must differ, and `values` must have the scene's SH degree.
  /// If this throws, a part of the change may be done.
  virtual void update(DeviceScene& scene, std::span<const std::uint32_t> splats,
                      SplatCloud values) = 0;
  /// Makes a scene of `pages` pages of kPageSplats splats, all empty, for parts of a whole scene
  /// that has `splats` splats. Throws Error if this backend shows no such scenes.
  virtual std::unique_ptr<DeviceScene> make_pages(const SplatForm& form, std::size_t pages,
                                                  std::size_t splats);
  /// Fills pages of such a scene. The splats are of its form and were prepared by any thread.
  virtual void fill_pages(DeviceScene& scene, const PagesToFill& fill);
  /// Makes pages of one part or of several empty. Those that were filled together are emptied
  /// together.
  virtual void empty_pages(DeviceScene& scene, std::span<const std::uint32_t> pages);
  /// Marks the splats of the mask, which has one bit for each splat of the uploaded cloud, and no
  /// others. Pictures show marks only with RenderSettings::marks. update() keeps them.
  virtual void mark(DeviceScene& scene, const SplatMask& marked) = 0;
  /// Renders one view of the scenes, at least one, into `frame`. Splats of all scenes are sorted
  /// together by depth; at equal depth those of an earlier scene come first. Moving or omitting a
  /// scene needs no upload. Throws Error as prepare_frame() and check_same_kind() do; a ModelList
  /// draws scenes of different kinds. A scene with features is the only one; its picture is opaque
  /// and has no background.
  virtual FrameStats render_scenes(std::span<const SceneInstance> scenes, const Camera& camera,
                                   const RenderSettings& settings, Frame& frame) = 0;
  /// Renders one view of a scene that is in the world's frame.
  FrameStats render(const DeviceScene& scene, const Camera& camera, const RenderSettings& settings,
                    Frame& frame) {
    const SceneInstance instance{.scene = &scene};
    return render_scenes({&instance, 1}, camera, settings, frame);
  }
  virtual bool has_fast_precision() const { return false; }
  /// Whether pictures can stay on the device and be shared with another API.
  virtual bool shares_pictures() const { return false; }
  /// Makes a sink for pictures shared with another API. Throws Error, with the reason, if this
  /// backend cannot share pictures.
  virtual std::unique_ptr<PictureSink> import_pictures(SharedPictures pictures);
  /// Makes a trainer that owns the cloud. It must not outlive the backend.
  virtual std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                                     const TrainerSettings& settings) = 0;
  /// Moves a neural field to the device. Throws Error if this backend cannot draw it.
  virtual std::unique_ptr<DeviceField> upload_field(NeuralField field);
  /// Makes a fitter that continues from the field, which has one network. Throws Error if this
  /// backend does not train such a field.
  virtual std::unique_ptr<FieldFitter> make_field_fitter(NeuralField field);
  /// Makes a trainer that continues from the field. `cameras`: cells of the occupancy grid that
  /// none of them sees stay empty. Throws Error if this backend cannot train it.
  virtual std::unique_ptr<FieldTrainer> make_field_trainer(NeuralField field,
                                                           const FieldTrainerSettings& settings,
                                                           std::span<const Camera> cameras);
  /// The memory of the device and of the request; empty if the device uses the host's memory.
  virtual std::optional<MemoryEstimate> memory_for(const MemoryRequest&) const { return {}; }
  /// The same of a field in training, whose parameters may be missing: elements are parameters, and
  /// pixels the `samples` of a step. `eikonal`: whether steps have the eikonal loss. Empty also for
  /// a field that this backend does not train.
  virtual std::optional<MemoryEstimate> memory_for_field(const NeuralField& /*field*/,
                                                         std::uint64_t /*samples*/,
                                                         bool /*eikonal*/) const {
    return {};
  }
};

struct DeviceOptions {
  int threads = 0;  // CPU threads; 0: as many as this process may use
  std::string isa;  // CPU instruction set: v2, v3, v4, v4bf16, v4amx; empty: the best supported
  /// Index among the devices of the kind; empty: the first that works.
  std::optional<int> index = std::nullopt;
};

struct BackendProbe {
  bool usable = false;
  std::string detail;  // the device found, or the reason why it is unusable and the remedy
};

/// One GPU as its driver describes it.
struct GpuDescription {
  int index = 0;
  std::string name;
  int compute_major = 0, compute_minor = 0;  // compute capability
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0, free_bytes = 0;
  std::string driver;   // the newest CUDA version that the driver supports: "13.0"
  std::string problem;  // reason why it is unusable; empty if it is usable
  std::string remedy;   // remedy for the problem
};

}  // namespace mote

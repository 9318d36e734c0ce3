#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "cuda/kernels/filing.h"
#include "cuda/kernels/frame.h"
#include "cuda/kernels/frame_start.h"
#include "cuda/kernels/offset_copy.h"
#include "cuda/kernels/projection.h"
#include "cuda/kernels/segment_sort.h"
#include "cuda/runtime/runtime.h"
#include "splats/life_range.h"

namespace mote::cuda {

/// Kernels index splats with 32 bits.
inline constexpr std::size_t kMostSplats = std::size_t{1} << 31;

/// Splats in device memory as a frame reads them. All pointers are device pointers.
struct DeviceSplats {
  SplatKind kind;
  SplatMotion motion;
  const float* geometry;                   // [blocks][fields of kind and motion][16]
  const float* sh;                         // [blocks][coefficient][3][16]
  const std::uint16_t* half_sh = nullptr;  // the same in half precision, which is read instead
  const float* marks = nullptr;            // [count] 1 for marked splats, else 0; null: none
  std::size_t count;
  int sh_degree;
  bool activated;                    // log_scale holds scales, logit_opacity opacities
  const Cluster* clusters;           // clusters of kProjectThreads splats each; null: no culling
  const BlockLife* lives = nullptr;  // [blocks] of splats with lives; null: not known
  const std::uint32_t* index;        // [count] index in the file; null: equal to the index here
  const std::uint32_t* slot_of;      // [count] its inverse
  std::uint64_t dropped;             // splats that cannot be drawn, for statistics
  /// For splats with features, on the host; null: they have harmonics.
  const FeatureDecoder* decoder = nullptr;
  LifeRange bounded = {-kForEver, kForEver};  // times at which the clusters bound the splats
  static constexpr double kForEver = std::numeric_limits<double>::infinity();
};

/// Splats at their place in the world, and their time.
struct PlacedSplats {
  DeviceSplats splats;
  Similarity world_from_scene = {};
  double time_s = 0;
};

std::size_t splat_count(std::span<const PlacedSplats> scenes);

/// The kernels' parameters for a view of a scene at its place in the world.
FrameParams frame_params(const Camera& camera, const PlacedSplats& scene,
                         const RenderSettings& settings);

/// All values that the work for a frame's lists depends on. Frames with equal values differ only in
/// device memory, including the camera, so a recording of one can draw the other.
struct ListWork {
  /// Projection of one scene.
  struct Projection {
    ProjectArgs args;
    int sh_degree;

    bool operator==(const Projection&) const = default;
  };

  FrameStartArgs start;
  std::vector<OffsetCopyArgs> scene_order;  // with several scenes: joins their orders into one
  std::vector<Projection> projections;      // one per scene; their splats follow each other
  bool antialiased;
  const std::uint32_t* slot_of;  // as in DeviceSplats, of all splats
  FilingArgs filing;
  SegmentSortArgs sort;

  bool operator==(const ListWork&) const = default;
};

/// The common part of rendering and training: splats are projected, binned by macro tiles, and
/// sorted by depth. Memory is reused from frame to frame. A lack of memory may be known only after
/// the device has counted: see fits().
class TileLists {
 public:
  /// `with_slots`: also number the pairs of splats and macro tiles, for sums per pair.
  TileLists(cudaStream_t stream, bool with_slots);

  /// Sets the view of the next frames of the scenes, at least one, and allocates memory. Throws
  /// Error for more splats than kernels can index.
  void prepare(std::span<const PlacedSplats> scenes, const Camera& camera,
               const RenderSettings& settings, const TexelTarget& texels = {});
  /// The work of these frames. Valid until prepare(), or until fits() returns false.
  ListWork work(std::span<const PlacedSplats> scenes, const RenderSettings& settings);
  /// The stages of a frame, in this order.
  void enqueue_projection(const ListWork& work);
  void enqueue_filing(const ListWork& work);
  void enqueue_sorting(const ListWork& work);
  /// Copies the counts to the host; counters() returns them when the stream has reached this point.
  void enqueue_counters();
  /// Whether the memory was sufficient for all pairs of the last frame. If not, the frame was not
  /// drawn and memory was allocated: run it again. Throws Error if that is impossible.
  bool fits();

  /// The parameters of the first scene.
  const FrameParams& host_params() const { return *host_params_.data(); }
  const FrameParams* params() const { return params_.data(); }
  /// The kind of the splats of the last prepare().
  SplatKind kind() const { return kind_; }
  const SplatRecord* records() const { return records_.data(); }
  /// The further words of the kind or of solids, in the order of the records.
  const float* extras() const { return extras_.data(); }
  const MacroRect* rects() const { return rects_.data(); }
  const unsigned* first_slots() const { return with_slots_ ? first_slots_.data() : nullptr; }
  const unsigned* first() const { return first_.data(); }
  const TileKey* keys() const { return keys_.data(); }
  FrameCounters* device_counters() { return counters_.data(); }
  /// The queues of macro tiles for forward and backward blending; each is used once per frame.
  TileQueue blend_queue() { return {order_.data(), tiles_, &device_counters()->blended}; }
  TileQueue backward_queue() { return {order_.data(), tiles_, &device_counters()->blended_back}; }
  const FrameCounters& counters() const { return *host_counters_.data(); }
  unsigned tiles() const { return tiles_; }
  std::size_t key_capacity() const { return keys_.size(); }
  std::size_t slot_capacity() const { return slot_capacity_; }
  std::size_t memory_bytes() const;

 private:
  /// The pairs of index and slot of all splats, in order_index_ and order_slot_of_.
  std::vector<OffsetCopyArgs> scene_order(std::span<const PlacedSplats> scenes);
  ListWork::Projection projection(const PlacedSplats& scene, std::size_t number,
                                  std::size_t first_splat, const RenderSettings& settings);

  cudaStream_t stream_;
  bool with_slots_;
  SplatKind kind_ = SplatKind::gaussian;
  std::size_t extra_words_ = 0;
  unsigned tiles_ = 0;
  std::size_t slot_capacity_ = 0;
  PinnedBuffer<FrameParams> host_params_;
  PinnedBuffer<FrameCounters> host_counters_;
  DeviceBuffer<FrameParams> params_;
  DeviceBuffer<FrameCounters> counters_;
  DeviceBuffer<SplatRecord> records_;
  DeviceBuffer<float> extras_;
  DeviceBuffer<MacroRect> rects_;
  DeviceBuffer<std::uint32_t> order_index_, order_slot_of_;  // of several scenes
  DeviceBuffer<unsigned> first_slots_, tile_counts_, first_, next_, order_;
  DeviceBuffer<SortStep> sort_steps_;
  DeviceBuffer<unsigned> sort_steps_done_;
  DeviceBuffer<TileKey> keys_, scratch_;
};

}  // namespace mote::cuda

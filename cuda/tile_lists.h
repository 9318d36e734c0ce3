#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "cuda/kernels/filing.h"
#include "cuda/kernels/frame.h"
#include "cuda/kernels/projection.h"
#include "cuda/kernels/segment_sort.h"
#include "cuda/runtime.h"

namespace mote::cuda {

/// Splats on the device as a frame reads them, whoever holds them. All pointers are the device's.
struct DeviceSplats {
  const float* geometry;  // [blocks][kFieldCount][16]
  const float* sh;        // [blocks][coefficient][3][16]
  std::size_t count;
  int sh_degree;
  bool activated;                // log_scale holds scales, logit_opacity opacities
  const Cluster* clusters;       // of kProjectThreads splats; null where there are none
  const std::uint32_t* index;    // [count] place in the file; null where it is the place here
  const std::uint32_t* slot_of;  // [count] its inverse
  std::uint64_t dropped;         // splats that cannot be drawn, for the statistics
};

/// What the kernels are told of a view.
FrameParams frame_params(const Camera& camera, const RenderSettings& settings);

/// All that is told by value to the work that makes a frame's lists. Where it is equal, frames
/// differ only in what lies in device memory, the camera too: one's recorded work does the other.
struct ListWork {
  ProjectArgs project;
  int sh_degree;
  bool antialiased;
  FilingArgs filing;
  SegmentSortArgs sort;

  bool operator==(const ListWork&) const = default;
};

/// What of a frame is the same for rendering and training: the splats projected, filed by macro
/// tiles and sorted by depth. Memory is kept from frame to frame, and may prove too small only once
/// the device has counted: see fits().
class TileLists {
 public:
  /// `with_slots`: number the pairs of splats and macro tiles too, for what is summed over them.
  TileLists(cudaStream_t stream, bool with_slots);

  /// Sets the view of the frames to come and makes room.
  void prepare(const DeviceSplats& splats, const Camera& camera, const RenderSettings& settings);
  /// The work of these frames. It holds until prepare(), or fits() where that says false.
  ListWork work(const DeviceSplats& splats, const RenderSettings& settings);
  /// The stages of a frame, given to the stream in this order.
  void enqueue_projection(const ListWork& work);
  void enqueue_filing(const ListWork& work);
  void enqueue_sorting(const ListWork& work);
  /// Copies the counts to the host; counters() are those once the stream has come here.
  void enqueue_counters();
  /// Whether the frame just done had room for all its pairs. If not it was not drawn, and there is
  /// room now: do it again. Throws Error where there can be no room.
  bool fits();

  const FrameParams& host_params() const { return *host_params_.data(); }
  const FrameParams* params() const { return params_.data(); }
  const SplatRecord* records() const { return records_.data(); }
  const SolidSurface<float>* surfaces() const {
    return surfaces_.data();
  }  // as records(), of solids
  const MacroRect* rects() const { return rects_.data(); }
  const unsigned* first_slots() const { return with_slots_ ? first_slots_.data() : nullptr; }
  const unsigned* first() const { return first_.data(); }
  const TileKey* keys() const { return keys_.data(); }
  FrameCounters* device_counters() { return counters_.data(); }
  /// The macro tiles for blending, and for blending backwards; each once a frame.
  TileQueue blend_queue() { return {order_.data(), tiles_, &device_counters()->blended}; }
  TileQueue backward_queue() { return {order_.data(), tiles_, &device_counters()->blended_back}; }
  const FrameCounters& counters() const { return *host_counters_.data(); }
  unsigned tiles() const { return tiles_; }
  std::size_t key_capacity() const { return keys_.size(); }
  std::size_t slot_capacity() const { return slot_capacity_; }
  std::size_t memory_bytes() const;

 private:
  cudaStream_t stream_;
  bool with_slots_;
  unsigned tiles_ = 0;
  std::size_t slot_capacity_ = 0;
  PinnedBuffer<FrameParams> host_params_;
  PinnedBuffer<FrameCounters> host_counters_;
  DeviceBuffer<FrameParams> params_;
  DeviceBuffer<FrameCounters> counters_;
  DeviceBuffer<SplatRecord> records_;
  DeviceBuffer<SolidSurface<float>> surfaces_;
  DeviceBuffer<MacroRect> rects_;
  DeviceBuffer<unsigned> first_slots_, tile_counts_, first_, next_, order_;
  DeviceBuffer<TileKey> keys_, scratch_;
};

}  // namespace mote::cuda

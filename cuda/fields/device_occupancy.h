#pragma once

// The cells that rays take samples in, on the device.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/fields/nerf_networks.h"
#include "cuda/kernels/fields/ray_march.h"
#include "cuda/runtime/runtime.h"
#include "fields/occupancy.h"

namespace mote::cuda {

class DeviceOccupancy {
 public:
  explicit DeviceOccupancy(cudaStream_t stream) : stream_(stream) {}

  /// Copies the bits, in stream order, and waits for that.
  void upload(const OccupancyBits& bits);
  /// Enqueues to make the bits from densities, which are in device memory.
  void enqueue(const float* densities, int cascades);
  DeviceCells cells() const {
    return {{words_.data(), blocks_.data(), codes_.data(), cascades_}, box_.data()};
  }
  std::size_t memory_bytes() const { return words_.bytes() + blocks_.bytes() + codes_.bytes(); }
  /// The same before it is taken.
  static std::size_t bytes_for(int cascades);

 private:
  void make_space(int cascades);

  cudaStream_t stream_;
  int cascades_ = 1;
  DeviceBuffer<std::uint64_t> words_{"occupied cells"}, blocks_{"occupied cells"};
  DeviceBuffer<std::uint8_t> codes_{"densities of cells"};
  DeviceBuffer<OccupiedBox> box_{"a box"};
  DeviceBuffer<float> threshold_{"a density"};
};

/// An update of the densities of a field in training.
struct OccupancyUpdate {
  bool all;           // measure all cells that a camera sees, in place of random ones
  CellCounts counts;  // of random cells
  float decay;
  std::uint64_t seed, step;  // see random_cells()
};

/// The densities of a field in training, and the bits that follow from them.
class TrainedOccupancy {
 public:
  /// `form` must outlive this.
  TrainedOccupancy(const NerfForm& form, cudaStream_t stream)
      : form_(form), stream_(stream), bits_(stream), samples_(form, stream) {}

  /// Copies densities, in stream order, and waits for that.
  void upload(const OccupancyDensities& densities);
  /// Waits for a copy of the densities.
  std::vector<float> densities() const;
  /// Makes space for an update. Throws Error if memory is insufficient; the densities stay.
  void make_space(const OccupancyUpdate& update);
  /// Enqueues an update, for which there is space.
  void enqueue(const OccupancyUpdate& update, const NerfTables& tables);

  const DeviceOccupancy& bits() const { return bits_; }
  /// Number of densities of all cascades.
  std::size_t size() const { return densities_.size(); }
  /// Bytes on the device, with the space of the first update.
  static std::size_t bytes_for(const NerfForm& form, int cascades);

 private:
  unsigned slots_for(const OccupancyUpdate& update) const;
  void enqueue_choice(const OccupancyUpdate& update);
  /// Measures the chosen cells from number `first` on.
  void enqueue_part(const OccupancyUpdate& update, const NerfTables& tables, unsigned first);

  const NerfForm& form_;
  cudaStream_t stream_;
  int cascades_ = 1;
  DeviceOccupancy bits_;
  NerfSamples samples_;
  DeviceBuffer<float> densities_{"densities of cells"}, positions_{"positions of cells"};
  DeviceBuffer<std::uint32_t> slots_{"chosen cells"}, listed_{"occupied cells"},
      scratch_{"counts of cells"}, cells_{"chosen cells"};
  DeviceBuffer<unsigned> counts_{"counts of cells"};
};

}  // namespace mote::cuda

#include "cuda/fields/device_occupancy.h"

#include <algorithm>

#include "core/error.h"
#include "cuda/kernels/fields/occupancy_update.h"
#include "cuda/kernels/fields/prefix_sums.h"
#include "math/counter_random.h"

namespace mote::cuda {
namespace {

/// Cells that are measured at once, so that they take little memory.
constexpr unsigned kMeasuredAtOnce = 1u << 18;

enum CellCount : unsigned { kChosen, kListed, kPart, kCellCounts };

std::size_t cell_count(int cascades) {
  return static_cast<std::size_t>(cascades) * kOccupancyCells;
}

std::size_t scratch_size(std::size_t counts) {
  return counts + sum_blocks_of(static_cast<unsigned>(counts));
}

}  // namespace

void DeviceOccupancy::make_space(int cascades) {
  cascades_ = cascades;
  const std::size_t cells = cell_count(cascades);
  words_.resize_discard(cells / 64);
  blocks_.resize_discard(cells / 4096);
  codes_.resize_discard(cells);
  box_.resize_discard(1);
  threshold_.resize_discard(1);
}

void DeviceOccupancy::upload(const OccupancyBits& bits) {
  const OccupancyView view = bits;
  make_space(view.cascades);
  words_.upload({view.words, words_.size()}, stream_);
  blocks_.upload({view.blocks, blocks_.size()}, stream_);
  codes_.upload({view.densities, codes_.size()}, stream_);
  box_.upload({&bits.box(), 1}, stream_);
  check(cudaStreamSynchronize(stream_), "copying occupied cells");
}

void DeviceOccupancy::enqueue(const float* densities, int cascades) {
  make_space(cascades);
  run_occupancy_bits({.densities = densities,
                      .cascades = cascades,
                      .words = words_.data(),
                      .blocks = blocks_.data(),
                      .codes = codes_.data(),
                      .threshold = threshold_.data(),
                      .box = box_.data()},
                     stream_);
}

std::size_t DeviceOccupancy::bytes_for(int cascades) {
  const std::size_t cells = cell_count(cascades);
  return cells + cells / 8 + cells / 512;
}

void TrainedOccupancy::upload(const OccupancyDensities& densities) {
  cascades_ = densities.cascades;
  densities_.resize_discard(densities.values.size());
  densities_.upload(densities.values, stream_);
  bits_.enqueue(densities_.data(), cascades_);
  check(cudaStreamSynchronize(stream_), "copying the densities of cells");
}

std::vector<float> TrainedOccupancy::densities() const {
  std::vector<float> values(densities_.size());
  densities_.download(values, stream_);
  check(cudaStreamSynchronize(stream_), "copying the densities of cells");
  return values;
}

unsigned TrainedOccupancy::slots_for(const OccupancyUpdate& update) const {
  return slots_of(cascades_, update.all, static_cast<unsigned>(update.counts.uniform),
                  static_cast<unsigned>(update.counts.occupied));
}

void TrainedOccupancy::make_space(const OccupancyUpdate& update) {
  const unsigned slots = slots_for(update);
  counts_.resize_discard(kCellCounts);
  cells_.resize_discard(slots);
  const std::size_t groups = cell_count(cascades_) / 64;
  scratch_.resize_discard(scratch_size(update.all ? groups : std::max<std::size_t>(slots, groups)));
  if (!update.all) {
    slots_.resize_discard(slots);
    listed_.resize_discard(kOccupancyCells);
  }
  samples_.begin(std::min(slots, kMeasuredAtOnce), false);
  positions_.resize_discard(3 * samples_.stride());
}

void TrainedOccupancy::enqueue(const OccupancyUpdate& update, const NerfTables& tables) {
  const unsigned slots = slots_for(update);
  enqueue_choice(update);
  run_density_decay(densities_.data(), cascades_, update.decay, stream_);
  for (unsigned first = 0; first < slots; first += kMeasuredAtOnce) {
    enqueue_part(update, tables, first);
  }
  bits_.enqueue(densities_.data(), cascades_);
}

void TrainedOccupancy::enqueue_choice(const OccupancyUpdate& update) {
  run_cell_choice({.densities = densities_.data(),
                   .cascades = cascades_,
                   .all = update.all,
                   .uniform = static_cast<unsigned>(update.counts.uniform),
                   .occupied = static_cast<unsigned>(update.counts.occupied),
                   .seed = random_bits(update.seed, update.step),
                   .slots = slots_.data(),
                   .listed = listed_.data(),
                   .scratch = scratch_.data(),
                   .occupied_count = counts_.data() + kListed,
                   .cells = cells_.data(),
                   .count = counts_.data() + kChosen},
                  stream_);
}

void TrainedOccupancy::enqueue_part(const OccupancyUpdate& update, const NerfTables& tables,
                                    unsigned first) {
  const auto most =
      static_cast<unsigned>(std::min<std::size_t>(kMeasuredAtOnce, cells_.size() - first));
  const unsigned* const own = counts_.data() + kPart;
  run_cell_places({.cells = cells_.data(),
                   .count = counts_.data() + kChosen,
                   .first = first,
                   .most = most,
                   .seed = update.seed,
                   .box_min = form_.box_min,
                   .box_size = form_.box_size,
                   .positions = positions_.data(),
                   .stride = samples_.stride(),
                   .part_count = counts_.data() + kPart},
                  stream_);
  samples_.enqueue_density(tables, positions_.data(), {.first = 0, .count = most, .known = own});
  run_density_measure({.cells = cells_.data() + first,
                       .count = own,
                       .most = most,
                       .raw = samples_.density().data(),
                       .soft = form_.soft,
                       .densities = densities_.data()},
                      stream_);
}

std::size_t TrainedOccupancy::bytes_for(const NerfForm& form, int cascades) {
  const std::size_t cells = cell_count(cascades);
  return DeviceOccupancy::bytes_for(cascades) + 2 * cells * sizeof(float) +
         NerfSamples::bytes_for(form, kMeasuredAtOnce, false) + 3 * kMeasuredAtOnce * sizeof(float);
}

}  // namespace mote::cuda

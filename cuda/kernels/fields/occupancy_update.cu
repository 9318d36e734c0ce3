// The occupancy grid of a field in training: cells to measure, their densities, and the bits that
// rays read.

#include "cuda/kernels/fields/occupancy_update.h"

#include "cuda/kernels/fields/prefix_sums.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "math/counter_random.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256, kCellGroup = 64;
constexpr unsigned kSumThreads = 1024;  // of blocks that sum up all cells
constexpr std::uint32_t kNoCell = 0xffffffff;

LaunchShape shape_of(std::size_t count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

MOTE_DEVICE unsigned own_number() {
  return blockIdx.x * kThreads + threadIdx.x;
}

/// Cells with more density than `least`; or, where `least` is below 0, with any.
MOTE_DEVICE bool is_listed(float density, float least) {
  return least < 0 ? density >= 0 : density > least;
}

/// A thread for each group of cells.
MOTE_KERNEL(kThreads)
mark_cells(const float* densities, unsigned groups, float least, std::uint32_t* counts) {
  const unsigned i = own_number();
  if (i >= groups) return;
  std::uint32_t listed = 0;
  for (std::size_t cell = std::size_t{i} * kCellGroup; cell < (i + 1) * kCellGroup; ++cell) {
    listed += is_listed(densities[cell], least) ? 1 : 0;
  }
  counts[i] = listed;
}

MOTE_KERNEL(kThreads)
list_cells(const float* densities, unsigned groups, float least, const std::uint32_t* sums,
           std::uint32_t first, std::uint32_t* list) {
  const unsigned i = own_number();
  if (i >= groups) return;
  std::uint32_t place = sum_before(sums, groups, i);
  for (std::size_t cell = std::size_t{i} * kCellGroup; cell < (i + 1) * kCellGroup; ++cell) {
    if (is_listed(densities[cell], least)) list[place++] = first + static_cast<unsigned>(cell);
  }
}

/// Slots of one cascade.
MOTE_KERNEL(kThreads) choose_cells(CellChoiceArgs args, unsigned cascade) {
  const unsigned i = own_number(), of_cascade = args.uniform + args.occupied;
  if (i >= of_cascade) return;
  const std::size_t slot = std::size_t{cascade} * of_cascade + i;
  const std::uint64_t bits = random_bits(args.seed, slot);
  const unsigned listed = *args.occupied_count;
  if (i >= args.uniform && listed > 0) {
    args.slots[slot] = args.listed[random_below(listed, bits)];
    return;
  }
  const auto cell =
      static_cast<std::uint32_t>(cascade * kOccupancyCells + random_below(kOccupancyCells, bits));
  args.slots[slot] = args.densities[cell] >= 0 ? cell : kNoCell;
}

MOTE_KERNEL(kThreads) mark_slots(const std::uint32_t* slots, unsigned count, std::uint32_t* marks) {
  const unsigned i = own_number();
  if (i < count) marks[i] = slots[i] == kNoCell ? 0 : 1;
}

MOTE_KERNEL(kThreads)
list_slots(const std::uint32_t* slots, unsigned count, const std::uint32_t* sums,
           std::uint32_t* cells) {
  const unsigned i = own_number();
  if (i < count && slots[i] != kNoCell) cells[sum_before(sums, count, i)] = slots[i];
}

MOTE_KERNEL(kThreads) place_cells(CellPlaceArgs args) {
  const unsigned i = own_number(), all = *args.count;
  const unsigned left = all > args.first ? all - args.first : 0;
  const unsigned own = left < args.most ? left : args.most;
  if (i == 0) *args.part_count = own;
  if (i >= own) return;
  const unsigned number = args.first + i;
  const Vec3<float> at =
      cell_position(args.cells[number], random_place(random_bits(args.seed, number)));
  const float scale = 1 / args.box_size;
  args.positions[i] = (at.x - args.box_min) * scale;
  args.positions[args.stride + i] = (at.y - args.box_min) * scale;
  args.positions[2 * args.stride + i] = (at.z - args.box_min) * scale;
}

/// A thread goes through cells that are `groups` apart.
MOTE_KERNEL(kThreads) decay_densities(float* densities, unsigned groups, float decay) {
  const unsigned i = own_number();
  if (i >= groups) return;
  for (std::size_t k = 0; k < kCellGroup; ++k) {
    float& density = densities[k * groups + i];
    density = updated_density(density, 0, decay);
  }
}

/// Bits of floats from 0 on are in the order of the floats, and those of kUnseenDensity above all.
MOTE_KERNEL(kThreads) measure_densities(DensityMeasureArgs args) {
  const unsigned i = own_number();
  if (i >= *args.count) return;
  const float measured = optical_thickness(log_density(args.soft, args.raw[i]), kSmallestStep);
  if (!(measured > 0)) return;
  atomicMax(reinterpret_cast<unsigned*>(args.densities + args.cells[i]), __float_as_uint(measured));
}

struct DensitySums {
  double of_thread[kSumThreads];
};

/// occupancy_threshold(). One block.
MOTE_KERNEL(kSumThreads) find_threshold(const float* densities, float* threshold) {
  DensitySums& sums = block_shared<DensitySums>();
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < kOccupancyCells; i += kSumThreads) {
    const float density = densities[i];
    if (density > 0) sum += static_cast<double>(density);
  }
  sums.of_thread[threadIdx.x] = sum;
  for (unsigned half = kSumThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    sums.of_thread[threadIdx.x] += sums.of_thread[threadIdx.x + half];
  }
  if (threadIdx.x != 0) return;
  const auto mean = static_cast<float>(sums.of_thread[0] / kOccupancyCells);
  *threshold = mean < kOccupiedDensity ? mean : kOccupiedDensity;
}

MOTE_KERNEL(kThreads) fill_words(OccupancyBitArgs args, unsigned count) {
  const unsigned w = own_number();
  if (w >= count) return;
  const float threshold = *args.threshold;
  std::uint64_t word = 0;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    const std::size_t cell = std::size_t{w} * 64 + bit;
    const float density = args.densities[cell];
    word |= std::uint64_t{density > threshold ? 1u : 0u} << bit;
    args.codes[cell] = static_cast<std::uint8_t>(coarse_density_code(density));
  }
  args.words[w] = word;
}

MOTE_KERNEL(kThreads) add_finer_words(OccupancyBitArgs args, unsigned cascade) {
  const unsigned w = own_number();
  if (w >= kFinerWords) return;
  const std::uint64_t* finer = args.words + std::size_t{cascade - 1} * kOccupancyWords;
  args.words[std::size_t{cascade} * kOccupancyWords + coarser_word(w)] |=
      word_of_finer(finer + std::size_t{w} * 8);
}

MOTE_KERNEL(kThreads) fill_blocks(OccupancyBitArgs args, unsigned count) {
  const unsigned i = own_number();
  if (i >= count) return;
  std::uint64_t block = 0;
  for (int bit = 0; bit < 64; ++bit) {
    block |=
        std::uint64_t{args.words[std::size_t{i} * 64 + static_cast<std::size_t>(bit)] != 0 ? 1u
                                                                                           : 0u}
        << bit;
  }
  args.blocks[i] = block;
}

struct ThreadBoxes {
  OccupiedBox of_thread[kSumThreads];
};

/// One block.
MOTE_KERNEL(kSumThreads) find_occupied_box(OccupancyBitArgs args, unsigned words) {
  ThreadBoxes& boxes = block_shared<ThreadBoxes>();
  OccupiedBox own = no_occupied_box();
  for (unsigned w = threadIdx.x; w < words; w += kSumThreads) {
    if (args.words[w] != 0) include_word(w, own);
  }
  boxes.of_thread[threadIdx.x] = own;
  for (unsigned half = kSumThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x >= half) continue;
    OccupiedBox& to = boxes.of_thread[threadIdx.x];
    const OccupiedBox& from = boxes.of_thread[threadIdx.x + half];
    to.min = {min(to.min.x, from.min.x), min(to.min.y, from.min.y), min(to.min.z, from.min.z)};
    to.max = {max(to.max.x, from.max.x), max(to.max.y, from.max.y), max(to.max.z, from.max.z)};
  }
  if (threadIdx.x == 0) *args.box = boxes.of_thread[0];
}

/// Lists the cells with a density above `least`.
void enqueue_list(const float* densities, unsigned count, float least, std::uint32_t first,
                  std::uint32_t* scratch, std::uint32_t* list, unsigned* listed,
                  cudaStream_t stream) {
  const unsigned groups = count / kCellGroup;
  const LaunchShape shape = shape_of(groups, "choosing cells");
  launch(mark_cells, shape, stream, densities, groups, least, scratch);
  run_prefix_sums(scratch, groups, listed, stream);
  launch(list_cells, shape, stream, densities, groups, least,
         static_cast<const std::uint32_t*>(scratch), first, list);
}

unsigned cells_of(int cascades) {
  return static_cast<unsigned>(cascades) * static_cast<unsigned>(kOccupancyCells);
}

}  // namespace

void run_cell_choice(const CellChoiceArgs& args, cudaStream_t stream) {
  if (args.all) {
    enqueue_list(args.densities, cells_of(args.cascades), -1, 0, args.scratch, args.cells,
                 args.count, stream);
    return;
  }
  for (int cascade = 0; cascade < args.cascades; ++cascade) {
    const unsigned first = cells_of(cascade);
    enqueue_list(args.densities + first, cells_of(1), kOccupiedDensity, first, args.scratch,
                 args.listed, args.occupied_count, stream);
    launch(choose_cells, shape_of(args.uniform + args.occupied, "choosing cells"), stream, args,
           static_cast<unsigned>(cascade));
  }
  const unsigned slots = slots_of(args.cascades, false, args.uniform, args.occupied);
  const LaunchShape shape = shape_of(slots, "choosing cells");
  const std::uint32_t* const chosen = args.slots;
  launch(mark_slots, shape, stream, chosen, slots, args.scratch);
  run_prefix_sums(args.scratch, slots, args.count, stream);
  launch(list_slots, shape, stream, chosen, slots, static_cast<const std::uint32_t*>(args.scratch),
         args.cells);
}

void run_cell_places(const CellPlaceArgs& args, cudaStream_t stream) {
  launch(place_cells, shape_of(args.most, "places in cells"), stream, args);
}

void run_density_decay(float* densities, int cascades, float decay, cudaStream_t stream) {
  const unsigned groups = cells_of(cascades) / kCellGroup;
  launch(decay_densities, shape_of(groups, "densities of cells"), stream, densities, groups, decay);
}

void run_density_measure(const DensityMeasureArgs& args, cudaStream_t stream) {
  launch(measure_densities, shape_of(args.most, "densities of cells"), stream, args);
}

void run_occupancy_bits(const OccupancyBitArgs& args, cudaStream_t stream) {
  const unsigned cells = cells_of(args.cascades), words = cells / 64, blocks = words / 64;
  launch(find_threshold, {.blocks = 1, .threads = kSumThreads, .name = "occupied cells"}, stream,
         args.densities, args.threshold);
  launch(fill_words, shape_of(words, "occupied cells"), stream, args, words);
  for (unsigned cascade = 1; cascade < static_cast<unsigned>(args.cascades); ++cascade) {
    launch(add_finer_words, shape_of(kFinerWords, "occupied cells"), stream, args, cascade);
  }
  launch(fill_blocks, shape_of(blocks, "occupied cells"), stream, args, blocks);
  launch(find_occupied_box, {.blocks = 1, .threads = kSumThreads, .name = "occupied cells"}, stream,
         args, words);
}

}  // namespace mote::cuda

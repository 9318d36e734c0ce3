#include "cuda/cuda_pages.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "cuda/kernels/page_order.h"
#include "cuda/kernels/projection.h"
#include "cuda/kernels/scene_update.h"
#include "cuda/memory_estimate.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kPageBlocks = kPageSplats / kBlockSize;
static_assert(kPageSplats == kProjectThreads && kPageBlocks == kClusterBlocks);

constexpr std::uint32_t kNoPart = 0xffffffff;
constexpr BlockLife kNoLife{1, -1};

template <class T>
const T* copied_to(DeviceBuffer<T>& buffer, std::span<const T> values, cudaStream_t stream) {
  buffer.resize_discard(values.size());
  buffer.upload(values, stream);
  return buffer.data();
}

}  // namespace

CudaPages::CudaPages(const SplatForm& form, std::size_t pages, cudaStream_t stream)
    : form_(form),
      part_of_(pages, kNoPart),
      geometry_("the splats' geometry"),
      sh_("the splats' harmonics"),
      clusters_("bounds of splats"),
      lives_("lives of splats"),
      in_part_("the splats' order"),
      page_base_("the splats' order"),
      index_("the splats' order"),
      slot_of_("the splats' order"),
      new_geometry_("a part of the scene"),
      new_sh_("a part of the scene"),
      new_clusters_("a part of the scene"),
      new_lives_("a part of the scene"),
      slots_("a part of the scene"),
      places_("a part of the scene"),
      numbers_("a part of the scene") {
  const std::size_t splats = pages * kPageSplats;
  CHECK(pages > 0 && splats <= kMostSplats);
  check_scene_fits(splats, form, memory_estimate({.use = MemoryUse::scene, .splat = form}));
  const KindInfo& info = kind_info(form.kind, form.motion);
  geometry_.resize_discard(splats * static_cast<std::size_t>(info.field_count));
  sh_.resize_discard(splats * static_cast<std::size_t>(sh_coefficient_count(form.sh_degree)) * 3);
  clusters_.resize_discard(pages);
  clusters_.fill_bytes(0, stream);
  lives_.resize_discard(pages * kPageBlocks);
  in_part_.resize_discard(splats);
  index_.resize_discard(splats);
  slot_of_.resize_discard(splats);
  std::vector<std::uint32_t> all(pages);
  std::iota(all.begin(), all.end(), 0u);
  empty(all, stream);
}

void CudaPages::fill(const PagesToFill& fill, cudaStream_t stream) {
  const DrawableSplats& from = fill.splats;
  CHECK(from.form() == form_ && from.clusters().size() == fill.pages.size());
  bounded_ = from.bounded();
  const std::size_t filled = from.lives().size() * kBlockSize;
  std::vector<std::uint32_t> slots(filled);
  for (std::size_t i = 0; i < filled; ++i) {
    slots[i] = fill.pages[i / kPageSplats] * static_cast<std::uint32_t>(kPageSplats) +
               static_cast<std::uint32_t>(i % kPageSplats);
  }
  std::vector<BlockLife> lives(fill.pages.size() * kPageBlocks, kNoLife);
  std::ranges::copy(from.lives(), lives.begin());
  const KindInfo& info = kind_info(form_.kind, form_.motion);
  run_scene_update(
      {.new_geometry = copied_to(new_geometry_, from.geometry(), stream),
       .new_sh = copied_to(new_sh_, from.sh(), stream),
       .slots = copied_to(slots_, std::span<const std::uint32_t>(slots), stream),
       .count = static_cast<unsigned>(filled),
       .geometry_rows = static_cast<unsigned>(info.field_count),
       .sh_rows = static_cast<unsigned>(sh_coefficient_count(form_.sh_degree)) * 3,
       .geometry = geometry_.data(),
       .sh = sh_.data(),
       .new_clusters = copied_to(new_clusters_, std::span<const Cluster>(from.clusters()), stream),
       .changed_clusters = copied_to(places_, fill.pages, stream),
       .cluster_count = static_cast<unsigned>(fill.pages.size()),
       .clusters = clusters_.data()},
      stream);
  put_numbers(fill, slots, stream);
  for (const std::uint32_t page : fill.pages) part_of_[page] = fill.first;
  put_lives(fill.pages, lives, stream);
  order(stream);
}

/// The numbers of a part's splats; lanes after its last splat get the numbers after them.
void CudaPages::put_numbers(const PagesToFill& fill, std::span<const std::uint32_t> slots,
                            cudaStream_t stream) {
  const std::size_t lanes = fill.pages.size() * kPageSplats, count = fill.splats.count();
  std::vector<std::uint32_t> all(slots.begin(), slots.end()), numbers(lanes);
  for (std::size_t i = all.size(); i < lanes; ++i) {
    all.push_back(fill.pages[i / kPageSplats] * static_cast<std::uint32_t>(kPageSplats) +
                  static_cast<std::uint32_t>(i % kPageSplats));
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    numbers[i] = i < count ? fill.splats.index()[i] : static_cast<std::uint32_t>(i);
  }
  run_page_numbers({.slots = copied_to(slots_, std::span<const std::uint32_t>(all), stream),
                    .numbers = copied_to(numbers_, std::span<const std::uint32_t>(numbers), stream),
                    .count = static_cast<unsigned>(lanes),
                    .in_part = in_part_.data()},
                   stream);
  check(cudaStreamSynchronize(stream), "filling pages");
}

void CudaPages::put_lives(std::span<const std::uint32_t> pages, std::span<const BlockLife> lives,
                          cudaStream_t stream) {
  std::vector<std::uint32_t> blocks;
  for (const std::uint32_t page : pages) {
    for (std::uint32_t k = 0; k < kPageBlocks; ++k) {
      blocks.push_back(page * static_cast<std::uint32_t>(kPageBlocks) + k);
    }
  }
  run_life_update({.new_lives = copied_to(new_lives_, lives, stream),
                   .blocks = copied_to(places_, std::span<const std::uint32_t>(blocks), stream),
                   .count = static_cast<unsigned>(blocks.size()),
                   .lives = lives_.data()},
                  stream);
  check(cudaStreamSynchronize(stream), "filling pages");
}

void CudaPages::empty(std::span<const std::uint32_t> pages, cudaStream_t stream) {
  if (pages.empty()) return;
  std::vector<std::uint32_t> slots, numbers;
  for (const std::uint32_t page : pages) {
    part_of_[page] = kNoPart;
    for (std::uint32_t lane = 0; lane < kPageSplats; ++lane) {
      slots.push_back(page * static_cast<std::uint32_t>(kPageSplats) + lane);
      numbers.push_back(lane);
    }
  }
  run_page_numbers({.slots = copied_to(slots_, std::span<const std::uint32_t>(slots), stream),
                    .numbers = copied_to(numbers_, std::span<const std::uint32_t>(numbers), stream),
                    .count = static_cast<unsigned>(slots.size()),
                    .in_part = in_part_.data()},
                   stream);
  check(cudaStreamSynchronize(stream), "emptying pages");
  put_lives(pages, std::vector<BlockLife>(pages.size() * kPageBlocks, kNoLife), stream);
  order(stream);
}

/// Numbers all splats, parts in the order of the whole scene, then empty pages.
void CudaPages::order(cudaStream_t stream) {
  std::vector<std::uint32_t> pages(part_of_.size()), base(part_of_.size());
  std::iota(pages.begin(), pages.end(), 0u);
  std::ranges::stable_sort(pages, {}, [&](std::uint32_t page) { return part_of_[page]; });
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const std::uint32_t part = part_of_[pages[i]];
    const bool goes_on = i > 0 && part != kNoPart && part == part_of_[pages[i - 1]];
    base[pages[i]] = goes_on ? base[pages[i - 1]] : next;
    next += static_cast<std::uint32_t>(kPageSplats);
  }
  run_page_order({.page_base = copied_to(page_base_, std::span<const std::uint32_t>(base), stream),
                  .in_part = in_part_.data(),
                  .slots = static_cast<unsigned>(in_part_.size()),
                  .index = index_.data(),
                  .slot_of = slot_of_.data()},
                 stream);
  check(cudaStreamSynchronize(stream), "ordering pages");
}

DeviceSplats CudaPages::splats() const {
  return {.kind = form_.kind,
          .motion = form_.motion,
          .geometry = geometry_.data(),
          .sh = sh_.data(),
          .count = in_part_.size(),
          .sh_degree = form_.sh_degree,
          .activated = true,
          .clusters = clusters_.data(),
          .lives = lives_.data(),
          .index = index_.data(),
          .slot_of = slot_of_.data(),
          .dropped = 0,
          .bounded = bounded_};
}

}  // namespace mote::cuda

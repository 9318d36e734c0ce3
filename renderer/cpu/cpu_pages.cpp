#include "cpu/cpu_pages.h"

#include <algorithm>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::size_t kPageBlocks = kPageSplats / kBlockSize;
static_assert(kPageBlocks == kClusterBlocks);

constexpr BlockLife kNoLife{1, -1};

}  // namespace

CpuPages::CpuPages(const SplatForm& form, std::size_t pages, std::size_t splats)
    : form_(form),
      numbers_(splats),
      geometry_stride_(static_cast<std::size_t>(kind_info(form.kind, form.motion).field_count) *
                       kPageSplats),
      sh_stride_(static_cast<std::size_t>(sh_coefficient_count(form.sh_degree)) * 3 * kPageSplats),
      index_(pages * kPageSplats),
      clusters_(pages),
      lives_(pages * kPageBlocks, kNoLife) {
  geometry_.resize_discard(pages * geometry_stride_);
  sh_.resize_discard(pages * sh_stride_);
}

void CpuPages::fill(const PagesToFill& fill) {
  const DrawableSplats& from = fill.splats;
  CHECK(from.form() == form_ && from.clusters().size() == fill.pages.size());
  bounded_ = from.bounded();
  const std::size_t blocks = from.lives().size();
  for (std::size_t i = 0; i < fill.pages.size(); ++i) {
    const std::size_t page = fill.pages[i], first = i * kPageBlocks;
    CHECK(page < clusters_.size());
    const std::size_t filled = std::min(kPageBlocks, blocks - first);
    const auto copy = [&](std::span<const float> values, std::size_t stride, Buffer<float>& to) {
      const std::size_t per_block = stride / kPageBlocks;
      std::ranges::copy(values.subspan(first * per_block, filled * per_block),
                        to.data() + page * stride);
    };
    copy(from.geometry(), geometry_stride_, geometry_);
    copy(from.sh(), sh_stride_, sh_);
    for (std::size_t k = 0; k < filled * kBlockSize; ++k) {
      index_[page * kPageSplats + k] = fill.first + from.index()[first * kBlockSize + k];
    }
    const auto lives = lives_.begin() + static_cast<std::ptrdiff_t>(page * kPageBlocks);
    std::fill_n(lives, kPageBlocks, kNoLife);
    std::ranges::copy(from.lives().subspan(first, filled), lives);
    clusters_[page] = from.clusters()[i];
  }
}

void CpuPages::empty(std::span<const std::uint32_t> pages) {
  for (const std::uint32_t page : pages) {
    clusters_[page] = {};
    std::fill_n(lives_.begin() + static_cast<std::ptrdiff_t>(page * kPageBlocks), kPageBlocks,
                kNoLife);
  }
}

}  // namespace mote

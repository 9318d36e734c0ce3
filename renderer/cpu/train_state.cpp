#include "cpu/train_state.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"
#include "math/activations.h"
#include "splats/morton.h"

namespace mote {
namespace {

constexpr std::size_t kStateBlocksPerTask = 256;

void run_blocks(std::size_t blocks, ThreadPool& pool,
                const std::function<void(std::size_t block)>& work) {
  pool.run((blocks + kStateBlocksPerTask - 1) / kStateBlocksPerTask, [&](std::size_t task, int) {
    const std::size_t end = std::min(blocks, (task + 1) * kStateBlocksPerTask);
    for (std::size_t b = task * kStateBlocksPerTask; b < end; ++b) work(b);
  });
}

/// A cloud in which splat i is splat source[i] of `cloud`.
SplatCloud gathered(const SplatCloud& cloud, const std::vector<std::uint32_t>& source,
                    ThreadPool& pool) {
  SplatCloud result(source.size(), cloud);
  run_blocks(result.block_count(), pool, [&](std::size_t block) {
    const std::size_t first = block * kBlockSize;
    const std::size_t lanes = std::min(kBlockSize, source.size() - first);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      copy_splat(cloud, source[first + lane], result, first + lane);
    }
  });
  return result;
}

void forget_splat(SplatCloud& moments, std::size_t splat) {
  float* geometry = moments.geometry_block(splat / kBlockSize) + splat % kBlockSize;
  float* sh = moments.sh_block(splat / kBlockSize) + splat % kBlockSize;
  for (std::size_t f = 0; f < moments.geometry_stride(); f += kBlockSize) geometry[f] = 0;
  for (std::size_t k = 0; k < moments.sh_stride(); k += kBlockSize) sh[k] = 0;
}

/// Gathers values of any type through `scratch`, which has one float per splat.
template <class T>
void permute(Buffer<T>& values, const std::vector<std::uint32_t>& order,
             std::vector<float>& scratch) {
  static_assert(sizeof(T) == sizeof(float));
  for (std::size_t i = 0; i < order.size(); ++i) {
    scratch[i] = std::bit_cast<float>(values[order[i]]);
  }
  for (std::size_t i = 0; i < order.size(); ++i) values[i] = std::bit_cast<T>(scratch[i]);
}

}  // namespace

TrainState::TrainState(SplatCloud cloud, ThreadPool& pool) : all_(std::move(cloud)) {
  permute(all_.splats, morton_order(all_.splats, pool), pool);
  fill_zero(all_.first);
  fill_zero(all_.second);
  all_.last_step.resize_discard(all_.splats.block_count() * kBlockSize);
  std::ranges::fill(all_.last_step.span(), 0u);
  all_.clear_statistics();
}

SplatState TrainState::view() {
  return {all_.splats.geometry_block(0), all_.first.geometry_block(0),
          all_.second.geometry_block(0), all_.splats.sh_block(0),
          all_.first.sh_block(0),        all_.second.sh_block(0),
          all_.splats.sh_stride(),       all_.last_step.data(),
          all_.gradient_sum.data(),      all_.seen.data(),
          all_.radius_px.data()};
}

std::array<AdamRate, kRateGroups> TrainState::rates(const LearningRates& rates) const {
  std::array<AdamRate, kRateGroups> result{};
  const auto groups = by_group(rates);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    result[g] = {adam_step_at(steps() + 1, static_cast<double>(groups[g])).rate,
                 all_.drift[g].sums().data()};
  }
  return result;
}

void TrainState::begin_change() {
  for (AdamDrift& drift : all_.drift) drift.reserve_step();
  is_whole_ = false;
}

void TrainState::finish_step(const LearningRates& rates) {
  const auto groups = by_group(rates);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    all_.drift[g].add_step(static_cast<double>(groups[g]));
  }
  is_whole_ = true;
}

DensityStatistics TrainState::statistics() const {
  const std::size_t count = all_.splats.count();
  DensityStatistics result;
  result.gradient.assign(all_.gradient_sum.data(), all_.gradient_sum.data() + count);
  result.seen.assign(all_.seen.data(), all_.seen.data() + count);
  result.radius_px.assign(all_.radius_px.data(), all_.radius_px.data() + count);
  return result;
}

std::vector<SplatGeometry> TrainState::geometry() const {
  std::vector<SplatGeometry> result(all_.splats.count());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = load_geometry(all_.splats.info().planes, all_.splats.geometry_block(0), i);
  return result;
}

std::vector<MotionValues> TrainState::motions() const {
  std::vector<MotionValues> result(all_.splats.count());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = load_motion(all_.splats.info().planes, all_.splats.geometry_block(0), i);
  return result;
}

void TrainState::edit(const DensityEdit& edit, ThreadPool& pool) {
  CHECK(edit.forget.size() == edit.source.size());
  for (const std::uint32_t from : edit.source) CHECK(from < all_.splats.count());
  SplatCloud splats = gathered(all_.splats, edit.source, pool);
  for (const DensityEdit::Change& change : edit.changes) {
    CHECK(change.splat < splats.count());
    store_geometry(splats.info().planes, change.geometry, splats.geometry_block(0), change.splat);
  }
  for (const DensityEdit::Move& move : edit.moves) {
    CHECK(move.splat < splats.count());
    store_motion(splats.info().planes, move.motion, splats.geometry_block(0), move.splat);
  }
  for (const DensityEdit::Color& color : edit.colors) {
    CHECK(color.splat < splats.count());
    for (int k = 0; k < splats.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) splats.sh(color.splat, k, c) = k == 0 ? color.sh_0[c] : 0.0f;
    }
  }
  const std::vector<std::uint32_t> order = morton_order(splats, pool);
  permute(splats, order, pool);

  std::vector<std::uint32_t> source(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) source[i] = edit.source[order[i]];
  const std::size_t lanes = splats.block_count() * kBlockSize;
  Buffer<std::uint32_t> last_step(lanes);
  std::ranges::fill(last_step.span(), 0u);
  for (std::size_t i = 0; i < source.size(); ++i) last_step[i] = all_.last_step[source[i]];
  check_memory(splats, lanes);

  is_whole_ = false;
  all_.splats = std::move(splats);
  all_.first = gathered(all_.first, source, pool);
  all_.second = gathered(all_.second, source, pool);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (edit.forget[order[i]] == 0) continue;
    forget_splat(all_.first, i);
    forget_splat(all_.second, i);
  }
  all_.last_step = std::move(last_step);
  all_.clear_statistics();
  is_whole_ = true;
}

/// Allocates and frees the memory that the rest of an edit needs, so that std::bad_alloc is thrown
/// before anything has changed. The edit gathers the moments one cloud after another; each replaces
/// an old cloud.
void TrainState::check_memory(const SplatCloud& splats, std::size_t lanes) const {
  constexpr std::size_t kMargin = std::size_t{8} << 20;  // bytes, for alignment
  const std::size_t grown =
      splats.memory_bytes() - std::min(splats.memory_bytes(), all_.splats.memory_bytes());
  const Buffer<std::byte> needed(2 * grown + 3 * lanes * sizeof(float) + kMargin);
}

void TrainState::reorder(ThreadPool& pool) {
  const std::vector<std::uint32_t> order = morton_order(all_.splats, pool);
  std::vector<float> scratch(order.size());
  is_whole_ = false;
  for (SplatCloud* cloud : {&all_.splats, &all_.first, &all_.second}) {
    permute(*cloud, order, pool, scratch);
  }
  permute(all_.last_step, order, scratch);
  permute(all_.seen, order, scratch);
  permute(all_.gradient_sum, order, scratch);
  permute(all_.radius_px, order, scratch);
  is_whole_ = true;
}

void TrainState::limit_opacity(float most) {
  const float limit = logit(most);
  for (std::size_t i = 0; i < all_.splats.count(); ++i) {
    float& logit = all_.splats.at(i, Field::logit_opacity);
    logit = std::min(logit, limit);
    all_.first.at(i, Field::logit_opacity) = 0;
    all_.second.at(i, Field::logit_opacity) = 0;
  }
}

std::size_t TrainState::memory_bytes() const {
  const std::size_t lanes = all_.splats.block_count() * kBlockSize;
  return 3 * all_.splats.memory_bytes() + 4 * lanes * sizeof(float);
}

}  // namespace mote

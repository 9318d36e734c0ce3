#include "splats/splat_cloud.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"

namespace mote {
namespace {

/// Copies splat order[i] to place i of `result`, for i in [begin, end).
void copy_splats(const SplatCloud& cloud, const std::vector<std::uint32_t>& order,
                 std::size_t begin, std::size_t end, SplatCloud& result) {
  const std::size_t sh_floats = static_cast<std::size_t>(cloud.sh_coefficients()) * 3;
  for (std::size_t i = begin; i < end; ++i) {
    CHECK(order[i] < cloud.count());
    const std::size_t from_block = order[i] / kBlockSize, from = order[i] % kBlockSize;
    const std::size_t to_block = i / kBlockSize, to = i % kBlockSize;
    const float* geometry = cloud.geometry_block(from_block) + from;
    float* geometry_out = result.geometry_block(to_block) + to;
    for (std::size_t f = 0; f < kFieldCount; ++f) {
      geometry_out[f * kBlockSize] = geometry[f * kBlockSize];
    }
    const float* sh = cloud.sh_block(from_block) + from;
    float* sh_out = result.sh_block(to_block) + to;
    for (std::size_t k = 0; k < sh_floats; ++k) sh_out[k * kBlockSize] = sh[k * kBlockSize];
  }
}

}  // namespace

SplatCloud::SplatCloud(std::size_t count, int sh_degree) : count_(count), sh_degree_(sh_degree) {
  CHECK(sh_degree >= 0 && sh_degree <= kMaxShDegree);
  geometry_.resize_discard(block_count() * kGeometryStride);
  sh_.resize_discard(block_count() * sh_stride());
  pad();
}

void SplatCloud::pad() {
  for (std::size_t i = count_; i < block_count() * kBlockSize; ++i) {
    for (int f = 0; f < kFieldCount; ++f) at(i, static_cast<Field>(f)) = 0.0f;
    at(i, Field::rotation_w) = 1.0f;
    at(i, Field::logit_opacity) = -std::numeric_limits<float>::infinity();
    for (int k = 0; k < sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) sh(i, k, c) = 0.0f;
    }
  }
}

void SplatCloud::copy_splat(std::size_t from, std::size_t to) {
  CHECK(from < count_ && to < count_);
  for (int f = 0; f < kFieldCount; ++f) {
    at(to, static_cast<Field>(f)) = at(from, static_cast<Field>(f));
  }
  for (int k = 0; k < sh_coefficients(); ++k) {
    for (int c = 0; c < 3; ++c) sh(to, k, c) = sh(from, k, c);
  }
}

void SplatCloud::truncate(std::size_t count) {
  CHECK(count <= count_);
  count_ = count;
  geometry_.truncate(block_count() * kGeometryStride);
  sh_.truncate(block_count() * sh_stride());
  pad();
}

void SplatCloud::truncate_sh(int degree) {
  CHECK(degree >= 0);
  if (degree >= sh_degree_) return;
  const std::size_t from = sh_stride();
  sh_degree_ = degree;
  const std::size_t to = sh_stride();
  for (std::size_t b = 1; b < block_count(); ++b) {
    std::memmove(sh_.data() + b * to, sh_.data() + b * from, to * sizeof(float));
  }
  sh_.truncate(block_count() * to);
}

std::size_t SplatCloud::memory_bytes() const {
  return (geometry_.size() + sh_.size()) * sizeof(float);
}

SplatCloud reordered(const SplatCloud& cloud, const std::vector<std::uint32_t>& order) {
  constexpr std::size_t kSplatsPerTask = std::size_t{1} << 14;
  SplatCloud result(order.size(), cloud.sh_degree());
  result.antialiased = cloud.antialiased;
  result.warnings = cloud.warnings;
  const std::size_t tasks = (order.size() + kSplatsPerTask - 1) / kSplatsPerTask;
  run_tasks(tasks, [&](std::size_t task, int) {
    const std::size_t begin = task * kSplatsPerTask;
    copy_splats(cloud, order, begin, std::min(order.size(), begin + kSplatsPerTask), result);
  });
  return result;
}

SplatCloud with_sh_degree(const SplatCloud& cloud, int degree) {
  SplatCloud result(cloud.count(), degree);
  result.antialiased = cloud.antialiased;
  result.warnings = cloud.warnings;
  const std::size_t kept =
      static_cast<std::size_t>(std::min(cloud.sh_coefficients(), result.sh_coefficients())) * 3 *
      kBlockSize;
  const std::size_t added =
      static_cast<std::size_t>(result.sh_coefficients()) * 3 * kBlockSize - kept;
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    std::memcpy(result.geometry_block(b), cloud.geometry_block(b),
                kFieldCount * kBlockSize * sizeof(float));
    std::memcpy(result.sh_block(b), cloud.sh_block(b), kept * sizeof(float));
    std::fill_n(result.sh_block(b) + kept, added, 0.0f);
  }
  return result;
}

}  // namespace mote

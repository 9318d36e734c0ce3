#include "cpu/train_state.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "core/error.h"
#include "scene/morton.h"

namespace mote {
namespace {

constexpr std::size_t kBlocksPerTask = 256;
constexpr std::uint32_t kLayout = 1;  // of what save() writes

void run_blocks(std::size_t blocks, ThreadPool& pool,
                const std::function<void(std::size_t block)>& work) {
  pool.run((blocks + kBlocksPerTask - 1) / kBlocksPerTask, [&](std::size_t task, int) {
    const std::size_t end = std::min(blocks, (task + 1) * kBlocksPerTask);
    for (std::size_t b = task * kBlocksPerTask; b < end; ++b) work(b);
  });
}

std::size_t sh_floats(const SplatCloud& cloud) {
  return static_cast<std::size_t>(cloud.sh_coefficients()) * 3 * kBlockSize;
}

void fill_zero(SplatCloud& cloud) {
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    std::fill_n(cloud.geometry_block(b), kFieldCount * kBlockSize, 0.0f);
    std::fill_n(cloud.sh_block(b), sh_floats(cloud), 0.0f);
  }
}

/// Splat source[i] at place i.
SplatCloud gathered(const SplatCloud& cloud, const std::vector<std::uint32_t>& source,
                    ThreadPool& pool) {
  SplatCloud result(source.size(), cloud.sh_degree());
  result.antialiased = cloud.antialiased;
  const std::size_t planes = sh_floats(cloud) / kBlockSize;
  run_blocks(result.block_count(), pool, [&](std::size_t block) {
    const std::size_t first = block * kBlockSize;
    const std::size_t lanes = std::min(kBlockSize, source.size() - first);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t from = source[first + lane];
      const float* geometry = cloud.geometry_block(from / kBlockSize) + from % kBlockSize;
      const float* sh = cloud.sh_block(from / kBlockSize) + from % kBlockSize;
      float* geometry_out = result.geometry_block(block) + lane;
      float* sh_out = result.sh_block(block) + lane;
      for (std::size_t f = 0; f < kFieldCount; ++f) {
        geometry_out[f * kBlockSize] = geometry[f * kBlockSize];
      }
      for (std::size_t k = 0; k < planes; ++k) sh_out[k * kBlockSize] = sh[k * kBlockSize];
    }
  });
  return result;
}

void forget_splat(SplatCloud& moments, std::size_t splat) {
  float* geometry = moments.geometry_block(splat / kBlockSize) + splat % kBlockSize;
  float* sh = moments.sh_block(splat / kBlockSize) + splat % kBlockSize;
  for (std::size_t f = 0; f < kFieldCount; ++f) geometry[f * kBlockSize] = 0;
  for (std::size_t k = 0; k < sh_floats(moments); k += kBlockSize) sh[k] = 0;
}

constexpr Field kGeometryFields[] = {Field::mean_x,      Field::mean_y,       Field::mean_z,
                                     Field::log_scale_x, Field::log_scale_y,  Field::log_scale_z,
                                     Field::rotation_w,  Field::rotation_x,   Field::rotation_y,
                                     Field::rotation_z,  Field::logit_opacity};

/// Calls visit(field, number) for the numbers of a SplatGeometry in the order of Field.
template <class Geometry, class Visit>
void for_each_field(Geometry& g, const Visit& visit) {
  std::size_t at = 0;
  for (auto& v : g.mean) visit(kGeometryFields[at++], v);
  for (auto& v : g.log_scale) visit(kGeometryFields[at++], v);
  for (auto& v : g.rotation) visit(kGeometryFields[at++], v);
  visit(kGeometryFields[at], g.logit_opacity);
}

void save_cloud(const SplatCloud& cloud, ByteSink& sink) {
  const std::size_t blocks = cloud.block_count();
  sink.write(std::as_bytes(std::span(cloud.geometry_block(0), blocks * kFieldCount * kBlockSize)));
  sink.write(std::as_bytes(std::span(cloud.sh_block(0), blocks * sh_floats(cloud))));
}

void restore_cloud(SplatCloud& cloud, ByteSource& source) {
  const std::size_t blocks = cloud.block_count();
  source.read(std::as_writable_bytes(
      std::span(cloud.geometry_block(0), blocks * kFieldCount * kBlockSize)));
  source.read(std::as_writable_bytes(std::span(cloud.sh_block(0), blocks * sh_floats(cloud))));
}

}  // namespace

TrainState::TrainState(SplatCloud cloud, ThreadPool& pool)
    : splats_(std::move(cloud)),
      first_(splats_.count(), splats_.sh_degree()),
      second_(splats_.count(), splats_.sh_degree()) {
  permute(splats_, morton_order(splats_, pool), pool);
  fill_zero(first_);
  fill_zero(second_);
  last_step_.resize_discard(splats_.block_count() * kBlockSize);
  std::ranges::fill(last_step_.span(), 0u);
  allocate_statistics();
}

void TrainState::allocate_statistics() {
  const std::size_t lanes = splats_.block_count() * kBlockSize;
  seen_.resize_discard(lanes);
  gradient_sum_.resize_discard(lanes);
  radius_px_.resize_discard(lanes);
  clear_statistics();
}

void TrainState::clear_statistics() {
  std::ranges::fill(seen_.span(), 0u);
  std::ranges::fill(gradient_sum_.span(), 0.0f);
  std::ranges::fill(radius_px_.span(), 0.0f);
}

SplatState TrainState::view() {
  return {splats_.geometry_block(0), first_.geometry_block(0),
          second_.geometry_block(0), splats_.sh_block(0),
          first_.sh_block(0),        second_.sh_block(0),
          sh_floats(splats_),        last_step_.data(),
          gradient_sum_.data(),      seen_.data(),
          radius_px_.data()};
}

namespace {

/// In the order of RateGroup.
std::array<float, kRateGroups> by_group(const LearningRates& r) {
  return {r.mean, r.log_scale, r.rotation, r.logit_opacity, r.sh_0, r.sh_rest};
}

}  // namespace

std::array<AdamRate, kRateGroups> TrainState::rates(const LearningRates& rates) const {
  std::array<AdamRate, kRateGroups> result{};
  const auto groups = by_group(rates);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    result[g] = {adam_step_at(steps() + 1, static_cast<double>(groups[g])).rate,
                 drift_[g].sums().data()};
  }
  return result;
}

void TrainState::finish_step(const LearningRates& rates) {
  const auto groups = by_group(rates);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    drift_[g].add_step(static_cast<double>(groups[g]));
  }
}

DensityStatistics TrainState::statistics() const {
  const std::size_t count = splats_.count();
  DensityStatistics result;
  result.gradient.assign(gradient_sum_.data(), gradient_sum_.data() + count);
  result.seen.assign(seen_.data(), seen_.data() + count);
  result.radius_px.assign(radius_px_.data(), radius_px_.data() + count);
  return result;
}

std::vector<SplatGeometry> TrainState::geometry() const {
  std::vector<SplatGeometry> result(splats_.count());
  for (std::size_t i = 0; i < result.size(); ++i) {
    for_each_field(result[i], [&](Field f, float& value) { value = splats_.at(i, f); });
  }
  return result;
}

void TrainState::edit(const DensityEdit& edit, ThreadPool& pool) {
  CHECK(edit.forget.size() == edit.source.size());
  for (const std::uint32_t from : edit.source) CHECK(from < splats_.count());
  splats_ = gathered(splats_, edit.source, pool);
  for (const DensityEdit::Change& change : edit.changes) {
    CHECK(change.splat < splats_.count());
    for_each_field(change.geometry,
                   [&](Field f, float value) { splats_.at(change.splat, f) = value; });
  }
  const std::vector<std::uint32_t> order = morton_order(splats_, pool);
  permute(splats_, order, pool);

  std::vector<std::uint32_t> source(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) source[i] = edit.source[order[i]];
  first_ = gathered(first_, source, pool);
  second_ = gathered(second_, source, pool);
  Buffer<std::uint32_t> last_step(splats_.block_count() * kBlockSize);
  std::ranges::fill(last_step.span(), 0u);
  for (std::size_t i = 0; i < source.size(); ++i) {
    last_step[i] = last_step_[source[i]];
    if (edit.forget[order[i]] == 0) continue;
    forget_splat(first_, i);
    forget_splat(second_, i);
  }
  last_step_ = std::move(last_step);
  allocate_statistics();
}

void TrainState::limit_opacity(float most) {
  const float limit = std::log(most / (1 - most));
  for (std::size_t i = 0; i < splats_.count(); ++i) {
    float& logit = splats_.at(i, Field::logit_opacity);
    logit = std::min(logit, limit);
    first_.at(i, Field::logit_opacity) = 0;
    second_.at(i, Field::logit_opacity) = 0;
  }
}

void TrainState::save(ByteSink& sink) const {
  sink.put(kLayout);
  sink.put(static_cast<std::uint64_t>(splats_.count()));
  sink.put(static_cast<std::int32_t>(splats_.sh_degree()));
  for (const SplatCloud* cloud : {&splats_, &first_, &second_}) save_cloud(*cloud, sink);
  sink.write(std::as_bytes(last_step_.span()));
  sink.write(std::as_bytes(seen_.span()));
  sink.write(std::as_bytes(gradient_sum_.span()));
  sink.write(std::as_bytes(radius_px_.span()));
  for (const AdamDrift& drift : drift_) drift.save(sink);
}

void TrainState::restore(ByteSource& source) {
  const auto layout = source.get<std::uint32_t>();
  const auto count = source.get<std::uint64_t>();
  const auto degree = source.get<std::int32_t>();
  const std::size_t least = sizeof(float) * 3 * (kFieldCount + 3);  // bytes a splat
  if (layout != kLayout || degree < 0 || degree > kMaxShDegree || count > source.left() / least) {
    throw Error("the splats' state is not of this version (layout " + std::to_string(layout) +
                    ", " + std::to_string(count) + " splats, degree " + std::to_string(degree) +
                    ")",
                "the trainer's state", "use another checkpoint");
  }
  const bool antialiased = splats_.antialiased;
  for (SplatCloud* cloud : {&splats_, &first_, &second_}) {
    *cloud = SplatCloud(count, degree);
    restore_cloud(*cloud, source);
  }
  splats_.antialiased = antialiased;
  last_step_.resize_discard(splats_.block_count() * kBlockSize);
  allocate_statistics();
  source.read(std::as_writable_bytes(last_step_.span()));
  source.read(std::as_writable_bytes(seen_.span()));
  source.read(std::as_writable_bytes(gradient_sum_.span()));
  source.read(std::as_writable_bytes(radius_px_.span()));
  for (AdamDrift& drift : drift_) drift.restore(source);
  // The kernels look the drift up by these.
  for (const std::uint32_t last : last_step_.span()) {
    if (last > steps()) {
      throw Error("a splat was last updated at step " + std::to_string(last) + " of " +
                      std::to_string(steps()),
                  "the trainer's state", "use another checkpoint");
    }
  }
}

std::size_t TrainState::memory_bytes() const {
  const std::size_t lanes = splats_.block_count() * kBlockSize;
  return 3 * splats_.memory_bytes() + 4 * lanes * sizeof(float);
}

}  // namespace mote

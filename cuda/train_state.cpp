#include "cuda/train_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "cuda/kernels/density.h"
#include "scene/morton.h"

namespace mote::cuda {
namespace {

std::size_t blocks_of(std::size_t count) {
  return (count + kBlockSize - 1) / kBlockSize;
}

template <class T>
std::vector<T> downloaded(const DeviceBuffer<T>& from, std::size_t count, cudaStream_t stream) {
  std::vector<T> values(count);
  from.download(std::span(values), stream);
  return values;
}

template <class T>
void upload_all(std::span<const T> from, DeviceBuffer<T>& to, cudaStream_t stream) {
  to.resize_discard(from.size());
  to.upload(from, stream);
}

}  // namespace

DeviceTrainState::DeviceTrainState(SplatCloud cloud, ThreadPool& pool, cudaStream_t stream)
    : stream_(stream) {
  for (int g = 0; g < kRateGroups; ++g) device_drift_.emplace_back("the optimiser's history");
  permute(cloud, morton_order(cloud, pool), pool);
  count_ = cloud.count();
  sh_degree_ = cloud.sh_degree();
  upload(cloud, values_);
  for (Parameters* moments : {&first_, &second_}) {
    resize(*moments, count_);
    moments->geometry.fill_bytes(0, stream_);
    moments->sh.fill_bytes(0, stream_);
  }
  last_step_.resize_discard(count_);
  last_step_.fill_bytes(0, stream_);
  clear_statistics();
  for (std::size_t g = 0; g < drift_.size(); ++g) upload_drift(g, 0);
  check(cudaStreamSynchronize(stream_), "copying the splats");
}

std::size_t DeviceTrainState::sh_planes() const {
  return static_cast<std::size_t>(sh_coefficient_count(sh_degree_)) * 3;
}

void DeviceTrainState::resize(Parameters& parameters, std::size_t count) const {
  parameters.geometry.resize_discard(blocks_of(count) * kFieldCount * kBlockSize);
  parameters.sh.resize_discard(blocks_of(count) * sh_planes() * kBlockSize);
}

void DeviceTrainState::upload(const SplatCloud& from, Parameters& to) {
  resize(to, from.count());
  to.geometry.upload({from.geometry_block(0), to.geometry.size()}, stream_);
  to.sh.upload({from.sh_block(0), to.sh.size()}, stream_);
}

void DeviceTrainState::download(const Parameters& from, SplatCloud& to) const {
  from.geometry.download({to.geometry_block(0), from.geometry.size()}, stream_);
  from.sh.download({to.sh_block(0), from.sh.size()}, stream_);
}

void DeviceTrainState::upload_drift(std::size_t group, std::size_t first) {
  const std::span<const float> sums = drift_[group].sums();
  DeviceBuffer<float>& to = device_drift_[group];
  if (to.capacity() < sums.size()) first = 0;
  to.resize_discard(sums.size());
  to.upload(sums.subspan(first), stream_, first);
}

DeviceSplats DeviceTrainState::splats() const {
  return {.geometry = values_.geometry.data(),
          .sh = values_.sh.data(),
          .count = count_,
          .sh_degree = sh_degree_,
          .activated = false,
          .clusters = nullptr,
          .index = nullptr,
          .slot_of = nullptr,
          .dropped = 0};
}

SplatState DeviceTrainState::view() {
  return {.geometry = values_.geometry.data(),
          .geometry_first = first_.geometry.data(),
          .geometry_second = second_.geometry.data(),
          .sh = values_.sh.data(),
          .sh_first = first_.sh.data(),
          .sh_second = second_.sh.data(),
          .sh_stride = static_cast<unsigned>(sh_planes() * kBlockSize),
          .last_step = last_step_.data(),
          .gradient_sum = gradient_sum_.data(),
          .seen = seen_.data(),
          .radius_px = radius_px_.data()};
}

std::array<AdamRate, kRateGroups> DeviceTrainState::rates(const LearningRates& rates) const {
  std::array<AdamRate, kRateGroups> result{};
  const auto groups = by_group(rates);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    result[g] = {adam_step_at(steps() + 1, static_cast<double>(groups[g])).rate,
                 device_drift_[g].data()};
  }
  return result;
}

void DeviceTrainState::finish_step(const LearningRates& rates) {
  const auto groups = by_group(rates);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t before = drift_[g].sums().size();
    drift_[g].add_step(static_cast<double>(groups[g]));
    upload_drift(g, before - std::min(before, kDriftReach));
  }
}

DensityStatistics DeviceTrainState::statistics() const {
  DensityStatistics result{downloaded(gradient_sum_, count_, stream_),
                           downloaded(seen_, count_, stream_),
                           downloaded(radius_px_, count_, stream_)};
  check(cudaStreamSynchronize(stream_), "copying statistics");
  return result;
}

void DeviceTrainState::clear_statistics() {
  seen_.resize_discard(count_);
  gradient_sum_.resize_discard(count_);
  radius_px_.resize_discard(count_);
  seen_.fill_bytes(0, stream_);
  gradient_sum_.fill_bytes(0, stream_);
  radius_px_.fill_bytes(0, stream_);
}

std::vector<SplatGeometry> DeviceTrainState::geometry() const {
  SplatCloud cloud(count_, 0);
  values_.geometry.download({cloud.geometry_block(0), values_.geometry.size()}, stream_);
  check(cudaStreamSynchronize(stream_), "copying splats");
  std::vector<SplatGeometry> result(count_);
  for (std::size_t i = 0; i < count_; ++i) result[i] = geometry_of(cloud, i);
  return result;
}

/// The geometry that the edit leaves, in the edit's order.
void DeviceTrainState::take_geometry(const DensityEdit& edit, SplatCloud& geometry) {
  const std::vector<SplatGeometry> before = this->geometry();
  for (std::size_t i = 0; i < edit.source.size(); ++i) {
    CHECK(edit.source[i] < before.size());
    set_geometry(geometry, i, before[edit.source[i]]);
  }
  for (const DensityEdit::Change& change : edit.changes) {
    CHECK(change.splat < geometry.count());
    set_geometry(geometry, change.splat, change.geometry);
  }
}

void DeviceTrainState::edit(const DensityEdit& edit, ThreadPool& pool) {
  CHECK(edit.forget.size() == edit.source.size());
  SplatCloud geometry(edit.source.size(), 0);
  take_geometry(edit, geometry);
  const std::vector<std::uint32_t> order = morton_order(geometry, pool);
  permute(geometry, order, pool);
  std::vector<std::uint32_t> source(order.size());
  std::vector<std::uint8_t> forget(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    source[i] = edit.source[order[i]];
    forget[i] = edit.forget[order[i]];
  }
  move_splats(source, forget);
  values_.geometry.upload({geometry.geometry_block(0), values_.geometry.size()}, stream_);
  clear_statistics();
  check(cudaStreamSynchronize(stream_), "changing the splats");
}

void DeviceTrainState::move_splats(const std::vector<std::uint32_t>& source,
                                   const std::vector<std::uint8_t>& forget) {
  const auto count = static_cast<unsigned>(source.size());
  upload_all<std::uint32_t>(source, source_, stream_);
  upload_all<std::uint8_t>(forget, forget_, stream_);
  for (Parameters* parameters : {&values_, &first_, &second_}) {
    const std::uint8_t* forgotten = parameters == &values_ ? nullptr : forget_.data();
    resize(spare_, count);
    run_gather_planes({.from = parameters->geometry.data(),
                       .to = spare_.geometry.data(),
                       .planes = kFieldCount,
                       .source = source_.data(),
                       .forget = forgotten,
                       .count = count},
                      stream_);
    run_gather_planes({.from = parameters->sh.data(),
                       .to = spare_.sh.data(),
                       .planes = static_cast<unsigned>(sh_planes()),
                       .source = source_.data(),
                       .forget = forgotten,
                       .count = count},
                      stream_);
    std::swap(*parameters, spare_);
  }
  spare_steps_.resize_discard(count);
  run_gather(last_step_.data(), spare_steps_.data(), source_.data(), count, stream_);
  std::swap(last_step_, spare_steps_);
  count_ = count;
}

void DeviceTrainState::limit_opacity(float most) {
  run_limit_opacity({.geometry = values_.geometry.data(),
                     .first = first_.geometry.data(),
                     .second = second_.geometry.data(),
                     .most = std::log(most / (1 - most)),
                     .count = static_cast<unsigned>(count_)},
                    stream_);
}

SplatCloud DeviceTrainState::cloud() const {
  SplatCloud cloud(count_, sh_degree_);
  download(values_, cloud);
  check(cudaStreamSynchronize(stream_), "copying splats");
  return cloud;
}

TrainSnapshot DeviceTrainState::snapshot() const {
  TrainSnapshot all(cloud());
  download(first_, all.first);
  download(second_, all.second);
  const std::size_t lanes = blocks_of(count_) * kBlockSize;
  all.last_step.resize_discard(lanes);
  std::ranges::fill(all.last_step.span(), 0u);
  all.clear_statistics();
  last_step_.download(all.last_step.span().first(count_), stream_);
  seen_.download(all.seen.span().first(count_), stream_);
  gradient_sum_.download(all.gradient_sum.span().first(count_), stream_);
  radius_px_.download(all.radius_px.span().first(count_), stream_);
  check(cudaStreamSynchronize(stream_), "copying splats");
  all.drift = drift_;
  return all;
}

void DeviceTrainState::restore(const TrainSnapshot& all) {
  count_ = all.splats.count();
  sh_degree_ = all.splats.sh_degree();
  upload(all.splats, values_);
  upload(all.first, first_);
  upload(all.second, second_);
  last_step_.resize_discard(count_);
  clear_statistics();
  last_step_.upload(all.last_step.span().first(count_), stream_);
  seen_.upload(all.seen.span().first(count_), stream_);
  gradient_sum_.upload(all.gradient_sum.span().first(count_), stream_);
  radius_px_.upload(all.radius_px.span().first(count_), stream_);
  drift_ = all.drift;
  for (std::size_t g = 0; g < drift_.size(); ++g) upload_drift(g, 0);
  check(cudaStreamSynchronize(stream_), "copying splats");
}

std::size_t DeviceTrainState::memory_bytes() const {
  std::size_t bytes = last_step_.bytes() + spare_steps_.bytes() + seen_.bytes() + source_.bytes() +
                      forget_.bytes() + gradient_sum_.bytes() + radius_px_.bytes();
  for (const Parameters* p : {&values_, &first_, &second_, &spare_}) {
    bytes += p->geometry.bytes() + p->sh.bytes();
  }
  return bytes;
}

}  // namespace mote::cuda

#include "cuda/train_state.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "cuda/edit_buffers.h"
#include "cuda/memory_estimate.h"
#include "math/activations.h"

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

}  // namespace

DeviceTrainState::DeviceTrainState(const SplatCloud& cloud, cudaStream_t stream) : stream_(stream) {
  for (int g = 0; g < kRateGroups; ++g) device_drift_.emplace_back("the optimiser's history");
  count_ = cloud.count();
  form_ = cloud.form();
  times_ = cloud.times;
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
  reorder();
  check(cudaStreamSynchronize(stream_), "copying the splats");
}

std::size_t DeviceTrainState::geometry_planes() const {
  return static_cast<std::size_t>(planes().count);
}

std::size_t DeviceTrainState::sh_planes() const {
  return static_cast<std::size_t>(sh_coefficient_count(form_.sh_degree)) * 3;
}

void DeviceTrainState::resize(Parameters& parameters, std::size_t count) const {
  parameters.geometry.resize_discard(blocks_of(count) * geometry_planes() * kBlockSize);
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
  return {.kind = form_.kind,
          .motion = form_.motion,
          .geometry = values_.geometry.data(),
          .sh = values_.sh.data(),
          .count = count_,
          .sh_degree = form_.sh_degree,
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

SplatCloud DeviceTrainState::empty_cloud() const {
  SplatCloud cloud(0, form_);
  cloud.times = times_;
  return cloud;
}

SplatCloud DeviceTrainState::geometry_cloud() const {
  SplatCloud cloud(count_, {form_.kind, 0, form_.motion});
  values_.geometry.download({cloud.geometry_block(0), values_.geometry.size()}, stream_);
  check(cudaStreamSynchronize(stream_), "copying splats");
  return cloud;
}

std::vector<MotionValues> DeviceTrainState::motions() const {
  const SplatCloud cloud = geometry_cloud();
  std::vector<MotionValues> result(moves() ? count_ : 0);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = load_motion(planes(), cloud.geometry_block(0), i);
  }
  return result;
}

std::vector<SplatGeometry> DeviceTrainState::geometry() const {
  const SplatCloud cloud = geometry_cloud();
  std::vector<SplatGeometry> result(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    result[i] = load_geometry(planes(), cloud.geometry_block(0), i);
  }
  return result;
}

void DeviceTrainState::edit(const DensityEdit& edit) {
  CHECK(edit.forget.size() == edit.source.size());
  for (const std::uint32_t from : edit.source) CHECK(from < count_);
  CHECK(std::ranges::is_sorted(edit.colors, {}, &DensityEdit::Color::splat));
  const std::size_t count = edit.source.size();
  const auto changes = uploaded(edit.changes, "changes of splats", count, stream_);
  const auto moves = uploaded(edit.moves, "motions of splats", count, stream_);
  const auto colors = uploaded(edit.colors, "colours of splats", count, stream_);
  const EditTarget target = begin_edit(count);
  edit_source_.upload(edit.source, stream_);
  edit_forget_.upload(edit.forget, stream_);
  run_gather_planes({.from = values_.geometry.data(),
                     .to = target.geometry,
                     .planes = static_cast<unsigned>(geometry_planes()),
                     .source = target.source,
                     .forget = nullptr,
                     .count = static_cast<unsigned>(count)},
                    stream_);
  run_write_changes(changes.data(), static_cast<unsigned>(changes.size()), planes(),
                    target.geometry, stream_);
  run_write_moves(moves.data(), static_cast<unsigned>(moves.size()), planes(), target.geometry,
                  stream_);
  finish_edit(colors);
  check(cudaStreamSynchronize(stream_), "changing the splats");
}

EditTarget DeviceTrainState::begin_edit(std::size_t count) {
  reserve_for_edit(count);
  edit_source_.resize_discard(count);
  edit_forget_.resize_discard(count);
  return {planes(), spare_.geometry.data(), edit_source_.data(), edit_forget_.data()};
}

void DeviceTrainState::reserve_for_edit(std::size_t count) {
  if (count > most_) {
    throw Error(std::to_string(count) + " splats are more than the " + std::to_string(most_) +
                    " that a deformation field moves with CUDA",
                device_label(),
                "continue with --resume and a lower --max-splats, or use --device cpu");
  }
  check_growth_fits(count_, count,
                    memory_estimate({.use = MemoryUse::growth, .splat = form()}, memory_bytes()));
  const std::size_t lanes = blocks_of(count) * kBlockSize;
  for (Parameters* p : {&values_, &first_, &second_}) {
    grow_into(p->geometry, spare_.geometry, lanes * geometry_planes(), stream_);
    grow_into(p->sh, spare_.sh, lanes * sh_planes(), stream_);
  }
  for (auto* words : {&last_step_, &seen_}) grow_into(*words, spare_words_, count, stream_);
  for (auto* sums : {&gradient_sum_, &radius_px_}) grow_into(*sums, spare_sums_, count, stream_);
  resize(spare_, count);
  spare_words_.resize_discard(count);
  source_.resize_discard(count);
  forget_.resize_discard(count);
}

void DeviceTrainState::finish_edit(const DeviceBuffer<DensityEdit::Color>& colors) {
  const std::size_t edited = edit_source_.size();
  const auto count = static_cast<unsigned>(edited);
  const std::uint32_t* order = order_of(spare_, count);
  // No allocation from here on: a failure before leaves the set unchanged.
  run_gather(edit_source_.data(), source_.data(), order, count, stream_);
  run_gather(edit_forget_.data(), forget_.data(), order, count, stream_);
  values_.geometry.resize_discard(spare_.geometry.size());
  run_gather_planes({.from = spare_.geometry.data(),
                     .to = values_.geometry.data(),
                     .planes = static_cast<unsigned>(geometry_planes()),
                     .source = order,
                     .forget = nullptr,
                     .count = count},
                    stream_);
  gather_sh(values_, source_.data(), nullptr, count);
  run_write_colors({.colors = colors.data(),
                    .color_count = static_cast<unsigned>(colors.size()),
                    .order = order,
                    .count = count,
                    .sh = values_.sh.data(),
                    .planes = static_cast<unsigned>(sh_planes())},
                   stream_);
  for (Parameters* moments : {&first_, &second_}) {
    gather_geometry(*moments, source_.data(), forget_.data(), count);
    gather_sh(*moments, source_.data(), forget_.data(), count);
  }
  gather_each(last_step_, spare_words_, source_.data(), count);
  count_ = edited;
  clear_statistics();
}

const std::uint32_t* DeviceTrainState::order_of(const Parameters& parameters, unsigned count) {
  std::optional<double> duration_s;
  if (moves()) duration_s = times_.duration_s;
  return order_.of({planes(), parameters.geometry.data(), count}, duration_s, stream_);
}

void DeviceTrainState::copy_motions(const EditTarget& target) {
  if (form_.motion == SplatMotion::still) return;
  run_copy_motions(values_.geometry.data(), target, static_cast<unsigned>(edit_source_.size()),
                   stream_);
}

void DeviceTrainState::reorder() {
  const auto count = static_cast<unsigned>(count_);
  const std::uint32_t* order = order_of(values_, count);
  resize(spare_, count_);
  spare_words_.resize_discard(count_);
  spare_sums_.resize_discard(count_);
  for (Parameters* parameters : {&values_, &first_, &second_}) {
    gather_geometry(*parameters, order, nullptr, count);
    gather_sh(*parameters, order, nullptr, count);
  }
  for (auto* words : {&last_step_, &seen_}) gather_each(*words, spare_words_, order, count);
  for (auto* sums : {&gradient_sum_, &radius_px_}) gather_each(*sums, spare_sums_, order, count);
}

void DeviceTrainState::gather_geometry(Parameters& parameters, const std::uint32_t* source,
                                       const std::uint8_t* forget, unsigned count) {
  spare_.geometry.resize_discard(blocks_of(count) * kBlockSize * geometry_planes());
  run_gather_planes({.from = parameters.geometry.data(),
                     .to = spare_.geometry.data(),
                     .planes = static_cast<unsigned>(geometry_planes()),
                     .source = source,
                     .forget = forget,
                     .count = count},
                    stream_);
  std::swap(parameters.geometry, spare_.geometry);
}

void DeviceTrainState::gather_sh(Parameters& parameters, const std::uint32_t* source,
                                 const std::uint8_t* forget, unsigned count) {
  spare_.sh.resize_discard(blocks_of(count) * kBlockSize * sh_planes());
  run_gather_planes({.from = parameters.sh.data(),
                     .to = spare_.sh.data(),
                     .planes = static_cast<unsigned>(sh_planes()),
                     .source = source,
                     .forget = forget,
                     .count = count},
                    stream_);
  std::swap(parameters.sh, spare_.sh);
}

template <class T>
void DeviceTrainState::gather_each(DeviceBuffer<T>& values, DeviceBuffer<T>& spare,
                                   const std::uint32_t* source, unsigned count) {
  spare.resize_discard(count);
  run_gather(values.data(), spare.data(), source, count, stream_);
  std::swap(values, spare);
}

void DeviceTrainState::limit_opacity(float most) {
  run_limit_opacity({.planes = planes(),
                     .geometry = values_.geometry.data(),
                     .first = first_.geometry.data(),
                     .second = second_.geometry.data(),
                     .most = logit(most),
                     .count = static_cast<unsigned>(count_)},
                    stream_);
}

SplatCloud DeviceTrainState::cloud() const {
  SplatCloud cloud(count_, form_);
  cloud.times = times_;
  download(values_, cloud);
  check(cudaStreamSynchronize(stream_), "copying splats");
  cloud.truncate(count_);  // makes the lanes after the last splat transparent again
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
  form_ = all.splats.form();
  times_ = all.splats.times;
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
  std::size_t bytes = order_.memory_bytes() + spare_sums_.bytes();
  for (const auto* p : {&values_, &first_, &second_, &spare_}) {
    bytes += p->geometry.bytes() + p->sh.bytes();
  }
  for (const auto* words : {&last_step_, &seen_, &spare_words_, &source_, &edit_source_}) {
    bytes += words->bytes();
  }
  for (const auto* sums : {&gradient_sum_, &radius_px_}) bytes += sums->bytes();
  return bytes + forget_.bytes() + edit_forget_.bytes();
}

}  // namespace mote::cuda

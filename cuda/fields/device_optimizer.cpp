#include "cuda/fields/device_optimizer.h"

#include <algorithm>

#include "core/error.h"
#include "fields/optimizer_storage.h"
#include "fields/optimizer_tables.h"
#include "fields/planes.h"
#include "math/half.h"

namespace mote::cuda {
namespace {

/// Parameters that are copied at once, so that they take little memory.
constexpr std::size_t kParametersAtOnce = std::size_t{1} << 20;
static_assert(kParametersAtOnce % kFieldBlock == 0);

template <class T>
std::vector<T> downloaded(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  std::vector<T> values(buffer.size());
  buffer.download(values, stream);
  check(cudaStreamSynchronize(stream), "copying the state of a field");
  return values;
}

template <class T>
void save_all(ByteSink& sink, const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  sink.put_all(std::span<const T>(downloaded(buffer, stream)));
}

template <class T>
std::vector<T> restore_all(ByteSource& source, DeviceBuffer<T>& buffer, cudaStream_t stream) {
  std::vector<T> values = get_all<T>(source);
  if (values.size() != buffer.size()) {
    throw Error("the field has another number of parameters", "the saved training state",
                "resume with the same encoding and networks");
  }
  buffer.upload(values, stream);
  check(cudaStreamSynchronize(stream), "copying the state of a field");
  return values;
}

std::vector<float> shares_of(const FieldOptimizer& config) {
  return average_shares(config.ema_decay.value_or(0));
}

}  // namespace

DeviceOptimizer::DeviceOptimizer(const NeuralField& field, std::size_t encoding_first,
                                 GradientSums kind, cudaStream_t stream)
    : config_(*field.config.optimizer),
      count_(field.parameters.size()),
      encoding_first_(encoding_first),
      kind_(kind),
      stream_(stream) {
  CHECK(encoding_first_ % kFieldBlock == 0);
  const std::size_t padded = field_plane_stride(count_);
  std::vector<float> values = field.parameters;
  values.resize(padded);
  for (DeviceBuffer<float>* buffer : {&values_, &first_, &second_}) {
    buffer->resize_discard(padded);
    buffer->fill_bytes(0, stream_);
  }
  updates_.resize_discard(padded);
  updates_.fill_bytes(0, stream_);
  average_step_.resize_discard(padded / kFieldBlock);
  average_step_.fill_bytes(0, stream_);
  values_.upload(values, stream_);
  if (config_.ema_decay) average_.copy(values_, stream_);
  halves_.resize_discard(padded - encoding_first_);
  sums_.resize_discard((padded - encoding_first_) * sum_bytes(kind_));
  sums_.fill_bytes(0, stream_);
  network_gradients_.resize_discard(encoding_first_);
  const std::vector<float> corrections = adam_corrections(config_.beta1, config_.beta2);
  corrections_.resize_discard(corrections.size());
  corrections_.upload(corrections, stream_);
  const std::vector<float> shares = shares_of(config_);
  shares_.resize_discard(shares.size());
  shares_.upload(shares, stream_);
  non_finite_.resize_discard(1);
  now_.resize_discard(1);
  host_now_.resize_discard(1);
  convert_table(values);
  check(cudaStreamSynchronize(stream_), "copying a neural field");
}

void DeviceOptimizer::convert_table(const std::vector<float>& values) {
  std::vector<std::uint16_t> halves(halves_.size());
  std::transform(values.begin() + static_cast<std::ptrdiff_t>(encoding_first_), values.end(),
                 halves.begin(), to_half);
  halves_.upload(halves, stream_);
  check(cudaStreamSynchronize(stream_), "copying the table of a grid");
}

FieldState DeviceOptimizer::state() {
  return {.values = values_.data(),
          .first = first_.data(),
          .second = second_.data(),
          .updates = updates_.data(),
          .average = average_.empty() ? nullptr : average_.data(),
          .average_step = average_step_.data()};
}

FieldTable DeviceOptimizer::corrections() const {
  return {corrections_.data(), static_cast<std::uint32_t>(corrections_.size() - 1)};
}

FieldTable DeviceOptimizer::shares() const {
  return {shares_.data(), static_cast<std::uint32_t>(shares_.size() - 1)};
}

void DeviceOptimizer::begin_step(double learning_rate) {
  ++step_;
  *host_now_.data() = {static_cast<float>(learning_rate), step_};
}

void DeviceOptimizer::enqueue_start() {
  now_.upload(host_now_.span(), stream_);
  non_finite_.fill_bytes(0, stream_);
}

void DeviceOptimizer::enqueue_step(float factor) {
  const FieldUpdateArgs args{.state = state(),
                             .adam = field_adam_at(config_, 1),
                             .corrections = corrections(),
                             .shares = shares(),
                             .now = now_.data(),
                             .non_finite = non_finite_.data()};
  run_matrix_update(args, network_gradients_.data(), encoding_first_, stream_);
  run_table_update(args,
                   {.first = encoding_first_,
                    .count = halves_.size(),
                    .sums = sums_.data(),
                    .factor = factor,
                    .halves = halves_.data()},
                   kind_, stream_);
}

FieldAverageArgs DeviceOptimizer::average_args(std::size_t first, std::size_t count) {
  return {.state = state(),
          .shares = shares(),
          .step = step_,
          .first = first,
          .count = count,
          .values = nullptr,
          .halves = nullptr};
}

void DeviceOptimizer::enqueue_averages(float* networks, std::uint16_t* table) {
  FieldAverageArgs args = average_args(0, encoding_first_);
  args.values = networks;
  run_field_averages(args, stream_);
  args = average_args(encoding_first_, halves_.size());
  args.halves = table;
  run_field_averages(args, stream_);
}

std::vector<float> DeviceOptimizer::averaged() {
  std::vector<float> all(values_.size());
  if (!has_averages()) {
    values_.download(all, stream_);
  } else {
    DeviceBuffer<float> part("averages of a field");
    part.resize_discard(std::min(kParametersAtOnce, all.size()));
    for (std::size_t first = 0; first < all.size(); first += kParametersAtOnce) {
      FieldAverageArgs args = average_args(first, std::min(kParametersAtOnce, all.size() - first));
      args.values = part.data();
      run_field_averages(args, stream_);
      part.download(std::span(all).subspan(first, args.count), stream_);
    }
  }
  check(cudaStreamSynchronize(stream_), "copying a neural field");
  all.resize(count_);
  return all;
}

void DeviceOptimizer::save(ByteSink& sink) const {
  sink.put(step_);
  for (const DeviceBuffer<float>* buffer : {&values_, &first_, &second_, &average_}) {
    save_all(sink, *buffer, stream_);
  }
  save_all(sink, updates_, stream_);
  save_all(sink, average_step_, stream_);
  sink.put(SavedAverages::values);
}

void DeviceOptimizer::restore(ByteSource& source) {
  step_ = source.get<std::uint32_t>();
  const std::vector<float> values = restore_all(source, values_, stream_);
  convert_table(values);
  restore_all(source, first_, stream_);
  restore_all(source, second_, stream_);
  std::vector<float> average = restore_all(source, average_, stream_);
  restore_all(source, updates_, stream_);
  restore_all(source, average_step_, stream_);
  if (source.get<SavedAverages>() == SavedAverages::values) return;
  for (std::size_t i = 0; i < average.size(); ++i) average[i] += values[i];
  average_.upload(average, stream_);
  check(cudaStreamSynchronize(stream_), "copying a neural field");
}

OptimizerState DeviceOptimizer::moments() const {
  OptimizerState state{.step = step_,
                       .first = downloaded(first_, stream_),
                       .second = downloaded(second_, stream_),
                       .updates = {}};
  const std::vector<std::uint16_t> updates = downloaded(updates_, stream_);
  state.updates.assign(updates.begin(), updates.end());
  state.first.resize(count_);
  state.second.resize(count_);
  state.updates.resize(count_);
  return state;
}

std::size_t DeviceOptimizer::memory_bytes() const {
  std::size_t bytes = updates_.bytes() + average_step_.bytes() + halves_.bytes() + sums_.bytes() +
                      non_finite_.bytes();
  for (const DeviceBuffer<float>* buffer :
       {&values_, &first_, &second_, &average_, &network_gradients_, &corrections_, &shares_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

std::size_t DeviceOptimizer::bytes_for(const FieldOptimizer& config, std::size_t encoding_first,
                                       std::size_t parameters, GradientSums kind) {
  const std::size_t padded = field_plane_stride(parameters), table = padded - encoding_first;
  const std::size_t floats = (config.ema_decay ? 4 : 3) * padded + encoding_first +
                             adam_corrections(config.beta1, config.beta2).size() +
                             shares_of(config).size();
  return (floats + padded / kFieldBlock + 1) * 4 + padded * 2 + table * (2 + sum_bytes(kind));
}

}  // namespace mote::cuda

#include "cpu/parameter_optimizer.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/error.h"
#include "cpu/for_each_part.h"
#include "fields/optimizer_tables.h"
#include "math/half.h"

namespace mote {
namespace {

constexpr std::size_t kBlocksAtOnce = 4096;  // of a task

template <class T>
void fill_zero(Buffer<T>& buffer, std::size_t count) {
  buffer.resize_discard(count);
  if (count > 0) std::memset(buffer.data(), 0, count * sizeof(T));
}

template <class T>
std::vector<T> list_of(ByteSource& source, std::size_t count) {
  std::vector<T> values = get_all<T>(source);
  if (values.size() != count) {
    throw Error("the field has another number of parameters", "the saved training state",
                "resume with the same encoding and networks");
  }
  return values;
}

template <class T>
void restore_all(ByteSource& source, Buffer<T>& buffer) {
  const std::vector<T> values = list_of<T>(source, buffer.size());
  std::copy(values.begin(), values.end(), buffer.data());
}

/// As ByteSink::put_all() for element(i) of i below `count`.
template <class T, class Element>
void put_each(ByteSink& sink, std::size_t count, const Element& element) {
  constexpr std::size_t kAtOnce = 4096;
  sink.put(static_cast<unsigned long long>(count));
  std::vector<T> piece;
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    piece.clear();
    for (std::size_t i = first; i < std::min(first + kAtOnce, count); ++i) {
      piece.push_back(element(i));
    }
    sink.write(std::as_bytes(std::span(piece)));
  }
}

}  // namespace

ParameterOptimizer::ParameterOptimizer(const NeuralField& field, std::size_t encoding_first,
                                       const CpuKernels& kernels, ThreadPool& pool)
    : config_(*field.config.optimizer),
      count_(field.parameters.size()),
      encoding_first_(encoding_first),
      kernels_(kernels),
      pool_(pool),
      corrections_(stored_corrections(adam_corrections(config_.beta1, config_.beta2))),
      shares_(average_shares(config_.ema_decay.value_or(0))) {
  CHECK(encoding_first_ % kFieldBlock == 0);
  const std::size_t padded = field_plane_stride(count_);
  fill_zero(values_, padded);
  fill_zero(first_, padded);
  fill_zero(second_, padded);
  fill_zero(network_gradients_, encoding_first_);
  fill_zero(halves_, padded);
  std::copy(field.parameters.begin(), field.parameters.end(), values_.data());
  for (std::size_t i = 0; i < count_; ++i) halves_[i] = to_half(values_[i]);
  if (config_.ema_decay) fill_zero(average_, padded);
}

FieldUpdateParams ParameterOptimizer::params() {
  return {.values = values_.data(),
          .gradients = nullptr,
          .first_gradient = 0,
          .first = first_.data(),
          .second = second_.data(),
          .average = average_.empty() ? nullptr : average_.data(),
          .halves = halves_.data(),
          .matrix_blocks = encoding_first_ / kFieldBlock,
          .adam = field_adam_at(config_, std::max(step_, 1u)),
          .corrections = corrections_.values.data(),
          .most_updates = most_updates(corrections_, step_),
          .shares = {shares_.data(), static_cast<std::uint32_t>(shares_.size() - 1)},
          .step = step_};
}

std::uint64_t ParameterOptimizer::step(double learning_rate, const TableGradients& table) {
  CHECK(!drawn_step_);
  ++step_;
  FieldUpdateParams own = params();
  own.adam.rate = static_cast<float>(learning_rate);
  return update_networks(own) + update_tables(own, table);
}

std::uint64_t ParameterOptimizer::update_networks(FieldUpdateParams params) {
  params.gradients = network_gradients_.data();
  std::atomic<std::uint64_t> broken = 0;
  for_each_part(
      pool_, 0, params.matrix_blocks, kBlocksAtOnce,
      [&](std::size_t from, std::size_t to) { broken += kernels_.update_field(params, from, to); });
  return broken;
}

std::uint64_t ParameterOptimizer::update_tables(const FieldUpdateParams& params,
                                                const TableGradients& table) {
  std::atomic<std::uint64_t> broken = 0;
  const auto update = [&](const TablePart& part, Buffer<float>& gradients, std::size_t from,
                          std::size_t to) {
    FieldUpdateParams own = params;
    own.gradients = gradients.data();
    own.first_gradient = encoding_first_ + part.first_parameter;
    const std::size_t first = own.first_gradient / kFieldBlock;
    broken += kernels_.update_field(own, first + from, first + to);
  };
  // Fewer parts than threads are updated by all threads together.
  const bool are_few = table.parts.size() < static_cast<std::size_t>(pool_.threads());
  part_gradients_.resize(std::min(table.parts.size(), static_cast<std::size_t>(pool_.threads())));
  pool_.run(table.parts.size(), [&](std::size_t task, int thread) {
    const TablePart& part = table.parts[task];
    Buffer<float>& gradients = part_gradients_[are_few ? task : static_cast<std::size_t>(thread)];
    if (gradients.size() < part.parameters) fill_zero(gradients, part.parameters);
    table.add(part, gradients.data());
    if (!are_few) update(part, gradients, 0, part.parameters / kFieldBlock);
  });
  for (std::size_t task = 0; are_few && task < table.parts.size(); ++task) {
    const TablePart& part = table.parts[task];
    for_each_part(
        pool_, 0, part.parameters / kFieldBlock, kBlocksAtOnce,
        [&](std::size_t from, std::size_t to) { update(part, part_gradients_[task], from, to); });
  }
  return broken;
}

std::vector<float> ParameterOptimizer::averaged() {
  if (average_.empty() || step_ == 0) return {values_.data(), values_.data() + count_};
  std::vector<float> all(count_);
  const FieldUpdateParams own = params();
  for_each_part(pool_, 0, blocks(), kBlocksAtOnce, [&](std::size_t from, std::size_t to) {
    Buffer<float> part((to - from) * kFieldBlock);
    kernels_.read_average(own, from, to, part.data(), nullptr);
    const std::size_t first = from * kFieldBlock;
    std::copy_n(part.data(), std::min(part.size(), count_ - first), all.data() + first);
  });
  return all;
}

FieldParameters ParameterOptimizer::tables() {
  if (drawn_step_) {
    FieldUpdateParams values = params();
    values.average = nullptr;
    read_halves(values);
    drawn_step_.reset();
  }
  return {values_.data(), halves_.data() + encoding_first_};
}

FieldParameters ParameterOptimizer::averaged_tables() {
  if (average_.empty() || step_ == 0) return tables();
  if (drawn_step_ != step_) {
    const FieldUpdateParams own = params();
    drawn_networks_.resize_discard(encoding_first_);
    kernels_.read_average(own, 0, own.matrix_blocks, drawn_networks_.data(), nullptr);
    read_halves(own);
    drawn_step_ = step_;
  }
  return {drawn_networks_.data(), halves_.data() + encoding_first_};
}

void ParameterOptimizer::read_halves(const FieldUpdateParams& params) {
  for_each_part(
      pool_, params.matrix_blocks, blocks(), kBlocksAtOnce, [&](std::size_t from, std::size_t to) {
        kernels_.read_average(params, from, to, nullptr, halves_.data() + from * kFieldBlock);
      });
}

AverageBlock ParameterOptimizer::average_of(std::size_t parameter) const {
  return load_average(average_.data() + parameter / kFieldBlock * kFieldBlock);
}

void ParameterOptimizer::save(ByteSink& sink) const {
  sink.put(step_);
  sink.put_all(values_.span());
  put_each<float>(sink, first_.size(), [&](std::size_t i) {
    return float_of_bits(shift_left<16>(std::uint32_t{first_[i]}));
  });
  put_each<float>(sink, second_.size(), [&](std::size_t i) { return stored_second(second_[i]); });
  put_each<float>(sink, average_.size(), [&](std::size_t i) {
    return from_half(average_of(i).distances[i % kFieldBlock]);
  });
  put_each<std::uint16_t>(sink, second_.size(), [&](std::size_t i) {
    return static_cast<std::uint16_t>(corrections_.updates_of(stored_updates(second_[i])));
  });
  put_each<std::uint32_t>(sink, blocks(), [&](std::size_t block) {
    return average_.empty() ? 0 : average_step(average_of(block * kFieldBlock), step_);
  });
  sink.put(SavedAverages::distances);
}

void ParameterOptimizer::restore(ByteSource& source) {
  drawn_step_.reset();
  step_ = source.get<std::uint32_t>();
  restore_all(source, values_);
  const std::vector<float> first = list_of<float>(source, first_.size());
  const std::vector<float> second = list_of<float>(source, second_.size());
  const std::vector<float> average = list_of<float>(source, average_.size());
  const std::vector<std::uint16_t> updates = list_of<std::uint16_t>(source, second_.size());
  const std::vector<std::uint32_t> average_steps = list_of<std::uint32_t>(source, blocks());
  const bool are_distances = source.get<SavedAverages>() == SavedAverages::distances;
  for (std::size_t i = 0; i < second_.size(); ++i) {
    first_[i] = static_cast<std::uint16_t>(rounded_upper_half(bits_of(first[i])));
    second_[i] = store_second(second[i], corrections_.stored_of(updates[i]));
  }
  const FieldTable table = params().shares;
  for (std::size_t first = 0; first < average_.size(); first += kFieldBlock) {
    AverageBlock block{.distances = {}, .step = average_steps[first / kFieldBlock]};
    // Other devices leave blocks alone for longer.
    const bool is_old = step_ - block.step > kAverageSweep;
    const float kept = is_old ? 1 - average_share(table, step_ - block.step, step_) : 1;
    if (is_old) block.step = step_;
    for (std::size_t i = first; i < first + kFieldBlock; ++i) {
      const float distance = kept * (are_distances ? average[i] : average[i] - values_[i]);
      block.distances[i - first] =
          to_half(std::clamp(distance, -kLargestDistance, kLargestDistance));
    }
    store_average(block, average_.data() + first);
  }
  for (std::size_t i = 0; i < count_; ++i) halves_[i] = to_half(values_[i]);
}

OptimizerState ParameterOptimizer::state() const {
  OptimizerState state{.step = step_, .first = {}, .second = {}, .updates = {}};
  state.first.resize(count_);
  state.second.resize(count_);
  state.updates.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    state.first[i] = float_of_bits(shift_left<16>(std::uint32_t{first_[i]}));
    state.second[i] = stored_second(second_[i]);
    // Large numbers are stored in intervals, whose end may lie behind the last step.
    state.updates[i] = std::min(corrections_.updates_of(stored_updates(second_[i])), step_);
  }
  return state;
}

std::size_t ParameterOptimizer::memory_bytes() const {
  std::size_t bytes = (first_.size() + average_.size() + halves_.size()) * sizeof(std::uint16_t);
  bytes += second_.size() * sizeof(std::uint32_t);
  for (const Buffer<float>* buffer : {&values_, &network_gradients_, &drawn_networks_}) {
    bytes += buffer->size() * sizeof(float);
  }
  for (const Buffer<float>& part : part_gradients_) bytes += part.size() * sizeof(float);
  return bytes;
}

}  // namespace mote

// The optimiser of fields: a thread for each parameter (Kingma & Ba 2015). 16 threads share a block
// of parameters, which a step visits or skips.

#include "cuda/kernels/fields/field_update.h"

#include "core/error.h"
#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlock = static_cast<unsigned>(kFieldBlock);
static_assert(2 * kBlock == kWarp);

MOTE_DEVICE std::size_t own_number() {
  return std::size_t{blockIdx.x} * kThreads + threadIdx.x;
}

/// The shares of the own block's average, whose step becomes this one where the lane visits it. All
/// lanes must call.
MOTE_DEVICE AverageShares<float> visit_average(const FieldUpdateArgs& args, std::uint32_t step,
                                               std::size_t parameter, bool visits) {
  const FieldState& state = args.state;
  if (state.average == nullptr) return {};
  const std::size_t block = parameter / kBlock;
  const bool is_head = threadIdx.x % kBlock == 0 && visits;
  std::uint32_t visited = is_head ? state.average_step[block] : 0u;
  if (is_head) state.average_step[block] = step;
  visited = __shfl_sync(kWholeWarp, visited, static_cast<int>(threadIdx.x & kBlock));
  return visits ? shares_in_step(args.shares, visited, step) : AverageShares<float>{};
}

/// Takes the step of a parameter, and returns its new value.
template <bool MATRIX>
MOTE_DEVICE float update_parameter(const FieldUpdateArgs& args, float rate, std::size_t i,
                                   float gradient, const AverageShares<float>& shares) {
  const FieldState& state = args.state;
  constexpr float kLargest = 3.402823466e38f;
  const bool finite = abs(gradient) <= kLargest;
  if (!finite) atomicAdd(args.non_finite, 1u);
  const bool updated = finite && (MATRIX || gradient != 0);
  const unsigned before_it = state.updates[i];
  const unsigned number = before_it < args.corrections.last ? before_it + 1 : before_it;
  const AdamState<float> before{state.values[i], state.first[i], state.second[i]};
  FieldAdam adam = args.adam;
  adam.rate = rate;
  const AdamState<float> after =
      field_adam_step<MATRIX>(before, gradient, updated, element(args.corrections, number), adam);
  if (updated) {
    state.updates[i] = static_cast<std::uint16_t>(number);
    state.values[i] = after.value;
    state.first[i] = after.first;
    state.second[i] = after.second;
  }
  if (state.average != nullptr) {
    state.average[i] = average_after(state.average[i], before.value, after.value, shares);
  }
  return after.value;
}

MOTE_KERNEL(kThreads)
update_matrices(FieldUpdateArgs args, const float* gradients, std::size_t count) {
  const std::size_t i = own_number();
  const bool is_parameter = i < count;  // equal in a block
  const FieldStepNow now = *args.now;
  const AverageShares<float> shares = visit_average(args, now.step, i, is_parameter);
  if (is_parameter) update_parameter<true>(args, now.rate, i, gradients[i], shares);
}

template <class Sum>
MOTE_KERNEL(kThreads)
update_table(FieldUpdateArgs args, TableUpdate table) {
  const std::size_t place = own_number();
  Sum* const sums = static_cast<Sum*>(table.sums);
  const Sum sum = place < table.count ? sums[place] : Sum{};
  const unsigned found = __ballot_sync(kWholeWarp, sum != Sum{} ? 1 : 0);
  const bool visits = (found >> (threadIdx.x & kBlock) & 0xffffu) != 0;
  const FieldStepNow now = *args.now;
  const std::size_t i = table.first + place;
  const AverageShares<float> shares = visit_average(args, now.step, i, visits);
  if (!visits) return;
  const float value =
      update_parameter<false>(args, now.rate, i, gradient_of(sum, table.factor), shares);
  sums[place] = Sum{};
  table.halves[place] = static_cast<std::uint16_t>(rounded_halves(value, 0) & 0xffffu);
}

MOTE_KERNEL(kThreads) read_averages(FieldAverageArgs args) {
  const std::size_t place = own_number(), i = args.first + place;
  if (place >= args.count) return;
  const std::uint32_t missed = args.step - args.state.average_step[i / kBlock];
  const float average = averaged(args.state.average[i], args.state.values[i],
                                 average_share(args.shares, missed, args.step));
  if (args.values != nullptr) args.values[place] = average;
  if (args.halves == nullptr) return;
  args.halves[place] = static_cast<std::uint16_t>(rounded_halves(average, 0) & 0xffffu);
}

LaunchShape shape_of(std::size_t count, const char* name) {
  CHECK(count % kFieldBlock == 0);
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_matrix_update(const FieldUpdateArgs& args, const float* gradients, std::size_t count,
                       cudaStream_t stream) {
  launch(update_matrices, shape_of(count, "updating a network"), stream, args, gradients, count);
}

void run_table_update(const FieldUpdateArgs& args, const TableUpdate& table, GradientSums kind,
                      cudaStream_t stream) {
  CHECK(table.first % kFieldBlock == 0);
  if (table.count == 0) return;  // encodings without grids
  const LaunchShape shape = shape_of(table.count, "updating a grid");
  if (kind == GradientSums::fixed_point) {
    launch(update_table<FixedSum>, shape, stream, args, table);
  } else {
    launch(update_table<float>, shape, stream, args, table);
  }
}

void run_field_averages(const FieldAverageArgs& args, cudaStream_t stream) {
  CHECK(args.step > 0 && args.state.average != nullptr && args.first % kFieldBlock == 0);
  if (args.count == 0) return;
  launch(read_averages, shape_of(args.count, "averages of a field"), stream, args);
}

}  // namespace mote::cuda

// The optimiser of neural fields, and the average of their parameters. Compiled once per
// instruction set.
//
// Most entries of a hash grid get no gradient in a step. For a block of 16 such parameters, the
// kernel only reads the gradients: also the average waits until the block is next visited or read
// (fields/field_optimizer.h).

#include "cpu/isa_kernels.h"
#include "fields/optimizer_storage.h"
#include "lanes/pack_halves.h"

namespace mote::MOTE_ISA {
namespace {

/// Also true for NaN, unlike Highway's Ne() on some processors.
MOTE_LANE PackMask is_not_zero(Pack a) {
  return {hn::Not(hn::Eq(a.value, hn::Zero(PackTag())))};
}

MOTE_LANE bool has_gradient(const float* gradients) {
  PackMask found = is_not_zero(load(gradients));
  for (std::size_t first = kPackLanes; first < kFieldBlock; first += kPackLanes) {
    found = found | is_not_zero(load(gradients + first));
  }
  return any(found);
}

MOTE_LANE void store_distances(Pack average, Pack value, std::uint16_t* distances) {
  const Pack most(kLargestDistance);
  store_halves(max(min(average - value, most), -most), distances);
}

/// Updates the parameters of a pack from `at` on. Returns the number of lanes whose gradient is not
/// finite. `shares`: of the average. `distances`: from the values to the averages; null: none.
template <bool MATRIX>
MOTE_LANE int update_pack(const FieldUpdateParams& params, std::size_t at,
                          const AverageShares<Pack>& shares, std::uint16_t* distances) {
  float* gradients = params.gradients + (at - params.first_gradient);
  const Pack gradient = load(gradients), largest(3.402823466e38f);
  const PackMask finite = abs(gradient) <= largest;
  const PackMask updated = MATRIX ? finite : finite & is_not_zero(gradient);
  const PackWords first = load_short_words(params.first + at);
  const PackWords second = hn::Load(PackWords::Tag(), params.second + at);
  const AdamState<Pack> before{load(params.values + at), float_of_bits(shift_left<16>(first)),
                               stored_second(second)};
  const PackWords updates = next_updates(stored_updates(second), params.most_updates);
  const Pack correction = hn::GatherIndex(
      PackTag(), params.corrections, hn::BitCast(hn::RebindToSigned<PackTag>(), updates.value));
  const AdamState<Pack> after =
      field_adam_step<MATRIX>(before, gradient, updated, correction, params.adam);
  store(after.value, params.values + at);
  store_short_words(select(updated, rounded_upper_half(bits_of(after.first)), first),
                    params.first + at);
  hn::Store(select(updated, store_second(after.second, updates), second).value, PackWords::Tag(),
            params.second + at);
  store(Pack(), gradients);
  store_halves(after.value, params.halves + at);
  if (distances != nullptr) {
    const Pack average = before.value + load_halves(distances);
    store_distances(average_after(average, before.value, after.value, shares), after.value,
                    distances);
  }
  return kPackLanes - __builtin_popcount(mask_bits(finite));
}

/// Updates a block, and returns the number of its parameters whose gradient is not finite.
template <bool MATRIX>
MOTE_LANE int update_block(const FieldUpdateParams& params, std::size_t block) {
  const std::size_t first = block * kFieldBlock;
  AverageShares<Pack> shares{};
  AverageBlock average;
  if (params.average != nullptr) {
    average = load_average(params.average + first);
    const AverageShares<float> own =
        shares_in_step(params.shares, average_step(average, params.step), params.step);
    shares = {Pack(own.missed), Pack(own.own)};
    average.step = params.step;
  }
  int broken = 0;
  for (std::size_t lane = 0; lane < kFieldBlock; lane += kPackLanes) {
    std::uint16_t* distances =
        params.average == nullptr ? nullptr : average.distances.data() + lane;
    broken += update_pack<MATRIX>(params, first + lane, shares, distances);
  }
  if (params.average != nullptr) store_average(average, params.average + first);
  return broken;
}

MOTE_LANE void prefetch_block(const FieldUpdateParams& params, std::size_t block) {
  const std::size_t first = block * kFieldBlock;
  __builtin_prefetch(params.values + first);
  __builtin_prefetch(params.first + first);
  __builtin_prefetch(params.second + first);
  __builtin_prefetch(params.halves + first);
  if (params.average != nullptr) __builtin_prefetch(params.average + first);
}

std::size_t update_matrices(const FieldUpdateParams& params, std::size_t begin, std::size_t end) {
  std::size_t broken = 0;
  for (std::size_t block = begin; block < end; ++block) {
    broken += static_cast<std::size_t>(update_block<true>(params, block));
  }
  return broken;
}

/// Blocks with gradients are at random places, which the processor does not foresee. Each is
/// fetched when it is found and updated when kAhead more are found.
std::size_t update_encodings(const FieldUpdateParams& params, std::size_t begin, std::size_t end) {
  constexpr std::size_t kAhead = 8;
  const bool sweeps = params.average != nullptr && params.step % kAverageSweep == 0;
  std::size_t broken = 0, found[kAhead] = {}, count = 0;
  for (std::size_t block = begin; block < end; ++block) {
    const float* gradients = params.gradients + (block * kFieldBlock - params.first_gradient);
    if (!sweeps && !has_gradient(gradients)) continue;
    prefetch_block(params, block);
    std::size_t& place = found[count++ % kAhead];
    if (count > kAhead) broken += static_cast<std::size_t>(update_block<false>(params, place));
    place = block;
  }
  for (std::size_t i = count < kAhead ? 0 : count - kAhead; i < count; ++i) {
    broken += static_cast<std::size_t>(update_block<false>(params, found[i % kAhead]));
  }
  return broken;
}

}  // namespace

std::size_t update_field(const FieldUpdateParams& params, std::size_t begin, std::size_t end) {
  const std::size_t matrices = params.matrix_blocks;
  const std::size_t middle = matrices < begin ? begin : matrices < end ? matrices : end;
  return update_matrices(params, begin, middle) + update_encodings(params, middle, end);
}

void read_average(const FieldUpdateParams& params, std::size_t begin, std::size_t end,
                  float* values, std::uint16_t* halves) {
  for (std::size_t block = begin; block < end; ++block) {
    Pack share;
    AverageBlock stored;
    if (params.average != nullptr) {
      stored = load_average(params.average + block * kFieldBlock);
      const std::uint32_t missed = params.step - average_step(stored, params.step);
      share = Pack(average_share(params.shares, missed, params.step));
    }
    for (std::size_t lane = 0; lane < kFieldBlock; lane += kPackLanes) {
      const std::size_t at = block * kFieldBlock + lane;
      Pack average = load(params.values + at);
      if (params.average != nullptr) {
        average = averaged(average + load_halves(stored.distances.data() + lane), average, share);
      }
      const std::size_t to = at - begin * kFieldBlock;
      if (values != nullptr) store(average, values + to);
      if (halves != nullptr) store_halves(average, halves + to);
    }
  }
}

}  // namespace mote::MOTE_ISA

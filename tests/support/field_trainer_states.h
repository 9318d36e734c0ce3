#pragma once

// Parts of the saved states of a NeRF's trainer, which all devices order alike: the schedule, the
// field's optimiser, the map of errors, latents, the optimisers of proposals.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fields/error_map.h"
#include "fields/optimizer_storage.h"
#include "support/fake_training.h"

namespace mote {

template <class Trainer>
MemoryBytes saved(const Trainer& trainer) {
  MemoryBytes state;
  trainer.save(state);
  return state;
}

struct SavedSchedule {
  std::uint64_t steps, rays;
  float coarseness;
  std::uint64_t next_update;
};

/// Reads the schedule at the front of a state, and the densities behind it.
inline SavedSchedule take_schedule(MemoryBytes& state) {
  SavedSchedule schedule{};
  schedule.steps = state.get<std::uint64_t>();
  schedule.rays = state.get<std::uint64_t>();
  schedule.coarseness = state.get<float>();
  schedule.next_update = state.get<std::uint64_t>();
  get_all<float>(state);
  return schedule;
}

/// Sets the number of steps done, that of rays of the next step, or the step before which the
/// occupancy is measured next.
inline void set_steps(MemoryBytes& state, std::uint64_t steps) {
  std::memcpy(state.bytes.data(), &steps, sizeof steps);
}
inline void set_rays(MemoryBytes& state, std::uint64_t rays) {
  std::memcpy(state.bytes.data() + sizeof(std::uint64_t), &rays, sizeof rays);
}
inline void set_next_update(MemoryBytes& state, std::uint64_t step) {
  std::memcpy(state.bytes.data() + 2 * sizeof(std::uint64_t) + sizeof(float), &step, sizeof step);
}

/// Reads an optimiser, and returns its first moments: after one step, a tenth of the gradients.
inline std::vector<float> take_moments(MemoryBytes& state) {
  state.get<std::uint32_t>();
  get_all<float>(state);
  std::vector<float> moments = get_all<float>(state);
  get_all<float>(state);
  get_all<float>(state);
  get_all<std::uint16_t>(state);
  get_all<std::uint32_t>(state);
  state.get<SavedAverages>();
  return moments;
}

/// The first moments of a field without latents, and of its rounds of proposals.
template <class Trainer>
std::vector<std::vector<float>> moments_of(const Trainer& trainer, std::size_t rounds = 0) {
  MemoryBytes state = saved(trainer);
  take_schedule(state);
  std::vector<std::vector<float>> all{take_moments(state)};
  for (std::size_t round = 0; round < rounds; ++round) all.push_back(take_moments(state));
  EXPECT_EQ(state.left(), 0u);
  return all;
}

/// Reads a state up to the end of its map of errors, which is returned.
inline ErrorMap take_errors(MemoryBytes& state, std::size_t photographs) {
  take_schedule(state);
  take_moments(state);
  ErrorMap errors(photographs);
  errors.restore(state);
  return errors;
}

/// The state, with the map of errors as after some more steps without errors.
inline MemoryBytes with_later_errors(MemoryBytes state, std::size_t photographs,
                                     std::uint64_t steps) {
  take_schedule(state);
  take_moments(state);
  const std::size_t first = state.bytes.size() - state.left();
  ErrorMap errors(photographs);
  errors.restore(state);
  for (std::uint64_t step = 0; step < steps; ++step) errors.end_step();
  MemoryBytes later;
  later.write(std::span(state.bytes).first(first));
  errors.save(later);
  later.write(std::span(state.bytes).last(state.left()));
  return later;
}

}  // namespace mote

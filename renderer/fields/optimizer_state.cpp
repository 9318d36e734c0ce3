#include "fields/optimizer_state.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "fields/field_optimizer.h"
#include "fields/optimizer_storage.h"
#include "fields/planes.h"

namespace mote {
namespace {

/// As ByteSink::put_all(), with zeros up to a whole block.
void put_blocks(ByteSink& sink, std::span<const float> values) {
  std::vector<float> padded(values.begin(), values.end());
  padded.resize(field_plane_stride(values.size()));
  sink.put_all(std::span<const float>(padded));
}

/// Numbers of updates, which a saved state has in 16 bits.
std::vector<std::uint16_t> saved_updates(std::span<const std::uint32_t> updates) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::uint16_t> saved(field_plane_stride(updates.size()));
  std::ranges::transform(updates, saved.begin(), [&](std::uint32_t count) {
    return static_cast<std::uint16_t>(std::min(count, kMost));
  });
  return saved;
}

}  // namespace

void put_optimizer_state(const OptimizerState& state, std::span<const float> parameters,
                         bool has_average, ByteSink& sink) {
  const std::size_t count = parameters.size();
  CHECK(state.first.size() == count && state.second.size() == count &&
        state.updates.size() == count);
  sink.put(state.step);
  put_blocks(sink, parameters);
  put_blocks(sink, state.first);
  put_blocks(sink, state.second);
  put_blocks(sink, has_average ? parameters : std::span<const float>());
  sink.put_all(std::span<const std::uint16_t>(saved_updates(state.updates)));
  const std::vector<std::uint32_t> average_steps(field_plane_stride(count) / kFieldBlock,
                                                 has_average ? state.step : 0);
  sink.put_all(std::span<const std::uint32_t>(average_steps));
  sink.put(SavedAverages::values);
}

}  // namespace mote

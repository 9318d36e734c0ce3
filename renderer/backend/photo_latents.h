#pragma once

// The latents of a step's photographs. The same for every device.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/field_trainer.h"
#include "fields/latents.h"

namespace mote {

/// [photographs][latents].
inline std::vector<float> photo_latents(const Latents& latents,
                                        std::span<const FieldPhoto> photographs) {
  std::vector<float> all;
  for (const FieldPhoto& photo : photographs) {
    const std::span<const float> own = latents.of(photo.number);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

/// Takes a step of each photograph's optimiser. `gradients`: [photographs][latents]. Returns the
/// number of gradients that were not finite.
inline std::uint64_t step_photo_latents(std::span<const FieldPhoto> photographs,
                                        std::span<const double> gradients, Latents& latents) {
  const auto count = static_cast<std::size_t>(latents.count());
  std::uint64_t bad = 0;
  for (std::size_t i = 0; count > 0 && i < photographs.size(); ++i) {
    bad += latents.step(photographs[i].number, gradients.subspan(i * count, count));
  }
  return bad;
}

}  // namespace mote

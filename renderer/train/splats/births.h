#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

#include "backend/splat_trainer.h"
#include "model/learner.h"
#include "splats/density/relocation_edit.h"

namespace mote {

/// The look of new splats with lives.
struct BirthStyle {
  double sigma_s = 0;    // standard deviation of their lives
  double opacity = 0.1;  // at the time of their photograph
  double scale = 0.5;    // relative to the side of a cell of pixels (splats/density/error_births.h)
};

/// At most `count` splats where a picture of the trainer's splats differs from the photograph. They
/// live around its time, and move as the nearest splats that live then, or not if there are none.
/// `splats`: those of the trainer. Changes nothing. Throws the errors of rendering.
std::vector<SplatBirth> births_from(const LearnRequest& photograph, const BirthStyle& style,
                                    const SplatsToRelocate& splats, SplatTrainer& trainer,
                                    bool antialiased, std::size_t count, std::uint64_t seed);

/// Velocities of the splats near places at a time, world units per second: the mean over the
/// nearest of some of the splats that live then; 0 if there are none.
std::vector<glm::dvec3> velocities_near(std::span<const glm::dvec3> places, double time_s,
                                        const SplatsToRelocate& splats);

}  // namespace mote

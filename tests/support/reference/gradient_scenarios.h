#pragma once

// Training steps for gradient checks: a scene of 200 splats with a photograph, and its parameters
// in groups.

#include <ostream>
#include <span>
#include <vector>

#include "reference_training.h"

namespace mote {

struct GradientScenario {
  const char* name;
  int sh_degree;
  bool antialiased, alpha, mask, neutral_exposure;
  double regularizers;
};

void PrintTo(const GradientScenario& scenario, std::ostream* out);

std::span<const GradientScenario> gradient_scenarios();

/// 200 splats in front of the camera, some of them outside the image. The photograph is noise on a
/// gradient.
ReferenceStep step_of(const GradientScenario& scenario);

/// Parameters of one kind, and their gradient in the same order.
struct ParameterGroup {
  const char* name;
  std::vector<double*> at;
  std::vector<double> gradient;
};

std::vector<ParameterGroup> groups_of(ReferenceStep& step, const ReferenceGradient& gradient);

}  // namespace mote

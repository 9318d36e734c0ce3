#pragma once

// Training steps whose gradient is checked: a scene of 200 splats over a photograph, and its
// parameters by groups.

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

/// 200 splats in front of the camera, some beyond its borders, over a photograph of noise on a
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

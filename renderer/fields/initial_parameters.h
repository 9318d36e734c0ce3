#pragma once

#include <cstdint>
#include <vector>

#include "fields/neural_field.h"

namespace mote {

/// Random parameters in the order of NeuralField::parameters, by the rules of tiny-cuda-nn:
/// matrices by Glorot and Bengio 2010, uniform; grids uniform in +-1e-4. Centres of Gaussians are
/// uniform in +-1, and as wide as that. The configuration must be complete.
std::vector<float> initial_nerf_parameters(const FieldConfig& config, std::uint64_t seed);
std::vector<float> initial_parameters(FieldApplication application, const FieldConfig& config,
                                      std::uint64_t seed);

}  // namespace mote

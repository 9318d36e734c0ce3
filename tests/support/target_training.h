#pragma once

// Short trainings of fields on targets.

#include <cstdint>
#include <memory>
#include <utility>

#include "backend/field_fitter.h"
#include "devices/devices.h"
#include "fields/initial_parameters.h"
#include "train/fields/field_target.h"

namespace mote {

class TargetTraining {
 public:
  /// Trains a field with this grid for a number of steps of 8,192 samples.
  std::unique_ptr<FieldFitter> trained(const FieldTarget& target, FieldApplication application,
                                       const GridConfig& grid, int steps, double eikonal = 0) {
    FieldConfig small;
    small.encoding = {.parts = {{GridEncoding{grid}, 0, 3}}};
    NeuralField field = target.untrained(small);
    config_ = field.config;
    field.parameters = initial_parameters(application, field.config, 1);
    auto fitter = backend_->make_field_fitter(std::move(field));
    for (int step = 1; step <= steps; ++step) {
      const TargetDraw draw{.seed = static_cast<std::uint64_t>(step)};
      fitter->step({.count = 8192,
                    .fill = [&](const FieldSamples& samples) { target.fill(draw, samples); },
                    .learning_rate = 5e-3,
                    .eikonal = eikonal});
    }
    return fitter;
  }
  const FieldConfig& config() const { return config_; }

 private:
  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = ""});
  FieldConfig config_;
};

}  // namespace mote

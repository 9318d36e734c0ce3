#include "gradient_scenarios.h"

#include <cstdint>
#include <utility>

#include "core/random.h"

namespace mote {
namespace {

constexpr GradientScenario kScenarios[] = {{"plain", 3, false, false, false, true, 0},
                                           {"everything", 4, false, true, true, false, 0.01},
                                           {"antialiased", 2, true, true, false, false, 0.01}};

}  // namespace

void PrintTo(const GradientScenario& scenario, std::ostream* out) {
  *out << scenario.name;
}

std::span<const GradientScenario> gradient_scenarios() {
  return kScenarios;
}

ReferenceStep step_of(const GradientScenario& scenario) {
  Random random(5);
  SplatCloud cloud(200, scenario.sh_degree);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto set = [&](Field field, int offset, double value) {
      cloud.at(i, static_cast<Field>(static_cast<int>(field) + offset)) = static_cast<float>(value);
    };
    for (int k = 0; k < 3; ++k) {
      set(Field::mean_x, k, random.uniform(-1.2, 1.2));
      set(Field::log_scale_x, k, random.uniform(-4.5, -1.5));
    }
    for (int k = 0; k < 4; ++k) set(Field::rotation_w, k, random.uniform(-1, 1));
    set(Field::logit_opacity, 0, random.uniform(-3, 3));
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        cloud.sh(i, k, c) = static_cast<float>(random.uniform(-1, 1) * (k == 0 ? 1.2 : 0.3));
      }
    }
  }
  ReferenceStep step;
  step.cloud = ReferenceCloud(cloud);
  step.camera.width = 48, step.camera.height = 40;
  step.camera.focal_px = {44, 46};
  step.camera.center_px = {25, 19};
  look_at(step.camera, {1.1, -0.8, -1.9}, {0, 0, 0}, {0, -1, 0});
  step.antialiased = scenario.antialiased;
  step.opacity_regularizer = step.scale_regularizer = scenario.regularizers;
  step.target.width = 48, step.target.height = 40;
  step.target.channels = scenario.alpha ? 4 : 3;
  for (int i = 0; i < 48 * 40; ++i) {
    for (int c = 0; c < 3; ++c) {
      step.target.photo.push_back(static_cast<std::uint8_t>(40 + i / 20 + 60 * random.uniform()));
    }
    if (scenario.alpha) step.target.photo.push_back(i % 3 == 0 ? 255 : i % 3 == 1 ? 128 : 0);
    if (scenario.mask) step.target.mask.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  step.target.background = {0.28125, 0.46875, 0.71875};
  if (!scenario.neutral_exposure) {
    step.target.exposure = {1.125,  0.0625, -0.125, 0.03125, -0.03125, 0.875,
                            0.0625, 0.0625, 0.0,    0.125,   1.0,      -0.0625};
  }
  return step;
}

std::vector<ParameterGroup> groups_of(ReferenceStep& step, const ReferenceGradient& gradient) {
  std::vector<ParameterGroup> groups;
  const auto add_fields = [&](const char* name, Field first, int count) {
    ParameterGroup group{name, {}, {}};
    for (std::size_t i = 0; i < step.cloud.count; ++i) {
      for (int k = 0; k < count; ++k) {
        const auto field = static_cast<Field>(static_cast<int>(first) + k);
        group.at.push_back(&step.cloud.at(i, field));
        group.gradient.push_back(gradient.cloud.at(i, field));
      }
    }
    groups.push_back(std::move(group));
  };
  add_fields("mean", Field::mean_x, 3);
  add_fields("log_scale", Field::log_scale_x, 3);
  add_fields("rotation", Field::rotation_w, 4);
  add_fields("logit_opacity", Field::logit_opacity, 1);
  const char* const bands[] = {"sh_0", "sh_1", "sh_2", "sh_3", "sh_4"};
  for (int l = 0; l <= step.cloud.sh_degree; ++l) {
    ParameterGroup group{bands[l], {}, {}};
    for (std::size_t i = 0; i < step.cloud.count; ++i) {
      for (int k = l * l; k < (l + 1) * (l + 1); ++k) {
        for (int c = 0; c < 3; ++c) {
          group.at.push_back(&step.cloud.sh_at(i, k, c));
          group.gradient.push_back(gradient.cloud.sh_at(i, k, c));
        }
      }
    }
    groups.push_back(std::move(group));
  }
  ParameterGroup rotation{"pose_rotation", {}, {}}, translation{"pose_translation", {}, {}};
  ParameterGroup background{"background", {}, {}}, exposure{"exposure", {}, {}};
  for (int k = 0; k < 3; ++k) {
    rotation.at.push_back(&step.pose_rotation[k]);
    rotation.gradient.push_back(gradient.pose_rotation[k]);
    translation.at.push_back(&step.pose_translation[k]);
    translation.gradient.push_back(gradient.pose_translation[k]);
    background.at.push_back(&step.target.background[static_cast<std::size_t>(k)]);
    background.gradient.push_back(gradient.background[static_cast<std::size_t>(k)]);
  }
  for (std::size_t k = 0; k < 12; ++k) {
    exposure.at.push_back(&step.target.exposure[k]);
    exposure.gradient.push_back(gradient.exposure[k]);
  }
  for (ParameterGroup* group : {&rotation, &translation, &background, &exposure}) {
    groups.push_back(std::move(*group));
  }
  return groups;
}

}  // namespace mote

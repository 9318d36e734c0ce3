// The gradient of a whole training step by every group of parameters: the
// backward pass in double against finite differences of the reference renderer,
// and trainers against the former.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "backend/splat_trainer.h"
#include "core/random.h"
#include "reference_training.h"
#include "usable_isas.h"

namespace mote {
namespace {

struct Scenario {
  const char* name;
  int sh_degree;
  bool antialiased, alpha, mask, neutral_exposure;
  double regularizers;
};

void PrintTo(const Scenario& scenario, std::ostream* out) {
  *out << scenario.name;
}

const Scenario kScenarios[] = {{"plain", 3, false, false, false, true, 0},
                               {"everything", 4, false, true, true, false, 0.01},
                               {"antialiased", 2, true, true, false, false, 0.01}};

/// 200 splats in front of the camera, some beyond its borders, over a
/// photograph of noise on a gradient.
ReferenceStep step_of(const Scenario& scenario) {
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

/// Parameters of one kind, and their gradient in the same order.
struct Group {
  const char* name;
  std::vector<double*> at;
  std::vector<double> gradient;
};

std::vector<Group> groups_of(ReferenceStep& step, const ReferenceGradient& gradient) {
  std::vector<Group> groups;
  const auto add_fields = [&](const char* name, Field first, int count) {
    Group group{name, {}, {}};
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
    Group group{bands[l], {}, {}};
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
  Group rotation{"pose_rotation", {}, {}}, translation{"pose_translation", {}, {}};
  Group background{"background", {}, {}}, exposure{"exposure", {}, {}};
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
  for (Group* group : {&rotation, &translation, &background, &exposure}) {
    groups.push_back(std::move(*group));
  }
  return groups;
}

struct Difference {
  double value = 0;
  bool smooth = false;  // no decision fell otherwise between the two ends
};

/// The central difference along `direction`.
Difference difference_along(const ReferenceStep& step, const Group& group,
                            const std::vector<double>& direction) {
  constexpr double kStep = 1e-6;
  const auto move = [&](double by) {
    for (std::size_t i = 0; i < direction.size(); ++i) *group.at[i] += by * direction[i];
  };
  std::vector<double> kept;
  for (const double* at : group.at) kept.push_back(*at);
  move(kStep);
  const LossWithDecisions above = loss_of(step);
  move(-2 * kStep);
  const LossWithDecisions below = loss_of(step);
  for (std::size_t i = 0; i < kept.size(); ++i) *group.at[i] = kept[i];
  return {(above.loss - below.loss) / (2 * kStep), above.decisions == below.decisions};
}

class TrainGradient : public testing::TestWithParam<Scenario> {};

INSTANTIATE_TEST_SUITE_P(EachScenario, TrainGradient, testing::ValuesIn(kScenarios),
                         [](const auto& info) { return info.param.name; });

TEST_P(TrainGradient, OfEveryGroupIsThatOfFiniteDifferences) {
  ReferenceStep step = step_of(GetParam());
  const ReferenceGradient gradient = gradient_of(step);
  EXPECT_NEAR(gradient.loss, loss_of(step).loss, 1e-6);
  Random random(9);
  int tried = 0, crossed = 0;
  for (const Group& group : groups_of(step, gradient)) {
    SCOPED_TRACE(group.name);
    double largest = 0;
    for (const double g : group.gradient) largest = std::max(largest, std::abs(g));
    EXPECT_GT(largest, 0.0);
    double worst = 0;
    int smooth = 0;
    // Along single parameters, and along all of the group at once, by random
    // signs.
    for (int round = 0; round < 12; ++round) {
      std::vector<double> direction(group.at.size(), 0.0);
      if (round < 8) {
        direction[random.below(static_cast<std::uint32_t>(direction.size()))] = 1;
      } else {
        for (double& d : direction) d = random.below(2) == 0 ? -0.1 : 0.1;
      }
      double expected = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        expected += direction[i] * group.gradient[i];
      }
      const Difference found = difference_along(step, group, direction);
      ++tried;
      crossed += !found.smooth;
      if (!found.smooth) continue;
      ++smooth;
      worst =
          std::max(worst, std::abs(found.value - expected) / std::max(largest, std::abs(expected)));
    }
    EXPECT_LT(worst, 1e-5);
    EXPECT_GE(smooth, 6);
  }
  EXPECT_LT(crossed, tried / 10);
}

// ---- the trainer of each instruction set against the backward pass in double

/// The step as a trainer is asked for it.
StepRequest request_of(const ReferenceStep& step, const PhotoPixels& photo) {
  StepRequest request;
  request.camera = step.camera;
  request.photo = &photo;
  for (std::size_t c = 0; c < 3; ++c) {
    request.background[c] = static_cast<float>(step.target.background[c]);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    request.exposure[i] = static_cast<float>(step.target.exposure[i]);
  }
  request.loss = {static_cast<float>(step.target.ssim_weight),
                  static_cast<float>(step.opacity_regularizer),
                  static_cast<float>(step.scale_regularizer)};
  return request;
}

PhotoPixels photo_of(const ReferenceLossInput& target) {
  PhotoPixels photo;
  photo.color.resize_discard(target.width, target.height, target.channels);
  std::copy(target.photo.begin(), target.photo.end(), photo.color.pixels.data());
  if (!target.mask.empty()) {
    photo.mask.resize_discard(target.width, target.height, 1);
    std::copy(target.mask.begin(), target.mask.end(), photo.mask.pixels.data());
  }
  return photo;
}

SplatCloud cloud_of(const ReferenceCloud& from) {
  SplatCloud cloud(from.count, from.sh_degree);
  for (std::size_t i = 0; i < from.count; ++i) {
    for (int f = 0; f < kFieldCount; ++f) {
      const auto field = static_cast<Field>(f);
      cloud.at(i, field) = static_cast<float>(from.at(i, field));
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = static_cast<float>(from.sh_at(i, k, c));
    }
  }
  return cloud;
}

struct Trained {
  StepResult result;
  ReferenceGradient gradient;  // with the splats in the order of the step's cloud
};

Trained trained_gradient(const ReferenceStep& step, const std::string& isa) {
  const auto backend = make_backend("cpu", {.threads = 2, .isa = isa, .index = 0});
  const auto trainer = backend->make_trainer(cloud_of(step.cloud), {step.antialiased, false});
  const PhotoPixels photo = photo_of(step.target);
  Trained trained;
  StepResult& result = trained.result;
  ReferenceGradient& gradient = trained.gradient;
  const ReferenceCloud found(trainer->gradients(request_of(step, photo), result));
  const SplatCloud order = trainer->cloud();
  gradient.cloud = step.cloud;
  for (std::size_t i = 0; i < found.count; ++i) {
    // A splat is known by where it is.
    const auto x = static_cast<double>(order.at(i, Field::mean_x));
    std::size_t place = 0;
    while (step.cloud.at(place, Field::mean_x) != x) ++place;
    for (int f = 0; f < kFieldCount; ++f) {
      gradient.cloud.at(place, static_cast<Field>(f)) = found.at(i, static_cast<Field>(f));
    }
    for (int k = 0; k < sh_coefficient_count(found.sh_degree); ++k) {
      for (int c = 0; c < 3; ++c) gradient.cloud.sh_at(place, k, c) = found.sh_at(i, k, c);
    }
  }
  gradient.pose_rotation = result.d_pose_rotation;
  gradient.pose_translation = result.d_pose_translation;
  for (std::size_t c = 0; c < 3; ++c) {
    gradient.background[c] = static_cast<double>(result.d_background[c]);
  }
  for (std::size_t i = 0; i < 12; ++i) {
    gradient.exposure[i] = static_cast<double>(result.d_exposure[i]);
  }
  return trained;
}

/// Splats that change no pixel have no gradient by the picture. Whether a step
/// goes to the trouble of regularising them is left open: they are zeroed.
void drop_unseen(ReferenceGradient& gradient, const ReferenceGradient& by_the_picture) {
  for (std::size_t i = 0; i < gradient.cloud.count; ++i) {
    if (by_the_picture.cloud.at(i, Field::logit_opacity) != 0) continue;
    for (int f = 0; f < kFieldCount; ++f) gradient.cloud.at(i, static_cast<Field>(f)) = 0;
  }
}

double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return std::sqrt(sum);
}

class TrainerGradient : public testing::TestWithParam<std::tuple<std::string, Scenario>> {};

INSTANTIATE_TEST_SUITE_P(EachIsa, TrainerGradient,
                         testing::Combine(testing::ValuesIn(usable_isa_names()),
                                          testing::ValuesIn(kScenarios)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param).name;
                         });

TEST_P(TrainerGradient, IsThatOfTheBackwardPassInDouble) {
  const auto& [isa, scenario] = GetParam();
  ReferenceStep step = step_of(scenario);
  ReferenceGradient expected = gradient_of(step);
  Trained trained = trained_gradient(step, isa);
  ReferenceStep picture = step;
  picture.opacity_regularizer = picture.scale_regularizer = 0;
  const ReferenceGradient by_the_picture = gradient_of(picture);
  EXPECT_NEAR((1 - step.target.ssim_weight) * trained.result.l1 +
                  step.target.ssim_weight * (1 - trained.result.ssim),
              by_the_picture.loss, 1e-5);
  drop_unseen(expected, by_the_picture);
  drop_unseen(trained.gradient, by_the_picture);
  const std::vector<Group> expected_groups = groups_of(step, expected);
  const std::vector<Group> found_groups = groups_of(step, trained.gradient);
  for (std::size_t g = 0; g < expected_groups.size(); ++g) {
    std::vector<double> difference = expected_groups[g].gradient;
    for (std::size_t i = 0; i < difference.size(); ++i) {
      difference[i] -= found_groups[g].gradient[i];
    }
    EXPECT_LT(norm_of(difference), 2e-4 * norm_of(expected_groups[g].gradient))
        << expected_groups[g].name;
  }
}

}  // namespace
}  // namespace mote

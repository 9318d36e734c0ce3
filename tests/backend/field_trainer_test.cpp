// Guarantees of trainers of neural fields, on each device that the test program is linked with:
// they learn, a state is restored bit for bit, and pictures are those of the field.
#include "backend/field_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fields/applications/nerf_layout.h"
#include "fields/error_map.h"
#include "fields/initial_parameters.h"
#include "fields/proposals/proposal_layout.h"
#include "math/counter_random.h"
#include "support/fake_training.h"
#include "support/test_devices.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

constexpr double kBallRadius = 0.6;  // world units, around the origin

Camera ball_camera(const glm::dvec3& eye) {
  Camera camera;
  camera.width = 40;
  camera.height = 30;
  camera.focal_px = {48, 48};
  camera.center_px = {20, 15};
  look_at(camera, eye, {0, 0, 0}, {0, 0, 1});
  return camera;
}

/// Distance to the ball along a ray of length 1, if the ray hits it.
std::optional<double> hit_ball(const glm::dvec3& origin, const glm::dvec3& direction) {
  const double along = -glm::dot(origin, direction);
  const double square = kBallRadius * kBallRadius - glm::dot(origin, origin) + along * along;
  if (square < 0) return {};
  return along - std::sqrt(square);
}

/// A ball coloured by its normal, cut out.
PhotoPixels ball_photo(const Camera& camera) {
  PhotoPixels photo;
  photo.color.resize_discard(camera.width, camera.height, 4);
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const glm::dvec3 ray_cam{(x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                               (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1};
      const glm::dvec3 origin = camera.position_world(),
                       direction = glm::normalize(glm::transpose(camera.cam_from_world) * ray_cam);
      const std::optional<double> distance = hit_ball(origin, direction);
      std::uint8_t* pixel = photo.color.row(y) + 4 * x;
      std::fill(pixel, pixel + 4, std::uint8_t{0});
      if (!distance) continue;
      const glm::dvec3 normal = (origin + *distance * direction) / kBallRadius;
      for (int c = 0; c < 3; ++c) {
        pixel[c] = static_cast<std::uint8_t>(127.5 + 127 * normal[c]);
      }
      pixel[3] = 255;
    }
  }
  return photo;
}

/// An untrained field, small enough for tests.
NeuralField new_field(std::uint64_t seed, int latents = 0) {
  FieldConfig config;
  const GridConfig grid{.levels = 4,
                        .features = 2,
                        .log2_table_size = 13,
                        .base_resolution = 8,
                        .per_level_scale = 1.6};
  config.encoding = {.parts = {{GridEncoding{grid}, 0, 3}}};
  config.network = {.neurons = 16, .hidden_layers = 1};
  config.color_network = {.neurons = 16, .hidden_layers = 1};
  NeuralField field;
  field.config = with_latents(complete_nerf_config(config, 1), latents);
  field.parameters = initial_nerf_parameters(field.config, seed);
  field.placement = {.scale = 0.5, .offset = glm::dvec3(0.5)};
  field.render_box = field_cube(1);
  field.occupancy.values.assign(kOccupancyCells, 0.0f);
  return field;
}

/// The same in all of space, with two rounds that choose the samples.
NeuralField new_proposed_field(std::uint64_t seed) {
  NeuralField field = new_field(seed);
  field.aabb_scale = 2;
  field.render_box = field_cube(2);
  field.occupancy = {2, std::vector<float>(2 * kOccupancyCells, 0.0f)};
  field.proposals = initial_proposals(*field.config.optimizer, seed);
  for (ProposalRound& round : field.proposals->rounds) round.samples /= 2;
  return field;
}

constexpr FieldTrainerSettings kSettings{.batch = 1 << 13},
    kMapped{.batch = 1 << 11, .mapped_photographs = 4};

class FieldTrainers : public OnEachDevice {
 protected:
  void SetUp() override {
    OnEachDevice::SetUp();
    for (const glm::dvec3& eye : {glm::dvec3{3, 0, 1}, {-1, 3, 0}, {-2, -2, 1}, {1, -2, -2}}) {
      cameras_.push_back(ball_camera(eye));
    }
    for (const Camera& camera : cameras_) pixels_.push_back(ball_photo(camera));
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      photographs_.push_back({.camera = cameras_[i], .photo = &pixels_[i], .number = i});
    }
  }

  std::unique_ptr<FieldTrainer> make_trainer(
      std::uint64_t seed = 1, const FieldTrainerSettings& settings = kSettings) const {
    return backend().make_field_trainer(new_field(seed), settings, cameras_);
  }
  std::unique_ptr<FieldTrainer> make_any_trainer(bool proposed, std::uint64_t seed = 1) const {
    return proposed ? backend().make_field_trainer(new_proposed_field(seed), kSettings, cameras_)
                    : make_trainer(seed);
  }

  /// Takes the steps first .. last and returns their losses.
  std::vector<double> train(FieldTrainer& trainer, std::uint64_t first, std::uint64_t last,
                            std::uint64_t seed = 1) const {
    std::vector<double> losses;
    for (std::uint64_t step = first; step <= last; ++step) {
      const FieldStepResult result = trainer.step({.photographs = photographs_,
                                                   .random_background = true,
                                                   .step = step,
                                                   .seed = random_bits(seed, step)});
      EXPECT_EQ(result.non_finite, 0u) << step;
      EXPECT_GT(result.samples, 0u) << step;
      losses.push_back(result.loss);
    }
    return losses;
  }

  std::vector<Camera> cameras_;
  std::vector<PhotoPixels> pixels_;
  std::vector<FieldPhoto> photographs_;
};

INSTANTIATE_TEST_SUITE_P(On, FieldTrainers, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST_P(FieldTrainers, TheLossFalls) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto trainer = make_any_trainer(proposed);
    EXPECT_EQ(trainer->parameters(), new_field(1).parameters.size());
    const std::vector<double> losses = train(*trainer, 1, 60);
    const double first = mean(std::span(losses).first(5)), last = mean(std::span(losses).last(5));
    EXPECT_LT(last, 0.3 * first) << first << " and " << last;
    EXPECT_EQ(trainer->field().training_step, 60u);
  }
}

TEST_P(FieldTrainers, PicturesComeCloserToTheSubject) {
  const auto trainer = make_trainer();
  const Camera camera = ball_camera({2, 2, 1});  // not one of the photographs
  const PhotoPixels truth = ball_photo(camera);
  const auto error = [&] {
    Frame frame;
    trainer->render(camera, {}, frame);
    double sum = 0;
    for (std::size_t p = 0; p < frame.rgb.pixels.size() / 3; ++p) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum += std::abs(static_cast<double>(frame.rgb.pixels[3 * p + c]) -
                        truth.color.pixels[4 * p + c] / 255.0);
      }
    }
    return sum / static_cast<double>(frame.rgb.pixels.size());
  };
  const double before = error();
  train(*trainer, 1, 150);
  EXPECT_LT(error(), 0.5 * before);
}

TEST_P(FieldTrainers, LongerFirstStepsTrainMoreRays) {
  std::vector<std::uint64_t> rays;
  for (const float first_steps : {1.0f, 8.0f}) {
    const auto trainer = make_trainer(1, {.batch = 1 << 13, .first_steps = first_steps});
    train(*trainer, 1, 80);
    rays.push_back(trainer->step({.photographs = photographs_, .step = 81}).rays);
  }
  EXPECT_GT(rays[1], 2 * rays[0]);
}

TEST_P(FieldTrainers, TheOccupancyIsMeasuredAfterTheChosenSamples) {
  for (const std::uint64_t steps_between : {std::uint64_t{4}, std::uint64_t{512}}) {
    const std::uint64_t batch = 1 << 13;
    const auto trainer =
        make_trainer(1, {.batch = batch, .occupancy_samples = batch * steps_between});
    train(*trainer, 1, 34);
    const auto before = trainer->field().occupancy.values;
    train(*trainer, 35, 42);
    EXPECT_EQ(trainer->field().occupancy.values == before, steps_between > 8);
  }
}

TEST_P(FieldTrainers, ResumesFromASavedStateBitForBit) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto whole = make_any_trainer(proposed);
    train(*whole, 1, 12);
    MemoryBytes state;
    whole->save(state);
    const std::vector<double> expected = train(*whole, 13, 30);

    const auto resumed = make_any_trainer(proposed, 2);
    resumed->restore(state);
    EXPECT_EQ(state.left(), 0u);
    EXPECT_EQ(train(*resumed, 13, 30), expected);
    const NeuralField found = resumed->field(), wanted = whole->field();
    EXPECT_EQ(found.parameters, wanted.parameters);
    EXPECT_EQ(found.occupancy.values, wanted.occupancy.values);
    EXPECT_EQ(found.training_step, wanted.training_step);
    EXPECT_EQ(found.proposals.has_value(), proposed);
    for (std::size_t r = 0; proposed && r < 2; ++r) {
      EXPECT_EQ(found.proposals->rounds[r].parameters, wanted.proposals->rounds[r].parameters);
    }
  }
}

TEST_P(FieldTrainers, AMapOfErrorsChoosesPixelsThatAreWorse) {
  const auto mapped = make_trainer(1, kMapped);
  const auto uniform = make_trainer(1, {.batch = kMapped.batch});
  const std::uint64_t known = kFirstErrorSteps;
  train(*mapped, 1, known);
  train(*uniform, 1, known);
  const double with = mean(train(*mapped, known + 1, known + 8)),
               without = mean(train(*uniform, known + 1, known + 8));
  EXPECT_GT(with, 1.25 * without);
}

TEST_P(FieldTrainers, ResumesWithItsMapOfErrors) {
  const std::uint64_t known = kFirstErrorSteps;  // the map is used after these
  const auto whole = make_trainer(1, kMapped);
  train(*whole, 1, known - 3);
  MemoryBytes state;
  whole->save(state);
  const std::vector<double> expected = train(*whole, known - 2, known + 4);
  const auto resumed = make_trainer(2, kMapped);
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, known - 2, known + 4), expected);
  EXPECT_EQ(resumed->field().parameters, whole->field().parameters);
}

TEST_P(FieldTrainers, ATruncatedStateIsAnError) {
  const auto trainer = make_trainer();
  MemoryBytes state;
  trainer->save(state);
  for (std::size_t part = 0; part < 20; ++part) {
    MemoryBytes cut;
    cut.write(std::span(state.bytes).first(state.bytes.size() * part / 20));
    EXPECT_THROW(trainer->restore(cut), Error) << part;
  }
}

TEST_P(FieldTrainers, AStateOfAnotherFieldIsAnError) {
  MemoryBytes state;
  make_trainer()->save(state);
  NeuralField other = new_field(1);
  other.config.network->neurons = 32;
  other.parameters = initial_nerf_parameters(other.config, 1);
  const auto trainer = backend().make_field_trainer(other, kSettings, cameras_);
  const Error error = thrown_by([&] { trainer->restore(state); });
  EXPECT_NE(error.problem().find("number of parameters"), std::string::npos) << error.what();
}

TEST_P(FieldTrainers, EqualSeedsGiveEqualResultsAndOthersDoNot) {
  const auto first = make_trainer(), again = make_trainer(), other = make_trainer();
  const std::vector<double> losses = train(*first, 1, 10, 1);
  EXPECT_EQ(train(*again, 1, 10, 1), losses);
  EXPECT_EQ(again->field().parameters, first->field().parameters);
  EXPECT_NE(train(*other, 1, 10, 2), losses);
  EXPECT_NE(other->field().parameters, first->field().parameters);
}

float largest_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  float largest = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    largest = std::max(largest, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return largest;
}

TEST_P(FieldTrainers, ItsPicturesAreThoseOfTheFieldThatItReturns) {
  const auto old = make_trainer(), proposed = make_any_trainer(true);
  for (FieldTrainer* trainer : {old.get(), proposed.get()})
    for (const std::uint64_t last : {0u, 40u, 41u}) {
      SCOPED_TRACE(testing::Message() << last << (trainer == old.get() ? "" : " with proposals"));
      train(*trainer, last == 41 ? 41 : 1, last);
      const auto field = backend().upload_field(trainer->field());
      RenderSettings settings;
      settings.background = {0.25f, 0.5f, 0.75f};
      settings.outputs.alpha = settings.outputs.depth = true;
      Frame found, expected;
      trainer->render(cameras_[0], settings, found);
      field->render(cameras_[0], settings, expected);
      EXPECT_LT(largest_difference(found.rgb, expected.rgb), 2e-3f);
      EXPECT_LT(largest_difference(found.alpha, expected.alpha), 2e-3f);
      EXPECT_LT(largest_difference(found.depth_expected, expected.depth_expected), 2e-2f);
    }
}

TEST_P(FieldTrainers, LatentsLearnResumeAndShowTheirMean) {
  FieldTrainerSettings settings = kSettings;
  settings.latent_photographs = {0, 1, 2, 3};
  const auto make = [&](std::uint64_t seed) {
    settings.latent_seed = seed;
    return backend().make_field_trainer(new_field(seed, 3), settings, cameras_);
  };
  const auto whole = make(1);
  const std::vector<float> start = whole->field().latents;
  ASSERT_EQ(start.size(), 12u);
  train(*whole, 1, 12);
  MemoryBytes state;
  whole->save(state);
  const std::vector<double> expected = train(*whole, 13, 20);
  const auto resumed = make(2);
  resumed->restore(state);
  EXPECT_EQ(state.left(), 0u);
  EXPECT_EQ(train(*resumed, 13, 20), expected);
  const NeuralField field = whole->field();
  EXPECT_EQ(resumed->field().latents, field.latents);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NE(field.latents[i], start[i]) << i;

  const auto drawn = backend().upload_field(field);
  Frame found, of_field;
  whole->render(cameras_[0], {}, found);
  drawn->render(cameras_[0], {}, of_field);
  EXPECT_LT(largest_difference(found.rgb, of_field.rgb), 2e-3f);
}

TEST_P(FieldTrainers, PicturesDoNotDisturbTraining) {
  for (const bool proposed : {false, true}) {
    SCOPED_TRACE(proposed);
    const auto watched = make_any_trainer(proposed), alone = make_any_trainer(proposed);
    std::vector<double> losses;
    for (std::uint64_t step = 1; step <= 12; ++step) {
      losses.push_back(train(*watched, step, step).front());
      Frame frame;
      watched->render(cameras_[1], {}, frame);
      watched->field();
    }
    EXPECT_EQ(losses, train(*alone, 1, 12));
    EXPECT_EQ(watched->field().parameters, alone->field().parameters);
  }
}

TEST_P(FieldTrainers, RefusesNormalsAndTileCosts) {
  const auto trainer = make_trainer();
  const auto field = backend().upload_field(new_field(1));
  for (DeviceField* drawn : {static_cast<DeviceField*>(trainer.get()), field.get()}) {
    Frame frame;
    RenderSettings settings;
    settings.outputs.normal = true;
    const Error error = thrown_by([&] { drawn->render(cameras_[0], settings, frame); });
    EXPECT_EQ(error.problem(), "neural fields have no normals");
    EXPECT_NE(error.remedy(), "");
    settings.outputs = {.tile_cost = true};
    EXPECT_THROW(drawn->render(cameras_[0], settings, frame), Error);
  }
}

TEST_P(FieldTrainers, StaysFiniteWithExtremePhotographs) {
  // One pixel of white; black and white with alpha and a mask; all transparent.
  std::vector<PhotoPixels> pixels(3);
  pixels[0].color.resize_discard(1, 1, 3);
  pixels[1].color.resize_discard(64, 2, 4);
  pixels[1].mask.resize_discard(64, 2, 1);
  pixels[2].color.resize_discard(5, 4, 4);
  for (Image8* image : {&pixels[0].color, &pixels[1].color, &pixels[1].mask, &pixels[2].color}) {
    for (std::size_t i = 0; i < image->pixels.size(); ++i) {
      image->pixels[i] = i * i % 5 < 3 ? 255 : 0;
    }
  }
  for (std::size_t p = 0; p < 20; ++p) pixels[2].color.pixels[4 * p + 3] = 0;
  // From outside, from inside the field, and from far away.
  const glm::dvec3 eyes[] = {{3, 0, 1}, {0.1, 0.2, 0.1}, {0, 1000, 0}};
  std::vector<FieldPhoto> photographs;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const Image8& image = pixels[i].color;
    photographs.push_back({resized(ball_camera(eyes[i]), image.width, image.height), &pixels[i]});
  }
  photographs[1].exposure = {8, 0, 0, -1, 0, 1e-3f, 0, 0, 0, 0, 0, 100};
  const auto trainer = backend().make_field_trainer(new_field(1), kSettings, {});
  for (std::uint64_t step = 1; step <= 20; ++step) {
    const FieldStepResult result = trainer->step(
        {.photographs = photographs, .background = {1, 0, 1}, .step = step, .seed = step});
    ASSERT_TRUE(std::isfinite(result.loss)) << step;
    EXPECT_EQ(result.non_finite, 0u) << step;
    EXPECT_GT(result.rays, 0u) << step;
    for (const float d : result.d_background) EXPECT_TRUE(std::isfinite(d)) << step;
  }
  for (const float value : trainer->field().parameters) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace mote

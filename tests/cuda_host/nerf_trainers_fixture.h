#pragma once

// Trainers of NeRFs with CUDA, run on the host, and of the processor beside them.

#include <cmath>
#include <memory>
#include <vector>

#include "cpu/cpu_backend.h"
#include "cuda/gpu_backend.h"
#include "field_kernels_fixture.h"
#include "support/field_trainer_fixture.h"
#include "support/field_trainer_states.h"
#include "support/usable_isas.h"

namespace mote::cuda {

inline constexpr FieldTrainerSettings kSettings{.batch = 1 << 12};
/// With space for all rays of the first step.
inline constexpr FieldTrainerSettings kRoomy{.batch = 1 << 13};
/// Rays of the first step, as many for all batches.
inline constexpr std::uint64_t kFewRays = 256;

/// The trainer before its first step, which takes few rays.
inline std::unique_ptr<FieldTrainer> with_few_rays(std::unique_ptr<FieldTrainer> trainer,
                                                   std::uint64_t rays = kFewRays) {
  return with_first_rays(std::move(trainer), rays);
}

class CudaFieldTrainers : public OnTheHostRun {
 protected:
  CudaFieldTrainers() {
    for (const glm::dvec3& eye : {glm::dvec3{3, 0, 1}, {-1, 3, 0}, {-2, -2, 1}, {1, -2, -2}}) {
      cameras_.push_back(ball_camera(eye));
    }
    for (const Camera& camera : cameras_) pixels_.push_back(ball_photo(camera));
    for (std::size_t i = 0; i < cameras_.size(); ++i) {
      photographs_.push_back({.camera = cameras_[i], .photo = &pixels_[i], .number = i});
    }
  }

  std::unique_ptr<FieldTrainer> make(Backend& backend, std::uint64_t seed = 1,
                                     const FieldTrainerSettings& settings = kSettings) const {
    return with_few_rays(backend.make_field_trainer(new_field(seed), settings, cameras_));
  }
  /// A field that is not new_field().
  std::unique_ptr<FieldTrainer> make(Backend& backend, const NeuralField& field,
                                     const FieldTrainerSettings& settings = kSettings) const {
    return with_few_rays(backend.make_field_trainer(field, settings, cameras_));
  }
  FieldStepResult take_step(FieldTrainer& trainer, std::uint64_t step) const {
    return trainer.step({.photographs = photographs_,
                         .random_background = true,
                         .step = step,
                         .seed = random_bits(1, step)});
  }
  std::vector<double> train(FieldTrainer& trainer, std::uint64_t first, std::uint64_t end) const {
    std::vector<double> losses;
    for (std::uint64_t step = first; step < end; ++step) {
      losses.push_back(take_step(trainer, step).loss);
    }
    return losses;
  }
  /// The camera of a photograph with a quarter of its pixels, for pictures.
  Camera small_camera(std::size_t photograph) const {
    return resized(cameras_[photograph], 20, 15);
  }
  /// A field that the processor has trained.
  NeuralField trained_field() const {
    const auto trainer = make(*cpu_, 1, {.batch = 1 << 13});
    train(*trainer, 1, 61);
    return trainer->field();
  }

  std::vector<Camera> cameras_;
  std::vector<PhotoPixels> pixels_;
  std::vector<FieldPhoto> photographs_;
  std::unique_ptr<Backend> cuda_ = make_gpu_backend("CUDA, run on the host", 2);
  /// With products of floats.
  std::unique_ptr<Backend> cpu_ =
      make_cpu_backend({.threads = 2, .isa = usable_isas().front()->kernels->name});
};

inline void expect_equal_pictures(const Frame& own, const Frame& other, double least_inside) {
  double sum = 0;
  for (std::size_t i = 0; i < other.rgb.pixels.size(); ++i) {
    sum += std::pow(static_cast<double>(own.rgb.pixels[i] - other.rgb.pixels[i]), 2);
  }
  EXPECT_GT(-10 * std::log10(sum / static_cast<double>(other.rgb.pixels.size()) + 1e-12), 35);
  double apart = 0, inside = 0;
  for (std::size_t i = 0; i < other.alpha.pixels.size(); ++i) {
    EXPECT_NEAR(own.alpha.pixels[i], other.alpha.pixels[i], 0.1f) << i;
    if (other.alpha.pixels[i] < 0.5f) continue;
    inside += 1;
    apart += std::abs(own.depth_expected.pixels[i] - other.depth_expected.pixels[i]);
  }
  EXPECT_GE(inside, least_inside);
  EXPECT_LE(apart, 0.02 * inside);
}

/// A half-transparent layer through the middle of the scene and, in some pixels, another behind it.
inline std::vector<Frame> two_sheets(const Camera& camera) {
  RenderSettings settings;
  settings.outputs = {.alpha = true, .depth = true};
  std::vector<Frame> sheets(2);
  for (Frame& sheet : sheets) prepare_frame(camera, settings, sheet);
  for (std::size_t i = 0; i < sheets[0].alpha.pixels.size(); ++i) {
    sheets[0].alpha.pixels[i] = i % 5 == 0 ? 0 : 0.5f;
    sheets[0].depth_expected.pixels[i] = 3.0f;
    sheets[1].alpha.pixels[i] = i % 3 == 0 ? 1.0f : 0.25f;
    sheets[1].depth_expected.pixels[i] = i % 2 == 0 ? 3.3f : 2.8f;
  }
  return sheets;
}

inline void expect_equal_parts(DeviceField& own, DeviceField& other, const Camera& camera,
                               double most_apart = 0.02) {
  const std::vector<Frame> sheets = two_sheets(camera);
  RenderSettings settings;
  settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
  std::vector<Frame> found(3), expected(3);
  own.render_parts(camera, settings, {.sheets = sheets, .depth_scale = 1}, found);
  other.render_parts(camera, settings, {.sheets = sheets, .depth_scale = 1}, expected);
  for (std::size_t part = 0; part < 3; ++part) {
    SCOPED_TRACE(part);
    double light = 0, apart = 0;
    ASSERT_EQ(found[part].alpha.pixels.size(), expected[part].alpha.pixels.size());
    for (std::size_t i = 0; i < expected[part].alpha.pixels.size(); ++i) {
      light += static_cast<double>(expected[part].alpha.pixels[i]);
      apart += static_cast<double>(
          std::abs(found[part].alpha.pixels[i] - expected[part].alpha.pixels[i]));
      ASSERT_NEAR(found[part].alpha.pixels[i], expected[part].alpha.pixels[i], 0.1f) << i;
      for (std::size_t c = 3 * i; c < 3 * i + 3; ++c) {
        ASSERT_NEAR(found[part].rgb.pixels[c], expected[part].rgb.pixels[c], 0.1f) << i;
      }
    }
    EXPECT_GT(light, 3);
    EXPECT_LT(apart, most_apart * light);
  }
}

}  // namespace mote::cuda

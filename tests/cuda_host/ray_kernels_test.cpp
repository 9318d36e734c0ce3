// The kernels of rays: marching against the lane templates, places of samples, and gradients of
// samples against differences of the loss in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cuda/fields/ray_waves.h"
#include "field_kernels_fixture.h"
#include "fields/applications/soft_density.h"
#include "fields/field_march.h"

namespace mote::cuda {
namespace {

using RayKernels = OnTheHostRun;

constexpr unsigned kRays = 300;

/// A grid of which about half of the cells are occupied, in cubes of 8^3 cells.
OccupancyDensities cubes() {
  OccupancyDensities densities{.cascades = 1, .values = std::vector<float>(kOccupancyCells)};
  std::mt19937 random(4);
  for (std::size_t first = 0; first < kOccupancyCells; first += 512) {
    const float value = random() % 2 == 0 ? 0.02f : 0.0f;
    std::fill_n(densities.values.begin() + static_cast<std::ptrdiff_t>(first), 512, value);
  }
  return densities;
}

std::vector<RayStart> starts() {
  std::mt19937 random(6);
  std::vector<RayStart> rays;
  for (unsigned i = 0; i < kRays; ++i) {
    const std::vector<float> own = random_floats(random, 7, -1, 1);
    const Vec3<float> direction = normalize(Vec3<float>{own[0], own[1], own[2] + 2});
    RayStart ray{};
    ray.origin[0] = 0.5f + 0.4f * own[3];
    ray.origin[1] = 0.5f + 0.4f * own[4];
    ray.origin[2] = -0.3f;
    ray.direction[0] = direction.x;
    ray.direction[1] = direction.y;
    ray.direction[2] = direction.z;
    ray.jitter = 0.5f + 0.5f * own[5];
    ray.t_end = std::numeric_limits<float>::max();
    ray.depth_per_length = 1;
    ray.is_ray = i % 7 == 3 ? 0 : 1;
    rays.push_back(ray);
  }
  return rays;
}

MarchSettings settings(const OccupancyBits& bits) {
  return march_in_box(field_cube(1), 1, 4).within(bits.box());
}

/// The samples of each ray, in waves, with values that are functions of the position.
struct Followed {
  std::vector<std::vector<RaySample>> samples{kRays};
  std::vector<DrawnColor> colors;
  std::vector<std::uint32_t> lost;
  unsigned waves = 0, kept = 0;
};

float raw_density(float x, float y, float z) {
  return 2 + 3 * std::sin(9 * x) * std::cos(7 * y + 5 * z);
}

Followed follow(std::size_t space, float stop = kTrainingStop) {
  const OccupancyBits bits(cubes());
  DeviceOccupancy occupancy(nullptr);
  occupancy.upload(bits);
  RayWaves waves(nullptr);
  waves.begin(kRays, space);
  const std::vector<RayStart> rays = starts();
  std::ranges::copy(rays, waves.starts().begin());
  const std::size_t stride = waves.samples().stride;
  DeviceBuffer<float> density("densities of a test"), colors("colours of a test");
  density.resize_discard(stride);
  colors.resize_discard(3 * stride);
  colors.fill_bytes(0, nullptr);
  std::vector<float> positions(3 * stride);
  waves.follow({.occupancy = occupancy.view(),
                .march = settings(bits),
                .box_min = 0,
                .box_size = 1,
                .values = {.light = SampleLight::display,
                           .density = density.data(),
                           .colors = colors.data(),
                           .stride = stride,
                           .soft_shift = 0,
                           .soft_cells = 0},
                .stop = stop,
                .keeps_samples = true,
                .evaluate = [&](unsigned first, unsigned count) {
                  std::vector<float> raw(count);
                  for (std::size_t axis = 0; axis < 3; ++axis) {
                    check(cudaMemcpy(positions.data() + axis * stride + first,
                                     waves.samples().positions + axis * stride + first,
                                     count * sizeof(float), cudaMemcpyDeviceToHost),
                          "a test");
                  }
                  for (std::size_t i = 0; i < count; ++i) {
                    const float* x = positions.data() + first + i;
                    raw[i] = raw_density(x[0], x[stride], x[2 * stride]);
                  }
                  density.upload(raw, nullptr, first);
                  check(cudaStreamSynchronize(nullptr), "a test");
                }});
  Followed result;
  result.waves = waves.waves();
  result.kept = waves.kept_samples();
  std::vector<WaveSegment> segments(std::size_t{waves.waves()} * kRays);
  std::vector<float> t(stride), dt(stride);
  const auto read = [](auto& to, const auto* from) {
    check(cudaMemcpy(to.data(), from, to.size() * sizeof(*from), cudaMemcpyDeviceToHost), "a test");
  };
  read(segments, waves.segments());
  read(t, waves.samples().t);
  read(dt, waves.samples().dt);
  for (std::size_t wave = 0; wave < waves.waves(); ++wave) {
    for (std::size_t ray = 0; ray < kRays; ++ray) {
      const WaveSegment segment = segments[wave * kRays + ray];
      for (std::size_t k = 0; k < segment.count; ++k) {
        result.samples[ray].push_back({t[segment.first + k], dt[segment.first + k]});
      }
    }
  }
  auto drawn = zeros_on_device<DrawnColor>(kRays);
  run_drawn_colors(waves.rays(), kRays, drawn.data(), nullptr);
  result.colors = from_device(drawn);
  result.lost = from_device(waves.lost());
  return result;
}

/// The samples and the remaining light of a ray by the lane templates.
std::pair<std::vector<RaySample>, float> expected_samples(const RayStart& start,
                                                          const OccupancyBits& bits) {
  const MarchSettings march_settings = settings(bits);
  std::vector<RaySample> samples;
  float light = 1;
  if (start.is_ray == 0) return {samples, light};
  const Vec3<float> origin{start.origin[0], start.origin[1], start.origin[2]};
  const Vec3<float> direction{start.direction[0], start.direction[1], start.direction[2]};
  RayMarch ray = begin_march(march_settings, origin, direction, start.jitter);
  RaySample sample{};
  while (light >= kTrainingStop && march(bits, march_settings, ray, {1}, &sample) > 0) {
    samples.push_back(sample);
    const Vec3<float> at = origin + direction * sample.t;
    light *= 1 - opacity_of_thickness(optical_thickness(raw_density(at.x, at.y, at.z), sample.dt));
  }
  return {samples, light};
}

TEST_F(RayKernels, TakeTheSamplesOfTheLaneTemplatesUntilLittleLightIsLeft) {
  const OccupancyBits bits(cubes());
  const Followed own = follow(1 << 17);
  const std::vector<RayStart> rays = starts();
  std::size_t all = 0, ended = 0;
  for (std::size_t i = 0; i < kRays; ++i) {
    const auto [samples, light] = expected_samples(rays[i], bits);
    ASSERT_EQ(own.samples[i].size(), samples.size()) << "ray " << i;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      ASSERT_NEAR(own.samples[i][k].t, samples[k].t, 1e-5f);
      ASSERT_NEAR(own.samples[i][k].dt, samples[k].dt, 1e-7f);
    }
    EXPECT_NEAR(own.colors[i].color.transmittance, light, 1e-4f);
    EXPECT_EQ(own.colors[i].samples, samples.size());
    EXPECT_EQ(own.lost[i], 0u);
    all += samples.size();
    ended += light < kTrainingStop;
  }
  EXPECT_GT(all, 3000u);
  EXPECT_GT(ended, 10u);
  EXPECT_LT(ended, kRays - 50u);
}

TEST_F(RayKernels, LoseTheRaysThatFindNoSpace) {
  const Followed own = follow(1200);
  const auto lost = std::ranges::count(own.lost, 1u);
  EXPECT_GT(lost, 10);
  EXPECT_LT(lost, 299);
  EXPECT_LE(own.kept, 1200u);
  const Followed all = follow(1 << 17);
  for (std::size_t i = 0; i < kRays; ++i) {
    if (own.lost[i] != 0) continue;
    ASSERT_EQ(own.samples[i].size(), all.samples[i].size()) << "ray " << i;
  }
}

TEST_F(RayKernels, GiveTheSameSamplesInAnyOrderBitForBit) {
  const Followed first = follow(1 << 17);
  for (const std::uint64_t seed : {1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().blocks_in_flight = 3;
    const Followed other = follow(1 << 17);
    EXPECT_EQ(other.kept, first.kept);
    for (std::size_t i = 0; i < kRays; ++i) {
      ASSERT_EQ(other.colors[i].color.transmittance, first.colors[i].color.transmittance);
    }
  }
}

/// Rays with some samples each, in two waves.
struct GradientProblem {
  static constexpr unsigned kCount = 40;

  explicit GradientProblem(SampleLight l, bool soft) : light(l), is_soft(soft) {
    std::mt19937 random(8);
    for (unsigned wave = 0; wave < 2; ++wave) {
      for (unsigned ray = 0; ray < kCount; ++ray) {
        const auto count = static_cast<std::uint32_t>(random() % 6);
        segments.push_back({static_cast<std::uint32_t>(samples), count});
        samples += count;
      }
    }
    density = random_floats(random, samples, 2, 5);
    colors = random_floats(random, 3 * samples, -1, 1);
    dt = random_floats(random, samples, 0.01f, 0.04f);
    t = random_floats(random, samples, 0.2f, 2);
    for (unsigned ray = 0; ray < kCount; ++ray) {
      const std::vector<float> own = random_floats(random, 6, 0, 1);
      targets.push_back(
          {{own[0], own[1], own[2]}, {own[3], own[4], own[5]}, ray % 5 == 4 ? 0.0f : 0.5f});
    }
  }
  SampleValues values(const float* device_density, const float* device_colors) const {
    return {.light = light,
            .density = device_density,
            .colors = device_colors,
            .stride = samples,
            .soft_shift = is_soft ? -2.0f : 0.0f,
            .soft_cells = is_soft ? 20.0f : 0.0f};
  }
  /// The squared differences, times the weights, in double.
  double loss(const std::vector<double>& raw, const std::vector<double>& raw_colors) const {
    double sum = 0;
    for (unsigned ray = 0; ray < kCount; ++ray) {
      RayColor<double> color;
      for (unsigned wave = 0; wave < 2; ++wave) {
        const WaveSegment segment = segments[wave * kCount + ray];
        const double stop = static_cast<double>(kTrainingStop);
        for (std::size_t k = 0; k < segment.count && color.transmittance >= stop; ++k) {
          const std::size_t at = segment.first + k;
          const double own = is_soft ? log_softplus(raw[at] - 2.0) + std::log(20.0) : raw[at];
          SampleColor<double> sample{};
          sample.thickness = optical_thickness(own, static_cast<double>(dt[at]));
          sample.opacity = opacity_of_thickness(sample.thickness);
          for (std::size_t c = 0; c < 3; ++c) {
            const double x = raw_colors[c * samples + at];
            sample.color[c] =
                light == SampleLight::unbounded ? field_color<true>(x) : field_color<false>(x);
          }
          add_sample(sample, color);
        }
      }
      const bool ended = color.transmittance < static_cast<double>(kTrainingStop);
      const double opaque = ended ? opaque_factor(color.transmittance) : 1;
      const double left = ended ? 0 : color.transmittance;
      for (std::size_t c = 0; c < 3; ++c) {
        const double shown =
            opaque * color.color[c] + left * static_cast<double>(targets[ray].background[c]);
        sum += static_cast<double>(targets[ray].weight) *
               std::pow(shown - static_cast<double>(targets[ray].color[c]), 2);
      }
    }
    return sum;
  }

  SampleLight light;
  bool is_soft;
  std::size_t samples = 0;
  std::vector<WaveSegment> segments;
  std::vector<float> density, colors, dt, t;
  std::vector<RayTarget> targets;
};

void expect_gradients_of_differences(const GradientProblem& p) {
  const auto density = on_device(p.density), colors = on_device(p.colors), dt = on_device(p.dt),
             t = on_device(p.t);
  const auto targets = on_device(p.targets);
  auto segments = on_device(p.segments);
  auto rays = zeros_on_device<RayState>(p.kCount);
  std::vector<RayState> states(p.kCount);
  for (RayState& state : states) state.march.left = 1;
  rays.upload(states, nullptr);
  std::vector<std::uint32_t> numbers(p.kCount);
  std::iota(numbers.begin(), numbers.end(), 0u);
  const auto alive = on_device(numbers);
  auto goes_on = zeros_on_device<std::uint32_t>(p.kCount);
  auto lost = zeros_on_device<std::uint32_t>(p.kCount);
  auto lost_count = zeros_on_device<unsigned>(1);
  const SamplePlanes planes{.positions = nullptr,
                            .t = const_cast<float*>(t.data()),
                            .dt = const_cast<float*>(dt.data()),
                            .rays = nullptr,
                            .stride = p.samples};
  const SampleValues values = p.values(density.data(), colors.data());
  for (unsigned wave = 0; wave < 2; ++wave) {
    run_composite({.values = values,
                   .samples = planes,
                   .rays = rays.data(),
                   .alive = alive.data(),
                   .alive_count = p.kCount,
                   .segments = segments.data() + wave * p.kCount,
                   .stop = kTrainingStop,
                   .goes_on = goes_on.data(),
                   .lost = lost.data(),
                   .lost_count = lost_count.data()},
                  nullptr);
  }
  const auto photographs = zeros_on_device<std::uint32_t>(p.kCount);
  const auto exposures =
      on_device(std::vector<float>(kNeutralExposure.begin(), kNeutralExposure.end()));
  auto losses = zeros_on_device<RayLoss>(p.kCount);
  run_ray_grade({.loss = FieldLoss::l2,
                 .rays = rays.data(),
                 .targets = targets.data(),
                 .photographs = photographs.data(),
                 .exposures = exposures.data(),
                 .scale = 1,
                 .losses = losses.data(),
                 .count = p.kCount},
                nullptr);
  auto d_density = zeros_on_device<float>(p.samples);
  auto d_colors = zeros_on_device<float>(3 * p.samples);
  run_sample_gradients({.values = values,
                        .samples = planes,
                        .segments = segments.data(),
                        .waves = 2,
                        .targets = targets.data(),
                        .losses = losses.data(),
                        .count = p.kCount,
                        .most = 1e9f,
                        .d_density = d_density.data(),
                        .d_colors = d_colors.data()},
                       nullptr);
  const std::vector<float> own_density = from_device(d_density), own_colors = from_device(d_colors);
  std::vector<double> raw(p.density.begin(), p.density.end());
  std::vector<double> raw_colors(p.colors.begin(), p.colors.end());
  double sum = 0;
  for (const RayLoss& loss : from_device(losses)) sum += static_cast<double>(loss.loss);
  EXPECT_NEAR(sum, p.loss(raw, raw_colors), 1e-4 * sum);
  const auto difference = [&](double& value) {
    constexpr double kStep = 1e-4;
    const double before = value;
    value = before + kStep;
    const double above = p.loss(raw, raw_colors);
    value = before - kStep;
    const double below = p.loss(raw, raw_colors);
    value = before;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t i = 0; i < p.samples; ++i) {
    ASSERT_NEAR(own_density[i], difference(raw[i]), 2e-5) << "sample " << i;
  }
  for (std::size_t i = 0; i < 3 * p.samples; ++i) {
    ASSERT_NEAR(own_colors[i], difference(raw_colors[i]), 2e-5) << "colour " << i;
  }
}

TEST_F(RayKernels, HaveTheGradientsOfDifferences) {
  expect_gradients_of_differences(GradientProblem(SampleLight::display, false));
  expect_gradients_of_differences(GradientProblem(SampleLight::unbounded, false));
  expect_gradients_of_differences(GradientProblem(SampleLight::display, true));
}

}  // namespace
}  // namespace mote::cuda

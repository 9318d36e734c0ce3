// The kernels of rays: marching against the lane templates, and places of samples.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/ray_waves.h"
#include "field_kernels_fixture.h"
#include "fields/field_march.h"
#include "fields/planes.h"

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

/// The samples of each ray, followed in waves with values that are functions of the position, and
/// then put behind each other.
struct Followed {
  std::vector<std::vector<RaySample>> samples{kRays};
  std::vector<DrawnColor> colors;
  std::vector<WaveSegment> segments;
  std::vector<float> weights;
  unsigned kept = 0;
};

float raw_density(float x, float y, float z) {
  return 2 + 3 * std::sin(9 * x) * std::cos(7 * y + 5 * z);
}

/// Values of samples, as evaluate() of a wave writes them.
class WaveValues {
 public:
  explicit WaveValues(std::size_t stride) : stride_(stride), positions_(3 * stride) {
    density_.resize_discard(stride);
    colors_.resize_discard(3 * stride);
    colors_.fill_bytes(0, nullptr);
  }
  SampleValues values() const {
    return {.light = SampleLight::display,
            .density = density_.data(),
            .colors = colors_.data(),
            .stride = stride_,
            .soft_shift = 0,
            .soft_cells = 0};
  }
  void evaluate(const float* positions, unsigned count) {
    check(cudaMemcpy(positions_.data(), positions, positions_.size() * sizeof(float),
                     cudaMemcpyDeviceToHost),
          "a test");
    std::vector<float> raw(count);
    for (std::size_t i = 0; i < count; ++i) {
      const float* x = positions_.data() + i;
      raw[i] = raw_density(x[0], x[stride_], x[2 * stride_]);
    }
    density_.upload(raw, nullptr);
    check(cudaStreamSynchronize(nullptr), "a test");
  }

 private:
  std::size_t stride_;
  std::vector<float> positions_;
  DeviceBuffer<float> density_{"densities of a test"}, colors_{"colours of a test"};
};

/// Puts the samples of `colors` behind each other. Ray 5 has no weight.
Followed placed(std::vector<DrawnColor> colors, const DeviceBuffer<RayStart>& starts,
                const DeviceCells& cells, const MarchSettings& march, unsigned most) {
  const std::size_t stride = most + 16;
  auto floats = zeros_on_device<float>(5 * stride);
  auto numbers = zeros_on_device<std::uint32_t>(stride);
  auto scratch = zeros_on_device<std::uint32_t>(kRays + ray_blocks(kRays));
  auto segments = zeros_on_device<WaveSegment>(kRays);
  auto count = zeros_on_device<unsigned>(1);
  std::vector<float> all(kRays, 1);
  all[5] = 0;
  auto weights = on_device(all);
  const auto drawn = on_device(colors);
  run_sample_places({.cells = cells,
                     .settings = march,
                     .starts = starts.data(),
                     .drawn = drawn.data(),
                     .count = kRays,
                     .weights = weights.data(),
                     .segments = segments.data(),
                     .box_min = 0,
                     .box_size = 1,
                     .samples = {.positions = floats.data(),
                                 .t = floats.data() + 3 * stride,
                                 .dt = floats.data() + 4 * stride,
                                 .rays = numbers.data(),
                                 .stride = stride},
                     .most = most,
                     .sample_count = count.data(),
                     .scratch = scratch.data()},
                    nullptr);
  Followed result;
  result.colors = std::move(colors);
  result.segments = from_device(segments);
  result.weights = from_device(weights);
  result.kept = from_device(count).front();
  const std::vector<float> values = from_device(floats);
  const std::vector<std::uint32_t> rays = from_device(numbers);
  for (unsigned ray = 0; ray < kRays; ++ray) {
    const WaveSegment segment = result.segments[ray];
    if (segment.count == kNoSpaceForRay) continue;
    for (std::size_t i = segment.first; i < segment.first + segment.count; ++i) {
      EXPECT_EQ(rays[i], ray);
      result.samples[ray].push_back({values[3 * stride + i], values[4 * stride + i]});
    }
  }
  return result;
}

Followed follow(unsigned space, float stop = kTrainingStop) {
  const OccupancyBits bits(cubes());
  DeviceOccupancy occupancy(nullptr);
  occupancy.upload(bits);
  const auto rays = on_device(starts());
  RayWaves waves(nullptr);
  waves.begin(kRays, field_plane_stride(RayWaves::most_samples(kRays)));
  WaveValues values(waves.samples().stride);
  waves.follow(
      {.cells = occupancy.cells(),
       .march = settings(bits),
       .starts = rays.data(),
       .box_min = 0,
       .box_size = 1,
       .values = values.values(),
       .stop = stop,
       .picture = {},
       .evaluate = [&](unsigned count) { values.evaluate(waves.samples().positions, count); }});
  auto drawn = zeros_on_device<DrawnColor>(kRays);
  run_drawn_colors(waves.rays(), kRays, drawn.data(), nullptr);
  return placed(from_device(drawn), rays, occupancy.cells(), settings(bits), space);
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
    EXPECT_NEAR(own.colors[i].color.transmittance, light, 1e-4f);
    EXPECT_EQ(own.colors[i].samples, samples.size());
    if (i == 5) {
      EXPECT_TRUE(own.samples[i].empty());  // it has no weight
      continue;
    }
    ASSERT_EQ(own.samples[i].size(), samples.size()) << "ray " << i;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      ASSERT_NEAR(own.samples[i][k].t, samples[k].t, 1e-5f);
      ASSERT_NEAR(own.samples[i][k].dt, samples[k].dt, 1e-7f);
    }
    EXPECT_EQ(own.weights[i], 1);
    all += samples.size();
    ended += light < kTrainingStop;
  }
  EXPECT_EQ(own.kept, all);
  EXPECT_GT(all, 3000u);
  EXPECT_GT(ended, 10u);
  EXPECT_LT(ended, kRays - 50u);
}

TEST_F(RayKernels, LoseTheRaysThatFindNoSpace) {
  constexpr unsigned kSpace = 1200;
  const Followed own = follow(kSpace), all = follow(1 << 17);
  std::size_t lost = 0, kept = 0;
  for (std::size_t i = 0; i < kRays; ++i) {
    if (own.segments[i].count == kNoSpaceForRay) {
      EXPECT_EQ(own.weights[i], 0);
      ++lost;
      continue;
    }
    EXPECT_EQ(lost, 0u) << "a ray behind one without space";
    ASSERT_EQ(own.samples[i].size(), all.samples[i].size()) << "ray " << i;
    kept += own.samples[i].size();
  }
  EXPECT_GT(lost, 10u);
  EXPECT_LT(lost, 299u);
  EXPECT_EQ(own.kept, kept);
  EXPECT_LE(own.kept, kSpace);
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

}  // namespace
}  // namespace mote::cuda

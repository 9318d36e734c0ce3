#include "splats.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/ext/quaternion_float.hpp>
#include <glm/geometric.hpp>

#include "garden.h"
#include "synth/noise.h"

namespace mote::garden {
namespace {

// Medians and spreads are between those of two trained scenes: `biker` (PlayCanvas, 152,746 splats)
// and `playbot` (Stephane Agullo, 500,000). Their 5, 25, 50, 75 and 95 % quantiles of the logit of
// opacity are -3.6, -2.6, -1.6, -0.3, 3.1 and -1.6, -0.3, 0.7, 2.2, 5.5. Their medians of the log
// of axis ratios are 1.43 and 1.13 for longest over middle, 1.25 and 1.75 for middle over shortest.
constexpr float kSize = 1.1f, kSizeSpread = 0.68f;  // longest axis: median in spacings; of the log
constexpr float kFirstRatio = 1.28f, kFirstRatioSpread = 0.95f;  // log of longest over middle
constexpr float kSecondRatio = 1.5f, kSecondRatioSpread = 1;     // log of middle over shortest
constexpr float kOpacity = -0.6f;

/// Standard deviations of harmonics by degree, for a gloss of 1. In `playbot` (degree 2) they are
/// 0.16 and 0.13, but correlated between splats; here they are independent.
constexpr float kHarmonics[] = {0, 0.1f, 0.08f, 0.05f, 0.04f};
constexpr float kShConstant = 0.28209479f;  // Y_00

float normal(Random& random) {
  return static_cast<float>(random.normal());
}

/// Uniform in -1 to 1; fast, since a splat has 45 harmonics.
float cheap_random(Random& random) {
  return static_cast<float>(random.next() >> 8) * 0x1p-23f - 1;
}

/// The rotation from z to `axis`.
glm::quat turn_to(vec3 axis) {
  const vec3 from(0, 0, 1);
  if (axis.z < -0.9999f) return {0, 1, 0, 0};
  return glm::normalize(glm::quat(1 + glm::dot(from, axis), glm::cross(from, axis)));
}

/// Converts from z up to y down.
vec3 to_world(vec3 v) {
  return {v.x, -v.z, v.y};
}

class Maker {
 public:
  explicit Maker(std::size_t count) : all_(things()) {
    double total = 0;
    for (const Thing& thing : all_) {
      last_.push_back(total += thing.share);
      const double here = thing.share * static_cast<double>(count);
      spacing_.push_back(std::sqrt(thing.area / static_cast<float>(std::max(here, 1.0))));
    }
    for (double& last : last_) last /= total;
  }

  void make(SplatCloud& cloud, std::size_t i, Random& random) const {
    const auto found = std::upper_bound(last_.begin(), last_.end() - 1, random.uniform());
    const auto which = static_cast<std::size_t>(found - last_.begin());
    const Thing& thing = all_[which];
    Place place = thing.place(random);
    const float spacing = spacing_[which] / std::sqrt(place.crowding);
    const float off = normal(random) * thing.style.thickness * spacing;
    place.position += off * place.normal;
    set_shape(cloud, i, thing.style, place, spacing, random);
    set_color(cloud, i, thing, place, random);
  }

 private:
  static void set_shape(SplatCloud& cloud, std::size_t i, const Style& style, const Place& place,
                        float spacing, Random& random) {
    const vec3 mean = to_world(place.position);
    const float longest = std::log(kSize * style.width * spacing) + kSizeSpread * normal(random);
    const float middle = longest - std::abs(kFirstRatio + kFirstRatioSpread * normal(random));
    const float shortest = middle - std::abs(kSecondRatio + kSecondRatioSpread * normal(random));
    const float turn = 3.1415927f * cheap_random(random);  // about the normal
    const glm::quat rotation = turn_to(to_world(place.normal)) *
                               glm::quat(std::cos(0.5f * turn), 0, 0, std::sin(0.5f * turn));
    const float n = normal(random);
    const float spread = n < 0 ? 1.25f * n : 1.3f * n + 0.9f * n * n;
    cloud.at(i, Field::mean_x) = mean.x;
    cloud.at(i, Field::mean_y) = mean.y;
    cloud.at(i, Field::mean_z) = mean.z;
    cloud.at(i, Field::log_scale_x) = longest;
    cloud.at(i, Field::log_scale_y) = middle;
    cloud.at(i, Field::log_scale_z) = shortest;
    cloud.at(i, Field::rotation_w) = rotation.w;
    cloud.at(i, Field::rotation_x) = rotation.x;
    cloud.at(i, Field::rotation_y) = rotation.y;
    cloud.at(i, Field::rotation_z) = rotation.z;
    cloud.at(i, Field::logit_opacity) = std::min(kOpacity + style.opaque + spread, 9.0f);
  }

  static void set_color(SplatCloud& cloud, std::size_t i, const Thing& thing, const Place& place,
                        Random& random) {
    const vec3 sun = glm::normalize(vec3(0.4f, -0.5f, 0.8f));
    const float lit = 0.7f + 0.3f * std::max(glm::dot(place.normal, sun), 0.0f);
    const float pattern = synth::fractal_noise(place.position * thing.grain + 100.0f);
    const float mix = glm::smoothstep(0.3f, 0.7f, pattern);
    const vec3 color = lit * glm::mix(thing.dark, thing.light, mix);
    const int degree = cloud.sh_degree();
    for (int c = 0; c < 3; ++c) {
      cloud.sh(i, 0, c) = (color[c] + 0.08f * cheap_random(random) - 0.5f) / kShConstant;
      for (int k = 1, l = 1; l <= degree; ++l) {
        // cheap_random() has a standard deviation of 1 / sqrt(3).
        const float spread = 1.7f * thing.style.gloss * kHarmonics[l];
        for (; k < sh_coefficient_count(l); ++k) cloud.sh(i, k, c) = spread * cheap_random(random);
      }
    }
  }

  std::vector<Thing> all_;
  std::vector<double> last_;    // cumulative shares
  std::vector<float> spacing_;  // of each thing's splats, at mean density
};

}  // namespace

SplatCloud make_splats(std::size_t count, int sh_degree, std::uint64_t seed, ThreadPool& threads) {
  constexpr std::size_t kChunk = 4096;  // splats per random stream
  SplatCloud cloud(count, sh_degree);
  const Maker maker(count);
  threads.run((count + kChunk - 1) / kChunk, [&](std::size_t chunk, int) {
    Random random(seed, chunk);
    const std::size_t end = std::min(count, (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; ++i) maker.make(cloud, i, random);
  });
  return cloud;
}

}  // namespace mote::garden

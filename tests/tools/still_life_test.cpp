// The bundled scene and its generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "geometry.h"
#include "io/splats/scene_format.h"
#include "lighting.h"

namespace mote::still_life {
namespace {

TEST(StillLife, TheSameSeedGivesTheSameSplats) {
  const StillLife scene(0.05f);
  const auto make = [&scene](std::uint32_t seed) {
    std::vector<float> numbers;
    const std::vector<Sample> samples = scatter(scene, seed);
    for (const Sample& s : samples) {
      numbers.insert(numbers.end(), {s.position.x, s.position.y, s.position.z, s.normal.x});
    }
    for (const ShColor& color : light(scene, samples, 2, seed)) {
      for (const vec3& c : color) numbers.insert(numbers.end(), {c.x, c.y, c.z});
    }
    return numbers;
  };
  const std::vector<float> first = make(7);
  EXPECT_GT(first.size(), 1000u);
  EXPECT_EQ(first, make(7));
  EXPECT_NE(first, make(8));
}

TEST(StillLife, EverySplatOfTheBundledFileLiesOnItsSolids) {
  const std::filesystem::path file = MOTE_ASSETS "/still_life.spz";
  EXPECT_LT(std::filesystem::file_size(file), 3u << 20);
  const SplatCloud cloud = load_scene(file);
  EXPECT_EQ(cloud.sh_degree(), kShDegree);
  ASSERT_GT(cloud.count(), 50'000u);
  const StillLife scene(1);
  std::size_t opaque = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    // to_world is its own inverse.
    const vec3 p = to_world(
        {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)});
    float nearest = 1e9f;
    for (const Part& part : scene.parts()) {
      nearest = std::min(nearest, std::abs(part.distance(p)));
    }
    ASSERT_LT(nearest, 2e-3f) << "splat " << i;
    opaque += cloud.at(i, Field::logit_opacity) > 3 ? 1 : 0;
  }
  EXPECT_GT(opaque, cloud.count() / 2);
}

}  // namespace
}  // namespace mote::still_life

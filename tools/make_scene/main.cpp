// Makes assets/still_life.spz, the bundled scene: solids with signed distances, points scattered on
// them, light baked into spherical harmonics, and one flat splat per point.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <exception>
#include <glm/ext/quaternion_float.hpp>
#include <glm/geometric.hpp>
#include <string>

#include "geometry.h"
#include "io/splats/scene_format.h"
#include "lighting.h"

namespace mote::still_life {
namespace {

constexpr float kOpacity = 0.985f;
constexpr float kWidth = 0.84f;     // standard deviation along the surface, in spacings
constexpr float kThickness = 0.1f;  // along the normal, in widths

/// The rotation from z to `axis`.
glm::quat turn_to(vec3 axis) {
  const vec3 from(0, 0, 1);
  if (axis.z < -0.9999f) return {0, 1, 0, 0};
  return glm::normalize(glm::quat(1 + glm::dot(from, axis), glm::cross(from, axis)));
}

void set_geometry(SplatCloud& cloud, std::size_t i, const Sample& sample, float opacity) {
  const vec3 mean = to_world(sample.position);
  const glm::quat rotation = turn_to(to_world(sample.normal));
  const float log_width = std::log(sample.spacing * kWidth);
  cloud.at(i, Field::mean_x) = mean.x;
  cloud.at(i, Field::mean_y) = mean.y;
  cloud.at(i, Field::mean_z) = mean.z;
  cloud.at(i, Field::log_scale_x) = log_width;
  cloud.at(i, Field::log_scale_y) = log_width;
  cloud.at(i, Field::log_scale_z) = log_width + std::log(kThickness);
  cloud.at(i, Field::rotation_w) = rotation.w;
  cloud.at(i, Field::rotation_x) = rotation.x;
  cloud.at(i, Field::rotation_y) = rotation.y;
  cloud.at(i, Field::rotation_z) = rotation.z;
  cloud.at(i, Field::logit_opacity) = std::log(opacity / (1 - opacity));
}

SplatCloud make_cloud(float detail, int rays, std::uint32_t seed) {
  const StillLife scene(detail);
  const std::vector<Sample> samples = scatter(scene, seed);
  const std::vector<ShColor> colors = light(scene, samples, rays, seed);
  SplatCloud cloud(samples.size(), kShDegree);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Material material = scene.parts()[samples[i].part].material(samples[i].position);
    set_geometry(cloud, i, samples[i], kOpacity * material.opacity);
    for (int k = 0; k < kShCount; ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = colors[i][static_cast<std::size_t>(k)][c];
    }
  }
  return cloud;
}

}  // namespace
}  // namespace mote::still_life

int main(int argc, char** argv) {
  std::string output;
  float detail = 1;
  int rays = 80;
  std::uint32_t seed = 42;
  CLI::App app{"Makes the still life that Mote ships."};
  app.add_option("OUT", output, "the scene to write, .spz or .ply")->required();
  app.add_option("--detail", detail, "density of splats along each axis")
      ->check(CLI::Range(0.05, 4.0));
  app.add_option("--rays", rays, "rays a splat and bounce")->check(CLI::Range(1, 100000));
  app.add_option("--seed", seed, "of the random numbers");
  CLI11_PARSE(app, argc, argv);
  try {
    const mote::SplatCloud cloud = mote::still_life::make_cloud(detail, rays, seed);
    mote::save_scene(cloud, output);
    std::printf("%zu splats\n", cloud.count());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_scene: %s\n", error.what());
    return 1;
  }
  return 0;
}

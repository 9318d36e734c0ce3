#include "garden.h"

#include <cmath>
#include <numbers>

namespace mote::garden {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr Style kFirm{.width = 1, .opaque = 0.3f, .thickness = 0.5f, .gloss = 0.5f};
constexpr Style kLeafy{.width = 1.1f, .opaque = 0, .thickness = 1, .gloss = 0.8f};
constexpr Style kFar{.width = 1.2f, .opaque = 0.5f, .thickness = 2, .gloss = 0.3f};
constexpr float kLeafLayers = 3;  // layers of leaves from the outside into a crown

float ball_area(float radius, float flat) {
  return 4 * kPi * radius * radius * (1 + 2 * flat) / 3;
}

void add_table(std::vector<Thing>& all) {
  constexpr float kTop = 0.72f, kRadius = 0.75f, kLeg = 0.035f;
  const vec3 pale{0.62f, 0.5f, 0.38f}, brown{0.4f, 0.28f, 0.19f};
  const vec3 middle{0, 0, kTop};
  all.push_back({.share = 0.10,
                 .area = kPi * kRadius * kRadius,
                 .place = [=](Random& random) { return on_disc(middle, kRadius, random); },
                 .light = pale,
                 .dark = brown,
                 .grain = 14,
                 .style = kFirm});
  all.push_back({.share = 0.02,
                 .area = 4 * kPi * kPi * kRadius * 0.03f,
                 .place = [=](Random& random) { return on_ring(middle, kRadius, 0.03f, random); },
                 .light = brown,
                 .dark = 0.6f * brown,
                 .grain = 20,
                 .style = kFirm});
  for (int leg = 0; leg < 4; ++leg) {
    const float angle = 0.4f + 0.5f * kPi * static_cast<float>(leg);
    const vec3 foot{0.55f * std::cos(angle), 0.55f * std::sin(angle), 0};
    all.push_back(
        {.share = 0.005,
         .area = 2 * kPi * kLeg * kTop,
         .place = [=](Random& random) { return on_column(foot, kTop, kLeg, kLeg, random); },
         .light = brown,
         .dark = 0.5f * brown,
         .grain = 20,
         .style = kFirm});
  }
}

void add_vase(std::vector<Thing>& all) {
  const vec3 foot{0.05f, -0.03f, 0.73f};
  all.push_back(
      {.share = 0.04,
       .area = 2 * kPi * 0.11f * 0.28f,
       .place = [=](Random& random) { return on_column(foot, 0.28f, 0.13f, 0.09f, random); },
       .light = {0.75f, 0.77f, 0.8f},
       .dark = {0.2f, 0.33f, 0.55f},
       .grain = 30,
       .style = kFirm});
  const vec3 bouquet = foot + vec3(0, 0, 0.42f);
  all.push_back({.share = 0.09,
                 .area = kLeafLayers * ball_area(0.25f, 0.8f),
                 .place = [=](Random& random) { return in_crown(bouquet, 0.25f, 0.8f, random); },
                 .light = {0.8f, 0.35f, 0.45f},
                 .dark = {0.2f, 0.42f, 0.16f},
                 .grain = 25,
                 .style = kLeafy});
}

void add_lawn(std::vector<Thing>& all) {
  constexpr float kNear = 2, kRadius = 14;
  all.push_back({.share = 0.25,
                 .area = kPi * kRadius * kRadius,
                 .place = [](Random& random) { return on_ground(kNear, kRadius, random); },
                 .light = {0.45f, 0.52f, 0.25f},
                 .dark = {0.24f, 0.3f, 0.12f},
                 .grain = 9,
                 .style = kLeafy});
}

void add_hedges_and_trees(std::vector<Thing>& all) {
  constexpr int kHedges = 11, kTrees = 6;
  for (int i = 0; i < kHedges; ++i) {
    const float angle = 0.25f * kPi + 1.5f * kPi * static_cast<float>(i) / (kHedges - 1);
    const float radius = 1 + 0.15f * std::sin(3.7f * static_cast<float>(i));
    const vec3 center{6.3f * std::cos(angle), 6.3f * std::sin(angle), 0.7f};
    all.push_back({.share = 0.2 / kHedges,
                   .area = kLeafLayers * ball_area(radius, 0.9f),
                   .place = [=](Random& random) { return in_crown(center, radius, 0.9f, random); },
                   .light = {0.36f, 0.5f, 0.2f},
                   .dark = {0.1f, 0.18f, 0.07f},
                   .grain = 6,
                   .style = kLeafy});
  }
  for (int i = 0; i < kTrees; ++i) {
    const float angle = 0.5f + 2 * kPi * static_cast<float>(i) / kTrees;
    const vec3 foot{9.5f * std::cos(angle), 9.5f * std::sin(angle), 0};
    const vec3 crown = foot + vec3(0, 0, 4.4f);
    all.push_back(
        {.share = 0.02 / kTrees,
         .area = 2 * kPi * 0.2f * 3.2f,
         .place = [=](Random& random) { return on_column(foot, 3.2f, 0.25f, 0.15f, random); },
         .light = {0.4f, 0.33f, 0.26f},
         .dark = {0.18f, 0.14f, 0.1f},
         .grain = 8,
         .style = kFirm});
    all.push_back({.share = 0.13 / kTrees,
                   .area = kLeafLayers * ball_area(2.2f, 0.8f),
                   .place = [=](Random& random) { return in_crown(crown, 2.2f, 0.8f, random); },
                   .light = {0.42f, 0.52f, 0.22f},
                   .dark = {0.14f, 0.22f, 0.09f},
                   .grain = 3,
                   .style = kLeafy});
  }
}

void add_house(std::vector<Thing>& all) {
  const vec3 corner{8.5f, -4.5f, 0}, along{0, 9, 0};
  all.push_back({.share = 0.06,
                 .area = 9 * 5,
                 .place = [=](Random& random) { return on_wall(corner, along, 5, random); },
                 .light = {0.7f, 0.62f, 0.52f},
                 .dark = {0.5f, 0.33f, 0.27f},
                 .grain = 5,
                 .style = kFirm});
}

void add_sky_and_strays(std::vector<Thing>& all) {
  constexpr float kSky = 45;
  all.push_back({.share = 0.06,
                 .area = ball_area(kSky, 0.6f),
                 .place = [](Random& random) { return on_ball({}, kSky, 0.6f, random); },
                 .light = {0.78f, 0.84f, 0.92f},
                 .dark = {0.5f, 0.6f, 0.72f},
                 .grain = 0.1f,
                 .style = kFar});
  // Faint splats in the air, as training leaves between the cameras and the scene.
  all.push_back({.share = 0.01,
                 .area = ball_area(5, 0.5f),
                 .place =
                     [](Random& random) {
                       return in_crown({0, 0, 2}, 5, 0.5f, random);
                     },
                 .light = {0.6f, 0.6f, 0.55f},
                 .dark = {0.35f, 0.4f, 0.3f},
                 .grain = 1,
                 .style = {.width = 0.2f, .opaque = -2, .thickness = 4, .gloss = 1}});
}

}  // namespace

std::vector<Thing> things() {
  std::vector<Thing> all;
  add_table(all);
  add_vase(all);
  add_lawn(all);
  add_hedges_and_trees(all);
  add_house(all);
  add_sky_and_strays(all);
  return all;
}

}  // namespace mote::garden

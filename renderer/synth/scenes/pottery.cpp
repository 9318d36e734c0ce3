// `pottery`: a stoneware vase with eucalyptus, a willow basket of lemons, a porcelain bowl of
// plums, a brass candlestick and a linen runner on a tiled plinth.
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "core/random.h"
#include "synth/noise.h"
#include "synth/sampling.h"
#include "synth/scenes/pottery_materials.h"
#include "synth/shapes.h"
#include "synth/studio.h"

namespace mote::synth {
namespace {

constexpr vec3 kVase{-0.20f, 0.22f, 0}, kBasket{0.47f, -0.18f, 0.006f}, kBowl{-0.22f, -0.58f, 0},
    kCandle{0.40f, 0.56f, 0};

Texture about(vec3 center) {
  return [center](vec2, vec3 position) { return position - center; };
}

void add_plinth(Scene& scene) {
  const auto material = scene.add_material(pottery::plinth);
  add_turned(scene.mesh, {168, 112, material, about(vec3(0))}, vec3(0),
             {{1.10f, -0.45f},
              {1.10f, -0.45f},
              {1.10f, -0.25f},
              {1.10f, -0.05f},
              {1.10f, -0.05f},
              {1.14f, -0.045f},
              {1.15f, -0.03f},
              {1.15f, -0.015f},
              {1.14f, -0.002f},
              {1.11f, 0.0f},
              {1.11f, 0.0f},
              {0.98f, 0.0f},
              {0.84f, 0.0f},
              {0.70f, 0.0f},
              {0.56f, 0.0f},
              {0.42f, 0.0f},
              {0.28f, 0.0f},
              {0.14f, 0.0f},
              {0.0f, 0.0f}});
}

void add_vase(Scene& scene) {
  const auto material = scene.add_material(pottery::vase);
  add_turned(scene.mesh, {84, 84, material, about(kVase)}, kVase,
             {{0.0f, 0.004f},
              {0.13f, 0.004f},
              {0.15f, 0.004f},
              {0.155f, 0.02f},
              {0.20f, 0.10f},
              {0.275f, 0.24f},
              {0.30f, 0.37f},
              {0.26f, 0.50f},
              {0.165f, 0.60f},
              {0.105f, 0.67f},
              {0.098f, 0.74f},
              {0.125f, 0.795f},
              {0.143f, 0.81f},
              {0.140f, 0.82f},
              {0.122f, 0.81f},
              {0.085f, 0.75f},
              {0.085f, 0.68f},
              {0.12f, 0.58f},
              {0.0f, 0.52f}});
}

void add_bowl(Scene& scene) {
  const auto material = scene.add_material(pottery::bowl);
  add_turned(scene.mesh, {72, 52, material, about(kBowl)}, kBowl,
             {{0.0f, 0.003f},
              {0.085f, 0.003f},
              {0.095f, 0.005f},
              {0.092f, 0.018f},
              {0.15f, 0.045f},
              {0.20f, 0.10f},
              {0.222f, 0.175f},
              {0.226f, 0.183f},
              {0.219f, 0.184f},
              {0.212f, 0.17f},
              {0.19f, 0.105f},
              {0.13f, 0.052f},
              {0.0f, 0.038f}});
  const auto plum = scene.add_material(pottery::plum);
  const vec3 places[] = {{-0.075f, 0.035f, 0.125f},
                         {0.08f, 0.06f, 0.125f},
                         {0.01f, -0.085f, 0.125f},
                         {0.012f, 0.015f, 0.232f}};
  float turn = 0.3f;
  for (const vec3 place : places) {
    turn += 1.9f;
    add_blob(scene.mesh, {36, 26, plum, about(vec3(0))},
             {.center = kBowl + place,
              .radius = 0.082f,
              .stretch = 1.06f,
              .axis = glm::normalize(vec3(std::cos(turn), std::sin(turn), 0.9f)),
              .swell = [](vec3 d) {
                const float seam = std::exp(-40 * d.y * d.y) * glm::smoothstep(-0.2f, 0.3f, d.x);
                return 1 - 0.045f * seam - 0.10f * std::exp(-18 * (1 - d.z));
              }});
  }
}

void add_candlestick(Scene& scene) {
  const auto brass = scene.add_material(pottery::brass);
  add_turned(
      scene.mesh, {52, 104, brass, about(vec3(0))}, kCandle,
      {{0.0f, 0.003f},   {0.17f, 0.003f},  {0.185f, 0.01f},  {0.18f, 0.03f},  {0.13f, 0.045f},
       {0.125f, 0.06f},  {0.06f, 0.085f},  {0.034f, 0.12f},  {0.05f, 0.15f},  {0.05f, 0.165f},
       {0.026f, 0.19f},  {0.022f, 0.27f},  {0.045f, 0.33f},  {0.048f, 0.35f}, {0.025f, 0.39f},
       {0.022f, 0.46f},  {0.05f, 0.49f},   {0.052f, 0.505f}, {0.10f, 0.52f},  {0.105f, 0.53f},
       {0.10f, 0.537f},  {0.055f, 0.532f}, {0.05f, 0.54f},   {0.052f, 0.60f}, {0.055f, 0.61f},
       {0.048f, 0.612f}, {0.044f, 0.60f},  {0.0f, 0.598f}});
  const auto wax = scene.add_material(pottery::wax);
  add_turned(scene.mesh, {28, 30, wax, about(vec3(0))}, kCandle,
             {{0.041f, 0.59f},
              {0.041f, 0.70f},
              {0.040f, 0.80f},
              {0.039f, 0.90f},
              {0.039f, 0.915f},
              {0.034f, 0.922f},
              {0.02f, 0.912f},
              {0.0f, 0.908f}});
  const auto wick = scene.add_material([](vec3) { return Surface{.albedo = vec3(0.03f)}; });
  const Tube tube{
      .path = [](float t) { return kCandle + vec3(0.012f * t * t, 0, 0.90f + 0.04f * t); },
      .radius = [](float) { return 0.0035f; },
      .reference = vec3(0, 1, 0)};
  add_tube(scene.mesh, {6, 8, wick, {}}, tube);
}

/// Radius of the basket's wall at a height.
float basket_radius(float height) {
  return 0.235f + 0.065f * std::sin(height / 0.25f * 1.9f);
}

void add_basket(Scene& scene) {
  constexpr int kStakes = 30, kRows = 13;
  constexpr float kHeight = 0.235f, kRod = 0.0115f;
  const auto wicker = scene.add_material(pottery::wicker);
  for (int i = 0; i < kStakes; ++i) {
    const float angle = 2 * kPi * static_cast<float>(i) / kStakes;
    const vec3 outward(std::cos(angle), std::sin(angle), 0);
    const Tube stake{.path =
                         [outward](float t) {
                           return kBasket + outward * basket_radius(t * kHeight) +
                                  vec3(0, 0, t * kHeight);
                         },
                     .radius = [](float) { return 0.010f; },
                     .reference = outward};
    add_tube(scene.mesh, {6, 12, wicker, [i](vec2 uv, vec3) { return vec3(uv.y, uv.x, i); }},
             stake);
  }
  for (int row = 0; row < kRows; ++row) {
    const float height = kRod + (kHeight - kRod) * static_cast<float>(row) / (kRows - 1);
    const float phase = row % 2 == 0 ? 0 : kPi;
    const Tube rod{.path =
                       [height, phase](float t) {
                         const float angle = 2 * kPi * t;
                         const float radius =
                             basket_radius(height) + 0.013f * std::cos(angle * kStakes / 2 + phase);
                         return kBasket +
                                vec3(radius * std::cos(angle), radius * std::sin(angle), height);
                       },
                   .radius = [](float) { return kRod; },
                   .closed = true};
    add_tube(scene.mesh,
             {6, 180, wicker, [row](vec2 uv, vec3) { return vec3(uv.y * 12, uv.x, 100 + row); }},
             rod);
  }
  for (int strand = 0; strand < 3; ++strand) {  // the braided rim
    const Tube braid{.path =
                         [strand](float t) {
                           const float angle = 2 * kPi * t;
                           const float twist =
                               angle * 16 + static_cast<float>(strand) * 2 * kPi / 3;
                           const float radius = basket_radius(kHeight) + 0.013f * std::cos(twist);
                           return kBasket + vec3(radius * std::cos(angle), radius * std::sin(angle),
                                                 kHeight + 0.016f + 0.013f * std::sin(twist));
                         },
                     .radius = [](float) { return 0.0125f; },
                     .closed = true};
    add_tube(
        scene.mesh,
        {6, 224, wicker, [strand](vec2 uv, vec3) { return vec3(uv.y * 14, uv.x, 200 + strand); }},
        braid);
  }
  add_turned(scene.mesh,
             {48, 10, wicker, [](vec2 uv, vec3) { return vec3(uv.y * 4, uv.x * 8, 300); }}, kBasket,
             {{0.22f, 0.012f}, {0.11f, 0.012f}, {0.0f, 0.012f}});
}

void add_lemon(Scene& scene, std::uint16_t material, vec3 center, vec3 axis) {
  add_blob(scene.mesh, {40, 28, material, about(center * 0.5f)},
           {.center = center,
            .radius = 0.098f,
            .stretch = 1.22f,
            .axis = glm::normalize(axis),
            .swell = [center](vec3 d) {
              const float tip =
                  std::exp(-26 * (1 - d.z)) * 0.16f + std::exp(-40 * (1 + d.z)) * 0.06f;
              return 1 + tip + 0.02f * (fractal_noise(d * 3.0f + center * 9.0f) - 0.5f);
            }});
}

void add_lemons(Scene& scene) {
  const auto lemon = scene.add_material(pottery::lemon);
  struct Place {
    vec3 at, axis;
  };
  const Place places[] = {
      {{0.13f, 0.03f, 0.17f}, {0.6f, 0.8f, 0.2f}},    {{-0.06f, 0.13f, 0.17f}, {1, 0.2f, 0.35f}},
      {{-0.09f, -0.10f, 0.17f}, {0.4f, -0.9f, 0.3f}}, {{0.07f, -0.15f, 0.165f}, {0.9f, 0.5f, 0.1f}},
      {{0.0f, 0.0f, 0.29f}, {0.8f, -0.5f, 0.25f}},    {{0.10f, 0.14f, 0.24f}, {-0.7f, 0.6f, 0.3f}}};
  for (const Place& place : places) add_lemon(scene, lemon, kBasket + place.at, place.axis);
  add_lemon(scene, lemon, {-0.68f, -0.30f, 0.096f}, {0.85f, 0.5f, 0.05f});
}

/// One branch with its pairs of leaves, from the mouth of the vase.
void add_branch(Scene& scene, std::uint16_t stem, std::uint16_t leaf, Random& random, int number) {
  const auto between = [&](double low, double high) {
    return static_cast<float>(random.uniform(low, high));
  };
  const float turn = static_cast<float>(number) * 2.39996f + between(-0.25, 0.25);
  const vec3 outward(std::cos(turn), std::sin(turn), 0);
  const float reach = between(0.20, 0.42), rise = between(0.34, 0.62) - 0.35f * reach;
  const vec3 mouth = kVase + vec3(0, 0, 0.70f);
  const std::vector<vec3> points{mouth - vec3(0, 0, 0.14f) - 0.03f * outward,
                                 mouth + 0.035f * outward,
                                 mouth + 0.3f * reach * outward + vec3(0, 0, 0.14f + 0.42f * rise),
                                 mouth + reach * outward + vec3(0, 0, 0.12f + rise)};
  const Tube tube{.path = [&points](float t) { return curve_at(points, t); },
                  .radius = [](float t) { return 0.008f - 0.005f * t; },
                  .reference = glm::normalize(glm::cross(outward, vec3(0, 0, 1)))};
  add_tube(scene.mesh, {7, 28, stem, about(vec3(0))}, tube);
  constexpr int kPairs = 8;
  for (int pair = 0; pair < kPairs; ++pair) {
    const float t = 0.44f + 0.55f * static_cast<float>(pair) / (kPairs - 1);
    const vec3 base = curve_at(points, t);
    const vec3 along = glm::normalize(curve_at(points, t + 0.01f) - curve_at(points, t - 0.01f));
    const Frame3 frame(along);
    const float spin = static_cast<float>(pair) * 1.9f + between(-0.3, 0.3);
    for (const float side : {0.0f, kPi}) {
      const vec3 sideways = frame({std::cos(spin + side), std::sin(spin + side), 0});
      const float length =
          (0.125f - 0.055f * static_cast<float>(pair) / kPairs) * between(0.85, 1.15);
      const int id = number * 64 + pair * 2 + (side > 0 ? 1 : 0);
      add_leaf(scene.mesh, {10, 6, leaf, [id](vec2 uv, vec3) { return vec3(uv, id); }},
               {.base = base,
                .direction = glm::normalize(sideways + along * between(0.35, 0.8)),
                .up = glm::normalize(along + 0.3f * vec3(0, 0, 1) + sideways * between(-0.4, 0.1)),
                .length = length,
                .width = length * between(0.74, 0.92),
                .bend = between(0.0, 0.25),
                .fold = between(0.04, 0.16),
                .roundness = 0.62f});
    }
  }
}

void add_branches(Scene& scene) {
  constexpr int kBranches = 8;
  const auto stem = scene.add_material(pottery::stem), leaf = scene.add_material(pottery::leaf);
  Random random(20, 4);
  for (int i = 0; i < kBranches; ++i) add_branch(scene, stem, leaf, random, i);
}

/// A strip of cloth from the middle of the plinth, under the basket, over the edge.
void add_runner(Scene& scene) {
  constexpr float kHalfWidth = 0.27f, kStart = -0.16f, kLength = 1.62f, kThick = 0.0035f;
  constexpr float kEdge = 1.152f, kFold = 0.03f;  // position and sharpness of the bend
  const vec3 along = glm::normalize(vec3(0.93f, -0.36f, 0)), across(-along.y, along.x, 0);
  const auto linen = scene.add_material(pottery::linen);
  const auto surface = [along, across](float x, float s, float above) {
    const float wave = 0.5f + 0.5f * noise(vec3(x * 9, s * 3.2f, 1));
    const float ripple = 0.010f * wave * std::sin(17 * x + 5 * noise(vec3(x * 3, s * 2, 4)));
    const float edge = std::sqrt(kEdge * kEdge - x * x);
    const float over = s - edge, lift = 0.0045f + above;
    if (over < 0) {
      const float near_basket = glm::smoothstep(0.22f, 0.40f, std::abs(s - 0.50f));
      return across * x + along * s + vec3(0, 0, lift + std::abs(ripple) * near_basket);
    }
    const float turn = std::min(over / kFold, 0.5f * kPi);
    const float drop = std::max(0.0f, over - 0.5f * kPi * kFold);
    const float sway = ripple * 2.2f * glm::smoothstep(0.0f, 0.2f, drop);
    return across * (x * (1 - 0.10f * drop)) +
           along * (edge + (kFold + lift) * std::sin(turn) + sway + 0.05f * drop) +
           vec3(0, 0, (kFold + lift) * std::cos(turn) - kFold - drop);
  };
  Patch patch{.columns = 84,
              .rows = 90,
              .closed_u = true,
              .material = linen,
              .position = {},
              .texture = {}};
  patch.position = [surface](vec2 uv) {  // first the upper side, then back along the lower one
    const bool upper = uv.x < 0.5f;
    const float x = upper ? 4 * uv.x - 1 : 3 - 4 * uv.x;
    return surface(-x * kHalfWidth, kStart + uv.y * kLength, upper ? kThick : 0.0f);
  };
  patch.texture = [](vec2 uv, vec3) {
    const float x = uv.x < 0.5f ? 4 * uv.x - 1 : 3 - 4 * uv.x;
    return vec3(-x * kHalfWidth, uv.y * kLength, 0);
  };
  add_patch(scene.mesh, patch);
}

Scene make_pottery(double) {
  Scene scene;
  scene.target = {0.02f, -0.02f, 0.36f};
  scene.distance = 3.5f;
  scene.low_rad = 0.10f;
  scene.high_rad = 1.0f;
  add_studio(scene, {.floor_albedo = {0.42f, 0.36f, 0.30f},
                     .floor_height = -0.45f,
                     .horizon = {0.30f, 0.25f, 0.205f},
                     .zenith = {0.34f, 0.36f, 0.40f},
                     .overhead = {0.9f, 0.95f, 1.05f},
                     .fill = {0.9f, 1.1f, 1.4f},
                     .key_position = {-2.5f, -1.5f, 2.9f},
                     .key_radiance = {30.0f, 24.5f, 18.5f},
                     .key_size = 1.3f});
  add_plinth(scene);
  add_vase(scene);
  add_branches(scene);
  add_basket(scene);
  add_lemons(scene);
  add_bowl(scene);
  add_candlestick(scene);
  add_runner(scene);
  return scene;
}

}  // namespace

extern const SceneEntry kPotteryScene{
    "pottery", "vase with eucalyptus, basket of lemons, porcelain and brass on a tiled plinth",
    false, make_pottery};

}  // namespace mote::synth

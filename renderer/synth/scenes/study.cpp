// `study`: a room seen from inside, with two windows, a wall of books, a desk, a sofa, an armchair,
// a globe, plants and lamps.
#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "core/random.h"
#include "synth/boxes.h"
#include "synth/sampling.h"
#include "synth/scenes/study_materials.h"
#include "synth/scenes/study_room.h"
#include "synth/shapes.h"

namespace mote::synth {
namespace {

using study::kHalfLength;
using study::kHalfWidth;

/// Books and their shelves along the eastern wall.
void add_books(Scene& scene) {
  constexpr float kDepth = 0.32f, kTop = 2.3f, kEnd = 1.55f, kBoard = 0.025f;
  constexpr int kShelves = 6;
  const Finish wood{scene.add_material(study::dark_wood)};
  const auto book = scene.add_material(study::book);
  const float front = kHalfLength - kDepth;
  for (const float y : {-kEnd, -0.52f, 0.52f, kEnd}) {
    add_box(scene.mesh, wood, {front, y - kBoard, 0}, {kHalfLength, y + kBoard, kTop});
  }
  for (int i = 0; i <= kShelves; ++i) {
    const float z = 0.08f + (kTop - 0.1f) * static_cast<float>(i) / kShelves;
    add_box(scene.mesh, wood, {front, -kEnd, z - kBoard}, {kHalfLength, kEnd, z});
  }
  Random random(31, 1);
  const auto between = [&](double a, double b) { return static_cast<float>(random.uniform(a, b)); };
  int number = 0;
  for (int i = 0; i < kShelves; ++i) {
    const float z = 0.08f + (kTop - 0.1f) * static_cast<float>(i) / kShelves;
    for (float y = -kEnd + 0.04f; y < kEnd - 0.09f;) {
      const float width = between(0.022, 0.055), height = between(0.20, 0.31);
      const bool is_gap =
          std::abs(std::abs(y + 0.5f * width) - 0.52f) < 0.055f || between(0, 1) > 0.95f;
      if (!is_gap) {
        const vec3 low(front + between(0.02, 0.06), y, z);
        const Texture place = [=](vec2, vec3 p) {
          return vec3(number, (p.y - y) / width - 0.5f, (p.z - z) / height);
        };
        add_box(scene.mesh, {book, 0.09f, place}, low,
                {kHalfLength - 0.06f, y + width, z + height});
        ++number;
      }
      y += width + (is_gap ? 0.05f : 0.002f);
    }
  }
}

void add_picture(Scene& scene, std::uint16_t gilt, std::uint16_t canvas, vec3 center, vec3 half_u,
                 float half_v, int number) {
  const vec3 v(0, 0, half_v), out = glm::normalize(glm::cross(half_u, v));
  const Texture place = [number](vec2 uv, vec3) { return vec3(uv, number); };
  add_panel(scene.mesh, {canvas, 0.06f, place}, center - half_u - v + 0.02f * out, 2.0f * half_u,
            2.0f * v);
  const vec3 side = glm::normalize(half_u) * 0.05f, up(0, 0, 0.05f);
  const auto bar = [&](vec3 a, vec3 b) {
    add_box(scene.mesh, {gilt, 0.1f}, glm::min(a, b), glm::max(a, b));
  };
  const vec3 front = 0.045f * out;
  bar(center - half_u - v - side - up, center + half_u - v + side + front);
  bar(center - half_u + v - side, center + half_u + v + side + up + front);
  bar(center - half_u - v - side, center - half_u + v + front);
  bar(center + half_u - v, center + half_u + v + side + front);
}

void add_pictures(Scene& scene) {
  const auto gilt = scene.add_material(study::gilt), canvas = scene.add_material(study::picture);
  add_picture(scene, gilt, canvas, {-0.2f, -kHalfWidth, 1.65f}, {-0.62f, 0, 0}, 0.40f, 0);
  add_picture(scene, gilt, canvas, {1.45f, -kHalfWidth, 1.60f}, {-0.28f, 0, 0}, 0.36f, 1);
  add_picture(scene, gilt, canvas, {-kHalfLength, 0.85f, 1.62f}, {0, 0.36f, 0}, 0.46f, 2);
  add_picture(scene, gilt, canvas, {-kHalfLength, -0.05f, 1.55f}, {0, 0.24f, 0}, 0.30f, 3);
}

void add_seats(Scene& scene) {
  const auto cloth = scene.add_material(study::cloth);
  const Finish wood{scene.add_material(study::dark_wood)};
  const auto seat = [&](float x, float half_width) {
    add_cushion(scene.mesh, cloth, {x, -1.62f, 0.25f}, {half_width + 0.12f, 0.42f, 0.14f});
    add_cushion(scene.mesh, cloth, {x, -1.92f, 0.60f}, {half_width + 0.10f, 0.13f, 0.36f});
    for (const float side : {-1.0f, 1.0f}) {
      const float arm = x + side * (half_width + 0.10f);
      add_cushion(scene.mesh, cloth, {arm, -1.62f, 0.40f}, {0.10f, 0.40f, 0.24f});
      add_box(scene.mesh, wood, {arm - 0.03f, -1.28f, 0}, {arm + 0.03f, -1.22f, 0.14f});
    }
  };
  seat(-0.2f, 0.80f);
  for (const float x : {-0.60f, 0.20f}) {
    add_cushion(scene.mesh, cloth, {x, -1.58f, 0.44f}, {0.38f, 0.36f, 0.09f});
  }
  seat(1.62f, 0.32f);
  add_cushion(scene.mesh, cloth, {1.62f, -1.58f, 0.44f}, {0.31f, 0.36f, 0.09f});
}

/// The desk between the windows, with its lamp and papers.
void add_desk(Scene& scene) {
  const Finish wood{scene.add_material(study::dark_wood)};
  const auto box = [&](vec3 low, vec3 high) { add_box(scene.mesh, wood, low, high); };
  box({-0.75f, 1.30f, 0.72f}, {0.75f, 1.95f, 0.76f});
  for (const float x : {-0.72f, 0.28f}) box({x, 1.34f, 0.06f}, {x + 0.44f, 1.92f, 0.72f});
  const auto brass = scene.add_material(study::brass), shade = scene.add_material(study::shade);
  for (const float x : {-0.5f, 0.5f}) {
    for (const float z : {0.20f, 0.40f, 0.60f}) {
      add_blob(scene.mesh, {14, 10, brass, {}}, {.center = {x, 1.335f, z}, .radius = 0.018f});
    }
  }
  const vec3 lamp(0.48f, 1.68f, 0.76f);
  add_turned(scene.mesh, {28, 40, brass, {}}, lamp,
             {{0.0f, 0.0f},
              {0.09f, 0.0f},
              {0.09f, 0.015f},
              {0.02f, 0.03f},
              {0.03f, 0.10f},
              {0.012f, 0.14f},
              {0.012f, 0.34f},
              {0.0f, 0.34f}});
  add_turned(scene.mesh, {48, 16, shade, {}}, lamp,
             {{0.15f, 0.26f}, {0.15f, 0.26f}, {0.075f, 0.44f}, {0.07f, 0.445f}, {0.0f, 0.445f}});
  const auto paper = scene.add_material(study::paint);
  add_box(scene.mesh, {paper, 0.05f}, {-0.15f, 1.42f, 0.76f}, {0.07f, 1.72f, 0.768f});
  const auto book = scene.add_material(study::book);
  for (int i = 0; i < 4; ++i) {
    const float z = 0.76f + 0.035f * static_cast<float>(i),
                shift = 0.012f * static_cast<float>(i % 3);
    const Texture place = [=](vec2, vec3 p) {
      return vec3(700 + i, (p.z - z) / 0.034f - 0.5f, (p.x + 0.62f) / 0.26f);
    };
    add_box(scene.mesh, {book, 0.06f, place}, {-0.62f + shift, 1.55f, z},
            {-0.36f + shift, 1.75f, z + 0.034f});
  }
  // The chair in front.
  const auto cloth = scene.add_material(study::cloth);
  box({-0.22f, 0.92f, 0.42f}, {0.22f, 1.34f, 0.46f});
  add_cushion(scene.mesh, cloth, {0, 1.13f, 0.475f}, {0.20f, 0.19f, 0.04f});
  for (const float x : {-0.22f, 0.18f}) {
    box({x, 0.92f, 0}, {x + 0.04f, 0.96f, 0.98f});
    box({x, 1.30f, 0}, {x + 0.04f, 1.34f, 0.42f});
  }
  for (const float z : {0.60f, 0.74f, 0.88f}) box({-0.18f, 0.93f, z}, {0.18f, 0.95f, z + 0.06f});
}

void add_plant(Scene& scene, vec3 place, int leaves, std::uint64_t seed) {
  const auto clay = scene.add_material(study::clay), leaf = scene.add_material(study::leaf);
  add_turned(scene.mesh, {36, 24, clay, {}}, place,
             {{0.0f, 0.0f},
              {0.11f, 0.0f},
              {0.12f, 0.02f},
              {0.17f, 0.26f},
              {0.19f, 0.27f},
              {0.19f, 0.31f},
              {0.16f, 0.31f},
              {0.15f, 0.27f},
              {0.0f, 0.26f}});
  Random random(seed, 9);
  const auto between = [&](double a, double b) { return static_cast<float>(random.uniform(a, b)); };
  for (int i = 0; i < leaves; ++i) {
    const float turn = 2.39996f * static_cast<float>(i), rise = between(0.35, 1.35);
    const vec3 out(std::cos(turn), std::sin(turn), 0);
    const vec3 along = glm::normalize(out * std::cos(rise) + vec3(0, 0, std::sin(rise)));
    const vec3 base = place + vec3(0, 0, 0.27f) + 0.05f * out;
    const float length = between(0.35, 0.65);
    add_leaf(scene.mesh, {12, 14, leaf, [](vec2 uv, vec3) { return vec3(uv, 0); }},
             {.base = base,
              .direction = along,
              .up = glm::normalize(glm::cross(glm::cross(along, vec3(0, 0, 1)), along)),
              .length = length,
              .width = 0.24f * length,
              .bend = between(0.2, 0.5),
              .fold = 0.06f});
  }
}

/// The western side: door, globe, chest with a vase, and a lamp on a pole.
void add_west(Scene& scene) {
  Mesh& mesh = scene.mesh;
  const Finish wood{scene.add_material(study::dark_wood)};
  const auto brass = scene.add_material(study::brass);
  add_box(mesh, wood, {-2.58f, 0.35f, 0.08f}, {-2.15f, 1.35f, 0.82f});
  for (const float z : {0.26f, 0.50f, 0.70f}) {
    add_box(mesh, wood, {-2.17f, 0.42f, z - 0.08f}, {-2.135f, 1.28f, z + 0.08f});
    for (const float y : {0.62f, 1.08f}) {
      add_blob(mesh, {14, 10, brass, {}}, {.center = {-2.12f, y, z}, .radius = 0.02f});
    }
  }
  const vec3 vase(-2.36f, 0.62f, 0.82f);
  add_turned(
      mesh,
      {56, 56, scene.add_material(study::porcelain), [vase](vec2, vec3 p) { return p - vase; }},
      vase,
      {{0.0f, 0.0f},
       {0.07f, 0.0f},
       {0.07f, 0.01f},
       {0.14f, 0.16f},
       {0.13f, 0.27f},
       {0.05f, 0.36f},
       {0.05f, 0.42f},
       {0.08f, 0.45f},
       {0.07f, 0.45f},
       {0.035f, 0.40f},
       {0.0f, 0.36f}});
  const vec3 ball(-2.05f, -0.55f, 0.86f);
  add_blob(mesh,
           {64, 48, scene.add_material(study::globe), [ball](vec2, vec3 p) { return p - ball; }},
           {.center = ball, .radius = 0.24f, .axis = glm::normalize(vec3(0.3f, 0.2f, 0.93f))});
  add_turned(mesh, {32, 48, wood.material, wood.texture}, {ball.x, ball.y, 0},
             {{0.0f, 0.0f},
              {0.22f, 0.0f},
              {0.22f, 0.03f},
              {0.06f, 0.06f},
              {0.03f, 0.12f},
              {0.05f, 0.30f},
              {0.03f, 0.45f},
              {0.10f, 0.60f},
              {0.0f, 0.64f}});
  const Tube ring{.path =
                      [ball](float t) {
                        return ball + 0.29f * vec3(std::cos(2 * kPi * t), std::sin(2 * kPi * t), 0);
                      },
                  .radius = [](float) { return 0.02f; },
                  .closed = true};
  add_tube(mesh, {10, 72, brass, {}}, ring);
  const vec3 pole(-2.15f, -1.65f, 0);
  add_turned(mesh, {24, 60, brass, {}}, pole,
             {{0.0f, 0.0f},
              {0.16f, 0.0f},
              {0.16f, 0.02f},
              {0.03f, 0.05f},
              {0.015f, 0.10f},
              {0.015f, 0.8f},
              {0.015f, 1.55f},
              {0.0f, 1.56f}});
  add_turned(mesh, {48, 18, scene.add_material(study::shade), {}}, pole,
             {{0.24f, 1.40f}, {0.24f, 1.40f}, {0.14f, 1.72f}, {0.13f, 1.725f}, {0.0f, 1.725f}});
}

void add_lantern(Scene& scene) {
  const vec3 place(0, 0, 2.12f);
  add_blob(scene.mesh, {48, 32, scene.add_material(study::lantern), {}},
           {.center = place, .radius = 0.20f, .stretch = 0.85f});
  const Tube cord{.path = [place](float t) { return place + vec3(0, 0, 0.16f + t * 0.32f); },
                  .radius = [](float) { return 0.006f; },
                  .reference = {1, 0, 0}};
  add_tube(scene.mesh, {8, 6, scene.add_material(study::dark_wood), {}}, cord);
}

Scene make_study(double) {
  Scene scene;
  scene.target = {0, 0, 1.35f};
  scene.distance = 0.75f;
  scene.exposure = 2.4f;
  scene.low_rad = -0.65f;
  scene.high_rad = 0.60f;
  scene.looks_outwards = true;
  scene.field_of_view_rad = 1.3;
  scene.soft_rays = 6;
  scene.dome = [](vec3, float) { return vec3(0); };
  study::add_room(scene);
  add_books(scene);
  add_pictures(scene);
  add_seats(scene);
  add_desk(scene);
  add_west(scene);
  add_plant(scene, {-2.15f, 1.75f, 0}, 22, 3);
  add_plant(scene, {2.15f, 1.78f, 0}, 26, 4);
  add_lantern(scene);
  return scene;
}

}  // namespace

extern const SceneEntry kStudyScene{
    "study", "room with books, desk, sofa and windows, seen from inside in all directions", false,
    make_study};

}  // namespace mote::synth

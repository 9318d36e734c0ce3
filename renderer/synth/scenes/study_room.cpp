#include "synth/scenes/study_room.h"

#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "core/error.h"
#include "synth/boxes.h"
#include "synth/sampling.h"
#include "synth/scenes/study_materials.h"
#include "synth/shapes.h"

namespace mote::synth::study {
namespace {

struct Window {
  float left, right;                                   // along x
  static constexpr float kSill = 0.95f, kTop = 2.25f;  // heights
};
constexpr std::array<Window, 2> kWindows{{{-1.75f, -0.55f}, {0.55f, 1.75f}}};

/// A wall along x around the windows.
void add_window_wall(Mesh& mesh, const Finish& finish, float y) {
  const auto panel = [&](float left, float right, float bottom, float top) {
    add_panel(mesh, finish, {left, y, bottom}, {right - left, 0, 0}, {0, 0, top - bottom});
  };
  panel(-kHalfLength, kHalfLength, 0, Window::kSill);
  panel(-kHalfLength, kHalfLength, Window::kTop, kHeight);
  float left = -kHalfLength;
  for (const Window& window : kWindows) {
    panel(left, window.left, Window::kSill, Window::kTop);
    left = window.right;
  }
  panel(left, kHalfLength, Window::kSill, Window::kTop);
}

void add_window_frames(Scene& scene) {
  constexpr float kOut = 0.20f, kBar = 0.022f;  // thickness of the wall, half width of a bar
  const Finish paint{scene.add_material(study::paint)};
  for (const Window& window : kWindows) {
    const float y = kHalfWidth, far = kHalfWidth + kOut, edge = 0.05f;
    const auto box = [&](vec3 low, vec3 high) { add_box(scene.mesh, paint, low, high); };
    box({window.left - edge, y - 0.03f, Window::kSill}, {window.left + edge, far, Window::kTop});
    box({window.right - edge, y - 0.03f, Window::kSill}, {window.right + edge, far, Window::kTop});
    box({window.left - edge, y - 0.03f, Window::kTop - edge},
        {window.right + edge, far, Window::kTop + edge});
    box({window.left - 0.08f, y - 0.12f, Window::kSill - 0.04f},
        {window.right + 0.08f, far, Window::kSill + 0.02f});
    const float middle = 0.5f * (window.left + window.right), pane = y + 0.08f;
    box({middle - kBar, pane, Window::kSill}, {middle + kBar, pane + 0.04f, Window::kTop});
    for (const float height : {1.40f, 1.84f}) {
      box({window.left, pane, height - kBar}, {window.right, pane + 0.04f, height + kBar});
    }
  }
}

void add_curtains(Scene& scene) {
  const auto cloth = scene.add_material(study::curtain);
  const auto rod = scene.add_material(study::brass);
  for (const Window& window : kWindows) {
    for (const float x : {window.left - 0.13f, window.right + 0.13f}) {
      Patch patch{.columns = 60,
                  .rows = 30,
                  .material = cloth,
                  .position = {},
                  .texture = [](vec2 uv, vec3) { return vec3(uv.x * 0.5f, 0, uv.y * 2.3f); }};
      patch.position = [x](vec2 uv) {
        const float wave = 0.035f * std::sin(2 * kPi * 5 * uv.x + 2 * uv.y);
        const float width = 0.26f * (0.75f + 0.25f * std::cos(5 * uv.y));
        return vec3(x + (uv.x - 0.5f) * width, kHalfWidth - 0.09f + wave, 0.06f + 2.27f * uv.y);
      };
      add_patch(scene.mesh, patch);
    }
    const Tube tube{.path =
                        [&](float t) {
                          return vec3(glm::mix(window.left - 0.3f, window.right + 0.3f, t),
                                      kHalfWidth - 0.09f, 2.36f);
                        },
                    .radius = [](float) { return 0.018f; }};
    add_tube(scene.mesh, {10, 24, rod, {}}, tube);
  }
}

void add_shell_of_room(Scene& scene) {
  Mesh& mesh = scene.mesh;
  const Finish walls{scene.add_material(study::walls)};
  const vec3 x(2 * kHalfLength, 0, 0), y(0, 2 * kHalfWidth, 0), z(0, 0, kHeight);
  const vec3 low(-kHalfLength, -kHalfWidth, 0);
  add_panel(mesh, {scene.add_material(study::floor), 0.06f}, low, x, y);
  add_panel(mesh, {scene.add_material(study::ceiling), 0.1f}, low + y + z, x, -y);
  add_panel(mesh, walls, low + x, -x, z);
  add_panel(mesh, walls, low + x + y, -y, z);
  add_panel(mesh, walls, low, y, z);
  add_window_wall(mesh, walls, kHalfWidth);
  add_box(mesh, {scene.add_material(study::rug), 0.05f}, {-1.45f, -1.0f, 0}, {1.45f, 1.0f, 0.012f});
}

/// Black walls beyond those of the room. Without them, the points in the room's edges would see the
/// garden between two walls.
void add_outer_walls(Scene& scene) {
  constexpr float kOut = 0.03f;
  const Finish black{scene.add_material([](vec3) { return Surface{.albedo = vec3(0)}; }), 2.0f};
  const vec3 low(-kHalfLength - kOut, -kHalfWidth - kOut, -kOut),
      high = vec3(-low.x, -low.y, kHeight + kOut);
  const vec3 x(high.x - low.x, 0, 0), y(0, high.y - low.y, 0), z(0, 0, high.z - low.z);
  add_panel(scene.mesh, black, low, x, y);
  add_panel(scene.mesh, black, low + y + z, x, -y);
  add_panel(scene.mesh, black, low + x, -x, z);
  add_panel(scene.mesh, black, low + x + y, -y, z);
  add_panel(scene.mesh, black, low, y, z);
  add_window_wall(scene.mesh, black, high.y);
}

/// The sphere with the picture of the garden, and the sun.
void add_outdoors(Scene& scene) {
  constexpr float kRadius = 9;
  const auto garden = scene.add_material(study::outdoors);
  scene.backdrop_materials = scene.materials.size();
  // Reversed orientation, so that it faces inwards.
  Patch patch{.columns = 96,
              .rows = 48,
              .closed_u = true,
              .material = garden,
              .position = {},
              .texture = [](vec2, vec3 position) { return position; }};
  patch.position = [](vec2 uv) {
    const float rise = kPi * (0.5f - uv.y), angle = 2 * kPi * uv.x;
    return vec3(0, 0, 1.4f) + kRadius * vec3(std::cos(rise) * std::cos(angle),
                                             std::cos(rise) * std::sin(angle), std::sin(rise));
  };
  add_patch(scene.mesh, patch);
  const vec3 sun(1.8f, 6.2f, 4.6f);
  const Frame3 frame(glm::normalize(vec3(-0.2f, 0, 0.3f) - sun));
  scene.key = {.center = sun,
               .half_u = frame.x * 0.09f,
               .half_v = frame.y * 0.09f,
               .radiance = vec3(13000, 11500, 9300)};
}

}  // namespace

void add_room(Scene& scene) {
  CHECK(scene.materials.empty());
  add_outdoors(scene);
  add_shell_of_room(scene);
  add_outer_walls(scene);
  add_window_frames(scene);
  add_curtains(scene);
}

}  // namespace mote::synth::study

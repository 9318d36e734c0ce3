#include "synth/rigs/rig_cameras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "cameras/lens_rays.h"
#include "core/error.h"
#include "core/random.h"
#include "synth/dataset_views.h"

namespace mote::synth {
namespace {

/// Streams of the random numbers, so that one option does not change the effect of another.
enum : std::uint64_t { kClockStream = 21, kColorStream, kLensStream };

struct Direction {
  double azimuth_rad, elevation_rad;
};

/// The directions of an arc from left to right, at two heights in turn.
Direction on_arc(const Scene& scene, int place, int count) {
  const double share = count > 1 ? static_cast<double>(place) / (count - 1) - 0.5 : 0;
  const double low = static_cast<double>(scene.low_rad), high = static_cast<double>(scene.high_rad);
  const double height = place % 2 == 0 ? 0.22 : 0.42;
  return {static_cast<double>(scene.front_rad) + static_cast<double>(scene.arc_rad) * share,
          low + (high - low) * height};
}

/// The directions of a dome, from the lowest to the highest along a spiral.
Direction on_dome(const Scene& scene, int place, int count) {
  constexpr double kTurn = std::numbers::pi * (3 - 2.2360679774997896);  // the golden angle
  const double low = std::sin(static_cast<double>(scene.low_rad)),
               high = std::sin(static_cast<double>(scene.high_rad));
  const double rise = low + (high - low) * (place + 0.5) / count;
  const int middle = count / 2;
  double azimuth = kTurn * (place - middle);
  if (scene.front_only) {
    const double turns = azimuth / (2 * std::numbers::pi);
    azimuth = static_cast<double>(scene.arc_rad) * (turns - std::round(turns));
  }
  return {static_cast<double>(scene.front_rad) + azimuth, std::asin(rise)};
}

glm::dvec3 rig_stand(const Scene& scene, Direction direction) {
  const double across = std::cos(direction.elevation_rad);
  return glm::dvec3(scene.target) +
         static_cast<double>(scene.distance) * glm::dvec3(across * std::cos(direction.azimuth_rad),
                                                          across * std::sin(direction.azimuth_rad),
                                                          std::sin(direction.elevation_rad));
}

/// The numbers of cameras by their place: the one in the middle is 0.
std::vector<int> numbered_places(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  int next = 1;
  for (int place = 0; place < count; ++place) {
    numbers[static_cast<std::size_t>(place)] = place == count / 2 ? 0 : next++;
  }
  return numbers;
}

void set_clocks(const RigPlan& plan, std::vector<RigCamera>& cameras) {
  Random random(plan.seed, kClockStream);
  double mean = 0;
  for (std::size_t i = 1; i < cameras.size(); ++i) {
    cameras[i].clock_offset_s = plan.clock_jitter * random.uniform(-1, 1) / plan.frames_per_second;
    mean += cameras[i].clock_offset_s / static_cast<double>(cameras.size() - 1);
  }
  for (std::size_t i = 1; i < cameras.size(); ++i) cameras[i].clock_offset_s -= mean;
}

void set_colors(const RigPlan& plan, std::vector<RigCamera>& cameras) {
  Random random(plan.seed, kColorStream);
  glm::dmat3 mean(0);
  glm::dvec3 mean_bias(0);
  const double share = 1.0 / static_cast<double>(cameras.size() - 1);
  for (std::size_t i = 1; i < cameras.size(); ++i) {
    RigCamera& one = cameras[i];
    for (int column = 0; column < 3; ++column) {
      for (int row = 0; row < 3; ++row) {
        // Channels differ more in strength than they mix.
        const double size = row == column ? 1.0 : 0.3;
        one.color_matrix[column][row] += size * plan.color_jitter * random.normal();
      }
      one.color_bias[column] = 0.2 * plan.color_jitter * random.normal();
    }
    mean += share * (one.color_matrix - glm::dmat3(1));
    mean_bias += share * one.color_bias;
  }
  for (std::size_t i = 1; i < cameras.size(); ++i) {
    cameras[i].color_matrix -= mean;
    cameras[i].color_bias -= mean_bias;
  }
}

}  // namespace

std::vector<RigCamera> rig_cameras(const Scene& scene, const RigPlan& plan) {
  CHECK(plan.cameras >= 2 && plan.frames >= 1 && plan.frames_per_second > 0);
  std::vector<RigCamera> cameras(static_cast<std::size_t>(plan.cameras));
  const std::vector<int> numbers = numbered_places(plan.cameras);
  Random lenses(plan.seed, kLensStream);
  for (int place = 0; place < plan.cameras; ++place) {
    const int number = numbers[static_cast<std::size_t>(place)];
    RigCamera& one = cameras[static_cast<std::size_t>(number)];
    one.name = fmt::format("cam{:0{}}", number, plan.cameras > 100 ? 3 : 2);
    one.is_test = number == 0;
    one.lens = plan.lens;
    const double zoom = std::exp(plan.lens_jitter * lenses.normal());
    const double bent = plan.lens_jitter * lenses.normal();
    if (plan.lens_jitter > 0) {
      one.lens.kind = plan.lens.kind == LensKind::pinhole ? LensKind::brown : plan.lens.kind;
      one.lens.parameters[0] += bent;
    }
    one.camera = camera_with_lens(scene, {plan.width, plan.height}, one.lens, zoom);
    const Direction direction = plan.form == RigForm::arc ? on_arc(scene, place, plan.cameras)
                                                          : on_dome(scene, place, plan.cameras);
    look_at(one.camera, rig_stand(scene, direction), glm::dvec3(scene.target), {0, 0, 1});
  }
  set_clocks(plan, cameras);
  set_colors(plan, cameras);
  return cameras;
}

}  // namespace mote::synth

#include "synth/swarm.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "core/random.h"
#include "splats/kinds/alpha.h"
#include "splats/motions/life.h"

namespace mote::synth {
namespace {

constexpr double kFloorRadius = 4, kHeight = 1.2;
constexpr std::size_t kSplatsPerTask = std::size_t{1} << 14;

float logit_of(double opacity) {
  return static_cast<float>(std::log(opacity / (1 - opacity)));
}

/// A random point of the floor, and its angle about the middle.
struct FloorPoint {
  double x, z, angle;
};

FloorPoint floor_point(Random& random) {
  const double radius = kFloorRadius * std::sqrt(random.uniform());
  const double angle = random.uniform(0, 2 * std::numbers::pi);
  return {radius * std::cos(angle), radius * std::sin(angle), angle};
}

void set_shape(Random& random, double largest, std::size_t i, SplatCloud& cloud) {
  for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
    cloud.at(i, field) = static_cast<float>(std::log(largest * random.uniform(0.3, 1)));
  }
  for (const Field field :
       {Field::rotation_w, Field::rotation_x, Field::rotation_y, Field::rotation_z}) {
    cloud.at(i, field) = static_cast<float>(random.normal());
  }
}

void set_color(Random& random, double hue, std::size_t i, SplatCloud& cloud) {
  constexpr double kShC0 = 0.28209479177387814;
  for (int c = 0; c < 3; ++c) {
    const double wave = 0.5 + 0.3 * std::cos(hue + 2 * std::numbers::pi * c / 3);
    cloud.sh(i, 0, c) = static_cast<float>((wave + random.uniform(-0.1, 0.1) - 0.5) / kShC0);
    for (int k = 1; k < cloud.sh_coefficients(); ++k) {
      cloud.sh(i, k, c) = static_cast<float>(random.uniform(-0.1, 0.1));
    }
  }
}

void set_static(Random& random, const SwarmPlan& plan, std::size_t i, SplatCloud& cloud) {
  const FloorPoint at = floor_point(random);
  cloud.at(i, Field::mean_x) = static_cast<float>(at.x);
  cloud.at(i, Field::mean_y) = static_cast<float>(0.1 * std::sin(3 * at.x) * std::cos(2 * at.z));
  cloud.at(i, Field::mean_z) = static_cast<float>(at.z);
  set_shape(random, 0.03, i, cloud);
  cloud.at(i, Field::logit_opacity) = logit_of(random.uniform(0.4, 0.95));
  set_color(random, 2 + 0.5 * at.x, i, cloud);
  cloud.at(i, Field::time_mean) = static_cast<float>(plan.duration_s / 2);
  cloud.at(i, Field::log_time_sigma) = 0;
  cloud.at(i, Field::log_time_plateau) = kStaticLogPlateau;
  for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
    cloud.at(i, field) = 0;
  }
}

void set_moving(Random& random, const SwarmPlan& plan, std::size_t i, SplatCloud& cloud) {
  const FloorPoint at = floor_point(random);
  cloud.at(i, Field::mean_x) = static_cast<float>(at.x);
  cloud.at(i, Field::mean_y) = static_cast<float>(-kHeight * random.uniform());
  cloud.at(i, Field::mean_z) = static_cast<float>(at.z);
  set_shape(random, 0.02, i, cloud);
  const double opacity = random.uniform(0.2, 0.95);
  cloud.at(i, Field::logit_opacity) = logit_of(opacity);
  set_color(random, at.angle, i, cloud);
  const double life_s =
      plan.shortest_life_s * std::pow(plan.longest_life_s / plan.shortest_life_s, random.uniform());
  const double plateau_s = random.uniform() < 0.25 ? life_s / 4 : 0;
  // The life ends where opacity * weight = kAlphaMin.
  const double reach = std::sqrt(2 * std::log(opacity / static_cast<double>(kAlphaMin)));
  cloud.at(i, Field::time_mean) = static_cast<float>(random.uniform(0, plan.duration_s));
  cloud.at(i, Field::log_time_sigma) =
      static_cast<float>(std::log((life_s / 2 - plateau_s) / reach));
  cloud.at(i, Field::log_time_plateau) =
      static_cast<float>(plateau_s > 0 ? std::log(plateau_s) : -20);
  const double speed = random.uniform(0, 1);
  cloud.at(i, Field::velocity_x) = static_cast<float>(-speed * std::sin(at.angle));
  cloud.at(i, Field::velocity_y) = static_cast<float>(random.uniform(-0.3, 0.3));
  cloud.at(i, Field::velocity_z) = static_cast<float>(speed * std::cos(at.angle));
}

}  // namespace

SplatCloud make_swarm(const SwarmPlan& plan, ThreadPool& threads,
                      const std::function<void(double)>& progress) {
  SplatCloud cloud(plan.splats, SplatForm{SplatKind::gaussian, plan.sh_degree, SplatMotion::life});
  cloud.times = {.duration_s = plan.duration_s, .frames_per_second = 30};
  const std::size_t tasks = (cloud.count() + kSplatsPerTask - 1) / kSplatsPerTask;
  std::atomic<std::size_t> done{0};
  threads.run(tasks, [&](std::size_t task, int thread) {
    Random random(plan.seed, task);
    const std::size_t end = std::min(cloud.count(), (task + 1) * kSplatsPerTask);
    for (std::size_t i = task * kSplatsPerTask; i < end; ++i) {
      if (random.uniform() < plan.static_share) {
        set_static(random, plan, i, cloud);
      } else {
        set_moving(random, plan, i, cloud);
      }
    }
    ++done;
    if (thread == 0) progress(static_cast<double>(done) / static_cast<double>(tasks));
  });
  return cloud;
}

}  // namespace mote::synth

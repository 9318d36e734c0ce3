#include "train/splats/schedules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "train/run/photo_schedule.h"

namespace mote {
namespace {

/// LearningRates::velocity_life_s in durations, if velocities are known, and otherwise.
constexpr double kVelocityLife = 0.1, kUnknownVelocityLife = 0.75;

}  // namespace

LearningRates learning_rates(const RateOptions& rates, double extent, const RunPosition& position,
                             double duration_s, bool velocities_known) {
  const double mean = log_linear(rates.mean, rates.mean_end, position.fraction) * extent;
  const double velocity =
      duration_s > 0
          ? log_linear(rates.velocity, rates.velocity_end, position.fraction) * extent / duration_s
          : 0;
  const auto per_duration = [&](double rate, int power) {
    return duration_s > 0 ? static_cast<float>(rate / std::pow(duration_s, power)) : 0.0f;
  };
  const double velocity_life_s =
      duration_s > 0 ? (velocities_known ? kVelocityLife : kUnknownVelocityLife) * duration_s
                     : std::numeric_limits<float>::max();
  return {.mean = static_cast<float>(mean),
          .log_scale = static_cast<float>(rates.scale),
          .rotation = static_cast<float>(rates.rotation),
          .logit_opacity = static_cast<float>(rates.opacity),
          .sh_0 = static_cast<float>(rates.sh_0),
          .sh_rest = static_cast<float>(rates.sh_rest),
          .beta = static_cast<float>(rates.beta),
          .time_mean = static_cast<float>(rates.time_mean * duration_s),
          .time_sigma = static_cast<float>(rates.time_sigma),
          .time_plateau = static_cast<float>(rates.time_plateau),
          .velocity = static_cast<float>(velocity),
          .quadratic = per_duration(rates.curve * extent, 2),
          .cubic = per_duration(rates.curve * extent, 3),
          .spin = per_duration(rates.spin, 1),
          .direction_mean = static_cast<float>(rates.direction_mean),
          .direction_sigma = static_cast<float>(rates.direction_sigma),
          .slope = static_cast<float>(log_linear(rates.slope, rates.slope_end, position.fraction) *
                                      extent),
          .velocity_life_s = static_cast<float>(velocity_life_s)};
}

int sh_degree_at(const TrainOptions& options, const RunPosition& position) {
  const double total = static_cast<double>(position.steps_total);
  const double interval = std::min(static_cast<double>(options.sh_every), total / 8) / total;
  const double degrees = position.fraction / std::max(interval, 1e-9);
  // A small excess, so that the step after a whole interval gets the next degree despite rounding.
  return static_cast<int>(std::min(degrees + 1e-9, static_cast<double>(options.sh_degree)));
}

void set_surface_weights(const SurfaceOptions& options, const RunPosition& position,
                         LossSettings& loss) {
  const auto begun = [&](int published, std::uint64_t most) {
    return position.steps_done >= std::min(static_cast<std::uint64_t>(published), most);
  };
  const bool distortion = begun(options.distortion_from, position.steps_total / 10);
  const bool normal = begun(options.normal_from, position.steps_total * 7 / 30);
  loss.distortion_weight = distortion ? static_cast<float>(options.distortion_weight) : 0.0f;
  loss.normal_weight = normal ? static_cast<float>(options.normal_weight) : 0.0f;
}

bool DensifyWindow::due(const RunPosition& position) const {
  return position.steps_done > from && position.fraction < until &&
         position.steps_done % every == 0;
}

std::uint64_t DensifyWindow::events_left(const RunPosition& position) const {
  if (position.fraction >= until || position.fraction >= 1) return 1;
  const double steps_left = static_cast<double>(position.steps_total - position.steps_done) /
                            (1 - position.fraction) * (until - position.fraction);
  // The last step of the window is the one before its end.
  double events = std::floor((steps_left - 1e-6) / static_cast<double>(every));
  // Steps get slower as the number of splats grows, so some of the events may not happen.
  if (position.end_moves) events = std::floor(0.9 * events - 1);
  return 1 + static_cast<std::uint64_t>(std::max(events, 0.0));
}

double DensifyWindow::events_in_all(const RunPosition& position) const {
  const auto step = static_cast<double>(every);
  const double last = std::ceil(until * static_cast<double>(position.steps_total) / step) - 1;
  return std::max(1.0, last - std::floor(static_cast<double>(from) / step));
}

DensifyWindow densify_window(const DensifyOptions& options, double published_until,
                             const RunPosition& position) {
  return {.from = std::min(static_cast<std::uint64_t>(options.from), position.steps_total / 10),
          .until = options.until > 0 ? options.until : published_until,
          .every = static_cast<std::uint64_t>(options.every)};
}

std::uint64_t changes_of_part(std::uint64_t every, std::uint64_t resting, std::uint64_t in_memory) {
  const double share = static_cast<double>(in_memory) /
                       static_cast<double>(std::max<std::uint64_t>(resting + in_memory, 1));
  return std::max<std::uint64_t>(
      static_cast<std::uint64_t>(std::llround(static_cast<double>(every) * share)), 1);
}

std::uint64_t count_on_the_way(std::uint64_t count, std::uint64_t target,
                               std::uint64_t events_left) {
  if (count >= target) return target;
  return count + (target - count + events_left - 1) / events_left;
}

}  // namespace mote

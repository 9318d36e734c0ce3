// The state of a training before its first step.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"
#include "train/run/clock_search.h"
#include "train/run/photo_schedule.h"
#include "train/run/trainer_state.h"

namespace mote {
namespace {

/// Number of training photographs that stay decoded.
std::size_t photographs_in_memory(const Dataset& dataset, const PhotoStore& photos) {
  if (photos.bytes_needed() <= photos.bytes_budget()) return dataset.train.size();
  const std::size_t largest = std::max<std::size_t>(photos.bytes_of_largest(), 1);
  return std::clamp<std::size_t>(photos.bytes_budget() / largest, 1, dataset.train.size());
}

/// Whether a colour correction is learned for each camera. Its mean is neutral, so one camera alone
/// has none.
bool learns_camera_colors(const LoopOptions& options, const Dataset& dataset) {
  if (options.camera_color == "off" || options.exposure) return false;
  const bool several = dataset.camera_groups.size() > 1;
  if (options.camera_color == "on" && !several) {
    throw Error("names no two cameras whose colours could be corrected", dataset.source,
                "leave --camera-color out, or name the camera of each photograph");
  }
  return several && (options.camera_color == "on" || dataset.time.moves());
}

/// The clocks of the cameras with training photographs, if they are learned.
std::optional<ClockOffsets> learned_clocks(const LoopOptions& options, const Dataset& dataset) {
  if (!options.camera_clock) return {};
  if (dataset.camera_groups.size() < 2) {
    throw Error("names no two cameras whose clocks could be corrected", dataset.source,
                "leave --camera-clock out, or name the camera of each photograph");
  }
  std::vector<bool> is_trained(dataset.camera_groups.size(), false);
  for (const std::uint32_t i : dataset.train) {
    is_trained[dataset.photographs[i].camera_group] = true;
  }
  check_clock_search(options, dataset);
  return ClockOffsets(std::move(is_trained));
}

}  // namespace

Trainer::State::State(Backend& backend, const Dataset& data, PhotoStore& store,
                      const LoopOptions& chosen, const LearnerPlan& plan, std::uint64_t run_seed,
                      Clock seconds)
    : dataset(data),
      photos(store),
      options(chosen),
      kept_options(plan.kept_options()),
      seed(run_seed),
      clock(std::move(seconds)),
      layout(measure_layout(data)),
      order(data.train, run_seed),
      background(chosen.background, run_seed),
      place_in_train(data.photographs.size(), kNotTrained),
      start_s(clock()) {
  for (std::size_t i = 0; i < data.train.size(); ++i) {
    place_in_train[data.train[i]] = static_cast<std::uint32_t>(i);
  }
  if (data.time.moves()) order.set_shares(camera_shares(data));
  position.steps_total = static_cast<std::uint64_t>(chosen.steps);
  if (!chosen.time_budget.empty()) {
    budget.emplace(parse_duration(chosen.time_budget, "--time-budget"));
    position.end_moves = true;
  }
  if (chosen.exposure) exposures.emplace(data.train.size());
  if (learns_camera_colors(chosen, data)) camera_colors.emplace(data.camera_groups.size());
  clocks = learned_clocks(chosen, data);
  if (chosen.pose_opt) poses.emplace(data.train.size());
  learner = plan.make({.backend = backend,
                       .dataset = data,
                       .layout = layout,
                       .photos = &photos,
                       .white_background = background.is_white(),
                       .seed = run_seed,
                       .scratch_folder = chosen.scratch_folder,
                       .resumes = chosen.resumes});
  detail = learner->detail_at(position);
  if (data.target == nullptr) {
    per_step = std::min(learner->photographs_per_step(photographs_in_memory(data, photos)),
                        data.train.size());
  }
  const bool weighs =
      data.time.moves() && per_step == 1 && data.train.size() >= FrameErrors::kFewest;
  if (weighs) errors.emplace(data.train.size());
  if (data.time.moves() && per_step == 1 && chosen.motion_parts > 0) parts.emplace(data, store);
}

}  // namespace mote

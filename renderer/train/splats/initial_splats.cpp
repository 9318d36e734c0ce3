#include "train/splats/initial_splats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "io/splats/scene_format.h"
#include "math/activations.h"
#include "splats/kinds/kinds.h"
#include "splats/selection.h"
#include "splats/splat_geometry.h"
#include "train/run/step_random.h"
#include "train/splats/initial_directions.h"
#include "train/splats/initial_motion.h"
#include "train/splats/neighbours.h"
#include "train/splats/pages/page_pool.h"
#include "train/splats/seed_sightings.h"
#include "train/splats/seeds.h"
#include "train/splats/splat_limit.h"

namespace mote {
namespace {

constexpr double kShConstant = 0.28209479177387814;  // Y_00

/// Upper bound on the number of splats from points or random positions.
std::size_t most_splats(const Dataset& dataset, const TrainOptions& options) {
  if (options.target_splats > 0) return static_cast<std::size_t>(options.target_splats);
  return splat_limit(dataset, options);
}

/// Upper bound on the number of splats of a file. Only the user's options limit it.
std::optional<std::size_t> most_splats_of_file(const TrainOptions& options) {
  const int most = options.target_splats > 0 ? options.target_splats : options.max_splats;
  if (most == 0) return std::nullopt;
  return static_cast<std::size_t>(most);
}

std::string choice_note(std::size_t count, std::size_t points) {
  return fmt::format("{} of {} points are used as initial splats, chosen at random", count, points);
}

/// Moves `count` randomly chosen seeds to the front and drops the others.
void pick(Seeds& seeds, std::size_t count, Random& random, InitialRemarks& remarks) {
  if (seeds.positions.size() <= count) return;
  remarks.notes.push_back(choice_note(count, seeds.positions.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const auto others = static_cast<std::uint32_t>(seeds.positions.size() - i);
    const std::size_t other = i + random.below(others);
    std::swap(seeds.positions[i], seeds.positions[other]);
    std::swap(seeds.colors[i], seeds.colors[other]);
    std::swap(seeds.times_s[i], seeds.times_s[other]);
  }
  seeds.positions.resize(count);
  seeds.colors.resize(count);
  seeds.times_s.resize(count);
}

Seeds usable_points(const PointCloud& points, const SceneLayout& layout, InitialRemarks& remarks) {
  constexpr double kFarthest = 1e6;  // in distances of the cameras from their focus
  Seeds seeds;
  seeds.positions.reserve(points.positions.size());
  seeds.colors.reserve(points.positions.size());
  seeds.times_s.reserve(points.positions.size());
  for (std::size_t i = 0; i < points.positions.size(); ++i) {
    const double far = glm::distance(points.positions[i], layout.focus);
    // Phrased positively, so that NaN fails.
    const bool usable = far <= kFarthest * layout.distance;
    if (!usable) continue;
    seeds.positions.push_back(points.positions[i]);
    const auto& color = points.colors[i];
    seeds.colors.push_back({color[0] / 255.0, color[1] / 255.0, color[2] / 255.0});
    seeds.times_s.push_back(points.times_s.empty() ? kAlways : points.times_s[i]);
  }
  if (const std::size_t lost = points.positions.size() - seeds.positions.size(); lost > 0) {
    remarks.warnings.push_back(
        fmt::format("{} of {} points are not finite or extremely far away, and are left out", lost,
                    points.positions.size()));
  }
  return seeds;
}

bool seen_by_any(const Dataset& dataset, const glm::dvec3& point) {
  constexpr std::size_t kMostCameras = 64;
  const std::size_t stride = dataset.train.size() / kMostCameras + 1;
  for (std::size_t i = 0; i < dataset.train.size(); i += stride) {
    if (is_in_view(dataset.photographs[dataset.train[i]].camera, point)) return true;
  }
  return false;
}

glm::dvec3 random_place(const SceneLayout& layout, Random& random) {
  const auto in_box = [&] {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
    return glm::dvec3(x, y, z);
  };
  if (random.uniform() < 0.75) return layout.focus + in_box() * (0.5 * layout.distance);
  const double x = random.normal(), y = random.normal(), z = random.normal();
  const glm::dvec3 direction(x, y, z);
  const double length = std::max(glm::length(direction), 1e-9);
  const double far = layout.distance * 0.5 * std::pow(20, random.uniform());
  return layout.focus + direction * (far / length);
}

Seeds random_seeds(const Dataset& dataset, const SceneLayout& layout, std::size_t count,
                   Random& random) {
  constexpr int kTries = 16;
  Seeds seeds;
  for (std::size_t i = 0; i < count; ++i) {
    glm::dvec3 place = random_place(layout, random);
    for (int t = 1; t < kTries && !seen_by_any(dataset, place); ++t) {
      place = random_place(layout, random);
    }
    seeds.positions.push_back(place);
    seeds.colors.push_back({0.5, 0.5, 0.5});
    seeds.times_s.push_back(kAlways);
  }
  return seeds;
}

/// The identity. Flat splats are turned at random (Huang et al. 2024), so that none of them is seen
/// edge-on by all cameras.
std::array<float, 4> first_rotation(const KindInfo& kind, Random& random) {
  if (kind.stores(Field::log_scale_z)) return {1, 0, 0, 0};
  std::array<float, 4> rotation;
  for (float& value : rotation) value = static_cast<float>(random.normal());
  return rotation;
}

SplatCloud cloud_from(const Seeds& seeds, const SceneLayout& layout, const InitialStyle& style,
                      SplatForm form, Random& random) {
  SplatCloud cloud(seeds.positions.size(), form);
  const double spread = visit_kind(
      form.kind, []<class Kind>() { return Kind::spread(stored_values<Kind>(SplatGeometry{})); });
  const std::vector<double> distances = neighbour_distances(seeds.positions);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const glm::dvec3 mean = seeds.positions[i];
    // Without bounds, isolated points would become huge splats, and coincident points would have
    // size zero.
    const double least = 1e-4 * layout.extent;
    const double far = std::max(glm::distance(mean, layout.focus), layout.distance);
    const double most = std::max(0.1 * far, least);
    const double scale = std::clamp(distances[i], least, most) * style.scale / spread;
    const auto log_scale = static_cast<float>(std::log(scale));
    const std::array<float, 4> rotation = first_rotation(cloud.info(), random);
    store_geometry(cloud.info().planes,
                   {.mean = {static_cast<float>(mean.x), static_cast<float>(mean.y),
                             static_cast<float>(mean.z)},
                    .log_scale = {log_scale, log_scale, log_scale},
                    .rotation = {rotation[0], rotation[1], rotation[2], rotation[3]},
                    .logit_opacity = static_cast<float>(logit(style.opacity))},
                   cloud.geometry_block(0), i);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        const double color = seeds.colors[i][static_cast<std::size_t>(c)];
        cloud.sh(i, k, c) = k == 0 ? static_cast<float>((color - 0.5) / kShConstant) : 0.0f;
      }
    }
  }
  return cloud;
}

/// Number of first splats that move. It does not change in training.
std::size_t first_count(const TrainOptions& options, const Seeds& seeds, std::size_t most) {
  if (options.target_splats > 0) return static_cast<std::size_t>(options.target_splats);
  const std::size_t always = seeds.always(), with_times = seeds.positions.size() - always;
  return std::min(most,
                  usual_count(always, with_times, static_cast<std::size_t>(options.init_count)));
}

/// The splats with the motion of the form. Throws Error, which names the file, if they have another
/// one already.
SplatCloud with_form(const SplatCloud& loaded, const SplatForm& form, const Dataset& dataset,
                     const std::string& file) {
  if (loaded.motion() == SplatMotion::still && depends_on_direction(form.motion)) {
    return with_directions(loaded, dataset);
  }
  // Each motion in time has all fields of those before it.
  if (depends_on_time(form.motion) && loaded.motion() < form.motion) {
    return with_motion(loaded, form.motion, scene_times(dataset));
  }
  throw Error(fmt::format("has splats of the motion {}, but this run trains the motion {}",
                          loaded.info().motion_name, kind_info(form.kind, form.motion).motion_name),
              file,
              fmt::format("give --motion {}{}, or another scene", loaded.info().motion_name,
                          loaded.info().moves() ? " and a dataset with times" : ""));
}

InitialSplats splats_from_file(const Dataset& dataset, const TrainOptions& options) {
  SplatCloud loaded = load_scene(options.init);
  if (loaded.kind() != splat_kind(options)) {
    throw Error(fmt::format("has splats of kind {}, but this run trains {}", loaded.info().name,
                            options.kind),
                options.init, fmt::format("give --kind {}, or another scene", loaded.info().name));
  }
  if (loaded.deformation != nullptr && !is_deformed(options)) {
    throw Error("has a deformation field, which this run does not train", options.init,
                "give --motion field, or one moment of it, written by mote convert --time");
  }
  if (loaded.decoder != nullptr) {
    throw Error("has features, whose colours a network makes; training knows harmonics only",
                options.init, "give a scene with harmonics");
  }
  const SplatForm form = splat_form(options);
  if (loaded.motion() != form.motion) loaded = with_form(loaded, form, dataset, options.init);
  if (options.velocity == "none") remove_velocities(loaded);
  const MotionSeeds no_seeds{
      .positions = {}, .times_s = {}, .colors = {}, .times = scene_times(dataset)};
  InitialSplats result{.cloud = with_sh_degree(loaded, options.sh_degree),
                       .remarks = {},
                       .sigma_s = usual_sigma_s(no_seeds)};
  SplatCloud& cloud = result.cloud;
  std::vector<std::string>& warnings = result.remarks.warnings;
  warnings = cloud.warnings;
  const SelectionCounts counts = select(cloud, {.drop_invalid = true});
  if (counts.invalid > 0) {
    warnings.push_back(fmt::format("{} splats of {} are not finite, and are left out",
                                   counts.invalid, options.init));
  }
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    // Opacities of 0 and 1 have zero gradient and would never change.
    float& logit_opacity = cloud.at(i, Field::logit_opacity);
    logit_opacity = std::clamp(logit_opacity, -15.0f, 15.0f);
  }
  if (cloud.count() == 0) {
    throw Error("has no valid splats", options.init, "give another scene, or --init points");
  }
  const std::optional<std::size_t> most = most_splats_of_file(options);
  if (most && cloud.count() > *most) {
    throw Error(fmt::format("has {} splats, but only {} are allowed", cloud.count(), *most),
                options.init, "raise --max-splats, or --target-splats if it is given");
  }
  if (cloud.antialiased != options.antialiased) {
    warnings.push_back(fmt::format("{} was trained {} --antialiased, but this run is {}",
                                   options.init, cloud.antialiased ? "with" : "without",
                                   options.antialiased ? "with" : "without"));
  }
  return result;
}

/// Number of first splats that live always: any, but half of those in memory if not all are.
std::size_t most_always(const TrainOptions& options, std::size_t count) {
  return are_paged(options, count) ? splats_in_memory(options) / 2
                                   : std::numeric_limits<std::size_t>::max();
}

struct StartOfMoving {
  const Dataset& dataset;
  PhotoStore* photos;
  const TrainOptions& options;
  const SceneLayout& layout;
  const InitialStyle& style;
  SceneTimes times;
  std::size_t most;  // splats
};

/// Which seeds stand still: those of which photographs tell it, of the others those that other
/// moments show again.
std::vector<bool> still_seeds(const StartOfMoving& start, const Seeds& seeds) {
  std::vector<bool> still = stand_still(seeds.with_times(start.times));
  if (start.photos == nullptr) return still;
  const std::vector<SeenSeed> seen =
      seen_seeds(start.dataset, *start.photos, seeds.positions, seeds.times_s);
  for (std::size_t i = 0; i < still.size(); ++i) {
    if (seen[i] != SeenSeed::unknown) still[i] = seen[i] == SeenSeed::still;
  }
  return still;
}

/// Tells points with a time that stand still from those that move.
void classify(const StartOfMoving& start, Seeds& seeds) {
  const SceneTimes& times = start.times;
  // Points of one moment do not show where things are at other moments.
  if (!(moment_gap(seeds.with_times(times)) > 0)) std::ranges::fill(seeds.times_s, kAlways);
  const std::vector<bool> still = still_seeds(start, seeds);
  FirstVelocities found = first_velocities(seeds.with_times(times), still);
  seeds.velocities = std::move(found.velocities);
  seeds.move = std::move(found.move);
  for (std::size_t i = 0; i < still.size(); ++i) {
    if (still[i]) seeds.times_s[i] = kAlways;
  }
}

/// Adds a note about points that were classified, and the splats that start at them.
void note_start(const Seeds& points, const SeedNumbers& splats, InitialRemarks& remarks) {
  const std::size_t all = points.positions.size(), always = points.always();
  const auto moving = static_cast<std::size_t>(std::ranges::count(points.move, true));
  if (always < all) {
    remarks.notes.push_back(fmt::format(
        "of {} points, {} stand still, {} move, and {} may do either; {} of {} initial splats live "
        "always",
        all, always, moving, all - always - moving, splats.always, splats.all()));
  } else if (all > splats.all()) {
    remarks.notes.push_back(choice_note(splats.all(), all));
  }
}

/// Splats with lives at the seeds, and more of them if there should be.
InitialSplats moving_splats(const StartOfMoving& start, Seeds seeds, Random& random,
                            InitialRemarks remarks) {
  const TrainOptions& options = start.options;
  const SceneTimes& times = start.times;
  classify(start, seeds);
  const std::size_t count = first_count(options, seeds, start.most);
  const SeedNumbers numbers = seed_numbers(seeds, count, most_always(options, count));
  note_start(seeds, numbers, remarks);
  spread_in_time(seeds, numbers, times, random);
  SplatForm form = splat_form(options);
  if (are_paged(options, seeds.positions.size())) {
    form.sh_degree = 0;
    spread_between_moments(seeds, times, random);
  }
  InitialSplats result{cloud_from(seeds, start.layout, start.style, form, random),
                       std::move(remarks)};
  MotionSeeds timed = seeds.with_times(times);
  result.always = seeds.always();
  result.sigma_s = usual_sigma_s(timed);
  timed.longest_life_s =
      life_bounds(options, seeds.times_s.size(), result.always, times.duration_s).longest_s;
  set_first_motion(timed, seeds.velocities, result.cloud);
  if (options.velocity == "none") remove_velocities(result.cloud);
  return result;
}

}  // namespace

InitialSplats make_initial_splats(const Dataset& dataset, const SceneLayout& layout,
                                  const TrainOptions& options, const InitialStyle& style,
                                  std::uint64_t seed, PhotoStore* photos) {
  if (starts_from_file(options)) return splats_from_file(dataset, options);
  const bool random_start = options.random_init || options.init == "random";
  const std::size_t most = most_splats(dataset, options);
  Random random = step_random(seed, 0, StepUse::initial_splats);
  InitialRemarks remarks;
  Seeds seeds;
  if (!random_start) {
    seeds = usable_points(dataset.points, layout, remarks);
    const auto usual = static_cast<std::size_t>(options.init_count);
    // Photographs of one moment do not show where things are at other moments.
    if (!dataset.time.moves()) {
      keep_moment(seeds, dataset.time.first_s, scene_times(dataset), usual, random);
    }
    if (!depends_on_time(splat_form(options).motion)) {
      // Points of several moments show the same surfaces several times.
      pick(seeds, has_moving_points(dataset) ? std::min(most, usual) : most, random, remarks);
    }
    if (seeds.positions.size() < kFewestPoints) {
      remarks.warnings.push_back(fmt::format(
          "{} initial points are too few: starting from random splats", seeds.positions.size()));
      seeds = {};
    }
  }
  if (seeds.positions.empty()) {
    const auto count = static_cast<std::size_t>(options.init_count);
    if (count > most) {
      remarks.notes.push_back(
          fmt::format("starting from {} random splats instead of {} (--init-count), because of the "
                      "limit on splats",
                      most, count));
    }
    seeds = random_seeds(dataset, layout, std::min(count, most), random);
  }
  const SplatForm form = splat_form(options);
  if (!depends_on_time(form.motion)) {
    InitialSplats result{cloud_from(seeds, layout, style, form, random), std::move(remarks)};
    if (depends_on_direction(form.motion)) set_first_directions(dataset, result.cloud);
    return result;
  }
  return moving_splats({.dataset = dataset,
                        .photos = photos,
                        .options = options,
                        .layout = layout,
                        .style = style,
                        .times = scene_times(dataset),
                        .most = most},
                       std::move(seeds), random, std::move(remarks));
}

}  // namespace mote

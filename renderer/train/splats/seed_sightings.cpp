#include "train/splats/seed_sightings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cameras/camera_ray.h"
#include "core/interrupt.h"
#include "train/run/camera_medians.h"

namespace mote {
namespace {

constexpr std::size_t kMostCameras = 16;  // at a moment
constexpr unsigned kFewestSightings = 3;
/// A seed changes if more than this share of its photographs differ.
constexpr unsigned kChangingTenths = 4;
/// If more than this share of the pixels of a photograph differ, the light changes.
constexpr double kNearlyAll = 2.0 / 3;

struct Sightings {
  std::uint16_t photographs = 0, differing = 0;
};

/// Whether camera `c` of `cameras` is asked for its photograph number `k`: if there are too many
/// cameras, others take turns with time.
bool is_asked(std::size_t c, std::size_t k, std::size_t cameras) {
  if (cameras <= kMostCameras) return true;
  const std::size_t place = (c + k) % cameras;  // kMostCameras of all places are chosen, evenly
  return place * kMostCameras / cameras != (place + 1) * kMostCameras / cameras;
}

/// The photographs that are asked, each with the times of which it is the nearest one of its
/// camera, s.
struct AskedPhotograph {
  std::uint32_t photograph = 0;
  double from_s = 0, to_s = 0;
};

std::vector<AskedPhotograph> asked_photographs(const Dataset& dataset) {
  std::vector<std::vector<std::uint32_t>> of_cameras = photographs_of_cameras(dataset);
  // Cameras for testing have no photographs here, and take no turns.
  std::erase_if(of_cameras, [](const std::vector<std::uint32_t>& list) { return list.size() < 2; });
  const auto time_of = [&](std::uint32_t i) { return dataset.photographs[i].time_s; };
  std::vector<AskedPhotograph> asked;
  for (std::size_t c = 0; c < of_cameras.size(); ++c) {
    const std::vector<std::uint32_t>& list = of_cameras[c];
    const double half_s =
        (time_of(list.back()) - time_of(list.front())) / static_cast<double>(2 * (list.size() - 1));
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (!is_asked(c, k, of_cameras.size())) continue;
      const double now_s = time_of(list[k]);
      asked.push_back({list[k], now_s - half_s, now_s + half_s});
    }
  }
  return asked;
}

bool differs_nearly_everywhere(const Image8& differences) {
  const auto differing = std::ranges::count_if(differences.pixels.span(),
                                               [](std::uint8_t value) { return value > 0; });
  return static_cast<double>(differing) >
         kNearlyAll * static_cast<double>(differences.pixels.size());
}

SeenSeed seen_as(const Sightings& sightings) {
  if (sightings.photographs < kFewestSightings) return SeenSeed::unknown;
  const bool changes = 10u * sightings.differing > kChangingTenths * sightings.photographs;
  return changes ? SeenSeed::changing : SeenSeed::still;
}

}  // namespace

std::vector<SeenSeed> seen_seeds(const Dataset& dataset, PhotoStore& photos,
                                 std::span<const glm::dvec3> positions,
                                 std::span<const double> times_s) {
  std::vector<std::uint32_t> by_time;
  for (std::uint32_t i = 0; i < times_s.size(); ++i) {
    if (!std::isnan(times_s[i])) by_time.push_back(i);
  }
  const auto time_of = [&](std::uint32_t i) { return times_s[i]; };
  std::ranges::stable_sort(by_time, {}, time_of);
  std::vector<SeenSeed> seen(positions.size(), SeenSeed::unknown);
  if (by_time.empty()) return seen;

  CameraMedians medians(dataset, photos);
  const auto seeds_of = [&](const AskedPhotograph& one) {
    return std::span<const std::uint32_t>(
        std::ranges::lower_bound(by_time, one.from_s, {}, time_of),
        std::ranges::lower_bound(by_time, one.to_s, {}, time_of));
  };
  std::vector<AskedPhotograph> asked = asked_photographs(dataset);
  std::erase_if(asked, [&](const AskedPhotograph& one) { return seeds_of(one).empty(); });
  std::vector<std::uint32_t> next;
  for (const AskedPhotograph& one : asked) next.push_back(one.photograph);
  if (!next.empty()) photos.announce(next, medians.coarse_level(next.front()));
  std::vector<Sightings> sightings(positions.size());
  for (const AskedPhotograph& one : asked) {
    throw_if_interrupted();
    const Image8 differences = medians.differences(one.photograph);
    if (differences.pixels.empty() || differs_nearly_everywhere(differences)) continue;
    const Camera camera = camera_at_level(dataset.photographs[one.photograph].camera,
                                          medians.coarse_level(one.photograph));
    for (const std::uint32_t seed : seeds_of(one)) {
      const std::optional<glm::dvec2> px = pixel_of(camera, positions[seed]);
      if (!px || !(px->x >= 0 && px->x < differences.width) ||
          !(px->y >= 0 && px->y < differences.height)) {
        continue;
      }
      Sightings& own = sightings[seed];
      ++own.photographs;
      if (differences.row(static_cast<int>(px->y))[static_cast<int>(px->x)] > 0) ++own.differing;
    }
  }
  std::ranges::transform(sightings, seen.begin(), seen_as);
  return seen;
}

}  // namespace mote

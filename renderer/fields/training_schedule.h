#pragma once

// How many rays the steps of a NeRF's training take, how long their steps along a ray are, and when
// the occupancy grid is measured. The same for every device.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_stream.h"
#include "core/error.h"
#include "fields/marching.h"
#include "fields/occupancy.h"

namespace mote {

/// Samples beyond the batch that a step has space for: those behind the last one that is trained,
/// and fluctuations.
inline constexpr std::uint64_t kTrainingSpace = 2;

/// Number of rays that a step has space for if each has `samples`.
constexpr std::uint64_t rays_with_space(std::uint64_t batch, std::uint64_t samples) {
  return std::max<std::uint64_t>(kTrainingSpace * batch / samples, 1);
}

// Updates of the occupancy, rarer and of fewer cells than published, so that they take a twentieth
// of the time.
inline constexpr std::uint64_t kFirstOccupancyUpdate = 8;  // steps
inline constexpr CellCounts kFirstMeasuredCells{.uniform = kOccupancyCells / 2, .occupied = 0};
inline constexpr CellCounts kMeasuredCells{.uniform = kOccupancyCells / 8,
                                           .occupied = kOccupancyCells / 8};

class TrainingSchedule {
 public:
  static constexpr std::uint64_t kFirstRays = 2048, kFewestRays = 256;
  static constexpr float kMostCoarseness = 8;
  /// Upper bound on the samples of a ray from the middle of a cube of any side, with steps of
  /// kMostCoarseness.
  static constexpr std::uint64_t kMostCoarseSamples = 256;

  explicit TrainingSchedule(std::uint64_t batch) : rays(first_rays(batch)) {}

  /// Rays of the first step, in which all that the cameras see is a fog. Where the batch is smaller
  /// than usual, they are so few that there is space for all of their samples. A ray is not trained
  /// if there is none for its last samples; rays through a fog have about the same number of
  /// samples, so that too many rays would mean that none is trained.
  static constexpr std::uint64_t first_rays(std::uint64_t batch) {
    constexpr std::uint64_t kUsualBatch = std::uint64_t{1} << 17;
    return batch < kUsualBatch ? rays_with_space(batch, kMostCoarseSamples) : kFirstRays;
  }
  /// Least number of rays of later steps: so few find space for as many samples as rays may have.
  static constexpr std::uint64_t fewest_rays(std::uint64_t batch) {
    return std::min(kFewestRays, rays_with_space(batch, kMostRaySamples));
  }

  std::uint64_t rays;                  // of the next step
  float coarseness = kMostCoarseness;  // of its march
  std::uint64_t step = 0;              // number of steps done
  /// The step before which the occupancy is measured next.
  std::uint64_t next_update = kFirstOccupancyUpdate;

  /// Ends a step that found `samples`. Sets the number of rays with which the next step has as many
  /// samples as `batch`. While the field is a fog, a ray takes longer steps, so that a step has
  /// enough rays. `first_steps`: least coarseness until kCoarseSamples are trained.
  void adapt(std::uint64_t samples, std::uint64_t batch, float first_steps) {
    const double per_ray = static_cast<double>(samples) / static_cast<double>(rays);
    const float least = step * batch < kCoarseSamples ? first_steps : 1;
    double expected = per_ray;
    if (per_ray > kMostPerRay && coarseness < kMostCoarseness) {
      coarseness *= 2;
      expected /= 2;
    } else if (per_ray < kFewestPerRay && coarseness > least) {
      coarseness /= 2;
      expected *= 2;
    }
    const auto wanted = static_cast<std::uint64_t>(static_cast<double>(batch) / expected);
    const std::uint64_t fewest = fewest_rays(batch);
    rays = std::clamp(wanted, fewest, std::max(batch, fewest));
  }

  /// The state of the march, as the saved states of all devices begin: the schedule, and the
  /// densities of the occupancy grid.
  void save(std::span<const float> densities, ByteSink& sink) const {
    sink.put(step);
    sink.put(rays);
    sink.put(coarseness);
    sink.put(next_update);
    sink.put_all(densities);
  }
  /// Returns the densities. Throws Error if they are not of as many cells.
  std::vector<float> restore(std::size_t cells, ByteSource& source) {
    step = source.get<std::uint64_t>();
    rays = source.get<std::uint64_t>();
    coarseness = source.get<float>();
    next_update = source.get<std::uint64_t>();
    std::vector<float> densities = get_all<float>(source);
    if (densities.size() == cells) return densities;
    throw Error("the occupancy grid has another size", "the saved training state",
                "resume with the same --aabb-scale");
  }

  /// After an update before step `own`: `samples` are trained until the next, at first a doubling
  /// of the steps.
  void set_next_update(std::uint64_t own, std::uint64_t samples, std::uint64_t batch) {
    next_update = std::max(std::min(2 * own, own + samples / batch), own + 1);
  }

 private:
  // Bounds on the mean number of samples of a ray, beyond which the length of steps changes.
  static constexpr double kMostPerRay = 64, kFewestPerRay = 20;
  /// Until this number of samples is trained, steps are longer. So more rays are trained in the
  /// same time, and more pixels are worth more than finer sums.
  static constexpr std::uint64_t kCoarseSamples = std::uint64_t{1} << 28;
};

/// Number of rays of a step of which proposals choose `samples_of_ray` samples each.
constexpr std::uint64_t proposed_rays(std::uint64_t batch, std::uint64_t samples_of_ray) {
  return std::max(batch / samples_of_ray,
                  std::min(TrainingSchedule::kFewestRays, rays_with_space(batch, samples_of_ray)));
}

}  // namespace mote

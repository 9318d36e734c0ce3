#pragma once

#include <glm/vec3.hpp>
#include <vector>

#include "scene/camera_path.h"
#include "scene/similarity.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Positions and opacities of at most 2^17 evenly sampled splats of one or several clouds.
class SceneSamples {
 public:
  struct Sample {
    glm::dvec3 mean_world;
    double opacity;
  };

  /// `splats`: the number of splats of all clouds together.
  explicit SceneSamples(std::size_t splats);
  /// Adds a sample of a model that does not consist of splats.
  void add(const glm::dvec3& position_world, double opacity) {
    samples_.push_back({position_world, opacity});
  }
  /// Samples the finite and visible splats of the next cloud.
  void add(const SplatCloud& cloud, const Similarity& world_from_cloud = {});

  const std::vector<Sample>& all() const { return samples_; }

 private:
  std::size_t stride_;
  std::size_t next_ = 0;  // index of the next splat to sample, in the next cloud
  std::vector<Sample> samples_;
};

/// Quantiles weighted by opacity. Returns the unit ball around the origin if there is no sample.
SceneExtent scene_extent(const SceneSamples& samples);
SceneExtent scene_extent(const SplatCloud& cloud);

/// A view from just in front of the surface at the centre of the first orbit view. There, few
/// splats fill the frame, which is the worst case for the frame rate.
View closeup_view(const SceneSamples& samples, const SceneExtent& extent,
                  const OrbitOptions& options);
View closeup_view(const SplatCloud& cloud, const SceneExtent& extent, const OrbitOptions& options);

}  // namespace mote

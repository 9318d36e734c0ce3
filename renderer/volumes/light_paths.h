#pragma once

// Light in a volume: paths by delta tracking (Woodcock et al. 1965; J. Novák et al. 2018, "Monte
// Carlo methods for volumetric light transport simulation"). Scattering is isotropic, so that the
// light that a place scatters is the same in all directions.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <span>

#include "math/counter_random.h"
#include "volumes/density_volume.h"

namespace mote {

using LinearColor = std::array<float, 3>;  // r, g, b

/// A sun without a size, and a sky whose colour depends on the height. Directions are those of the
/// world. The default is the light of all volumes; y points down.
struct VolumeLight {
  glm::vec3 sun_direction{0.49f, -0.77f, -0.41f};  // towards the sun
  LinearColor sun{3.2f, 2.9f, 2.5f};               // irradiance of a plane that faces it
  glm::vec3 up{0, -1, 0};
  LinearColor zenith{0.30f, 0.47f, 0.80f}, nadir{0.22f, 0.22f, 0.21f};  // radiance
  float albedo = 0.95f;  // share of the light that a collision scatters

  /// Radiance of the sky, linear in the height of `direction`.
  LinearColor sky(const glm::vec3& direction) const;
};

/// The random numbers of a path.
class PathRandom {
 public:
  PathRandom(std::uint64_t seed, std::uint64_t path) : seed_(random_bits(seed, path)) {}
  /// From 0 to 1, both excluded.
  float next() {
    return (static_cast<float>(random_bits(seed_, number_++) >> 41) + 0.5f) * 0x1p-23f;
  }
  /// A uniform direction of length 1.
  glm::vec3 direction();

 private:
  std::uint64_t seed_, number_ = 0;
};

/// A place, in voxels, and an estimate of the radiance that it scatters per length and extinction.
struct ScatterPoint {
  glm::vec3 voxels;
  LinearColor radiance;
};

class LightPaths {
 public:
  /// `extinction`: per density and voxel. `volume` must outlive this.
  LightPaths(const DensityVolume& volume, float extinction, const VolumeLight& light);

  /// Moves `at` to the next collision of a photon, or returns false if there is none.
  bool collide(glm::vec3& at, const glm::vec3& direction, PathRandom& random) const;
  /// An estimate of the share of light that passes from a place to the outside, from 0 to 1.
  float transmittance(const glm::vec3& from, const glm::vec3& direction, PathRandom& random) const;
  /// Follows light backwards from a place on. Writes the first places where it was scattered, the
  /// given one first, and returns their number. All places of the path count for the radiance.
  std::size_t trace(const glm::vec3& from, PathRandom& random,
                    std::span<ScatterPoint> points) const;
  /// A ray from outside, equally distributed over all that meet the volume's ball. It may miss the
  /// volume.
  void outer_ray(PathRandom& random, glm::vec3& origin, glm::vec3& direction) const;

  /// Corners of the box where densities may be above 0, in voxels.
  const glm::vec3& low() const { return low_; }
  const glm::vec3& high() const { return high_; }
  const VolumeLight& light() const { return light_; }

 private:
  /// Cuts the ray to the box: the distances of its ends; empty if the second is not larger.
  std::array<float, 2> inside(const glm::vec3& origin, const glm::vec3& direction) const;
  /// Calls visit(place, share) for the places of a ray where a photon may collide, in order, with
  /// the chance that it does. Ends when `visit` returns false. In each brick, the places are those
  /// of its largest density.
  template <class Visit>
  void for_candidates(const glm::vec3& origin, const glm::vec3& direction, PathRandom& random,
                      const Visit& visit) const;

  const DensityVolume& volume_;
  VolumeLight light_;
  float extinction_;  // per density and voxel
  glm::vec3 low_, high_;
};

}  // namespace mote

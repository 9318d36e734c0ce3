#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/file.h"
#include "core/random.h"
#include "synth/rigs/rig_picture.h"

namespace mote::synth {

/// Surface points that cameras of a rig see, with the moment and the velocity of each.
class RigPoints {
 public:
  explicit RigPoints(std::uint32_t seed) : random_(seed, 41) {}

  /// Adds the points at `count` random pixels of the picture, or at all if it has fewer. A pixel
  /// without a surface has no point.
  void pick(const RigPicture& picture, const SceneMotion& motion, double time_s, int count);
  /// Writes x, y, z, red, green, blue, time_s, and velocity_x, _y, _z in world/s, which are 0 where
  /// a surface appears or vanishes.
  void write(const std::filesystem::path& path) const;
  std::size_t count() const { return points_.size(); }

 private:
  struct Point {
    vec3 position, velocity;
    float time_s;
    std::array<std::uint8_t, 3> color;
  };
  Random random_;
  std::vector<Point> points_;
};

/// The positions of moving surface points over time, spread evenly over the area of moving
/// surfaces.
class SurfaceTracks {
 public:
  SurfaceTracks(const Scene& scene, const std::vector<bool>& moves, std::uint32_t seed);
  void add(const Scene& scene);
  /// [frames][points][3], world.
  void write(const std::filesystem::path& path, Existing existing) const;

 private:
  struct Place {
    std::uint32_t triangle;
    vec3 weights;
  };
  std::vector<Place> places_;
  std::size_t frames_ = 0;
  std::vector<double> values_;
};

}  // namespace mote::synth

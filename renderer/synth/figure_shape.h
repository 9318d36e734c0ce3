#pragma once

// The shape of the figure: a standing creature with a shell, scales and claws, as a function of the
// position. It is a smooth union of round cones and ellipsoids (I. Quilez, "distance functions"),
// displaced by noise. Values are not exact distances: they have the sign of the distance, and near
// the surface approximately its size.

#include <array>
#include <cstddef>
#include <cstdint>
#include <glm/vec3.hpp>
#include <vector>

namespace mote::synth {

class FigureShape {
 public:
  /// Each seed has other scales and plates.
  explicit FigureShape(std::uint32_t seed);

  /// Below 0 inside. World units: the creature is 1.9 high, z is up, and it looks along -y.
  float value(glm::vec3 p) const;
  /// The value without scales and plates; differs from it by at most kRelief.
  float smooth_value(glm::vec3 p) const;

  static constexpr float kRelief = 0.05f;
  /// A box around the creature.
  static constexpr glm::vec3 kLow{-0.90f, -0.72f, -0.06f}, kHigh{0.90f, 1.12f, 1.96f};

 private:
  /// A round cone if `is_cone`: from a with radius `size.x` to b with `size.y`. Else an ellipsoid
  /// around a with the half axes `size`.
  struct Part {
    glm::vec3 a, b, size;
    float blend;  // width of the transition to the parts before it
    bool is_cone;
  };
  /// Parts with the same relief.
  struct Group {
    std::vector<Part> parts;
    float blend;  // width of the transition to the groups before it
    float (*relief)(glm::vec3 p, glm::vec3 grain);
  };

  static constexpr std::size_t kGroups = 7;
  using Distances = std::array<float, kGroups>;  // of a point to each group, without relief

  static float distance(const Part& part, glm::vec3 p);
  static float distance(const Group& group, glm::vec3 p);
  Distances distances(glm::vec3 p) const;
  float joined(const Distances& distances) const;

  void add_torso();
  void add_shell();
  void add_head();
  void add_limbs();
  void add_tail();
  void add_hand(glm::vec3 wrist, glm::vec3 forward, glm::vec3 across);
  void add_foot(float side);

  Part cone(glm::vec3 a, glm::vec3 b, float from, float to, float blend = 0.04f) const {
    return {a, b, {from, to, 0}, blend, true};
  }
  Part ellipsoid(glm::vec3 center, glm::vec3 half_axes, float blend = 0.08f) const {
    return {center, center, half_axes, blend, false};
  }

  glm::vec3 grain_;  // origin of the noise
  std::vector<Group> groups_;
  std::vector<Part> claws_;  // collected from hands and feet
};

}  // namespace mote::synth

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "splats/kinds/fields.h"
#include "splats/kinds/splat_motion.h"

namespace mote {

/// The kinds of splats. splats/kinds/kinds.h has the list of their classes, in the same order.
enum class SplatKind : std::uint8_t { gaussian, beta, surfel };
inline constexpr int kSplatKinds = 3;

/// Description of one kind at run time, with the fields of a motion.
struct KindInfo {
  SplatKind kind;
  SplatMotion motion;
  bool exists;                 // whether there are splats of the kind with the motion
  const char* name;            // as in --kind
  const char* description;     // a phrase for users
  const char* sh_prefixes[2];  // names of harmonics in .ply files: degree 0, other degrees
  const char* motion_name;     // as in --motion
  int field_count;             // stored values, without SH: those of the kind, then of the motion
  Field fields[kFields];       // in storage order; the first field_count are valid
  FieldPlanes planes;
  int extra_words;  // words of a projected splat after those that all kinds have
  int padded_sums;  // length of a record of gradient sums
  /// Whether splats have a normal, and a depth at each pixel.
  bool is_surface;
  /// Whether copies that share a position get smaller.
  bool sharing_scales;

  /// Whether splats have values in the group.
  bool trains(RateGroup group) const {
    return group == RateGroup::sh_0 || group == RateGroup::sh_rest || count(group) > 0;
  }
  /// Number of stored values of a group, without SH.
  int count(RateGroup group) const {
    int number = 0;
    for (const Field field : stored()) number += group_of(field) == group ? 1 : 0;
    return number;
  }

  /// Whether splats depend on time.
  bool moves() const { return depends_on_time(motion); }
  /// Whether they depend on the direction in which the camera sees them.
  bool is_directional() const { return depends_on_direction(motion); }
  bool stores(Field field) const { return planes.of(field) >= 0; }
  int plane(Field field) const { return planes.of(field); }
  std::span<const Field> stored() const { return {fields, static_cast<std::size_t>(field_count)}; }
};

const KindInfo& kind_info(SplatKind kind, SplatMotion motion = SplatMotion::still);

/// The kind, SH degree and motion of splats, which determine their size.
struct SplatForm {
  SplatKind kind = SplatKind::gaussian;
  int sh_degree = kMaxShDegree;
  SplatMotion motion = SplatMotion::still;

  bool operator==(const SplatForm&) const = default;

  /// Stored floats of one splat.
  std::size_t floats() const {
    return static_cast<std::size_t>(kind_info(kind, motion).field_count) +
           3 * static_cast<std::size_t>(sh_coefficient_count(sh_degree));
  }
};

/// The kind with a name of --kind; null if there is none.
const KindInfo* find_kind(std::string_view name);
/// The names of all kinds, for --kind.
std::vector<std::string> kind_names();
/// All kinds with their descriptions: "gaussian: a 3D Gaussian, ...".
std::string kind_descriptions();

}  // namespace mote

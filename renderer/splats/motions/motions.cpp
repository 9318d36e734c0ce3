// The table of kinds with their motions.

#include "splats/motions/motions.h"

#include "splats/kinds/splat_kind.h"

namespace mote {
namespace {

template <class Kind, class Motion>
constexpr KindInfo info_of() {
  static_assert(depends_on_time(Motion::kMotion) == Motion::kHasLife);
  static_assert(depends_on_direction(Motion::kMotion) == Motion::kIsDirectional);
  using Whole = MovingKind<Kind, Motion>;
  KindInfo info{.kind = Kind::kKind,
                .motion = Motion::kMotion,
                .exists = kCombined<Kind, Motion>,
                .name = Kind::kName,
                .description = Kind::kDescription,
                .sh_prefixes = {Kind::kShPrefixes[0], Kind::kShPrefixes[1]},
                .motion_name = Motion::kName,
                .field_count = Whole::kFieldCount,
                .fields = {},
                .planes = {Whole::kFieldCount, {}},
                .extra_words = Kind::kExtraWords,
                .padded_sums = kPaddedSums<Kind>,
                .is_surface = Kind::kIsSurface,
                .sharing_scales = Kind::kSharingScales};
  for (int plane = 0; plane < Whole::kFieldCount; ++plane) info.fields[plane] = Whole::field(plane);
  for (int field = 0; field < kFields; ++field) {
    info.planes.place[field] = plane_of<Whole>(static_cast<Field>(field));
  }
  return info;
}

struct MotionTable {
  KindInfo rows[kSplatMotions];
};
struct KindTable {
  MotionTable kinds[kSplatKinds];
};

template <class Kind, class... MOTION>
constexpr MotionTable motions_of(MotionList<MOTION...>) {
  static_assert(sizeof...(MOTION) == kSplatMotions);
  return {{info_of<Kind, MOTION>()...}};
}

template <class... KIND>
constexpr KindTable table_of(KindList<KIND...>) {
  static_assert(sizeof...(KIND) == kSplatKinds);
  return {{motions_of<KIND>(SplatMotions())...}};
}

constexpr KindTable kTable = table_of(SplatKinds());

constexpr bool in_order() {
  for (int k = 0; k < kSplatKinds; ++k) {
    for (int m = 0; m < kSplatMotions; ++m) {
      const KindInfo& info = kTable.kinds[k].rows[m];
      if (static_cast<int>(info.kind) != k || static_cast<int>(info.motion) != m) return false;
    }
  }
  return true;
}
static_assert(in_order(), "SplatKinds and SplatMotions are in the order of their enumerations");

}  // namespace

const KindInfo& kind_info(SplatKind kind, SplatMotion motion) {
  return kTable.kinds[static_cast<int>(kind)].rows[static_cast<int>(motion)];
}

}  // namespace mote

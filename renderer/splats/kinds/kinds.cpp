#include "splats/kinds/kinds.h"

namespace mote {
namespace {

template <class Kind>
constexpr KindInfo info_of() {
  KindInfo info{.kind = Kind::kKind,
                .name = Kind::kName,
                .description = Kind::kDescription,
                .sh_prefixes = {Kind::kShPrefixes[0], Kind::kShPrefixes[1]},
                .field_count = Kind::kFieldCount,
                .fields = {},
                .planes = {Kind::kFieldCount, {}},
                .extra_words = Kind::kExtraWords,
                .padded_sums = kPaddedSums<Kind>,
                .is_surface = Kind::kIsSurface,
                .sharing_scales = Kind::kSharingScales};
  for (int plane = 0; plane < Kind::kFieldCount; ++plane) info.fields[plane] = Kind::field(plane);
  for (int field = 0; field < kFields; ++field) {
    info.planes.place[field] = plane_of<Kind>(static_cast<Field>(field));
  }
  return info;
}

struct KindTable {
  KindInfo rows[kSplatKinds];
};

template <class... KIND>
constexpr KindTable table_of(KindList<KIND...>) {
  static_assert(sizeof...(KIND) == kSplatKinds);
  return {{info_of<KIND>()...}};
}

constexpr KindTable kTable = table_of(SplatKinds());

constexpr bool in_order() {
  for (int k = 0; k < kSplatKinds; ++k) {
    if (static_cast<int>(kTable.rows[k].kind) != k) return false;
  }
  return true;
}
static_assert(in_order(), "SplatKinds is in the order of SplatKind");

}  // namespace

const KindInfo& kind_info(SplatKind kind) {
  return kTable.rows[static_cast<int>(kind)];
}

const KindInfo* find_kind(std::string_view name) {
  for (const KindInfo& info : kTable.rows) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindInfo& info : kTable.rows) names.emplace_back(info.name);
  return names;
}

std::string kind_descriptions() {
  std::string text;
  for (const KindInfo& info : kTable.rows) {
    text += (text.empty() ? "" : ", ") + std::string(info.name) + ": " + info.description;
  }
  return text;
}

}  // namespace mote

#include "splats/kinds/kinds.h"

namespace mote {
namespace {

/// The kinds without motion.
std::vector<const KindInfo*> all_kinds() {
  std::vector<const KindInfo*> kinds;
  for (int k = 0; k < kSplatKinds; ++k) kinds.push_back(&kind_info(static_cast<SplatKind>(k)));
  return kinds;
}

}  // namespace

const KindInfo* find_kind(std::string_view name) {
  for (const KindInfo* info : all_kinds()) {
    if (info->name == name) return info;
  }
  return nullptr;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindInfo* info : all_kinds()) names.emplace_back(info->name);
  return names;
}

std::string kind_descriptions() {
  std::string text;
  for (const KindInfo* info : all_kinds()) {
    text += (text.empty() ? "" : ", ") + std::string(info->name) + ": " + info->description;
  }
  return text;
}

}  // namespace mote

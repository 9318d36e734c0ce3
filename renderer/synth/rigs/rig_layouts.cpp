// The table of layouts.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/options.h"
#include "core/spelling.h"
#include "synth/rigs/rig_layout.h"

namespace mote::synth {

extern const RigLayoutEntry kJsonLayout, kN3vLayout, kEasyVolcapLayout, kEasyVolcapVideoLayout;

std::span<const RigLayoutEntry* const> rig_layouts() {
  static constexpr const RigLayoutEntry* kLayouts[] = {&kJsonLayout, &kN3vLayout,
                                                       &kEasyVolcapLayout, &kEasyVolcapVideoLayout};
  return kLayouts;
}

const RigLayoutEntry& rig_layout_named(std::string_view name) {
  std::vector<std::string> names;
  for (const RigLayoutEntry* entry : rig_layouts()) {
    if (entry->name == name) return *entry;
    names.emplace_back(entry->name);
  }
  throw UsageError("there is no such layout", std::string(name), "choose " + listed(names));
}

std::string frame_name(int frame) {
  return fmt::format("{:05}", frame);
}

}  // namespace mote::synth

// The table of formats.
#include "io/datasets/rigs/rig_formats.h"

namespace mote {

extern const RigFormat kN3vFormat, kEasyVolcapFormat, kTechnicolorFormat, kHyperNerfFormat;

std::span<const RigFormat* const> rig_formats() {
  static constexpr const RigFormat* kFormats[] = {&kN3vFormat, &kEasyVolcapFormat,
                                                  &kTechnicolorFormat, &kHyperNerfFormat};
  return kFormats;
}

const RigFormat* rig_format_of(const std::filesystem::path& folder) {
  for (const RigFormat* format : rig_formats()) {
    if (format->holds(folder)) return format;
  }
  return nullptr;
}

}  // namespace mote

#pragma once

#include <cstdint>

#include "splats/picking/splat_properties.h"

namespace mote {

/// The histogram of a property of a document's splats.
struct SelectionHistogram {
  std::uint32_t document = 0;
  std::uint64_t revision = 0;   // of the document
  std::uint64_t selection = 0;  // EditState::selection_number
  SplatProperty property = SplatProperty::opacity;
  ValueHistogram shown = {}, selected = {};  // with the same bins
};

}  // namespace mote

#pragma once

#include <cstdint>
#include <span>

#include "app/gui/panel.h"

namespace mote::gui {

/// Asks for thumbnails of the set's views that are seen, by their numbers from 0: of those only
/// that have none and are not asked for.
void wish_thumbnails(const PanelContext& context, const CameraSet& set,
                     std::span<const std::uint32_t> seen);

}  // namespace mote::gui

#pragma once

#include <cstdint>
#include <span>

#include "app/gui/panel.h"

namespace mote::gui {

/// Requests thumbnails of the visible views of the set, by their indices from 0. Skips views that
/// have one or whose thumbnail is already requested.
void request_thumbnails(const PanelContext& context, const CameraSet& set,
                        std::span<const std::uint32_t> seen);

}  // namespace mote::gui

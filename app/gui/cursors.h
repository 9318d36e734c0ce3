#pragma once

#include <imgui.h>

#include "app/gui/host.h"
#include "app/viewer/view/view_tools.h"

namespace mote::gui {

/// The cursor for the pointer's shape in the view, and for ImGui's cursor.
Cursor cursor_of(PointerShape shape);
Cursor cursor_of(ImGuiMouseCursor shape);

}  // namespace mote::gui

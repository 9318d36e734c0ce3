#include "app/gui/cursors.h"

namespace mote::gui {

Cursor cursor_of(PointerShape shape) {
  switch (shape) {
    case PointerShape::cross:
      return Cursor::cross;
    case PointerShape::left_right:
      return Cursor::resize_across;
    case PointerShape::hand:
    case PointerShape::move:
      return Cursor::hand;
    case PointerShape::arrow:
      break;
  }
  return Cursor::arrow;
}

Cursor cursor_of(ImGuiMouseCursor shape) {
  switch (shape) {
    case ImGuiMouseCursor_TextInput:
      return Cursor::text;
    case ImGuiMouseCursor_ResizeEW:
      return Cursor::resize_across;
    case ImGuiMouseCursor_ResizeNS:
      return Cursor::resize_along;
    case ImGuiMouseCursor_Hand:
      return Cursor::hand;
    default:
      return Cursor::arrow;
  }
}

}  // namespace mote::gui

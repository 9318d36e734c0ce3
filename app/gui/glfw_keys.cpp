#include "app/gui/glfw_keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <string>

namespace mote::gui {
namespace {

struct NamedKey {
  int glfw_key;
  const char* name;
};

constexpr NamedKey kNamedKeys[] = {
    {GLFW_KEY_LEFT, "Left"},
    {GLFW_KEY_RIGHT, "Right"},
    {GLFW_KEY_UP, "Up"},
    {GLFW_KEY_DOWN, "Down"},
    {GLFW_KEY_PAGE_UP, "PageUp"},
    {GLFW_KEY_PAGE_DOWN, "PageDown"},
    {GLFW_KEY_HOME, "Home"},
    {GLFW_KEY_END, "End"},
    {GLFW_KEY_ENTER, "Enter"},
    {GLFW_KEY_KP_ENTER, "Enter"},
    {GLFW_KEY_TAB, "Tab"},
    {GLFW_KEY_BACKSPACE, "Backspace"},
    {GLFW_KEY_DELETE, "Delete"},
    {GLFW_KEY_SPACE, "Space"},
    {GLFW_KEY_ESCAPE, "Escape"},
    {GLFW_KEY_INSERT, "Insert"},
    {GLFW_KEY_COMMA, "Comma"},
    {GLFW_KEY_PERIOD, "Period"},
    {GLFW_KEY_MINUS, "Minus"},
    {GLFW_KEY_KP_SUBTRACT, "Minus"},
    {GLFW_KEY_EQUAL, "Equal"},
    {GLFW_KEY_KP_ADD, "Equal"},
    {GLFW_KEY_SLASH, "Slash"},
    {GLFW_KEY_SEMICOLON, "Semicolon"},
    {GLFW_KEY_LEFT_BRACKET, "["},
    {GLFW_KEY_RIGHT_BRACKET, "]"},
    {GLFW_KEY_LEFT_CONTROL, "Ctrl"},
    {GLFW_KEY_RIGHT_CONTROL, "Ctrl"},
    {GLFW_KEY_LEFT_SHIFT, "Shift"},
    {GLFW_KEY_RIGHT_SHIFT, "Shift"},
    {GLFW_KEY_LEFT_ALT, "Alt"},
};

bool is_symbol(int key) {
  return key == GLFW_KEY_COMMA || key == GLFW_KEY_PERIOD || key == GLFW_KEY_MINUS ||
         key == GLFW_KEY_EQUAL || key == GLFW_KEY_SLASH || key == GLFW_KEY_SEMICOLON ||
         key == GLFW_KEY_LEFT_BRACKET || key == GLFW_KEY_RIGHT_BRACKET;
}

}  // namespace

std::optional<Key> key_of_glfw(int glfw_key) {
  // Letters and digits by their printed symbols, so that Ctrl+Z is where the user expects it.
  const bool printed = (glfw_key >= GLFW_KEY_A && glfw_key <= GLFW_KEY_Z) ||
                       (glfw_key >= GLFW_KEY_0 && glfw_key <= GLFW_KEY_9) || is_symbol(glfw_key);
  if (printed) {
    const char* name = glfwGetKeyName(glfw_key, 0);
    const char letter = name != nullptr && name[1] == '\0' ? name[0] : '\0';
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) {
      return find_key(std::string(1, letter));
    }
    if (!is_symbol(glfw_key)) return find_key(std::string(1, static_cast<char>(glfw_key)));
  }
  if (glfw_key >= GLFW_KEY_F1 && glfw_key <= GLFW_KEY_F12) {
    return find_key("F" + std::to_string(glfw_key - GLFW_KEY_F1 + 1));
  }
  for (const NamedKey& key : kNamedKeys) {
    if (key.glfw_key == glfw_key) return find_key(key.name);
  }
  return {};
}

}  // namespace mote::gui

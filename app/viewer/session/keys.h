#pragma once

// Keys of a keyboard by name, shared by the table of actions, scripts and the window.

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace mote {

/// Index into key_names().
using Key = int;

/// Key names as written: "A", "7", "F5", "PageUp", "Ctrl", ...
std::span<const std::string_view> key_names();
/// Finds a key by its name, ignoring case. Throws UsageError if there is none.
Key find_key(std::string_view name);

/// A key and its modifiers.
struct Chord {
  Key key = 0;
  bool ctrl = false, shift = false, alt = false;
  bool operator==(const Chord&) const = default;
};

/// Reads "Ctrl+Shift+O". Throws UsageError.
Chord parse_chord(std::string_view text);

/// A key that moves the camera while it is held.
struct FlyingKey {
  std::string_view name;
  std::array<int, 3> way;  // direction: right, up, forward
};
std::span<const FlyingKey> flying_keys();
/// Whether the key is a flying key.
bool flies(Key key);

}  // namespace mote

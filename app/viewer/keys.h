#pragma once

// Keys of a keyboard by name, so that the table of actions, scripts and the window mean the same.

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace mote {

/// A place in key_names().
using Key = int;

/// "A", "7", "F5", "PageUp", "Ctrl", ...: how they are written.
std::span<const std::string_view> key_names();
/// Throws UsageError where there is none of that name; case does not matter.
Key find_key(std::string_view name);

/// A key, and what is held down with it.
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
  std::array<int, 3> way;  // right, up, forward
};
std::span<const FlyingKey> flying_keys();
/// Whether it is one of them.
bool flies(Key key);

}  // namespace mote

#include "app/viewer/session/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "core/options.h"
#include "core/spelling.h"

namespace mote {
namespace {

constexpr std::string_view kNames[] = {
    "A",     "B",      "C",     "D",     "E",         "F",         "G",     "H",      "I",
    "J",     "K",      "L",     "M",     "N",         "O",         "P",     "Q",      "R",
    "S",     "T",      "U",     "V",     "W",         "X",         "Y",     "Z",      "0",
    "1",     "2",      "3",     "4",     "5",         "6",         "7",     "8",      "9",
    "F1",    "F2",     "F3",    "F4",    "F5",        "F6",        "F7",    "F8",     "F9",
    "F10",   "F11",    "F12",   "Left",  "Right",     "Up",        "Down",  "PageUp", "PageDown",
    "Home",  "End",    "Enter", "Tab",   "Backspace", "Delete",    "Space", "Escape", "Insert",
    "Comma", "Period", "Minus", "Equal", "Slash",     "Semicolon", "Ctrl",  "Shift",  "Alt",
    "[",     "]",
};

constexpr FlyingKey kFlying[] = {{"W", {0, 0, 1}}, {"S", {0, 0, -1}}, {"A", {-1, 0, 0}},
                                 {"D", {1, 0, 0}}, {"E", {0, 1, 0}},  {"Q", {0, -1, 0}}};

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::span<const std::string_view> key_names() {
  return kNames;
}

Key find_key(std::string_view name) {
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](std::string_view one) { return same_letters(one, name); });
  if (found != std::end(kNames)) return static_cast<Key>(found - std::begin(kNames));
  const std::vector<std::string> names(std::begin(kNames), std::end(kNames));
  const std::string meant = nearest_name(name, names);
  throw UsageError(
      fmt::format("'{}' is not a key", name), "key",
      meant.empty() ? "write one as Ctrl+O or PageUp" : fmt::format("did you mean {}?", meant));
}

Chord parse_chord(std::string_view text) {
  Chord chord;
  std::size_t plus = 0;
  while ((plus = text.find('+')) != std::string_view::npos) {
    const std::string_view held = text.substr(0, plus);
    if (same_letters(held, "Ctrl")) {
      chord.ctrl = true;
    } else if (same_letters(held, "Shift")) {
      chord.shift = true;
    } else if (same_letters(held, "Alt")) {
      chord.alt = true;
    } else {
      throw UsageError(fmt::format("'{}' is not a modifier key", held), "key",
                       "write Ctrl, Shift or Alt before the '+'");
    }
    text.remove_prefix(plus + 1);
  }
  chord.key = find_key(text);
  return chord;
}

std::span<const FlyingKey> flying_keys() {
  return kFlying;
}

bool flies(Key key) {
  return std::any_of(std::begin(kFlying), std::end(kFlying),
                     [key](const FlyingKey& one) { return find_key(one.name) == key; });
}

}  // namespace mote

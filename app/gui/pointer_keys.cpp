#include "app/gui/pointer_keys.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace mote::gui {
namespace {

using Kind = InputEvent::Kind;

constexpr double kStep_px = 10, kWide_px = 50, kFine_px = 1;
constexpr double kDelay_s = 0.35, kRepeat_s = 1.0 / 30;  // of held arrow keys

constexpr std::array<std::pair<std::string_view, std::array<int, 2>>, 4> kArrows{
    {{"Left", {-1, 0}}, {"Right", {1, 0}}, {"Up", {0, -1}}, {"Down", {0, 1}}}};

/// The direction of an arrow key; empty for other keys.
std::optional<std::array<int, 2>> way_of(Key key) {
  for (const auto& [name, way] : kArrows) {
    if (find_key(name) == key) return way;
  }
  return {};
}

bool is_used(Key key) {
  constexpr std::array<std::string_view, 5> kOthers{"Enter", "Space", "PageUp", "PageDown",
                                                    "Escape"};
  return way_of(key) || std::ranges::any_of(kOthers, [key](std::string_view name) {
           return find_key(name) == key;
         });
}

}  // namespace

void PointerKeys::turn(bool on, const Situation& now, std::vector<InputEvent>& out) {
  on_ = on;
  held_.clear();
  if (!on) {
    if (pressing_) button(false, out);
    return;
  }
  const bool inside = placed_ && x_ >= 0 && y_ >= 0 && x_ < now.width && y_ < now.height;
  if (!inside) {
    x_ = 0.5 * now.width;
    y_ = 0.5 * now.height;
  }
  out.push_back({.kind = Kind::pointer_move, .x = x_, .y = y_});
}

void PointerKeys::button(bool down, std::vector<InputEvent>& out) {
  pressing_ = down;
  out.push_back({.kind = down ? Kind::button_press : Kind::button_release});
}

void PointerKeys::move(Key arrow, const Situation& now, std::vector<InputEvent>& out) {
  const double step = now.unit * (alt_ ? kFine_px : shift_ ? kWide_px : kStep_px);
  const std::array<int, 2> way = *way_of(arrow);
  x_ = std::clamp(x_ + step * way[0], 0.0, std::max(0.0, now.width - 1.0));
  y_ = std::clamp(y_ + step * way[1], 0.0, std::max(0.0, now.height - 1.0));
  out.push_back({.kind = Kind::pointer_move, .x = x_, .y = y_});
}

void PointerKeys::press(Key key, const Situation& now, std::vector<InputEvent>& out) {
  if (way_of(key)) {
    held_.insert(key);
    next_s_ = now.now_s + kDelay_s;
    move(key, now, out);
  } else if (key == find_key("Enter")) {
    if (!pressing_) button(true, out);
    button(false, out);
  } else if (key == find_key("Space")) {
    button(!pressing_, out);
  } else if (key == find_key("PageUp")) {
    out.push_back({.kind = Kind::scroll, .y = 1});
  } else if (key == find_key("PageDown")) {
    out.push_back({.kind = Kind::scroll, .y = -1});
  } else {
    turn(false, now, out);
  }
}

bool PointerKeys::replace(const InputEvent& event, const Situation& now,
                          std::vector<InputEvent>& out) {
  if (event.kind == Kind::key_release) {
    held_.erase(event.key);
    return taken_.erase(event.key) > 0;
  }
  if (event.kind != Kind::key_press || !on_ || now.typing || !is_used(event.key)) return false;
  // Escape also ends a drag, as it does with a mouse.
  const bool passes = event.key == find_key("Escape") && pressing_;
  if (passes) {
    out.push_back(event);
    button(false, out);
    return true;
  }
  taken_.insert(event.key);
  press(event.key, now, out);
  return true;
}

void PointerKeys::take(WindowState& window, const Situation& now) {
  std::vector<InputEvent> out;
  // Requests of an earlier window do not count.
  const int requests = window.pointer_requests - known_.value_or(window.pointer_requests);
  known_ = window.pointer_requests;
  if (requests % 2 != 0) turn(!on_, now, out);
  for (InputEvent& event : std::exchange(window.events, {})) {
    const bool pressed = event.kind == Kind::key_press;
    if (pressed || event.kind == Kind::key_release) {
      if (event.key == find_key("Shift")) shift_ = pressed;
      if (event.key == find_key("Alt")) alt_ = pressed;
    }
    if (event.kind == Kind::pointer_move) {
      x_ = event.x;
      y_ = event.y;
      placed_ = true;
      if (on_) turn(false, now, out);
    }
    if (!replace(event, now, out)) out.push_back(std::move(event));
  }
  if (moving() && now.now_s >= next_s_) {
    next_s_ = now.now_s + kRepeat_s;
    for (const Key arrow : held_) move(arrow, now, out);
  }
  window.events = std::move(out);
}

void PointerKeys::draw(const Theme& theme) const {
  if (!on_) return;
  constexpr float kRing_px = 6, kArm_px = 13;
  const float unit = theme.unit, ring = kRing_px * unit, arm = kArm_px * unit;
  const ImVec2 at{static_cast<float>(x_), static_cast<float>(y_)};
  ImDrawList* draw = ImGui::GetForegroundDrawList();
  for (const bool edge : {true, false}) {
    const ImU32 color = edge ? IM_COL32(0, 0, 0, 200) : ImGui::GetColorU32(theme.accent);
    const float width = (edge ? 4.0f : 2.0f) * unit;
    draw->AddCircle(at, ring, color, 0, width);
    draw->AddLine({at.x - arm, at.y}, {at.x - ring, at.y}, color, width);
    draw->AddLine({at.x + ring, at.y}, {at.x + arm, at.y}, color, width);
    draw->AddLine({at.x, at.y - arm}, {at.x, at.y - ring}, color, width);
    draw->AddLine({at.x, at.y + ring}, {at.x, at.y + arm}, color, width);
  }
  if (pressing_) {
    draw->AddCircleFilled(at, 0.5f * ring, ImGui::GetColorU32(theme.accent));
  }
}

}  // namespace mote::gui

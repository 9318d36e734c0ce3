#include "app/gui/view_controls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/input.h"

namespace mote::gui {
namespace {

constexpr float kDegreesPerUnit = 0.25f;
constexpr double kZoomPerStep = 1.12;

/// Parts of the picture's width and height, as actions want places.
ImVec2 part_of(const ImVec2& point, const present::Rectangle& area) {
  return {(point.x - static_cast<float>(area.x)) / static_cast<float>(std::max(1, area.width)),
          (point.y - static_cast<float>(area.y)) / static_cast<float>(std::max(1, area.height))};
}

bool inside(const ImVec2& point, const present::Rectangle& area) {
  const ImVec2 part = part_of(point, area);
  return part.x >= 0 && part.y >= 0 && part.x < 1 && part.y < 1;
}

/// How a selection goes together with the one there is.
const char* selection_way() {
  const ImGuiIO& io = ImGui::GetIO();
  return io.KeyShift ? "add" : io.KeyCtrl ? "subtract" : "replace";
}

}  // namespace

void ViewControls::update(const PanelContext& context, const present::Rectangle& area) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool over_view = !io.WantCaptureMouse && inside(io.MousePos, area);
  if (drag_ == Drag::none && over_view) {
    const ImVec2 at = part_of(io.MousePos, area);
    if (io.MouseWheel != 0) {
      context.actions.add("camera zoom {:.5f} {:.5f} {:.5f}",
                          std::clamp(std::pow(kZoomPerStep, io.MouseWheel), 1e-3, 1e3), at.x, at.y);
    }
    if (ImGui::IsMouseDoubleClicked(0) && context.session.view.tool == Tool::navigate) {
      context.actions.add("camera focus {:.5f} {:.5f}", at.x, at.y);
    }
    for (int button = 0; button < 3 && drag_ == Drag::none; ++button) {
      if (!ImGui::IsMouseClicked(button)) continue;
      const bool uses_tool = button == 0 && context.session.view.tool != Tool::navigate;
      const bool pans = button == 2 || (button == 0 && io.KeyShift && !uses_tool);
      drag_ = uses_tool ? Drag::tool : pans ? Drag::pan : button == 0 ? Drag::orbit : Drag::look;
      button_ = button;
      start_ = io.MousePos;
      stroke_ = {io.MousePos};
    }
  }
  drag(context, area);
  fly(context);
}

void ViewControls::drag(const PanelContext& context, const present::Rectangle& area) {
  const ImGuiIO& io = ImGui::GetIO();
  if (drag_ == Drag::none) return;
  if (drag_ == Drag::tool) {
    use_tool(context, area);
  } else if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) {
    const float degrees = kDegreesPerUnit / context.theme.unit;
    const float right = degrees * io.MouseDelta.x, down = degrees * io.MouseDelta.y;
    if (drag_ == Drag::orbit) context.actions.add("camera orbit {:.4f} {:.4f}", right, down);
    if (drag_ == Drag::look) context.actions.add("camera look {:.4f} {:.4f}", right, -down);
    if (drag_ == Drag::pan) {
      context.actions.add("camera pan {:.6f} {:.6f}",
                          io.MouseDelta.x / static_cast<float>(std::max(1, area.width)),
                          io.MouseDelta.y / static_cast<float>(std::max(1, area.height)));
    }
  }
  if (!io.MouseDown[button_]) drag_ = Drag::none;
}

void ViewControls::use_tool(const PanelContext& context, const present::Rectangle& area) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool done = !io.MouseDown[button_];
  const ImU32 line = ImGui::GetColorU32(context.theme.accent);
  ImVec4 fill_color = context.theme.accent;
  fill_color.w = 0.15f;
  ImDrawList* draw = ImGui::GetBackgroundDrawList();
  if (context.session.view.tool == Tool::brush) {
    if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0) stroke_.push_back(io.MousePos);
    const auto radius = static_cast<float>(context.session.view.brush_radius_px);
    for (const ImVec2& point : stroke_) {
      draw->AddCircleFilled(point, radius, ImGui::GetColorU32(fill_color));
    }
    if (!done) return;
    std::string words;
    for (const ImVec2& point : stroke_) {
      const ImVec2 part = part_of(point, area);
      words += fmt::format(" {:.5f} {:.5f}", part.x, part.y);
    }
    context.actions.add("select brush {} {:.2f}{}", selection_way(), radius, words);
    return;
  }
  draw->AddRectFilled(start_, io.MousePos, ImGui::GetColorU32(fill_color));
  draw->AddRect(start_, io.MousePos, line);
  if (!done || context.session.view.tool != Tool::rectangle) return;
  const ImVec2 a = part_of(start_, area), b = part_of(io.MousePos, area);
  context.actions.add("select rectangle {:.5f} {:.5f} {:.5f} {:.5f} {}", std::min(a.x, b.x),
                      std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y), selection_way());
}

void ViewControls::fly(const PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  struct FlyKey {
    const char* name;
    std::array<int, 3> way;  // right, up, forward
  };
  constexpr FlyKey kKeys[] = {{"W", {0, 0, 1}}, {"S", {0, 0, -1}}, {"A", {-1, 0, 0}},
                              {"D", {1, 0, 0}}, {"E", {0, 1, 0}},  {"Q", {0, -1, 0}}};
  constexpr double kFaster = 4, kSlower = 0.25;
  std::array<int, 3> way{};
  if (!io.WantTextInput) {
    for (const FlyKey& key : kKeys) {
      // Ctrl+S and the like are no way to fly; once on the way, Ctrl makes it slower.
      if (!held(find_key(key.name)) || (io.KeyCtrl && !flying_)) continue;
      for (std::size_t i = 0; i < 3; ++i) way[i] += key.way[i];
    }
  }
  flying_ = way != std::array<int, 3>{};
  const double factor = io.KeyShift ? kFaster : io.KeyCtrl ? kSlower : 1;
  const std::string line =
      fmt::format("camera fly {} {} {} {}", way[0], way[1], way[2], flying_ ? factor : 1);
  if (line == fly_line_ || (!flying_ && fly_line_.empty())) return;
  context.actions.add(line);
  fly_line_ = flying_ ? line : "";
}

}  // namespace mote::gui

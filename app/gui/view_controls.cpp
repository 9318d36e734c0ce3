#include "app/gui/view_controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/gui/camera_widgets.h"
#include "app/gui/input.h"

namespace mote::gui {
namespace {

constexpr float kDegreesPerUnit = 0.25f;
constexpr double kZoomPerStep = 1.12;

void add(ActionQueue& actions, ViewTools::Calls calls) {
  for (ActionCall& call : calls) actions.add(std::move(call));
}

ViewPointer pointer_in(const present::Rectangle& picture) {
  const ImGuiIO& io = ImGui::GetIO();
  return {.px = {io.MousePos.x - static_cast<float>(picture.x),
                 io.MousePos.y - static_cast<float>(picture.y)},
          .shift = io.KeyShift,
          .control = io.KeyCtrl};
}

bool inside(const ViewPointer& pointer, const present::Rectangle& picture) {
  return pointer.px.x >= 0 && pointer.px.y >= 0 && pointer.px.x < picture.width &&
         pointer.px.y < picture.height;
}

}  // namespace

void ViewControls::update(const PanelContext& context, const present::Rectangle& picture) {
  const ImGuiIO& io = ImGui::GetIO();
  const ViewPointer pointer = pointer_in(picture);
  tools_.set_unit(context.theme.unit);
  over_view_ = !io.WantCaptureMouse && ImGui::IsMousePosValid() && inside(pointer, picture);
  if (drag_ == Drag::none) {
    tools_.hover(context.session, over_view_ ? std::optional<ViewPointer>(pointer) : std::nullopt);
    if (over_view_ && io.MouseWheel != 0) {
      context.actions.add("camera zoom",
                          std::clamp(std::pow(kZoomPerStep, io.MouseWheel), 1e-3, 1e3),
                          pointer.px.x / picture.width, pointer.px.y / picture.height);
    }
    if (over_view_) begin(context, pointer);
    take_outline_keys(context);
  } else {
    go_on(context, pointer, picture);
  }
  if (drag_ == Drag::none) draw_mark_tooltip(context, tools_);
  tools_.set_orbiting(drag_ == Drag::orbit && moved_);
}

void ViewControls::begin(const PanelContext& context, const ViewPointer& pointer) {
  for (int button = 0; button < 3 && drag_ == Drag::none; ++button) {
    if (!ImGui::IsMouseClicked(button)) continue;
    if (button == 0 && double_clicked()) {
      const bool closes = !tools_.outline_px().empty();
      add(context.actions, tools_.double_click(context.session, pointer));
      if (closes) return;
    }
    const bool for_tool =
        button == 0 && !ImGui::GetIO().KeyAlt && tools_.begin(context.session, pointer);
    // A picture is moved, not turned.
    const bool is_flat = context.session.documents.only_image() != nullptr;
    const bool pans = is_flat || button == 2 || (button == 0 && pointer.shift);
    drag_ = for_tool ? Drag::tool : pans ? Drag::pan : button == 0 ? Drag::orbit : Drag::look;
    button_ = button;
    moved_ = false;
  }
}

/// Keys of a polygon that is being clicked.
void ViewControls::take_outline_keys(const PanelContext& context) {
  if (tools_.outline_px().empty() || ImGui::GetIO().WantTextInput ||
      ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
    return;
  }
  if (ImGui::IsKeyPressed(find_key("Enter"), false)) {
    add(context.actions, tools_.close_outline(context.session));
  } else if (ImGui::IsKeyPressed(find_key("Escape"), false)) {
    add(context.actions, tools_.cancel());
  }
}

void ViewControls::go_on(const PanelContext& context, const ViewPointer& pointer,
                         const present::Rectangle& picture) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool released = !io.MouseDown[button_];
  moved_ |= ImGui::IsMouseDragging(button_);
  if (drag_ == Drag::tool) {
    if (ImGui::IsKeyPressed(find_key("Escape"), false)) {
      add(context.actions, tools_.cancel());
      drag_ = Drag::none;
      return;
    }
    add(context.actions,
        released ? tools_.end(context.session, pointer) : tools_.drag(context.session, pointer));
  } else {
    move_camera(context, picture);
    if (released && !moved_ && button_ == 0) {
      add(context.actions, tools_.click(context.session, pointer));
    }
  }
  if (released) drag_ = Drag::none;
}

void ViewControls::move_camera(const PanelContext& context, const present::Rectangle& picture) {
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  if (moved.x == 0 && moved.y == 0) return;
  const float degrees = kDegreesPerUnit / context.theme.unit;
  const float right = degrees * moved.x, down = degrees * moved.y;
  if (drag_ == Drag::orbit) context.actions.add("camera orbit", right, down);
  if (drag_ == Drag::look) context.actions.add("camera look", right, -down);
  if (drag_ == Drag::pan) {
    context.actions.add("camera pan", moved.x / static_cast<float>(std::max(1, picture.width)),
                        moved.y / static_cast<float>(std::max(1, picture.height)));
  }
}

bool ViewControls::takes(const Chord& chord) const {
  if (!flies(chord.key)) return false;
  return flying_ || control_flies_ ||
         std::any_of(flying_keys().begin(), flying_keys().end(), [&](const FlyingKey& key) {
           const Key other = find_key(key.name);
           return other != chord.key && held(other);
         });
}

void ViewControls::take_keys(const PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  constexpr double kFaster = 4, kSlower = 0.25;
  const bool asked = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  std::array<int, 3> way{};
  if (!io.WantTextInput && !asked) {
    for (const FlyingKey& key : flying_keys()) {
      // Chords such as Ctrl+W do not fly, except if Ctrl was pressed during the flight.
      if (!held(find_key(key.name)) || (io.KeyCtrl && !flying_ && !control_flies_)) continue;
      for (std::size_t i = 0; i < 3; ++i) way[i] += key.way[i];
    }
  }
  flying_ = way != std::array<int, 3>{};
  control_flies_ = io.KeyCtrl && (control_flies_ || flying_);
  const double factor = io.KeyShift ? kFaster : io.KeyAlt || io.KeyCtrl ? kSlower : 1;
  const ActionCall call("camera fly", way[0], way[1], way[2], flying_ ? factor : 1);
  if (call == fly_ || (!flying_ && fly_.action == nullptr)) return;
  context.actions.add(call);
  fly_ = flying_ ? call : ActionCall();
}

}  // namespace mote::gui

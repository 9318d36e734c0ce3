#include "app/gui/shell.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/icons.h"
#include "app/gui/input.h"
#include "app/gui/overlays.h"
#include "app/gui/view_marks.h"
#include "app/gui/widgets.h"
#include "app/viewer/movement/moving.h"
#include "app/viewer/session/action.h"
#include "app/viewer/view/display.h"

namespace mote::gui {
namespace {

/// Lengths in px.
struct Measures {
  float rail, side, drawer, transport, status;
};

/// Panels leave this part of the window to the view.
constexpr float kLeastView = 0.3f;

Measures measures(const PanelContext& context) {
  const Theme& theme = context.theme;
  const ViewerSettings& settings = context.session.settings();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float em = theme.body->FontSize;
  const auto side = std::round(static_cast<float>(settings.panel_width) * em);
  const auto drawer = std::round(static_cast<float>(settings.drawer_height) * em);
  return {.rail = std::round((settings.rail_labels ? 84.0f : 48.0f) * theme.unit),
          .side = std::min(side, std::max(14 * em, (1 - kLeastView) * display.x)),
          .drawer = std::min(drawer, (1 - kLeastView) * display.y),
          .transport = std::round(em + 24 * theme.unit),
          .status = std::round(theme.small->FontSize + 12 * theme.unit)};
}

void place_window(float left, float top, float right, float bottom) {
  ImGui::SetNextWindowPos({left, top});
  ImGui::SetNextWindowSize({std::max(1.0f, right - left), std::max(1.0f, bottom - top)});
}

/// Draws a line between parts of the window, in the current ImGui window.
void divide(ImVec2 from, ImVec2 to) {
  ImGui::GetWindowDrawList()->AddLine(from, to, ImGui::GetColorU32(ImGuiCol_Border, 0.6f));
}

/// A border that is dragged to set a size in text heights; a double click restores the default. In
/// the current ImGui window, from `low` to `high`. `size_px`: the size that the pointer asks for.
void border(const PanelContext& context, const char* setting, ImVec2 low, ImVec2 high,
            float size_px) {
  // A window takes no pointer in its padding otherwise.
  ImGui::PushClipRect(low, high, false);
  ImGui::PushItemFlag(ImGuiItemFlags_NoNav, true);  // the settings panel has the size
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton(setting, {high.x - low.x, high.y - low.y});
  ImGui::PopItemFlag();
  context.places.add(setting, low, high);
  const bool upright = high.y - low.y > high.x - low.x;
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(low, high, ImGui::GetColorU32(context.theme.accent));
  }
  ViewerSettings usual, now = context.session.settings();
  OptionTable defaults, values;
  usual.describe(defaults);
  now.describe(values);
  std::string wanted = option_text(*values.find(setting));
  if (ImGui::IsItemHovered() && double_clicked()) {
    wanted = option_text(*defaults.find(setting));
  } else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 2 * context.theme.unit)) {
    const Option& option = *defaults.find(setting);
    const double heights = static_cast<double>(size_px / context.theme.body->FontSize);
    wanted = fmt::format("{}",
                         std::clamp(std::round(10 * heights) / 10, option.minimum, option.maximum));
  }
  ImGui::PopClipRect();
  if (wanted != option_text(*values.find(setting))) context.actions.add("set", setting, wanted);
}

/// A button of the rail; the open panel is marked by a bar in the accent colour.
void rail_button(const PanelContext& context, const PanelRow& row, bool open) {
  const PanelEntry& entry = row.entry;
  const float unit = context.theme.unit;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const bool named = context.session.settings().rail_labels;
  const ImVec2 size{ImGui::GetContentRegionAvail().x, (named ? 52 : 44) * unit};
  const std::string name(entry.name);
  if (ImGui::InvisibleButton(name.c_str(), size)) context.actions.add("panel", entry.name);
  const bool hovered = ImGui::IsItemHovered();
  context.places.add(entry.title);
  tooltip(context, fmt::format("{}: {}", entry.title, entry.help));
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (open) {
    draw->AddRectFilled(corner, {corner.x + 3 * unit, corner.y + size.y},
                        ImGui::GetColorU32(context.theme.accent));
  }
  const float icon_px = std::round(1.25f * ImGui::GetFontSize());
  const ImVec2 icon_size = context.theme.body->CalcTextSizeA(icon_px, size.x, 0, row.icon);
  const ImVec4& color = open      ? context.theme.accent
                        : hovered ? ImGui::GetStyleColorVec4(ImGuiCol_Text)
                                  : context.theme.faint;
  draw->AddText(context.theme.body, icon_px,
                {std::round(corner.x + 0.5f * (size.x - icon_size.x)),
                 std::round(corner.y + (named ? 0.36f : 0.5f) * (size.y - icon_size.y))},
                ImGui::GetColorU32(color), row.icon);
  if (!named) return;
  ImFont* font = context.theme.small;
  const std::string title(entry.title);
  const ImVec2 title_size = font->CalcTextSizeA(font->FontSize, 1e4f, 0, title.c_str());
  draw->AddText(font, font->FontSize,
                {std::round(corner.x + 0.5f * (size.x - title_size.x)),
                 std::round(corner.y + size.y - title_size.y - 6 * unit)},
                ImGui::GetColorU32(color), title.c_str());
}

/// Whether an impossible action is asked for by its key all the same, so that it says why it is
/// impossible: an edit of a scene under training.
bool explains_itself(const Action& action, const Session& session) {
  const Document* document = session.documents.active();
  return document != nullptr && document->training && action.group == "Edit";
}

}  // namespace

Shell::Shell() {
  for (const PanelRow& row : panel_table()) panels_[&row.entry] = row.make();
}

present::Rectangle Shell::picture(const Session& session) const {
  const PicturePlace place = picture_place(session);
  return {.x = view_.x + place.x,
          .y = view_.y + place.y,
          .width = std::max(1, place.width),
          .height = std::max(1, place.height)};
}

void Shell::draw_rail(const PanelContext& context, float top, float bottom) {
  const float right = measures(context).rail;
  place_window(0, top, right, bottom);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 4 * context.theme.unit});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Begin("rail", nullptr, kFixedPart | ImGuiWindowFlags_NoScrollWithMouse);
  divide({right - 1, top}, {right - 1, bottom});
  for (const PanelPlace place : {PanelPlace::side, PanelPlace::drawer}) {
    if (place == PanelPlace::drawer) ImGui::Dummy({0, 16 * context.theme.unit});
    for (const PanelRow& row : panel_table()) {
      if (row.entry.place != place) continue;
      const WindowState& window = context.session.window;
      rail_button(context, row, window.side == &row.entry || window.drawer == &row.entry);
    }
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void Shell::draw_side(const PanelContext& context, float left, float top, float bottom) {
  const PanelEntry& entry = *context.session.window.side;
  const float right = left + measures(context).side;
  place_window(left, top, right, bottom);
  context.places.add("panel", {left, top}, {right, bottom});
  ImGui::Begin("side", nullptr, kFixedPart | ImGuiWindowFlags_NoScrollWithMouse);
  divide({right - 1, top}, {right - 1, bottom});
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(context.theme.heading);
  ImGui::TextUnformatted(entry.title.data(), entry.title.data() + entry.title.size());
  ImGui::PopFont();
  ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::GetFrameHeight());
  icon_button(context, icons::kClose, {"panel", entry.name}, "Close the panel");
  ImGui::BeginChild(std::string(entry.name).c_str(), {0, 0}, false, kInnerPart);
  panels_.at(&entry)->draw(context);
  ImGui::EndChild();
  border(context, "panel-width", {right - 4 * context.theme.unit, top}, {right, bottom},
         ImGui::GetIO().MousePos.x - left);
  ImGui::End();
}

void Shell::draw_drawer(const PanelContext& context, float left, float top, float bottom) {
  const PanelEntry& shown = *context.session.window.drawer;
  const float right = ImGui::GetIO().DisplaySize.x;
  place_window(left, top, right, bottom);
  context.places.add("drawer", {left, top}, {right, bottom});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      {12 * context.theme.unit, 6 * context.theme.unit});
  ImGui::Begin("drawer", nullptr, kFixedPart | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar();
  divide({left, top}, {right, top});
  for (const PanelRow& row : panel_table()) {
    const PanelEntry& entry = row.entry;
    if (entry.place != PanelPlace::drawer) continue;
    const bool chosen = &entry == &shown;
    ImGui::PushStyleColor(ImGuiCol_Button,
                          chosen ? ImGui::GetStyleColorVec4(ImGuiCol_FrameBg) : ImVec4{0, 0, 0, 0});
    ImGui::PushStyleColor(ImGuiCol_Text,
                          chosen ? ImGui::GetStyleColorVec4(ImGuiCol_Text) : context.theme.faint);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    if (ImGui::Button(std::string(entry.title).c_str()) && !chosen) {
      context.actions.add("panel", entry.name);
    }
    ImGui::PopStyleVar();
    context.places.add(entry.title);
    ImGui::PopStyleColor(2);
    ImGui::SameLine(0, 4 * context.theme.unit);
  }
  ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::GetFrameHeight());
  icon_button(context, icons::kClose, {"panel", shown.name}, "Close the drawer");
  ImGui::BeginChild(std::string(shown.name).c_str(), {0, 0}, false, kInnerPart);
  panels_.at(&shown)->draw(context);
  ImGui::EndChild();
  border(context, "drawer-height", {left, top}, {right, top + 4 * context.theme.unit},
         bottom - ImGui::GetIO().MousePos.y);
  ImGui::End();
}

void Shell::take_keys(const PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool popup = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup);
  if (popup && !dialog_.open() && !question_.open() && pressed({find_key("Escape")})) {
    ImGui::ClosePopupToLevel(0, true);
  }
  if (!io.WantTextInput && !dialog_.open() && !popup) take_shortcuts(context);
  controls_.take_keys(context);
}

void Shell::take_shortcuts(const PanelContext& context) {
  for (const Action& action : actions()) {
    const bool possible = action.possible == nullptr || action.possible(context.session);
    if (!possible && !explains_itself(action, context.session)) continue;
    for (const std::string_view key : {action.key, action.second_key}) {
      if (key.empty()) continue;
      const Chord chord = parse_chord(key);
      if (pressed(chord) && !controls_.takes(chord) && !parts_.uses(chord)) {
        context.actions.add_by_key(action);
      }
    }
  }
  if (context.session.window.help && pressed({find_key("Escape")})) context.actions.add("help");
}

bool Shell::allows(const Session& session, const ActionCall& call) {
  if (question_.allows(session, call)) return true;
  dialog_.give_up();
  return false;
}

float Shell::draw_menus(const PanelContext& context) {
  // Requests of an earlier window do not count.
  const int now = context.session.window.menu_requests;
  const bool opens = menus_opened_.value_or(now) != now;
  menus_opened_ = now;
  const float height = draw_menu_bar(context, opens);
  int& flags = ImGui::GetIO().ConfigFlags;
  const ImGuiContext& gui = *ImGui::GetCurrentContext();
  // Between two menus, none is open.
  const bool in_bar = gui.NavLayer == ImGuiNavLayer_Menu && gui.NavWindow != nullptr &&
                      std::string_view(gui.NavWindow->Name) == "##MainMenuBar";
  if (opens || parts_.active() || dialog_.open() || question_.open()) {
    flags |= ImGuiConfigFlags_NavEnableKeyboard;
  } else if (!in_bar && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup)) {
    flags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  }
  return height;
}

void Shell::draw_marks(const PanelContext& context, const present::Rectangle& shown) const {
  draw_frustum_photographs(context, shown);
  draw_gizmo(context, controls_.tools(), shown);
  if (context.session.window.view_only) return;
  draw_legend_in_view(context, view_);
  draw_pixel_values(context, controls_.tools(), view_);
}

void Shell::draw(const PanelContext& context, const WindowCosts& last) {
  const WindowState& window = context.session.window;
  parts_.update(window);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const Measures lengths = measures(context);
  float left = 0, top = 0, bottom = display.y;
  if (!window.view_only) {
    // The parts that fill the window use its colour and have no rounded corners: software rendering
    // is faster without them.
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, {0, 0, 0, 0});
    ImGui::PushStyleColor(ImGuiCol_MenuBarBg, {0, 0, 0, 0});
    top = draw_menus(context);
    bottom -= lengths.status;
    draw_status_bar(context, bottom, lengths.status);
    draw_rail(context, top, bottom);
    left = lengths.rail;
    if (window.side != nullptr) {
      draw_side(context, left, top, bottom);
      left += lengths.side;
    }
    if (window.drawer != nullptr) {
      const float drawer_top = std::max(top, bottom - lengths.drawer);
      draw_drawer(context, left, drawer_top, bottom);
      bottom = drawer_top;
    }
    if (moving_document(context.session) != nullptr) {
      const float transport_top = std::max(top, bottom - lengths.transport);
      draw_transport(context, {left, transport_top}, {display.x, bottom});
      bottom = transport_top;
    }
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
  }
  view_ = {.x = static_cast<int>(left),
           .y = static_cast<int>(top),
           .width = std::max(1, static_cast<int>(display.x) - static_cast<int>(left)),
           .height = std::max(1, static_cast<int>(bottom) - static_cast<int>(top))};
  if (!window.view_only) {
    draw_tool_bar(context, view_);
    draw_axis_cross(context, view_);
    statistics_.draw(context, view_, last);
    draw_welcome(context, view_);
  }
  notices_.draw(context, view_);
  draw_help(context);
  if (!question_.open() && !dialog_.open()) draw_recovery_offer(context);
  const bool asking = dialog_.open();  // before its answer, which is an action of this frame
  dialog_.draw(context);
  question_.draw(context, asking);
  draw_farewell(context);
  const present::Rectangle shown = picture(context.session);
  context.places.add(
      "view", {static_cast<float>(shown.x), static_cast<float>(shown.y)},
      {static_cast<float>(shown.x + shown.width), static_cast<float>(shown.y + shown.height)});
  controls_.update(context, shown);
  draw_marks(context, shown);
}

}  // namespace mote::gui

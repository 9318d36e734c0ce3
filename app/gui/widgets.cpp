#include "app/gui/widgets.h"

#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/icons.h"
#include "core/progress.h"

namespace mote::gui {

namespace {

std::string help_of(const Action& action) {
  return action.key.empty() ? std::string(action.help)
                            : fmt::format("{}  ({})", action.help, action.key);
}

bool sized_button(const PanelContext& context, std::string_view label, const ActionCall& call,
                  bool enabled, float width) {
  const std::string line = script_line(call);
  ImGui::PushID(line.c_str());  // other buttons of the panel may have the same label
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::Button(std::string(label).c_str(), {width, 0});
  context.places.add(label);
  context.places.add(line);
  ImGui::EndDisabled();
  ImGui::PopID();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    tooltip(context, help_of(*call.action));
  }
  if (clicked) context.actions.add(call);
  return clicked;
}

/// Places a tooltip of this size below the last item, or above it where there is no room, so that
/// it does not cover the item. The tooltip of a large item stays at the pointer.
void place_tooltip(const PanelContext& context, ImVec2 size) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  constexpr float kLarge_em = 4;
  if (high.y - low.y > kLarge_em * ImGui::GetFontSize()) return;
  const float gap = 4 * context.theme.unit;
  const bool below = high.y + gap + size.y <= display.y;
  const float left = std::max(0.0f, std::min(ImGui::GetIO().MousePos.x, display.x - size.x));
  ImGui::SetNextWindowPos({left, below ? high.y + gap : std::max(0.0f, low.y - gap - size.y)});
}

std::string number_text(ImGuiDataType type, const void* value, const char* format) {
  std::array<char, 64> text{};
  ImGui::DataTypeFormatString(text.data(), static_cast<int>(text.size()), type, value, format);
  return text.data();
}

}  // namespace

std::string icon_label(const char* icon, std::string_view text) {
  return fmt::format("{}  {}", icon, text);
}

bool action_button(const PanelContext& context, std::string_view label, const ActionCall& call,
                   bool enabled) {
  return sized_button(context, label, call, enabled, 0);
}

bool wide_action_button(const PanelContext& context, std::string_view label, const ActionCall& call,
                        bool enabled, int share) {
  const float spacing = ImGui::GetStyle().ItemSpacing.x * static_cast<float>(share - 1);
  const float width = (ImGui::GetContentRegionAvail().x - spacing) / static_cast<float>(share);
  return sized_button(context, label, call, enabled, std::max(1.0f, std::floor(width)));
}

bool icon_button(const PanelContext& context, const char* icon, const ActionCall& call,
                 std::string_view help, bool chosen, bool enabled) {
  const float side = ImGui::GetFrameHeight();
  const std::string line = script_line(call);
  ImGui::PushID(line.c_str());
  ImGui::BeginDisabled(!enabled);
  const ImVec4 clear{0, 0, 0, 0};
  ImGui::PushStyleColor(ImGuiCol_Button,
                        chosen ? ImGui::GetStyleColorVec4(ImGuiCol_Header) : clear);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        chosen ? context.theme.accent : ImGui::GetStyleColorVec4(ImGuiCol_Text));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  const bool clicked = ImGui::Button(icon, {side, side});
  context.places.add(help);
  context.places.add(line);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
  ImGui::EndDisabled();
  ImGui::PopID();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    const bool any_key = call.action != nullptr && !call.action->key.empty();
    tooltip(context, any_key ? fmt::format("{}  ({})", help, call.action->key) : std::string(help));
  }
  if (clicked && call.action != nullptr) context.actions.add(call);
  return clicked;
}

bool section(const PanelContext& context, std::string_view title, bool open_at_first) {
  ImGui::Spacing();
  const std::string name(title);
  bool& open = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID(name.c_str()), open_at_first);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(1.0f, ImGui::GetContentRegionAvail().x), ImGui::GetFrameHeight()};
  if (ImGui::InvisibleButton(name.c_str(), size)) open = !open;
  context.places.add(title);
  const ImVec4 mark_color =
      ImGui::IsItemHovered() ? ImGui::GetStyleColorVec4(ImGuiCol_Text) : context.theme.faint;
  const float down = ImGui::GetStyle().FramePadding.y;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->AddText(context.theme.heading, context.theme.heading->FontSize, {corner.x, corner.y + down},
                ImGui::GetColorU32(ImGuiCol_Text), name.c_str());
  const char* mark = open ? icons::kDown : icons::kRight;
  draw->AddText({corner.x + size.x - ImGui::CalcTextSize(mark).x, corner.y + down},
                ImGui::GetColorU32(mark_color), mark);
  return open;
}

void note(const PanelContext& context, std::string_view text) {
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.faint);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

float name_width() {
  constexpr float kNamePart = 0.46f;
  return std::floor(kNamePart * ImGui::GetContentRegionAvail().x);
}

void value_row(const PanelContext& context, std::string_view name, std::string_view value) {
  const float start = ImGui::GetCursorPosX();
  const float width = ImGui::GetContentRegionAvail().x, column = start + name_width();
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.faint);
  ImGui::TextUnformatted(name.data(), name.data() + name.size());
  ImGui::PopStyleColor();
  ImGui::SameLine();
  if (ImGui::GetCursorPosX() < column) ImGui::SetCursorPosX(column);
  short_text(context, value, start + width - ImGui::GetCursorPosX());
}

void tooltip(const PanelContext& context, std::string_view text) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) || text.empty()) return;
  constexpr float kWidth_em = 24;
  const float wrap = kWidth_em * ImGui::GetFontSize();
  const ImVec2 padding{10 * context.theme.unit, 8 * context.theme.unit};
  const ImVec2 words = ImGui::CalcTextSize(text.data(), text.data() + text.size(), false, wrap);
  place_tooltip(context, {words.x + 2 * padding.x, words.y + 2 * padding.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(wrap);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  context.places.add(text);
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void short_text(const PanelContext& context, std::string_view text, float width) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  const ImVec2 size = ImGui::CalcTextSize(begin, end);
  const float shown = std::max(1.0f, std::min(size.x, width));
  // Aligns the text with framed items on the row, as AlignTextToFramePadding() does.
  ImVec2 place = ImGui::GetCursorScreenPos();
  place.y += ImGui::GetCurrentWindow()->DC.CurrLineTextBaseOffset;
  ImGui::Dummy({shown, size.y});
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), place, {place.x + shown, place.y + size.y},
                            place.x + shown, place.x + shown, begin, end, &size);
  if (size.x > width) tooltip(context, text);
}

void empty_state(const PanelContext& context, std::string_view text, std::string_view label,
                 const ActionCall& call) {
  ImGui::Spacing();
  note(context, text);
  if (!label.empty()) action_button(context, label, call);
}

bool slider(const PanelContext& context, const char* id, ImGuiDataType type, void* value,
            const void* low, const void* high, const char* format, ImGuiSliderFlags flags) {
  constexpr float kLeastNumber_em = 3;
  const auto width_of = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
  const float number =
      std::max({width_of(number_text(type, low, format)), width_of(number_text(type, high, format)),
                std::round(kLeastNumber_em * ImGui::GetFontSize())});
  const float whole = ImGui::CalcItemWidth(), gap = 6 * context.theme.unit;
  ImGui::SetNextItemWidth(std::max(1.0f, whole - gap - number));
  // ImGui writes the number over the grab. While it is typed, it has to be there.
  const bool typed = ImGui::TempInputIsActive(ImGui::GetID(id));
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_Text);
  if (!typed) ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0, 0, 0, 0));
  const bool changed =
      ImGui::SliderScalar(id, type, value, low, high, format, flags | ImGuiSliderFlags_AlwaysClamp);
  if (!typed) ImGui::PopStyleColor();
  const std::string text = number_text(type, value, format);
  const ImVec2 corner = ImGui::GetItemRectMin();
  ImGui::GetWindowDrawList()->AddText(
      {std::round(corner.x + whole - width_of(text)), corner.y + ImGui::GetStyle().FramePadding.y},
      color, text.c_str());
  return changed;
}

void progress_bar(const PanelContext& context, double fraction, const std::string& words) {
  constexpr float kHeight_px = 6;
  const float unit = context.theme.unit;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = kHeight_px * unit;
  ImGui::Dummy({width, height});
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const auto part = static_cast<float>(std::clamp(fraction, 0.0, 1.0));
  draw->AddRectFilled(low, {low.x + width, low.y + height}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                      height / 2);
  if (part > 0) {
    draw->AddRectFilled(low, {low.x + std::max(height, part * width), low.y + height},
                        ImGui::GetColorU32(context.theme.accent), height / 2);
  }
  if (!words.empty()) ImGui::TextUnformatted(words.c_str());
}

std::string time_left(double done, double total, double seconds) {
  constexpr double kLeast_s = 1;
  if (!(done > 0 && total > done && seconds > kLeast_s)) return "";
  return short_duration(seconds * (total - done) / done) + " left";
}

}  // namespace mote::gui

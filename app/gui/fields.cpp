#include "app/gui/fields.h"

#include <cctype>
#include <cmath>
#include <limits>
#include <vector>

#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

/// Limits in ImGui's format: null if there are none.
struct Limits {
  explicit Limits(const NumberStyle& style) : style_(style) {}
  const double* low() const { return any() ? &style_.minimum : nullptr; }
  const double* high() const { return any() ? &style_.maximum : nullptr; }

 private:
  bool any() const { return style_.minimum < style_.maximum; }
  const NumberStyle& style_;
};

ImGuiSliderFlags flags_of(const NumberStyle& style) {
  return style.logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None;
}

/// The value's change per pixel of a drag. A logarithmic field changes by the factor exp(speed) a
/// pixel. ImGui's own logarithmic drags divide the speed by the range, so that wide ranges stand
/// still, and treat small values as 0.
double drag_speed(const NumberStyle& style, double value) {
  if (!style.logarithmic) return style.speed;
  const ImGuiIO& io = ImGui::GetIO();
  const double moved_px = io.MouseDelta.x * (io.KeyShift ? 10.0 : io.KeyAlt ? 0.01 : 1.0);
  if (moved_px == 0) return style.speed * value;
  return value * std::expm1(style.speed * moved_px) / moved_px;
}

/// A field that is dragged; its width is the next item's.
bool drag_field(const std::string& id, double& value, const NumberStyle& style) {
  const Limits limits(style);
  const auto speed = static_cast<float>(drag_speed(style, value));
  return ImGui::DragScalar(id.c_str(), ImGuiDataType_Double, &value, speed, limits.low(),
                           limits.high(), style.format, ImGuiSliderFlags_AlwaysClamp);
}

}  // namespace

void field_name(const PanelContext& context, std::string_view name, std::string_view help) {
  const float start = ImGui::GetCursorPosX(), column = start + name_width();
  ImGui::AlignTextToFramePadding();
  short_text(context, name, column - start - 8 * context.theme.unit);
  tooltip(context, help);
  ImGui::SameLine(column);
  ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
}

bool number_row(const PanelContext& context, std::string_view name, std::string_view help,
                double& value, const NumberStyle& style) {
  field_name(context, name, help);
  const bool changed = drag_field(fmt::format("##{}", name), value, style);
  context.places.add(name);
  if (!ImGui::IsItemActive()) tooltip(context, help);
  return changed;
}

bool slider_row(const PanelContext& context, std::string_view name, std::string_view help,
                double& value, const NumberStyle& style) {
  field_name(context, name, help);
  const bool changed =
      slider(context, fmt::format("##{}", name).c_str(), ImGuiDataType_Double, &value,
             &style.minimum, &style.maximum, style.format, flags_of(style));
  context.places.add(name);
  if (!ImGui::IsItemActive()) tooltip(context, help);
  return changed;
}

bool vector_row(const PanelContext& context, std::string_view name, std::string_view help,
                glm::dvec3& value, const NumberStyle& style) {
  note(context, name);
  tooltip(context, help);
  const float gap = 4 * context.theme.unit;
  const float width = std::floor((ImGui::GetContentRegionAvail().x - 2 * gap) / 3);
  bool changed = false;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) ImGui::SameLine(0, gap);
    ImGui::SetNextItemWidth(i < 2 ? width : -std::numeric_limits<float>::min());
    changed |= drag_field(fmt::format("##{}{}", name, i), value[i], style);
    context.places.add(fmt::format("{} {}", name, "xyz"[i]));
  }
  return changed;
}

int choice_row(const PanelContext& context, std::string_view id,
               std::span<const std::string_view> labels, int chosen) {
  const float gap = 4 * context.theme.unit, count = static_cast<float>(labels.size());
  const float width = std::floor((ImGui::GetContentRegionAvail().x - (count - 1) * gap) / count);
  int clicked = -1;
  ImGui::PushID(id.data(), id.data() + id.size());
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, ImGui::GetStyle().FramePadding.y});
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    if (i > 0) ImGui::SameLine(0, gap);
    const bool on = i == chosen;
    const ImVec4 color = ImGui::GetStyleColorVec4(on ? ImGuiCol_Header : ImGuiCol_Button);
    ImGui::PushStyleColor(ImGuiCol_Button, color);
    ImGui::PushStyleColor(ImGuiCol_Text,
                          on ? context.theme.accent : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    const std::string label(labels[static_cast<std::size_t>(i)]);
    if (ImGui::Button(label.c_str(), {width, 0})) clicked = i;
    context.places.add(label);
    ImGui::PopStyleColor(2);
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return clicked;
}

void action_choice_row(const PanelContext& context, std::string_view action,
                       std::span<const std::string_view> values, int chosen) {
  std::vector<std::string> capitals;
  for (const std::string_view value : values) capitals.push_back(capital(value));
  const std::vector<std::string_view> labels(capitals.begin(), capitals.end());
  const int clicked = choice_row(context, action, labels, chosen);
  if (clicked >= 0) context.actions.add(action, values[static_cast<std::size_t>(clicked)]);
}

bool choice_button(const PanelContext& context, const char* label, bool chosen, float width) {
  ImGui::PushStyleColor(ImGuiCol_Button,
                        ImGui::GetStyleColorVec4(chosen ? ImGuiCol_Header : ImGuiCol_Button));
  ImGui::PushStyleColor(ImGuiCol_Text,
                        chosen ? context.theme.accent : ImGui::GetStyleColorVec4(ImGuiCol_Text));
  const bool clicked = ImGui::Button(label, {width, 0});
  context.places.add(label);
  ImGui::PopStyleColor(2);
  return clicked;
}

float choice_width(const PanelContext& context, std::size_t count) {
  const auto number = static_cast<float>(count);
  return (ImGui::GetContentRegionAvail().x - (number - 1) * choice_gap(context)) / number;
}

float choice_gap(const PanelContext& context) {
  return 2 * context.theme.unit;
}

void setting_rows(const PanelContext& context, std::span<const std::string_view> names) {
  ViewerSettings usual, now = context.session.settings();
  OptionTable defaults, values;
  usual.describe(defaults);
  now.describe(values);
  for (const std::string_view name : names) {
    const Option* option = defaults.find(name);
    const Option* value = values.find(name);
    if (option == nullptr || value == nullptr) continue;
    std::string text = option_text(*value);
    if (option_row(context, *option, text)) context.actions.add("set", name, text);
  }
}

bool list_row(const PanelContext& context, std::string_view id, bool chosen, float width) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size{width, ImGui::GetFrameHeight()};
  const bool clicked = ImGui::InvisibleButton(std::string(id).c_str(), size);
  context.places.add(id);
  const bool hovered = ImGui::IsItemHovered();
  if (chosen || hovered) {
    ImGui::GetWindowDrawList()->AddRectFilled(
        corner, {corner.x + size.x, corner.y + size.y},
        ImGui::GetColorU32(chosen ? ImGuiCol_Header : ImGuiCol_HeaderHovered),
        4 * context.theme.unit);
  }
  return clicked;
}

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, 1, ',');
  return text;
}

std::string capital(std::string_view text) {
  std::string result(text);
  if (!result.empty()) {
    result[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(result[0])));
  }
  return result;
}

std::string mode_title(const RenderMode& mode) {
  return mode.name == "color" ? "Colour" : capital(mode.name);
}

}  // namespace mote::gui

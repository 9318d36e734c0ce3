// The row of one option: a widget for its type and range.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <variant>

#include "app/gui/icons.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

/// Whether set_option() accepts the text; restores the option afterwards.
bool takes(const Option& option, const std::string& text) {
  return std::visit(
      [&](auto* target) {
        const auto before = *target;
        bool taken = true;
        try {
          set_option(option, text);
        } catch (const UsageError&) {
          taken = false;
        }
        *target = before;
        return taken;
      },
      option.target);
}

template <class T>
bool is_of(const Option& option) {
  return std::holds_alternative<T*>(option.target);
}

double number_in(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Whether a slider can set every useful value: the range is short, and the default is at an end or
/// clearly away from both.
bool suits_slider(const Option& option) {
  constexpr double kLongest = 100, kNearEnd = 0.01;
  const double range = option.maximum - option.minimum;
  if (!(range > 0 && range <= kLongest)) return false;
  const double place = (number_in(option_text(option)) - option.minimum) / range;
  return place == 0 || place == 1 || (place >= kNearEnd && place <= 1 - kNearEnd);
}

bool is_color(const Option& option) {
  return is_of<std::vector<double>>(option) && option.length == 3 && option.minimum == 0 &&
         option.maximum == 1;
}

bool checkbox(std::string& text) {
  bool value = text == "true";
  if (!ImGui::Checkbox("##value", &value)) return false;
  text = value ? "true" : "false";
  return true;
}

bool combo(const PanelContext& context, const Option& option, std::string& text) {
  bool changed = false;
  if (!ImGui::BeginCombo("##value", text.c_str())) return false;
  for (const std::string& choice : option.choices) {
    if (ImGui::Selectable(choice.c_str(), choice == text)) {
      changed = choice != text;
      text = choice;
    }
    context.places.add(choice);
  }
  ImGui::EndCombo();
  return changed;
}

/// The value for the user: a word where 0 has one.
std::string shown_value(const Option& option, const std::string& text) {
  return text == "0" && !option.zero.empty() ? option.zero : text;
}

/// A format of ImGui for a number with its unit, or the word that stands for 0.
std::string slider_format(const Option& option, const char* number, bool is_zero) {
  if (is_zero && !option.zero.empty()) return option.zero;
  // A unit's % would be a directive.
  return number + (option.unit.empty() || option.unit == "%" ? "" : " " + option.unit);
}

bool option_slider(const PanelContext& context, const Option& option, std::string& text) {
  if (is_of<int>(option)) {
    int value = static_cast<int>(std::lround(number_in(text)));
    const int low = static_cast<int>(option.minimum), high = static_cast<int>(option.maximum);
    if (!slider(context, "##value", ImGuiDataType_S32, &value, &low, &high,
                slider_format(option, "%d", value == 0).c_str())) {
      return false;
    }
    text = std::to_string(value);
    return true;
  }
  double value = number_in(text);
  if (!slider(context, "##value", ImGuiDataType_Double, &value, &option.minimum, &option.maximum,
              slider_format(option, "%.3g", value == 0).c_str())) {
    return false;
  }
  text = fmt::format("{:.3g}", value);
  return true;
}

bool color_field(std::string& text) {
  std::array<float, 3> color{};
  const char* at = text.data();
  const char* end = at + text.size();
  for (float& channel : color) {
    at = std::from_chars(at, end, channel).ptr;
    if (at != end) ++at;  // the comma
  }
  // Three separate numbers would not fit.
  constexpr ImGuiColorEditFlags kHex = ImGuiColorEditFlags_DisplayHex | ImGuiColorEditFlags_Float;
  if (!ImGui::ColorEdit3("##value", color.data(), kHex)) return false;
  text = fmt::format("{:.3g},{:.3g},{:.3g}", color[0], color[1], color[2]);
  return true;
}

/// Draws the unit in the field, at its right end.
void draw_unit(const PanelContext& context, const std::string& unit) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const ImVec2 size = ImGui::CalcTextSize(unit.c_str());
  const ImVec2 padding = ImGui::GetStyle().FramePadding;
  ImGui::GetWindowDrawList()->AddText({high.x - size.x - padding.x, low.y + padding.y},
                                      ImGui::GetColorU32(context.theme.faint), unit.c_str());
}

/// A text field; its frame changes colour while the text is not a valid value.
bool field(const PanelContext& context, const Option& option, std::string& text) {
  std::string typed = shown_value(option, text);
  // A word is replaced as a whole.
  const ImGuiInputTextFlags flags =
      typed == text ? ImGuiInputTextFlags_None : ImGuiInputTextFlags_AutoSelectAll;
  const bool edited =
      ImGui::InputTextWithHint("##value", option.placeholder.c_str(), &typed, flags);
  if (!option.zero.empty() && typed == option.zero) typed = "0";
  const bool right = takes(option, typed);
  if (!right) {
    ImGui::GetWindowDrawList()->AddRect(
        ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), ImGui::GetColorU32(context.theme.bad),
        ImGui::GetStyle().FrameRounding, 0, 1.5f * context.theme.unit);
  }
  const bool is_word = typed == "0" && !option.zero.empty();
  if (!option.unit.empty() && !is_word) draw_unit(context, option.unit);
  if (!edited || !right) return false;
  text = typed;
  return true;
}

bool widget(const PanelContext& context, const Option& option, std::string& text) {
  if (is_of<bool>(option)) return checkbox(text);
  if (is_of<std::string>(option) && !option.choices.empty()) return combo(context, option, text);
  const bool number = is_of<int>(option) || is_of<double>(option);
  if (number && suits_slider(option)) return option_slider(context, option, text);
  if (is_color(option)) return color_field(text);
  return field(context, option, text);
}

/// Tooltip of the last item.
void explain(const PanelContext& context, const Option& option, const std::string& usual) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  std::string help = option.help;
  if (!help.empty()) help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
  help += fmt::format(".\n\nDefault: {}", usual.empty() ? "none" : shown_value(option, usual));
  const std::string allowed = allowed_values(option);
  if (!allowed.empty()) help += "\nAllowed: " + allowed;
  tooltip(context, help);
}

/// A mark before a changed value; a click resets the value.
bool reset_mark(const PanelContext& context, bool changed, float width) {
  const float height = ImGui::GetFrameHeight();
  if (!changed) {
    ImGui::Dummy({width, height});
    return false;
  }
  const bool clicked = ImGui::InvisibleButton("##reset", {width, height});
  const bool hovered = ImGui::IsItemHovered();
  tooltip(context, "Changed. Click to go back to the default.");
  const ImVec2 low = ImGui::GetItemRectMin();
  const ImU32 color = ImGui::GetColorU32(context.theme.accent);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  if (hovered) {
    ImGui::PushFont(context.theme.small);
    const ImVec2 size = ImGui::CalcTextSize(icons::kUndo);
    draw->AddText({low.x, low.y + (height - size.y) / 2}, color, icons::kUndo);
    ImGui::PopFont();
  } else {
    draw->AddCircleFilled({low.x + width / 2 - 2 * context.theme.unit, low.y + height / 2},
                          2.5f * context.theme.unit, color);
  }
  return clicked;
}

}  // namespace

std::string option_title(std::string_view name) {
  struct Title {
    std::string_view name, title;
  };
  // Full words where the name has less.
  static constexpr Title kTitles[] = {{"aabb-scale", "Cube side"},
                                      {"absgrad", "Absolute gradients"},
                                      {"backdrop-color", "Backdrop colour"},
                                      {"camera-color", "Camera colour"},
                                      {"eval", "Evaluation"},
                                      {"eval-pictures", "Evaluation pictures"},
                                      {"eval-steps", "Evaluation steps"},
                                      {"init", "Initial splats"},
                                      {"init-count", "Initial number"},
                                      {"init-opacity", "Initial opacity"},
                                      {"init-scale", "Initial scale"},
                                      {"opacity-reg", "Opacity penalty"},
                                      {"opacity-reset-every", "Opacity reset"},
                                      {"pose-opt", "Pose correction"},
                                      {"scale-reg", "Scale penalty"},
                                      {"sh-every", "SH degree interval"},
                                      {"surface-color", "Surface colour"}};
  constexpr std::array<std::string_view, 6> kAcronyms{"sh", "ssim", "fps", "isa", "gpu", "cpu"};
  const auto* known = std::ranges::find(kTitles, name, &Title::name);
  if (known != std::end(kTitles)) return std::string(known->title);
  std::string title;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('-', start), name.size());
    std::string word(name.substr(start, end - start));
    if (word == "lr") word = "rate";
    const bool acronym = std::find(kAcronyms.begin(), kAcronyms.end(), word) != kAcronyms.end();
    const std::size_t capitals = acronym ? word.size() : title.empty() ? 1 : 0;
    for (std::size_t i = 0; i < std::min(capitals, word.size()); ++i) {
      word[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[i])));
    }
    title += (title.empty() ? "" : " ") + word;
    start = end + 1;
  }
  return title;
}

bool option_row(const PanelContext& context, const Option& option, std::string& text) {
  constexpr float kMark_px = 14;
  const std::string usual = option_text(option);
  const float start = ImGui::GetCursorPosX(), column = start + name_width();
  const float mark = kMark_px * context.theme.unit, top = ImGui::GetCursorPosY();
  ImGui::PushID(option.name.c_str());
  bool changed = false;
  ImGui::AlignTextToFramePadding();
  // An absent mark leaves its place to the name.
  const float gap = text != usual ? mark : 4 * context.theme.unit;
  short_text(context, option_title(option.name), column - start - gap);
  explain(context, option, usual);
  // Drawn before the widget, so that names align with those of other rows.
  ImGui::SameLine(column - mark);
  ImGui::SetCursorPosY(top);
  if (reset_mark(context, text != usual, mark)) {
    text = usual;
    changed = true;
  }
  ImGui::SameLine(column);
  ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
  changed |= widget(context, option, text);
  context.places.add(option_title(option.name));
  if (!ImGui::IsItemActive()) explain(context, option, usual);
  ImGui::PopID();
  return changed;
}

}  // namespace mote::gui

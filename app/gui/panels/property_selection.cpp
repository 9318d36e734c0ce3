#include "app/gui/panels/property_selection.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/fields.h"
#include "app/gui/widgets.h"
#include "app/viewer/view/view_tools.h"

namespace mote::gui {
namespace {

float height_of(std::uint64_t count, std::uint64_t most) {
  // Roots, so that small counts beside large ones are seen.
  return most == 0 ? 0
                   : static_cast<float>(
                         std::sqrt(static_cast<double>(count) / static_cast<double>(most)));
}

}  // namespace

void PropertySelection::draw(const PanelContext& context, const Document& document) {
  const bool has_lives = moves(document);
  if (property_ == SplatProperty::life && !has_lives) property_ = SplatProperty::opacity;
  choose_property(context, has_lives);
  keep_counted(context, document);
  const auto& counts = context.session.histogram;
  if (!counts || counts->document != document.id || counts->property != property_) {
    note(context, "Counting ...");
    return;
  }
  draw_histogram(context, *counts);
  draw_range(context, *counts);
}

void PropertySelection::choose_property(const PanelContext& context, bool has_lives) {
  field_name(context, "Property", "The number by which splats are counted and selected");
  const PropertyInfo& chosen = info_of(property_);
  const bool open = ImGui::BeginCombo("##property", capital(chosen.name).c_str());
  context.places.add("Property");
  if (!open) {
    tooltip(context, capital(chosen.help));
    return;
  }
  for (const PropertyInfo& info : kSplatProperties) {
    if (info.property == SplatProperty::life && !has_lives) continue;
    if (ImGui::Selectable(capital(info.name).c_str(), info.property == property_) &&
        info.property != property_) {
      property_ = info.property;
      range_.reset();
    }
    context.places.add(capital(info.name));
    tooltip(context, capital(info.help));
  }
  ImGui::EndCombo();
}

/// Asks for new counts if the splats, the selection or the property are others than those counted;
/// depths also follow the view once it is still.
void PropertySelection::keep_counted(const PanelContext& context, const Document& document) {
  const Session& session = context.session;
  const auto& counts = session.histogram;
  const bool current =
      counts && counts->document == document.id && counts->revision == document.revision &&
      counts->selection == document.edit.selection_number && counts->property == property_;
  const bool moved =
      property_ == SplatProperty::depth && session.still && session.last_request != asked_of_;
  if ((current && !moved) || session.editing) return;
  asked_of_ = session.last_request;
  context.actions.add("select histogram", info_of(property_).name);
}

void PropertySelection::draw_histogram(const PanelContext& context,
                                       const SelectionHistogram& counts) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(1.0f, ImGui::GetContentRegionAvail().x),
                    std::round(6 * ImGui::GetFontSize())};
  ImGui::InvisibleButton("histogram", size);
  context.places.add("histogram");
  follow_drag(context, counts, corner.x, size.x);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 end{corner.x + size.x, corner.y + size.y};
  draw->AddRectFilled(corner, end, ImGui::GetColorU32(ImGuiCol_FrameBg));
  if (range_) {
    const float from = static_cast<float>(counts.shown.fraction_of(range_->first)) * size.x,
                to = static_cast<float>(counts.shown.fraction_of(range_->second)) * size.x;
    draw->AddRectFilled({corner.x + from, corner.y}, {corner.x + std::max(to, from + 1), end.y},
                        ImGui::GetColorU32(ImGuiCol_Header));
  }
  const std::vector<std::uint64_t>& bins = counts.shown.counts;
  const std::uint64_t most = *std::ranges::max_element(bins);
  const float width = size.x / static_cast<float>(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const float left = corner.x + width * static_cast<float>(i);
    const auto bar = [&](std::uint64_t count, const ImVec4& color) {
      if (count == 0) return;
      const float height = std::max(1.0f, height_of(count, most) * size.y);
      draw->AddRectFilled({left, end.y - height}, {left + std::max(1.0f, width - 1), end.y},
                          ImGui::GetColorU32(color));
    };
    bar(bins[i], context.theme.faint);
    bar(counts.selected.counts[i], context.theme.accent);
  }
  if (!ImGui::IsItemActive() && ImGui::IsItemHovered()) {
    const float at = (ImGui::GetIO().MousePos.x - corner.x) / size.x;
    tooltip(context, fmt::format("{:.4g}. Drag to select a range; Shift adds, Ctrl subtracts.",
                                 counts.shown.value_at(static_cast<double>(at))));
  }
}

void PropertySelection::follow_drag(const PanelContext& context, const SelectionHistogram& counts,
                                    float left, float width) {
  const ImGuiIO& io = ImGui::GetIO();
  const double at = std::clamp(static_cast<double>((io.MousePos.x - left) / width), 0.0, 1.0);
  if (ImGui::IsItemActivated()) grabbed_ = at;
  if (ImGui::IsItemActive()) {
    range_ = {counts.shown.value_at(std::min(grabbed_, at)),
              counts.shown.value_at(std::max(grabbed_, at))};
  }
  if (ImGui::IsItemDeactivated()) {
    select(context, selection_word({.shift = io.KeyShift, .control = io.KeyCtrl}));
  }
}

/// The range in numbers, and buttons, for work without a mouse.
void PropertySelection::draw_range(const PanelContext& context, const SelectionHistogram& counts) {
  std::pair<double, double> range = range_.value_or(std::pair(counts.shown.low, counts.shown.high));
  const NumberStyle style{
      .speed = counts.shown.logarithmic ? 0.01 : 0.002 * (counts.shown.high - counts.shown.low),
      .logarithmic = counts.shown.logarithmic};
  const bool low = number_row(context, "Low", "Lower end of the range", range.first, style);
  const bool high = number_row(context, "High", "Upper end of the range", range.second, style);
  if (low || high) range_ = range;
  constexpr std::pair<const char*, const char*> kButtons[] = {
      {"Select", "replace"}, {"Add", "add"}, {"Subtract", "subtract"}};
  int share = 3;
  for (const auto& [label, how] : kButtons) {
    wide_action_button(context, label,
                       {"select range", info_of(property_).name, range.first, range.second, how},
                       true, share--);
    if (share > 0) ImGui::SameLine();
  }
}

void PropertySelection::select(const PanelContext& context, std::string_view how) const {
  if (!range_) return;
  context.actions.add("select range", info_of(property_).name, range_->first, range_->second, how);
}

}  // namespace mote::gui

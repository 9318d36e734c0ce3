#include "app/gui/places.h"

#include <imgui_internal.h>

#include <utility>

namespace mote::gui {
namespace {

/// Icons are in Unicode's private use area, U+E000 to U+F8FF; their UTF-8 starts with 0xEE or 0xEF.
bool begins_icon(std::string_view text) {
  return text.size() >= 3 && (text[0] == '\xEE' || (text[0] == '\xEF' && text[1] <= '\xA3'));
}

std::string_view name_of(std::string_view label) {
  label = label.substr(0, label.find("##"));
  while (!label.empty() && (label.front() == ' ' || begins_icon(label))) {
    label.remove_prefix(label.front() == ' ' ? 1 : 3);
  }
  return label;
}

}  // namespace

void Places::begin_frame(bool wanted) {
  wanted_ = wanted;
  list_.clear();
}

void Places::add(std::string_view label) {
  if (!wanted_) return;
  ImRect seen(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  seen.ClipWith(ImGui::GetCurrentWindowRead()->ClipRect);
  const std::size_t before = list_.size();
  add(name_of(label), seen.Min, seen.Max);
  if (list_.size() == before) return;
  const ImGuiContext& gui = *ImGui::GetCurrentContext();
  const ImGuiLastItemData& item = gui.LastItemData;
  list_.back().control =
      item.ID != 0 && (item.InFlags & (ImGuiItemFlags_Disabled | ImGuiItemFlags_NoNav)) == 0;
  list_.back().focused = item.ID != 0 && gui.NavId == item.ID && !gui.NavDisableHighlight;
}

void Places::add(std::string_view name, ImVec2 low, ImVec2 high) {
  if (!wanted_ || name.empty() || !(low.x < high.x && low.y < high.y)) return;
  list_.push_back({std::string(name), low.x, low.y, high.x - low.x, high.y - low.y});
}

std::vector<NamedPlace> Places::take() {
  return std::exchange(list_, {});
}

}  // namespace mote::gui

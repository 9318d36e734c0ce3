#include "app/gui/panels/train_form.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "app/gui/fields.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

constexpr std::array<std::string_view, 6> kFirst{"strategy",   "max-splats", "sh-degree",
                                                 "background", "exposure",   "antialiased"};
/// Options with their own widgets in the panel, and options of the device, which is already
/// running.
constexpr std::array<std::string_view, 5> kAskedElsewhere{"data", "steps", "time-budget", "threads",
                                                          "isa"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct Length {
  const char* label;
  const char* budget;  // value of time-budget; empty: limited by steps
  const char* help;
};
constexpr Length kLengths[] = {
    {"2 min", "2m", "A first look"},
    {"10 min", "10m", "Good for most scenes"},
    {"1 h", "1h", "The best result of this machine within an hour"},
    {"Steps", "", "A fixed number of steps; 30,000 is common"},
};

}  // namespace

TrainForm::TrainForm() {
  config_.describe(table_);
}

void TrainForm::draw(const PanelContext& context) {
  draw_length(context);
  ImGui::Spacing();
  for (const std::string_view name : kFirst) row(context, *table_.find(name));
  if (!section(context, "More options", false)) return;
  ImGui::SetNextItemWidth(-std::numeric_limits<float>::min());
  ImGui::InputTextWithHint("##search", "Search", &search_);
  context.places.add("Search");
  std::vector<std::string> groups;
  for (const Option& option : table_.options()) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  for (const std::string& group : groups) draw_group(context, group);
}

void TrainForm::draw_length(const PanelContext& context) {
  const float width = choice_width(context, std::size(kLengths));
  for (const Length& length : kLengths) {
    if (&length != std::begin(kLengths)) ImGui::SameLine(0, choice_gap(context));
    if (choice_button(context, length.label, budget_ == length.budget, width)) {
      budget_ = length.budget;
    }
    tooltip(context, length.help);
  }
  if (budget_.empty()) row(context, *table_.find("steps"));
}

bool TrainForm::found(const Option& option) const {
  if (is_among(kFirst, option.name) || is_among(kAskedElsewhere, option.name)) return false;
  const ImGuiTextFilter filter(search_.c_str());
  return filter.PassFilter(option_title(option.name).c_str()) ||
         filter.PassFilter(option.help.c_str());
}

void TrainForm::draw_group(const PanelContext& context, const std::string& group) {
  bool any = false;
  for (const Option& option : table_.options()) {
    if (option.group != group || !found(option)) continue;
    if (!any) {
      ImGui::Spacing();
      note(context, group == "Options" ? "Training" : group);
    }
    any = true;
    row(context, option);
  }
}

void TrainForm::row(const PanelContext& context, const Option& option) {
  const std::string usual = option_text(option);
  const auto chosen = chosen_.find(option.name);
  std::string text = chosen == chosen_.end() ? usual : chosen->second;
  if (!option_row(context, option, text)) return;
  if (text == usual) {
    chosen_.erase(option.name);
  } else {
    chosen_[option.name] = text;
  }
}

std::vector<std::string> TrainForm::words() const {
  std::vector<std::string> words;
  if (!budget_.empty()) words.push_back("time-budget=" + budget_);
  for (const auto& [name, text] : chosen_) {
    if (name == "steps" && !budget_.empty()) continue;
    words.push_back(fmt::format("{}={}", name, text));
  }
  return words;
}

}  // namespace mote::gui

#include "app/gui/panels/train_form.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "app/gui/fields.h"
#include "app/gui/widgets.h"
#include "app/jobs/idle_options.h"
#include "train/fields/field_plan.h"

namespace mote::gui {
namespace {

constexpr std::array<std::string_view, 9> kFirst{"strategy",   "max-splats", "sh-degree",
                                                 "encoding",   "batch",      "aabb-scale",
                                                 "background", "exposure",   "antialiased"};
/// Options of both parts of the panel that only photographs need.
constexpr std::array<std::string_view, 8> kOfPhotographs{
    "aabb-scale", "background",          "exposure",        "pose-opt", "exposure-lr",
    "pose-lr",    "resolution-schedule", "resolution-until"};
/// Options with their own widgets in the panel, and options of the device, which is already
/// running.
constexpr std::array<std::string_view, 6> kAskedElsewhere{"data",        "model",   "steps",
                                                          "time-budget", "threads", "isa"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
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
  of_others_ = options_of_others(model());
}

std::string_view field_title(FieldApplication application) {
  constexpr std::array<std::string_view, 4> kTitles{"NeRF", "Signed distance field", "Neural image",
                                                    "Neural volume"};
  return kTitles[static_cast<std::size_t>(application)];
}

const ModelEntry& TrainForm::model() const {
  return target_ ? field_model(*target_) : *find_model(of_photographs_);
}

void TrainForm::choose_target(FieldApplication application) {
  if (target_ == application) return;
  target_ = application;
  of_others_ = options_of_others(model());
}

void TrainForm::choose_photographs() {
  if (!target_) return;
  target_.reset();
  of_others_ = options_of_others(model());
}

void TrainForm::draw(const PanelContext& context) {
  if (!target_) draw_model(context);
  draw_length(context);
  ImGui::Spacing();
  for (const std::string_view name : kFirst) {
    if (of_others_.contains(std::string(name)) || (target_ && is_among(kOfPhotographs, name))) {
      continue;
    }
    row(context, *table_.find(name));
  }
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

void TrainForm::draw_model(const PanelContext& context) {
  struct Choice {
    const char* label;
    std::string_view model;
    const char* help;
  };
  static constexpr Choice kChoices[] = {
      {"Splats", "splats", "3D Gaussian splats: drawn fast, can be edited"},
      {"NeRF", "nerf", "A neural radiance field: small files, slow to draw on a processor"},
  };
  const float width = choice_width(context, std::size(kChoices));
  for (const Choice& choice : kChoices) {
    if (&choice != std::begin(kChoices)) ImGui::SameLine(0, choice_gap(context));
    if (choice_button(context, choice.label, of_photographs_ == choice.model, width)) {
      of_photographs_ = choice.model;
      of_others_ = options_of_others(model());
    }
    tooltip(context, choice.help);
  }
  ImGui::Spacing();
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
  if (of_others_.contains(option.name) || is_among(kFirst, option.name) ||
      is_among(kAskedElsewhere, option.name) ||
      (target_ && is_among(kOfPhotographs, option.name))) {
    return false;
  }
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
  if (!target_ && of_photographs_ != "splats") {
    words.push_back(fmt::format("model={}", of_photographs_));
  }
  for (const auto& [name, text] : chosen_) {
    if (of_others_.contains(name) || (target_ && is_among(kOfPhotographs, name))) continue;
    if (name == "steps" && !budget_.empty()) continue;
    words.push_back(fmt::format("{}={}", name, text));
  }
  return words;
}

}  // namespace mote::gui

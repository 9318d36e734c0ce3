// The import panel: makes a dataset of photographs without poses.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <limits>
#include <string>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"
#include "app/viewer/workers/seconds.h"

namespace mote::gui {
namespace {

constexpr std::array<std::string_view, 6> kMain{"matcher",    "camera-model",   "single-camera",
                                                "subfolders", "max-image-size", "max-features"};
constexpr std::array<std::string_view, 2> kPrograms{"colmap", "threads"};

class ImportPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const PhotographImport& chosen = context.session.photo_import;
    if (context.session.import_task.busy()) {
      draw_progress(context, chosen);
      return;
    }
    if (!chosen.fault.empty()) draw_fault(context, chosen.fault);
    if (chosen.photos.empty()) {
      empty_state(context,
                  "Photographs of one scene that share most of their content, or a video. COLMAP "
                  "finds where each was taken; the result is a dataset for training.",
                  icon_label(icons::kFolderOpen, "Choose photographs ..."), "import photographs");
      return;
    }
    draw_choice(context, chosen);
    draw_options(context, chosen);
  }

 private:
  static void draw_progress(const PanelContext& context, const PhotographImport& chosen) {
    const LongTaskStatus task = context.session.import_task.status();
    const ImportStatus status = chosen.progress->status();
    ImGui::PushFont(context.theme.heading);
    short_text(context, chosen.photos.filename().string(), ImGui::GetContentRegionAvail().x);
    ImGui::PopFont();
    const double fraction = status.total > 0 ? status.done / status.total : 0;
    std::string words = task.cancelling       ? "Stopping"
                        : status.step.empty() ? "Reading photographs"
                                              : capital(status.step);
    if (!task.cancelling && status.total > 0) {
      words += fmt::format(", {:.0f} of {:.0f}", status.done, status.total);
    }
    progress_bar(context, fraction, words);
    const std::string left = time_left(status.done, status.total, now_s() - status.step_started_s);
    note(context, left.empty() ? std::string("Some steps take minutes.") : "This step: " + left);
    ImGui::Spacing();
    wide_action_button(context, icon_label(icons::kStop, "Cancel"), "import cancel",
                       !task.cancelling);
    ImGui::Spacing();
    ImGui::PushFont(context.theme.small);
    for (const std::string& line : status.lines) {
      ImGui::PushStyleColor(ImGuiCol_Text, context.theme.faint);
      short_text(context, line, ImGui::GetContentRegionAvail().x);
      ImGui::PopStyleColor();
      context.places.add(line);
    }
    ImGui::PopFont();
    ImGui::Spacing();
    wide_action_button(context, icon_label(icons::kLog, "Log"), {"panel", "log", "on"});
  }

  static void draw_fault(const PanelContext& context, const std::string& fault) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.theme.bad);
    ImGui::TextWrapped("%s", fault.c_str());
    ImGui::PopStyleColor();
    context.places.add(fault);
    ImGui::Spacing();
  }

  void draw_choice(const PanelContext& context, const PhotographImport& chosen) {
    ImGui::PushFont(context.theme.heading);
    short_text(context, chosen.photos.filename().string(), ImGui::GetContentRegionAvail().x);
    ImGui::PopFont();
    tooltip(context, chosen.photos.string());
    const auto& outlook = chosen.outlook;
    const bool known = outlook && outlook->photographs > 0;
    if (outlook && outlook->videos > 0) {
      value_row(context, "Videos", with_commas(outlook->videos));
    } else if (chosen.is_of_video()) {
      value_row(context, "Photographs", "frames of the video");
    } else {
      value_row(context, "Photographs", known ? with_commas(outlook->photographs) : "...");
    }
    draw_place(context, chosen);
    ImGui::Spacing();
    if (outlook && !outlook->fault.empty() && outlook->fault != chosen.fault) {
      draw_fault(context, outlook->fault);
    }
    const bool replaces = outlook && outlook->replaces;
    if (replaces && outlook->fault.empty()) {
      note(context, "The folder is not empty. An earlier import in it will be replaced.");
    }
    wide_action_button(context,
                       icon_label(icons::kPlay, replaces ? "Import and replace" : "Import"),
                       "import start", outlook && outlook->fault.empty());
    wide_action_button(context, icon_label(icons::kFolderOpen, "Choose others ..."),
                       "import photographs");
    ImGui::Spacing();
  }

  /// The folder of the dataset; a typed one is checked when the field is left.
  void draw_place(const PanelContext& context, const PhotographImport& chosen) {
    if (shown_out_ != chosen.out) {
      shown_out_ = chosen.out;
      out_ = chosen.out.string();
    }
    note(context, "Folder of the dataset");
    const float button = ImGui::GetFrameHeight();
    ImGui::SetNextItemWidth(-button - ImGui::GetStyle().ItemSpacing.x);
    ImGui::InputText("##out", &out_);
    context.places.add("Folder of the dataset");
    if (ImGui::IsItemDeactivatedAfterEdit() && !out_.empty()) {
      context.actions.add("import to", out_);
    }
    tooltip(context, out_);
    ImGui::SameLine();
    icon_button(context, icons::kFolderOpen, "import to", "Choose the folder");
  }

  static void draw_options(const PanelContext& context, const PhotographImport& chosen) {
    if (section(context, "Options")) {
      if (chosen.is_of_video()) row(context, chosen.options, "video-fps");
      if (chosen.outlook && chosen.outlook->videos > 0) {
        row(context, chosen.options, "keyframe-interval");
      }
      for (const std::string_view name : kMain) row(context, chosen.options, name);
      if (!chosen.outlook || chosen.outlook->videos == 0) row(context, chosen.options, "masks");
    }
    if (!section(context, "Programs", false)) return;
    if (chosen.is_of_video()) row(context, chosen.options, "ffmpeg");
    for (const std::string_view name : kPrograms) row(context, chosen.options, name);
  }

  static void row(const PanelContext& context, const ImportOptions& now, std::string_view name) {
    ImportOptions usual, present = now;
    OptionTable defaults, values;
    usual.describe(defaults);
    present.describe(values);
    std::string text = option_text(*values.find(name));
    if (option_row(context, *defaults.find(name), text)) {
      context.actions.add("import set", fmt::format("{}={}", name, text));
    }
  }

  std::filesystem::path shown_out_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Panel> make_import_panel() {
  return std::make_unique<ImportPanel>();
}

}  // namespace mote::gui

// The log panel: messages of the program, newest last, to read and copy.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <string>
#include <vector>

#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"

namespace mote::gui {
namespace {

ImVec4 color_of(LogLevel level, const Theme& theme) {
  switch (level) {
    case LogLevel::error:
      return theme.bad;
    case LogLevel::warning:
      return theme.warning;
    case LogLevel::detail:
      return theme.faint;
    case LogLevel::info:
      break;
  }
  return ImGui::GetStyleColorVec4(ImGuiCol_Text);
}

class LogPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const bool changed = draw_filter(context);
    refresh(context.session.log, changed);
    draw_lines(context);
  }

 private:
  /// Returns true if the filter has changed.
  bool draw_filter(const PanelContext& context) {
    constexpr float kWidth_em = 16;
    bool changed = false;
    ImGui::SetNextItemWidth(kWidth_em * ImGui::GetFontSize());
    changed |= ImGui::InputTextWithHint("##filter", "Filter", &filter_);
    context.places.add("Filter");
    ImGui::SameLine();
    changed |= ImGui::Checkbox("Warnings and errors only", &faults_only_);
    context.places.add("Warnings and errors only");
    ImGui::SameLine();
    changed |= ImGui::Checkbox("Details", &details_);
    context.places.add("Details");
    ImGui::SameLine();
    if (ImGui::Button(icon_label(icons::kCopy, "Copy").c_str())) copy();
    context.places.add("Copy");
    return changed;
  }

  void copy() const {
    std::string text;
    for (const LogLine& line : shown_) text += line.text + "\n";
    ImGui::SetClipboardText(text.c_str());
  }

  void refresh(const LogRing& log, bool changed) {
    const std::uint64_t count = log.count();
    if (count == known_ && !changed) return;
    known_ = count;
    shown_.clear();
    const ImGuiTextFilter filter(filter_.c_str());
    for (LogLine& line : log.lines()) {
      if (faults_only_ && line.level < LogLevel::warning) continue;
      if (!details_ && line.level == LogLevel::detail) continue;
      if (!filter.PassFilter(line.text.c_str())) continue;
      shown_.push_back(std::move(line));
    }
  }

  void draw_lines(const PanelContext& context) const {
    if (shown_.empty()) {
      note(context, known_ == 0 ? "There are no messages yet." : "No message matches the filter.");
      return;
    }
    ImGui::BeginChild("lines", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar | kInnerPart);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 2 * context.theme.unit});
    const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(shown_.size()));
    while (clipper.Step()) {
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_line(context, i);
    }
    clipper.End();
    if (at_end) ImGui::SetScrollHereY(1);
    ImGui::PopStyleVar();
    ImGui::EndChild();
  }

  void draw_line(const PanelContext& context, int i) const {
    const LogLine& line = shown_[static_cast<std::size_t>(i)];
    // One row per message, even with line breaks.
    const std::string row = line.text.substr(0, line.text.find('\n'));
    ImGui::PushID(i);
    ImGui::PushStyleColor(ImGuiCol_Text, color_of(line.level, context.theme));
    if (ImGui::Selectable((row + "##line").c_str())) ImGui::SetClipboardText(line.text.c_str());
    ImGui::PopStyleColor();
    context.places.add(row);
    tooltip(context, row == line.text ? "Click to copy" : line.text + "\nClick to copy");
    ImGui::PopID();
  }

  std::string filter_;
  bool faults_only_ = false, details_ = false;
  std::uint64_t known_ = 0;  // last LogRing::count()
  std::vector<LogLine> shown_;
};

}  // namespace

std::unique_ptr<Panel> make_log_panel() {
  return std::make_unique<LogPanel>();
}

}  // namespace mote::gui

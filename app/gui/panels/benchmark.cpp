// The benchmark panel: frame rates of the shown scene, measured as by `mote bench`.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "app/gui/fields.h"
#include "app/gui/icons.h"
#include "app/gui/panels/panels.h"
#include "app/gui/widgets.h"
#include "app/viewer/workers/benchmark.h"

namespace mote::gui {
namespace {

class BenchmarkPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const Session& session = context.session;
    draw_presented(context);
    ImGui::Spacing();
    note(
        context,
        R"(Renders the shown scene from twelve sides and in a close-up, and measures the time of each frame, as mote bench does.)");
    ImGui::Spacing();
    if (session.measuring) {
      draw_progress(context);
    } else {
      draw_sizes(context);
      const ActionCall run = benchmark_run();
      const bool any = session.scene != nullptr && !run.values.empty();
      wide_action_button(context, icon_label(icons::kGauge, "Measure"), run, any);
      if (session.scene == nullptr) note(context, "Open a scene first.");
    }
    if (!session.benchmark_reports.empty()) draw_reports(context);
  }

 private:
  static void draw_presented(const PanelContext& context) {
    const FinishedFrame* frame = context.session.frame;
    const double fps = context.session.window.presented_fps;
    value_row(context, "On the screen",
              fps > 0 ? fmt::format("{:.0f} frames/s", fps) : std::string("at rest"));
    if (frame != nullptr && frame->stats.total_ms > 0) {
      value_row(context, "Last picture",
                fmt::format("{} \xC3\x97 {}, {:.1f} ms", frame->camera.width, frame->camera.height,
                            frame->stats.total_ms));
    }
    const PresentedFrames& presented = context.session.window.presented;
    if (presented.count() == 0 || !begin_times("presented", "ms per picture")) return;
    times_row("On screen", presented.on_screen());
    times_row("Rendered", presented.rendered());
    ImGui::EndTable();
  }

  static void draw_progress(const PanelContext& context) {
    const LongTaskStatus status = context.session.benchmark.status();
    const double fraction = status.total > 0 ? status.done / status.total : 0;
    const std::string left = time_left(status.done, status.total, status.seconds);
    progress_bar(context, fraction,
                 status.total > 0 ? fmt::format("Frame {:.0f} of {:.0f}{}", status.done,
                                                status.total, left.empty() ? "" : ", " + left)
                                  : std::string("Getting ready"));
    ImGui::Spacing();
    wide_action_button(context, icon_label(icons::kStop, "Cancel"), "benchmark cancel",
                       !status.cancelling);
  }

  void draw_sizes(const PanelContext& context) {
    constexpr std::array<const char*, 4> kNames{"720p", "1080p", "1440p", "4K"};
    CHECK(kNames.size() == usual_benchmark_sizes().size());
    const float width = choice_width(context, kNames.size());
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (i > 0) ImGui::SameLine(0, choice_gap(context));
      if (choice_button(context, kNames[i], chosen_[i], width)) chosen_[i] = !chosen_[i];
      const ImageSize size = usual_benchmark_sizes()[i];
      tooltip(context, fmt::format("{} \xC3\x97 {} px", size.width, size.height));
    }
    ImGui::Spacing();
  }

  /// The benchmark at the chosen sizes.
  ActionCall benchmark_run() const {
    ActionCall run("benchmark run");
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const ImageSize size = usual_benchmark_sizes()[i];
      if (chosen_[i]) run.add(fmt::format("{}x{}", size.width, size.height));
    }
    return run;
  }

  void draw_reports(const PanelContext& context) {
    const std::vector<BenchReport>& reports = context.session.benchmark_reports;
    if (summaries_.size() > reports.size()) summaries_.clear();
    while (summaries_.size() < reports.size()) {
      summaries_.push_back(bench_summary(reports[summaries_.size()]));
    }
    if (section(context, "All views")) draw_times("views", &BenchSummary::frame, reports);
    if (section(context, "Close-up")) draw_times("close", &BenchSummary::closeup, reports);
    if (section(context, "Stages")) draw_stages(reports);
    ImGui::Spacing();
    if (ImGui::Button(icon_label(icons::kCopy, "Copy as text").c_str())) {
      std::string text;
      for (const BenchReport& report : reports) text += report_text(report) + "\n";
      ImGui::SetClipboardText(text.c_str());
    }
    context.places.add("Copy as text");
    tooltip(context, "All numbers, as mote bench prints them");
  }

  static void cell(const std::string& text) {
    ImGui::TableNextColumn();
    const float available = ImGui::GetContentRegionAvail().x;
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, available - width));
    ImGui::TextUnformatted(text.c_str());
  }

  /// The first column is `first` times as wide as the others, regardless of the content.
  static void set_up_columns(int count, float first) {
    for (int i = 0; i < count; ++i) {
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, i == 0 ? first : 1);
    }
  }

  static void heading_row(const std::vector<const char*>& names) {
    ImGui::TableNextRow();
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(names[0]);
    for (std::size_t i = 1; i < names.size(); ++i) cell(names[i]);
    ImGui::PopStyleColor();
  }

  static std::string size_text(const BenchReport& report) {
    return fmt::format("{} \xC3\x97 {}", report.width, report.height);
  }

  /// Begins a table as in `mote bench`; the caller ends it.
  static bool begin_times(const char* name, const char* unit) {
    if (!ImGui::BeginTable(name, 5, ImGuiTableFlags_SizingStretchSame)) return false;
    set_up_columns(5, 1.9f);
    heading_row({unit, "median", "p95", "p99", "FPS"});
    return true;
  }

  static void times_row(const std::string& name, const FrameTimes& times) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(name.c_str());
    for (const double value : {times.p50_ms, times.p95_ms, times.p99_ms, times.fps}) {
      cell(fmt::format("{:.{}f}", value, value < 1 ? 2 : value < 100 ? 1 : 0));
    }
  }

  /// Draws the times of all views, or of the close-up.
  void draw_times(const char* name, FrameTimes BenchSummary::*which,
                  const std::vector<BenchReport>& reports) const {
    if (!begin_times(name, "ms per frame")) return;
    for (std::size_t i = 0; i < reports.size(); ++i) {
      times_row(size_text(reports[i]), summaries_[i].*which);
    }
    ImGui::EndTable();
  }

  void draw_stages(const std::vector<BenchReport>& reports) const {
    if (!ImGui::BeginTable("stages", 5, ImGuiTableFlags_SizingStretchSame)) return;
    set_up_columns(5, 1.9f);
    heading_row({"ms per frame", "project", "bin", "sort", "blend"});
    for (std::size_t i = 0; i < reports.size(); ++i) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(size_text(reports[i]).c_str());
      for (const double ms : summaries_[i].stage_ms) cell(fmt::format("{:.1f}", ms));
    }
    ImGui::EndTable();
  }

  std::array<bool, 4> chosen_{true, true, true, true};
  std::vector<BenchSummary> summaries_;  // of the session's reports
};

}  // namespace

std::unique_ptr<Panel> make_benchmark_panel() {
  return std::make_unique<BenchmarkPanel>();
}

}  // namespace mote::gui

// The path panel: keyframes, preview and video of a camera path.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/icons.h"
#include "app/gui/overlays.h"
#include "app/gui/panels/panels.h"
#include "app/gui/panels/path_timeline.h"
#include "app/gui/widgets.h"
#include "core/progress.h"
#include "core/spelling.h"

namespace mote::gui {
namespace {

struct Format {
  const char* name;
  int width, height;  // px; 0: size of the view
};
constexpr Format kFormats[] = {
    {"As the view", 0, 0},
    {"1280 \xC3\x97 720", 1280, 720},
    {"1920 \xC3\x97 1080", 1920, 1080},
    {"2560 \xC3\x97 1440", 2560, 1440},
    {"3840 \xC3\x97 2160", 3840, 2160},
    {"1080 \xC3\x97 1920", 1080, 1920},
};

class PathPanel : public Panel {
 public:
  void draw(const PanelContext& context) override {
    const PathEditor& path = context.session.path;
    draw_add(context, path);
    if (path.empty()) {
      note(
          context,
          R"(Move the view to the start of the flight and add a keyframe. Then move on and add the next one. The camera flies smoothly through all keyframes.)");
      ImGui::Spacing();
      action_button(context, icon_label(icons::kFolderOpen, "Open a path ..."), "path open");
      if (path.undo_steps() + path.redo_steps() > 0) draw_history(context, path);
      return;
    }
    draw_player(context, path);
    timeline_.draw(context);
    draw_keys(context, path);
    draw_scene_time(context, path);
    draw_history(context, path);
    draw_ways(context, path);
    draw_file(context, path);
    draw_export(context, path);
  }

 private:
  void draw_add(const PanelContext& context, const PathEditor& path) {
    wide_action_button(context, icon_label(icons::kPlus, "Add keyframe"), "path add", true,
                       path.empty() ? 1 : 2);
    if (path.empty()) return;
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kCamera, "Set to view"),
                       {"path set", path.chosen().value_or(0) + 1}, path.chosen().has_value());
    ImGui::Spacing();
  }

  static void draw_player(const PanelContext& context, const PathEditor& path) {
    if (path.playing()) {
      icon_button(context, icons::kPause, "path stop", "Stop", true);
    } else {
      icon_button(context, icons::kPlay, "path play", "Play the path", false, path.size() > 1);
    }
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::Text("%.1f s", path.time_s());
    ImGui::SameLine(0, 0);
    ImGui::TextColored(context.theme.faint, "  of %.1f s", path.end_s());
  }

  void draw_keys(const PanelContext& context, const PathEditor& path) {
    ImGui::Spacing();
    constexpr float kMostRows = 8;
    const float row = ImGui::GetFrameHeightWithSpacing();
    const float rows = std::min(static_cast<float>(path.size()), kMostRows);
    ImGui::BeginChild("keys", {0, rows * row + 2 * context.theme.unit}, false, kInnerPart);
    for (std::size_t i = 0; i < path.size(); ++i) draw_key(context, path, i);
    ImGui::EndChild();
  }

  void draw_key(const PanelContext& context, const PathEditor& path, std::size_t i) {
    const float side = ImGui::GetFrameHeight(), unit = context.theme.unit;
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(static_cast<int>(i));
    ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, {0, 0.5f});
    if (ImGui::Selectable(fmt::format("  Keyframe {}", i + 1).c_str(), path.chosen() == i, 0,
                          {0.45f * width, side})) {
      context.actions.add("path go", i + 1);
    }
    ImGui::PopStyleVar();
    context.places.add(fmt::format("Keyframe {}", i + 1));
    tooltip(context, "Move there");
    ImGui::SameLine(0.48f * width);
    ImGui::SetNextItemWidth(0.52f * width - side - 6 * unit);
    double time_s = path.path().keyframes[i].time_s;
    if (ImGui::InputDouble("##time", &time_s, 0, 0, "%.2f s") && std::isfinite(time_s)) {
      moved_to_ = time_s;
    }
    if (ImGui::IsItemDeactivatedAfterEdit()) {
      context.actions.add("path move", i + 1, to_ms(moved_to_));
    }
    context.places.add(fmt::format("Time {}", i + 1));
    tooltip(context, "Time at which the camera is there");
    ImGui::SameLine(0, 6 * unit);
    icon_button(context, icons::kTrash, {"path remove", i + 1}, "Remove keyframe");
    ImGui::PopID();
  }

  /// The time of moving scenes at the selected keyframe.
  static void draw_scene_time(const PanelContext& context, const PathEditor& path) {
    if (!path.chosen() || !(context.session.clock.range().end_s > 0)) return;
    const std::size_t number = *path.chosen();
    const auto& own = path.path().keyframes[number].scene_time_s;
    note(context, own ? fmt::format("Keyframe {} shows the scene at {:.2f} s.", number + 1, *own)
                      : std::string("The scene follows the time of the path."));
    wide_action_button(context, "Scene as shown", {"path scene-time", number + 1}, true, 2);
    tooltip(context,
            "Show the scene at this keyframe as it is now; between keyframes with such a "
            "time it runs at a constant rate");
    ImGui::SameLine();
    ActionCall none{"path scene-time", number + 1};
    none.add("none");
    wide_action_button(context, "No scene time", none, own.has_value());
  }

  static void draw_history(const PanelContext& context, const PathEditor& path) {
    const auto label = [](const char* icon, std::string_view what, std::string_view name) {
      return icon_label(icon, name.empty() ? std::string(what) : fmt::format("{} {}", what, name));
    };
    wide_action_button(context, label(icons::kUndo, "Undo", path.undo_name()), "path undo",
                       path.undo_steps() > 0, 2);
    ImGui::SameLine();
    wide_action_button(context, label(icons::kRedo, "Redo", path.redo_name()), "path redo",
                       path.redo_steps() > 0);
  }

  static void draw_ways(const PanelContext& context, const PathEditor& path) {
    bool loop = path.path().loop, even = path.path().constant_speed;
    if (ImGui::Checkbox("Closed", &loop)) {
      context.actions.add("path closed", loop ? "on" : "off");
    }
    context.places.add("Closed");
    tooltip(context, "Close the path from the last keyframe to the first");
    ImGui::SameLine(0, 18 * context.theme.unit);
    if (ImGui::Checkbox("Constant speed", &even)) {
      context.actions.add("path even", even ? "on" : "off");
    }
    context.places.add("Constant speed");
    tooltip(context, "Move at constant speed; the times only set the total duration");
    bool drawn = context.session.settings().camera_path;
    if (ImGui::Checkbox("Drawn in the view", &drawn)) {
      context.actions.add("set", "camera-path", drawn ? "true" : "false");
    }
    context.places.add("Drawn in the view");
    tooltip(context,
            R"(Draws the path while this panel is open. A click on a keyframe selects it.)");
  }

  static void draw_file(const PanelContext& context, const PathEditor& path) {
    if (!section(context, "File")) return;
    if (!path.file().empty()) {
      short_text(context,
                 path.file().filename().string() + (path.changed() ? ", changed since" : ""),
                 ImGui::GetContentRegionAvail().x);
    }
    ActionCall save("path save");
    if (!path.file().empty()) save.add(path.file().string());
    wide_action_button(context, icon_label(icons::kSave, "Save"), save, true, 3);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kFolderOpen, "Open"), "path open", true, 2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kTrash, "Clear"), "path clear");
  }

  static void draw_export(const PanelContext& context, const PathEditor& path) {
    if (!section(context, "Video")) return;
    const LongTaskStatus status = context.session.video.status();
    if (status.busy) {
      const std::string left = time_left(status.done, status.total, status.seconds);
      progress_bar(context, status.total > 0 ? status.done / status.total : 0,
                   status.cancelling  ? std::string("Cancelling")
                   : status.total > 0 ? fmt::format("Frame {:.0f} of {:.0f}{}", status.done,
                                                    status.total, left.empty() ? "" : ", " + left)
                                      : std::string("Getting ready"));
      note(context, status.name);
      wide_action_button(context, icon_label(icons::kStop, "Cancel"), "path cancel",
                         !status.cancelling);
      return;
    }
    draw_format(context, path);
    wide_action_button(context, icon_label(icons::kVideo, "Video ..."), "path export", true, 2);
    ImGui::SameLine();
    wide_action_button(context, icon_label(icons::kPhotograph, "Pictures ..."), "path pictures");
    draw_differences(context);
  }

  /// Lists differences between the video's frames and the current view.
  static void draw_differences(const PanelContext& context) {
    const Session& session = context.session;
    if (session.view.compare != Compare::off) {
      note(context,
           "The frames show the rendered scene only, since there are no photographs along a path.");
    }
    const DisplaySettings& display = session.settings().display;
    if (display.exposure != 0 || display.tone != kToneNames.front() ||
        display.backdrop != kBackdropNames.front()) {
      note(context,
           "Exposure, tone curve and backdrop apply to the window only; the frames are written as "
           "rendered.");
    }
    if (is_trained(session)) {
      note(context,
           session.settings().view_share > 0
               ? "The frames show the splats at the time of the request; the run continues."
               : "The frames show the splats at the time of the request. With a share of 0 % "
                 "for the view they are rendered when training pauses.");
    }
  }

  /// Whether the shown splats are under training.
  static bool is_trained(const Session& session) {
    const auto& list = session.documents.list();
    return std::any_of(list.begin(), list.end(), [](const Document& document) {
      return document.shown && document.training;
    });
  }

  static void draw_format(const PanelContext& context, const PathEditor& path) {
    const KeyframePath& shape = path.path();
    const int rate =
        shape.frames_per_second > 0 ? static_cast<int>(std::lround(shape.frames_per_second)) : 30;
    const auto set = [&](int width, int height, int fps) {
      context.actions.add("path format",
                          width > 0 ? fmt::format("{}x{}", width, height) : std::string("view"),
                          fps);
    };
    const std::string size = shape.width > 0
                                 ? fmt::format("{} \xC3\x97 {}", shape.width, shape.height)
                                 : std::string(kFormats[0].name);
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float width = ImGui::GetContentRegionAvail().x - gap;
    ImGui::SetNextItemWidth(0.6f * width);
    if (ImGui::BeginCombo("##size", size.c_str())) {
      for (const Format& format : kFormats) {
        const bool chosen = format.width == shape.width && format.height == shape.height;
        if (ImGui::Selectable(format.name, chosen)) set(format.width, format.height, rate);
      }
      ImGui::EndCombo();
    }
    tooltip(context, "Size of the frames, px");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(0.4f * width);
    if (ImGui::BeginCombo("##rate", fmt::format("{} fps", rate).c_str())) {
      for (const int fps : {24, 25, 30, 50, 60}) {
        if (ImGui::Selectable(fmt::format("{} fps", fps).c_str(), fps == rate)) {
          set(shape.width, shape.height, fps);
        }
      }
      ImGui::EndCombo();
    }
    const double length = path.end_s() - path.start_s();
    const double frames = std::floor(length * rate) + (shape.loop ? 0 : 1);
    note(context, number_of(static_cast<std::uint64_t>(frames), "frame"));
  }

  PathTimeline timeline_;
  double moved_to_ = 0;  // the time being typed, s
};

}  // namespace

std::unique_ptr<Panel> make_path_panel() {
  return std::make_unique<PathPanel>();
}

}  // namespace mote::gui

#include "app/viewer/session/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "app/jobs/shared_options.h"
#include "core/file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFile = "settings.json";
constexpr std::uint64_t kMaxSettingsBytes = 1 << 20;

/// Mote's folder in a user folder, after the XDG base directory specification: a relative path is
/// ignored.
fs::path user_folder(const char* variable, const char* below_home) {
  const char* chosen = std::getenv(variable);
  if (chosen != nullptr && chosen[0] == '/') return fs::path(chosen) / "mote";
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr && home[0] == '/' ? home : "/tmp") / below_home / "mote";
}

}  // namespace

void DisplaySettings::describe(OptionTable& table) {
  const std::string group = "Display";
  table
      .add({.name = "exposure",
            .target = &exposure,
            .help = "of the picture on screen, not of the scene",
            .unit = "stops",
            .minimum = -10,
            .maximum = 10,
            .group = group})
      .add({.name = "tone",
            .target = &tone,
            .help = "tone curve for values above the range of the screen",
            .choices = kToneNames,
            .group = group})
      .add({.name = "backdrop",
            .target = &backdrop,
            .help = "background of the picture where splats are transparent",
            .choices = kBackdropNames,
            .group = group})
      .add({.name = "backdrop-color",
            .target = &backdrop_color,
            .help = "colour of the backdrop `color`",
            .minimum = 0,
            .maximum = 1,
            .length = 3,
            .group = group})
      .add({.name = "upscale",
            .target = &upscale,
            .help = R"(filter for enlarging a picture that was rendered at a lower resolution)",
            .choices = kUpscaleNames,
            .group = group})
      .add(
          {.name = "error-metric",
           .target = &error_metric,
           .help =
               R"(shown difference from a photograph, of each channel; relative: to the photograph's value; signed: grey is equal, and brighter where the picture is brighter)",
           .choices = kErrorMetricNames,
           .group = group})
      .add({.name = "difference-gain",
            .target = &difference_gain,
            .help = "factor on the shown difference from a photograph",
            .minimum = 0.1,
            .maximum = 100,
            .group = group})
      .add({.name = "flicker-interval",
            .target = &flicker_interval,
            .help = "time for which picture and photograph are each shown",
            .unit = "s",
            .minimum = 0.05,
            .maximum = 10,
            .group = group});
}

void SequenceSettings::describe(OptionTable& table) {
  const std::string group = "Moving scenes";
  describe_sequence_rate(table, frames_per_second, group);
  table.add({.name = "sequence-memory",
             .target = &memory,
             .help = "memory for frames that are kept or read ahead",
             .unit = "MB",
             .minimum = 1,
             .maximum = 1 << 20,
             .group = group});
}

void GizmoSettings::describe(OptionTable& table) {
  const std::string group = "Gizmos";
  table
      .add({.name = "gizmo-frame",
            .target = &frame,
            .help = "axes of the tools move, rotate and scale: the world's or the scene's",
            .choices = kGizmoFrameNames,
            .group = group})
      .add({.name = "move-step",
            .target = &move_step,
            .help = "step of a move while Ctrl is held",
            .unit = "world units",
            .minimum = 1e-6,
            .maximum = 1e6,
            .group = group})
      .add({.name = "rotate-step",
            .target = &rotate_step,
            .help = "step of a rotation while Ctrl is held",
            .unit = "degrees",
            .minimum = 0.1,
            .maximum = 180,
            .group = group})
      .add({.name = "scale-step",
            .target = &scale_step,
            .help = "step of a scale factor while Ctrl is held",
            .minimum = 0.001,
            .maximum = 10,
            .group = group});
}

namespace {

void describe_window(ViewerSettings& settings, OptionTable& table) {
  table
      .add({.name = "theme",
            .target = &settings.theme,
            .help = "colours of the window",
            .choices = {"dark", "light"}})
      .add({.name = "font-size",
            .target = &settings.font_size,
            .help = "height of the text",
            .unit = "px",
            .minimum = 8,
            .maximum = 64})
      .add({.name = "target-fps",
            .target = &settings.target_fps,
            .help =
                R"(frames per second while the view moves; the resolution is lowered if necessary)",
            .minimum = 1,
            .maximum = 240})
      .add(
          {.name = "pacing",
           .target = &settings.pacing,
           .help =
               R"(order of pictures on the screen: vsync shows every picture in turn; newest shows only the latest one, with less delay and more work)",
           .choices = kPacingNames})
      .add(
          {.name = "view-share",
           .target = &settings.view_share,
           .help =
               R"(share of the device's time for the view during training; with 0 the view freezes until training pauses)",
           .minimum = 0,
           .maximum = 0.95});
}

void describe_view(ViewerSettings& settings, OptionTable& table) {
  table
      .add({.name = "smoothing",
            .target = &settings.smoothing,
            .help = "time in which a motion of the camera ends; 0 moves at once",
            .unit = "s",
            .minimum = 0,
            .maximum = 2,
            .zero = "none"})
      .add({.name = "field-of-view",
            .target = &settings.field_of_view,
            .help = "angle across the shorter side",
            .unit = "degrees",
            .minimum = 5,
            .maximum = 150})
      .add({.name = "up",
            .target = &settings.up,
            .help = "up direction of scenes whose files do not define it",
            .choices = kAxisNames})
      .add({.name = "antialiased",
            .target = &settings.antialiased,
            .help = R"(compensate the dilation of small splats; auto: as stored in the file)",
            .choices = {"auto", "on", "off"}})
      .add(
          {.name = "precision",
           .target = &settings.precision,
           .help =
               R"(fast: harmonics, colours and transmittance in half precision, on a CUDA device; a CPU always draws exactly)",
           .choices = kPrecisionNames})
      .add({.name = "field-step",
            .target = &settings.field_step,
            .help = "length of the steps along rays through NeRFs and neural volumes, in usual "
                    "steps; longer ones are faster and miss thin parts",
            .minimum = double{kFieldStepMin},
            .maximum = double{kFieldStepMax}});
  describe_surface_color(table, settings.surface_color);
  table
      .add({.name = "background",
            .target = &settings.background,
            .help = "colour behind the scene",
            .minimum = 0,
            .maximum = 1,
            .length = 3})
      .add({.name = "run-background",
            .target = &settings.run_background,
            .help = "show the splats of a training run on the run's background colour"})
      .add({.name = "frusta",
            .target = &settings.frusta,
            .help = "show the cameras of a dataset's photographs"})
      .add({.name = "frustum-photographs",
            .target = &settings.frustum_photographs,
            .help =
                "show photographs inside their cameras, while no model trained on them is shown"})
      .add({.name = "camera-path",
            .target = &settings.camera_path,
            .help = "draw the camera path in the view while its panel is open"})
      .add({.name = "grid",
            .target = &settings.grid,
            .help = "draw a grid on the ground through the world's origin, and its axes"})
      .add({.name = "axis-cross",
            .target = &settings.axis_cross,
            .help = "draw the directions of the world's axes in a corner of the view"})
      .add({.name = "legend",
            .target = &settings.legend,
            .help = "draw the colour scale of depths and counts in the view"})
      .add({.name = "pixel-values",
            .target = &settings.pixel_values,
            .help = "show the values of the pixel under the pointer"})
      .add({.name = "trails",
            .target = &settings.trails,
            .help = "draw the ways of some splats that move, over this time before the shown one",
            .unit = "s",
            .minimum = 0,
            .maximum = 10,
            .zero = "none"})
      .add({.name = "statistics",
            .target = &settings.statistics,
            .help = "show frame times in the view"});
}

void describe_size(ViewerSettings& settings, OptionTable& table) {
  table
      .add({.name = "rail-labels",
            .target = &settings.rail_labels,
            .help = "name the panels below the icons of the rail"})
      .add({.name = "panel-width",
            .target = &settings.panel_width,
            .help = "width of the panel at the side; its border can be dragged",
            .unit = "text heights",
            .minimum = 14,
            .maximum = 80})
      .add({.name = "drawer-height",
            .target = &settings.drawer_height,
            .help = "height of the drawer at the bottom; its border can be dragged",
            .unit = "text heights",
            .minimum = 6,
            .maximum = 60})
      .add({.name = "width",
            .target = &settings.width,
            .help = "width of the window",
            .unit = "px",
            .minimum = 64,
            .maximum = 16384})
      .add({.name = "height",
            .target = &settings.height,
            .help = "height of the window",
            .unit = "px",
            .minimum = 64,
            .maximum = 16384})
      .add({.name = "autosave",
            .target = &settings.autosave,
            .help = "time after which unsaved changes are kept for a crash; 0: never",
            .unit = "s",
            .minimum = 0,
            .maximum = 86400,
            .zero = "never"});
}

}  // namespace

void ViewerSettings::describe(OptionTable& table) {
  describe_window(*this, table);
  describe_view(*this, table);
  describe_size(*this, table);
  sequence.describe(table);
  display.describe(table);
  gizmo.describe(table);
}

fs::path settings_folder() {
  return user_folder("XDG_CONFIG_HOME", ".config");
}

fs::path cache_folder() {
  return user_folder("XDG_CACHE_HOME", ".cache");
}

SettingsFile::SettingsFile(fs::path folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!fs::exists(folder_ / kFile, ignored)) return;
  try {
    read();
  } catch (const Error& error) {
    const fs::path bad = folder_ / (std::string(kFile) + ".bad");
    fs::rename(folder_ / kFile, bad, ignored);
    warnings_.push_back(fmt::format("{}; starting with the defaults, the file is kept as {}",
                                    error.what(), bad.string()));
  }
}

void SettingsFile::read() {
  const fs::path path = folder_ / kFile;
  const json file = json::parse(read_text_file(path, kMaxSettingsBytes), nullptr, false);
  if (!file.is_object()) throw Error("is not a JSON object", path.string(), "remove it");
  OptionTable table;
  settings.describe(table);
  const ViewerSettings defaults;
  json values = file.value("settings", json::object());
  if (!values.is_object()) values = json::object();
  for (const auto& item : values.items()) {
    // One key at a time, so that an unknown setting of another version does not discard the rest.
    const ViewerSettings before = settings;
    try {
      table.from_json(json{{item.key(), item.value()}}, path.string());
    } catch (const UsageError& error) {
      settings = before;
      warnings_.push_back(fmt::format("{}; it is left out", error.what()));
    }
  }
  const json folder = file.value("folder", json());
  if (folder.is_string()) last_folder = folder.get<std::string>();
  const json recent = file.value("recent", json::array());
  for (const json& entry : recent) {
    if (recent.is_array() && entry.is_string() && recent_.size() < kMostRecent) {
      recent_.emplace_back(entry.get<std::string>());
    }
  }
}

void SettingsFile::add_recent(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  std::erase(recent_, whole);
  recent_.insert(recent_.begin(), whole);
  if (recent_.size() > kMostRecent) recent_.resize(kMostRecent);
}

std::string SettingsFile::text() const {
  ViewerSettings described = settings;
  OptionTable table;
  described.describe(table);
  json recent = json::array();
  for (const fs::path& path : recent_) recent.push_back(path.string());
  json file{{"settings", table.to_json()}, {"recent", std::move(recent)}};
  if (!last_folder.empty()) file["folder"] = last_folder.string();
  return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::function<void()> SettingsFile::saving() {
  std::string now = text();
  if (now == last_text_) return {};
  last_text_ = now;
  return [folder = folder_, stored = stored_, number = ++savings_, text = std::move(now)] {
    const std::lock_guard lock(stored->mutex);
    if (number < stored->number) return;
    make_folders(folder);
    OutputFile out(folder / kFile);
    out.write(text);
    out.commit();
    stored->number = number;
  };
}

void SettingsFile::save() {
  if (const auto write = saving()) write();
}

std::vector<std::string> SettingsFile::take_warnings() {
  return std::exchange(warnings_, {});
}

}  // namespace mote

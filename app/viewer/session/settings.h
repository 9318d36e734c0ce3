#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/jobs/shared_options.h"
#include "core/options.h"

namespace mote {

/// Names in the order of the enumerations in present/display_options.h.
inline const std::vector<std::string> kToneNames{"none", "filmic", "neutral"};
inline const std::vector<std::string> kBackdropNames{"as-rendered", "color", "checker"};
inline const std::vector<std::string> kUpscaleNames{"nearest", "smooth", "sharp"};
inline const std::vector<std::string> kErrorMetricNames{"absolute", "squared", "relative",
                                                        "signed"};
/// In the order of the enumeration in present/target.h.
inline const std::vector<std::string> kPacingNames{"vsync", "newest"};

/// How pictures are displayed. The default values show them as rendered.
struct DisplaySettings {
  double exposure = 0;  // stops
  std::string tone = "none", backdrop = "as-rendered", upscale = "sharp";
  std::vector<double> backdrop_color{0.5, 0.5, 0.5};
  std::string error_metric = "absolute";
  double difference_gain = 4;     // factor
  double flicker_interval = 0.5;  // s

  void describe(OptionTable& table);
  friend bool operator==(const DisplaySettings&, const DisplaySettings&) = default;
};

/// Playback of folders of splat files, one per frame.
struct SequenceSettings {
  double frames_per_second = 30;  // for sequences that are opened later
  int memory = 1024;              // MB

  void describe(OptionTable& table);
  std::size_t memory_bytes() const { return static_cast<std::size_t>(memory) << 20; }
};

/// Names of the frames in which gizmos stand.
inline const std::vector<std::string> kGizmoFrameNames{"world", "scene"};

/// Gizmos that move, rotate and scale: their frame, and the steps of drags with Ctrl.
struct GizmoSettings {
  std::string frame = kGizmoFrameNames.front();
  double move_step = 0.1;   // world units
  double rotate_step = 15;  // degrees
  double scale_step = 0.1;  // of the factor

  void describe(OptionTable& table);
};

/// User settings, kept between sessions. The options table gives the rows of the settings panel,
/// the keys of the file and the names for the action `set`.
struct ViewerSettings {
  std::string theme = "dark";
  int font_size = 16;      // px
  double target_fps = 30;  // while the view moves
  std::string pacing = "vsync";
  double view_share = 0.3;    // share of device time for the view during training
  double smoothing = 0.08;    // s
  double field_of_view = 46;  // degrees, across the shorter side
  std::string up = "-y";      // for scenes whose files do not define it
  std::string antialiased = "auto", precision = kPrecisionNames[0];
  double field_step = 1;  // RenderSettings::field_step
  std::vector<double> surface_color = usual_surface_color();
  std::vector<double> background{0, 0, 0};
  bool run_background = true;  // use the run's background instead when its model is shown
  bool frusta = true, frustum_photographs = true, camera_path = true, statistics = true;
  bool grid = false, axis_cross = true, legend = true, pixel_values = false;
  double trails = 0;                            // s; 0: none
  int width = 1280, height = 720;               // size of the window
  double panel_width = 20, drawer_height = 12;  // in text heights
  bool rail_labels = false;
  int autosave = 60;  // s
  SequenceSettings sequence;
  DisplaySettings display;
  GizmoSettings gizmo;

  void describe(OptionTable& table);
};

/// Names of directions: "x", "-z", ...
inline const std::vector<std::string> kAxisNames{"x", "-x", "y", "-y", "z", "-z"};

/// The settings, the recent files and the last folder, stored on disk.
class SettingsFile {
 public:
  static constexpr std::size_t kMostRecent = 12;

  /// Reads settings.json in the folder, if there is one. An unreadable file is kept as
  /// settings.json.bad, and an invalid value is skipped. take_warnings() reports both.
  explicit SettingsFile(std::filesystem::path folder);

  ViewerSettings settings;
  const std::vector<std::filesystem::path>& recent() const { return recent_; }
  /// Adds a path at the front of the list, without duplicates.
  void add_recent(const std::filesystem::path& path);
  void clear_recent() { recent_.clear(); }
  const std::filesystem::path& folder() const { return folder_; }
  /// The folder in which a file was chosen last; empty if there is none.
  std::filesystem::path last_folder = {};

  /// Writes a temporary file and renames it, if the file differs. Throws Error if that fails.
  void save();
  /// The same for another thread, with the settings of now; it does not replace newer ones. Empty
  /// if the last saving() has the same.
  std::function<void()> saving();
  std::vector<std::string> take_warnings();

 private:
  void read();

  std::string text() const;

  /// The file on disk, shared with the threads that write it.
  struct Stored {
    std::mutex mutex;
    std::uint64_t number = 0;  // of the saving() that wrote it last
  };

  std::filesystem::path folder_;
  std::string last_text_;  // of the last saving()
  std::uint64_t savings_ = 0;
  std::shared_ptr<Stored> stored_ = std::make_shared<Stored>();
  std::vector<std::filesystem::path> recent_;
  std::vector<std::string> warnings_;
};

/// $XDG_CONFIG_HOME/mote, or ~/.config/mote.
std::filesystem::path settings_folder();
/// $XDG_CACHE_HOME/mote, or ~/.cache/mote: data that can be recomputed.
std::filesystem::path cache_folder();

}  // namespace mote

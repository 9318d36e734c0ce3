#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/options.h"

namespace mote {

/// Each in the order of the enumeration of present/display_options.h that it names.
inline const std::vector<std::string> kToneNames{"none", "filmic", "neutral"};
inline const std::vector<std::string> kBackdropNames{"as-rendered", "color", "checker"};
inline const std::vector<std::string> kUpscaleNames{"nearest", "smooth", "sharp"};
/// In the order of the enumeration of present/target.h.
inline const std::vector<std::string> kPacingNames{"vsync", "newest"};

/// How pictures are brought to the screen. As it stands here they are what was rendered.
struct DisplaySettings {
  double exposure = 0;  // stops
  std::string tone = "none", backdrop = "as-rendered", upscale = "sharp";
  std::vector<double> backdrop_color{0.5, 0.5, 0.5};
  double difference_gain = 4;     // times
  double flicker_interval = 0.5;  // s

  void describe(OptionTable& table);
  friend bool operator==(const DisplaySettings&, const DisplaySettings&) = default;
};

/// How folders of splat files, one a frame, are played.
struct SequenceSettings {
  double frames_per_second = 30;  // of those that are opened from now on
  int memory = 1024;              // MB

  void describe(OptionTable& table);
  std::size_t memory_bytes() const { return static_cast<std::size_t>(memory) << 20; }
};

/// What the user likes, kept from one start to the next. The options table yields the rows of the
/// settings panel, the keys of the file, and the names that the action `set` takes.
struct ViewerSettings {
  std::string theme = "dark";
  int font_size = 16;      // px
  double target_fps = 30;  // while the view moves
  std::string pacing = "vsync";
  double view_share = 0.3;    // of the device's time, while training wants it too
  double smoothing = 0.08;    // s
  double field_of_view = 46;  // degrees, across the shorter side
  std::string up = "-y";      // of scenes whose files do not say
  std::string antialiased = "auto";
  std::vector<double> background{0, 0, 0};
  bool run_background = true;  // rather than that, where a run's splats are shown
  bool frusta = true, camera_path = true, statistics = true;
  int width = 1280, height = 720;  // of the window
  SequenceSettings sequence;
  DisplaySettings display;

  void describe(OptionTable& table);
};

/// Names a direction: "x", "-z", ...
inline const std::vector<std::string> kAxisNames{"x", "-x", "y", "-y", "z", "-z"};

/// The settings and the files opened last, as they lie on the disk.
class SettingsFile {
 public:
  static constexpr std::size_t kMostRecent = 12;

  /// Reads settings.json in the folder where there is one. A file that cannot be understood is kept
  /// as settings.json.bad, and a value that cannot be is left out; both are told by
  /// take_warnings().
  explicit SettingsFile(std::filesystem::path folder);

  ViewerSettings settings;
  const std::vector<std::filesystem::path>& recent() const { return recent_; }
  /// The newest first, each once.
  void add_recent(const std::filesystem::path& path);
  void clear_recent() { recent_.clear(); }

  /// Written beside and renamed. Throws Error where it cannot be.
  void save();
  std::vector<std::string> take_warnings();

 private:
  void read();

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> recent_;
  std::vector<std::string> warnings_;
};

/// $XDG_CONFIG_HOME/mote, or ~/.config/mote.
std::filesystem::path settings_folder();
/// $XDG_CACHE_HOME/mote, or ~/.cache/mote: what can be made anew.
std::filesystem::path cache_folder();

}  // namespace mote

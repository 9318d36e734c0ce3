#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "scene/keyframe_path.h"

namespace mote {

/// A camera path under edit, with undo and redo, and a current time that can be moved or played.
/// Times are in seconds, as in the keyframes. Not thread-safe; independent of window and clock.
/// Keyframes are numbered from 0; numbers are CHECKed.
class PathEditor {
 public:
  /// Default gap between the last keyframe and a new one without a time.
  static constexpr double kUsualGap_s = 2;

  const KeyframePath& path() const { return path_; }
  std::size_t size() const { return path_.keyframes.size(); }
  bool empty() const { return path_.keyframes.empty(); }
  /// The file of the last open or save; empty if there is none.
  const std::filesystem::path& file() const { return file_; }
  /// Whether the path differs from the file.
  bool changed() const { return version_ != saved_version_; }
  /// Whether the path was saved to the file, not only opened from it.
  bool is_own_file() const { return own_file_; }
  /// Changes with every edit.
  std::uint64_t version() const { return version_; }

  /// Whether a keyframe other than `except` is at that time.
  bool has_time(double time_s, std::optional<std::size_t> except = {}) const;
  /// Adds a keyframe at a time that no other has; returns its number.
  std::size_t add(const CameraKeyframe& key);
  /// Replaces the view of a keyframe; its times stay.
  void replace(std::size_t number, const CameraKeyframe& key);
  /// Sets CameraKeyframe::scene_time_s.
  void set_scene_time(std::size_t number, std::optional<double> time_s);
  void remove(std::size_t number);
  /// Moves a keyframe to a time that no other has; returns its new number. `continued`: part of the
  /// same gesture as the last call; both make one step of the history.
  std::size_t move(std::size_t number, double time_s, bool continued = false);
  void set_loop(bool loop);
  void set_constant_speed(bool constant);
  void set_format(int width, int height, double frames_per_second);
  /// Replaces the path by one that equals its file, with a new history.
  void open(KeyframePath path, std::filesystem::path file);
  /// Records that the file holds the given version of the path. Does nothing if that version
  /// belongs to an earlier path.
  void saved(std::filesystem::path file, std::uint64_t version);
  void clear();

  bool undo();
  bool redo();
  std::size_t undo_steps() const { return undo_.size(); }
  std::size_t redo_steps() const { return redo_.size(); }
  /// Name of the step that undo() reverts, such as "remove"; empty if there is none.
  std::string_view undo_name() const { return undo_.empty() ? "" : undo_.back().name; }
  std::string_view redo_name() const { return redo_.empty() ? "" : redo_.back().name; }

  /// The selected keyframe; the selection follows it when its number changes.
  const std::optional<std::size_t>& chosen() const { return chosen_; }
  void choose(std::optional<std::size_t> number);

  /// Points on the path, dense enough to be drawn as lines.
  const std::vector<glm::dvec3>& way_world() const { return way_world_; }

  /// Times of the first and the last keyframe; for a loop the end includes the way back. 0 for an
  /// empty path.
  double start_s() const;
  double end_s() const;
  /// The current time.
  double time_s() const { return time_s_; }
  /// Sets the current time, clamped to the path's range.
  void seek(double time_s);
  /// The interpolated view at the current time. CHECKs that there is a keyframe.
  CameraKeyframe state() const;

  bool playing() const { return playing_; }
  /// Plays; restarts from the beginning if the time is at the end. CHECKs that there is a keyframe.
  void play();
  void stop() { playing_ = false; }
  /// Advances by `dt_s` while playing. A loop repeats; any other path stops at its end.
  void advance(double dt_s);

 private:
  /// The file that the path stands in.
  struct Filed {
    std::filesystem::path file;
    bool own_file = false;
    std::uint64_t saved_version = 0, first_version = 0;
  };
  /// A step of the history with the path before it, or after it once the step is undone.
  struct Step {
    std::string_view name;
    KeyframePath path;
    std::optional<std::size_t> chosen;
    std::uint64_t version = 0;
    std::optional<Filed> filed = {};  // of a step that leaves the file
  };

  void change();
  void follow_path();
  void begin(std::filesystem::path file);
  CameraKeyframe take_out(std::size_t number);
  std::size_t put_in(const CameraKeyframe& key);
  void remember(std::string_view name);
  Filed filed() const { return {file_, own_file_, saved_version_, first_version_}; }
  bool step(std::vector<Step>& from, std::vector<Step>& to);

  KeyframePath path_;
  std::optional<CameraSpline> spline_;  // of the path; empty for an empty path
  std::vector<glm::dvec3> way_world_;
  std::filesystem::path file_;
  std::optional<std::size_t> chosen_;
  double time_s_ = 0;
  std::vector<Step> undo_, redo_;
  std::uint64_t version_ = 0, last_version_ = 0, saved_version_ = 0;
  std::uint64_t first_version_ = 0;  // version after the last open or clear
  bool own_file_ = false, playing_ = false;
};

}  // namespace mote

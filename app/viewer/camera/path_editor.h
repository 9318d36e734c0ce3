#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "scene/keyframe_path.h"

namespace mote {

/// A camera path under edit, with a current time that can be moved or played. Times are in seconds,
/// as in the keyframes. Not thread-safe; independent of window and clock. Keyframes are numbered
/// from 0; numbers are CHECKed.
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
  /// Replaces the view of a keyframe; the time stays.
  void replace(std::size_t number, const CameraKeyframe& key);
  void remove(std::size_t number);
  /// Moves a keyframe to a time that no other has; returns its new number.
  std::size_t move(std::size_t number, double time_s);
  void set_loop(bool loop);
  void set_constant_speed(bool constant);
  void set_format(int width, int height, double frames_per_second);
  /// Replaces the path by one that equals its file.
  void open(KeyframePath path, std::filesystem::path file);
  /// Records that the file holds the given version of the path. Does nothing if that version
  /// belongs to an earlier path.
  void saved(std::filesystem::path file, std::uint64_t version);
  void clear();

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
  void change();
  void begin(std::filesystem::path file);
  CameraKeyframe take_out(std::size_t number);

  KeyframePath path_;
  std::optional<CameraSpline> spline_;  // of the path; empty for an empty path
  std::vector<glm::dvec3> way_world_;
  std::filesystem::path file_;
  std::optional<std::size_t> chosen_;
  double time_s_ = 0;
  std::uint64_t version_ = 0, saved_version_ = 0;
  std::uint64_t first_version_ = 0;  // version after the last open or clear
  bool own_file_ = false, playing_ = false;
};

}  // namespace mote

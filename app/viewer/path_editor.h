#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "scene/keyframe_path.h"

namespace mote {

/// A camera path as the user makes it, and a place on it that can be moved along or played. Times
/// are those of the keyframes, seconds. One thread's; knows no window and no clock. Numbers of
/// keyframes count from 0 and are CHECKed.
class PathEditor {
 public:
  /// How much later than the last one a keyframe comes that is given no time.
  static constexpr double kUsualGap_s = 2;

  const KeyframePath& path() const { return path_; }
  std::size_t size() const { return path_.keyframes.size(); }
  bool empty() const { return path_.keyframes.empty(); }
  /// Where it was opened from or saved to; empty: nowhere yet.
  const std::filesystem::path& file() const { return file_; }
  /// Whether it differs from what lies there.
  bool changed() const { return version_ != saved_version_; }
  /// Whether the file is one that the path was saved to, not only opened from.
  bool is_own_file() const { return own_file_; }
  /// Another one after every change.
  std::uint64_t version() const { return version_; }

  /// Whether a keyframe is at that time, but for `except`.
  bool has_time(double time_s, std::optional<std::size_t> except = {}) const;
  /// Puts a keyframe in at its time, which none has, and gives its number.
  std::size_t add(const CameraKeyframe& key);
  /// Another view at the keyframe's time.
  void replace(std::size_t number, const CameraKeyframe& key);
  void remove(std::size_t number);
  /// Gives the number that the keyframe has then; no other one has the time.
  std::size_t move(std::size_t number, double time_s);
  void set_loop(bool loop);
  void set_constant_speed(bool constant);
  void set_format(int width, int height, double frames_per_second);
  /// Takes a whole path, whose file is as it is.
  void open(KeyframePath path, std::filesystem::path file);
  /// The file holds the path as it was at that version. Of one that is no longer there, nothing
  /// comes.
  void saved(std::filesystem::path file, std::uint64_t version);
  void clear();

  /// The keyframe that is being worked at; it keeps its mark when its number changes.
  const std::optional<std::size_t>& chosen() const { return chosen_; }
  void choose(std::optional<std::size_t> number);

  /// Places on the way, close enough together to be joined by lines.
  const std::vector<glm::dvec3>& way_world() const { return way_world_; }

  /// Of the first keyframe, and of the last, of a loop with the way back; 0 where there is none.
  double start_s() const;
  double end_s() const;
  /// The place on the path.
  double time_s() const { return time_s_; }
  /// Stands at a time, at the nearer end where the path has none there.
  void seek(double time_s);
  /// The view there. CHECKs that there is a keyframe.
  CameraKeyframe state() const;

  bool playing() const { return playing_; }
  /// From the start where it stands at the end. CHECKs that there is a keyframe.
  void play();
  void stop() { playing_ = false; }
  /// Goes on by `dt_s` while it plays: a loop around and around, else to its end, where it stops.
  void advance(double dt_s);

 private:
  void change();
  void begin(std::filesystem::path file);
  CameraKeyframe take_out(std::size_t number);

  KeyframePath path_;
  std::optional<CameraSpline> spline_;  // of the path; none where it is empty
  std::vector<glm::dvec3> way_world_;
  std::filesystem::path file_;
  std::optional<std::size_t> chosen_;
  double time_s_ = 0;
  std::uint64_t version_ = 0, saved_version_ = 0;
  std::uint64_t first_version_ = 0;  // since it was opened or cleared
  bool own_file_ = false, playing_ = false;
};

}  // namespace mote

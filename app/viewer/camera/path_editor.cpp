#include "app/viewer/camera/path_editor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"

namespace mote {

/// Notes that the path is another one now.
void PathEditor::change() {
  version_ = ++last_version_;
  follow_path();
}

/// Updates everything that depends on the keyframes.
void PathEditor::follow_path() {
  constexpr std::size_t kPlacesAKeyframe = 24, kMostPlaces = 4000;
  spline_.reset();
  way_world_.clear();
  if (empty()) {
    playing_ = false;
    time_s_ = 0;
    return;
  }
  spline_.emplace(path_);
  seek(time_s_);
  const std::size_t steps = std::min(kPlacesAKeyframe * size(), kMostPlaces);
  for (std::size_t i = 0; i <= steps && size() > 1; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(steps);
    // The last point of a loop is its first one again.
    const double seconds = i == steps && path_.loop ? 0 : part * spline_->duration_s();
    way_world_.push_back(spline_->at(seconds).position_world);
  }
}

/// Keeps the path before a change, as a step of the history.
void PathEditor::remember(std::string_view name) {
  constexpr std::size_t kMostSteps = 500;
  redo_.clear();
  undo_.push_back({.name = name, .path = path_, .chosen = chosen_, .version = version_});
  if (undo_.size() > kMostSteps) undo_.erase(undo_.begin());
}

bool PathEditor::undo() {
  return step(undo_, redo_);
}

bool PathEditor::redo() {
  return step(redo_, undo_);
}

bool PathEditor::step(std::vector<Step>& from, std::vector<Step>& to) {
  if (from.empty()) return false;
  Step step = std::move(from.back());
  from.pop_back();
  std::swap(step.path, path_);
  std::swap(step.chosen, chosen_);
  std::swap(step.version, version_);
  if (step.filed) {
    const Filed other = std::exchange(*step.filed, filed());
    file_ = other.file;
    own_file_ = other.own_file;
    saved_version_ = other.saved_version;
    first_version_ = other.first_version;
  }
  follow_path();
  to.push_back(std::move(step));
  return true;
}

void PathEditor::choose(std::optional<std::size_t> number) {
  CHECK(!number || *number < size());
  chosen_ = number;
}

CameraKeyframe PathEditor::take_out(std::size_t number) {
  CHECK(number < size());
  const CameraKeyframe key = path_.keyframes[number];
  path_.keyframes.erase(path_.keyframes.begin() + static_cast<std::ptrdiff_t>(number));
  if (chosen_ == number) {
    chosen_.reset();
  } else if (chosen_ && *chosen_ > number) {
    --*chosen_;
  }
  return key;
}

bool PathEditor::has_time(double time_s, std::optional<std::size_t> except) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (i != except && path_.keyframes[i].time_s == time_s) return true;
  }
  return false;
}

std::size_t PathEditor::add(const CameraKeyframe& key) {
  CHECK(!has_time(key.time_s));
  remember("add");
  return put_in(key);
}

std::size_t PathEditor::put_in(const CameraKeyframe& key) {
  auto& keys = path_.keyframes;
  const auto after = std::find_if(keys.begin(), keys.end(), [&](const CameraKeyframe& other) {
    return other.time_s > key.time_s;
  });
  const auto added = keys.insert(after, key);
  const auto number = static_cast<std::size_t>(added - keys.begin());
  if (chosen_ && *chosen_ >= number) ++*chosen_;
  change();
  return number;
}

void PathEditor::replace(std::size_t number, const CameraKeyframe& key) {
  CHECK(number < size());
  remember("set");
  CameraKeyframe& own = path_.keyframes[number];
  const CameraKeyframe before = std::exchange(own, key);
  own.time_s = before.time_s;
  own.scene_time_s = before.scene_time_s;
  change();
}

void PathEditor::set_scene_time(std::size_t number, std::optional<double> time_s) {
  CHECK(number < size());
  if (path_.keyframes[number].scene_time_s == time_s) return;
  remember("scene time");
  path_.keyframes[number].scene_time_s = time_s;
  change();
}

void PathEditor::remove(std::size_t number) {
  CHECK(number < size());
  remember("remove");
  take_out(number);
  change();
}

std::size_t PathEditor::move(std::size_t number, double time_s, bool continued) {
  constexpr std::string_view kName = "move";
  CHECK(number < size() && !has_time(time_s, number));
  if (continued && undo_name() == kName) {
    redo_.clear();
  } else {
    remember(kName);
  }
  const bool was_chosen = chosen_ == number;
  CameraKeyframe key = take_out(number);
  key.time_s = time_s;
  const std::size_t moved = put_in(key);
  if (was_chosen) chosen_ = moved;
  return moved;
}

void PathEditor::set_loop(bool loop) {
  if (loop == path_.loop) return;
  remember("closed");
  path_.loop = loop;
  change();
}

void PathEditor::set_constant_speed(bool constant) {
  if (constant == path_.constant_speed) return;
  remember("speed");
  path_.constant_speed = constant;
  change();
}

void PathEditor::set_format(int width, int height, double frames_per_second) {
  if (path_.width == width && path_.height == height &&
      path_.frames_per_second == frames_per_second) {
    return;
  }
  remember("format");
  path_.width = width;
  path_.height = height;
  path_.frames_per_second = frames_per_second;
  version_ = ++last_version_;
}

void PathEditor::open(KeyframePath path, std::filesystem::path file) {
  check_path(path, file.string());
  playing_ = false;
  undo_.clear();
  redo_.clear();
  chosen_.reset();
  path_ = std::move(path);
  time_s_ = path_.keyframes.front().time_s;
  begin(std::move(file));
}

/// Resets the state for a new path.
void PathEditor::begin(std::filesystem::path file) {
  change();
  file_ = std::move(file);
  own_file_ = false;
  saved_version_ = first_version_ = version_;
}

void PathEditor::saved(std::filesystem::path file, std::uint64_t version) {
  if (version < first_version_) return;
  file_ = std::move(file);
  own_file_ = true;
  saved_version_ = version;
}

void PathEditor::clear() {
  remember("clear");
  undo_.back().filed = filed();
  path_ = {};
  chosen_.reset();
  begin({});
}

double PathEditor::start_s() const {
  return empty() ? 0 : path_.keyframes.front().time_s;
}

double PathEditor::end_s() const {
  return empty() ? 0 : start_s() + spline_->duration_s();
}

void PathEditor::seek(double time_s) {
  time_s_ = std::clamp(time_s, start_s(), end_s());
}

CameraKeyframe PathEditor::state() const {
  CHECK(spline_.has_value());
  return spline_->at(time_s_ - start_s());
}

void PathEditor::play() {
  CHECK(!empty());
  if (time_s_ >= end_s()) time_s_ = start_s();
  playing_ = true;
}

void PathEditor::advance(double dt_s) {
  if (!playing_) return;
  time_s_ += dt_s;
  if (time_s_ < end_s()) return;
  const double duration = end_s() - start_s();
  if (path_.loop && duration > 0) {
    time_s_ = start_s() + std::fmod(time_s_ - start_s(), duration);
  } else {
    time_s_ = end_s();
    playing_ = false;
  }
}

}  // namespace mote

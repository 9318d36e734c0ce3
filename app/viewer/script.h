#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/viewer.h"

namespace mote {

/// A script: one action a line, blank lines and remarks behind '#' apart. Besides the actions it
/// knows `wait`, which holds the script, not the viewer. A screenshot, too, holds it until it is
/// taken, and input until the window has answered it. Waiting for a still picture, screenshots of
/// the window and pointing at something by its name begin when the window shows what the lines
/// before have done.
///   wait still      the picture is of the view as it is, at full size, or could not be made
///   wait loaded     nothing is being opened or made ready
///   wait saved      no file is being written, and none read but what is opened
///   wait measured   no benchmark is at work
///   wait trained    no run is at work        wait trained N   step N is done, or no run is at work
///   wait paused     a run is paused, or none is at work
///   wait frames N   N more pictures are finished, or none is to come
///   wait seconds S  so much time has gone by
class Script {
 public:
  /// Understands every line before the first is done. `name` stands for the file in errors. Throws
  /// UsageError naming the line. `existing`: the files that its lines name as output.
  Script(std::string_view text, std::string name, Existing existing = Existing::keep);
  /// Throws Error where the file cannot be read.
  static Script read(const std::filesystem::path& path, Existing existing);

  /// Some of its lines need a window.
  bool uses_window() const;

  /// Does lines until it has to wait; to be called after every Viewer::update(). Throws Error or
  /// UsageError, naming the line, where an action refuses; the viewer stays as it is.
  void step(Viewer& viewer);
  /// Nothing is left to do, or the script has quit.
  bool done() const { return next_ == lines_.size() && !waiting_; }
  /// The line that is waited for, for a message; empty where there is none.
  std::string place() const;

 private:
  enum class Until { still, loaded, saved, measured, trained, paused, frames, seconds };
  struct Wait {
    Until until;
    double amount = 0;
    bool any_amount = false;
  };
  struct Line {
    int number;
    std::string text;
    std::optional<Wait> wait;
    bool looks = false;  // at what the window shows
  };
  static std::optional<Wait> parse_wait(const std::vector<std::string>& words);
  void begin(const Wait& wait, const Session& session);
  bool over(const Session& session) const;

  std::string name_;
  Existing existing_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
  std::optional<Wait> waiting_;
  bool seen_ = false;  // the window shows what the lines before the next have done
  std::uint64_t until_frame_ = 0;
  double until_s_ = 0;
};

}  // namespace mote

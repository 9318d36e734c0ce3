#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/viewer.h"

namespace mote {

/// A script with one action per line. Blank lines and text after '#' are ignored. In addition to
/// the actions it has `wait`, which pauses the script but not the viewer. A screenshot pauses it
/// until the file is written, and input until the window has handled it. `wait still`, screenshots
/// of the window and pointing at a named element first wait until the window shows the results of
/// the lines before.
///   wait still      the picture shows the current view at full size, or could not be rendered
///   wait loaded     nothing is being opened or prepared
///   wait saved      no file is being written or read, except paths that are being opened
///   wait measured   no benchmark is running
///   wait imported   no photographs are being imported
///   wait trained    no training is running   wait trained N   step N is done, or none is running
///   wait paused     training is paused, or none is running
///   wait frames N   N more pictures are finished, or none will follow
///   wait seconds S  S seconds have passed
class Script {
 public:
  /// Parses all lines before the first one runs. `name` is the file's name in errors. `existing`:
  /// what to do with existing files that lines name as output. Throws UsageError, which names the
  /// line.
  Script(std::string_view text, std::string name, Existing existing = Existing::keep);
  /// Throws Error if the file cannot be read.
  static Script read(const std::filesystem::path& path, Existing existing);

  /// Whether some lines need a window.
  bool uses_window() const;

  /// Runs lines until one has to wait. Called after every Viewer::update(). Throws Error or
  /// UsageError, which names the line, if an action fails; the viewer keeps its state.
  void step(Viewer& viewer);
  /// Whether all lines are done or the script has quit.
  bool done() const { return next_ == lines_.size() && !waiting_; }
  /// Whether lines from before the last Viewer::update() still have an effect to come: a path to
  /// open, an edit or a file to write. Once a line has quit, only files count.
  static bool has_pending_effects(const Session& session);
  /// The line that the script waits for, for a message; empty if there is none.
  std::string place() const;

 private:
  enum class Until { still, loaded, saved, measured, imported, trained, paused, frames, seconds };
  struct Wait {
    Until until;
    double amount = 0;
    bool any_amount = false;
  };
  struct Line {
    int number;
    std::string text;
    ActionCall call;  // of a line without a wait
    std::optional<Wait> wait;
    bool looks = false;  // it depends on what the window shows
  };
  static std::optional<Wait> parse_wait(const std::vector<std::string>& words);
  void begin(const Wait& wait, const Session& session);
  bool over(const Session& session) const;

  std::string name_;
  Existing existing_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
  std::optional<Wait> waiting_;
  bool seen_ = false;  // the window shows the results of all lines before the next one
  std::uint64_t until_frame_ = 0;
  double until_s_ = 0;
};

}  // namespace mote

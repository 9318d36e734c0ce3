// `mote import PHOTOS -o DATASET`: computes poses of photographs with the user's COLMAP.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/command.h"
#include "app/jobs/shared_options.h"
#include "core/log.h"
#include "core/progress.h"
#include "io/datasets/photo_import.h"
#include "io/datasets/video_frames.h"

namespace mote {
namespace {

/// Shows the progress on the terminal.
class ImportOnTerminal : public ImportObserver {
 public:
  explicit ImportOnTerminal(ProgressMode mode) : mode_(mode) {}
  void begin(const std::string& step, double total) override {
    progress_.reset();
    if (total > 0) progress_.emplace(mode_, step, total, "photographs");
  }
  void progress(double done) override {
    if (progress_) progress_->set(done);
  }
  void end() override { progress_.reset(); }
  void line(std::string_view) override {}

 private:
  ProgressMode mode_;
  std::optional<Progress> progress_;
};

class Import : public Command {
 public:
  void describe(OptionTable& table) override {
    table.add({.name = "photos",
               .target = &photos_,
               .help = "folder of photographs of one scene, a video, or a folder of synchronised "
                       "videos; it is not changed",
               .placeholder = "PHOTOS",
               .positional = true,
               .required = true});
    describe_dataset_folder(table, out_, "DATASET");
    options_.describe(table);
  }

  void run(const GlobalOptions& globals) override {
    ImportOnTerminal observer(globals.progress_mode());
    const ImportResult result = import_photographs(photos_, out_, options_, globals.yes, &observer);
    for (const std::string& warning : result.warnings) log_warning("{}", warning);
    report(globals, result);
  }

 private:
  void report(const GlobalOptions& globals, const ImportResult& result) const {
    if (globals.json) {
      nlohmann::json values{{"out", out_},
                            {"photographs", result.photographs},
                            {"registered", result.registered},
                            {"models", result.models},
                            {"points", result.points}};
      if (is_video(photos_)) values["frames_per_second"] = options_.video_fps;
      fmt::print("{}\n", values.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    fmt::print("{}: {} of {} photographs with poses, {} points\n", out_, result.registered,
               result.photographs, result.points);
    if (is_video(photos_)) {
      fmt::print("if something moves in it: mote train {} --frame-rate {} --motion field\n", out_,
                 options_.video_fps);
    }
  }

  ImportOptions options_;
  std::string photos_, out_;
};

}  // namespace

extern const CommandEntry kImportCommand{
    "import", "find the poses of photographs with COLMAP, for training",
    R"(Runs the installed COLMAP (Debian: apt-get install colmap) on the CPU. The dataset has images/
(links, or copies; copies with an EXIF orientation are turned upright), sparse/0 (the model;
smaller models are beside it), import.json (a list of both) and colmap.log. Photographs should
be sharp, taken from different places, and share most of their content with their neighbours.
ffmpeg (Debian: apt-get install ffmpeg) takes frames out of a video, --video-fps of them per second,
and numbers them; if something moves in it, train with --frame-rate and that number.
--masks hides what moves from COLMAP.
Several synchronised videos in one folder, by cameras that stand still, become a dataset of a moving
scene: each camera has its own intrinsics, and points are found every --keyframe-interval.
A stopped import continues from its features when it is started again. -y replaces an earlier
import when the new one is complete.)",
    make_command<Import>};

}  // namespace mote

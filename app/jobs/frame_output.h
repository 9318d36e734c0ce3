#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "cameras/camera.h"
#include "core/input_files.h"
#include "core/options.h"

namespace mote {

/// Destination and formats of the frames of `mote render`: --out and related options.
struct FrameOutputOptions {
  std::string out, format = "png";
  std::vector<std::string> outputs{"rgb"};
  int crf = 18;
  bool replace = false;  // replace existing files, where that is allowed

  void describe(OptionTable& table);
  /// Whether --out is a video file; otherwise it is a folder.
  bool is_video() const;
  bool wants(std::string_view output) const;
  /// Throws UsageError for options that exclude each other. `given`: names of the options set by
  /// the user.
  void check(const std::set<std::string>& given) const;
  /// Throws Error if nothing can be written at the destination, before any frame is rendered.
  /// Creates nothing.
  void check_place() const;
};

/// Receives the frames in order. An unfinished output leaves complete pictures, or no video.
class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  virtual void write(const View& view, const Frame& frame) = 0;
  virtual void finish() = 0;
  /// For --json: the files of a view, by output; null if the view has no file of its own.
  virtual nlohmann::json files_of(const View& view) const = 0;
  /// For --json: other facts than the views' files; null if there are none.
  virtual nlohmann::json facts() const = 0;
  /// Text for the user after the number of frames, for example ", 2 s of H.264 (libx264)"; may be
  /// empty.
  virtual std::string remark() const = 0;
};

/// CHECKs that there are views. Throws Error if a video's views differ in size or no encoder
/// accepts them, if an existing file may not be replaced, or if an output would replace an input. A
/// folder for pictures may not contain inputs either.
std::unique_ptr<FrameOutput> make_frame_output(const FrameOutputOptions& options,
                                               std::span<const View> views,
                                               double frames_per_second,
                                               const InputFiles& inputs = {});

/// Callbacks of write_sequence().
struct SequenceSteps {
  /// Renders one view into the frame.
  std::function<FrameStats(const View& view, Frame& frame)> render;
  /// Called before each frame with the number of rendered frames; may throw to stop.
  std::function<void(std::size_t done)> before;
};

/// Renders the views in order, and writes each one while the next is rendered. Returns the render
/// statistics per view. Rethrows errors of rendering, writing and `before` after the frame being
/// written is complete.
std::vector<FrameStats> write_sequence(std::span<const View> views, const SequenceSteps& steps,
                                       FrameOutput& output);

}  // namespace mote

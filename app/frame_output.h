#pragma once

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

/// Where `mote render` puts its frames, and as what: --out and what goes with it.
struct FrameOutputOptions {
  std::string out, format = "png";
  std::vector<std::string> outputs{"rgb"};
  int crf = 18;
  bool replace = false;  // files that exist, as far as they may be

  void describe(OptionTable& table);
  /// Whether --out names a video; else a folder.
  bool is_video() const;
  bool wants(std::string_view output) const;
  /// Throws UsageError where options do not go together; `given` are the names of those that the
  /// user set.
  void check(const std::set<std::string>& given) const;
  /// Fails now rather than after the first frame where nothing can be written there. Makes nothing.
  void check_place() const;
};

/// What takes the frames, in order. What was not finished leaves whole pictures, or no video.
class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  virtual void write(const View& view, const Frame& frame) = 0;
  virtual void finish() = 0;
  /// For --json: the files of a view, by output; null where it has none of its own.
  virtual nlohmann::json files_of(const View& view) const = 0;
  /// For --json: what there is but the files of views; null where there is nothing.
  virtual nlohmann::json facts() const = 0;
  /// For a person, behind the number of frames: ", 2 s of H.264 (libx264)"; may be empty.
  virtual std::string remark() const = 0;
};

/// CHECKs that there are views. Throws Error where a video's views differ in size or no encoder
/// takes them, where a file that exists may not be replaced, and where an input would be: of these
/// there are none in the folder of pictures either.
std::unique_ptr<FrameOutput> make_frame_output(const FrameOutputOptions& options,
                                               std::span<const View> views,
                                               double frames_per_second,
                                               const InputFiles& inputs = {});

}  // namespace mote

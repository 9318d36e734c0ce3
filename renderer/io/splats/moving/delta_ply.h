#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "core/file.h"
#include "io/splats/ply_header.h"
#include "io/splats/scene_format.h"
#include "splats/splat_cloud.h"

namespace mote {

/// A moving scene in a .ply of older versions of Brush: splats, and the differences of each frame
/// from them. It holds the splats; frames are read from the file. Thread safe.
class DeltaPly {
 public:
  /// Throws Error if the file is damaged, has no frames, or has frames that do not fit its splats.
  explicit DeltaPly(const std::filesystem::path& path, const ProgressCallback& progress = {});

  std::size_t frame_count() const { return frames_.size(); }
  /// The splats of a frame, without warnings about values that are not finite. Throws Error if they
  /// cannot be read.
  SplatCloud frame(std::size_t frame, const ProgressCallback& progress = {}) const;

 private:
  /// The range of the differences of a value: a stored 0 is the least, 1 the largest.
  struct Span {
    float least = 0, largest = 1;
  };
  struct Frame {
    const PlyElement* rows = nullptr;
    std::vector<Span> spans;  // of values()
  };

  void find_frames();
  void check_rows(const PlyElement& element) const;
  std::vector<float> read_row(const PlyElement& element) const;
  SplatCloud read_rows(const PlyElement& element, const ProgressCallback& progress) const;

  InputFile input_;
  PlyHeader header_;
  SplatCloud base_;
  std::vector<Frame> frames_;
};

/// Reads the first frame of such a file.
SceneFormat delta_ply_format();

/// The number of frames in a .ply of older versions of Brush; 0 for all other files.
std::size_t delta_frame_count(const std::filesystem::path& path);

}  // namespace mote

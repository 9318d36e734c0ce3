#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/cli/command.h"
#include "splats/selection.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The options of writing a moving scene as a folder of files, one a frame.
struct FrameConversion {
  std::string format = {};  // of the frames: an extension without its dot; empty: none are written
  double frames_per_second = 0;  // 0: as the scene says, else 30

  void describe(OptionTable& table);
  bool wanted() const { return !format.empty(); }
};

/// Throws Error unless the folder is missing or empty: other files in it would be taken for frames.
void check_frame_folder(const std::string& folder);

struct WrittenFrames {
  std::size_t frames = 0;
  std::uint64_t splats = 0, bytes = 0;  // of all frames
  std::string_view format = {};
};

/// Writes the splats of each frame of a scene that moves, from 0 to its duration, that `selection`
/// keeps: frame_0001.ply, ... Throws Error for splats that stand still, and for a moment without
/// splats.
WrittenFrames write_frames(const SplatCloud& cloud, const Selection& selection,
                           const std::string& folder, const FrameConversion& conversion,
                           const GlobalOptions& globals);

}  // namespace mote

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/cli/command.h"
#include "io/splats/splat_sequence.h"

namespace mote {

/// Facts of one frame of a sequence.
struct FrameFacts {
  std::string file;  // name of the file
  std::size_t splats = 0, memory_bytes = 0;
  int sh_degree = 0;
};

/// Facts of a folder of splat files, one per frame, for `mote info`.
struct SequenceFacts {
  std::string folder, format;  // the format of the first frame
  std::size_t frames = 0;
  double frames_per_second = 30, end_s = 0;       // the last frame's time
  std::uint64_t file_bytes = 0;                   // of all frames
  std::size_t splats_least = 0, splats_most = 0;  // per frame
  FrameFacts first, last;
};

/// Reads every frame; shows progress and stops on Ctrl-C. Throws Error if a frame cannot be read.
SequenceFacts measure_sequence(const SplatSequence& sequence, double frames_per_second,
                               const GlobalOptions& globals);

nlohmann::json sequence_info_json(const SequenceFacts& facts);
/// The facts as a table for the user.
std::string sequence_info_text(const SequenceFacts& facts);

}  // namespace mote

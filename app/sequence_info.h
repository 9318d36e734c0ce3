#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/command.h"
#include "io/splat_sequence.h"

namespace mote {

/// What one frame of a sequence holds.
struct FrameFacts {
  std::string file;  // its name
  std::size_t splats = 0, memory_bytes = 0;
  int sh_degree = 0;
};

/// What `mote info` says of a folder of splat files, one a frame.
struct SequenceFacts {
  std::string folder, format;  // the format of the first frame
  std::size_t frames = 0;
  double frames_per_second = 30, end_s = 0;       // the last frame's time
  std::uint64_t file_bytes = 0;                   // of all frames
  std::size_t splats_least = 0, splats_most = 0;  // of a frame
  FrameFacts first, last;
};

/// Reads every frame, shows progress and stops at Ctrl-C. Throws Error where one cannot be read.
SequenceFacts measure_sequence(const SplatSequence& sequence, double frames_per_second,
                               const GlobalOptions& globals);

nlohmann::json sequence_info_json(const SequenceFacts& facts);
/// The same as a table for people.
std::string sequence_info_text(const SequenceFacts& facts);

}  // namespace mote

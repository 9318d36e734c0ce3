#pragma once

// The results of `mote info`, as JSON and as tables for the user: of datasets, of splats, of
// neural fields, and of folders of frames. Each has a file of its own.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/commands/scene_loading.h"
#include "io/datasets/dataset_source.h"
#include "io/splats/splat_sequence.h"

namespace mote {

/// The JSON of `mote info` for a dataset at `path`.
nlohmann::json dataset_info_json(const std::string& path, const LoadedDataset& data);
/// The same facts as a table for the user.
std::string dataset_info_text(const std::string& path, const LoadedDataset& data);

/// The JSON of `mote info` for a scene of splats.
nlohmann::json splat_info_json(const LoadedScene& scene);
/// The same facts as a table for the user.
std::string splat_info_text(const LoadedScene& scene);

/// The JSON of `mote info` for a neural field.
nlohmann::json field_info_json(const LoadedModel& loaded);
/// The same facts as a table for the user.
std::string field_info_text(const LoadedModel& loaded);

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

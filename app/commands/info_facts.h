#pragma once

// The results of `mote info`, as JSON and as tables for the user: of datasets, of splats, of
// neural fields, of folders of frames, and of projects. Each has a file of its own.

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/scene_loading.h"
#include "io/datasets/dataset_source.h"
#include "io/projects/project.h"
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

/// Facts of a folder of splat files, one per frame, or of a file of frames, for `mote info`.
struct SequenceFacts {
  std::string folder, format;  // the format of the first frame
  bool in_one_file = false;
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

/// Facts of the edits of a scene of a project.
struct EditsFacts {
  std::filesystem::path file;
  std::string fault = {};  // why the file cannot be read; empty: it can
  std::size_t selected = 0, hidden = 0, deleted = 0, moved = 0, added = 0;  // numbers of splats
};

/// Facts of a scene of a project.
struct SceneFacts {
  std::string name;
  std::filesystem::path path;  // empty: the project holds all of its splats
  bool shown = true;
  bool missing = false;  // there is nothing at the path
  bool changed = false;  // the file has changed since the project was saved
  bool is_transformed = false, is_colored = false;
  std::size_t crops = 0;  // of a moving scene or a neural field
  std::optional<EditsFacts> edits = {};
};

/// Facts of a project for `mote info`.
struct ProjectFacts {
  std::filesystem::path file;
  Project project;
  std::vector<SceneFacts> scenes = {};
  std::vector<std::filesystem::path> missing = {};  // files and folders that the project names
};

/// Reads the project and its edits, and looks for its files. Throws Error if the project cannot be
/// read.
ProjectFacts measure_project(const std::filesystem::path& file);

nlohmann::json project_info_json(const ProjectFacts& facts);
/// The facts as a table for the user.
std::string project_info_text(const ProjectFacts& facts);

}  // namespace mote

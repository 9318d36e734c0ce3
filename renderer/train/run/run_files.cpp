#include "train/run/run_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "io/images/own_file.h"
#include "io/splats/scene_format.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28;  // largest JSON file that is read
constexpr const char* kPictureFolders[] = {"gt", "render", "diff"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// Null if the file cannot be read.
json json_at(const fs::path& path) {
  try {
    return json::parse(read_text_file(path, kMostBytes), nullptr, false);
  } catch (const Error&) {
    return {};
  }
}

/// Files that occur once in every run.
std::vector<fs::path> single_files(const RunFolder& folder) {
  return {folder.log(),   folder.metrics(), folder.plot(),
          folder.stats(), folder.cameras(), folder.reference()};
}

bool is_scene(const RunFolder& folder, const fs::path& path) {
  for (const ModelEntry* model : models()) {
    const auto step = folder.step_of_scene(*model, path);
    if (!step) continue;
    for (const SceneFormat& format : scene_formats()) {
      for (const std::string_view extension : format.extensions) {
        if (path == folder.scene(*model, *step, extension.substr(1))) return true;
      }
    }
  }
  return false;
}

/// Scenes and checkpoints.
std::vector<fs::path> numbered_files(const RunFolder& folder) {
  std::vector<fs::path> found;
  for (const fs::path& path : folder_entries(folder.path())) {
    if (is_scene(folder, path)) found.push_back(path);
  }
  for (const fs::path& path : folder_entries(folder.checkpoints())) {
    const auto step = folder.step_of_checkpoint(path);
    if (step && path == folder.checkpoint(*step)) found.push_back(path);
  }
  return found;
}

std::vector<fs::path> evaluations(const RunFolder& folder) {
  std::vector<fs::path> found = folder_entries(folder.path() / "eval");
  std::erase_if(found, [&](const fs::path& path) {
    const auto step = folder.step_of_evaluation(path);
    return !step || path != folder.evaluation(*step);
  });
  return found;
}

/// NAME.png for every view of the run.
std::set<std::string> listed_pictures(const RunFolder& folder) {
  std::set<std::string> names;
  const json file = json_at(folder.cameras());
  if (!file.is_object() || !file.contains("frames") || !file["frames"].is_array()) return names;
  for (const json& frame : file["frames"]) {
    if (frame.is_object() && frame.contains("file_path") && frame["file_path"].is_string()) {
      names.insert(frame["file_path"].get<std::string>());
    }
  }
  return names;
}

void add_pictures(const fs::path& folder, const std::set<std::string>& listed,
                  std::vector<fs::path>& found) {
  std::error_code ignored;
  for (const fs::path& path : entries_below(folder)) {
    if (!fs::is_regular_file(path, ignored) || path.extension() != ".png") continue;
    const std::string name = path.lexically_relative(folder).generic_string();
    if (listed.contains(name) || is_written_by_mote(path)) found.push_back(path);
  }
}

}  // namespace

bool is_run_config(const fs::path& path) {
  const json config = json_at(path);
  return config.is_object() && config.contains("#version") && config.contains("data");
}

std::vector<fs::path> files_of_run(const RunFolder& folder) {
  std::vector<fs::path> found = numbered_files(folder);
  const std::set<std::string> listed = listed_pictures(folder);
  for (const fs::path& evaluation : evaluations(folder)) {
    for (const char* pictures : kPictureFolders) add_pictures(evaluation / pictures, listed, found);
    if (is_there(evaluation / "metrics.json")) found.push_back(evaluation / "metrics.json");
  }
  std::vector<fs::path> single = single_files(folder);
  single.push_back(folder.config());
  for (const fs::path& path : single) {
    if (is_there(path)) found.push_back(path);
  }
  return found;
}

std::vector<fs::path> evaluation_folders(const RunFolder& folder) {
  std::vector<fs::path> found;
  for (const fs::path& evaluation : evaluations(folder)) {
    found.push_back(evaluation);
    std::error_code ignored;
    for (const fs::path& path : entries_below(evaluation)) {
      if (fs::symlink_status(path, ignored).type() == fs::file_type::directory) {
        found.push_back(path);
      }
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> files_in_the_way(const RunFolder& folder) {
  std::vector<fs::path> single = single_files(folder), found;
  single.push_back(folder.config());
  for (const fs::path& evaluation : evaluations(folder)) {
    for (const char* pictures : kPictureFolders) single.push_back(evaluation / pictures);
    single.push_back(evaluation / "metrics.json");
  }
  for (const fs::path& path : single) {
    if (is_there(path)) found.push_back(path);
  }
  std::ranges::copy(numbered_files(folder), std::back_inserter(found));
  return found;
}

}  // namespace mote

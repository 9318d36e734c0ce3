#include "train/run/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/unfinished.h"
#include "io/splats/scene_format.h"
#include "train/run/run_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEvaluationPrefix = "step_", kCheckpointPrefix = "ckpt_";

/// N of a name of the form PREFIX N REST.
std::optional<std::uint64_t> number_behind(std::string_view name, std::string_view prefix,
                                           std::string_view* rest = nullptr) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [stop, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (fault != std::errc()) return {};
  name.remove_prefix(static_cast<std::size_t>(stop - name.data()));
  if (rest != nullptr) *rest = name;
  if (rest == nullptr && !name.empty()) return {};
  return number;
}

/// N of the name of a file that a run of some model always writes.
std::optional<std::uint64_t> step_of_written(std::string_view name) {
  for (const ModelEntry* model : models()) {
    std::string_view rest;
    const auto step = number_behind(name, model->file_prefix, &rest);
    if (step && rest.starts_with('.') && rest.substr(1) == model->extension) return step;
  }
  return {};
}

/// The checkpoints, including damaged ones.
std::vector<fs::path> checkpoint_entries(const RunFolder& folder) {
  std::vector<fs::path> paths = folder_entries(folder.checkpoints());
  std::erase_if(paths, [](const fs::path& path) {
    return !path.filename().string().starts_with(kCheckpointPrefix);
  });
  return paths;
}

}  // namespace

RunFolder::~RunFolder() {
  lock_.reset();
  remove_empty_folders(made_);
}

fs::path RunFolder::scene(const ModelEntry& model, std::uint64_t step,
                          std::string_view extension) const {
  return path_ / fmt::format("{}{}.{}", model.file_prefix, step, extension);
}

fs::path RunFolder::evaluation(std::uint64_t step) const {
  return path_ / "eval" / fmt::format("{}{}", kEvaluationPrefix, step);
}

fs::path RunFolder::checkpoint(std::uint64_t step) const {
  return checkpoints() / fmt::format("{}{:09}.bin", kCheckpointPrefix, step);
}

std::optional<std::uint64_t> RunFolder::step_of_scene(const ModelEntry& model,
                                                      const fs::path& path) const {
  std::string_view rest;
  const std::string name = path.filename().string();
  return number_behind(name, model.file_prefix, &rest);
}

std::optional<std::uint64_t> RunFolder::step_of_checkpoint(const fs::path& path) const {
  std::string_view rest;
  const std::string name = path.filename().string();
  return number_behind(name, kCheckpointPrefix, &rest);
}

std::optional<std::uint64_t> RunFolder::step_of_evaluation(const fs::path& path) const {
  return number_behind(path.filename().string(), kEvaluationPrefix);
}

bool RunFolder::holds_run() const {
  return is_run_config(config());
}

bool RunFolder::is_free() const {
  return files_in_the_way(*this).empty();
}

std::optional<fs::path> RunFolder::newest_scene() const {
  std::optional<fs::path> newest;
  std::uint64_t most = 0;
  for (const fs::path& path : folder_entries(path_)) {
    const auto step = step_of_written(path.filename().string());
    if (!step || (newest && *step < most)) continue;
    most = *step;
    newest = path;
  }
  return newest;
}

std::optional<std::uint64_t> RunFolder::newest_checkpoint_step() const {
  std::optional<std::uint64_t> newest;
  for (const fs::path& path : checkpoint_entries(*this)) {
    std::string_view rest;
    const std::string name = path.filename().string();
    const auto step = number_behind(name, kCheckpointPrefix, &rest);
    if (step && rest == ".bin") newest = std::max(newest.value_or(0), *step);
  }
  return newest;
}

void RunFolder::check(RunStart start, const InputFiles& inputs) const {
  RunLock::check(path_);
  check_files(start, inputs);
  check_folder(path_);
}

void RunFolder::check_files(RunStart start, const InputFiles& inputs) const {
  const bool is_run = holds_run();
  if (is_run && start == RunStart::fresh) {
    throw Error("contains a run already", path_.string(),
                "continue it with --resume, replace it with -y, or choose another folder with -o");
  }
  if (!is_run && start != RunStart::resume) {
    const std::vector<fs::path> others = files_in_the_way(*this);
    if (others.empty()) return;
    throw Error("was not written by Mote, and a run would replace it", others.front().string(),
                "move it, or choose another folder with -o");
  }
  if (start != RunStart::replace) return;
  for (const fs::path& path : files_of_run(*this)) {
    if (!inputs.holds(path)) continue;
    throw Error("is an input of this run, and belongs to the run that it would replace",
                path.string(), "choose another folder with -o");
  }
}

void RunFolder::open(RunStart start, const InputFiles& inputs) {
  check(start, inputs);
  made_ = make_folders(path_);
  lock_ = std::make_unique<RunLock>(path_);
  check_files(start, inputs);
  start_ = start;
  std::ranges::copy(make_folders(checkpoints()), std::back_inserter(made_));
}

void RunFolder::make_again() {
  make_folders(checkpoints());
  if (lock_ && lock_->is_in_place()) return;
  lock_.reset();
  lock_ = std::make_unique<RunLock>(path_);
}

void RunFolder::clear() const {
  remove_unfinished();
  if (start_ != RunStart::replace) return;
  for (const fs::path& path : files_of_run(*this)) {
    std::error_code fault;
    // If a file was replaced by a symbolic link, the link and its target stay.
    if (fs::is_symlink(fs::symlink_status(path, fault))) {
      fs::resize_file(path, 0, fault);
    } else {
      fs::remove(path, fault);
    }
    if (fault) {
      throw Error("cannot be removed: " + fault.message(), path.string(),
                  "remove it, or choose another folder with -o");
    }
  }
  remove_empty_folders(evaluation_folders(*this));
}

void RunFolder::remove_unfinished() const {
  std::vector<std::string_view> endings{".bin", ".csv", ".json", ".log", ".png", ".svg"};
  for (const SceneFormat& format : scene_formats()) {
    if (!format.can_be_written()) continue;
    endings.insert(endings.end(), format.extensions.begin(), format.extensions.end());
  }
  mote::remove_unfinished(path_, endings);
  mote::remove_unfinished(checkpoints(), endings);
  mote::remove_unfinished(reference().parent_path(), endings);
  for (const fs::path& folder : evaluation_folders(*this)) {
    mote::remove_unfinished(folder, endings);
  }
}

fs::path scene_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  return RunFolder(path).newest_scene().value_or(path);
}

}  // namespace mote

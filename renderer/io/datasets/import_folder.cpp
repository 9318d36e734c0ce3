#include "io/datasets/import_folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/file_lock.h"
#include "core/folders.h"
#include "core/system_fault.h"
#include "io/datasets/colmap.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char *kWork = "import.partial", *kLog = "colmap.log", *kList = "import.json",
                     *kState = "features.json", *kImages = "images", *kModels = "sparse";
constexpr std::uint64_t kMaxBytes = 1ull << 28;

json read_json(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  return json::parse(read_text_file(path, kMaxBytes), nullptr, false);
}

void write_json(const json& values, const fs::path& path) {
  OutputFile file(path);
  file.write(values.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  file.commit();
}

/// The files below a folder, as relative paths.
std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const fs::path& path : entries_below(folder)) {
    if (!fs::is_directory(path, ignored)) {
      names.insert(path.lexically_relative(folder).generic_string());
    }
  }
  return names;
}

/// Moves a file and makes the parent folders of its new place.
void move_file(const fs::path& from, const fs::path& to) {
  make_folders(to.parent_path());
  std::error_code fault;
  fs::rename(from, to, fault);
  if (fault) {
    throw Error("cannot be moved: " + fault.message(), from.string() + " to " + to.string(),
                "remove the cause, and import again with -y");
  }
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  std::error_code fault;
  return fs::file_size(a, fault) == fs::file_size(b, fault) && !fault &&
         read_text_file(a) == read_text_file(b);
}

}  // namespace

ImportFolder::ImportFolder(fs::path path) : path_(std::move(path)), work_(path_ / kWork) {}

bool ImportFolder::holds_model() const {
  return is_colmap_model(path_ / kModels / "0");
}

std::set<std::string> ImportFolder::earlier_files() const {
  std::set<std::string> files;
  std::error_code ignored;
  const json list = read_json(path_ / kList);
  if (list.is_object() && list.contains("files") && list["files"].is_array()) {
    for (const json& name : list["files"]) {
      if (name.is_string()) files.insert(name.get<std::string>());
    }
    // A manipulated list must not refer to files outside.
    std::erase_if(files, [](const std::string& name) {
      const fs::path normal = fs::path(name).lexically_normal();
      return normal != name || normal.is_absolute() || *normal.begin() == "..";
    });
  } else if (fs::exists(path_ / kLog, ignored)) {
    for (const fs::path& model : folder_entries(path_ / kModels)) {
      if (!is_colmap_model(model)) continue;
      for (const std::string& name : files_below(model)) {
        files.insert(fs::path(kModels) / model.filename() / name);
      }
    }
  }
  return files;
}

void ImportFolder::check(bool replace) const {
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !fs::is_directory(path_, ignored)) {
    throw Error("is a file, expected a folder for the dataset", path_.string(),
                "choose another folder with -o");
  }
  const bool unfinished = fs::exists(work_, ignored) && !holds_model();
  std::set<std::string> in_place;  // what an unfinished import moved there
  for (const std::string& file : earlier_files()) in_place.insert(fs::path(file).begin()->string());
  for (const fs::path& entry : folder_entries(path_)) {
    const std::string name = entry.filename().string();
    const bool ours =
        name == kWork || name == kLog ||
        (unfinished && fs::exists(path_ / kList, ignored) &&
         (name == kList || name == kImages || name == kModels || in_place.contains(name)));
    if (ours || replace) continue;
    throw Error("the folder is not empty: it contains " + name, path_.string(),
                "replace the images and the model of an earlier import with -y, or choose another "
                "folder");
  }
  if (replace && holds_model() && earlier_files().empty()) {
    throw Error("is a model that mote import did not write", (path_ / kModels / "0").string(),
                "move it elsewhere, or choose another folder with -o");
  }
}

void ImportFolder::open() {
  make_folders(path_);
  lock_ = FileDescriptor(::open(log().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (lock_.get() < 0) {
    throw SystemFault("cannot be written", errno, log(), "choose a folder that you may write to");
  }
  if (lock_file(lock_.get()) == FileLock::held_elsewhere) {
    throw Error("another mote is importing into this folder", path_.string(),
                "wait for it, stop it, or choose another folder with -o");
  }
}

void ImportFolder::begin() const {
  remove_work(true);
  make_folders(images());
  make_folders(models());
}

ImportFolder::Features ImportFolder::take_features(const std::string& key, bool may_continue) {
  key_ = key;
  Features found = Features::none;
  std::error_code fault;
  const json state = read_json(work_ / kState);
  if (state.is_object() && state.value("key", json()) == key && fs::exists(database(), fault)) {
    const json features = state.value("features", json());
    if (features == "all") found = Features::all;
    if (features == "some" && may_continue) found = Features::some;
  }
  if (found != Features::none) return found;
  for (const fs::path& entry : folder_entries(work_)) {
    if (is_of_features(entry)) fs::remove_all(entry, fault);
  }
  note(found);
  return found;
}

void ImportFolder::note(Features features) {
  constexpr const char* kNames[] = {"none", "some", "all"};
  write_json({{"key", key_}, {"features", kNames[static_cast<std::size_t>(features)]}},
             work_ / kState);
}

void ImportFolder::check_place(const std::string& name, const fs::path& source,
                               bool as_it_is) const {
  const fs::path place = path_ / kImages / name;
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(place, ignored))) return;
  const bool is_source = fs::equivalent(place.parent_path(), source.parent_path(), ignored) &&
                         place.filename() == source.filename();
  if (is_source && !as_it_is) {
    throw Error("has an EXIF orientation and would be replaced by its upright copy",
                source.string(), "choose another folder with -o");
  }
  if (is_source || earlier_files().contains(fs::path(kImages) / name)) return;
  if (fs::equivalent(place, source, ignored) || same_bytes(place, source)) return;
  throw Error("differs from " + source.string() + ", and mote import did not write it",
              place.string(), "move it elsewhere, or choose another folder with -o");
}

void ImportFolder::check_extra(const std::string& name, const fs::path& source) const {
  const fs::path place = path_ / name;
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(place, ignored)) || earlier_files().contains(name)) return;
  if (!source.empty() && fs::equivalent(place, source, ignored)) return;
  throw Error("is there already, and mote import did not write it", place.string(),
              "move it elsewhere, or choose another folder with -o");
}

void ImportFolder::write_list_of(const std::set<std::string>& files) const {
  write_json({{"written_by", "mote import"}, {"files", files}}, path_ / kList);
}

void ImportFolder::publish(const std::vector<fs::path>& models) {
  std::vector<std::pair<fs::path, std::string>> moves;  // source, and path in the dataset
  for (const std::string& name : files_below(images())) {
    moves.emplace_back(images() / name, fs::path(kImages) / name);
  }
  for (const std::string& name : files_below(extras())) {
    moves.emplace_back(extras() / name, name);
  }
  for (std::size_t i = models.size(); i-- > 0;) {
    for (const std::string& name : files_below(models[i])) {
      moves.emplace_back(models[i] / name, fs::path(kModels) / std::to_string(i) / name);
    }
  }
  const std::set<std::string> earlier = earlier_files();
  std::set<std::string> now, both = earlier;
  std::error_code ignored;
  for (const auto& [from, name] : moves) {
    // A file of the user that is in its place already, such as a photograph that is imported from
    // images/ itself, is not ours: a later import must not remove it.
    const bool is_model = *fs::path(name).begin() == kModels;
    const bool is_there = fs::exists(fs::symlink_status(path_ / name, ignored));
    if (is_model || earlier.contains(name) || !is_there) now.insert(name);
  }
  both.insert(now.begin(), now.end());
  write_list_of(both);  // if this is interrupted, files already in place are known to be ours
  for (const std::string& name : earlier) {
    const bool is_model = *fs::path(name).begin() == kModels;
    if (!is_model && now.contains(name)) continue;
    fs::path gone = path_ / name;
    while (gone != path_ && fs::remove(gone, ignored)) gone = gone.parent_path();  // only if empty
  }
  for (const auto& [from, name] : moves) move_file(from, path_ / name);
  write_list_of(now);
  remove_work(false);
}

bool ImportFolder::leave(bool keep_features) const {
  std::error_code ignored;
  const bool keep = keep_features && fs::exists(database(), ignored);
  remove_work(keep);
  return keep;
}

bool ImportFolder::is_of_features(const fs::path& path) const {
  return path == moments() || path.filename().string().starts_with(database().filename().string());
}

void ImportFolder::remove_work(bool keep_features) const {
  std::error_code fault;
  if (!keep_features) fs::remove_all(work_, fault);
  for (const fs::path& entry : folder_entries(work_)) {
    if (entry.filename() == kState || is_of_features(entry)) continue;
    if (!fault) fs::remove_all(entry, fault);
  }
  if (!fault) return;
  throw Error("files of an earlier import cannot be removed: " + fault.message(), work_.string(),
              "remove it, or choose another folder with -o");
}

}  // namespace mote

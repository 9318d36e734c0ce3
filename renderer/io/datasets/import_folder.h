#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/file_descriptor.h"

namespace mote {

/// The folder of an imported dataset. New files are written to its subfolder `import.partial` and
/// moved into place when the import is complete; an earlier dataset stays until then. After a
/// failure, the subfolder keeps the features that COLMAP found, for the next import of the same
/// photographs.
///
/// Mote writes images/, sparse/N/, colmap.log and import.json, which lists the others; of a rig
/// also videos/, the calibration of its cameras and points. Of an
/// earlier dataset, only files in that list are replaced.
class ImportFolder {
 public:
  explicit ImportFolder(std::filesystem::path path);
  ImportFolder(const ImportFolder&) = delete;
  ImportFolder& operator=(const ImportFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const { return path_ / "colmap.log"; }
  std::filesystem::path images() const { return work_ / "images"; }
  std::filesystem::path masks() const { return work_ / "masks"; }
  std::filesystem::path database() const { return work_ / "database.db"; }
  std::filesystem::path list() const { return work_ / "list.txt"; }
  /// The folder of the frames of a video.
  std::filesystem::path frames() const { return work_ / "frames"; }
  std::filesystem::path models() const { return work_ / "models"; }
  /// The folder of what is found at successive moments of a rig. It is kept with the features.
  std::filesystem::path moments() const { return work_ / "moments"; }
  /// The folder of other files of the dataset, in their places.
  std::filesystem::path extras() const { return work_ / "extras"; }

  /// Throws Error where the folder holds anything but the remains of an unfinished import. With
  /// `replace`, throws Error only where its content is not from an import.
  void check(bool replace) const;
  /// Makes the folder and locks it against other imports. Throws Error where one is active there.
  void open();

  /// Begins the work: removes the remains of an earlier import except its features.
  void begin() const;
  enum class Features { none, some, all };
  /// Existing features with the same `key`, which identifies the photographs and options that they
  /// depend on. Others are removed, and so are incomplete ones where they cannot be continued.
  Features take_features(const std::string& key, bool may_continue);
  /// Records the progress of the features.
  void note(Features features);

  /// Throws Error where images/NAME must not be replaced: no import wrote it and its bytes differ
  /// from `source`, or it is `source` itself and would be replaced by an upright copy (not
  /// `as_it_is`).
  void check_place(const std::string& name, const std::filesystem::path& source,
                   bool as_it_is) const;
  /// Throws Error where a file of extras() would replace one that no import wrote and that is not
  /// `source`.
  void check_extra(const std::string& name, const std::filesystem::path& source) const;
  /// Moves the content of images(), extras() and the models into place, the first model last. They
  /// replace an earlier import.
  void publish(const std::vector<std::filesystem::path>& models);
  /// Removes the work folder, completely or except the features. Returns whether features are kept.
  bool leave(bool keep_features) const;

 private:
  bool holds_model() const;
  /// The files of an earlier import, from its list, or without one from its log.
  std::set<std::string> earlier_files() const;
  void write_list_of(const std::set<std::string>& files) const;
  void remove_work(bool keep_features) const;
  /// Whether the path is the database, one of the files that SQLite keeps beside it, or moments().
  bool is_of_features(const std::filesystem::path& path) const;

  std::filesystem::path path_, work_;
  std::string key_;
  FileDescriptor lock_;
};

}  // namespace mote

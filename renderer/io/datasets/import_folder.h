#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/file_descriptor.h"

namespace mote {

/// The folder of a dataset that is imported. All work goes on in `import.partial` in it and is
/// moved into place when it is whole, so that a dataset that was there stays until then. A work
/// folder that is left keeps the features that COLMAP found, for the next import of the same
/// photographs.
///
/// Mote writes images/, sparse/N/, colmap.log and import.json here, which lists the rest; of a
/// dataset that was there no more is replaced than what that list names.
class ImportFolder {
 public:
  explicit ImportFolder(std::filesystem::path path);
  ImportFolder(const ImportFolder&) = delete;
  ImportFolder& operator=(const ImportFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const { return path_ / "colmap.log"; }
  std::filesystem::path images() const { return work_ / "images"; }
  std::filesystem::path database() const { return work_ / "database.db"; }
  std::filesystem::path list() const { return work_ / "list.txt"; }
  std::filesystem::path models() const { return work_ / "models"; }

  /// Throws Error where the folder holds anything but what an import left that did not come to its
  /// end; with `replace`, only where what it holds is not of an import.
  void check(bool replace) const;
  /// Makes the folder and keeps other imports out of it. Throws Error where one is at work there.
  void open();

  /// Begins the work: what was left of an earlier one goes, but for its features.
  void begin() const;
  enum class Features { none, some, all };
  /// The features that are there of the same `key`, which tells the photographs and options that
  /// they depend on; others are removed, and so are some where one cannot go on from those.
  Features take_features(const std::string& key, bool may_continue);
  /// Notes how far features have come.
  void note(Features features);

  /// Throws Error where images/NAME cannot be put: a file that no import wrote and that has other
  /// bytes than `source` is there; or it is `source` itself, which is not to be put `as_it_is`.
  void check_place(const std::string& name, const std::filesystem::path& source,
                   bool as_it_is) const;
  /// Moves what lies in images(), and the models, the first the last, into place, in place of an
  /// earlier import.
  void publish(const std::vector<std::filesystem::path>& models);
  /// Removes the work: all of it, or all but the features. Says whether any are kept.
  bool leave(bool keep_features) const;

 private:
  bool holds_model() const;
  /// The files of an earlier import, by its list or, without one, by its log.
  std::set<std::string> earlier_files() const;
  void write_list_of(const std::set<std::string>& files) const;
  void remove_work(bool keep_features) const;
  /// SQLite keeps files of its own beside the database.
  bool is_of_database(const std::filesystem::path& path) const;

  std::filesystem::path path_, work_;
  std::string key_;
  FileDescriptor lock_;
};

}  // namespace mote

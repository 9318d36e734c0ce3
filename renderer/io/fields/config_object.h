#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace mote {

/// A JSON file with comments, and the line of each of its keys. "parent" names a file, relative to
/// this one, whose values hold where this file has none.
class ConfigText {
 public:
  /// Throws Error, with the line, if a file cannot be read, is not JSON, or is its own parent.
  explicit ConfigText(const std::filesystem::path& file);
  /// The values of another format, in a file of this name. Their places are the file. Parents may
  /// have been merged into them.
  ConfigText(nlohmann::json top, const std::string& name)
      : file_(name), top_(std::move(top)), is_merged_(true) {}

  const nlohmann::json& top() const { return top_; }
  /// "base.json, line 12" of the key with this path, such as "encoding/n_levels".
  std::string place(const std::string& path) const;
  /// An error whose place is the path of a key, with the place of the key instead, or of the object
  /// nearest around it that is there.
  Error placed(const Error& fault) const;
  /// Whether a key of the object with this path is from a file above the one that chose the
  /// object's `otype`, which chose another. Keys of the replaced type have no effect.
  bool is_replaced(const std::string& object, const std::string& key) const;
  /// Whether keys of replaced types cannot be told from others.
  bool is_merged() const { return is_merged_; }
  /// Keys that were found to have no effect, by their paths.
  std::vector<std::string>& unused() const { return unused_; }

 private:
  struct Place {
    std::string text;
    int depth = 0;  // number of files below the one with the key
  };

  void read(const std::filesystem::path& file, int depth);

  std::filesystem::path file_;
  nlohmann::json top_;
  std::map<std::string, Place> places_;
  bool is_merged_ = false;
  mutable std::vector<std::string> unused_;
};

/// An object of a ConfigText, which must outlive it. Throws Error, which names the key and its
/// place, for values of another type or out of range.
class ConfigObject {
 public:
  ConfigObject(const nlohmann::json& object, const ConfigText& text, std::string path);

  bool has(const std::string& key) const;
  double number(const std::string& key, double otherwise, double least, double most) const;
  int integer(const std::string& key, int otherwise, int least, int most) const;
  bool flag(const std::string& key, bool otherwise) const;
  /// In lower case: names do not depend on case.
  std::string name(const std::string& key, const std::string& otherwise) const;
  std::optional<ConfigObject> object(const std::string& key) const;
  /// The objects of a list.
  std::vector<ConfigObject> objects(const std::string& key) const;
  /// Allows a key without reading it.
  void ignore(const std::string& key) const { known_.insert(key); }
  /// Throws Error for a key that no call has named, but for keys of a replaced type. `of_types`:
  /// keys of all types of such objects. Where parents were merged, these are noted as unused.
  void refuse_others(std::span<const std::string_view> of_types = {}) const;

  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         const std::string& remedy) const;

 private:
  const nlohmann::json* find(const std::string& key) const;
  std::string path_of(const std::string& key) const;

  const nlohmann::json& object_;
  const ConfigText& text_;
  std::string path_;
  mutable std::set<std::string> known_;
};

}  // namespace mote

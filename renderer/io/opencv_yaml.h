#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mote {

/// The values of a file that OpenCV's FileStorage wrote as YAML: numbers, texts, lists and matrices
/// at the top level. Anything deeper is skipped. YAML as a whole is not read: OpenCV writes a small
/// part of it, and "%YAML:1.0", with which its files begin, is none.
class OpencvYaml {
 public:
  /// A value as written. A matrix has rows and columns; a list and a single value have none.
  struct Value {
    std::vector<std::string> items;
    std::size_t rows = 0, columns = 0;
    std::size_t line = 0;  // in the file, from 1
  };

  /// Throws Error, which names file and line, for lines that are not of that form, for matrices
  /// whose numbers do not fill them, and for files of more than 256 MB.
  explicit OpencvYaml(const std::filesystem::path& path);

  bool has(const std::string& key) const { return values_.contains(key); }
  /// The number at the key; empty where the key is missing. Throws Error for anything else.
  std::optional<double> number(const std::string& key) const;
  /// The list at the key; empty where it is missing.
  std::vector<std::string> texts(const std::string& key) const;
  /// The numbers of a matrix or list, row by row; empty where the key is missing. Throws Error for
  /// another number of them than `count`.
  std::vector<double> numbers(const std::string& key, std::size_t count) const;
  const std::string& file() const { return file_; }

  /// Throws Error about the value at the key.
  [[noreturn]] void fail(const std::string& key, const std::string& problem) const;

 private:
  std::string file_;
  std::map<std::string, Value> values_;
};

}  // namespace mote

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace mote {

/// A file to which lines are appended over hours. If the file or its folder is removed meanwhile,
/// both are made again.
class GrowingFile {
 public:
  /// `beginning` gives the first text of a file that is made again. Throws Error where the file
  /// cannot be opened for writing.
  explicit GrowingFile(std::filesystem::path path, std::function<std::string()> beginning = {});
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Appends the whole text or nothing. Returns false, with `errno` set, where the write fails.
  bool append(std::string_view text);

 private:
  bool is_in_place() const;
  bool open_again();
  bool put(std::string_view text);

  std::filesystem::path path_;
  std::function<std::string()> beginning_;
  int descriptor_ = -1;
};

}  // namespace mote

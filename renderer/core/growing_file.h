#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace mote {

/// A file that lines are appended to over hours, and that its path leads to as long as it grows.
/// Where someone removed it, or the folder that it is in, both are made again.
class GrowingFile {
 public:
  /// `beginning` gives the text that a file made again starts with. Throws Error where the file
  /// cannot be opened for writing.
  explicit GrowingFile(std::filesystem::path path, std::function<std::string()> beginning = {});
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Appends the text whole or not at all; false where the disk does not take it, with `errno` set.
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

#pragma once

#include <filesystem>
#include <sstream>
#include <string>

#include "core/file.h"

namespace mote {

/// The lines of a text file that are neither comments (#) nor, where asked, empty; numbered from 1.
class TextLines {
 public:
  explicit TextLines(const std::filesystem::path& path)
      : name_(path.string()), stream_(read_text_file(path, 1ull << 34)) {}

  bool next(std::string& line, bool skip_empty) {
    while (std::getline(stream_, line)) {
      ++number_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.starts_with('#') || (skip_empty && line.empty())) continue;
      return true;
    }
    return false;
  }
  /// "images.txt, line 7"
  std::string where() const { return name_ + ", line " + std::to_string(number_); }

 private:
  std::string name_;
  std::istringstream stream_;
  int number_ = 0;
};

}  // namespace mote

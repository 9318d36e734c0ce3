#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"

namespace mote {

/// The lines of a text file of a COLMAP model without comments (#), and optionally without empty
/// lines; numbered from 1.
class TextLines {
 public:
  explicit TextLines(const std::filesystem::path& path)
      : name_(path.string()), stream_(read_text_file(path, 1ull << 34)) {}

  bool next(std::string& line, bool skip_empty) {
    while (again_ || std::getline(stream_, line_)) {
      number_ += again_ ? 0 : 1;
      again_ = false;
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
      if (line_.starts_with('#')) {
        read_promise();
        continue;
      }
      if (skip_empty && line_.empty()) continue;
      line = line_;
      return true;
    }
    return false;
  }
  /// Makes next() return the last line again.
  void unread() { again_ = true; }

  /// The number of entries according to the file's header, if any.
  std::optional<std::uint64_t> promised() const { return promised_; }
  /// Warns where that number differs from the number of entries read.
  void check_promise(std::uint64_t read, const char* entries,
                     std::vector<std::string>& warnings) const {
    if (!promised_ || *promised_ == read) return;
    warnings.push_back(
        fmt::format("{}: announces {} {} in its header, but contains {}; unless it was edited, it "
                    "is truncated, so export the model from COLMAP again",
                    name_, *promised_, entries, read));
  }

  /// Text such as "images.txt, line 7".
  std::string where() const { return name_ + ", line " + std::to_string(number_); }

 private:
  /// "# Number of images: 43, mean observations per image: 1204.5"
  void read_promise() {
    constexpr std::string_view kNumber = "# Number of ";
    const std::size_t colon = line_.find(": ");
    if (!line_.starts_with(kNumber) || colon == std::string::npos) return;
    std::uint64_t count = 0;
    const char* end = line_.data() + line_.size();
    if (std::from_chars(line_.data() + colon + 2, end, count).ec == std::errc()) promised_ = count;
  }

  std::string name_, line_;
  std::istringstream stream_;
  std::optional<std::uint64_t> promised_;
  int number_ = 0;
  bool again_ = false;
};

}  // namespace mote

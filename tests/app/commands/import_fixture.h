#pragma once

#include "support/fake_colmap.h"
#include "support/program_fixture.h"

namespace mote {

inline const std::vector<std::string> kFour{"a 1.png", "b.png", "grün.png", "日本.png"};

/// Runs `mote import` with a fake COLMAP that succeeds, fails in every known way, or hangs.
class ImportCommand : public WithFakeColmap<Program> {
 protected:
  std::vector<std::string> import_words(const std::string& colmap) const {
    return {"import", path("photos"), "-o", path("out"), "--colmap", colmap};
  }

  std::string calls() const {
    return fs::exists(path("calls.txt")) ? text_of(path("calls.txt")) : "";
  }
  /// Names of the files and folders in a folder.
  std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path(folder))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace mote

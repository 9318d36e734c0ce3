#pragma once

#include "present_fixture.h"
#include "program_fixture.h"
#include "virtual_display.h"

namespace mote {

/// The built program with its window on a virtual display. Skipped without Xvfb or a Vulkan driver.
class WindowProgram : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    if (!display_.is_there()) GTEST_SKIP() << "no Xvfb";
    try {
      keep_drivers_loaded();
    } catch (const Error& error) {
      GTEST_SKIP() << "no Vulkan driver: " << error.what();
    }
  }

  /// The words of `mote view` with settings of its own, followed by `more`.
  std::vector<std::string> view(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"view",    "--device",   "cpu",           "--size",
                                   "640x420", "--settings", path("settings")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// The same with a script of this text.
  std::vector<std::string> view_script(const std::string& text,
                                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = view({"--script", write_file("script", text)});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

 private:
  VirtualDisplay display_;
};

}  // namespace mote

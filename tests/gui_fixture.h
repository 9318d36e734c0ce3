#pragma once

// A window on a display that no screen shows, driven by scripts that have hands.

#include "app/gui/window.h"
#include "io/image_files.h"
#include "present_fixture.h"
#include "viewer_fixture.h"
#include "virtual_display.h"

namespace mote {

/// Each run of a script opens a window of its own on the same viewer, watched by validation layers.
/// Screenshots of `{shots}` stay in the build folder, to be looked at.
class ScriptedWindow : public ScriptedViewer {
 protected:
  static constexpr int kWidth = 640, kHeight = 420;

  void SetUp() override {
    ScriptedViewer::SetUp();
    if (!display_.is_there()) GTEST_SKIP() << "no Xvfb";
    try {
      keep_drivers_loaded();
    } catch (const Error& error) {
      GTEST_SKIP() << "no Vulkan driver: " << error.what();
    }
    std::filesystem::create_directories(MOTE_SCREENSHOTS);
  }

  /// Runs the text to its end in a window. `{}` in it stands for the test's folder.
  void run_in_window(std::string text, bool offscreen = false) {
    replace(text, "{shots}", MOTE_SCREENSHOTS);
    replace(text, "{}", folder_.string());
    Script script(text, "script");
    gui::Window window(
        *viewer_,
        offscreen ? gui::make_offscreen_host(kWidth, kHeight) : gui::open_window(kWidth, kHeight),
        {.validation = true, .script = &script, .ends_with_script = true});
    window.run();
    EXPECT_TRUE(script.done());
    EXPECT_EQ(window.validation().count(), 0);
    for (const std::string& message : window.validation().texts()) ADD_FAILURE() << message;
  }

  static Image8 shot(const std::string& name) {
    return read_image8(std::filesystem::path(MOTE_SCREENSHOTS) / name);
  }

 private:
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
      text.replace(at, what.size(), by);
    }
  }

  VirtualDisplay display_;
};

}  // namespace mote

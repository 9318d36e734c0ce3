#pragma once

// A window on a virtual display, driven by scripts with pointer and keyboard input.

#include <fmt/format.h>

#include <glm/vec2.hpp>

#include "app/gui/panel.h"
#include "app/gui/window.h"
#include "app/viewer/view/display.h"
#include "io/images/image_files.h"
#include "present_fixture.h"
#include "viewer_fixture.h"
#include "virtual_display.h"

namespace mote {

/// Each script runs in a new window on the same viewer, with validation layers. Screenshots in
/// `{shots}` stay in the build folder for inspection.
class ScriptedWindow : public ScriptedViewer {
 protected:
  static constexpr int kWidth = 640, kHeight = 420;

  void SetUp() override {
    panels_ = gui::panel_entries();
    ScriptedViewer::SetUp();
    if (!display_.is_there()) GTEST_SKIP() << "no Xvfb";
    try {
      keep_drivers_loaded();
    } catch (const Error& error) {
      GTEST_SKIP() << "no Vulkan driver: " << error.what();
    }
    std::filesystem::create_directories(MOTE_SCREENSHOTS);
  }

  /// Runs the script in a window. `{}` in the text is replaced by the test's folder.
  void run_in_window(std::string text, bool offscreen = false) {
    run_in_window(std::move(text), offscreen ? gui::make_offscreen_host(kWidth, kHeight)
                                             : gui::open_window(kWidth, kHeight));
  }
  void run_in_window(std::string text, std::unique_ptr<gui::Host> host) {
    replace(text, "{shots}", MOTE_SCREENSHOTS);
    replace(text, "{}", folder_.string());
    Script script(text, "script", existing_);
    run_in(std::move(host), script);
    EXPECT_TRUE(script.done());
  }

  void run_in(std::unique_ptr<gui::Host> host, Script& script) {
    std::shared_ptr<const present::ValidationLog> validation;
    {
      gui::Window window(*viewer_, std::move(host),
                         {.validation = true,
                          .script = &script,
                          .ends_with_script = true,
                          .prepares = prepares_,
                          .cache_folder = folder_ / "cache"});
      validation = window.validation();
      window.run();
    }
    EXPECT_EQ(validation->count(), 0);
    for (const std::string& message : validation->texts()) ADD_FAILURE() << message;
  }

  /// Whether the last window ended with an element whose name contains the words.
  bool seen(std::string_view words) const {
    const std::vector<NamedPlace>& places = session().window.places;
    return std::any_of(places.begin(), places.end(), [&](const NamedPlace& place) {
      return place.name.find(words) != std::string::npos;
    });
  }

  /// The picture's rectangle in that window, px.
  PicturePlace place_of_view() const {
    for (const NamedPlace& place : session().window.places) {
      if (place.name != "view") continue;
      return {static_cast<int>(place.x), static_cast<int>(place.y), static_cast<int>(place.width),
              static_cast<int>(place.height)};
    }
    ADD_FAILURE() << "there was no view";
    return {};
  }

  /// A `pointer at view` line for a position in the picture, px.
  std::string pointer_at_view(const glm::dvec2& px) const {
    return fmt::format("pointer at view {:.6f} {:.6f}\n", px.x / session().view.width,
                       px.y / session().view.height);
  }

  static Image8 shot(const std::string& name) {
    return read_image8(std::filesystem::path(MOTE_SCREENSHOTS) / name);
  }

  /// WindowOptions::prepares. It makes pipelines that most tests do not use, on a device of its
  /// own.
  bool prepares_ = false;

 private:
  static void replace(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
      text.replace(at, what.size(), by);
    }
  }

  VirtualDisplay display_;
};

}  // namespace mote

#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "app/viewer/script.h"
#include "app/viewer/workers/seconds.h"
#include "dataset_fixture.h"
#include "devices/devices.h"
#include "io/splats/scene_format.h"
#include "random_cloud.h"
#include "support/files/file_bytes.h"

namespace mote {

/// A viewer with small pictures and a temporary folder, driven by scripts. It uses the CPU by
/// default.
class ScriptedViewer : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("mote_viewer_") + test->name() + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    start();
  }
  void TearDown() override {
    viewer_.reset();
    std::filesystem::remove_all(folder_);
  }

  void start() {
    viewer_.reset();
    viewer_ = std::make_unique<Viewer>(
        ViewerSetup{.backend = make_backend(device_, {.threads = 2, .isa = {}}),
                    .device = device_,
                    .version = "test",
                    .settings_folder = folder_ / "settings",
                    .splat_memory_gb = splat_memory_gb_,
                    .panels = panels_});
    viewer_->resize(64, 48);
    act("set smoothing 0");
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string scene(const std::string& name = "scene.ply", std::size_t splats = 200,
                    std::uint32_t seed = 1) const {
    save_scene(random_cloud(splats, 1, seed), path(name));
    return path(name);
  }

  /// Runs a line of a script; errors become notices.
  void act(const std::string& line) {
    try {
      viewer_->perform(parse_action(line));
    } catch (const Error& error) {
      viewer_->tell(NoticeKind::error, error.what());
    }
  }

  void update() {
    viewer_->update(0.01);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// Runs the script. `{}` in the text is replaced by the folder.
  void run(std::string text) {
    for (std::size_t at; (at = text.find("{}")) != std::string::npos;) {
      text.replace(at, 2, folder_.string());
    }
    Script script(text, "script", existing_);
    do {
      update();
      script.step(*viewer_);
    } while (!script.done());
    update();
  }

  const Session& session() const { return viewer_->session(); }

  /// Number of error notices that contain the phrase.
  std::ptrdiff_t errors(const std::string& phrase) const {
    const auto& list = session().notices.list();
    return std::count_if(list.begin(), list.end(), [&](const Notice& notice) {
      return notice.kind == NoticeKind::error && notice.text.find(phrase) != std::string::npos;
    });
  }

  std::string device_ = "cpu";
  double splat_memory_gb_ = 0;
  std::vector<const PanelEntry*> panels_;  // for the action `panel`
  Existing existing_ = Existing::replace;  // for files named as outputs by scripts
  std::filesystem::path folder_;
  std::unique_ptr<Viewer> viewer_;
};

}  // namespace mote

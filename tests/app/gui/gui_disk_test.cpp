// The window while the disk is full. Every failed write names the file and the remedy and leaves no
// partial file, and the window continues.
#include "support/files/small_disk.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class AWindowOnAFullDisk : public ScriptedWindow {
 protected:
  static constexpr std::size_t kBytes = 64 << 10;

  void SetUp() override {
    ScriptedWindow::SetUp();
    if (IsSkipped()) return;
    viewer_.reset();
    // A run whose folder is full saves its results in the current folder.
    fs::current_path(folder_);
    disk_ = std::make_unique<SmallDisk>(folder_ / "disk", kBytes);
    if (!disk_->is_there()) GTEST_SKIP() << "this process may not mount a small disk";
    start();  // threads see only mounts that exist before they start
    scene("scene.ply", 3000);
  }
  void TearDown() override {
    viewer_.reset();
    disk_.reset();
    fs::current_path(before_);
    ScriptedWindow::TearDown();
  }

  /// Fills the disk.
  void fill() const {
    std::ofstream file(path("disk/full"), std::ios::binary);
    file << std::string(kBytes, 'x') << std::flush;
    file.close();
    EXPECT_EQ(fs::space(path("disk")).available, 0u);
  }

  /// Names of the files and folders.
  std::vector<std::string> on_disk() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "disk")) {
      names.push_back(fs::relative(entry.path(), folder_ / "disk").string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  /// Expects that the line fails once with a message about the file, and succeeds in another
  /// folder.
  void expect_only_a_message(const std::string& line, const std::string& name) {
    SCOPED_TRACE(line);
    const auto in = [&](const std::string& folder) {
      return fmt::format(fmt::runtime(line), "{}/" + folder + name);
    };
    const std::ptrdiff_t before = errors("");
    run_in_window(in("disk/") + "\nwait saved\nscreenshot window {shots}/full_disk.png\n");
    EXPECT_EQ(errors(""), before + 1);
    const std::string said = session().notices.list().back().text;
    EXPECT_NE(said.find(path("disk/" + name)), std::string::npos) << said;
    EXPECT_NE(said.find("No space left"), std::string::npos) << said;
    EXPECT_NE(said.find("free space on that disk"), std::string::npos) << said;
    EXPECT_EQ(on_disk(), std::vector<std::string>{"full"});
    run_in_window("camera orbit 5 0\nwait still\n" + in("") + "\nwait saved\n");
    EXPECT_EQ(errors(""), before + 1);
    EXPECT_TRUE(fs::exists(path(name)));
  }

  std::unique_ptr<SmallDisk> disk_;
  const fs::path before_ = fs::current_path();
};

TEST_F(AWindowOnAFullDisk, ReportsEveryFailedWriteAndContinues) {
  fill();
  run_in_window("open {}/scene.ply\nwait still\npath add 0\ncamera orbit 10 0\npath add 1\n");
  expect_only_a_message("export {}", "copy.ply");
  expect_only_a_message("screenshot {}", "picture.png");
  expect_only_a_message("screenshot window {}", "window.png");
  expect_only_a_message("path save {}", "path.json");
  expect_only_a_message("path export {} 64x48 10", "flight.mp4");
}

TEST_F(AWindowOnAFullDisk, KeepsTheDialogOpenIfAWriteFails) {
  fill();
  const auto click = [](const std::string& name) {
    return "pointer at \"" + name + "\"\npointer click left\nwait still\n";
  };
  // Small enough for the check before the write, too large for what is left.
  run_in_window(
      "open {}/scene.ply\nwait still\nwindow size 900 700\nkey Ctrl+E\nwait still\n"
      "pointer at Folder\npointer click left\nkey Ctrl+A\ntext {}/disk\nkey Enter\n"
      "wait still\n" +
      click("Save") +
      "wait saved\nwait still\n"
      "screenshot window {shots}/full_disk_dialog.png\n");
  EXPECT_TRUE(seen("No space left"));
  EXPECT_TRUE(seen("Back"));
  EXPECT_EQ(session().notices.errors(), 1u);
  EXPECT_EQ(errors("No space left"), 0) << "its card would cover the dialog";
}

TEST_F(AWindowOnAFullDisk, KeepsFilesThatItFailsToReplace) {
  write_bytes(folder_ / "disk" / "copy.ply", "an old one");
  fill();
  run_in_window("open {}/scene.ply\nwait still\nexport {}/disk/copy.ply\nwait saved\n");
  EXPECT_EQ(errors("copy.ply"), 1);
  EXPECT_EQ(text_of(path("disk/copy.ply")), "an old one");
}

TEST_F(AWindowOnAFullDisk, EndsARunWithAMessageAndTrainsInAnotherFolder) {
  make_tiny_dataset(path("data"));
  const std::string run = "steps=60 eval=false sh-degree=1 init=random init-count=2000 ";
  run_in_window("open {}/data\nwait loaded\npanel train on\ntrain start " + run +
                "out={}/disk/run\nwait trained\nwait still\n"
                "screenshot window {shots}/full_disk_run.png\n");
  EXPECT_FALSE(session().trainer.active());
  ASSERT_TRUE(session().training.end.has_value());
  const std::string fault = session().training.end->fault;
  EXPECT_NE(fault.find(path("disk/run")), std::string::npos) << fault;
  EXPECT_NE(fault.find("No space left"), std::string::npos) << fault;
  EXPECT_NE(fault.find("free space"), std::string::npos) << fault;
  EXPECT_EQ(errors("No space left"), 1);
  for (const std::string& name : on_disk()) {
    EXPECT_EQ(name.find(".partial-"), std::string::npos) << name;
    EXPECT_EQ(name.find("splat_"), std::string::npos) << name;
  }
  EXPECT_TRUE(fs::exists(path("run_rescued/splat_60.ply")));
  run_in_window("train start " + run + "out={}/run\nwait trained\nwait still\n");
  EXPECT_TRUE(fs::exists(path("run/splat_60.ply")));
  EXPECT_EQ(errors(""), 1);
}

}  // namespace
}  // namespace mote

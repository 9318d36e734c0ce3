// Output files of actions: which existing files they replace.
#include <sys/resource.h>

#include "app/viewer/session/action.h"
#include "support/own_memory.h"
#include "support/thrown_by.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class FilesNamedInScripts : public ScriptedViewer {
 protected:
  /// Opens a scene that fills the view, with a camera path.
  void open_scene() {
    scene();
    run("open {}/scene.ply\nwait loaded\nwait still\npath add 0\npath add 0.1\n");
  }

  void fill(const std::string& name) { std::ofstream(path(name)) << kText; }
  bool is_kept(const std::string& name) const { return text_of(path(name)) == kText; }

  static constexpr const char* kText = "somebody's";
};

class SizesNamedInScripts : public FilesNamedInScripts {};

TEST_F(FilesNamedInScripts, ReplaceExistingFilesOnlyIfAllowed) {
  open_scene();
  struct Case {
    const char* action;
    const char* file;
  };
  for (const Case& named : {Case{"export {}/", "copy.ply"}, Case{"screenshot {}/", "view.png"},
                            Case{"path save {}/", "path.json"}, Case{"path export {}/", "a.mp4"}}) {
    SCOPED_TRACE(named.file);
    const std::string line = std::string(named.action) + named.file + "\nwait still\nwait saved\n";
    fill(named.file);
    existing_ = Existing::keep;
    const std::string message = thrown_by([&] { run(line); }).what();
    EXPECT_NE(message.find("script, line 1: "), std::string::npos) << message;
    EXPECT_NE(message.find("exists already"), std::string::npos) << message;
    EXPECT_TRUE(is_kept(named.file));
    existing_ = Existing::replace;
    run(line);
    EXPECT_FALSE(is_kept(named.file));
    std::filesystem::remove(path(named.file));
    existing_ = Existing::keep;
    run(line);
    EXPECT_GT(std::filesystem::file_size(path(named.file)), 0u);
  }
  EXPECT_EQ(errors(""), 0);
}

TEST_F(FilesNamedInScripts, NeverReplaceFilesThatAppearMeanwhile) {
  open_scene();
  viewer_->perform(parse_action("camera orbit 10 0"));
  viewer_->perform({"screenshot", path("view.png")}, Existing::keep);
  fill("view.png");
  run("wait still\nwait saved\n");
  EXPECT_TRUE(is_kept("view.png"));
  EXPECT_EQ(errors("view.png"), 1);
}

TEST_F(FilesNamedInScripts, NeverReplacePhotographsOrFramesInUse) {
  make_tiny_dataset(path("data"));
  std::filesystem::create_directories(path("frames"));
  scene("frames/frame_1.ply"), scene("frames/frame_2.ply", 200, 2);
  run("open {}/data\nwait loaded\nopen {}/frames\nwait loaded\nwait still\n");
  ASSERT_FALSE(session().cameras.empty());
  const std::string photograph = session().cameras.front().views.front().image.string();
  const std::string before = text_of(photograph);
  const std::string frame = text_of(path("frames/frame_2.ply"));
  for (const std::string& line :
       {"screenshot " + as_word(photograph), std::string("export {}/frames/frame_2.ply")}) {
    const std::string message = thrown_by([&] { run(line + "\nwait saved\n"); }).what();
    EXPECT_NE(message.find("cannot be its output"), std::string::npos) << message;
  }
  EXPECT_EQ(text_of(photograph), before);
  EXPECT_EQ(text_of(path("frames/frame_2.ply")), frame);
}

TEST_F(SizesNamedInScripts, AreRefusedBeyondTheMemory) {
  if (!kOwnMemory) GTEST_SKIP() << "a sanitizer takes more address space than any limit";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = std::uint64_t{12} << 30;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &limited), 0);
  viewer_->perform(parse_action("path add 0"));
  for (const char* line : {"size 16384 16384", "path export {}/frames 16384x16384"}) {
    const std::string message = thrown_by([&] { run(line); }).what();
    EXPECT_NE(message.find("16384x16384 pixels need about"), std::string::npos) << message;
  }
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(session().view.width, 64);
}

}  // namespace
}  // namespace mote

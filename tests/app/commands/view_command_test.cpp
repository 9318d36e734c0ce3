// `mote view` and `mote` as programs, without a display.
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

/// Neither a display nor settings of the user.
class ViewCommand : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }

  std::vector<std::string> offscreen(const std::string& script) const {
    return {"view",   "--offscreen", "--device", "cpu",
            "--size", "80x60",       "--script", write_file("script.txt", script)};
  }
};

TEST_F(ViewCommand, WritesTheScreenshotsOfAScript) {
  const std::string scene = write_scene();
  const Outcome outcome = run(
      offscreen("open " + scene + "\nwait still\nscreenshot " + path("a.png") + "\nwait saved\n"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Image8 image = read_image8(path("a.png"));
  EXPECT_EQ(image.width, 80);
  EXPECT_EQ(image.height, 60);
}

TEST_F(ViewCommand, PrintsAReportAtItsEnd) {
  auto words = offscreen("wait still\n");
  words.insert(words.end(), {"--json", write_scene()});
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::parse(outcome.out).is_object());
}

TEST_F(ViewCommand, OpensSeveralPathsAlsoWithoutItsName) {
  const std::string first = write_scene(), second = path("one, two.ply");
  save_scene(random_cloud(10, 1, 1), second);
  const auto opened = [&](std::vector<std::string> words) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto report = nlohmann::json::parse(outcome.out, nullptr, false);
    return report.is_object() ? report["scenes"].size() : 0;
  };
  auto words = offscreen("wait loaded\n");
  words.insert(words.end(), {"--json", first, second});
  EXPECT_EQ(opened(words), 2u);
  words.erase(words.begin());
  words.resize(words.size() - 2);
  words.insert(words.begin(), {first, second});
  EXPECT_EQ(opened(words), 2u) << "as a desktop calls the program";
  expect_refusal({"scne.ply"}, 2, {"unknown command"});
}

TEST_F(ViewCommand, FailsIfAFileCannotBeOpened) {
  const Outcome outcome = run(offscreen("open " + path("missing.ply") + "\nwait loaded\n"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("missing.ply"), std::string::npos) << outcome.err;
}

TEST_F(ViewCommand, FailsIfTheLastPathCannotBeOpened) {
  const auto expect_failure = [&](const std::vector<std::string>& words) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("missing.ply"), std::string::npos) << outcome.err;
  };
  expect_failure(offscreen("open " + path("missing.ply") + "\n"));
  auto words = offscreen("# nothing\n");
  words.push_back(path("missing.ply"));
  expect_failure(words);
}

TEST_F(ViewCommand, WritesTheFileOfTheLastLine) {
  const std::string open = "open " + write_scene() + "\nwait loaded\n";
  const auto expect_file = [&](const std::string& action, const std::string& name,
                               const std::string& after) {
    const Outcome outcome = run(offscreen(open + action + " " + path(name) + "\n" + after));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(path(name))) << action;
  };
  expect_file("screenshot", "a.png", "");
  expect_file("project save as", "a.mote", "");
  expect_file("project save as", "b.mote", "quit\n");
}

TEST_F(ViewCommand, NamesTheInvalidLineOfAScript) {
  expect_refusal(offscreen("wait still\ncamera orbti 1 2\n"), 2, {"script.txt, line 2", "orbit"});
  expect_refusal(offscreen("wait nothing\n"), 2, {"script.txt, line 1"});
}

TEST_F(ViewCommand, ReportsAMissingDisplay) {
  expect_refusal({"view", "--device", "cpu"}, 1, {"no window can be opened", "--offscreen"});
}

TEST_F(ViewCommand, RequiresAScriptWithoutADisplay) {
  expect_refusal({"view", "--offscreen"}, 2, {"--script"});
}

TEST_F(ViewCommand, RefusesAnUnknownScreenByName) {
  auto words = offscreen("pointer 1 1\n");
  words.insert(words.end(), {"--gpu", "no such card"});
  const Outcome outcome = run(words);
  if (outcome.exit_code == 1 && outcome.err.find("Vulkan") != std::string::npos) {
    GTEST_SKIP() << "no Vulkan driver: " << outcome.err;
  }
  expect_refusal(words, 2, {"there is no such device", "--gpu no such card", "one of: "});
}

TEST_F(ViewCommand, ListsTheActionsWithTheirKeys) {
  const Outcome outcome = run({"view", "--actions"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* phrase : {"camera orbit RIGHT UP", "(Ctrl+O)", "screenshot window PATH"}) {
    EXPECT_NE(outcome.out.find(phrase), std::string::npos) << phrase;
  }
}

TEST_F(ViewCommand, MoteWithoutACommandPrintsWhyItOpensNoWindow) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("No window   there is no display"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("mote render SCENE"), std::string::npos);
}

TEST_F(ViewCommand, MoteWithoutACommandReportsAnUnreachableDisplay) {
  ::setenv("DISPLAY", ":987654", 1);
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("No window   "), std::string::npos) << outcome.out;
  expect_refusal({"view", "--device", "cpu"}, 1, {"no window can be opened"});
}

}  // namespace
}  // namespace mote

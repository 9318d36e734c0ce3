// tools/check_words.sh, which checks the window's texts against docs/glossary.md.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace mote {
namespace {

namespace fs = std::filesystem;

class Words : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_ / "app/gui");
    fs::create_directories(root_ / "docs");
    write("docs/glossary.md",
          "| term | meaning | words not to use |\n|---|---|---|\n"
          "| Transform | where a scene is | `Place` |\n| Frame all | shows all | `Show everything` "
          "|\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }

  /// Runs the check; returns its exit code and keeps what it printed.
  int check(const fs::path& root) {
    const std::string out = (root_ / "out").string();
    const std::string call =
        "bash '" MOTE_TOOLS "/check_words.sh' '" + root.string() + "' >'" + out + "' 2>&1";
    const int status = std::system(call.c_str());  // NOLINT(cert-env33-c): the test runs a script
    std::stringstream text;
    text << std::ifstream(out).rdbuf();
    printed_ = text.str();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  int check_source(const std::string& line) {
    write("app/gui/panel.cpp", line + "\n");
    return check(root_);
  }

  /// Belongs to this process alone, since tests may run at the same time.
  fs::path root_ = fs::path(testing::TempDir()) / ("words_root_" + std::to_string(getpid()));
  std::string printed_;
};

TEST_F(Words, TheWindowUsesThoseOfTheGlossary) {
  EXPECT_EQ(check(MOTE_TOOLS "/.."), 0) << printed_;
}

TEST_F(Words, AWordNotToUseIsNamedWithItsLine) {
  EXPECT_EQ(check_source("section(context, \"Place\");"), 1);
  EXPECT_NE(printed_.find("app/gui/panel.cpp:1:"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("not \"Place\""), std::string::npos) << printed_;
  EXPECT_EQ(check_source("item(context, \"Show everything now\");"), 1) << printed_;
}

TEST_F(Words, NamesAndCommentsAreFree) {
  EXPECT_EQ(check_source("/// Place of the item, show everything.\nadd(\"place reset\");"), 0)
      << printed_;
  EXPECT_EQ(check_source("add(\"color\");"), 0) << printed_;
}

TEST_F(Words, TooltipsBeginWithACapitalAndColourHasOneSpelling) {
  EXPECT_EQ(check_source("tooltip(context, \"Next frame\");"), 0) << printed_;
  EXPECT_EQ(check_source("tooltip(context, \"next frame\");"), 1);
  EXPECT_EQ(check_source("slider_row(context, \"Size\", \"factor\", size);"), 1);
  EXPECT_EQ(check_source("note(context, \"Color of the box\");"), 1);
}

TEST_F(Words, TextsOfActionsAndOptionsAreCheckedToo) {
  fs::create_directories(root_ / "app/viewer/actions");
  fs::create_directories(root_ / "renderer/train");
  write("app/viewer/actions/some.cpp",
        "{\"box center\", kGroup, \"move the centre of the box\"},\n");
  write("renderer/train/some.cpp", ".help = \"colour of the grey background\"\n");
  EXPECT_EQ(check(root_), 0) << printed_;
  write("app/viewer/actions/some.cpp",
        "{\"box center\", kGroup, \"move the center of the box\"},\n");
  EXPECT_EQ(check(root_), 1);
  EXPECT_NE(printed_.find("spell it Centre"), std::string::npos) << printed_;
  write("app/viewer/actions/some.cpp", "{\"show\", kGroup, \"Show everything again\"},\n");
  EXPECT_EQ(check(root_), 1);
  fs::remove_all(root_ / "app/viewer");
  write("renderer/train/some.cpp", ".help = \"color of the background\"\n");
  EXPECT_EQ(check(root_), 1);
  EXPECT_NE(printed_.find("spell it Colour"), std::string::npos) << printed_;
}

TEST_F(Words, ANumberIsNotAlwaysInThePlural) {
  EXPECT_EQ(check_source("note(context, fmt::format(\"{} frames\", count));"), 1);
  EXPECT_NE(printed_.find("number_of"), std::string::npos) << printed_;
  EXPECT_EQ(check_source("note(context, fmt::format(\"{} of 12 frames\", count));"), 0) << printed_;
  EXPECT_EQ(check_source("note(context, number_of(count, \"frame\"));"), 0) << printed_;
}

TEST_F(Words, AGlossaryWithoutWordsIsAnError) {
  write("docs/glossary.md", "# Glossary\n");
  EXPECT_EQ(check(root_), 1);
  EXPECT_NE(printed_.find("has no words not to use"), std::string::npos) << printed_;
}

}  // namespace
}  // namespace mote

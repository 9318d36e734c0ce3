#include "app/viewer/session/settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class Settings : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("settings_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) const { write_bytes(folder_ / "settings.json", text); }

  fs::path folder_;
};

TEST_F(Settings, AreTheDefaultsWithoutAFile) {
  SettingsFile file(folder_);
  EXPECT_EQ(file.settings.theme, "dark");
  EXPECT_TRUE(file.take_warnings().empty());
  EXPECT_FALSE(fs::exists(folder_)) << "reading makes nothing";
}

TEST_F(Settings, ComeBackAsTheyWereSaved) {
  SettingsFile file(folder_);
  file.settings.theme = "light";
  file.settings.target_fps = 50;
  file.settings.background = {0.25, 0.5, 1};
  file.add_recent("/a/b.ply");
  file.add_recent("/c.ply");
  file.add_recent("/a/./b.ply");
  file.save();
  SettingsFile back(folder_);
  EXPECT_TRUE(back.take_warnings().empty());
  EXPECT_EQ(back.settings.theme, "light");
  EXPECT_EQ(back.settings.target_fps, 50);
  EXPECT_EQ(back.settings.background, (std::vector<double>{0.25, 0.5, 1}));
  EXPECT_EQ(back.recent(), (std::vector<fs::path>{"/a/b.ply", "/c.ply"}));
}

TEST_F(Settings, LimitTheNumberOfRecentFiles) {
  SettingsFile file(folder_);
  for (int i = 0; i < 40; ++i) file.add_recent(fmt::format("/{}", i));
  EXPECT_EQ(file.recent().size(), SettingsFile::kMostRecent);
  EXPECT_EQ(file.recent()[0], "/39");
}

TEST_F(Settings, RenameABrokenFileAndStartWithTheDefaults) {
  for (const char* text : {"{\"settings\": {", "[1, 2]", "", "\xff\xfe"}) {
    write(text);
    SettingsFile file(folder_);
    EXPECT_EQ(file.settings.theme, "dark");
    EXPECT_EQ(file.take_warnings().size(), 1u) << text;
    EXPECT_FALSE(fs::exists(folder_ / "settings.json"));
    EXPECT_EQ(text_of(folder_ / "settings.json.bad"), text);
  }
}

TEST_F(Settings, IgnoreInvalidValues) {
  write(R"({"settings": {"theme": "pink", "font-size": 20, "of-tomorrow": 1, "target-fps": "x"},
            "recent": ["/a", 7]})");
  SettingsFile file(folder_);
  EXPECT_EQ(file.take_warnings().size(), 3u);
  EXPECT_EQ(file.settings.theme, "dark");
  EXPECT_EQ(file.settings.font_size, 20);
  EXPECT_EQ(file.settings.target_fps, 30);
  EXPECT_EQ(file.recent(), std::vector<fs::path>{"/a"});
  EXPECT_TRUE(fs::exists(folder_ / "settings.json"));
}

TEST_F(Settings, SurviveValuesOfAnyType) {
  for (const char* text : {R"({"settings": 3})", R"({"recent": {"a": 1}})", R"({"recent": null})",
                           R"({"settings": null, "recent": [[]]})"}) {
    write(text);
    SettingsFile file(folder_);
    EXPECT_EQ(file.settings.theme, "dark") << text;
    EXPECT_TRUE(file.recent().empty() || text[2] == 'r') << text;
  }
}

TEST_F(Settings, LieInTheXdgFolder) {
  ::setenv("XDG_CONFIG_HOME", "/some/where", 1);
  EXPECT_EQ(settings_folder(), "/some/where/mote");
  ::setenv("XDG_CONFIG_HOME", "not/absolute", 1);
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(settings_folder(), "/home/somebody/.config/mote");
  ::unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(settings_folder(), "/home/somebody/.config/mote");
}

TEST(CacheFolder, FollowsTheEnvironment) {
  ::setenv("XDG_CACHE_HOME", "/some/where", 1);
  EXPECT_EQ(cache_folder(), "/some/where/mote");
  ::setenv("XDG_CACHE_HOME", "not/absolute", 1);
  ::setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(cache_folder(), "/home/somebody/.cache/mote");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace mote

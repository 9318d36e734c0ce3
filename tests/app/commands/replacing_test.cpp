// Files that commands may replace. Without -y: none. With -y: only files that Mote wrote under its
// own names, or the one named file. Inputs: never.
#include <sys/stat.h>

#include <map>
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "io/images/own_file.h"
#include "support/train_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

using CommandWords = std::vector<std::string>;

CommandWords with_yes(CommandWords words) {
  words.emplace_back("-y");
  return words;
}

class Replacing : public TrainCommand {
 protected:
  /// Every file below the folder with its bytes, except the captured output.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      const std::string name = entry.path().lexically_relative(folder_).string();
      if (entry.is_regular_file() && name != ".out" && name != ".err") {
        all[name] = text_of(entry.path());
      }
    }
    return all;
  }
  /// Expects a refusal that changes no file.
  void expect_untouched(const CommandWords& words, const std::vector<std::string>& phrases) const {
    const auto before = contents();
    expect_refusal(words, 1, phrases);
    EXPECT_EQ(contents(), before) << ::testing::PrintToString(words);
  }
  void put(const std::string& name, const std::string& text = "precious") const {
    fs::create_directories(fs::path(path(name)).parent_path());
    write_file(name, text);
  }
  CommandWords render(const std::string& scene, const std::string& out) const {
    return {"render", scene, "--cameras", path("data"), "-o", path(out), "--progress", "none"};
  }
};

TEST_F(Replacing, TrainingRefusesAFolderWithForeignFilesOfItsNames) {
  for (const char* name : {"cameras.json", "stats.json", "metrics.csv", "train.log", "config.json",
                           "eval/step_7/metrics.json"}) {
    put(std::string("out/") + name);
    expect_untouched(words("out"), {fs::path(name).filename().string(), "another folder"});
    expect_untouched(with_yes(words("out")), {fs::path(name).filename().string()});
    fs::remove_all(path("out"));
  }
}

TEST_F(Replacing, ReplacingARunKeepsForeignFiles) {
  ASSERT_EQ(run(words("out", {"--eval-steps", "20"}, "20")).exit_code, 0);
  const CommandWords mine{"out/splat_100.edited.ply", "out/remarks.txt",
                          "out/checkpoints/ckpt_old.bin", "out/eval/step_20/notes.txt"};
  for (const std::string& name : mine) put(name);
  ASSERT_EQ(run(with_yes(words("out", {}, "10"))).exit_code, 0);
  for (const std::string& name : mine) EXPECT_EQ(text_of(path(name)), "precious") << name;
  EXPECT_FALSE(fs::exists(path("out/splat_20.ply")));
  EXPECT_FALSE(fs::exists(path("out/eval/step_20/gt")));
  EXPECT_TRUE(fs::exists(path("out/splat_10.ply")));
}

TEST_F(Replacing, RenderingReplacesOnlyItsOwnPicturesAndOnlyOnRequest) {
  const std::string scene = write_scene();
  const CommandWords words = render(scene, "out");
  ASSERT_EQ(run(words).exit_code, 0);
  expect_untouched(words, {"view_", "exists already", "-y"});
  ASSERT_EQ(run(with_yes(words)).exit_code, 0);
  put("out/view_03.png");
  expect_untouched(with_yes(words), {"view_03.png", "not written by Mote"});
}

TEST_F(Replacing, RenderingNeverReplacesPhotographs) {
  const std::string scene = write_scene();
  fs::create_directory_symlink(path("data/images"), path("link"));
  for (const std::string out : {"data/images", "link"}) {
    expect_untouched(render(scene, out), {path(out)});
    expect_untouched(with_yes(render(scene, out)), {path(out)});
  }
  for (const char* model : {"data/sparse", "data/sparse/0"}) {
    expect_untouched({"render", scene, "--cameras", path(model), "-o", path("link"), "-y"},
                     {path("link")});
  }
  fs::create_directories(path("out"));
  fs::create_hard_link(path("data/images/view_02.png"), path("out/view_02.png"));
  expect_untouched(with_yes(render(scene, "out")), {"view_02.png", "an input of this command"});
}

TEST_F(Replacing, AVideoReplacesAFileOnlyOnRequest) {
  const std::string scene = write_scene(), video = write_file("a.mp4", "precious");
  const CommandWords words{"render", scene, "--orbit", "2", "--size", "64x64", "-o", video};
  expect_untouched(words, {"a.mp4", "exists already", "-y"});
  EXPECT_EQ(run(with_yes(words)).exit_code, 0);
  EXPECT_GT(fs::file_size(video), 100u);
}

TEST_F(Replacing, ABenchmarkReplacesAFileOnlyOnRequestAndItsSceneNever) {
  const std::string scene = write_scene(), other = write_file("other.ply", "precious");
  fs::create_symlink(scene, path("link.json"));
  const auto bench = [&](const std::string& json) {
    return CommandWords{"bench",    scene, "--orbit",  "1", "--size", "32x32",
                        "--frames", "1",   "--warmup", "0", "--json", json};
  };
  expect_untouched(bench(other), {"other.ply", "exists already", "-y"});
  for (const std::string& input : {scene, path("link.json")}) {
    expect_untouched(bench(input), {"an input of this command"});
    expect_untouched(with_yes(bench(input)), {"an input of this command"});
  }
  EXPECT_EQ(run(with_yes(bench(other))).exit_code, 0);
  EXPECT_TRUE(json::parse(text_of(other)).is_object());
}

TEST_F(Replacing, AnEvaluationReplacesOnlyAnotherEvaluationAndOnlyOnRequest) {
  const std::string scene = write_scene();
  const CommandWords words{"eval", scene, path("data"), "-o", path("out"), "--progress", "none"};
  ASSERT_EQ(run(words).exit_code, 0);
  expect_untouched(words, {"exists already", "-y"});
  ASSERT_EQ(run(with_yes(words)).exit_code, 0);
  put("out/metrics.json", "{}");
  expect_untouched(with_yes(words), {"metrics.json", "not written by Mote"});
}

TEST_F(Replacing, ASyntheticDatasetReplacesOnlyAnotherOne) {
  const CommandWords words{"synth",        "pottery", "-o",     path("out"), "--views",   "2",
                           "--test-views", "1",       "--size", "16x12",     "--samples", "1",
                           "--points",     "10"};
  ASSERT_EQ(run(words).exit_code, 0);
  expect_untouched(words, {"not empty", "-y"});
  ASSERT_EQ(run(with_yes(words)).exit_code, 0);
  for (const char* name : {"out/points.ply", "out/transforms_train.json"}) {
    const std::string whole = text_of(path(name));
    put(name);
    expect_untouched(with_yes(words), {name, "not written by Mote"});
    put(name, whole);
  }
}

TEST_F(Replacing, TheNextCommandInAFolderRemovesLeftoversOfAKilledOne) {
  const std::string scene = write_scene();
  for (const char* name :
       {"out/orbit_000.png.partial-4711", "b.ply.partial-4711", "run/stats.json.partial-4711"}) {
    put(name);
  }
  put("out/notes.txt.partial-4711");
  ASSERT_EQ(run({"render", scene, "--orbit", "1", "--size", "16x16", "-o", path("out")}).exit_code,
            0);
  EXPECT_FALSE(fs::exists(path("out/orbit_000.png.partial-4711")));
  EXPECT_TRUE(fs::exists(path("out/notes.txt.partial-4711")));
  ASSERT_EQ(run({"convert", scene, path("a.ply")}).exit_code, 0);
  EXPECT_FALSE(fs::exists(path("b.ply.partial-4711")));
  ASSERT_EQ(run(words("run", {"--no-eval"}, "2")).exit_code, 0);
  EXPECT_FALSE(fs::exists(path("run/stats.json.partial-4711")));
}

TEST_F(Replacing, ARefusedCommandCreatesNoFolder) {
  const std::string scene = write_scene(), out = path("new/out");
  const std::vector<CommandWords> refused{
      {"render", scene, "--orbit", "1", "--time", "3", "-o", out},
      {"render", path("none.ply"), "--orbit", "1", "-o", out},
      {"render", path("none.ply"), "--orbit", "1", "-o", out + "/a.mp4"},
      {"render", scene, "--orbit", "1", "--isa", "v9", "-o", out},
      {"eval", path("none.ply"), path("data"), "-o", out},
      {"eval", scene, path("none"), "-o", out},
      {"train", path("none"), "-o", out},
      {"train", path("data"), "-o", out, "--steps", "10", "--init", path("none.ply")},
      {"train", path("data"), "-o", out, "--isa", "v9"},
      {"synth", "pottery", "-o", out, "--size", "0x0"},
      {"synth", "nothing", "-o", out},
      {"bench", path("none.ply"), "--json", out},
      {"convert", path("none.ply"), out + "/a.ply"},
  };
  for (const CommandWords& words : refused) {
    EXPECT_NE(run(words).exit_code, 0) << ::testing::PrintToString(words);
    EXPECT_FALSE(fs::exists(path("new"))) << ::testing::PrintToString(words);
  }
}

TEST_F(Replacing, AnEmptyPathIsWrongUsage) {
  const std::string scene = write_scene();
  const std::vector<CommandWords> commands{
      {"train", path("data"), "-o", ""},
      {"render", scene, "--orbit", "1", "-o", ""},
      {"eval", scene, path("data"), "-o", ""},
      {"synth", "pottery", "-o", ""},
      {"import", path("data/images"), "-o", ""},
      {"bench", scene, "--json", ""},
      {"convert", scene, ""},
      {"info", ""},
  };
  const auto before = contents();
  for (const CommandWords& words : commands) expect_refusal(words, 2, {"is empty"});
  EXPECT_EQ(contents(), before);
}

TEST_F(Replacing, RunsStartedTogetherInOneParentFolderAllSucceed) {
  constexpr int kRuns = 8;
  std::vector<pid_t> children;
  for (int i = 0; i < kRuns; ++i) {
    const std::string name = fmt::format("sweep/r{}", i);
    children.push_back(start_program(words(name, {"--no-eval", "--threads", "1"}, "5"),
                                     path(fmt::format("{}.out", i)),
                                     path(fmt::format("{}.err", i))));
  }
  for (int i = 0; i < kRuns; ++i) {
    const Outcome outcome =
        finish_program(children[static_cast<std::size_t>(i)], path(fmt::format("{}.out", i)),
                       path(fmt::format("{}.err", i)));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(path(fmt::format("sweep/r{}/splat_5.ply", i)))) << i;
    EXPECT_FALSE(fs::exists(path(fmt::format("sweep/r{}/.mote-lock", i)))) << i;
  }
}

}  // namespace
}  // namespace mote

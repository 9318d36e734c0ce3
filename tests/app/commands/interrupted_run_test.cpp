// `mote train` that is told to stop, reaches a limit, or loses its folder.
#include <nlohmann/json.hpp>

#include "support/files/small_disk.h"
#include "support/train_command_fixture.h"

namespace mote {
namespace {

class InterruptedRun : public TrainCommand {
 protected:
  /// Runs `mote WORDS` in a shell whose script refers to it as "$@".
  Outcome run_by_shell(const std::string& script, const std::vector<std::string>& words) const {
    std::string command = "set --";
    for (const std::string& word : words) command += " '" + word + "'";
    write_file("script.sh", command + "\nset -- '" MOTE_PROGRAM "' \"$@\"\n" + script + "\n");
    const std::string line =
        "sh '" + path("script.sh") + "' >'" + path(".out") + "' 2>'" + path(".err") + "'";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(path(".out")),
            text_of(path(".err"))};
  }
  bool holds_scene(const std::string& folder) const {
    for (const auto& entry : fs::directory_iterator(path(folder))) {
      if (entry.path().extension() == ".ply") return load_scene(entry.path()).count() > 0;
    }
    return false;
  }
  void expect_saved(const std::string& folder) const {
    EXPECT_TRUE(holds_scene(folder));
    EXPECT_FALSE(checkpoints(folder).empty());
    std::vector<std::string> to_its_end = on(folder);
    to_its_end.insert(to_its_end.end(), {"--steps", "20", "--no-eval"});
    const Outcome resumed = run(to_its_end);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  }
};

TEST_F(InterruptedRun, AClosedPipeStopsARunInOrder) {
  const Outcome outcome = run_by_shell(
      "{ \"$@\"; echo $? >'" + path("code") + "'; } 2>&1 | head -n 1", words("out", {}, "1000000"));
  EXPECT_EQ(text_of(path("code")), "130\n") << outcome.out << outcome.err;
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << outcome.out;
  expect_saved("out");
}

TEST_F(InterruptedRun, AClosedPipeEndsOtherCommandsQuietly) {
  write_scene();
  const Outcome outcome =
      run_by_shell("{ sleep 0.2; \"$@\"; echo $? >'" + path("code") + "'; } | true",
                   {"info", path("scene.ply")});
  EXPECT_EQ(text_of(path("code")), "130\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(InterruptedRun, AClosedStderrNeitherStopsARunNorCorruptsItsFiles) {
  const Outcome outcome = run_by_shell("\"$@\" 2>&-", words("out", {"--no-eval"}, "20"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(load_scene(path("out/splat_20.ply")).count() > 0, true);
  EXPECT_TRUE(nlohmann::json::accept(text_of(path("out/config.json"))));
}

TEST_F(InterruptedRun, TheCpuTimeLimitStopsARunInOrder) {
  const Outcome outcome = run_by_shell("ulimit -S -t 1; exec \"$@\"", words("out", {}, "1000000"));
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("processor time"), std::string::npos) << outcome.err;
  expect_saved("out");
}

TEST_F(InterruptedRun, TheFileSizeLimitIsAnErrorThatLeavesNoFile) {
  write_scene(2000, 3);
  const Outcome outcome =
      run_by_shell("ulimit -f 20; exec \"$@\"", {"convert", path("scene.ply"), path("new.ply")});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  for (const std::string phrase : {"new.ply", "File too large", "ulimit -f"}) {
    EXPECT_NE(outcome.err.find(phrase), std::string::npos) << phrase << " in " << outcome.err;
  }
  for (const std::string& name : files()) EXPECT_FALSE(name.starts_with("new.ply")) << name;
}

TEST_F(InterruptedRun, ARemovedFolderIsCreatedAgain) {
  const pid_t child = start_until_new_checkpoint(words("out", {"--no-eval"}, "1000000"), "out");
  std::error_code fault;
  while (fs::remove_all(path("out"), fault), fault) {
  }
  while (checkpoints("out").empty() || !fs::exists(path("out/metrics.csv"))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(child, SIGINT);
  const Outcome outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("is created again"), std::string::npos) << outcome.err;
  EXPECT_NE(text_of(path("out/train.log")).find("stopped after step"), std::string::npos);
  EXPECT_TRUE(text_of(path("out/metrics.csv")).starts_with("step,"));
  expect_saved("out");
}

TEST_F(InterruptedRun, ResultsGoToAnotherNamedFolderIfTheirsCannotBeCreatedAgain) {
  const pid_t child = start_until_new_checkpoint(words("out", {"--no-eval"}, "1000000"), "out");
  std::error_code fault;
  while (fs::remove_all(path("out"), fault), fault) {
  }
  write_file("out", "a file of someone else's");
  ::kill(child, SIGINT);
  const Outcome outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_EQ(text_of(path("out")), "a file of someone else's");
  EXPECT_NE(outcome.err.find("--resume -o '" + path("out_rescued") + "'"), std::string::npos)
      << outcome.err;
  expect_saved("out_rescued");
}

TEST_F(InterruptedRun, AFullDiskAtTheEndRemovesOlderCheckpointsInFavourOfTheScene) {
  const std::vector<std::string> more{"--no-eval", "--max-splats", "400",   "--init-count",
                                      "400",       "--init",       "random"};
  ASSERT_EQ(run(words("trial", more)).exit_code, 0);
  std::uintmax_t bytes = 0;
  constexpr std::uintmax_t kPage = 4096;
  for (const auto& entry : fs::recursive_directory_iterator(path("trial"))) {
    if (entry.is_regular_file()) bytes += (entry.file_size() + kPage - 1) / kPage * kPage;
  }
  const std::uintmax_t scene = fs::file_size(path("trial/splat_60.ply"));
  ASSERT_GT(scene, 20 * kPage);
  const SmallDisk disk(path("disk"), static_cast<std::size_t>(bytes - scene / 2));
  if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a small disk";
  const Outcome outcome = run(words("disk/out", more));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(text_of(path("disk/out/splat_60.ply")), text_of(path("trial/splat_60.ply")));
  EXPECT_NE(outcome.err.find("removed, because the disk is full"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace mote

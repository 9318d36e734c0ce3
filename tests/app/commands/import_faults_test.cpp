// `mote import` that fails or is interrupted: it prints the reason, leaves a log and at most the
// features, and the next import succeeds.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "import_fixture.h"
#include "support/files/small_disk.h"

namespace mote {
namespace {

class ImportFaults : public ImportCommand {
 protected:
  /// Starts an import whose COLMAP hangs at `command`. Returns when it hangs.
  pid_t start_until(const std::string& command, const std::vector<std::string>& more = {}) {
    auto words =
        import_words(write_colmap("[ $1 = " + command + " ] && { echo '  Features: 999';" +
                                      "echo $$ > '" + path("pid") + "'; exec sleep 1000; }",
                                  {4}));
    words.insert(words.end(), more.begin(), more.end());
    const pid_t child = start(words);
    siginfo_t ended{};
    std::string id;
    while (id.find('\n') == std::string::npos && ended.si_pid == 0) {
      EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
      id = fs::exists(path("pid")) ? text_of(path("pid")) : "";
    }
    EXPECT_FALSE(id.empty());
    hanging_ = id.empty() ? 0 : std::stoi(id);
    fs::remove(path("pid"));
    return child;
  }
  /// Imports with a working COLMAP, and expects the dataset.
  void expect_next_import_works(const std::vector<std::string>& more = {}) {
    fs::remove(path("calls.txt"));
    auto words = import_words(write_colmap("", {4}));
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(names_in("out"),
              (std::vector<std::string>{"colmap.log", "images", "import.json", "sparse"}));
    EXPECT_EQ(names_in("out/images"), kFour);
  }
  /// Files that a failed import may leave.
  void expect_features_and_log_alone() const {
    EXPECT_EQ(names_in("out"), (std::vector<std::string>{"colmap.log", "import.partial"}));
    EXPECT_EQ(names_in("out/import.partial"),
              (std::vector<std::string>{"database.db", "features.json"}));
  }
  std::size_t count_of(const std::string& word) const {
    std::size_t count = 0;
    const std::string text = calls();
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++count;
    }
    return count;
  }

  pid_t hanging_ = 0;
};

TEST_F(ImportFaults, AFileThatIsNoVideoIsRefused) {
  expect_refusal({"import", write_file("note.txt", "milk"), "-o", path("out")}, 1,
                 {"note.txt", "neither a folder nor a video", "folder of the photographs"});
}

TEST_F(ImportFaults, ColmapFailuresAreReportedWithARemedy) {
  write_photos(kFour);
  struct Case {
    std::string body;
    std::vector<std::string> phrases;
  };
  const Case cases[] = {
      {"[ $1 = feature_extractor ] && kill -9 $$", {"killed", "memory", "--max-image-size"}},
      {"[ $1 = exhaustive_matcher ] && kill -11 $$", {"crashed with signal 11", "colmap.log"}},
      {"[ $1 = mapper ] && echo 'No good initial image pair found.' && exit 1",
       {"no pair of photographs", "different positions"}},
      {"[ $1 = mapper ] && echo 'some reason' && exit 3",
       {"exit code 3", "some reason", "colmap.log"}},
      {"echo \"unrecognised option '--SiftExtraction.use_gpu'\"; exit 1", {"flag", "--colmap"}},
      {"echo 'SQLite error: database or disk is full'; exit 1", {"the disk is full", "-o"}},
      {"for i in 1 2 3 4; do echo '  Features:        12'; done",
       {"almost no features", "4 of 4", "texture"}},
      {"", {"computed no model", "colmap.log"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.body);
    const auto words = import_words(write_colmap(one.body, {}));
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 1);
    for (const std::string& phrase : one.phrases) {
      EXPECT_NE(outcome.err.find(phrase), std::string::npos) << phrase << " in " << outcome.err;
    }
    EXPECT_TRUE(fs::exists(path("out/colmap.log")));
    for (const std::string& name : names_in("out")) {
      EXPECT_TRUE(name == "colmap.log" || name == "import.partial") << name;
    }
    EXPECT_FALSE(fs::exists(path("out/import.partial/images")));
  }
}

TEST_F(ImportFaults, InvalidInputIsReportedWithARemedy) {
  write_photos({"a.png"});
  const std::string colmap = write_colmap("", {4});
  expect_refusal(import_words(colmap), 1, {"1 photograph,", "photos"});
  write_photos(kFour);
  expect_refusal(import_words(path("no-colmap")), 1, {"no-colmap", "apt-get install colmap"});
  fs::create_directories(path("empty/below"));
  const std::string file = write_file("file.txt", "x");
  expect_refusal({"import", path("empty"), "-o", path("o2")}, 1, {"empty", "no photographs"});
  expect_refusal({"import", file, "-o", path("o2")}, 1,
                 {"file.txt", "neither a folder nor a video"});
  expect_refusal({"import", path("none"), "-o", path("o2")}, 1, {"none", "does not exist"});
  expect_refusal({"import", path("photos"), "-o", file}, 1, {"file.txt", "folder"});
  expect_refusal({"import", path("photos"), "-o", path("photos")}, 1, {"not empty", "-y"});
  expect_refusal({"import", path("photos")}, 2, {"--out"});
  expect_refusal({"import", path("photos"), "-o", path("o2"), "--matcher", "psychic"}, 2,
                 {"psychic", "exhaustive"});
  EXPECT_FALSE(fs::exists(path("o2")));
}

TEST_F(ImportFaults, AMissingOrWrongProgramIsReportedBeforeAnyFileIsWritten) {
  write_photos(kFour);
  const std::string broken =
      write_file("broken.sh", "#!/bin/sh\necho 'no libceres.so'\nexit 127\n");
  fs::permissions(broken, fs::perms::owner_all);
  expect_refusal(import_words(broken), 1, {"broken.sh", "exit code 127", "no libceres.so"});
  expect_refusal(import_words("/bin/true"), 1, {"/bin/true", "not COLMAP", "--colmap"});
  expect_refusal(import_words(path("photos/b.png")), 1,
                 {"b.png", "Permission denied", "permission to run"});
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(ImportFaults, AnInterruptEndsColmapAndTheNextImportUsesTheFeatures) {
  write_photos(kFour);
  const pid_t child = start_until("exhaustive_matcher");
  ::kill(child, SIGINT);
  const Outcome outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_NE(outcome.err.find("keeps the features"), std::string::npos) << outcome.err;
  EXPECT_EQ(::kill(hanging_, 0), -1);
  expect_features_and_log_alone();
  expect_next_import_works();
  EXPECT_EQ(count_of("feature_extractor"), 0u);
  EXPECT_EQ(count_of("mapper"), 1u);
}

TEST_F(ImportFaults, AKilledImportEndsColmapAndTheNextImportContinues) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  write_photos(kFour);
  const pid_t child = start_until("mapper");
  ::kill(child, SIGKILL);
  EXPECT_EQ(finish(child).exit_code, -SIGKILL);
  for (int status = 0; ::waitpid(-1, &status, 0) > 0;) EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(::kill(hanging_, 0), -1);
  expect_next_import_works();
  EXPECT_EQ(count_of("feature_extractor"), 0u);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TEST_F(ImportFaults, PartialFeaturesAreCompletedWithTheSameCamera) {
  write_photos(kFour);
  const pid_t child = start_until("feature_extractor");
  while (text_of(path("out/import.partial/features.json")).find("some") == std::string::npos) {
  }
  ::kill(child, SIGTERM);
  EXPECT_EQ(finish(child).exit_code, 130);
  expect_features_and_log_alone();
  expect_next_import_works();
  EXPECT_NE(calls().find("--ImageReader.existing_camera_id 1"), std::string::npos) << calls();
}

TEST_F(ImportFaults, OtherOptionsOrPhotographsStartAnew) {
  write_photos(kFour);
  const auto interrupt = [&] {
    const pid_t child = start_until("mapper");
    ::kill(child, SIGINT);
    EXPECT_EQ(finish(child).exit_code, 130);
  };
  interrupt();
  expect_next_import_works({"--max-features", "2000"});
  EXPECT_EQ(count_of("feature_extractor"), 1u);
  EXPECT_EQ(count_of("existing_camera_id"), 0u);
  fs::remove_all(path("out"));
  interrupt();
  write_photos({"b.png"}, 40);
  expect_next_import_works();
  EXPECT_EQ(count_of("feature_extractor"), 1u);
  fs::remove_all(path("out"));
  interrupt();
  expect_next_import_works({"--matcher", "sequential"});
  EXPECT_EQ(count_of("feature_extractor"), 0u);
}

TEST_F(ImportFaults, FeaturesThatMakeColmapFailAreNotUsedAgain) {
  write_photos(kFour);
  const pid_t child = start_until("exhaustive_matcher");
  ::kill(child, SIGINT);
  finish(child);
  EXPECT_EQ(run(import_words(write_colmap("[ $1 = exhaustive_matcher ] && exit 3", {}))).exit_code,
            1);
  EXPECT_EQ(names_in("out"), std::vector<std::string>{"colmap.log"});
  expect_next_import_works();
  EXPECT_EQ(count_of("feature_extractor"), 1u);
}

TEST_F(ImportFaults, AFailedImportLeavesTheEarlierDatasetWhole) {
  write_photos(kFour);
  expect_next_import_works();
  const std::string model = text_of(path("out/sparse/0/images.txt"));
  auto words = import_words(write_colmap("[ $1 = mapper ] && exit 3", {3}));
  words.emplace_back("-y");
  EXPECT_EQ(run(words).exit_code, 1);
  EXPECT_EQ(text_of(path("out/sparse/0/images.txt")), model);
  EXPECT_EQ(names_in("out/images"), kFour);
  words.pop_back();
  expect_refusal(words, 1, {"not empty", "-y"});
  expect_next_import_works({"-y"});
}

TEST_F(ImportFaults, LeftoversOfAnImportKilledWhileMovingFilesAreReplaced) {
  write_photos(kFour);
  expect_next_import_works();
  fs::create_directories(path("out/import.partial/models"));
  fs::remove_all(path("out/sparse/0"));
  fs::remove(path("out/images/b.png"));
  expect_next_import_works();
}

TEST_F(ImportFaults, ASecondImportIntoTheFolderIsRefusedWhileTheFirstRuns) {
  write_photos(kFour);
  const pid_t child = start_until("mapper");
  Outcome first = {};
  const std::string colmap = write_colmap("", {4});
  const pid_t second = start_program(import_words(colmap), path("second.out"), path("second.err"));
  const Outcome refused = finish_program(second, path("second.out"), path("second.err"));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("another mote is importing"), std::string::npos) << refused.err;
  EXPECT_TRUE(fs::exists(path("out/import.partial/images/b.png")));
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  expect_next_import_works();
}

TEST_F(ImportFaults, AFullDiskIsReportedAndTheNextImportWorks) {
  write_photos(kFour);
  const SmallDisk disk(path("out"), 256 << 10);
  if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a small disk";
  const Outcome outcome = run(import_words(
      write_colmap("[ $1 = mapper ] && { cat /dev/zero > \"$database\"; exit 1; }", {4})));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("the disk is full"), std::string::npos) << outcome.err;
  fs::remove_all(path("out/import.partial"));
  expect_next_import_works();
}

}  // namespace
}  // namespace mote

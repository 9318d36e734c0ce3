// Runs every command with the 1st, 2nd, 3rd, ... system call failing, or with a signal before it.
// Files that existed stay whole, results reported as done exist, no partial file stays, and the
// next run works. If there are too many calls, the test skips some at even intervals. The next run
// is not repeated where a run with another fault has left the same files.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/dataset_fixture.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

/// All files below a folder with their bytes.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = text_of(entry.path());
  }
  return files;
}

constexpr const char* kNoFault = "write 0 0";

struct Fault {
  std::string call, error;
  int most = 60;  // runs at most
};

const std::vector<Fault>& faults() {
  static const std::vector<Fault> kFaults{
      {"write", "28", 30},        {"write", "5", 10},        {"fsync", "5", 20},
      {"rename", "5", 20},        {"open", "24", 30},        {"mkdir", "28", 20},
      {"unlink", "5", 10},        {"thread", "11", 8},       {"mmap", "12", 8},
      {"fork", "11", 8},          {"malloc", "12", 60},      {"write", "signal 15", 12},
      {"rename", "signal 2", 10}, {"open", "signal 13", 10}, {"rename", "signal 9", 10},
      {"write", "signal 9", 12}};
  return kFaults;
}

class FaultSweep : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    fs::current_path(folder_);  // the program may write files here instead of into its own folder
    make_tiny_dataset(path("data"), {.views = 6, .width = 32, .height = 24});
    fs::create_directories(path("out"));
  }
  void TearDown() override {
    fs::current_path(::testing::TempDir());
    Program::TearDown();
  }

  Outcome run_with(const std::string& fault, const std::vector<std::string>& words) const {
    ::setenv("LD_PRELOAD", MOTE_FAULTS, 1);
    ::setenv("MOTE_FAULT", fault.c_str(), 1);
    ::setenv("MOTE_FAULT_COUNTS", path("counts").c_str(), 1);
    const pid_t child = start(words);
    for (const char* name : {"LD_PRELOAD", "MOTE_FAULT", "MOTE_FAULT_COUNTS"}) ::unsetenv(name);
    return finish(child);
  }

  std::map<std::string, int> counts() const {
    std::map<std::string, int> result;
    std::istringstream lines(text_of(path("counts")));
    std::string call;
    for (int number = 0; lines >> call >> number;) result[call] = number;
    return result;
  }

  /// Runs the command into the folder "out", which contains files of the user, with every fault.
  /// `check(folder)` examines the results of a run that reports success.
  template <class Check>
  void sweep(const std::vector<std::string>& words, const Check& check) {
    const auto inputs = files_below(path("data"));
    const auto begin_anew = [&] {
      fs::remove_all(path("out"));
      fs::create_directories(path("out"));
      write_file("out/remarks.txt", "mine");
    };
    begin_anew();
    const Outcome whole = run_with(kNoFault, words);
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    check();
    const std::string first = result();
    const std::map<std::string, int> calls = counts();
    std::set<std::string> continued;  // next runs, and the files that were there before them
    int tries = 0;
    for (const Fault& fault : faults()) {
      ASSERT_TRUE(calls.contains(fault.call));
      const int count = calls.at(fault.call), stride = (count + fault.most - 1) / fault.most;
      for (int number = 1; number <= count; number += stride) {
        begin_anew();
        ++tries;
        const std::string text = fmt::format("{} {} {}", fault.call, number, fault.error);
        SCOPED_TRACE(text);
        const Outcome outcome = run_with(text, words);
        expect_invariant(outcome, fault, check);
        EXPECT_EQ(files_below(path("data")), inputs);
        EXPECT_EQ(text_of(path("out/remarks.txt")), "mine");
        const std::vector<std::string> next_words = next_run(outcome, fault, words);
        if (continued.insert(fmt::format("{}\n{}", fmt::join(next_words, " "), left_files()))
                .second) {
          const Outcome next = run_with(kNoFault, next_words);
          EXPECT_EQ(next.exit_code, 0) << next.err;
          check();
          EXPECT_TRUE(result() == first) << "the next run has another result";
        }
        if (HasFailure()) FAIL() << outcome.err;
      }
    }
    RecordProperty("tries", tries);
    RecordProperty("continued", static_cast<int>(continued.size()));
  }

  /// The files in the folder "out", with their sizes. Files with times differ in their size.
  std::string left_files() const {
    const std::set<std::string> timed{"train.log", "metrics.csv", "metrics.svg", "stats.json"};
    std::string text;
    for (const auto& [name, bytes] : files_below(path("out"))) {
      text += name;
      const bool has_size = !timed.contains(fs::path(name).filename().string());
      if (has_size || bytes.empty()) text += fmt::format(" {}", bytes.size());
      text += '\n';
    }
    return text;
  }

  /// A stopped training run is resumed; any other command is run again. A photograph that could not
  /// be opened was missing from the first run but not from the next, so that run starts anew.
  bool next_goes_on(const Outcome& outcome, const Fault& fault) const {
    const fs::path checkpoints = path("out/run/checkpoints");
    return outcome.exit_code != 0 && fault.call != "open" &&
           fs::exists(path("out/run/config.json")) && fs::exists(checkpoints) &&
           !fs::is_empty(checkpoints);
  }
  std::vector<std::string> next_run(const Outcome& outcome, const Fault& fault,
                                    std::vector<std::string> words) const {
    if (next_goes_on(outcome, fault)) return {"train", "--resume", "-o", path("out/run")};
    words.insert(words.begin() + 1, "-y");
    return words;
  }
  std::string result() const {
    return fs::exists(path("out/run")) ? text_of(path("out/run/splat_6.ply")) : "";
  }

  template <class Check>
  void expect_invariant(const Outcome& outcome, const Fault& fault, const Check& check) const {
    if (fault.error == "signal 9" && outcome.exit_code == -SIGKILL) return;
    EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 1 || outcome.exit_code == 130)
        << outcome.exit_code << outcome.err;
    if (outcome.exit_code == 0) check();
    if (outcome.exit_code == 1) {
      EXPECT_NE(outcome.err.find("mote: "), std::string::npos);
      EXPECT_NE(outcome.err.find("; "), std::string::npos) << "no remedy in " << outcome.err;
      EXPECT_EQ(outcome.err.find("internal fault"), std::string::npos) << outcome.err;
    }
    if (fault.call == "unlink") return;  // only unlink() could have removed a partial file
    for (const auto& [name, bytes] : files_below(folder_)) {
      EXPECT_EQ(name.find(".partial-"), std::string::npos) << name;
    }
  }
};

TEST_F(FaultSweep, Convert) {
  write_scene(300, 2);
  fs::rename(path("scene.ply"), path("data/scene.ply"));
  sweep({"convert", path("data/scene.ply"), path("out/new.spz")},
        [&] { EXPECT_EQ(load_scene(path("out/new.spz")).count(), 300u); });
}

TEST_F(FaultSweep, Render) {
  write_scene(300, 0);
  fs::rename(path("scene.ply"), path("data/scene.ply"));
  sweep({"render", path("data/scene.ply"), "--orbit", "3", "--size", "48x32", "-o",
         path("out/frames")},
        [&] {
          int frames = 0;
          for (const auto& entry : fs::directory_iterator(path("out/frames"))) {
            if (entry.path().extension() != ".png") continue;
            ++frames;
            EXPECT_TRUE(text_of(entry.path()).ends_with(std::string("IEND\xae\x42\x60\x82")));
          }
          EXPECT_EQ(frames, 3);
        });
}

TEST_F(FaultSweep, Train) {
  sweep({"train",
         path("data"),
         "-o",
         path("out/run"),
         "--steps",
         "6",
         "--checkpoint-every",
         "2",
         "--metrics-every",
         "2",
         "--strategy",
         "mcmc",
         "--densify-from",
         "1",
         "--densify-every",
         "2",
         "--growth",
         "0.2",
         "--max-splats",
         "100",
         "--progress",
         "none"},
        [&] {
          EXPECT_GT(load_scene(path("out/run/splat_6.ply")).count(), 0u);
          EXPECT_TRUE(nlohmann::json::accept(text_of(path("out/run/stats.json"))));
          EXPECT_TRUE(nlohmann::json::accept(text_of(path("out/run/config.json"))));
        });
}

TEST_F(FaultSweep, Import) {
  fs::rename(path("data/images"), path("photos"));
  fs::remove_all(path("data"));
  fs::create_directories(path("data"));
  fs::rename(path("photos"), path("data/photos"));
  fs::create_directories(path("data/model"));
  write_file("data/model/cameras.txt", "1 PINHOLE 32 24 30 30 16 12\n");
  std::string images;
  for (int i = 0; i < 6; ++i) {
    images += fmt::format("{} 1 0 0 0 0 0 {} 1 view_{:02}.png\n\n", i + 1, i, i);
  }
  write_file("data/model/images.txt", images);
  write_bytes(path("data/model/points3D.bin"), std::string(8, '\0'));
  write_file("data/colmap",
             "#!/bin/sh\necho COLMAP\nfor word; do [ \"$previous\" = --output_path ] && out=$word; "
             "previous=$word; done\n[ \"$1\" != mapper ] || { mkdir -p \"$out/0\"; cp '" +
                 path("data/model") + "'/* \"$out/0\"; }\n");
  fs::permissions(path("data/colmap"), fs::perms::owner_all);
  sweep({"import", path("data/photos"), "-o", path("out/dataset"), "--colmap", path("data/colmap"),
         "--progress", "none"},
        [&] {
          EXPECT_EQ(text_of(path("out/dataset/sparse/0/images.txt")), images);
          for (int i = 0; i < 6; ++i) {
            const std::string name = fmt::format("view_{:02}.png", i);
            EXPECT_EQ(text_of(path("out/dataset/images/" + name)),
                      text_of(path("data/photos/" + name)));
          }
        });
}

}  // namespace
}  // namespace mote

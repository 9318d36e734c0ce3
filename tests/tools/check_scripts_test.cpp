// tools/gpu_pack.sh and tools/gpu_check.sh, which test and measure on machines with a GPU, run on
// the CPU with tiny scenes.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "devices/devices.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class GpuCheck : public Program {
 protected:
  /// Runs a shell command in the test's folder.
  Outcome shell(const std::string& command) const {
    const std::string all = "cd '" + folder_.string() + "' && { " + command + "; } >.out 2>.err";
    const int status = std::system(all.c_str());  // NOLINT(cert-env33-c): the test runs scripts
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(path(".out")),
            text_of(path(".err"))};
  }

  /// The reason why no GPU is usable; empty if one is.
  static std::string gpu_problem() {
    for (const BackendEntry& entry : backends()) {
      const BackendProbe probe = entry.probe();
      if (entry.name == "cuda") return probe.usable ? "" : probe.detail;
    }
    return "this build knows none";
  }

  /// The repository's script with options that keep it short.
  static std::string check(const std::string& options) {
    return MOTE_TOOLS "/gpu_check.sh --build '" MOTE_BUILD_FOLDER "' " + kSmall + options;
  }

  /// A bundle without programs, and an empty folder for tools.
  void copy_check() const {
    fs::create_directories(folder_ / "mote_gpu/bin");
    fs::create_directories(folder_ / "tools");
    const fs::path tools = MOTE_TOOLS;
    fs::copy_file(tools / "gpu_check.sh", folder_ / "mote_gpu/gpu_check.sh");
    fs::copy(tools / "gpu", folder_ / "mote_gpu/gpu");
  }

  std::vector<json> all_results() const {
    return json::parse(text_of(path("gpu_check/report.json")))["results"];
  }

  /// The results in the report whose text starts with this.
  std::vector<json> results(const std::string& part, const std::string& what = "") const {
    std::vector<json> found;
    for (const json& result : all_results()) {
      const bool is_it =
          result["part"] == part && result["what"].get<std::string>().starts_with(what);
      if (is_it) found.push_back(result);
    }
    return found;
  }

  static inline const std::string kSmall =
      "--splats 3000 --sizes 96x64 --frames 1 --warmup 0 --preheat 0 --steps 12 --train-splats "
      "1000 "
      "--train-size 64x48 --views 5 --field-steps 3 ";
};

TEST_F(GpuCheck, ABundleRunsElsewhereWithItsOwnLibraries) {
  fs::create_directories(folder_ / "build/tests");
  for (const char* name : {"mote", "make_garden", "CMakeCache.txt"}) {
    fs::create_symlink(fs::path(MOTE_BUILD_FOLDER) / name, folder_ / "build" / name);
  }
  const fs::path gpu_test = fs::path(MOTE_BUILD_FOLDER) / "tests/gpu_test";
  const bool has_cuda = fs::exists(gpu_test);
  if (has_cuda) fs::create_symlink(gpu_test, folder_ / "build/tests" / gpu_test.filename());
  write_file("build/gpu_tests.txt", has_cuda ? gpu_test.filename().string() + "\n" : "");
  const Outcome packed = shell(MOTE_TOOLS "/gpu_pack.sh -o a/b.tar --build build --limit-mib 500");
  ASSERT_EQ(packed.exit_code, 0) << packed.err;
  const Outcome refused = shell(MOTE_TOOLS "/gpu_pack.sh -o a/c.tar --build build --limit-mib 1");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("more than 1: build for fewer GPUs"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "a/c.tar"));
  ASSERT_EQ(shell("mkdir elsewhere && tar -C elsewhere -xf a/b.tar && rm -r a build").exit_code, 0);

  // Only the C library of the machine's libraries is used.
  const Outcome libraries = shell(
      "LD_LIBRARY_PATH=elsewhere/mote_gpu/lib ldd elsewhere/mote_gpu/bin/mote | grep '=> /'"
      " | grep -v -e /libc.so -e /libm.so -e /libpthread -e /libdl -e /librt");
  EXPECT_EQ(libraries.exit_code, 1) << libraries.out;

  const Outcome ran = shell(
      "env -i PATH=/usr/bin:/bin elsewhere/mote_gpu/gpu_check.sh --device cpu "
      "--parts machine,tests,sanitizer,bench,gsplat " +
      kSmall);
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(results("machine", "devices").size(), 1u);
  ASSERT_EQ(results("tests").size(), 1u);
  if (!gpu_problem().empty()) {
    EXPECT_EQ(results("tests")[0]["status"], "skipped");
  }
  EXPECT_EQ(results("sanitizer").at(0)["status"], "skipped");
  EXPECT_EQ(results("gsplat").at(0)["status"], "skipped");
  const std::vector<json> benches = results("bench");
  ASSERT_EQ(benches.size(), 2u);
  for (const json& bench : benches) {
    EXPECT_EQ(bench["status"], "passed");
    EXPECT_GT(bench["data"]["device_frame"]["p50_ms"], 0);
    EXPECT_EQ(bench["data"]["settings"]["width"], 96);
  }
  EXPECT_EQ(benches[0]["data"]["scene"]["splats"], 3000);
  const std::string table = text_of(path("gpu_check/report.md"));
  EXPECT_NE(table.find("| bench | still_life.spz, 96x64, exact | PASSED: "), std::string::npos)
      << table;
}

TEST_F(GpuCheck, MeasuresFieldsBesideTheirTargets) {
  // A field that has hardly been trained takes long to draw.
  const Outcome ran = shell(check("--device cpu --parts fields --sizes 32x24"));
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(results("fields", "kernels").at(0)["status"], "skipped");
  EXPECT_EQ(results("fields", "quality").at(0)["status"], "skipped");
  for (const char* name : {"neural image", "signed distances", "NeRF"}) {
    const std::vector<json> own = results("fields", name);
    ASSERT_EQ(own.size(), 2u) << name;
    EXPECT_EQ(own[0]["data"]["steps"], 3);
    EXPECT_NE(own[0]["summary"].get<std::string>().find("M samples/s"), std::string::npos);
    EXPECT_GT(own[1]["data"]["scene"]["evaluations"], 0) << name;
    EXPECT_NE(own[1]["summary"].get<std::string>().find("M samples, "), std::string::npos);
  }
  EXPECT_NE(results("fields", "NeRF")[0]["summary"].get<std::string>().find("target 150"),
            std::string::npos);
}

TEST_F(GpuCheck, PartsRunOneByOneShareOneReport) {
  ASSERT_EQ(shell(check("--device cpu --parts machine")).exit_code, 0);
  const Outcome trained = shell(check("--device cpu --parts train"));
  ASSERT_EQ(trained.exit_code, 0) << trained.out << trained.err;
  EXPECT_EQ(results("machine").size(), 1u);
  const std::vector<json> trainings = results("train");
  ASSERT_EQ(trainings.size(), 2u);
  EXPECT_NE(trainings[1]["command"].get<std::string>().find("--backward buckets"),
            std::string::npos);
  EXPECT_EQ(trainings[0]["data"]["steps"], 12);
  EXPECT_EQ(trainings[0]["data"]["splats"], 1000);
  EXPECT_EQ(trainings[0]["data"]["dataset"]["training_views"], 5);
  EXPECT_NE(trainings[0]["summary"].get<std::string>().find("steps/s"), std::string::npos);
  EXPECT_TRUE(trainings[0]["command"].get<std::string>().starts_with("mote train "));
  fs::remove(folder_ / "gpu_check/report.json");
  ASSERT_EQ(shell(check("--device cpu --parts ''")).exit_code, 0);
  EXPECT_EQ(results("train").size(), 2u);
  EXPECT_NE(text_of(path("gpu_check/report.json")).find("usable CPU"), std::string::npos);
  // A second run replaces the part's results.
  ASSERT_EQ(shell(check("--device cpu --parts machine")).exit_code, 0);
  EXPECT_EQ(results("machine").size(), 1u);
  EXPECT_EQ(results("train").size(), 2u);
}

TEST_F(GpuCheck, AFailedPartDoesNotStopOthersAndSetsTheExitCode) {
  const Outcome outcome = shell(check("--device cpu --parts bench,machine --scene missing.ply"));
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(results("bench", "missing.ply").size(), 1u);
  const json missing = results("bench", "missing.ply")[0];
  EXPECT_EQ(missing["status"], "failed");
  EXPECT_NE(missing["summary"].get<std::string>().find("missing.ply"), std::string::npos);
  EXPECT_EQ(results("bench", "still_life").at(0)["status"], "passed");
  EXPECT_EQ(results("machine").size(), 1u);
}

TEST_F(GpuCheck, APartBeyondItsTimeLimitFails) {
  const Outcome outcome = shell(check("--device cpu --parts bench --time 0"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(results("bench").at(0)["status"], "failed");
  EXPECT_NE(results("bench")[0]["summary"].get<std::string>().find("part's 0 s"),
            std::string::npos);
}

TEST_F(GpuCheck, AStoppedCallReportsWhatItHas) {
  const Outcome outcome =
      shell(check("--device cpu --parts machine,train --steps 100000000") +
            " & check=$!; while kill -0 $check && [ ! -e gpu_check/work/run ]; do sleep 0.1; done; "
            "kill -TERM $check; wait $check");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("results so far are in gpu_check/report.md"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(results("machine", "devices").size(), 1u);
  EXPECT_EQ(results("train").back()["summary"], "stopped by a signal");
  // The training has ended, too.
  const Outcome left = shell(
      "sleep 1; for p in /proc/[0-9]*; do "
      "[ \"$(readlink $p/cwd)\" != \"$PWD\" ] || cat $p/comm; done | grep mote");
  EXPECT_EQ(left.exit_code, 1) << left.out;
}

TEST_F(GpuCheck, AFolderThatCannotBeWrittenIsRefused) {
  write_file("file", "");
  const Outcome outcome = shell(check("--device cpu --out file/results"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("cannot write to file/results/parts: choose a writable folder"),
            std::string::npos)
      << outcome.err;
}

TEST_F(GpuCheck, AllResultsAreInOneSmallArchive) {
  ASSERT_EQ(shell(check("--device cpu --parts machine,bench")).exit_code, 0);
  const Outcome listed = shell("tar -tf gpu_check/results.tar.gz");
  for (const char* name : {"report.md", "report.json", "parts/machine.devices.json",
                           "parts/bench.still_life.spz.96x64.exact.json"}) {
    EXPECT_NE(listed.out.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(listed.out.find("work"), std::string::npos);  // no generated scenes
  EXPECT_LT(fs::file_size(path("gpu_check/results.tar.gz")), 1u << 20);
}

/// Makes the files that make_garden makes.
const std::string kGarden =
    "touch \"$1\"; while [ \"$1\" != --cameras ]; do shift; done; touch \"$2\"\n";

/// Replaces a program.
void make_tool(const fs::path& path, const std::string& script) {
  std::ofstream(path) << "#!/bin/sh\n" << script;
  fs::permissions(path, fs::perms::owner_all);
}

TEST_F(GpuCheck, TheSearchPathOfTheMachineIsExtendedAndNotGivenToTools) {
  // A bundle whose programs print what they are given.
  copy_check();
  write_file("mote_gpu/BUILD.txt", "commit: c\narchitectures: 90-real\n");
  write_file("mote_gpu/gpu_tests.txt", "");
  const std::string log = "echo \"$0 $1 $LD_LIBRARY_PATH\" >>" + path("log") + "\n";
  make_tool(folder_ / "mote_gpu/bin/mote", log);
  make_tool(folder_ / "mote_gpu/bin/make_garden", kGarden);
  make_tool(
      folder_ / "tools/compute-sanitizer",
      log + "while [ \"$1\" != 99 ]; do shift; done; shift; \"$@\"; echo 'ERROR SUMMARY: 0'\n");
  const Outcome outcome = shell(
      "PATH=$PWD/tools:$PATH LD_LIBRARY_PATH=/driver/here mote_gpu/gpu_check.sh "
      "--parts sanitizer --tools memcheck " +
      kSmall);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const std::string calls = text_of(path("log"));
  EXPECT_NE(calls.find("tools/compute-sanitizer --target-processes /driver/here\n"),
            std::string::npos)
      << calls;
  EXPECT_NE(calls.find("bin/mote train " + path("mote_gpu/lib") + ":/driver/here\n"),
            std::string::npos)
      << calls;
}

TEST_F(GpuCheck, AToolThatCannotRunIsTriedOnce) {
  copy_check();
  write_file("mote_gpu/BUILD.txt", "commit: c\narchitectures: 90-real\n");
  make_tool(folder_ / "mote_gpu/bin/mote", "");
  make_tool(folder_ / "mote_gpu/bin/make_garden", kGarden);
  make_tool(folder_ / "tools/compute-sanitizer",
            "echo tried >>" + path("log") + "; echo 'no permission for the device'; exit 3");
  const Outcome outcome =
      shell("PATH=$PWD/tools:$PATH mote_gpu/gpu_check.sh --parts sanitizer " + kSmall);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(text_of(path("log")), "tried\ntried\n");  // memcheck and racecheck
  const json result = results("sanitizer", "memcheck").at(0);
  EXPECT_EQ(result["status"], "skipped");
  EXPECT_NE(result["summary"].get<std::string>().find("no permission for the device"),
            std::string::npos);
}

TEST_F(GpuCheck, WithoutAGpuEveryPartFailsWithTheReason) {
  if (gpu_problem().empty()) GTEST_SKIP() << "there is a GPU";
  const Outcome outcome = shell(check("--parts tests,bench"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("no GPU to test"), std::string::npos);
  ASSERT_EQ(all_results().size(), 2u);
  for (const json& result : all_results()) EXPECT_EQ(result["status"], "failed");
}

TEST_F(GpuCheck, RefusesWrongUsage) {
  EXPECT_EQ(shell(check("--parts bensh")).exit_code, 2);
  EXPECT_EQ(shell(check("--no-such-option 1")).exit_code, 2);
  EXPECT_EQ(shell(check("--out")).exit_code, 2);
  EXPECT_EQ(shell(MOTE_TOOLS "/gpu_pack.sh").exit_code, 2);
  EXPECT_EQ(shell(MOTE_TOOLS "/gpu_pack.sh -o b.tar --build nowhere").exit_code, 2);
  EXPECT_EQ(shell(check("--time soon")).exit_code, 2);
}

}  // namespace
}  // namespace mote

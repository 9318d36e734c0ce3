// `mote synth cloud` as users meet it: a volume that loads and is the same on every run, and
// refusals.
#include <signal.h>

#include <glm/vec3.hpp>
#include <nlohmann/json.hpp>

#include "core/parallel.h"
#include "io/volumes/volume_file.h"
#include "support/files/small_disk.h"
#include "support/program_fixture.h"
#include "synth/cloud.h"

namespace mote {
namespace {

using nlohmann::json;

class CloudCommand : public Program {
 protected:
  Outcome synth(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"synth", "cloud", "-o", path(out), "--voxels", "24"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  void expect_no_file(const std::string& folder) const {
    for (const auto& entry : fs::directory_iterator(path(folder))) {
      ADD_FAILURE() << entry.path();
    }
  }
};

TEST_F(CloudCommand, TheFileHasTheDensitiesOfTheCloud) {
  const Outcome outcome = synth("cloud.nvdb", {"--seed", "5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const DensityVolume read = read_volume(path("cloud.nvdb")).volume;
  ThreadPool pool(1);
  const DensityVolume made = synth::make_cloud({.voxels = 24, .seed = 5}, pool, [](double) {});
  const glm::ivec3 size = made.last_voxel() - made.first_voxel() + 1;
  EXPECT_EQ(read.last_voxel() - read.first_voxel() + 1, size);
  const double side = made.frame().voxel_side;
  EXPECT_DOUBLE_EQ(read.frame().voxel_side, side);
  std::size_t voxels = 0;
  made.for_voxels([&](const glm::ivec3& at, float density) {
    const glm::dvec3 world = made.frame().origin + side * glm::dvec3(at);
    ASSERT_NEAR(read.density(glm::vec3((world - read.frame().origin) / side)), density, 1e-4f);
    ++voxels;
  });
  EXPECT_GT(voxels, 500u);
  const json facts = json::parse(outcome.out);
  EXPECT_EQ(facts["scene"], "cloud");
  EXPECT_EQ(facts["out"], path("cloud.nvdb"));
  EXPECT_EQ(facts["voxels"], json({size.x, size.y, size.z}));
}

TEST_F(CloudCommand, TheSameSeedGivesTheSameFileOnAnyNumberOfThreads) {
  ASSERT_EQ(synth("one.nvdb", {"--threads", "1"}).exit_code, 0);
  ASSERT_EQ(synth("two.nvdb", {"--threads", "2"}).exit_code, 0);
  ASSERT_EQ(synth("other.nvdb", {"--seed", "7"}).exit_code, 0);
  EXPECT_EQ(text_of(path("one.nvdb")), text_of(path("two.nvdb")));
  EXPECT_NE(text_of(path("one.nvdb")), text_of(path("other.nvdb")));
}

TEST_F(CloudCommand, AFileIsReplacedOnlyOnRequest) {
  write_file("cloud.nvdb", "mine");
  const std::vector<std::string> words{"synth",    "cloud", "-o", path("cloud.nvdb"),
                                       "--voxels", "16"};
  expect_refusal(words, 1, {"cloud.nvdb", "exists", "-y"});
  EXPECT_EQ(text_of(path("cloud.nvdb")), "mine");
  const Outcome outcome = synth("cloud.nvdb", {"-y"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("cloud.nvdb: a cloud of "), std::string::npos) << outcome.out;
  EXPECT_GT(read_volume(path("cloud.nvdb")).volume.largest(), 0);
}

TEST_F(CloudCommand, ErrorsAreReportedWithARemedy) {
  const std::string out = path("cloud.nvdb");
  for (const char* voxels : {"15", "1025", "0", "-64", "16.5", "nan", "many", ""}) {
    expect_refusal({"synth", "cloud", "-o", out, std::string("--voxels=") + voxels}, 2,
                   {"--voxels"});
  }
  expect_refusal({"synth", "cloud"}, 2, {"--out"});
  for (const char* name : {"cloud.vdb", "cloud", "cloud.nvdb.gz"}) {
    expect_refusal({"synth", "cloud", "-o", path(name)}, 2, {name, ".nvdb"});
  }
  expect_refusal({"synth", "cloud", "-o", out, "--triangles", "60000"}, 2,
                 {"--triangles", "volume"});
  for (const char* option : {"--views=3", "--hdr", "--resolution=8x6", "--points=9"}) {
    const std::string words = option;
    expect_refusal({"synth", "cloud", "-o", out, words}, 2,
                   {words.substr(0, words.find('=')), "volume"});
  }
  for (const char* name : {"pottery", "figure"}) {
    expect_refusal({"synth", name, "-o", path("a.ply"), "--voxels", "64"}, 2, {"--voxels", name});
  }
  expect_refusal({"synth", "cloud", "-o", path("nowhere/cloud.nvdb"), "--voxels", "16"}, 1,
                 {"nowhere/cloud.nvdb", "folder"});
  EXPECT_TRUE(files().empty());
  fs::create_directories(out);
  expect_refusal({"synth", "cloud", "-o", out, "--voxels", "16", "-y"}, 1,
                 {"cloud.nvdb", "directory"});
}

TEST_F(CloudCommand, AFullDiskIsReportedAndLeavesNoVolume) {
  const std::vector<std::string> words{"synth",    "cloud", "-o", path("disk/cloud.nvdb"),
                                       "--voxels", "64"};
  {
    const SmallDisk disk(path("disk"), 64 << 10);
    if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a small disk";
    expect_refusal(words, 1, {"No space left", path("disk/cloud.nvdb")});
    expect_no_file("disk");
  }
  const Outcome outcome = run_on_small_disk(words, 3000);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  expect_no_file("disk");
}

TEST_F(CloudCommand, AnInterruptLeavesNoVolume) {
  const pid_t child = start(
      {"synth", "cloud", "-o", path("cloud.nvdb"), "--voxels", "1024", "--progress", "plain"});
  siginfo_t ended{};
  while (text_of(path(".err")).find("making a cloud") == std::string::npos && ended.si_pid == 0) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    ::usleep(1000);
  }
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace mote

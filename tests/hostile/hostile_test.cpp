// Walks the tables of hostile and odd uses of the program.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <regex>

#include "hostile_case.h"
#include "hostile_run.h"
#include "io/splats/scene_format.h"
#include "support/dataset_fixture.h"
#include "support/random_cloud.h"

namespace mote::hostile {
namespace {

namespace fs = std::filesystem;

constexpr bool kSanitized =
#ifdef MOTE_SANITIZED
    true;
#else
    false;
#endif

class Hostile : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              fmt::format("mote_hostile_{}_{}", GetParam().name, ::getpid());
    fs::create_directories(folder_);
    save_scene(random_cloud(100, 1, 1), folder_ / "scene.ply");
    make_tiny_dataset(folder_ / "data");
    if (GetParam().arrange) GetParam().arrange(folder_);
    if (GetParam().unprivileged) open_to_everyone();
    before_ = snapshot(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder_, ignored)) {
      if (entry.is_directory(ignored)) fs::permissions(entry.path(), fs::perms::all, ignored);
    }
    fs::remove_all(folder_, ignored);
  }

  /// Only the top folder: entries keep the permissions that the case gave them.
  void open_to_everyone() const {
    fs::permissions(folder_, fs::perms::all);
    if (::geteuid() != 0) return;
    EXPECT_EQ(::chown(folder_.c_str(), 65534, 65534), 0);
  }

  static bool is_listed(const std::vector<std::string>& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const std::string& listed) {
      return listed == name ||
             (listed.ends_with('/') && (name + "/" == listed || name.starts_with(listed)));
    });
  }

  void expect_files_as_they_should_be() const {
    const std::map<std::string, std::string> after = snapshot(folder_);
    for (const auto& [name, content] : before_) {
      const auto found = after.find(name);
      if (found == after.end()) {
        ADD_FAILURE() << name << " is gone";
      } else if (found->second != content && !is_listed(GetParam().changed, name)) {
        ADD_FAILURE() << name << " has changed";
      }
    }
    for (const auto& [name, content] : after) {
      if (!before_.contains(name) && !is_listed(GetParam().left, name)) {
        ADD_FAILURE() << name << " is left behind";
      }
    }
    for (std::string name : GetParam().left) {
      if (name.ends_with('/')) name.pop_back();
      EXPECT_TRUE(after.contains(name)) << name << " is missing";
    }
  }

  fs::path folder_;
  std::map<std::string, std::string> before_;
};

TEST_P(Hostile, Case) {
  const Case& expected = GetParam();
  if (expected.unprivileged && !can_run_unprivileged()) {
    GTEST_SKIP() << "nobody may not run " << MOTE_PROGRAM;
  }
  const RunResult result =
      run_program(expected.words, {.folder = folder_, .unprivileged = expected.unprivileged});
  SCOPED_TRACE(::testing::PrintToString(expected.words) + "\nstderr: " + result.err +
               "stdout: " + result.out.substr(0, 2000));
  EXPECT_FALSE(result.hung);
  EXPECT_EQ(result.exit_code, expected.exit_code);
  const std::regex pattern(expected.message);
  EXPECT_TRUE(std::regex_search(result.err, pattern) || std::regex_search(result.out, pattern))
      << "no " << expected.message;
  EXPECT_EQ(result.err.find("internal fault"), std::string::npos);
  expect_files_as_they_should_be();
  if (kSanitized) return;  // sanitizers need additional memory and time
  EXPECT_LE(result.peak_bytes >> 20, expected.memory_mib) << "MiB";
  EXPECT_LE(result.processor_s, expected.processor_s) << "s";
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Options, Hostile, ::testing::ValuesIn(option_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Scenes, Hostile, ::testing::ValuesIn(scene_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Datasets, Hostile, ::testing::ValuesIn(dataset_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Outputs, Hostile, ::testing::ValuesIn(output_cases()), name_of);

}  // namespace
}  // namespace mote::hostile

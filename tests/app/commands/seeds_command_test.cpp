// `mote train --seeds`: its folders, stopping and resuming, and refusals.
#include <nlohmann/json.hpp>

#include "support/train_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class Seeds : public TrainCommand {
 protected:
  json stats_of(const std::string& out) const {
    return json::parse(text_of(path(out + "/seed_stats.json")));
  }
  std::vector<std::string> two(const std::string& out, std::vector<std::string> more = {},
                               const std::string& steps = "60") const {
    more.insert(more.end(), {"--seeds", "2", "--no-eval-pictures"});
    return words(out, more, steps);
  }
};

TEST_F(Seeds, EachHasTheFolderOfARunAndATableComparesThem) {
  const Outcome outcome = run(two("out", {"--seed", "7"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("seed 8"), std::string::npos) << outcome.out;
  const json stats = stats_of("out");
  EXPECT_EQ(stats["seeds"], (json{7, 8}));
  double sum = 0;
  for (const char* seed : {"seed_7", "seed_8"}) {
    const json own = json::parse(text_of(path(std::string("out/") + seed + "/stats.json")));
    EXPECT_EQ(own["status"], "done");
    sum += own["evaluation"]["psnr"].get<double>();
  }
  EXPECT_NEAR(stats["mean"]["psnr"].get<double>(), sum / 2, 1e-9);
  EXPECT_GT(stats["spread"]["psnr"].get<double>(), 0);
  ASSERT_EQ(run(words("alone", {"--seed", "8"})).exit_code, 0);
  expect_same_result("alone", "out/seed_8", 60);
}

TEST_F(Seeds, AStoppedOneGoesOnAndThoseThatAreDoneStay) {
  ASSERT_EQ(run(two("whole", {}, "200")).exit_code, 0);
  const pid_t child = start_until_new_checkpoint(two("out", {}, "200"), "out/seed_43");
  ::kill(child, SIGINT);
  const Outcome outcome = finish(child);
  if (outcome.exit_code != 0) {
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_NE(outcome.err.find("mote train --resume -o '" + path("out") + "'"), std::string::npos)
        << outcome.err;
  }
  const auto first = fs::last_write_time(path("out/seed_42/stats.json"));
  const Outcome last = run(on("out"));
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(fs::last_write_time(path("out/seed_42/stats.json")), first);
  expect_same_result("whole/seed_42", "out/seed_42", 200);
  expect_same_result("whole/seed_43", "out/seed_43", 200);
  EXPECT_EQ(stats_of("whole")["mean"]["psnr"], stats_of("out")["mean"]["psnr"]);

  std::vector<std::string> more = on("out");
  more.insert(more.end(), {"--seeds", "3", "--json"});
  const Outcome third = run(more);
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_EQ(json::parse(third.out), stats_of("out"));
  EXPECT_EQ(stats_of("out")["runs"].size(), 3u);
  EXPECT_EQ(fs::last_write_time(path("out/seed_42/stats.json")), first);
}

TEST_F(Seeds, AReplacedRunLeavesNothingThatCouldBeTakenForANewOne) {
  ASSERT_EQ(run(words("out", {"--seeds", "3"}, "20")).exit_code, 0);
  expect_refusal(two("out", {}, "20"), 1, {"contains runs already", "--resume"});
  const pid_t child =
      start_until_new_checkpoint(two("out", {"-y", "--sh-degree", "1"}, "1000000"), "out/seed_42");
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  EXPECT_FALSE(fs::exists(path("out/seed_stats.json")));
  for (const char* seed : {"seed_43", "seed_44"}) {
    EXPECT_FALSE(fs::exists(path(std::string("out/") + seed + "/stats.json"))) << seed;
  }
  EXPECT_TRUE(fs::exists(path("out/seeds.json")));
}

TEST_F(Seeds, OptionsAndFoldersThatDoNotFitAreRefused) {
  expect_refusal(two("out", {"--dry-run"}), 2, {"--dry-run"});
  expect_refusal(two("out", {"--no-eval"}), 2, {"--no-eval"});
  EXPECT_FALSE(fs::exists(path("out")));
  ASSERT_EQ(run(words("one", {}, "20")).exit_code, 0);
  expect_refusal(two("one", {"-y"}), 1, {"contains a run already"});
  std::vector<std::string> resume = on("one");
  resume.insert(resume.end(), {"--seeds", "2"});
  expect_refusal(resume, 1, {"contains no runs of several seeds"});
  ASSERT_EQ(run(two("several", {}, "20")).exit_code, 0);
  expect_refusal(words("several", {"-y"}), 1, {"contains runs of several seeds"});
  resume = on("several");
  resume.insert(resume.end(), {"--seeds", "1"});
  expect_refusal(resume, 2, {"there are runs of 2 seeds already"});
  resume = on("several");
  resume.insert(resume.end(), {"--seed", "3"});
  expect_refusal(resume, 2, {"the runs have the seeds 42 to 43"});
  fs::create_directories(path("foreign"));
  write_file("foreign/seed_stats.json", "{}");
  expect_refusal(two("foreign", {"-y"}), 1, {"seed_stats.json"});
}

}  // namespace
}  // namespace mote

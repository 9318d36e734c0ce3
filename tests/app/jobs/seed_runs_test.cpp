// Comparison of runs with several seeds, and their list.
#include "app/jobs/seed_runs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace mote {
namespace {

using nlohmann::json;

json stats_of(double psnr_db, double error) {
  return {{"steps", 100},
          {"training_seconds", 2.5},
          {"splats", 7},
          {"evaluation",
           {{"psnr", psnr_db},
            {"seconds", 3},
            {"split", "test"},
            {"views", {{{"psnr", 1}}}},
            {"velocity", {{"error", error}}}}}};
}

TEST(SeedRuns, ScoresAreTheNumbersOfAnEvaluation) {
  const SeedScores scores = seed_scores(stats_of(20, 0.5));
  const SeedScores expected{
      {"psnr", 20}, {"velocity.error", 0.5}, {"steps", 100}, {"training_seconds", 2.5}};
  EXPECT_EQ(scores, expected);
  EXPECT_EQ(seed_scores(json{{"steps", 5}}).size(), 1u) << "without an evaluation";
}

TEST(SeedRuns, MeanAndSpreadAreThoseOfASample) {
  std::vector<SeedScores> runs;
  for (const double psnr_db : {20.0, 21.0, 25.0}) runs.push_back(seed_scores(stats_of(psnr_db, 1)));
  runs[1]["only_here"] = 3;
  const SeedComparison result = compare_seeds({42, 43, 44}, runs);
  EXPECT_DOUBLE_EQ(result.mean.at("psnr"), 22);
  EXPECT_DOUBLE_EQ(result.spread.at("psnr"), std::sqrt((4.0 + 1 + 9) / 2));
  EXPECT_DOUBLE_EQ(result.spread.at("velocity.error"), 0);
  EXPECT_FALSE(result.mean.contains("only_here"));
  const json file = seeds_json(result);
  EXPECT_EQ(file["runs"][2]["seed"], 44);
  EXPECT_EQ(file["runs"][2]["psnr"], 25);
  EXPECT_EQ(file["mean"]["psnr"], 22);
  const std::string text = seeds_text(result);
  EXPECT_NE(text.find("seed 43"), std::string::npos);
  EXPECT_NE(text.find("22"), std::string::npos);
  EXPECT_DOUBLE_EQ(compare_seeds({1}, {{{"psnr", 9}}}).spread.at("psnr"), 0);
}

TEST(SeedRuns, TheListKeepsSeedsAndOptions) {
  const auto folder =
      std::filesystem::path(testing::TempDir()) / ("seeds_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const SeedFolder seeds(folder);
  EXPECT_FALSE(seeds.exists());
  RunConfig config;
  config.splats.steps = 77;
  seeds.write({.first = 5, .count = 3}, config, "cpu", "1.2.3");
  EXPECT_TRUE(seeds.exists());
  RunConfig read;
  const SeedList list = seeds.read(&read, {});
  EXPECT_EQ(list.first, 5);
  EXPECT_EQ(list.count, 3);
  EXPECT_EQ(list.text(), "5 to 7");
  EXPECT_EQ(read.splats.steps, 77);
  EXPECT_FALSE(seeds.is_done(5));
  for (const char* damaged : {"", "[]", "{\"seed\": 5}", "{\"seed\": -1, \"#seeds\": 2}",
                              "{\"seed\": 1, \"#seeds\": 0}", "{\"seed\": 1, \"#seeds\": \"x\"}"}) {
    std::ofstream(seeds.list()) << damaged;
    EXPECT_THROW(seeds.read(nullptr, {}), Error) << damaged;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace mote

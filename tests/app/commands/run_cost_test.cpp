// `mote train --dry-run`: the estimated memory against the peak of the run.
#include <nlohmann/json.hpp>

#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"
#include "support/own_memory.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class RunCostEstimate : public Program {
 protected:
  struct Figures {
    double estimate = 0, peak = 0;
    double dry_peak = 0;  // peak of the process that makes the estimate
    json dry;
  };

  /// Trains `steps` steps on such a dataset, and measures with the same options.
  Figures figures(const TinyDataset& tiny, const std::vector<std::string>& options) const {
    make_tiny_dataset(path("data"), tiny);
    return figures(path("data"), options);
  }
  /// The same on a dataset or a file that is there.
  Figures figures(const std::string& data, std::vector<std::string> options) const {
    std::vector<std::string> words{"train", data, "-o", path("out"), "--device", "cpu"};
    options.insert(options.end(), {"--progress", "none", "--json"});
    words.insert(words.end(), options.begin(), options.end());
    std::vector<std::string> dry_words = words;
    dry_words.emplace_back("--dry-run");
    Figures result;
    const Outcome dry = run(dry_words);
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    result.dry = json::parse(dry.out);
    result.estimate = result.dry["memory_bytes"];
    result.dry_peak = result.dry["peak_memory_bytes"];
    const Outcome trained = run(words);
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    result.peak = json::parse(trained.out)["machine"]["peak_memory_bytes"];
    return result;
  }

  void expect_true(const Figures& figures, double tolerance = 0.15) const {
    if (!kOwnMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
    SCOPED_TRACE(figures.dry.dump());
    EXPECT_NEAR(figures.estimate / figures.peak, 1, tolerance) << figures.peak;
    EXPECT_LT(figures.dry_peak, (1 + tolerance) * figures.estimate)
        << "the estimate takes more than the run";
  }
};

TEST_F(RunCostEstimate, HoldsForFewSplatsOnSmallPhotographs) {
  expect_true(figures({.views = 12, .width = 365, .height = 274, .splats = 1000},
                      {"--steps", "20", "--max-splats", "1000"}));
}

TEST_F(RunCostEstimate, HoldsForManySplatsOnSmallPhotographs) {
  expect_true(figures(
      {.views = 8, .width = 365, .height = 274},
      {"--steps", "2", "--init", "random", "--init-count", "400000", "--max-splats", "400000"}));
}

TEST_F(RunCostEstimate, HoldsForManySplatsWithDensityControl) {
  expect_true(figures(
      {.views = 8, .width = 365, .height = 274},
      {"--steps", "5", "--init", "random", "--init-count", "360000", "--max-splats", "400000",
       "--strategy", "mcmc", "--densify-from", "1", "--densify-every", "2", "--growth", "0.2"}));
}

TEST_F(RunCostEstimate, HoldsForAGrowingNumberOfSplats) {
  // Eleven changes, and eight steps with all splats.
  expect_true(figures({.views = 8, .width = 365, .height = 274, .splats = 2000},
                      {"--steps", "32", "--target-splats", "200000", "--densify-from", "1",
                       "--densify-every", "2", "--densify-until", "0.75"}));
}

TEST_F(RunCostEstimate, HoldsForFewSplatsOnLargePhotographs) {
  expect_true(figures({.views = 3, .width = 2250, .height = 1500, .splats = 1000},
                      {"--steps", "2", "--max-splats", "1000", "--test-every", "3"}));
}

TEST_F(RunCostEstimate, HoldsForPhotographsBeyondTheCache) {
  expect_true(figures({.views = 10, .width = 1600, .height = 1200, .splats = 1000},
                      {"--steps", "8", "--max-splats", "1000", "--memory", "0.02"}));
}

// A field that has hardly been trained takes long to draw, and more pixels take no more memory.
// After eight steps, the occupied cells are measured.
constexpr TinyDataset kSmallViews{.views = 8, .width = 128, .height = 96};

TEST_F(RunCostEstimate, HoldsForANerf) {
  expect_true(figures(kSmallViews, {"--model", "nerf", "--steps", "9", "--test-choice", "name"}),
              0.1);
}

TEST_F(RunCostEstimate, HoldsForANerfWithFittedPoses) {
  expect_true(figures(kSmallViews, {"--model", "nerf", "--steps", "9", "--batch", "32768",
                                    "--pose-opt", "--test-choice", "name"}),
              0.1);
}

TEST_F(RunCostEstimate, HoldsForASignedDistanceField) {
  write_file("tetrahedron.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expect_true(figures(path("tetrahedron.obj"), {"--steps", "5", "--no-eval"}), 0.1);
}

TEST_F(RunCostEstimate, HoldsForAnImage) {
  write_png(pattern_image(1024, 768, 3, 1), path("picture.png"));
  expect_true(figures(path("picture.png"), {"--steps", "20", "--no-eval"}), 0.1);
  fs::remove_all(path("out"));
  const Figures evaluated = figures(path("picture.png"), {"--steps", "20"});
  EXPECT_EQ(evaluated.dry["memory_while"], "the last evaluation is made");
  expect_true(evaluated, 0.1);
}

TEST_F(RunCostEstimate, HoldsForAVolume) {
  ASSERT_EQ(run({"synth", "cloud", "-o", path("cloud.nvdb"), "--voxels", "32"}).exit_code, 0);
  expect_true(figures(path("cloud.nvdb"), {"--steps", "5", "--no-eval"}), 0.1);
}

TEST_F(RunCostEstimate, CountsTheParametersOfProposals) {
  const Figures field = figures({.views = 4, .width = 32, .height = 24},
                                {"--model", "nerf", "--sampler", "proposal", "--steps", "3",
                                 "--batch", "4096", "--no-eval", "--test-choice", "name"});
  const json stats = json::parse(text_of(path("out/stats.json")));
  EXPECT_EQ(field.dry["parameters"]["last"], stats["parameters"]);
  const Outcome info = run({"info", path("out"), "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const json facts = json::parse(info.out);
  EXPECT_EQ(facts["parameters"], stats["parameters"]);
  std::uint64_t expected = 0;
  for (const json& round : facts["proposals"]["rounds"]) {
    expected += round["n_params"].get<std::uint64_t>();
  }
  EXPECT_GT(expected, 1'000'000u);
  const NeuralField written = read_field_snapshot(InputFile(path("out/field_3.ingp")), {});
  EXPECT_EQ(stats["parameters"], written.parameters.size() + expected);
}

}  // namespace
}  // namespace mote

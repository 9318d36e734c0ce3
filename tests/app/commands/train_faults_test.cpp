// Faults of `mote train`: non-finite numbers, checkpoints of another version, two processes in one
// folder, a full disk.
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "support/files/small_disk.h"
#include "support/train_command_fixture.h"
#include "train/run/checkpoint.h"

namespace mote {
namespace {

using nlohmann::json;

class TrainFaults : public TrainCommand {
 protected:
  /// An initial scene in which `damage` changed `broken` of the splats.
  template <class Damage>
  std::vector<std::string> words_from(std::size_t broken, const Damage& damage) const {
    SplatCloud cloud = tiny_cloud();
    for (std::size_t i = 0; i < broken; ++i) damage(cloud, i);
    save_scene(cloud, path("init.ply"));
    return words("out", {"--init", path("init.ply"), "--no-eval", "--json", "-y"}, "20");
  }
  void expect_phrases(const Outcome& outcome, int exit_code,
                      const std::vector<std::string>& phrases) const {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    for (const std::string& phrase : phrases) {
      EXPECT_NE(outcome.err.find(phrase), std::string::npos) << phrase << " in " << outcome.err;
    }
  }
  fs::path make_folder(const std::string& name) const {
    fs::create_directories(path(name));
    return path(name);
  }
  std::vector<std::string> unfinished(const std::string& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder))) {
      const std::string name = entry.path().string();
      if (name.find(".partial-") != std::string::npos) names.push_back(name);
    }
    return names;
  }
};

TEST_F(TrainFaults, AFileThatIsNotDataIsNamedWithWhatIs) {
  const std::vector<std::string> remedy{"a dataset", "a mesh", "PNG, JPEG or EXR", "a volume"};
  const auto refuse = [&](const std::string& name, const std::string& bytes,
                          const std::string& problem) {
    std::vector<std::string> phrases = remedy;
    phrases.insert(phrases.end(), {name, problem});
    expect_refusal({"train", write_file(name, bytes), "-o", path("run")}, 1, phrases);
  };
  refuse("empty.exr", "", "is an empty file");
  refuse("empty.png", "", "is an empty file");
  refuse("text.exr", "not a picture", "is not a picture");
  refuse("notes.txt", "not data", "is not a file that a model can be trained on");
}

TEST_F(TrainFaults, NonFiniteInitialSplatsAreLeftOutAndCounted) {
  const auto damage = [](SplatCloud& cloud, std::size_t i) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (i == 0) cloud.at(i, Field::mean_y) = kNaN;
    if (i == 1) cloud.at(i, Field::log_scale_x) = kInfinity;
    if (i == 2) cloud.at(i, Field::rotation_w) = kNaN;
    if (i == 3) cloud.sh(i, 0, 2) = -kInfinity;
    if (i >= 4) cloud.at(i, Field::mean_x) = kInfinity;
  };
  const Outcome outcome = run(words_from(4, damage));
  expect_phrases(outcome, 0, {"4 splats of ", "init.ply are not finite, and are left out"});
  EXPECT_EQ(json::parse(outcome.out)["broken_splats"], 0);
  expect_phrases(run(words_from(60, damage)), 1, {"has no valid splats", "init.ply", "--init"});
}

TEST_F(TrainFaults, TrainingFromAbsurdInitialSplatsGivesFiniteSplats) {
  const Outcome outcome = run(words_from(12, [](SplatCloud& cloud, std::size_t i) {
    const auto set = [&](Field first, std::initializer_list<float> values) {
      int field = static_cast<int>(first);
      for (const float value : values) cloud.at(i, static_cast<Field>(field++)) = value;
    };
    switch (i % 6) {
      case 0:
        return set(Field::rotation_w, {1e-19f, 1e-20f, 0, 0});
      case 1:
        return set(Field::rotation_w, {1e18f, 1e17f, -1e18f, 0});
      case 2:
        return set(Field::log_scale_x, {30, -40, -40});
      case 3:
        return set(Field::log_scale_x, {-80, -80, -80});
      case 4:
        return set(Field::mean_x, {1e30f, -1e30f, 1e30f});
      default:
        return set(Field::logit_opacity, {1e30f});
    }
  }));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const SplatCloud trained = load_scene(path("out/splat_20.ply"));
  for (std::size_t i = 0; i < trained.count(); ++i) {
    for (int field = 0; field < kGaussianFields; ++field) {
      ASSERT_TRUE(std::isfinite(trained.at(i, static_cast<Field>(field)))) << i << " " << field;
    }
  }
}

TEST_F(TrainFaults, ANanLossStopsTheRunAndNamesStepAndPhotograph) {
  const Outcome outcome = run(words_from(60, [](SplatCloud& cloud, std::size_t i) {
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = 3e38f;
    for (int axis = 0; axis < 3; ++axis) cloud.at(i, static_cast<Field>(3 + axis)) = -0.5f;
  }));
  expect_phrases(outcome, 1, {"step 1", "photograph view_", "; "});
  EXPECT_FALSE(fs::exists(path("out/splat_20.ply")));
  EXPECT_NE(text_of(path("out/train.log")).find("photograph view_"), std::string::npos);
}

TEST_F(TrainFaults, FullyMaskedViewsAreLeftOutWithAWarningAndRefusedIfThereAreNoOthers) {
  const auto mask = [&](int view, float value) {
    Image image;
    image.resize_discard(64, 48, 1);
    std::ranges::fill(image.pixels.span(), value);
    fs::create_directories(path("data/masks"));
    write_png(image, path(fmt::format("data/masks/view_{:02}.png", view)));
  };
  for (int view = 0; view < 12; ++view)
    mask(view, view == 0 || view == 8 || view == 3 ? 0.0f : 1.0f);
  const Outcome outcome = run(words("out", {"--json"}, "20"));
  expect_phrases(outcome, 0, {"3 of 12 photographs are hidden completely", "masks/view_00.png"});
  const json stats = json::parse(outcome.out);
  EXPECT_EQ(stats["status"], "done");
  EXPECT_EQ(stats["dataset"]["training_views"], 7);
  EXPECT_EQ(stats["evaluation"]["views"].size(), 2u);
  for (const json& view : stats["evaluation"]["views"]) EXPECT_NE(view["name"], "view_00");

  for (int view = 0; view < 12; ++view) mask(view, 0);
  expect_phrases(run(words("hidden")), 1, {"hide every photograph", "view_00.png", "--masks"});
  EXPECT_EQ(run(words("segment", {"--mask-mode", "segment"}, "2")).exit_code, 0);
}

TEST_F(TrainFaults, AFailedEvaluationAtTheEndKeepsTheOtherResults) {
  fs::create_directories(path("out"));
  write_file("out/eval", "in the way");
  const Outcome outcome = run(words("out", {"--json"}, "20"));
  expect_phrases(outcome, 0, {"warning: ", "out/eval", "the scene is written"});
  EXPECT_TRUE(fs::exists(path("out/splat_20.ply")));
  const json stats = json::parse(outcome.out);
  EXPECT_EQ(stats["status"], "done");
  EXPECT_FALSE(stats.contains("evaluation"));
}

TEST_F(TrainFaults, ACheckpointOfAnotherVersionIsAnError) {
  ASSERT_EQ(run(words("out", {"--no-eval"})).exit_code, 0);
  const fs::path newer = write_checkpoint(path("out/checkpoints"),
                                          {.step = 70, .dataset = 1, .layout = "mote 0.0.0, CPU"},
                                          [](ByteSink& sink) { sink.put(1); });
  expect_phrases(run(on("out")), 1, {newer.filename().string(), "mote 0.0.0", "-y"});
}

TEST_F(TrainFaults, ARunResumesOnTheSamePixelsInAnyFolderAndOnNoOthers) {
  write_png(pattern_image(64, 48, 1, 2), make_folder("data/masks") / "view_03.png");
  ASSERT_EQ(run(words("out", {"--no-eval"}, "20")).exit_code, 0);
  fs::copy(path("data"), path("copy"), fs::copy_options::recursive);
  const std::vector<std::string> from_copy{"train", path("copy"), "--resume", "-o", path("out")};
  const Outcome outcome = run(from_copy);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;

  std::vector<std::string> segment = from_copy;
  segment.insert(segment.end(), {"--mask-mode", "segment"});
  expect_phrases(run(segment), 1, {"other pixels", "--mask-mode", "-y"});
  for (const char* file : {"copy/images/view_05.png", "copy/masks/view_03.png"}) {
    const std::string before = text_of(path(file));
    const int channels = file[5] == 'm' ? 1 : 3;
    write_png(pattern_image(64, 48, channels, 9), path(file));
    expect_phrases(run(from_copy), 1, {"other pixels", "a photograph, a mask", "-y"});
    write_bytes(path(file), before);
  }
  EXPECT_EQ(run(from_copy).exit_code, 0);
}

TEST_F(TrainFaults, ADamagedPhotographIsLeftOutAndTrainingSucceeds) {
  std::string bytes = text_of(path("data/images/view_05.png"));
  write_bytes(path("data/images/view_05.png"), bytes.replace(bytes.size() / 2, 99, 99, '\0'));
  const Outcome outcome = run(words("out", {"--json"}, "20"));
  expect_phrases(outcome, 0, {"1 of 12 photographs cannot be used", "view_05.png", "left out"});
}

TEST_F(TrainFaults, ASecondProcessInTheFolderIsRefusedWithTheIdOfTheFirst) {
  const pid_t first = start_until_new_checkpoint(words("out", {"--no-eval"}, "1000000"), "out");
  const std::string log = text_of(path("out/config.json"));
  const std::string holder = "mote with process number " + std::to_string(first);
  for (const std::vector<std::string>& command :
       {on("out"), words("out", {"-y", "--seed", "5"}, "20")}) {
    expect_phrases(run(command), 1, {holder, path("out"), "-o"});
  }
  EXPECT_EQ(text_of(path("out/config.json")), log);
  ::kill(first, SIGINT);
  EXPECT_EQ(finish(first).exit_code, 130);
}

TEST_F(TrainFaults, AFullDiskIsReportedAndLeavesNoPartialFiles) {
  const SmallDisk disk(path("disk"), 64 << 10);
  if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a small disk";
  const Outcome outcome = run(words("disk/out", {"--max-splats", "2000", "--init", "random"}));
  expect_phrases(outcome, 1, {path("disk/out"), "No space left", "; "});
  EXPECT_TRUE(unfinished("disk/out").empty());
  EXPECT_FALSE(fs::exists(path("disk/out/splat_60.ply")));
}

}  // namespace
}  // namespace mote

// The numbers of `mote bench`: percentiles, means, shares, rates and their JSON keys.
#include "app/jobs/bench_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/jobs/bench_motion.h"

namespace mote {
namespace {

FrameStats stats(double total_ms, double blend_ms, std::uint64_t evaluations) {
  FrameStats result;
  result.total_ms = total_ms;
  result.project_ms = 1;
  result.bin_ms = 2;
  result.sort_ms = 3;
  result.blend_ms = blend_ms;
  result.splats = 1000;
  result.visible = 500;
  result.pairs = 700;
  result.evaluations = evaluations;
  return result;
}

FrameStats field_stats() {
  FrameStats result;
  result.total_ms = 100;
  result.march_ms = 10;
  result.encode_ms = 40;
  result.network_ms = 30;
  result.compose_ms = 20;
  result.evaluations = 1'000'000;
  return result;
}

BenchReport report_of_two_views() {
  BenchReport report;
  report.scene = "a.ply";
  report.counted = "splats";
  report.views = {{"one", {10, 30}, {stats(10, 4, 2000), stats(30, 24, 6000)}},
                  {"two", {20, 40}, {stats(20, 14, 4000), stats(40, 34, 8000)}}};
  report.closeup = {"closeup", {1000}, {stats(1000, 994, 1000000)}};
  return report;
}

TEST(MotionReport, TellsThePartsOfTheTimeOfAJump) {
  MotionCase jump{
      .name = "jump", .frame_ms = {90, 110}, .stats = {stats(50, 40, 10), stats(60, 50, 10)}};
  for (FrameStats& one : jump.stats) {
    one.stored = 10000;
    one.streaming = {.wait_ms = 40,
                     .fill_ms = 1,
                     .read_ms = 2,
                     .decode_ms = 30,
                     .prepare_ms = 20,
                     .parts = 3,
                     .splats = 4000,
                     .bytes = 2'000'000};
  }
  jump.stats[1].streaming.decode_ms = 50;
  const nlohmann::json loading = motion_json({jump})["jump"]["loading"];
  EXPECT_EQ(loading["decode_ms"], 40);
  EXPECT_EQ(loading["bytes"], 2'000'000);
  const std::string text = motion_text({jump});
  for (const char* part : {"waits 40.00 ms", "its picture takes 60.00 ms", "3.0 parts",
                           "read 2.00 ms, decoded 40.00 ms, prepared 20.00 ms"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  // Scenes in memory load nothing.
  for (FrameStats& one : jump.stats) one.streaming = {};
  EXPECT_FALSE(motion_json({jump})["jump"].contains("loading"));
  const std::string in_memory = motion_text({jump});
  EXPECT_EQ(in_memory.find("waits"), std::string::npos) << in_memory;
  EXPECT_NE(in_memory.find("a jump        loads nothing"), std::string::npos) << in_memory;
  // Frames of a sequence have no counts of splats.
  for (FrameStats& one : jump.stats) one.stored = 0;
  EXPECT_EQ(motion_text({jump}).find("a jump"), std::string::npos);
}

TEST(Percentile, InterpolatesLinearlyBetweenRanks) {
  const double sorted[] = {10, 20, 30, 40, 50};
  EXPECT_EQ(percentile(sorted, 0), 10);
  EXPECT_EQ(percentile(sorted, 0.5), 30);
  EXPECT_DOUBLE_EQ(percentile(sorted, 0.95), 48);
  EXPECT_EQ(percentile(sorted, 1), 50);
  const double one[] = {7};
  EXPECT_EQ(percentile(one, 0.99), 7);
  const double two[] = {1, 2};
  EXPECT_DOUBLE_EQ(percentile(two, 0.5), 1.5);
}

TEST(FrameTimes, AreIndependentOfTheOrderOfFrames) {
  const FrameTimes times = frame_times({40, 10, 30, 20});
  EXPECT_DOUBLE_EQ(times.mean_ms, 25);
  EXPECT_DOUBLE_EQ(times.p50_ms, 25);
  EXPECT_DOUBLE_EQ(times.p95_ms, 38.5);
  EXPECT_DOUBLE_EQ(times.p99_ms, 39.7);
  EXPECT_DOUBLE_EQ(times.fps, 40);
}

TEST(BenchReport, FrameTimesCoverAllViewsExceptTheCloseup) {
  const auto json = report_json(report_of_two_views());
  EXPECT_DOUBLE_EQ(json["frame"]["mean_ms"], 25);
  EXPECT_DOUBLE_EQ(json["frame"]["p50_ms"], 25);
  EXPECT_DOUBLE_EQ(json["frame"]["fps"], 40);
  EXPECT_DOUBLE_EQ(json["closeup"]["mean_ms"], 1000);
  ASSERT_EQ(json["views"].size(), 2u);
  EXPECT_EQ(json["views"][1]["name"], "two");
  EXPECT_DOUBLE_EQ(json["views"][1]["mean_ms"], 30);
}

TEST(BenchReport, SharesAndRatesUseTheSumOfFrames) {
  const auto stages = report_json(report_of_two_views())["stages"];
  EXPECT_DOUBLE_EQ(stages["project"]["mean_ms"], 1);
  EXPECT_DOUBLE_EQ(stages["project"]["share"], 0.04);
  EXPECT_DOUBLE_EQ(stages["project"]["splats_per_s"], 1e6);
  EXPECT_DOUBLE_EQ(stages["bin"]["share"], 0.08);
  EXPECT_DOUBLE_EQ(stages["sort"]["visible_per_s"], 500 / 0.003);
  EXPECT_DOUBLE_EQ(stages["blend"]["share"], 0.76);
  EXPECT_DOUBLE_EQ(stages["blend"]["evaluations_per_s"], 20000 / 0.076);
}

TEST(BenchReport, FastPrecisionIsComparedWithTheExactOne) {
  BenchReport report = report_of_two_views();
  EXPECT_FALSE(report_json(report).contains("psnr"));
  report.precision = "fast";
  report.views[0].psnr_db = 60;
  report.views[1].psnr_db = 50;
  const auto json = report_json(report);
  EXPECT_EQ(json["settings"]["precision"], "fast");
  EXPECT_DOUBLE_EQ(json["psnr"]["mean_db"], 55);
  EXPECT_DOUBLE_EQ(json["psnr"]["least_db"], 50);
  EXPECT_DOUBLE_EQ(json["views"][0]["psnr_db"], 60);
  EXPECT_NE(report_text(report).find("mean 55.0 dB, least 50.0 dB"), std::string::npos);
}

TEST(BenchReport, TimesOfTheStagesAndOfTheCallAreSeparate) {
  BenchReport report = report_of_two_views();
  for (ViewMeasurement& view : report.views) {
    for (double& ms : view.frame_ms) ms += 5;
  }
  const auto json = report_json(report);
  EXPECT_DOUBLE_EQ(json["frame"]["mean_ms"], 30);
  EXPECT_DOUBLE_EQ(json["device_frame"]["mean_ms"], 25);
  EXPECT_DOUBLE_EQ(json["device_frame"]["p50_ms"], 25);
}

TEST(BenchReport, ReportsGpuMemoryAndTheDestinationOfFrames) {
  BenchReport report = report_of_two_views();
  EXPECT_EQ(report_text(report).find("on the device"), std::string::npos);
  report.device_memory_bytes = 3'000'000;
  EXPECT_NE(report_text(report).find("on the device 3 MB; frames left there"), std::string::npos);
  report.download = true;
  EXPECT_NE(report_text(report).find("frames copied to the host"), std::string::npos);
  EXPECT_EQ(report_json(report)["settings"]["download"], true);
  EXPECT_EQ(report_json(report)["machine"]["device_memory_bytes"], 3'000'000);
}

TEST(BenchReport, TheTableNamesEveryStageAndTheCloseup) {
  const std::string text = report_text(report_of_two_views());
  for (const char* word :
       {"a.ply", "its stages", "cull+project", "bin", "sort", "blend", "close-up", "p99", "FPS",
        "visible", "pairs", "peak memory", "evaluations/s"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

TEST(BenchReport, HasTheStagesOfNeuralFields) {
  BenchReport report;
  report.counted = "parameters";
  report.width = 500;
  report.height = 400;
  report.views = {{"one", {100}, {field_stats()}}};
  report.closeup = report.views.front();
  const auto json = report_json(report);
  EXPECT_FALSE(json["stages"].contains("blend"));
  EXPECT_DOUBLE_EQ(json["stages"]["encode"]["share"], 0.4);
  EXPECT_DOUBLE_EQ(json["stages"]["rest"]["share"], 0.2);
  EXPECT_DOUBLE_EQ(json["stages"]["network"]["samples_per_s"], 1e9 / 30);
  EXPECT_DOUBLE_EQ(json["factor_to_60_fps"], 6);
  const std::string text = report_text(report);
  EXPECT_NE(text.find("per pixel"), std::string::npos) << text;
  EXPECT_NE(text.find("5.00"), std::string::npos) << text;
  EXPECT_NE(text.find("6 times too slow"), std::string::npos) << text;
  EXPECT_EQ(text.find("SH degree"), std::string::npos) << text;
}

}  // namespace
}  // namespace mote

// metrics.csv: written rows are read back, and a resumed run continues the file as if
// uninterrupted.
#include "train/run/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/error.h"
#include "support/files/file_bytes.h"
#include "train/run/metrics_plot.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

MetricsRow row_of(double step) {
  MetricsRow row;
  row.step = step;
  row.seconds = step / 30;
  row.loss = 1 / step;
  row.psnr_train_db = 20 + step / 1000;
  if (step != 200) row.psnr_test_db = 19 + step / 1000;
  row.count = 1000 + step;
  return row;
}

class MetricsCsv : public ::testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override { fs::remove(path_); }
  void write(std::initializer_list<double> steps) const {
    MetricsFile file(path_, "splats", 0);
    for (const double step : steps) file.append(row_of(step));
  }
  fs::path path_ =
      fs::path(::testing::TempDir()) / ("metrics_" + std::to_string(::getpid()) + ".csv");
};

TEST_F(MetricsCsv, HasAHeaderAndALinePerRowWithEmptyCellsForMissingValues) {
  write({100, 200});
  std::istringstream lines(text_of(path_));
  std::string header, first, second;
  std::getline(lines, header);
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_TRUE(header.starts_with("step,seconds,loss,l1,ssim,psnr_train,psnr_test,splats,"));
  EXPECT_TRUE(first.starts_with("100,")) << first;
  EXPECT_NE(second.find(",,"), std::string::npos) << second;
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  EXPECT_EQ(commas(header), commas(first));
  EXPECT_EQ(commas(header), commas(second));
}

TEST_F(MetricsCsv, IsReadAsFarAsItIsWhole) {
  EXPECT_TRUE(read_metrics(path_).counted.empty()) << "there is no file";
  write({100, 200, 300});
  const std::string text = text_of(path_);
  const MetricsTable whole = read_metrics(path_);
  EXPECT_EQ(whole.counted, "splats");
  ASSERT_EQ(whole.rows.size(), 3u);
  EXPECT_EQ(whole.rows[2].step, 300);
  EXPECT_EQ(whole.rows[2].count, 1300);
  EXPECT_TRUE(std::isnan(whole.rows[1].psnr_test_db));
  EXPECT_EQ(text_of(path_), text) << "reading changes nothing";
  const auto rows_of = [&](const std::string& content) {
    std::ofstream(path_) << content;
    return read_metrics(path_).rows.size();
  };
  EXPECT_EQ(rows_of(text.substr(0, text.size() - 5)), 2u) << "the last line is incomplete";
  EXPECT_EQ(rows_of(text + "nonsense\n"), 3u);
  EXPECT_EQ(rows_of("step,splats\n1,2\n"), 0u) << "other columns";
  EXPECT_EQ(rows_of(",,,\n"), 0u);
  EXPECT_EQ(rows_of("no line"), 0u);
  EXPECT_EQ(rows_of(""), 0u);
}

TEST_F(MetricsCsv, LossesOfProposalsAreEmptyForModelsWithoutThem) {
  for (const bool proposed : {false, true}) {
    fs::remove(path_);
    TrainReport report;
    report.step = 2;
    IntervalSums sums;
    for (const double loss : {0.5, 0.25}) {
      if (proposed) report.result.interlevel = loss;
      if (proposed) report.result.distortion = 2 * loss;
      sums.add(report, 1);
    }
    MetricsFile file(path_, "splats", 0);
    file.append(sums.take(report, 2));
    const std::string text = text_of(path_);
    EXPECT_NE(text.find(",interlevel,distortion\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with(proposed ? ",0.375,0.75\n" : ",,\n")) << text;
    const MetricsFile again(path_, "splats", 5);
    ASSERT_EQ(again.rows().size(), 1u);
    EXPECT_EQ(std::isnan(again.rows()[0].interlevel), !proposed);
  }
}

TEST_F(MetricsCsv, ResumingAtAStepRemovesLaterRows) {
  write({100, 200});
  const std::string expected = text_of(path_);
  fs::remove(path_);
  write({100, 200, 300, 400});
  MetricsFile resumed(path_, "splats", 250);
  EXPECT_EQ(text_of(path_), expected);
  ASSERT_EQ(resumed.rows().size(), 2u);
  EXPECT_EQ(resumed.rows()[1].step, 200);
  EXPECT_TRUE(std::isnan(resumed.rows()[1].psnr_test_db));
  EXPECT_NEAR(resumed.rows()[0].psnr_test_db, 19.1, 1e-9);
  resumed.append(row_of(300));
  EXPECT_EQ(resumed.rows().size(), 3u);
}

TEST_F(MetricsCsv, AnIncompleteLastLineIsDropped) {
  write({100, 200, 300});
  const std::string whole = text_of(path_);
  const std::size_t last = whole.rfind("\n300,") + 1;
  for (std::size_t size = last; size < whole.size(); ++size) {
    std::ofstream(path_) << whole.substr(0, size);
    EXPECT_EQ(MetricsFile(path_, "splats", 1000).rows().size(), 2u) << size;
    EXPECT_EQ(text_of(path_), whole.substr(0, last));
  }
}

TEST_F(MetricsCsv, AForeignFileIsReplaced) {
  for (const char* text : {"", "hello\n1,2,3\n", "step,loss\n1,2\n"}) {
    std::ofstream(path_) << text;
    EXPECT_TRUE(MetricsFile(path_, "splats", 1000).rows().empty());
  }
  EXPECT_THROW(MetricsFile("/no/such/folder/metrics.csv", "splats", 0), Error);
}

TEST_F(MetricsCsv, AFileRemovedDuringARunIsWrittenAgainInFull) {
  write({100, 200, 300});
  const std::string expected = text_of(path_);
  fs::remove(path_);
  MetricsFile file(path_, "splats", 0);
  file.append(row_of(100));
  file.append(row_of(200));
  fs::remove(path_);
  file.append(row_of(300));
  EXPECT_EQ(text_of(path_), expected);
}

TEST(IntervalSums, GiveMeansOverTheirStepsAndReset) {
  IntervalSums sums;
  TrainReport report;
  for (int i = 1; i <= 4; ++i) {
    report.step = static_cast<std::uint64_t>(i);
    report.count = 50;
    report.result.loss = i;
    report.result.mse = 0.01;
    report.result.backward_ms = 10 * i;
    sums.add(report, 0.5);
  }
  const MetricsRow row = sums.take(report, 9);
  EXPECT_EQ(row.step, 4);
  EXPECT_EQ(row.count, 50);
  EXPECT_EQ(row.seconds, 9);
  EXPECT_DOUBLE_EQ(row.loss, 2.5);
  EXPECT_DOUBLE_EQ(row.psnr_train_db, 20);
  EXPECT_DOUBLE_EQ(row.backward_ms, 25);
  EXPECT_DOUBLE_EQ(row.step_ms, 500);
  EXPECT_DOUBLE_EQ(row.steps_per_s, 2);
  EXPECT_TRUE(std::isnan(row.psnr_test_db));
  EXPECT_EQ(sums.steps, 0u);
  EXPECT_EQ(sums.sums.loss, 0);
}

TEST(IntervalSums, LeaveOutLossesOfNoPixels) {
  IntervalSums sums;
  TrainReport report;
  const auto add = [&](double loss, bool is_measured, bool part) {
    report.part = part;
    report.result = {};
    report.result.loss = loss;
    report.result.mse = 0.01 * loss;
    report.result.is_measured = is_measured;
    sums.add(report, 1);
  };
  add(0, false, false);
  add(1, true, false);
  add(0, false, true);
  add(7, true, true);
  const MetricsRow row = sums.take(report, 4);
  EXPECT_DOUBLE_EQ(row.loss, 1);
  EXPECT_DOUBLE_EQ(row.psnr_train_db, 20);
  EXPECT_DOUBLE_EQ(row.step_ms, 1000);
  add(0, false, false);
  const MetricsRow none = sums.take(report, 5);
  for (const double value : {none.loss, none.l1, none.ssim, none.psnr_train_db}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(PsnrOfMse, FollowsTheDefinitionAndIsAHundredForEqualPictures) {
  EXPECT_DOUBLE_EQ(psnr_of_mse(0.01), 20);
  EXPECT_DOUBLE_EQ(psnr_of_mse(1), 0);
  EXPECT_DOUBLE_EQ(psnr_of_mse(0), 100);
}

TEST(MetricsPlot, IsWrittenForAnyNumberOfRows) {
  const fs::path path =
      fs::path(::testing::TempDir()) / ("plot_" + std::to_string(::getpid()) + ".svg");
  for (const int count : {0, 1, 50}) {
    std::vector<MetricsRow> rows;
    for (int i = 1; i <= count; ++i) rows.push_back(row_of(100 * i));
    const EvaluationPoint evaluation{100, 25, 0.8};
    write_metrics_plot({.title = "a & b",
                        .subtitle = "<c>",
                        .counted = "splats",
                        .rows = rows,
                        .evaluations = std::span(&evaluation, count > 0 ? 1 : 0),
                        .test_views = 3},
                       path);
    const std::string svg = text_of(path);
    EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
    EXPECT_NE(svg.find("&lt;c&gt;"), std::string::npos);
    EXPECT_NE(svg.find("PSNR, dB"), std::string::npos);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("<polyline") != std::string::npos, count > 0);
  }
  fs::remove(path);
}

}  // namespace
}  // namespace mote

#include "train/run/metrics_plot.h"

#include <algorithm>
#include <cmath>

#include "core/chart.h"
#include "core/file.h"

namespace mote {
namespace {

constexpr const char* kTrainColor = "#2563c9";
constexpr const char* kTestColor = "#d4551d";
constexpr const char* kCountColor = "#2f8f5b";

using Mark = ChartSeries::Mark;

ChartSeries series_of(std::span<const MetricsRow> rows, double MetricsRow::*value) {
  ChartSeries series;
  for (const MetricsRow& row : rows) {
    if (std::isnan(row.*value)) continue;
    series.x.push_back(row.step);
    series.y.push_back(row.*value);
  }
  return series;
}

/// Replaces each point by the mean of the last `window` points.
ChartSeries averaged(ChartSeries series, std::size_t window) {
  const std::vector<double> values = series.y;
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    if (i >= window) sum -= values[i - window];
    series.y[i] = sum / static_cast<double>(std::min(i + 1, window));
  }
  return series;
}

ChartSeries styled(ChartSeries series, const std::string& name, const char* color, Mark mark) {
  series.name = name;
  series.color = color;
  series.mark = mark;
  return series;
}

ChartPanel psnr_panel(const MetricsPlot& plot) {
  const ChartSeries test = series_of(plot.rows, &MetricsRow::psnr_test_db);
  ChartPanel panel{.title = "PSNR, dB"};
  panel.series.push_back(styled(series_of(plot.rows, &MetricsRow::psnr_train_db), plot.trained_on,
                                kTrainColor, Mark::line));
  if (!test.x.empty()) {
    panel.series.push_back(styled(test, "one test view", kTestColor, Mark::dots));
    // One cycle of the test views, but only a part of a short run, so that the line does not lag.
    const std::size_t window =
        std::clamp<std::size_t>(test.x.size() / 8, 1, std::max<std::size_t>(plot.test_views, 1));
    panel.series.push_back(
        styled(averaged(test, window), "test views, running mean", kTestColor, Mark::line));
  }
  ChartSeries evaluations;
  for (const EvaluationPoint& point : plot.evaluations) {
    if (std::isnan(point.psnr_db)) continue;
    evaluations.x.push_back(point.step);
    evaluations.y.push_back(point.psnr_db);
  }
  if (!evaluations.x.empty()) {
    panel.series.push_back(styled(std::move(evaluations), plot.evaluated_on,
                                  test.x.empty() ? kTrainColor : kTestColor, Mark::rings));
  }
  return panel;
}

bool has_points(const ChartPanel& panel) {
  return std::ranges::any_of(panel.series, [](const ChartSeries& s) { return !s.x.empty(); });
}

}  // namespace

void write_metrics_plot(const MetricsPlot& plot, const std::filesystem::path& path) {
  Chart chart{.title = plot.title, .subtitle = plot.subtitle, .x_label = "steps"};
  chart.panels.push_back(
      {.title = "loss",
       .series = {styled(series_of(plot.rows, &MetricsRow::loss), "", kTrainColor, Mark::line)},
       .logarithmic = true});
  ChartPanel psnr = psnr_panel(plot);
  if (plot.rows.empty() || has_points(psnr)) chart.panels.push_back(std::move(psnr));
  chart.panels.push_back(
      {.title = plot.counted,
       .series = {styled(series_of(plot.rows, &MetricsRow::count), "", kCountColor, Mark::line)},
       .from_zero = true});
  OutputFile file(path);
  file.write(chart_svg(chart));
  file.commit();
}

}  // namespace mote

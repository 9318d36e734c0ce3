#pragma once

#include <string>
#include <vector>

namespace mote {

/// One line or one scatter of a chart.
struct ChartSeries {
  enum class Mark { line, dots, rings };
  std::string name = {};  // for the legend; empty: not in it
  std::string color;      // as SVG has it
  Mark mark = Mark::line;
  std::vector<double> x = {}, y = {};  // as many; points that are not finite are left out
};

/// One pair of axes.
struct ChartPanel {
  std::string title;  // with the unit
  std::vector<ChartSeries> series = {};
  bool logarithmic = false;  // the y axis; values that are not above 0 are left out
  bool from_zero = false;    // the y axis starts at 0
};

/// Panels one above the other over one x axis.
struct Chart {
  std::string title, subtitle, x_label;
  std::vector<ChartPanel> panels = {};
};

/// The chart as an SVG file of its own, on a white ground: axes, ticks, grid, legends, and the last
/// value of each line at its end.
std::string chart_svg(const Chart& chart);

}  // namespace mote

#pragma once

#include <string>
#include <vector>

namespace mote {

/// One line or one scatter of a chart.
struct ChartSeries {
  enum class Mark { line, dots, rings };
  std::string name = {};  // in the legend; an empty name is left out of it
  std::string color;      // in SVG syntax
  Mark mark = Mark::line;
  std::vector<double> x = {}, y = {};  // same length; points that are not finite are left out
};

/// One pair of axes.
struct ChartPanel {
  std::string title;  // includes the unit
  std::vector<ChartSeries> series = {};
  bool logarithmic = false;  // the y axis; values of 0 and below are left out
  bool from_zero = false;    // the y axis starts at 0
};

/// Panels above each other that share one x axis.
struct Chart {
  std::string title, subtitle, x_label;
  std::vector<ChartPanel> panels = {};
};

/// The chart as a complete SVG file on a white background. It shows axes, ticks, grid, legends, and
/// the last value of each line at the line's end.
std::string chart_svg(const Chart& chart);

}  // namespace mote

#include "core/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/axis.h"
#include "core/error.h"

namespace mote {
namespace {

// px of the picture
constexpr double kWidth = 960, kPlotHeight = 190, kPanelHeight = 250;
constexpr double kLeft = 72, kRight = 888, kHeaderHeight = 64, kFooterHeight = 40;
constexpr double kPlotTop = 38;  // top of the plot below the top of its panel

constexpr const char* kInk = "#1f2933";
constexpr const char* kFaintInk = "#66727f";
constexpr const char* kGrid = "#e4e8ec";

/// Maps values to px along one axis.
struct Scale : AxisScale {
  double low_px = 0, high_px = 1;

  double operator()(double value) const { return low_px + (high_px - low_px) * share(value); }
};

bool shown(const ChartPanel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (!panel.logarithmic || y > 0);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') result += "&amp;";
    if (c == '<') result += "&lt;";
    if (c == '>') result += "&gt;";
    if (c != '&' && c != '<' && c != '>' && static_cast<unsigned char>(c) >= ' ') result += c;
  }
  return result;
}

struct TextStyle {
  const char* anchor = "start";
  double size_px = 12;
  std::string color = kInk;
  bool bold = false;
};

class Drawing {
 public:
  void text(double x, double y, std::string_view words, const TextStyle& style) {
    svg_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\"{}>{}"
        "</text>\n",
        x, y, style.anchor, style.size_px, style.color, style.bold ? " font-weight=\"600\"" : "",
        escaped(words));
  }
  void line(double x0, double y0, double x1, double y1, std::string_view color, double width) {
    svg_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{}\"/>\n",
        x0, y0, x1, y1, color, width);
  }
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view color) {
    svg_ += fmt::format(
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\" "
        "points=\"",
        color);
    for (const auto& [x, y] : points) svg_ += fmt::format("{:.1f},{:.1f} ", x, y);
    svg_ += "\"/>\n";
  }
  void dot(double x, double y, std::string_view color) {
    svg_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\" fill-opacity=\"0.35\"/>\n", x, y,
        color);
  }
  void ring(double x, double y, std::string_view color) {
    svg_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"#ffffff\" stroke=\"{}\" "
        "stroke-width=\"2\"/>\n",
        x, y, color);
  }
  std::string take() { return std::move(svg_); }

 private:
  std::string svg_;
};

Scale y_scale(const ChartPanel& panel, double top) {
  ValueRange range;
  for (const ChartSeries& series : panel.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (shown(panel, series.x[i], series.y[i])) range.add(series.y[i]);
    }
  }
  return {padded_scale(range, panel.logarithmic, panel.from_zero), top + kPlotHeight, top};
}

void draw_legend(Drawing& drawing, const ChartPanel& panel, double y) {
  constexpr double kGlyph = 22, kGap = 18, kLetter = 6.4;  // px
  double x = kRight;
  for (auto series = panel.series.rbegin(); series != panel.series.rend(); ++series) {
    if (series->name.empty()) continue;
    x -= kLetter * static_cast<double>(series->name.size());
    drawing.text(x, y, series->name, {.color = kFaintInk});
    x -= kGlyph;
    const double middle = x + kGlyph / 2 - 3;
    if (series->mark == ChartSeries::Mark::line) {
      drawing.line(x, y - 4, x + kGlyph - 6, y - 4, series->color, 2);
    } else if (series->mark == ChartSeries::Mark::dots) {
      drawing.dot(middle, y - 4, series->color);
    } else {
      drawing.ring(middle, y - 4, series->color);
    }
    x -= kGap;
  }
}

/// The last value of a line, at a free height. `taken`: heights of the labels so far.
void draw_end_label(Drawing& drawing, std::pair<double, double> end, std::string_view words,
                    const std::string& color, std::vector<double>& taken) {
  constexpr double kGap = 10, kLineHeight = 14, kBaseline = 4;  // px
  double y = end.second;
  for (const double other : taken) {
    if (std::abs(y - other) < kLineHeight) y = other + (y < other ? -kLineHeight : kLineHeight);
  }
  taken.push_back(y);
  drawing.text(end.first + kGap, y + kBaseline, words, {.color = color, .bold = true});
}

void draw_series(Drawing& drawing, const ChartPanel& panel, const ChartSeries& series,
                 const Scale& x_of, const Scale& y_of, std::vector<double>& labels) {
  std::vector<std::pair<double, double>> points;
  double last = 0;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!shown(panel, series.x[i], series.y[i])) continue;
    points.emplace_back(x_of(series.x[i]), y_of(series.y[i]));
    last = series.y[i];
  }
  if (points.empty()) return;
  switch (series.mark) {
    case ChartSeries::Mark::line:
      drawing.polyline(points, series.color);
      draw_end_label(drawing, points.back(), axis_number(last), series.color, labels);
      break;
    case ChartSeries::Mark::dots:
      for (const auto& [x, y] : points) drawing.dot(x, y, series.color);
      break;
    case ChartSeries::Mark::rings:
      for (const auto& [x, y] : points) drawing.ring(x, y, series.color);
      break;
  }
}

void draw_panel(Drawing& drawing, const ChartPanel& panel, const Scale& x_of, double top) {
  const double plot_top = top + kPlotTop, bottom = plot_top + kPlotHeight;
  const Scale y_of = y_scale(panel, plot_top);
  drawing.text(kLeft, top + 24, panel.title, {.size_px = 13, .bold = true});
  draw_legend(drawing, panel, top + 24);
  for (const double tick : round_ticks(x_of.low, x_of.high, 8)) {
    drawing.line(x_of(tick), plot_top, x_of(tick), bottom, kGrid, 1);
    drawing.text(x_of(tick), bottom + 17, axis_number(tick),
                 {.anchor = "middle", .size_px = 11, .color = kFaintInk});
  }
  for (const double tick : axis_ticks(y_of, 5)) {
    drawing.line(kLeft, y_of(tick), kRight, y_of(tick), kGrid, 1);
    drawing.text(kLeft - 8, y_of(tick) + 4, axis_number(tick),
                 {.anchor = "end", .size_px = 11, .color = kFaintInk});
  }
  drawing.line(kLeft, bottom, kRight, bottom, kFaintInk, 1);
  drawing.line(kLeft, plot_top, kLeft, bottom, kFaintInk, 1);
  std::vector<double> labels;
  for (const ChartSeries& series : panel.series) {
    draw_series(drawing, panel, series, x_of, y_of, labels);
  }
}

}  // namespace

std::string chart_svg(const Chart& chart) {
  const double height =
      kHeaderHeight + kPanelHeight * static_cast<double>(chart.panels.size()) + kFooterHeight;
  ValueRange x_range;
  for (const ChartPanel& panel : chart.panels) {
    for (const ChartSeries& series : panel.series) {
      CHECK(series.x.size() == series.y.size());
      for (const double x : series.x) {
        if (std::isfinite(x)) x_range.add(x);
      }
    }
  }
  x_range.add(0);
  if (!(x_range.low < x_range.high)) x_range.high = x_range.low + 1;
  const Scale x_of{{x_range.low, x_range.high}, kLeft, kRight};

  Drawing drawing;
  drawing.text(kLeft, 30, chart.title, {.size_px = 17, .bold = true});
  drawing.text(kLeft, 50, chart.subtitle, {.color = kFaintInk});
  double top = kHeaderHeight;
  for (const ChartPanel& panel : chart.panels) {
    draw_panel(drawing, panel, x_of, top);
    top += kPanelHeight;
  }
  drawing.text((kLeft + kRight) / 2, top + 16, chart.x_label,
               {.anchor = "middle", .color = kFaintInk});
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', "
      "sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
      kWidth, height, drawing.take());
}

}  // namespace mote

// `mote info` of splats: counts, bounds and distributions.
#include "app/commands/info_facts.h"

#include <fmt/format.h>
#include <langinfo.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <nlohmann/json.hpp>

#include "core/machine.h"
#include "splats/deformation.h"
#include "splats/feature_cloud.h"
#include "splats/statistics.h"

namespace mote {
namespace {

nlohmann::json vector_json(const glm::vec3& v) {
  return {v.x, v.y, v.z};
}

nlohmann::json bounds_json(const Bounds& bounds) {
  return {{"min", vector_json(bounds.low)}, {"max", vector_json(bounds.high)}};
}

std::string percent_name(double percent) {
  return percent <= 0 ? "min" : percent >= 100 ? "max" : fmt::format("p{}", percent);
}

nlohmann::json distribution_json(const Distribution& distribution, const char* bins_over) {
  nlohmann::json result;
  for (std::size_t i = 0; i < Distribution::kPercents.size(); ++i) {
    result[percent_name(Distribution::kPercents[i])] = distribution.percentiles[i];
  }
  result["histogram"] = {{"of", bins_over},
                         {"low", distribution.low},
                         {"high", distribution.high},
                         {"counts", distribution.bins}};
  return result;
}

bool terminal_knows_unicode() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
}

/// One character per bin; a higher block is a larger count, and the largest count has the highest.
std::string histogram_line(const Distribution& distribution) {
  static constexpr std::array kBlocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array kAscii{" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  const auto& levels = terminal_knows_unicode() ? kBlocks : kAscii;
  const auto top = *std::max_element(distribution.bins.begin(), distribution.bins.end());
  std::string line;
  for (const std::uint64_t count : distribution.bins) {
    // Rounds up, so that only an empty bin looks empty.
    line += levels[top == 0 ? 0 : (count * (levels.size() - 1) + top - 1) / top];
  }
  return line;
}

std::vector<std::string> warnings_of(const SplatCloud& cloud, const CloudStatistics& statistics) {
  std::vector<std::string> warnings = cloud.warnings;
  const auto warn = [&](std::size_t count, std::string_view what) {
    if (count > 0)
      warnings.push_back(fmt::format("{} of {} splats {}", count, cloud.count(), what));
  };
  warn(statistics.zero_rotation, "have a rotation of length zero and are never drawn");
  warn(statistics.infinite_opacity, "have an infinite opacity: fully opaque or absent");
  if (statistics.invisible * 10 > cloud.count()) {
    warn(statistics.invisible,
         "are too transparent to be drawn; convert --min-opacity 0.004 "
         "drops them");
  }
  warn(statistics.huge, "are larger than the scene itself");
  return warnings;
}

std::string bounds_line(std::string_view name, const Bounds& b) {
  return fmt::format("  {:<9}  x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g}\n", name,
                     b.low.x, b.high.x, b.low.y, b.high.y, b.low.z, b.high.z);
}

std::string distribution_line(std::string_view name, const Distribution& distribution) {
  std::string line = fmt::format("\n  {:<9}", name);
  for (const float value : distribution.percentiles) line += fmt::format(" {:>8.3g}", value);
  return line;
}

/// A table of percentiles, and histograms.
std::string distributions_text(const CloudStatistics& statistics) {
  std::string text = fmt::format("\n  {:<9}", "");
  for (const double percent : Distribution::kPercents) {
    text += fmt::format(" {:>8}", percent_name(percent));
  }
  text += distribution_line("opacity", statistics.opacity);
  text += distribution_line("size", statistics.size);
  text += fmt::format("\n\n  opacity   0 |{}| 1\n", histogram_line(statistics.opacity));
  text += fmt::format("  size  {:>5} |{}| {} (log scale)\n",
                      fmt::format("{:.1g}", statistics.size.percentiles[Distribution::kLow]),
                      histogram_line(statistics.size),
                      fmt::format("{:.1g}", statistics.size.percentiles[Distribution::kHigh]));
  return text + "  size: standard deviation along the longest axis, world units\n";
}

std::string rate_of(const SceneTimes& times) {
  if (!(times.frames_per_second > 0)) return {};
  return fmt::format(", {:.6g} frames per second", times.frames_per_second);
}

const char* motion_name(const SplatCloud& cloud) {
  return cloud.deformation != nullptr ? "field" : cloud.info().motion_name;
}

}  // namespace

nlohmann::json splat_info_json(const LoadedScene& scene) {
  const SplatCloud& cloud = scene.cloud;
  const CloudStatistics statistics = measure(cloud);
  return {{"file", scene.file.string()},
          {"format", scene.format},
          {"file_bytes", scene.file_bytes},
          {"splats", cloud.count()},
          {"sh_degree", cloud.decoder != nullptr ? 0 : cloud.sh_degree()},
          {"features", cloud.decoder != nullptr},
          {"kind", cloud.info().name},
          {"motion", motion_name(cloud)},
          {"duration_s", cloud.times.duration_s},
          {"frames_per_second", cloud.times.frames_per_second},
          {"antialiased", cloud.antialiased},
          {"memory_bytes", cloud.memory_bytes()},
          {"bounds",
           {{"all", bounds_json(statistics.bounds)},
            {"percentile_1_99", bounds_json(statistics.inner_bounds)}}},
          {"opacity", distribution_json(statistics.opacity, "opacity")},
          {"size", distribution_json(statistics.size, "log10(size)")},
          {"counts",
           {{"invalid", statistics.invalid},
            {"infinite_opacity", statistics.infinite_opacity},
            {"zero_rotation", statistics.zero_rotation},
            {"invisible", statistics.invisible},
            {"huge", statistics.huge}}},
          {"warnings", warnings_of(cloud, statistics)}};
}

std::string splat_info_text(const LoadedScene& scene) {
  const SplatCloud& cloud = scene.cloud;
  const CloudStatistics statistics = measure(cloud);
  std::string text = fmt::format("{}\n", scene.file.string());
  const auto add = [&](std::string_view name, const auto& value) {
    text += fmt::format("  {:<10} {}\n", name, value);
  };
  add("format", fmt::format("{}, {}", scene.format, bytes_text(scene.file_bytes)));
  add("splats", cloud.count());
  if (cloud.decoder != nullptr) {
    add("colours",
        fmt::format("9 features, decoded by a network that ends with a {}",
                    cloud.decoder->activation == ColorActivation::sigmoid ? "sigmoid" : "clamp"));
  } else {
    add("SH degree", cloud.sh_degree());
  }
  add("kind", cloud.info().name);
  if (cloud.moves()) {
    add("motion", fmt::format("{}, {:.6g} s{}", motion_name(cloud), cloud.times.duration_s,
                              rate_of(cloud.times)));
  }
  if (cloud.info().is_directional()) {
    add("motion", fmt::format("{}: {}", cloud.info().motion_name,
                              "position and opacity depend on the direction of view"));
  }
  if (cloud.deformation != nullptr) {
    add("field", fmt::format("{} parameters", cloud.deformation->parameters.size()));
  }
  add("kernel", cloud.antialiased ? "antialiased (mip)" : "plain");
  add("memory", bytes_text(cloud.memory_bytes()));
  text += bounds_line("bounds", statistics.bounds);
  text += bounds_line("1 to 99 %", statistics.inner_bounds);
  text += distributions_text(statistics);
  const std::vector<std::string> warnings = warnings_of(cloud, statistics);
  if (!warnings.empty()) text += "\n";
  for (const std::string& warning : warnings) text += fmt::format("  warning: {}\n", warning);
  return text;
}

}  // namespace mote

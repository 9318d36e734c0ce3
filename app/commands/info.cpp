// `mote info FILE`: describes a scene or a dataset.
#include <fmt/format.h>
#include <langinfo.h>

#include <algorithm>
#include <clocale>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/dataset_info.h"
#include "app/commands/scene_loading.h"
#include "app/commands/sequence_info.h"
#include "app/jobs/sequence_at.h"
#include "app/jobs/shared_options.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_source.h"
#include "io/splats/format_lists.h"
#include "model/moving/sequence_scene.h"
#include "splats/statistics.h"
#include "train/run/run_folder.h"

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

class Info : public Command {
 public:
  void describe(OptionTable& table) override {
    table.add({.name = "file",
               .target = &file_,
               .help = fmt::format(
                   "scene ({}, detected by content), folder of such files, one per frame, "
                   "folder of a training run, or dataset as for mote train",
                   listed(format_extensions(FormatUse::read))),
               .placeholder = "FILE",
               .positional = true,
               .required = true});
    describe_sequence_rate(table, frames_per_second_);
    dataset_.describe(table);
  }

  void run(const GlobalOptions& globals) override {
    const auto sequence = sequence_at(file_);
    if (!sequence && given.contains("sequence-fps")) {
      throw UsageError("applies only to folders of splat files, one per frame", "--sequence-fps",
                       "leave it out, or give such a folder instead of " + file_);
    }
    if (!sequence && scene_file(file_) == file_ && may_hold_cameras(file_)) {
      print_dataset(globals);
      return;
    }
    refuse_dataset_options();
    if (sequence) {
      print_sequence(*sequence, globals);
      return;
    }
    const LoadedScene scene = load_with_progress(file_, globals);
    const CloudStatistics statistics = measure(scene.cloud);
    if (globals.json) {
      print_json(scene, statistics);
    } else {
      print_text(scene, statistics);
    }
  }

 private:
  void print_dataset(const GlobalOptions& globals) const {
    const LoadedDataset data = load_with_progress(file_, dataset_, globals);
    const std::string text =
        globals.json ? json_text(dataset_info_json(file_, data)) : dataset_info_text(file_, data);
    fmt::print("{}", text);
  }

  void print_sequence(const SplatSequence& sequence, const GlobalOptions& globals) const {
    const SequenceFacts facts = measure_sequence(sequence, frames_per_second_, globals);
    fmt::print("{}",
               globals.json ? json_text(sequence_info_json(facts)) : sequence_info_text(facts));
  }

  void refuse_dataset_options() {
    OptionTable table;
    dataset_.describe(table);
    for (const Option& option : table.options()) {
      if (given.contains(option.name)) {
        throw UsageError("applies only to datasets", "--" + option.name,
                         "leave it out, or give a dataset instead of " + file_);
      }
    }
  }

  static std::string json_text(const nlohmann::json& value) {
    return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  void print_json(const LoadedScene& scene, const CloudStatistics& statistics) const {
    const SplatCloud& cloud = scene.cloud;
    const nlohmann::json result{{"file", scene.file.string()},
                                {"format", scene.format},
                                {"file_bytes", scene.file_bytes},
                                {"splats", cloud.count()},
                                {"sh_degree", cloud.sh_degree()},
                                {"kind", cloud.info().name},
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
    fmt::print("{}", json_text(result));
  }

  void print_text(const LoadedScene& scene, const CloudStatistics& statistics) const {
    const SplatCloud& cloud = scene.cloud;
    fmt::print("{}\n", scene.file.string());
    fmt::print("  format     {}, {}\n", scene.format, bytes_text(scene.file_bytes));
    fmt::print("  splats     {}\n", cloud.count());
    fmt::print("  SH degree  {}\n", cloud.sh_degree());
    fmt::print("  kind       {}\n", cloud.info().name);
    fmt::print("  kernel     {}\n", cloud.antialiased ? "antialiased (mip)" : "plain");
    fmt::print("  memory     {}\n", bytes_text(cloud.memory_bytes()));
    print_bounds("bounds", statistics.bounds);
    print_bounds("1 to 99 %", statistics.inner_bounds);

    fmt::print("\n  {:<9}", "");
    for (const double percent : Distribution::kPercents) {
      fmt::print(" {:>8}", percent_name(percent));
    }
    print_distribution("opacity", statistics.opacity);
    print_distribution("size", statistics.size);
    fmt::print("\n\n  opacity   0 |{}| 1\n", histogram_line(statistics.opacity));
    fmt::print("  size  {:>5} |{}| {} (log scale)\n",
               fmt::format("{:.1g}", statistics.size.percentiles[1]),
               histogram_line(statistics.size),
               fmt::format("{:.1g}", statistics.size.percentiles[7]));
    fmt::print("  size: standard deviation along the longest axis, world units\n");
    const std::vector<std::string> warnings = warnings_of(cloud, statistics);
    if (!warnings.empty()) fmt::print("\n");
    for (const std::string& warning : warnings) fmt::print("  warning: {}\n", warning);
  }

  static void print_bounds(std::string_view name, const Bounds& b) {
    fmt::print("  {:<9}  x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g}\n", name,
               b.low.x, b.high.x, b.low.y, b.high.y, b.low.z, b.high.z);
  }

  static void print_distribution(std::string_view name, const Distribution& distribution) {
    fmt::print("\n  {:<9}", name);
    for (const float value : distribution.percentiles) fmt::print(" {:>8.3g}", value);
  }

  std::string file_;
  double frames_per_second_ = SequenceScene::kUsualRate;
  DatasetOptions dataset_;
};

}  // namespace

extern const CommandEntry kInfoCommand{"info", "describe a splat scene or a dataset", "",
                                       make_command<Info>};

}  // namespace mote

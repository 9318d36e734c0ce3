#include "app/jobs/seed_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "io/images/own_file.h"
#include "train/run/run_folder.h"
#include "train/run/run_report.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kCountKey = "#seeds";
constexpr std::uint64_t kMaxListBytes = 1 << 20;

void add_numbers(const json& object, const std::string& prefix, SeedScores& scores) {
  for (const auto& item : object.items()) {
    const json& value = item.value();
    if (value.is_object()) add_numbers(value, prefix + item.key() + ".", scores);
    if (value.is_number()) scores[prefix + item.key()] = value.get<double>();
  }
}

/// A column of the table: the value with four significant digits, or more for large numbers.
std::string cell(double value) {
  return std::abs(value) >= 1000 ? fmt::format("{:>10.0f}", value)
                                 : fmt::format("{:>10.4g}", value);
}

}  // namespace

std::string SeedList::text() const {
  return count == 1 ? std::to_string(first) : fmt::format("{} to {}", first, at(count - 1));
}

bool SeedFolder::exists() const {
  std::error_code ignored;
  return fs::is_regular_file(list(), ignored);
}

SeedList SeedFolder::read(RunConfig* config, const std::set<std::string>& except) const {
  const json values = json::parse(read_text_file(list(), kMaxListBytes), nullptr, false);
  const auto number = [&](const char* key) -> int {
    const auto found = values.is_object() ? values.find(key) : values.end();
    if (found == values.end() || !found->is_number_integer()) {
      throw Error(fmt::format("has no number \"{}\"", key), list().string(),
                  "restore it from a copy, or start again in another folder with -o; the runs "
                  "beside it are intact, and --resume -o continues each of them");
    }
    return found->get<int>();
  };
  const SeedList seeds{number("seed"), number(kCountKey)};
  if (seeds.first < 0 || seeds.count < 1) {
    throw Error("has impossible seeds", list().string(), "start again in another folder with -o");
  }
  if (config != nullptr) config->read(list(), except);
  return seeds;
}

void SeedFolder::write(const SeedList& seeds, RunConfig& config, const std::string& device,
                       const std::string& version) const {
  json values = json::parse(config.text(seeds.first, device, version));
  values[kCountKey] = seeds.count;
  OutputFile file(list());
  file.write(values.dump(2) + "\n");
  file.commit();
}

bool SeedFolder::is_done(int seed) const {
  const auto stats = read_run_stats(RunFolder(run(seed)));
  return stats && stats->status == "done";
}

SeedScores seed_scores(const json& stats) {
  SeedScores scores;
  if (const auto found = stats.find("evaluation"); found != stats.end() && found->is_object()) {
    add_numbers(*found, "", scores);
  }
  scores.erase("seconds");
  for (const char* key : {"steps", "training_seconds"}) {
    if (const auto found = stats.find(key); found != stats.end() && found->is_number()) {
      scores[key] = found->get<double>();
    }
  }
  return scores;
}

SeedComparison compare_seeds(std::vector<int> seeds, std::vector<SeedScores> runs) {
  CHECK(seeds.size() == runs.size() && !runs.empty());
  SeedComparison result{std::move(seeds), std::move(runs)};
  const auto count = static_cast<double>(result.runs.size());
  for (const auto& [name, ignored] : result.runs.front()) {
    double sum = 0, squares = 0;
    const auto has = [&key = name](const SeedScores& run) { return run.contains(key); };
    if (!std::ranges::all_of(result.runs, has)) continue;
    for (const SeedScores& run : result.runs) sum += run.at(name);
    const double mean = sum / count;
    for (const SeedScores& run : result.runs) squares += std::pow(run.at(name) - mean, 2);
    result.mean[name] = mean;
    result.spread[name] = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  }
  return result;
}

json seeds_json(const SeedComparison& comparison) {
  json runs = json::array();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    runs.push_back(comparison.runs[i]);
    runs.back()["seed"] = comparison.seeds[i];
  }
  return {{"software", kSoftware},
          {"seeds", comparison.seeds},
          {"runs", runs},
          {"mean", comparison.mean},
          {"spread", comparison.spread}};
}

std::string seeds_text(const SeedComparison& comparison) {
  std::size_t width = 5;
  for (const auto& [name, ignored] : comparison.mean) width = std::max(width, name.size());
  std::string text = fmt::format("{:<{}}", "score", width);
  for (const int seed : comparison.seeds)
    text += fmt::format("{:>10}", fmt::format("seed {}", seed));
  text += fmt::format("{:>10}{:>10}\n", "mean", "spread");
  for (const auto& [name, mean] : comparison.mean) {
    text += fmt::format("{:<{}}", name, width);
    for (const SeedScores& run : comparison.runs) text += cell(run.at(name));
    text += cell(mean) + cell(comparison.spread.at(name)) + "\n";
  }
  return text;
}

}  // namespace mote

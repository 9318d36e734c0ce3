#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/jobs/run_config.h"

namespace mote {

/// Consecutive seeds.
struct SeedList {
  int first = 0, count = 1;

  int at(int number) const { return first + number; }
  /// "42 to 44"
  std::string text() const;
};

/// The folder of a training that is repeated with several seeds: seed_42, seed_43, ... are the
/// folders of the runs, seeds.json has the seeds and the options of all runs, and seed_stats.json
/// compares their evaluations.
class SeedFolder {
 public:
  explicit SeedFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path list() const { return path_ / "seeds.json"; }
  std::filesystem::path stats() const { return path_ / "seed_stats.json"; }
  std::filesystem::path run(int seed) const { return path_ / ("seed_" + std::to_string(seed)); }

  /// Whether there is a list of seeds.
  bool exists() const;
  /// Reads the list. Sets the options of `config`, if given, except those named in `except`. Throws
  /// Error for a damaged file.
  SeedList read(RunConfig* config, const std::set<std::string>& except) const;
  /// Writes the list with the options of all runs; makes no folder.
  void write(const SeedList& seeds, RunConfig& config, const std::string& device,
             const std::string& version) const;
  /// Whether the run of a seed is done.
  bool is_done(int seed) const;

 private:
  std::filesystem::path path_;
};

/// The numbers of one run, by name: those of its evaluation ("velocity.error" for a member of a
/// member), its steps and its training time.
using SeedScores = std::map<std::string, double>;

/// The numbers of a stats.json.
SeedScores seed_scores(const nlohmann::json& stats);

/// The scores of several runs.
struct SeedComparison {
  std::vector<int> seeds;
  std::vector<SeedScores> runs;       // of each seed
  SeedScores mean = {}, spread = {};  // spread: standard deviation of a sample, n - 1
};

/// Computes mean and spread of the scores that all runs have. The spread of one run is 0.
SeedComparison compare_seeds(std::vector<int> seeds, std::vector<SeedScores> runs);

/// {"software", "seeds": [..], "runs": [{..}], "mean": {..}, "spread": {..}}
nlohmann::json seeds_json(const SeedComparison& comparison);

/// A table for people: a line a score, a column a seed.
std::string seeds_text(const SeedComparison& comparison);

}  // namespace mote

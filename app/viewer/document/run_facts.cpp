#include "app/viewer/document/run_facts.h"

#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/jobs/run_config.h"
#include "core/error.h"
#include "core/log.h"
#include "train/run/run_report.h"

namespace mote {

namespace fs = std::filesystem;

namespace {

/// Empty if the options are from another version; its models can still be used.
fs::path dataset_of(const RunFolder& run) {
  try {
    RunConfig config;
    config.read(run.config(), std::set<std::string>());
    return config.data.empty() ? fs::path() : whole_path(config.data);
  } catch (const Error&) {
    return {};
  }
}

/// Null if the run has none yet. The curves are not worth an error that would hide the rest.
std::shared_ptr<const RunCurves> curves_of(const RunFolder& run,
                                           const std::optional<RunStats>& stats) {
  RunCurves curves;
  try {
    curves.metrics = read_metrics(run.metrics());
  } catch (const Error& error) {
    log_warning("{}", error.what());
  }
  if (curves.metrics.rows.empty()) return nullptr;
  if (stats && stats->psnr_db) {
    curves.evaluated_step = stats->steps;
    curves.psnr_db = stats->psnr_db;
  }
  return std::make_shared<const RunCurves>(std::move(curves));
}

}  // namespace

RunFacts run_facts(const fs::path& folder) {
  const RunFolder run(folder);
  RunFacts facts;
  const auto stats = read_run_stats(run);
  if (stats && stats->background) {
    facts.background.emplace();
    for (std::size_t c = 0; c < 3; ++c) {
      (*facts.background)[c] = static_cast<float>((*stats->background)[c]);
    }
  }
  std::error_code ignored;
  if (!fs::exists(run.config(), ignored)) return facts;
  facts.folder = whole_path(folder);
  facts.dataset = dataset_of(run);
  facts.checkpoint = run.newest_checkpoint_step();
  // A resumed run keeps the status "done" in its file until it writes a new one.
  const bool done =
      stats && stats->status == "done" && stats->steps >= facts.checkpoint.value_or(0);
  facts.curves = curves_of(run, stats);
  facts.can_go_on = !done && fs::is_directory(run.checkpoints(), ignored);
  return facts;
}

std::string run_name(const fs::path& dataset, const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (dataset.empty()) return name;
  const std::string of = dataset.filename().string();
  if (name == "output") return of + ", run 1";
  constexpr std::string_view kNumbered = "output_";
  return name.starts_with(kNumbered) ? of + ", run " + name.substr(kNumbered.size())
                                     : of + ", " + name;
}

std::string run_format(const fs::path& scene) {
  return scene.empty() ? "training run, no scene yet"
                       : "training run, " + scene.filename().string();
}

fs::path whole_path(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

}  // namespace mote

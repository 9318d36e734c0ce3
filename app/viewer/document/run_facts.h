#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "train/run/metrics_file.h"

namespace mote {

/// The curves of a run, as far as its files hold them.
struct RunCurves {
  MetricsTable metrics = {};
  std::uint64_t evaluated_step = 0;    // of the last evaluation
  std::optional<double> psnr_db = {};  // of that evaluation; empty: there is none
};

/// Facts of a training run, read from its folder.
struct RunFacts {
  std::filesystem::path folder = {};                    // whole_path(); empty: not a run's folder
  std::filesystem::path dataset = {};                   // whole_path(); empty: not known
  std::optional<std::array<float, 3>> background = {};  // as `mote eval` reads it
  std::optional<std::uint64_t> checkpoint = {};         // step of the newest checkpoint
  bool can_go_on = false;  // the run was stopped, failed or was killed before its end
  std::shared_ptr<const RunCurves> curves = nullptr;  // null: none yet
};

/// Reads the run's files. Throws Error if one cannot be read.
RunFacts run_facts(const std::filesystem::path& folder);

/// Name of a run for the user, after its dataset: "fox, run 2" for the folder `output_2`, else with
/// the folder's own name. Both paths are whole_path(); without a dataset, the folder's name.
std::string run_name(const std::filesystem::path& dataset, const std::filesystem::path& folder);

/// The format of a run's model for the user: "training run, splat_7000.ply".
std::string run_format(const std::filesystem::path& scene);

/// The absolute path without "..", "." or a trailing slash, so that equal places have equal paths.
std::filesystem::path whole_path(const std::filesystem::path& path);

}  // namespace mote

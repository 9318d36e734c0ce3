#include "train/run/stats_file.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/file.h"

namespace mote {

using nlohmann::json;

std::optional<RunStats> read_run_stats(const RunFolder& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder.stats(), ignored)) return {};
  RunStats stats;
  const json file = json::parse(read_text_file(folder.stats()), nullptr, false);
  if (!file.is_object()) return stats;
  const auto at = [&](const char* key) {
    const auto found = file.find(key);
    return found != file.end() ? *found : json();
  };
  if (const json status = at("status"); status.is_string()) status.get_to(stats.status);
  if (const json steps = at("steps"); steps.is_number_unsigned()) steps.get_to(stats.steps);
  const json color = at("background");
  const bool is_color =
      color.is_array() && color.size() == 3 &&
      std::all_of(color.begin(), color.end(), [](const json& c) { return c.is_number(); });
  if (is_color) stats.background = color.get<std::array<double, 3>>();
  return stats;
}

}  // namespace mote

#include "app/cli/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "app/jobs/inputs.h"
#include "cpu/cpu_backend.h"
#include "devices/devices.h"

namespace mote {
namespace {

/// Converts CMake's name of an architecture to NVIDIA's names: "90-real" is sm_90, "90-virtual" is
/// the intermediate code compute_90, and "90" is both.
std::vector<std::string> code_names(const std::string& architecture) {
  const std::string number = architecture.substr(0, architecture.find('-'));
  const bool is_number = !number.empty() && std::all_of(number.begin(), number.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (!is_number) return {architecture};
  std::vector<std::string> names;
  if (!architecture.ends_with("-virtual")) names.push_back("sm_" + number);
  if (!architecture.ends_with("-real")) names.push_back("compute_" + number);
  return names;
}

std::vector<std::string> code_of(const BuiltBackend& backend) {
  std::vector<std::string> names;
  std::istringstream words{std::string(backend.architectures)};
  for (std::string word; words >> word;) {
    for (std::string& name : code_names(word)) names.push_back(std::move(name));
  }
  return names;
}

std::string bundled_scene_text() {
  const auto scene = bundled_scene();
  return scene ? scene->string() : "";
}

}  // namespace

std::string version_text() {
  std::string backends;
  for (const BuiltBackend& backend : built_backends()) {
    const std::vector<std::string> code = code_of(backend);
    backends += std::string(backend.name);
    backends += code.empty() ? ", " : fmt::format(" ({}), ", fmt::join(code, " "));
  }
  const CpuInstructionSets sets = cpu_instruction_sets();
  const std::string scene = bundled_scene_text();
  return fmt::format(
      "mote {}\n"
      "commit            {}{}, {}\n"
      "backends          {}vulkan (windows)\n"
      "instruction sets  {}; {} here\n"
      "compiler          {}\n"
      "bundled scene     {}\n",
      MOTE_VERSION, kCommit, kCommitModified ? " with changes" : "", kCommitDate, backends,
      fmt::join(sets.built, ", "), sets.chosen.empty() ? "none runs" : sets.chosen, MOTE_BUILD,
      scene.empty() ? "not found" : scene);
}

std::string version_json() {
  using nlohmann::json;
  json backends = json::array();
  for (const BuiltBackend& backend : built_backends()) {
    backends.push_back({{"name", backend.name}, {"code", code_of(backend)}});
  }
  const CpuInstructionSets sets = cpu_instruction_sets();
  const json result{{"version", MOTE_VERSION},
                    {"commit", kCommit},
                    {"commit_date", kCommitDate},
                    {"modified", kCommitModified},
                    {"backends", std::move(backends)},
                    {"window", "vulkan"},
                    {"instruction_sets", {{"built", sets.built}, {"chosen", sets.chosen}}},
                    {"compiler", MOTE_BUILD},
                    {"bundled_scene", bundled_scene_text()}};
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace mote

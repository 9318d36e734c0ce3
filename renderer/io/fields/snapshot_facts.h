#pragma once

// The values of a snapshot but for its large arrays.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "fields/neural_field.h"

namespace mote {

inline constexpr int kSnapshotVersion = 1;
inline constexpr const char* kHalfParameters = "__half";
inline constexpr const char* kFloatParameters = "float";

struct SnapshotFacts {
  NeuralField field;             // without parameters and densities
  std::uint64_t parameters = 0;  // their number
  bool half = false;             // whether parameters have 2 bytes or 4
};

/// Reads and checks the values in `top`, the map of a snapshot. `name`: of the file. Throws Error,
/// which names the key.
SnapshotFacts read_snapshot_facts(const nlohmann::json& top, const std::string& name);

/// The inverse, with the configuration: the map of a snapshot without its arrays and what depends
/// on their type.
nlohmann::json snapshot_facts_json(const NeuralField& field);

}  // namespace mote

#pragma once

// The values of a snapshot but for its large arrays.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "core/file.h"
#include "fields/neural_field.h"
#include "io/json_object.h"

namespace mote {

inline constexpr int kSnapshotVersion = 1;
inline constexpr const char* kHalfParameters = "__half";
inline constexpr const char* kFloatParameters = "float";

/// The warning of a field whose file has a state of the optimiser.
inline constexpr const char* kOptimizerNotRead = "the state of its optimiser is not read";

struct SnapshotFacts {
  NeuralField field;             // without parameters and densities
  std::uint64_t parameters = 0;  // their number
  bool half = false;             // whether parameters have 2 bytes or 4
};

/// Reads and checks the values in `top`, the map of a snapshot. `name`: of the file. Throws Error,
/// which names the key.
SnapshotFacts read_snapshot_facts(const nlohmann::json& top, const std::string& name);

/// A snapshot without its parameters, densities and state of an optimiser, which are read over.
/// Throws Error as read_field_snapshot() does, but not for what is wrong with these arrays.
NeuralField read_snapshot_field(const InputFile& file);

/// The number at a key. Throws Error if it is not a whole one from `least` to `most`.
double whole_number(const JsonObject& object, const char* key, double least, double most);

/// The inverse, with the configuration: the map of a snapshot without its arrays and what depends
/// on their type.
nlohmann::json snapshot_facts_json(const NeuralField& field);

}  // namespace mote

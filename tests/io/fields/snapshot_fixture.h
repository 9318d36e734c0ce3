#pragma once

// Snapshots as bytes and as JSON, to be changed and read again.

#include <nlohmann/json.hpp>
#include <string>

#include "io/fields/field_snapshot.h"
#include "support/files/format_samples.h"
#include "support/tiny_field.h"

namespace mote {

inline std::string snapshot_bytes(const NeuralField& field, const SnapshotOptions& options = {},
                                  const std::function<void(double)>& progress = {}) {
  const samples::TemporaryFile file(".ingp");
  OutputFile output(file.path());
  write_field_snapshot(field, options, output, progress);
  output.commit();
  return file.read();
}

inline NeuralField snapshot_read(const std::string& content,
                                 const std::function<void(double)>& progress = {}) {
  const samples::TemporaryFile file(content, ".ingp");
  return read_field_snapshot(InputFile(file.path()), progress);
}

/// The MessagePack of a snapshot.
inline nlohmann::json snapshot_json(const NeuralField& field, SnapshotOptions options = {}) {
  options.compressed = false;
  return nlohmann::json::from_msgpack(snapshot_bytes(field, options));
}

inline std::string packed_snapshot(const nlohmann::json& all) {
  std::string content;
  nlohmann::json::to_msgpack(all, content);
  return content;
}

}  // namespace mote

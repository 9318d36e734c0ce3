#pragma once

// The data of fields that are fitted to values at positions: a surface, an image or a volume.

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "backend/field_fitter.h"
#include "fields/neural_field.h"
#include "model/target_score.h"
#include "scene/dataset.h"

namespace mote {

struct TargetScoreRequest {
  DeviceField& field;
  const FieldConfig& config;                           // of the field
  std::filesystem::path pictures = {};                 // folder; empty: no pictures
  std::function<void(double fraction)> progress = {};  // of the whole evaluation; may throw
  const std::atomic<bool>* superseded = nullptr;       // of the pictures, see RenderSettings
  /// A file for what takes long and depends on the target alone; empty: none. It is used if it fits
  /// to the target, and otherwise replaced if `keeps_reference` is set.
  std::filesystem::path reference = {};
  bool keeps_reference = false;
};

/// The samples of one step.
struct TargetDraw {
  std::uint64_t seed = 0;  // of the step
};

class FieldTarget : public TrainingTarget {
 public:
  virtual FieldApplication application() const = 0;
  /// Text for messages: "albert.exr, an image of 4096x4096 pixels".
  virtual std::string description() const = 0;
  /// Facts and warnings for messages, each a phrase.
  virtual const std::vector<std::string>& notes() const = 0;
  virtual const std::vector<std::string>& warnings() const = 0;

  /// The field to train, with a complete configuration and its place, but without parameters.
  /// Throws Error if the configuration does not suit the target.
  virtual NeuralField untrained(const FieldConfig& chosen) const = 0;
  /// Writes samples of a step, see FillFieldSamples. Throws Error if the target cannot be read.
  virtual void fill(const TargetDraw& draw, const FieldSamples& samples) const = 0;
  /// The most positions that score() evaluates at once.
  virtual std::size_t scored_at_once() const { return std::size_t{1} << 17; }
  /// The pictures that score() writes, in its folder.
  virtual std::vector<std::filesystem::path> picture_files() const = 0;
  /// Measures the field, the most important score first. Throws Error if the target cannot be read
  /// or a picture cannot be written.
  virtual std::vector<TargetScore> score(const TargetScoreRequest& request) const = 0;
};

}  // namespace mote

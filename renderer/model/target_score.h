#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>

namespace mote {

/// A measure of a model's quality, for models that are not compared with photographs.
struct TargetScore {
  std::string name;   // a key of metrics.json and stats.json: "psnr", "iou"
  std::string label;  // for people: "PSNR"
  std::string unit;   // "dB"; may be empty
  double value = 0;
};

/// Outputs of an evaluation besides its scores.
struct TargetScoring {
  std::filesystem::path pictures = {};                 // folder; empty: no pictures
  std::function<void(double fraction)> progress = {};  // of the whole evaluation; may throw
  const std::atomic<bool>* superseded = nullptr;       // of the pictures, see RenderSettings
  std::filesystem::path reference = {};                // see TargetScoreRequest; written if missing
};

}  // namespace mote

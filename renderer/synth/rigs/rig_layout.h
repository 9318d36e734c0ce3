#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/image.h"
#include "synth/rigs/rig_cameras.h"

namespace mote::synth {

/// Settings of the files of a rig.
struct RigFiles {
  std::filesystem::path folder;
  int crf = 10;                           // of videos, see VideoSettings
  Existing existing = Existing::replace;  // of files without a mark of their program
};

/// Writes the pictures and the cameras of a rig in the form of a public dataset. One thread adds
/// the frames of all cameras in the order of time. The file that makes the folder a dataset is
/// written by finish().
class RigLayout {
 public:
  virtual ~RigLayout() = default;
  /// `image`: display-referred, 3 channels.
  virtual void add(std::size_t camera, int frame, const Image& image) = 0;
  virtual void finish() = 0;

 protected:
  RigLayout() = default;
  RigLayout(const RigLayout&) = delete;
  RigLayout& operator=(const RigLayout&) = delete;
};

/// A layout by name. `videos`: cameras are stored as videos. `has_lenses`: it can describe them.
struct RigLayoutEntry {
  std::string_view name, summary;
  bool videos, has_lenses;
  std::unique_ptr<RigLayout> (*make)(const RigFiles& files, const RigPlan& plan,
                                     const std::vector<RigCamera>& cameras);
  /// The file that finish() writes last.
  const char* (*index_file)();
};

std::span<const RigLayoutEntry* const> rig_layouts();

/// Throws UsageError, which lists the known names, for an unknown name.
const RigLayoutEntry& rig_layout_named(std::string_view name);

/// "00017", the name of a frame in folders and masks.
std::string frame_name(int frame);

}  // namespace mote::synth

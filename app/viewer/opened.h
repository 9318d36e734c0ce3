#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/viewer/editable_scene.h"
#include "app/viewer/moving_scene.h"
#include "app/viewer/run_facts.h"
#include "io/dataset_source.h"
#include "scene/camera_path.h"

namespace mote {

/// What a path turned out to hold.
struct Opened {
  std::filesystem::path path;
  std::string name = {};    // for the list of scenes
  std::string format = {};  // for a person
  /// The splats, or of a dataset its points as small splats; null where it has too few.
  std::shared_ptr<EditableScene> scene = nullptr;
  std::unique_ptr<MovingScene> moving = nullptr;     // instead, where the scene moves
  SceneExtent extent = {};                           // of what moves: at its beginning
  std::shared_ptr<LoadedDataset> dataset = nullptr;  // null where the path is none
  std::vector<View> views = {};                      // of a run's cameras.json
  RunFacts run = {};                                 // in whose folder the splats lie
  std::vector<std::string> warnings = {};            // a phrase each
};

/// Reads whatever lies at the path, told apart by content: a splat file of any format, a dataset
/// (what `mote train` takes), a camera file without its photographs, the folder of a training run,
/// of which the newest splat_N.ply is read, if there is any yet, with the cameras, or a folder of
/// splat files that are the frames of a moving scene, of which the first is read. Throws Error
/// where it is none of these or broken. `progress` may throw to stop.
Opened open_path(const std::filesystem::path& path, const DatasetOptions& options,
                 const ProgressCallback& progress);

}  // namespace mote

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/document/field_scene.h"
#include "app/viewer/document/run_facts.h"
#include "io/datasets/dataset_source.h"
#include "io/projects/file_facts.h"
#include "io/projects/project.h"
#include "model/moving/moving_scene.h"
#include "scene/camera_path.h"

namespace mote {

/// Content of a path that was opened.
struct Opened {
  std::filesystem::path path;
  std::string name = {};    // for the list of scenes
  std::string format = {};  // for the user
  /// The splats or the field. For a dataset its points as small splats; none if it has too few.
  StillModel model = {};
  std::unique_ptr<MovingScene> moving = nullptr;     // instead of `model`, for a moving scene
  SceneExtent extent = {};                           // for a moving scene, at its start
  std::shared_ptr<LoadedDataset> dataset = nullptr;  // null if the path is not a dataset
  std::optional<FieldApplication> target = {};       // for a file that fields are trained on
  /// A folder of photographs without poses, or a video: to be imported first. Nothing else is set.
  std::filesystem::path to_import = {};
  std::vector<View> views = {};                      // from a run's cameras.json
  RunFacts run = {};                                 // the run whose folder contains the model
  std::optional<FileFacts> data = {};                // of the file of the model
  std::shared_ptr<const Project> project = nullptr;  // instead of all others, for a project
  bool recovered = false;                            // the project is that of a crashed program
  std::vector<std::string> warnings = {};            // a phrase each
};

/// Reads the path; its content decides its type: a file of splats or of a neural field in any
/// format, a dataset (as for `mote train`), a camera file without photographs, the folder of a
/// training run, a folder of splat files that are the frames of a moving scene, a project, or a
/// mesh, a picture or a volume, which training reads later. Photographs without poses and videos
/// are found but not read. A run gives its newest model, if there is one, and its cameras. A moving
/// scene gives its first frame. Throws Error if the path is none of these or is broken. `progress`
/// may throw to stop. `splat_memory_gb`: memory for the splats of a moving scene that can be
/// streamed; 0: half of the free memory; infinite: it is not streamed.
Opened open_path(const std::filesystem::path& path, const DatasetOptions& options,
                 const ProgressCallback& progress, double splat_memory_gb = 0);

}  // namespace mote

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options.h"
#include "io/datasets/dataset_facts.h"
#include "io/datasets/photo_store.h"
#include "io/datasets/time_clip.h"
#include "io/splats/scene_format.h"
#include "scene/dataset.h"

namespace mote {

/// Options for reading a dataset; the table yields the flags of every command that reads one.
struct DatasetOptions {
  std::string images = {};  // folder of the images, if it is not the dataset's own
  std::string masks = {};   // folder of the masks; empty: search "masks" beside the images
  std::string poses = {};   // COLMAP model or transforms file, if it is not found automatically
  std::string mask_mode = "ignore";  // meaning of masked pixels: "ignore" them, or "segment":
                                     // they are background
  /// "undistort": photographs are undistorted; "rays": their cameras keep lens and motion; "auto":
  /// the model decides, here "undistort".
  std::string lens_mode = "auto";
  /// "unbounded": if there is an EXR, all photographs are linear light; "display": EXR become
  /// display values of 8 bits; "auto": the model decides, here "display".
  std::string light_mode = "auto";
  double resize = 1;                 // factor on the image size
  int max_resolution = 0;            // longest side, px; 0: no limit
  int test_every = 8;                // every n-th photograph by name is for testing; 0: none
  std::string test_choice = "auto";  // "auto": inner views of few photographs; or "name"
  /// Cameras for testing of a moving scene, by name; empty: those that are usual for the dataset.
  std::vector<std::string> test_cameras = {};
  int test_moments = 0;   // of a moving scene, every n-th moment is for testing; 0: none
  double frame_rate = 0;  // see TransformsRequest::frames_per_second; 0: unknown
  /// The part of the times of a moving scene that is used, s: from, to; empty: all.
  std::vector<double> time_range = {};
  std::string frame_cache = {};  // folder for the frames of videos; empty: one in the dataset
  /// For decoded photographs; those beyond it are decoded ahead of use.
  double memory_gb = 4;

  void describe(OptionTable& table);
  /// The part of the times. Throws UsageError if `time_range` is none.
  std::optional<TimeClip> clip() const;
};

/// A dataset and its pixels.
struct LoadedDataset {
  Dataset dataset;
  std::unique_ptr<PhotoStore> photos;
  DatasetFacts facts;
};

/// Reads the dataset at `path`: a folder with a COLMAP model (searched as in load_views()),
/// transforms.json, transforms_train.json, or of rig_formats(). Videos are unpacked first. Every
/// photograph is decoded once as a check, which `progress` reports, called by one thread at a time.
/// Missing and damaged photographs are left out with a warning. Throws Error, which names file,
/// place and remedy, where no photograph or no usable pose is left.
LoadedDataset load_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                           const ProgressCallback& progress = {});

}  // namespace mote

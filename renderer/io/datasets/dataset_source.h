#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/options.h"
#include "io/datasets/dataset_facts.h"
#include "io/datasets/photo_store.h"
#include "io/splats/scene_format.h"
#include "scene/dataset.h"

namespace mote {

/// How a dataset is read; the options table yields the flags of every command that reads one.
struct DatasetOptions {
  std::string images = {};  // folder of the images, where it is not the one the dataset names
  std::string masks = {};   // folder of the masks; empty looks for "masks" beside the images
  std::string model = {};   // the COLMAP model or transforms file, where it is not found by itself
  std::string mask_mode = "ignore";  // what masks mean: "ignore" the pixels, or "segment": what is
                                     // masked out is background
  double resize = 1;                 // factor on the image size
  int max_resolution = 0;            // longest side, px; 0 does not limit
  int test_every = 8;  // every n-th photograph, by name, is for testing; 0 trains on all
  std::string test_choice = "auto";  // of few photographs those inside the others; or "name"
  double memory_gb = 4;              // for decoded photographs; the rest is decoded ahead of use

  void describe(OptionTable& table);
};

/// A dataset and its pixels.
struct LoadedDataset {
  Dataset dataset;
  std::unique_ptr<PhotoStore> photos;
  DatasetFacts facts;
};

/// Reads whatever dataset lies at `path`: a folder with a COLMAP model (as load_views finds it) or
/// with transforms.json or transforms_train.json. Every photograph is decoded once to see whether
/// it can be, which `progress` is told of, by one thread at a time. Those that are missing or
/// damaged are left out with a warning; throws Error, naming file, place and remedy, where none or
/// no usable pose is left.
LoadedDataset load_dataset(const std::filesystem::path& path, const DatasetOptions& options,
                           const ProgressCallback& progress = {});

}  // namespace mote

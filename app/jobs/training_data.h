#pragma once

#include <filesystem>

#include "app/jobs/run_config.h"
#include "io/datasets/dataset_source.h"

namespace mote {

/// Reads the data that a run is trained on: photographs with poses (load_dataset()), or the file of
/// a target (train/fields/target_files.h).
LoadedDataset load_training_data(const std::filesystem::path& path, const DatasetOptions& options,
                                 const ProgressCallback& progress = {});

}  // namespace mote

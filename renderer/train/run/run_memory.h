#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/datasets/dataset_source.h"
#include "model/learner.h"
#include "train/run/run_options.h"

namespace mote {

/// A part of the host's memory. `of_model` marks parts that grow with the number of elements, which
/// an option limits.
struct MemoryPart {
  std::string name;
  std::uint64_t bytes = 0;
  bool of_model = false;
};

/// The memory that a run holds at one moment.
struct MemoryMoment {
  std::string name;  // completes "while ...": "an evaluation is made"
  std::vector<MemoryPart> parts;

  std::uint64_t bytes() const;
  std::uint64_t model_bytes() const;
};

/// The input of the estimate of a run's memory. The first two values are measured.
struct RunMemoryFacts {
  std::uint64_t process_bytes = 0;  // held before the first step
  std::uint64_t loading_bytes = 0;  // peak before: the dataset is read, first elements are placed
  std::uint64_t photo_bytes = 0;    // all photographs, decoded
  std::uint64_t photo_budget_bytes = 0, largest_photo_bytes = 0, decoding_bytes = 0;
  std::uint64_t pixels = 0, width = 0;  // size of the largest photograph
  std::uint64_t metrics_pixels = 0;     // of it, that a line of metrics.csv draws
  std::uint64_t target_bytes = 0;       // TrainingTarget::evaluation_bytes()
  bool masks = false;
  std::string model_name;             // "splats"
  ModelMemory model;                  // estimated for the end of the run
  bool tested = false;                // there are test views
  bool evaluated = false;             // at the end
  bool evaluated_on_the_way = false;  // also before the end
  bool pictures = false;              // evaluations write pictures
  bool dynamic_masks = false;         // evaluated views have them
  bool velocities = false;            // evaluated views have true velocities
  bool clocks_fitted = false;         // those of test cameras may be
  bool views_fitted = false;          // exposures or poses of test views are fitted
  bool poses_fitted = false;          // poses are
  bool exported = false;              // in a format that is assembled in memory
};

/// The values that follow from the dataset and the options of a run. The others are zero.
RunMemoryFacts memory_facts(const ModelEntry& model, const LoadedDataset& data,
                            const LoopOptions& train, const RunOptions& run);

/// The moment with the largest memory.
MemoryMoment fullest_moment(const RunMemoryFacts& facts);

}  // namespace mote

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/splat_trainer.h"
#include "io/datasets/dataset_source.h"
#include "train/run/run_options.h"
#include "train/splats/train_options.h"

namespace mote {

/// A part of the host's memory. Parts that grow with the number of splats are marked, to show the
/// effect of a limit on it.
struct MemoryPart {
  std::string name;
  std::uint64_t bytes = 0;
  bool of_splats = false;
};

/// The memory that a run holds at one moment.
struct MemoryMoment {
  std::string name;  // follows "while": "evaluating"
  std::vector<MemoryPart> parts;

  std::uint64_t bytes() const;
  std::uint64_t splat_bytes() const;
};

/// The input of the estimate of a run's memory.
struct RunMemoryFacts {
  std::uint64_t process_bytes = 0;  // held before the first step
  std::uint64_t loading_bytes = 0;  // peak while the dataset was read
  std::uint64_t photo_bytes = 0;    // all photographs, decoded
  std::uint64_t photo_budget_bytes = 0, largest_photo_bytes = 0, decoding_bytes = 0;
  std::uint64_t pixels = 0, width = 0;  // size of the largest photograph
  bool masks = false;
  std::uint64_t splats = 0;  // at the end
  int sh_degree = 0;
  TrainerMemory trainer;  // with this many splats
  bool on_device = false;
  bool tested = false;                // there are test views
  bool evaluated = false;             // at the end
  bool evaluated_on_the_way = false;  // and before the end
  bool pictures = false;              // evaluations write pictures
  bool poses_fitted = false;          // poses of test views are fitted
  bool exported = false;              // in a format that is assembled in memory
};

/// The facts that follow from the dataset and the options of a run. The others are zero.
RunMemoryFacts memory_facts(const LoadedDataset& data, const TrainOptions& train,
                            const RunOptions& run);

/// The moment with the largest memory.
MemoryMoment fullest_moment(const RunMemoryFacts& facts);

/// Extrapolates a trainer's memory from `measured_splats` to `splats` splats. The number of
/// splat-tile pairs is proportional to the splats where those are small, and to the third root of
/// their number where they are large, since they share a volume.
TrainerMemory extrapolated(const TrainerMemory& measured, std::uint64_t measured_splats,
                           std::uint64_t splats);

}  // namespace mote

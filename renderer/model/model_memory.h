#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mote {

/// Host memory of a learner in bytes, grouped by the quantity that it grows with.
struct LearnerMemory {
  std::uint64_t state = 0;   // parameters, moments, statistics: grows with the number of elements
  std::uint64_t pixels = 0;  // images of a step: grows with the size of its photograph
  std::uint64_t work = 0;    // of a step besides: for splats, their pairs with parts of the image
  std::uint64_t view = 0;    // the same for the last picture
};

/// A moment at which a model changes its structure and holds more memory than in a step.
struct ModelChange {
  std::string name;          // follows "while": "splats are split or moved"
  std::string part;          // name of the additional memory
  std::uint64_t bytes = 0;   // additional
  bool beside_step = false;  // images and work of the last step are still held
};

/// Host memory of a model in a run, in bytes.
struct ModelMemory {
  LearnerMemory held;
  std::string work_name;         // of LearnerMemory::work and view: "pairs"
  std::uint64_t parameters = 0;  // one copy of all parameters
  std::uint64_t saved = 0;       // copies while the model is saved
  std::uint64_t exported = 0;    // for a format that is assembled in memory, besides
  std::vector<ModelChange> changes = {};
};

}  // namespace mote

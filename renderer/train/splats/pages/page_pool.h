#pragma once

// The number of splats that --splat-memory holds, and the lives that follow from it.

#include <cstddef>
#include <cstdint>

#include "scene/dataset.h"
#include "splats/density/relocation_edit.h"
#include "train/splats/train_options.h"

namespace mote {

/// Host memory for a splat in training, bytes: its state, and its share of the copies and lists
/// while the set of splats changes or is exchanged.
std::size_t bytes_in_training(const SplatForm& splat);

/// Bytes for a splat in the file.
std::size_t bytes_at_rest(const SplatForm& splat);

/// The number of splats that --splat-memory holds; 0: all.
std::size_t splats_in_memory(const TrainOptions& options);

/// Whether so many splats are trained with a part of them in memory. Throws UsageError if they
/// should be, but the options do not allow it.
bool are_paged(const TrainOptions& options, std::size_t splats);

/// The bounds of lives with which a window of time, as long as the longest life, fits into memory
/// beside the splats that live always. `always`: their number at first; they may become as many as
/// half of those in memory. Throws Error if they leave no space for others.
LifeBounds life_bounds(const TrainOptions& options, std::size_t splats, std::size_t always,
                       double duration_s);

/// The --splat-memory of a run on the host, GB: the given one; without one, as much as is available
/// beside the photographs if the splats do not fit, else 0.
double settled_splat_memory_gb(const TrainOptions& options, const Dataset& dataset,
                               std::uint64_t photo_bytes, std::uint64_t available_bytes);

}  // namespace mote

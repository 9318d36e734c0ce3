#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/datasets/posed_images.h"
#include "scene/dataset.h"

namespace mote {

/// Below so many photographs every 8th by name may well be the end of a walk, of which no other
/// photograph shows much.
inline constexpr std::size_t kFewPhotographs = 20;

struct SplitRule {
  int test_every = 8;      // every n-th by name is for testing; 0 trains on all
  bool choose_few = true;  // of fewer than kFewPhotographs, as many that lie inside the others
};

/// The rule of a split: the files of the dataset, the order of names, or the places of views.
enum class SplitBy { files, name, place };

/// Divides the photographs, which are sorted by name: by what the dataset's files said of each, or
/// else by the rule. Says in the notes how and why, and warns where too few are left. `cameras` are
/// those of the photographs in a size that does not depend on options; the points must be there.
/// Returns what it went by.
SplitBy split_photographs(const std::vector<Split>& said, const SplitRule& rule,
                          std::span<const Camera> cameras, Dataset& dataset);

}  // namespace mote

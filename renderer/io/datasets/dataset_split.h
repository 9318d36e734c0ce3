#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/datasets/posed_images.h"
#include "scene/dataset.h"

namespace mote {

/// With fewer photographs, every 8th by name may lie at the end of a walk, where few other
/// photographs show the same content.
inline constexpr std::size_t kFewPhotographs = 20;

struct SplitRule {
  int test_every = 8;      // every n-th by name is for testing; 0: none
  bool choose_few = true;  // fewer than kFewPhotographs: choose inner views for testing
  /// The cameras for testing if several cameras took a moving scene: those that the user names, and
  /// those that are usual for the format; both empty: every n-th camera by name.
  std::vector<std::string> test_cameras = {}, usual_test_cameras = {};
  int test_moments = 0;  // of a moving scene: every n-th photograph of each camera; 0: none
};

/// The basis of a split: the dataset's files, the order of names, the positions of views, or the
/// physical cameras.
enum class SplitBy { files, name, place, camera };

/// Splits the photographs, which are sorted by name, into training and test photographs: as the
/// dataset's files say, otherwise by the rule. Photographs of a moving scene by several cameras are
/// split by camera. For any moving scene, `test_moments` adds moments that no camera trains on.
/// Adds the reason to the notes and warns where too few are left. `cameras`: those of the
/// photographs at a size independent of options. The points must be loaded. Returns the basis of
/// the split. Throws UsageError for a name of no camera.
SplitBy split_photographs(const std::vector<Split>& said, const SplitRule& rule,
                          std::span<const Camera> cameras, Dataset& dataset);

}  // namespace mote

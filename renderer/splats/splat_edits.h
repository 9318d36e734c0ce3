#pragma once

#include <cstddef>

#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// The edits of a scene relative to the cloud that its file holds, without the undo history, the
/// placement and the colours. The splats of the file come first, then those that were added.
struct SplatEdits {
  SplatMask selected = {}, hidden = {}, deleted = {};  // of all splats
  SplatMask changed = {};  // the splats of the file whose values differ from it
  SplatCloud values = {};  // of the changed splats, then of the added ones

  /// The number of splats in the file, and of those that were added.
  std::size_t in_file() const { return changed.size(); }
  std::size_t added() const { return selected.size() - changed.size(); }
  /// Whether there is neither an edit nor a selection.
  bool empty() const {
    return !selected.any() && !hidden.any() && !deleted.any() && values.count() == 0;
  }
};

}  // namespace mote

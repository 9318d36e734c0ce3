#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/datasets/photo_decoding.h"
#include "scene/dataset.h"

namespace mote {

/// The pixels of a dataset's photographs, undistorted (or as their lens shows them) and resized.
/// Its threads decode ahead of use, and photographs are kept within a memory budget.
class PhotoStore {
 public:
  virtual ~PhotoStore() = default;
  /// Pixels of photograph `index` (in Dataset::photographs), halved `level` times by averaging;
  /// sides are rounded down, at least 1. Waits until it is decoded. Throws Error where the file has
  /// become unreadable.
  virtual std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level = 0) = 0;
  /// The same if it is decoded and in memory, otherwise null. Neither waits nor throws.
  virtual std::shared_ptr<const PhotoPixels> if_ready(std::uint32_t index, int level = 0) = 0;
  /// Announces the next calls of get(), soonest first.
  virtual void announce(std::span<const std::uint32_t> indices, int level = 0) = 0;
  /// Bytes of all photographs decoded at level 0, and the budget.
  virtual std::size_t bytes_needed() const = 0;
  virtual std::size_t bytes_budget() const = 0;
  /// Bytes of the largest photograph, decoded at level 0.
  virtual std::size_t bytes_of_largest() const = 0;
  /// Upper bound on the temporary bytes of its threads and of a caller while they decode for a
  /// level: files, pixels as stored where they are undistorted or resized, and photographs of which
  /// only a smaller level is kept.
  virtual std::size_t bytes_decoding(int level) const = 0;
};

/// A store of the photographs of `recipes`, in their order. From the first get() or announce() on,
/// `threads` threads (0: one per CPU) decode the announced photographs, then all others that fit.
/// There are fewer if their temporary bytes would exceed half of the budget, but at least one.
/// Photographs decoded first are kept; those that do not fit are decoded again for each use. If a
/// thread cannot read a photograph, the next get() throws, for any photograph.
std::unique_ptr<PhotoStore> make_photo_store(std::vector<PhotoRecipe> recipes,
                                             std::size_t budget_bytes, int threads = 0);

/// The camera of a photograph at one level of its pyramid.
Camera camera_at_level(const Camera& camera, int level);
/// The finest level of a photograph whose longer side is at most `side_px`.
int level_within(const Camera& camera, int side_px);

}  // namespace mote

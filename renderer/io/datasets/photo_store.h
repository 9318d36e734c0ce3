#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/datasets/photo_decoding.h"
#include "scene/dataset.h"

namespace mote {

/// Gives the pixels of a dataset's photographs, undistorted and resized, decoding by its own
/// threads ahead of use and keeping what fits its memory budget.
class PhotoStore {
 public:
  virtual ~PhotoStore() = default;
  /// Pixels of photograph `index` (of Dataset::photographs), halved `level` times (sides rounded
  /// down, at least 1, by averaging). Waits where it is not decoded yet. Throws Error where the
  /// file has become unreadable.
  virtual std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level = 0) = 0;
  /// The same where it lies decoded in memory, else null: neither waits nor throws.
  virtual std::shared_ptr<const PhotoPixels> if_ready(std::uint32_t index, int level = 0) = 0;
  /// Says what get() will be asked for next, soonest first.
  virtual void announce(std::span<const std::uint32_t> indices, int level = 0) = 0;
  /// Bytes that all photographs take decoded at level 0, and the budget.
  virtual std::size_t bytes_needed() const = 0;
  virtual std::size_t bytes_budget() const = 0;
  /// Bytes of the largest photograph, decoded at level 0.
  virtual std::size_t bytes_of_largest() const = 0;
  /// Bytes that its threads take beside, at most, while they decode: files, and pixels as stored
  /// where they are undistorted or resized.
  virtual std::size_t bytes_decoding() const = 0;
};

/// A store of the photographs that `recipes` make, in their order. From the first get() or
/// announce() on, `threads` threads (0: as many as there are CPUs) decode what is announced, then
/// everything else that fits. What was decoded first is kept; what does not fit beside it passes
/// through. A photograph that one of the threads cannot read makes the next get() throw, of
/// whichever photograph.
std::unique_ptr<PhotoStore> make_photo_store(std::vector<PhotoRecipe> recipes,
                                             std::size_t budget_bytes, int threads = 0);

/// The camera of a photograph at one level of its pyramid.
Camera camera_at_level(const Camera& camera, int level);

}  // namespace mote

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/datasets/photo_store.h"

namespace mote {

/// Photographs that get() paints when they are wanted. They take no memory, and none is decoded
/// ahead.
class PaintedPhotos : public PhotoStore {
 public:
  std::shared_ptr<const PhotoPixels> if_ready(std::uint32_t index, int level) override {
    return get(index, level);
  }
  void announce(std::span<const std::uint32_t>, int) override {}
  std::size_t bytes_needed() const override { return 0; }
  std::size_t bytes_budget() const override { return 0; }
  std::size_t bytes_of_largest() const override { return 0; }
  std::size_t bytes_decoding(int /*level*/) const override { return 0; }
};

}  // namespace mote

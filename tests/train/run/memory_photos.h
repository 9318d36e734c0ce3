#pragma once

#include <memory>
#include <vector>

#include "io/datasets/photo_store.h"

namespace mote {

/// Photographs in memory, made by a test.
class MemoryPhotos : public PhotoStore {
 public:
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int) override {
    return photos.at(index);
  }
  std::shared_ptr<const PhotoPixels> if_ready(std::uint32_t index, int) override {
    return photos.at(index);
  }
  void announce(std::span<const std::uint32_t> indices, int) override {
    announced.assign(indices.begin(), indices.end());
  }
  std::size_t bytes_needed() const override { return 0; }
  std::size_t bytes_budget() const override { return 0; }
  std::size_t bytes_of_largest() const override { return 0; }
  std::size_t bytes_decoding(int /*level*/) const override { return 0; }

  std::vector<std::shared_ptr<PhotoPixels>> photos;
  std::vector<std::uint32_t> announced;
};

}  // namespace mote

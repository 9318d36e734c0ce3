#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/drawable_splats.h"
#include "core/buffer.h"

namespace mote {

/// Parts of a scene in pages of kPageSplats splats, in the layout of DrawableSplats.
class CpuPages {
 public:
  /// As Backend::make_pages().
  CpuPages(const SplatForm& form, std::size_t pages, std::size_t splats);

  /// As Backend::fill_pages() and empty_pages().
  void fill(const PagesToFill& fill);
  void empty(std::span<const std::uint32_t> pages);

  const SplatForm& form() const { return form_; }
  std::size_t splats() const { return clusters_.size() * kPageSplats; }
  std::size_t numbers() const { return numbers_; }
  const float* geometry() const { return geometry_.data(); }
  const float* sh() const { return sh_.data(); }
  /// The splats' numbers in the whole scene.
  std::span<const std::uint32_t> index() const { return index_; }
  std::span<const Cluster> clusters() const { return clusters_; }
  std::span<const BlockLife> lives() const { return lives_; }
  /// As DrawableSplats::bounded().
  const LifeRange& bounded() const { return bounded_; }

 private:
  SplatForm form_;
  std::size_t numbers_;
  std::size_t geometry_stride_, sh_stride_;  // floats of a page
  Buffer<float> geometry_, sh_;
  std::vector<std::uint32_t> index_;
  std::vector<Cluster> clusters_;  // one for each page
  std::vector<BlockLife> lives_;
  LifeRange bounded_{1, 0};
};

}  // namespace mote

#pragma once

#include <memory>

#include "model/host_model.h"
#include "train/splats/pages/splat_pages.h"

namespace mote {

/// The splats of pages as a model. A .ply is written from page to page; everything else holds the
/// parameters of all splats in memory. Valid until the pages change.
class PagedSplats : public HostModel {
 public:
  explicit PagedSplats(std::shared_ptr<const SplatPages> pages) : pages_(std::move(pages)) {}

  const ModelEntry& model() const override { return kSplatModel; }
  std::uint64_t count() const override { return pages_->count(); }
  /// For the parameters of all splats.
  std::uint64_t memory_bytes() const override;
  bool is_antialiased() const override { return pages_->like().antialiased; }
  int detail() const override { return pages_->like().sh_degree(); }
  SceneExtent extent() const override;
  TimeRange time_range() const override { return mote::time_range(pages_->like().times); }
  View closeup(const SceneExtent& extent, const OrbitOptions& orbit) const override;
  void add_samples(SceneSamples& samples, const Similarity& world_from_model) const override;
  std::vector<std::string> warnings() const override { return {}; }
  std::vector<std::string> write(const std::filesystem::path& path) const override;
  std::unique_ptr<Drawable> upload(Backend& backend, const SceneExtent& extent) override;
  std::unique_ptr<Differentiable> upload_for_gradients(Backend& backend, const SceneExtent& extent,
                                                       bool antialiased) override;
  SplatCloud take_splats() override { return all(); }

 private:
  SplatCloud all() const { return pages_->values(pages_->all(), true); }

  std::shared_ptr<const SplatPages> pages_;
};

}  // namespace mote

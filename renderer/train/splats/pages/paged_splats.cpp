#include "train/splats/pages/paged_splats.h"

#include <algorithm>

#include "core/spelling.h"
#include "io/splats/ply_parts.h"
#include "io/splats/scene_format.h"
#include "train/splats/splat_model.h"

namespace mote {

std::uint64_t PagedSplats::memory_bytes() const {
  return std::uint64_t{pages_->count()} * pages_->like().form().floats() * sizeof(float);
}

SceneExtent PagedSplats::extent() const {
  return HostSplats(all()).extent();
}

View PagedSplats::closeup(const SceneExtent& extent, const OrbitOptions& orbit) const {
  return HostSplats(all()).closeup(extent, orbit);
}

void PagedSplats::add_samples(SceneSamples& samples, const Similarity& world_from_model) const {
  HostSplats(all()).add_samples(samples, world_from_model);
}

std::vector<std::string> PagedSplats::write(const std::filesystem::path& path) const {
  if (lower_extension(path) != ".ply" || path.stem().extension() == ".compressed") {
    return save_scene(all(), path);
  }
  constexpr std::size_t kPagesAtOnce = 256;
  const PageList pages = pages_->all();
  save_ply_parts(path, pages_->like(), pages_->count(), [&](std::size_t first) {
    const std::size_t begin = first / kRestingPage;
    const std::size_t end = std::min(pages.size(), begin + kPagesAtOnce);
    const PageList part(pages.begin() + static_cast<std::ptrdiff_t>(begin),
                        pages.begin() + static_cast<std::ptrdiff_t>(end));
    return pages_->values(part, end == pages.size());
  });
  return {};
}

std::unique_ptr<Drawable> PagedSplats::upload(Backend& backend, const SceneExtent& extent) {
  return HostSplats(all()).upload(backend, extent);
}

std::unique_ptr<Differentiable> PagedSplats::upload_for_gradients(Backend& backend,
                                                                  const SceneExtent& extent,
                                                                  bool antialiased) {
  return HostSplats(all()).upload_for_gradients(backend, extent, antialiased);
}

}  // namespace mote

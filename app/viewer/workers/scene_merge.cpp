#include "app/viewer/workers/scene_merge.h"

#include <algorithm>

#include "backend/backend.h"
#include "core/error.h"
#include "core/parallel.h"
#include "splats/transform.h"

namespace mote {
namespace {

/// Copies all of `from` into `to`, starting at index `first`. Both have the same degree.
void place(const SplatCloud& from, SplatCloud& to, std::size_t first) {
  constexpr std::size_t kSplats = 1 << 16;  // per task
  run_tasks((from.count() + kSplats - 1) / kSplats, [&](std::size_t task, int) {
    const std::size_t end = std::min(from.count(), (task + 1) * kSplats);
    for (std::size_t i = task * kSplats; i < end; ++i) {
      for (const Field field : to.info().stored()) to.at(first + i, field) = from.at(i, field);
      for (int k = 0; k < from.sh_coefficients(); ++k) {
        for (int c = 0; c < 3; ++c) to.sh(first + i, k, c) = from.sh(i, k, c);
      }
    }
  });
}

}  // namespace

SplatCloud merged(std::span<const MergePart> parts) {
  CHECK(!parts.empty());
  std::vector<SplatCloud> clouds;
  std::size_t splats = 0, antialiased = 0;
  int degree = 0;
  for (const MergePart& part : parts) {
    SplatCloud cloud = part.scene->drawn();
    transform(cloud, part.transform);
    splats += cloud.count();
    if (cloud.antialiased) antialiased += cloud.count();
    degree = std::max(degree, cloud.sh_degree());
    clouds.push_back(std::move(cloud));
  }
  if (clouds.size() == 1) return std::move(clouds[0]);
  SplatCloud whole(splats, degree, clouds[0].kind());
  std::size_t first = 0;
  for (SplatCloud& cloud : clouds) {
    check_same_kind(whole.kind(), cloud.kind());
    if (cloud.sh_degree() < degree) cloud = with_sh_degree(cloud, degree);
    place(cloud, whole, first);
    first += cloud.count();
    cloud = SplatCloud();
  }
  whole.antialiased = 2 * antialiased > splats;
  return whole;
}

}  // namespace mote

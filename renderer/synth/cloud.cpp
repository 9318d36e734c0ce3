#include "synth/cloud.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <mutex>

#include "core/interrupt.h"
#include "synth/noise.h"

namespace mote::synth {
namespace {

constexpr float kLength = 2;  // of the cloud
constexpr float kBase = 0.3f, kTop = -0.62f;
constexpr int kHeaps = 14;

struct Heap {
  glm::vec3 center;
  float radius;
};

/// The shape of one cloud: the seed moves its heaps and its noise.
class CloudShape {
 public:
  explicit CloudShape(std::uint32_t seed) {
    const auto cell = static_cast<int>(seed);
    shift_ = 100.0f * hash({cell, 7, 3});
    for (int i = 0; i < kHeaps; ++i) {
      const glm::vec3 a = hash({cell, i, 1}), b = hash({cell, i, 2});
      // Large heaps in the middle, small ones at the ends.
      const float along = 1.5f * (a.x - 0.5f), middle = 1 - std::abs(along) / 0.75f;
      const float radius = 0.14f + 0.16f * middle * (0.5f + 0.5f * b.y) + 0.04f * b.z;
      const float across = 0.5f * (a.y - 0.5f);
      const float height = kBase - 0.55f * radius - 0.4f * middle * b.x;
      heaps_[static_cast<std::size_t>(i)] = {{along, height, across}, radius};
    }
  }

  float density(const glm::vec3& p) const {
    // Noise moves the place, so that heaps are no balls.
    const glm::vec3 bent = p + 0.10f * (vector_noise(3.5f * p + shift_) - 0.5f) +
                           0.035f * (vector_noise(11.0f * p + shift_) - 0.5f);
    float outside = 1e9f;  // distance to the union of the heaps, with smooth seams
    for (const Heap& heap : heaps_) {
      const float own = glm::distance(bent, heap.center) - heap.radius;
      const float share = std::clamp(0.5f + 0.5f * (outside - own) / kSeam, 0.0f, 1.0f);
      outside = glm::mix(outside, own, share) - kSeam * share * (1 - share);
    }
    const float base = (kBase - p.y) / 0.07f;  // the flat lower side
    const float billows = std::abs(2 * noise(14.0f * p + shift_) - 1);
    const float grain = fractal_noise(24.0f * p + shift_);
    const float inside = -outside / 0.10f + 0.9f * (0.35f - billows) + 0.8f * (grain - 0.5f);
    return std::clamp(std::min(inside, base), 0.0f, 1.0f) * (0.55f + 0.45f * grain);
  }

 private:
  static constexpr float kSeam = 0.09f;

  static glm::vec3 vector_noise(const glm::vec3& p) {
    return {noise(p), noise(p + 31.7f), noise(p + 67.3f)};
  }

  std::array<Heap, kHeaps> heaps_;
  glm::vec3 shift_;
};

}  // namespace

DensityVolume make_cloud(const CloudPlan& plan, ThreadPool& threads,
                         const std::function<void(double)>& progress) {
  constexpr int kSide = DensityVolume::kBrickSide;
  const CloudShape shape(plan.seed);
  const float side = kLength / static_cast<float>(plan.voxels);
  const auto bricks_to = [&](float reach) {
    return static_cast<int>(std::ceil(reach / side / static_cast<float>(kSide)));
  };
  const glm::ivec3 last{bricks_to(0.5f * kLength), bricks_to(kBase), bricks_to(0.75f)};
  const glm::ivec3 first{-last.x, -bricks_to(-kTop + 0.2f), -last.z};
  const auto slabs = static_cast<std::size_t>(last.z - first.z);
  struct Placed {
    glm::ivec3 place;
    DensityVolume::Brick values;
  };
  std::vector<std::vector<Placed>> found(slabs);
  std::mutex reporting;
  double done = 0;
  threads.run(slabs, [&](std::size_t slab, int) {
    for (int y = first.y; y < last.y && !interrupted(); ++y) {
      for (int x = first.x; x < last.x; ++x) {
        Placed brick{{x, y, first.z + static_cast<int>(slab)}, {}};
        for (int i = 0; i < static_cast<int>(DensityVolume::kBrickVoxels); ++i) {
          const glm::ivec3 in_brick{i % kSide, i / kSide % kSide, i / kSide / kSide};
          const glm::vec3 voxel(kSide * brick.place + in_brick);
          brick.values[static_cast<std::size_t>(i)] = shape.density(side * voxel);
        }
        if (std::ranges::any_of(brick.values, [](float v) { return v > 0; })) {
          found[slab].push_back(brick);
        }
      }
    }
    const std::lock_guard lock(reporting);
    done += 1;
    progress(done / static_cast<double>(slabs));
  });
  throw_if_interrupted();
  DensityVolume::Builder builder;
  for (const std::vector<Placed>& bricks : found) {
    for (const Placed& brick : bricks) builder.add(brick.place, brick.values);
  }
  return builder.finish({.voxel_side = static_cast<double>(side), .origin = glm::dvec3(0)},
                        "the cloud");
}

}  // namespace mote::synth

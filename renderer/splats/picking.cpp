#include "splats/picking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <limits>

#include "cameras/camera_floats.h"
#include "cameras/pinhole.h"
#include "core/error.h"
#include "core/parallel.h"
#include "math/activations.h"
#include "splats/moment.h"

namespace mote {
namespace {

constexpr std::size_t kBlocksPerWord = SplatMask::kWordSplats / kBlockSize;
constexpr std::size_t kWordsPerTask = 256;

using Lanes = std::array<float, kBlockSize>;

/// The geometry of the splats of one block.
struct Block {
  const KindInfo& kind;
  const float* geometry;
};

/// A field that the kind stores, [16].
const float* field_of(const Block& block, Field field) {
  return block.geometry + static_cast<std::size_t>(block.kind.plane(field)) * kBlockSize;
}

float largest_log_scale(const Block& block, std::size_t i) {
  float largest = -std::numeric_limits<float>::infinity();
  for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
    if (block.kind.stores(field)) largest = std::max(largest, field_of(block, field)[i]);
  }
  return largest;
}

/// The splats for which test(block, scratch, lane) holds. prepare(block, scratch) fills
/// the scratch of each block first.
template <class Scratch, class Prepare, class Test>
SplatMask mask_where(const SplatCloud& cloud, const Prepare& prepare, const Test& test) {
  SplatMask mask(cloud.count());
  const auto words = mask.words();
  const auto fill = [&](std::size_t task, int) {
    const std::size_t end = std::min(words.size(), (task + 1) * kWordsPerTask);
    for (std::size_t w = task * kWordsPerTask; w < end; ++w) {
      const std::size_t last = std::min(cloud.block_count(), (w + 1) * kBlocksPerWord);
      std::uint64_t word = 0;
      for (std::size_t b = w * kBlocksPerWord; b < last; ++b) {
        const Block geometry{cloud.info(), cloud.geometry_block(b)};
        Scratch scratch;
        prepare(geometry, scratch);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < kBlockSize; ++i) {
          bits |= static_cast<std::uint64_t>(test(geometry, scratch, i)) << i;
        }
        word |= bits << (b % kBlocksPerWord * kBlockSize);
      }
      words[w] = word;
    }
  };
  run_tasks((words.size() + kWordsPerTask - 1) / kWordsPerTask, fill);
  mask.trim();
  return mask;
}

/// Image positions and depths of the means of a block.
struct ProjectedMeans {
  Lanes x_px, y_px, z;
};

void project_means(const CameraFloats& camera, const Block& geometry, ProjectedMeans& out) {
  const float* x = field_of(geometry, Field::mean_x);
  const float* y = field_of(geometry, Field::mean_y);
  const float* z = field_of(geometry, Field::mean_z);
  const float *r = camera.cam_from_world, *t = camera.translation;
  for (std::size_t i = 0; i < kBlockSize; ++i) {
    const auto along = [&](int row) {
      return r[3 * row] * x[i] + r[3 * row + 1] * y[i] + r[3 * row + 2] * z[i] + t[row];
    };
    const float depth = along(2);
    out.x_px[i] = camera.focal_x * along(0) / depth + camera.center_x;
    out.y_px[i] = camera.focal_y * along(1) / depth + camera.center_y;
    out.z[i] = depth;
  }
}

/// Tests that a depth is not behind the visible surface.
class DepthTest {
 public:
  explicit DepthTest(const ImagePick& pick)
      : image_(pick.depth_median), reach_(static_cast<float>(1 + pick.depth_tolerance)) {
    if (image_ == nullptr) return;
    CHECK(image_->channels == 1 && image_->width > 0 && image_->height > 0);
    scale_x_ = static_cast<float>(image_->width) / static_cast<float>(pick.camera.width);
    scale_y_ = static_cast<float>(image_->height) / static_cast<float>(pick.camera.height);
  }

  bool operator()(float x, float y, float z) const {
    if (image_ == nullptr) return true;
    const float column = x * scale_x_, row = y * scale_y_;
    if (!(column >= 0 && column < static_cast<float>(image_->width) && row >= 0 &&
          row < static_cast<float>(image_->height))) {
      return false;
    }
    const float surface = image_->row(static_cast<int>(row))[static_cast<int>(column)];
    return !(surface > 0) || z <= surface * reach_;
  }

 private:
  const Image* image_;
  float reach_, scale_x_ = 1, scale_y_ = 1;
};

glm::dvec3 mean_at(const Block& geometry, std::size_t i) {
  return {field_of(geometry, Field::mean_x)[i], field_of(geometry, Field::mean_y)[i],
          field_of(geometry, Field::mean_z)[i]};
}

/// Whether the splats are at the same places at all times, and from everywhere.
bool has_one_place(const SplatCloud& cloud) {
  return cloud.motion() == SplatMotion::still && cloud.deformation == nullptr;
}

struct NoScratch {};

/// The splats whose mean passes the test.
template <class Test>
SplatMask mask_of_means(const SplatCloud& cloud, const Test& test) {
  return mask_where<NoScratch>(
      cloud, [](const Block&, NoScratch&) {},
      [&](const Block& geometry, const NoScratch&, std::size_t i) {
        return test(mean_at(geometry, i));
      });
}

}  // namespace

SplatMask pick_in_slice(const SplatCloud& cloud, const SeenFrom& from, const StillPick& pick) {
  if (has_one_place(cloud)) return pick(cloud, {});
  std::vector<std::uint32_t> source;
  const SplatCloud slice =
      slice_of(cloud, {from.time_s, {from.eye.x, from.eye.y, from.eye.z}}, &source);
  SplatMask picked(cloud.count());
  for (const std::uint32_t i : pick(slice, source).indices()) picked.set(source[i], true);
  return picked;
}

SplatMask mask_of_slice(const SplatMask& mask, const SplatCloud& cloud,
                        std::span<const std::uint32_t> source) {
  if (source.size() != cloud.count()) return mask;
  SplatMask slice(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) slice.set(i, mask.test(source[i]));
  return slice;
}

SplatMask pick_in_image(const SplatCloud& cloud, const ImagePick& pick) {
  if (!has_one_place(cloud)) {
    return pick_in_slice(cloud, {pick.time_s, pick.camera.position_world()},
                         [&](const SplatCloud& slice, std::span<const std::uint32_t>) {
                           return pick_in_image(slice, pick);
                         });
  }
  const CameraFloats camera = camera_floats(pick.camera);
  const RegionTest in_region(pick.region);
  const DepthTest seen(pick);
  const auto min_logit = static_cast<float>(logit(pick.min_opacity));
  return mask_where<ProjectedMeans>(
      cloud,
      [&](const Block& geometry, ProjectedMeans& means) { project_means(camera, geometry, means); },
      [&](const Block& geometry, const ProjectedMeans& means, std::size_t i) {
        return means.z[i] >= kNearPlane && in_region(means.x_px[i], means.y_px[i]) &&
               field_of(geometry, Field::logit_opacity)[i] >= min_logit &&
               seen(means.x_px[i], means.y_px[i], means.z[i]);
      });
}

SplatMask pick_in_sphere(const SplatCloud& cloud, const glm::dvec3& center, double radius) {
  return mask_of_means(cloud, [&](const glm::dvec3& mean) {
    const glm::dvec3 offset = mean - center;
    return glm::dot(offset, offset) <= radius * radius;
  });
}

SplatMask pick_in_box(const SplatCloud& cloud, const OrientedBox& box) {
  return mask_of_means(cloud, [&](const glm::dvec3& mean) {
    const glm::dvec3 along = glm::abs((mean - box.center) * box.rotation);
    return along.x <= box.half_size.x && along.y <= box.half_size.y && along.z <= box.half_size.z;
  });
}

SplatMask pick_in_range(const SplatCloud& cloud, const RangePick& range) {
  const auto min_logit = static_cast<float>(logit(range.min_opacity));
  const auto max_logit = static_cast<float>(logit(range.max_opacity));
  const auto min_log = static_cast<float>(std::log(range.min_size));
  const auto max_log = static_cast<float>(std::log(range.max_size));
  return mask_where<NoScratch>(
      cloud, [](const Block&, NoScratch&) {},
      [&](const Block& geometry, const NoScratch&, std::size_t i) {
        const float opacity = field_of(geometry, Field::logit_opacity)[i];
        const float size = largest_log_scale(geometry, i);
        return opacity >= min_logit && opacity <= max_logit && size >= min_log && size <= max_log;
      });
}

}  // namespace mote

#include "frame_work.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "core/parallel.h"
#include "cuda/kernels/subtiles.h"
#include "cuda/tile_lists.h"
#include "primitives/gaussian_projection.h"
#include "primitives/gaussian_view.h"

namespace mote {
namespace {

using namespace cuda;

constexpr std::size_t kCluster = kClusterBlocks * kBlockSize;
constexpr unsigned kStripCount = 8, kStripMask = 15;

struct FiledSplat {
  TileKey key;
  std::uint32_t record;
};

struct Filed {
  std::vector<SplatRecord> records;
  std::vector<std::vector<FiledSplat>> tiles;  // sorted
};

/// As the projection kernel does it, colour apart. Returns whether the splat is visible.
template <bool ANTIALIASED>
bool project(const SplatCloud& cloud, std::size_t i, const FrameParams& f, SplatRecord& out,
             MacroRect& rect) {
  const auto field = [&](Field name) { return cloud.at(i, name); };
  const ViewCamera<float> camera = view_camera<float>(f.camera);
  const Vec3<float> mean{field(Field::mean_x), field(Field::mean_y), field(Field::mean_z)};
  const Vec3<float> p_cam = camera.cam_from_world * mean + camera.translation;
  if (!(p_cam.z >= kNearPlane)) return false;
  const Mat3<float> axes = splat_axes(
      rotation_from(Quaternion<float>{field(Field::rotation_w), field(Field::rotation_x),
                                      field(Field::rotation_y), field(Field::rotation_z)}),
      Vec3<float>{field(Field::log_scale_x), field(Field::log_scale_y), field(Field::log_scale_z)});
  const ImageBounds<float> image{f.camera.width, f.camera.height};
  const ProjectedGaussian<float> s = project_gaussian<ANTIALIASED>(
      camera.pinhole, image, camera.cam_from_world, p_cam, axes, field(Field::logit_opacity));
  if (!s.inside) return false;
  const LogResponse<float> response = log_response_of(s.footprint);
  out = {s.mean_px.x,
         s.mean_px.y,
         s.log2_opacity,
         p_cam.z,
         response.curvature_u,
         response.shear,
         response.curvature_y,
         response.shear_x,
         0,
         0,
         0,
         s.extent_x};
  const auto tile_at = [](float px, int count) {
    const float most = static_cast<float>(count * kMacroPx - 1);
    return static_cast<std::uint16_t>(std::clamp(px, 0.0f, most) / static_cast<float>(kMacroPx));
  };
  rect = {tile_at(s.mean_px.x - s.extent_x, f.columns),
          tile_at(s.mean_px.x + s.extent_x, f.columns), tile_at(s.mean_px.y - s.extent_y, f.rows),
          tile_at(s.mean_px.y + s.extent_y, f.rows)};
  return true;
}

void file_splat(const SplatRecord& record, MacroRect rect, FiledSplat filed, int columns,
                std::vector<std::vector<FiledSplat>>& tiles) {
  const SplatEllipse ellipse = ellipse_of(record);
  for (int row = rect.first_row; row <= rect.last_row; ++row) {
    const ColumnSpan span = columns_in_row(ellipse, rect, row);
    for (int column = span.first; column <= span.last; ++column) {
      tiles[static_cast<std::size_t>(row * columns + column)].push_back(filed);
    }
  }
}

Filed file_all(const DrawableSplats& scene, const FrameParams& f, bool antialiased,
               FrameWork& work) {
  const SplatCloud& cloud = scene.splats();
  Filed filed;
  filed.tiles.resize(static_cast<std::size_t>(f.columns * f.rows));
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    if (i % kCluster == 0) {
      if (!may_see(f.frustum, scene.clusters()[i / kCluster])) {
        i += kCluster - 1;
        continue;
      }
      work.threads += std::min(kCluster, cloud.count() - i);
    }
    SplatRecord record{};
    MacroRect rect{};
    const bool visible = antialiased ? project<true>(cloud, i, f, record, rect)
                                     : project<false>(cloud, i, f, record, rect);
    if (!visible) continue;
    ++work.visible;
    work.slots += slot_count(rect);
    const TileKey key =
        static_cast<TileKey>(__float_as_uint(record.depth)) << 32 | scene.index()[i];
    const auto place = static_cast<std::uint32_t>(filed.records.size());
    filed.records.push_back(record);
    file_splat(record, rect, {key, place}, f.columns, filed.tiles);
  }
  return filed;
}

/// One macro tile as its block goes through it.
class Tile {
 public:
  Tile(const FrameParams& f, int column, int row) : x_(column * kMacroPx), y_(row * kMacroPx) {
    for (unsigned s = 0; s < 32; ++s) {
      const SubtilePlace place = subtile_place(s);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const int x = x_ + place.x + static_cast<int>(lane) % kSubtileColumnPx;
        const int y = y_ + place.y + static_cast<int>(lane) / kSubtileColumnPx;
        pixels_[s][lane] = {1.0f, x < f.width && y < f.height ? kLog2AlphaMin : kNeverTouched};
      }
    }
    update_going(~0u);
  }

  TileWork blend(const std::vector<FiledSplat>& list, const std::vector<SplatRecord>& records) {
    TileWork work;
    work.pairs = list.size();
    for (std::size_t begin = 0; begin < list.size() && going_ != 0; begin += 32) {
      if (begin % kBlendThreads == 0) {
        work.entered += std::min<std::size_t>(kBlendThreads, list.size() - begin);
      }
      blend_group(std::span(list).subspan(begin, std::min<std::size_t>(32, list.size() - begin)),
                  records, work);
    }
    for (unsigned strip = 0; strip < kStripCount; ++strip)
      work.saturated += strip_going(strip) == 0;
    return work;
  }

 private:
  unsigned strip_going(unsigned strip) const { return going_ >> 4 * strip & kStripMask; }

  void blend_group(std::span<const FiledSplat> group, const std::vector<SplatRecord>& records,
                   TileWork& work) {
    unsigned touched = 0;
    for (unsigned strip = 0; strip < kStripCount; ++strip) work.groups += strip_going(strip) != 0;
    for (const FiledSplat& filed : group) {
      const SplatRecord& s = records[filed.record];
      const unsigned mask = subtiles_touched(ellipse_of(s), x_, y_) & going_;
      touched |= mask;
      for (unsigned strip = 0; strip < kStripCount; ++strip) {
        work.hits += (mask >> 4 * strip & kStripMask) != 0;
      }
      work.subtiles += static_cast<unsigned>(__popc(mask));
      for (unsigned left = mask; left != 0; left &= left - 1) {
        blend_subtile(s, static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1, work);
      }
    }
    ++work.buckets;
    work.passes += static_cast<unsigned>(__popc(touched));
    update_going(touched);
  }

  void blend_subtile(const SplatRecord& s, unsigned subtile, TileWork& work) {
    const LogResponse<float> response{s.curvature_u, s.shear, s.curvature_y, s.shear_x};
    const SubtilePlace place = subtile_place(subtile);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto x = static_cast<float>(x_ + place.x + static_cast<int>(lane) % kSubtileColumnPx);
      const auto y = static_cast<float>(y_ + place.y + static_cast<int>(lane) / kSubtileColumnPx);
      const float exponent =
          log2_alpha_at(response, s.log2_opacity, x + 0.5f - s.mean_x, y + 0.5f - s.mean_y);
      work.pixels += exponent >= pixels_[subtile][lane].least;
      blend_step(exponent, pixels_[subtile][lane]);
    }
  }

  /// Of the subtiles of the mask; the others are as they were.
  void update_going(unsigned mask) {
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const auto s = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
      const bool some = std::ranges::any_of(
          pixels_[s], [](const PixelForward<float>& p) { return p.least < kNeverTouched; });
      if (!some) going_ &= ~(1u << s);
    }
  }

  int x_, y_;
  unsigned going_ = ~0u;
  std::array<std::array<PixelForward<float>, 32>, 32> pixels_;
};

}  // namespace

TileWork& TileWork::operator+=(const TileWork& other) {
  pairs += other.pairs;
  entered += other.entered;
  groups += other.groups;
  hits += other.hits;
  subtiles += other.subtiles;
  pixels += other.pixels;
  buckets += other.buckets;
  passes += other.passes;
  saturated += other.saturated;
  return *this;
}

FrameWork frame_work(const DrawableSplats& scene, const Camera& camera, bool antialiased) {
  const FrameParams f = frame_params(camera, {0, 0, 0});
  FrameWork work;
  work.splats = scene.splats().count();
  Filed filed = file_all(scene, f, antialiased, work);
  work.tiles.resize(filed.tiles.size());
  run_tasks(filed.tiles.size(), [&](std::size_t i, int) {
    std::ranges::sort(filed.tiles[i], {}, &FiledSplat::key);
    Tile tile(f, static_cast<int>(i) % f.columns, static_cast<int>(i) / f.columns);
    work.tiles[i] = tile.blend(filed.tiles[i], filed.records);
  });
  for (const TileWork& tile : work.tiles) {
    work.all += tile;
    work.empty_tiles += tile.pairs == 0;
  }
  return work;
}

}  // namespace mote

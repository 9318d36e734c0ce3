#include "frame_work.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "core/parallel.h"
#include "cuda/kernels/checkpoints.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/kernels/subtiles.h"
#include "pipeline/blend.h"

namespace mote {
namespace {

using namespace cuda;

constexpr std::size_t kCluster = kProjectThreads;

/// A form of blending: the subtiles of a warp. Its block has a thread for each splat of a batch.
struct BlendForm {
  WarpWork TileWork::*work;
  unsigned subtiles;

  std::size_t batch() const { return kMacroPixels / subtiles; }
};

constexpr BlendForm kForms[] = {
    {&TileWork::by_halves, 2}, {&TileWork::by_strips, 4}, {&TileWork::by_two, 8}};

/// Number of warps with one of the subtiles of a mask, where each has `subtiles` of them.
unsigned warps_with(unsigned mask, unsigned subtiles) {
  unsigned warps = 0;
  for (unsigned first = 0; first < 32; first += subtiles) {
    warps += (mask >> first & ((1u << subtiles) - 1)) != 0;
  }
  return warps;
}

/// The lists of a frame, as the kernels write them.
struct Filed {
  FrameParams frame;
  FrameCounters counters;
  std::vector<SplatRecord> records;    // of each splat; written for visible ones only
  std::vector<MacroRect> rects;        // of each splat
  std::vector<std::uint32_t> slot_of;  // slot for the index in a key
  std::vector<unsigned> first;         // [tiles + 1]
  std::vector<TileKey> keys;           // of each tile, sorted

  std::size_t tiles() const { return first.size() - 1; }
  std::span<const TileKey> list(std::size_t tile) const {
    return std::span(keys).subspan(first[tile], first[tile + 1] - first[tile]);
  }
  const SplatRecord& record(TileKey key) const {
    return records[slot_of[static_cast<std::uint32_t>(key)]];
  }
};

template <class T>
std::vector<T> copied(const T* from, std::size_t count) {
  std::vector<T> values(count);
  check(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "copying");
  return values;
}

/// Projects and bins with the kernels. Sorting is done on the host: its result is unique, and this
/// is faster.
Filed file_all(TileLists& lists, const DeviceSplats& splats, const Camera& camera, bool antialiased,
               const Stream& stream) {
  RenderSettings settings;
  settings.antialiased = antialiased;
  settings.max_sh_degree = 0;
  const PlacedSplats placed{.splats = splats};
  lists.prepare({&placed, 1}, camera, settings);
  do {
    const ListWork work = lists.work({&placed, 1}, settings);
    lists.enqueue_projection(work);
    lists.enqueue_filing(work);
    lists.enqueue_counters();
    stream.synchronize();
  } while (!lists.fits());
  Filed filed{.frame = lists.host_params(),
              .counters = lists.counters(),
              .records = copied(lists.records(), splats.count),
              .rects = copied(lists.rects(), splats.count),
              .slot_of = copied(splats.slot_of, splats.count),
              .first = copied(lists.first(), lists.tiles() + 1),
              .keys = copied(lists.keys(), lists.counters().pairs)};
  run_tasks(filed.tiles(), [&](std::size_t tile, int) {
    std::sort(filed.keys.begin() + filed.first[tile], filed.keys.begin() + filed.first[tile + 1]);
  });
  return filed;
}

/// Number of projection threads in clusters that are not culled.
std::uint64_t threads_in_view(const DeviceSplats& splats, const Frustum& frustum) {
  std::uint64_t threads = 0;
  const std::size_t clusters = (splats.count + kCluster - 1) / kCluster;
  const std::vector<Cluster> all = copied(splats.clusters, clusters);
  for (std::size_t i = 0; i < clusters; ++i) {
    if (may_see(frustum, all[i])) threads += std::min(kCluster, splats.count - i * kCluster);
  }
  return threads;
}

/// The turns of the loop over columns in each of a splat's rows.
std::vector<unsigned> columns_of_rows(const SplatRecord& record, MacroRect rect) {
  std::vector<unsigned> columns;
  const SplatEllipse ellipse = ellipse_of(record);
  for (int row = rect.first_row; row <= rect.last_row; ++row) {
    const ColumnSpan span = columns_in_row(ellipse, rect, row);
    columns.push_back(static_cast<unsigned>(std::max(span.last - span.first + 1, 0)));
  }
  return columns;
}

/// The work of one warp in for_each_macro_tile().
TileVisits tile_visits(const Filed& filed, std::size_t first_splat) {
  TileVisits work;
  std::vector<unsigned> slowest;  // by row
  const std::size_t end = std::min(first_splat + kWarp, filed.rects.size());
  for (std::size_t splat = first_splat; splat < end; ++splat) {
    const MacroRect rect = filed.rects[splat];
    if (rect.first_column > rect.last_column) continue;
    work.warps = 1;
    const std::vector<unsigned> columns = columns_of_rows(filed.records[splat], rect);
    if (rows_are_shared(rect)) {
      ++work.shared_splats;
      for (std::size_t row = 0; row < columns.size(); row += kWarp) {
        const auto turn = std::span(columns).subspan(row);
        ++work.shared_rows;
        work.shared_columns +=
            std::ranges::max(turn.first(std::min<std::size_t>(kWarp, turn.size())));
      }
      continue;
    }
    slowest.resize(std::max(slowest.size(), columns.size()));
    for (std::size_t row = 0; row < columns.size(); ++row) {
      slowest[row] = std::max(slowest[row], columns[row]);
    }
  }
  work.rows = slowest.size();
  work.columns = std::accumulate(slowest.begin(), slowest.end(), std::uint64_t{0});
  return work;
}

/// Adds the work of sorting a list.
void count_sort(std::size_t keys, TileWork& work) {
  constexpr std::size_t kWarpKeys = 256;
  if (keys < 2) return;
  const unsigned chunks = sort_chunks(static_cast<unsigned>(keys));
  work.merged_chunks += std::uint64_t{chunks} * sort_merges(chunks);
  for (std::size_t begin = 0; begin < keys; begin += kSortChunk) {
    const std::size_t here = std::min<std::size_t>(kSortChunk, keys - begin);
    const std::size_t warps = (here + kWarpKeys - 1) / kWarpKeys;
    const auto passes = static_cast<std::size_t>(std::bit_width(warps - 1));
    work.sort_warps += warps;
    work.sort_passes += warps * passes;
    work.sort_exchanges += warps * passes * (passes - 1) / 2;
  }
}

/// Simulates the block of one macro tile.
class Tile {
 public:
  Tile(const FrameParams& f, int column, int row) : x_(column * kMacroPx), y_(row * kMacroPx) {
    for (unsigned s = 0; s < 32; ++s) {
      const SubtilePlace place = subtile_place(s);
      for (unsigned lane = 0; lane < 32; ++lane) {
        const int x = x_ + place.x + static_cast<int>(lane) % kSubtileColumnPx;
        const int y = y_ + place.y + static_cast<int>(lane) / kSubtileColumnPx;
        pixels_[s][lane] = {1.0f, x < f.width && y < f.height ? 1.0f : 0.0f};
      }
    }
    update_going(~0u);
  }

  /// Adds the list's pieces to `pieces`.
  TileWork blend(const Filed& filed, std::span<const TileKey> list, std::vector<TileWork>& pieces) {
    TileWork work;
    work.pairs = list.size();
    count_sort(list.size(), work);
    for (std::size_t begin = 0; begin < list.size() && going_ != 0; begin += 32) {
      if (begin % kPieceSplats == 0) pieces.emplace_back();
      const TileWork before = work;
      for (const BlendForm& form : kForms) {
        if (begin % form.batch() == 0) {
          (work.*form.work).entered += std::min(form.batch(), list.size() - begin);
        }
      }
      blend_group(filed, list.subspan(begin, std::min<std::size_t>(32, list.size() - begin)), work);
      pieces.back().by_strips.hits += work.by_strips.hits - before.by_strips.hits;
      pieces.back().subtiles += work.subtiles - before.subtiles;
    }
    work.saturated += kStrips - warps_with(going_, kStripSubtiles);
    return work;
  }

 private:
  void blend_group(const Filed& filed, std::span<const TileKey> group, TileWork& work) {
    unsigned touched = 0;
    for (const BlendForm& form : kForms) {
      (work.*form.work).groups += warps_with(going_, form.subtiles);
    }
    for (const TileKey key : group) {
      const SplatRecord& s = filed.record(key);
      const unsigned mask = subtiles_touched(ellipse_of(s), x_, y_) & going_;
      touched |= mask;
      for (const BlendForm& form : kForms) {
        (work.*form.work).hits += warps_with(mask, form.subtiles);
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
    const EllipseForm<float> form{s.curvature_u, s.shear, s.curvature_y, s.shear_x};
    const SubtilePlace place = subtile_place(subtile);
    const auto below = static_cast<float>(subtile % kStripSubtiles * kSubtileRowPx);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto x = static_cast<float>(x_ + place.x + static_cast<int>(lane) % kSubtileColumnPx);
      const auto y = static_cast<float>(y_ + place.y + static_cast<int>(lane) / kSubtileColumnPx);
      const float exponent =
          form_value(column_polynomial(form, s.log2_opacity, x + 0.5f - s.mean_x,
                                       y - below + 0.5f - s.mean_y, column_bend(form)),
                     below);
      PixelForward& pixel = pixels_[subtile][lane];
      work.pixels += pixel.is_open() && exponent >= kLog2AlphaMin;
      blend_pixel(exponent, pixel, [](float, float, float) {});
    }
  }

  /// Updates the subtiles in the mask only.
  void update_going(unsigned mask) {
    for (unsigned left = mask; left != 0; left &= left - 1) {
      const auto s = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
      const bool some = std::ranges::any_of(pixels_[s], &PixelForward::is_open);
      if (!some) going_ &= ~(1u << s);
    }
  }

  int x_, y_;
  unsigned going_ = ~0u;
  std::array<std::array<PixelForward, 32>, 32> pixels_;
};

}  // namespace

WarpWork& WarpWork::operator+=(const WarpWork& other) {
  entered += other.entered;
  groups += other.groups;
  hits += other.hits;
  return *this;
}

TileVisits& TileVisits::operator+=(const TileVisits& other) {
  warps += other.warps;
  rows += other.rows;
  columns += other.columns;
  shared_splats += other.shared_splats;
  shared_rows += other.shared_rows;
  shared_columns += other.shared_columns;
  return *this;
}

TileWork& TileWork::operator+=(const TileWork& other) {
  pairs += other.pairs;
  by_halves += other.by_halves;
  by_strips += other.by_strips;
  by_two += other.by_two;
  subtiles += other.subtiles;
  pixels += other.pixels;
  buckets += other.buckets;
  passes += other.passes;
  saturated += other.saturated;
  sort_warps += other.sort_warps;
  sort_passes += other.sort_passes;
  sort_exchanges += other.sort_exchanges;
  merged_chunks += other.merged_chunks;
  return *this;
}

FrameCounter::FrameCounter(SplatCloud cloud, ThreadPool& pool)
    : antialiased_(cloud.antialiased),
      scene_(std::move(cloud), pool, stream_.get()),
      lists_(stream_.get(), true) {}

FrameWork FrameCounter::count(const Camera& camera) {
  const DeviceSplats splats = scene_.splats();
  const Filed filed = file_all(lists_, splats, camera, antialiased_, stream_);
  FrameWork work;
  work.splats = splats.count;
  work.threads = threads_in_view(splats, filed.frame.frustum);
  work.visible = filed.counters.visible;
  work.slots = filed.counters.slots;
  for (std::size_t first = 0; first < splats.count; first += kWarp) {
    work.visits += tile_visits(filed, first);
  }
  work.tiles.resize(filed.tiles());
  std::vector<std::vector<TileWork>> pieces(filed.tiles());
  run_tasks(filed.tiles(), [&](std::size_t i, int) {
    const auto tile = static_cast<int>(i);
    work.tiles[i] = Tile(filed.frame, tile % filed.frame.columns, tile / filed.frame.columns)
                        .blend(filed, filed.list(i), pieces[i]);
  });
  for (const TileWork& tile : work.tiles) {
    work.all += tile;
    work.empty_tiles += tile.pairs == 0;
  }
  for (const std::vector<TileWork>& of_tile : pieces) {
    work.pieces.insert(work.pieces.end(), of_tile.begin(), of_tile.end());
  }
  return work;
}

}  // namespace mote

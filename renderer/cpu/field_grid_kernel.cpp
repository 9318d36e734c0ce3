// Grid encodings for packs of positions, a level at a time, so that the level's table stays in a
// cache. Compiled once per instruction set. Linear interpolation and smoothstep differ only in the
// weights of a cell, so that they share the functions with INTERPOLATION linear.

#include <type_traits>

#include "cpu/isa_kernels.h"
#include "fields/encodings/grid.h"
#include "lanes/pack.h"
#include "lanes/pack_words.h"

namespace mote::MOTE_ISA {
namespace {

using Half = hn::Rebind<hwy::float16_t, PackTag>;
using HalfBits = hn::Rebind<std::uint16_t, PackTag>;

MOTE_LANE Pack pack_of_halves(hn::Vec<PackWords::Tag> words) {
  return hn::PromoteTo(PackTag(), hn::BitCast(Half(), hn::TruncateTo(HalfBits(), words)));
}

/// The cells of a pack of positions. `interpolation`: as INTERPOLATION, or smoothstep for linear.
template <Interpolation INTERPOLATION, int D>
MOTE_LANE GridCell<D, Pack> cells_of(const GridLevel& level, Interpolation interpolation,
                                     const Pack (&x)[D]) {
  if constexpr (INTERPOLATION != Interpolation::nearest) {
    if (interpolation == Interpolation::smoothstep) {
      return grid_cell<Interpolation::smoothstep>(level, x);
    }
  }
  return grid_cell<INTERPOLATION>(level, x);
}

/// The grid points that a pack of positions reads: where their entries begin, and their weights.
template <int CORNERS>
struct CornerWords {
  alignas(64) std::uint32_t offset[CORNERS][kPackLanes];
  Pack weight[CORNERS];
};

/// Offsets are multiples of SIZE.
template <Interpolation INTERPOLATION, int D, int SIZE>
MOTE_LANE void find_corners(const GridLevel& level, Interpolation interpolation,
                            const float* positions, std::size_t stride,
                            CornerWords<kGridCorners<INTERPOLATION, D>>& corners) {
  Pack x[D];
  for (std::size_t axis = 0; axis < D; ++axis) x[axis] = load(positions + axis * stride);
  for_each_corner<INTERPOLATION>(
      level, cells_of<INTERPOLATION>(level, interpolation, x),
      [&](int corner, PackWords index, Pack weight) {
        const PackWords scaled = SIZE == 1 ? index : index * PackWords(SIZE);
        hn::Store(scaled.value, PackWords::Tag(), corners.offset[corner]);
        corners.weight[corner] = weight;
      });
}

/// The same for packs in their order. While a pack is in work, the entries of the next one are on
/// their way from an outer cache or from memory, where most are: WRITE says what for.
/// `entries`: of the level, which the offsets count in.
template <Interpolation INTERPOLATION, int D, int SIZE, bool WRITE, class T>
class CornersAhead {
 public:
  static constexpr int kCorners = kGridCorners<INTERPOLATION, D>;

  CornersAhead(const GridLevel& level, Interpolation interpolation, const float* positions,
               std::size_t stride, const T* entries, std::size_t begin, std::size_t end)
      : level_(level),
        interpolation_(interpolation),
        positions_(positions),
        stride_(stride),
        entries_(entries),
        end_(end) {
    find(begin);
  }

  /// Those of the pack that begins at position `i`, valid until the next call.
  MOTE_LANE const CornerWords<kCorners>& at(std::size_t i) {
    find(i + kPackLanes);
    return corners_[i / kPackLanes % 2];
  }

 private:
  MOTE_LANE void find(std::size_t i) {
    if (i >= end_) return;
    CornerWords<kCorners>& own = corners_[i / kPackLanes % 2];
    find_corners<INTERPOLATION, D, SIZE>(level_, interpolation_, positions_ + i, stride_, own);
    for (const auto& offsets : own.offset) {
      for (const std::uint32_t offset : offsets) __builtin_prefetch(entries_ + offset, WRITE);
    }
  }

  const GridLevel& level_;
  const Interpolation interpolation_;
  const float* const positions_;
  const std::size_t stride_;
  const T* const entries_;
  const std::size_t end_;
  CornerWords<kCorners> corners_[2];
};

/// The entries that begin at `offsets`, in words. Each word is two features; with one feature, its
/// upper half is of the next entry.
template <int FEATURES>
MOTE_LANE void load_entries(const std::uint16_t* table, const std::uint32_t* offsets,
                            PackWords (&words)[(FEATURES + 1) / 2]) {
  if constexpr (FEATURES == 1) {
    alignas(64) std::uint32_t own[kPackLanes];
    for (std::size_t lane = 0; lane < kPackLanes; ++lane) own[lane] = table[offsets[lane]];
    words[0] = hn::Load(PackWords::Tag(), own);
  } else if constexpr (FEATURES == 2) {
    const auto* base = reinterpret_cast<const std::uint32_t*>(table);
    words[0] = load_words(PackWords::Tag(), base, offsets);
  } else {
    for (int w = 0; w < FEATURES / 2; w += 2) {
      const auto* base = reinterpret_cast<const std::uint32_t*>(table) + w;
      const PackWordPair pair = load_word_pairs(base, offsets);
      words[w] = pair.first;
      words[w + 1] = pair.second;
    }
  }
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void encode(const GridParams& params, int level_number, std::size_t begin, std::size_t end) {
  constexpr int kCorners = kGridCorners<INTERPOLATION, D>, kWords = (FEATURES + 1) / 2;
  const GridLevel& level = params.levels[level_number];
  const std::uint16_t* table = params.table + std::size_t{level.first} * FEATURES;
  float* out = params.out + static_cast<std::size_t>(level_number) * FEATURES * params.stride;
  // Offsets count words; with one feature, halves.
  using Word = std::conditional_t<FEATURES == 1, std::uint16_t, std::uint32_t>;
  CornersAhead<INTERPOLATION, D, kWords, false, Word> ahead(
      level, params.interpolation, params.positions, params.stride,
      reinterpret_cast<const Word*>(table), begin, end);
  for (std::size_t i = begin; i < end; i += kPackLanes) {
    const CornerWords<kCorners>& corners = ahead.at(i);
    Pack sum[2 * kWords];
    for (int c = 0; c < kCorners; ++c) {
      PackWords words[kWords];
      load_entries<FEATURES>(table, corners.offset[c], words);
      for (int w = 0; w < kWords; ++w) {
        const auto both = words[w].value;
        sum[2 * w] = fma(corners.weight[c], pack_of_halves(both), sum[2 * w]);
        if constexpr (FEATURES > 1) {
          sum[2 * w + 1] =
              fma(corners.weight[c], pack_of_halves(hn::ShiftRight<16>(both)), sum[2 * w + 1]);
        }
      }
    }
    for (std::size_t f = 0; f < FEATURES; ++f) store(sum[f], out + f * params.stride + i);
  }
}

/// Stores the features of a lane beside each other.
template <int FEATURES>
MOTE_LANE void store_by_lane(const Pack (&features)[FEATURES], float* to) {
  const PackTag tag;
  if constexpr (FEATURES == 1) {
    store(features[0], to);
  } else if constexpr (FEATURES == 2) {
    hn::StoreInterleaved2(features[0].value, features[1].value, tag, to);
  } else if constexpr (FEATURES == 4) {
    hn::StoreInterleaved4(features[0].value, features[1].value, features[2].value,
                          features[3].value, tag, to);
  } else {
    alignas(64) float planes[FEATURES][kPackLanes];
    for (int f = 0; f < FEATURES; ++f) store(features[f], planes[f]);
    for (int lane = 0; lane < kPackLanes; ++lane) {
      for (int f = 0; f < FEATURES; ++f) to[lane * FEATURES + f] = planes[f][lane];
    }
  }
}

/// Adds the features of an entry, at once if they fit a vector.
template <int FEATURES>
MOTE_LANE void add_entry(const float* features, float* entry) {
  const hn::CappedTag<float, FEATURES> tag;
  for (std::size_t f = 0; f < FEATURES; f += hn::MaxLanes(tag)) {
    hn::StoreU(hn::Add(hn::LoadU(tag, entry + f), hn::LoadU(tag, features + f)), tag, entry + f);
  }
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void encode_backward(const GridBackwardParams& params, int level_number) {
  constexpr int kCorners = kGridCorners<INTERPOLATION, D>;
  const GridLevel& level = params.levels[level_number];
  const float* d_features =
      params.d_features + static_cast<std::size_t>(level_number) * FEATURES * params.stride;
  CornersAhead<INTERPOLATION, D, FEATURES, true, float> ahead(level, params.interpolation,
                                                              params.positions, params.stride,
                                                              params.d_table, 0, params.count);
  for (std::size_t i = 0; i < params.count; i += kPackLanes) {
    const std::size_t lanes = params.count - i < kPackLanes ? params.count - i : kPackLanes;
    Pack d[FEATURES];
    for (std::size_t f = 0; f < FEATURES; ++f) d[f] = load(d_features + f * params.stride + i);
    const CornerWords<kCorners>& corners = ahead.at(i);
    alignas(64) float gradient[kCorners][kPackLanes * FEATURES];
    for (int c = 0; c < kCorners; ++c) {
      Pack own[FEATURES];
      for (int f = 0; f < FEATURES; ++f) own[f] = corners.weight[c] * d[f];
      store_by_lane(own, gradient[c]);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (int c = 0; c < kCorners; ++c) {
        float* entry = params.d_table + corners.offset[c][lane];
        const float* own = gradient[c] + lane * FEATURES;
        add_entry<FEATURES>(own, entry);
      }
    }
  }
}

/// Reads the features of grid points, as load(index, feature) of the templates, which ask for the
/// features of a point in order.
template <int FEATURES>
class EntryLoader {
 public:
  explicit EntryLoader(const std::uint16_t* table) : table_(table) {}

  MOTE_LANE Pack operator()(PackWords index, int feature) const {
    if (feature == 0) {
      alignas(64) std::uint32_t offsets[kPackLanes];
      const PackWords scaled = kWords == 1 ? index : index * PackWords(kWords);
      hn::Store(scaled.value, PackWords::Tag(), offsets);
      PackWords words[kWords];
      load_entries<FEATURES>(table_, offsets, words);
      for (int w = 0; w < kWords; ++w) {
        entry_[2 * w] = pack_of_halves(words[w].value);
        entry_[2 * w + 1] = pack_of_halves(hn::ShiftRight<16>(words[w].value));
      }
    }
    return entry_[feature];
  }

 private:
  static constexpr int kWords = (FEATURES + 1) / 2;

  const std::uint16_t* table_;
  mutable Pack entry_[2 * kWords];
};

/// A pack of each of N planes.
template <int N>
MOTE_LANE void load_each(const float* planes, std::size_t stride, Pack (&to)[N]) {
  for (std::size_t i = 0; i < N; ++i) to[i] = load(planes + i * stride);
}
template <int N>
MOTE_LANE void store_each(const Pack (&from)[N], std::size_t stride, float* planes) {
  for (std::size_t i = 0; i < N; ++i) store(from[i], planes + i * stride);
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void encode_slopes(const GridSlopeParams& params, int level_number, std::size_t begin,
                   std::size_t end) {
  const GridLevel& level = params.grid.levels[level_number];
  const std::size_t stride = params.grid.stride;
  const EntryLoader<FEATURES> entries(params.grid.table + std::size_t{level.first} * FEATURES);
  const float* d_features =
      params.d_features + static_cast<std::size_t>(level_number) * FEATURES * stride;
  for (std::size_t i = begin; i < end; i += kPackLanes) {
    Pack x[D], d[FEATURES], d_x[D];
    load_each(params.grid.positions + i, stride, x);
    load_each(d_features + i, stride, d);
    load_each(params.d_positions + i, stride, d_x);
    grid_position_vjp<INTERPOLATION>(
        level, cells_of<INTERPOLATION>(level, params.grid.interpolation, x), entries, d, d_x);
    store_each(d_x, stride, params.d_positions + i);
  }
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void encode_rates(const GridRateParams& params, int level_number, std::size_t begin,
                  std::size_t end) {
  const GridLevel& level = params.grid.levels[level_number];
  const std::size_t stride = params.grid.stride;
  const EntryLoader<FEATURES> entries(params.grid.table + std::size_t{level.first} * FEATURES);
  float* out = params.grid.out + static_cast<std::size_t>(level_number) * FEATURES * stride;
  for (std::size_t i = begin; i < end; i += kPackLanes) {
    Pack x[D], velocity[D], rates[FEATURES];
    load_each(params.grid.positions + i, stride, x);
    load_each(params.velocities + i, stride, velocity);
    grid_feature_rates<INTERPOLATION>(level,
                                      cells_of<INTERPOLATION>(level, params.grid.interpolation, x),
                                      velocity, entries, rates);
    store_each(rates, stride, out + i);
  }
}

template <Interpolation INTERPOLATION, int D, int FEATURES>
void encode_rates_backward(const GridRateBackwardParams& params, int level_number) {
  constexpr int kCorners = kGridCorners<INTERPOLATION, D>;
  const GridBackwardParams& grid = params.grid;
  const GridLevel& level = grid.levels[level_number];
  const std::size_t first = static_cast<std::size_t>(level_number) * FEATURES * grid.stride;
  for (std::size_t i = 0; i < grid.count; i += kPackLanes) {
    const std::size_t lanes = grid.count - i < kPackLanes ? grid.count - i : kPackLanes;
    Pack x[D], velocity[D], d[FEATURES], d_rates[FEATURES];
    load_each(grid.positions + i, grid.stride, x);
    load_each(params.velocities + i, grid.stride, velocity);
    load_each(grid.d_features + first + i, grid.stride, d);
    load_each(params.d_rates + first + i, grid.stride, d_rates);
    alignas(64) std::uint32_t offset[kCorners][kPackLanes];
    alignas(64) float gradient[kCorners][kPackLanes * FEATURES];
    for_each_moving_corner<INTERPOLATION>(
        level, cells_of<INTERPOLATION>(level, grid.interpolation, x), velocity,
        [&](int corner, PackWords index, Pack weight, Pack rate) {
          hn::Store((index * PackWords(FEATURES)).value, PackWords::Tag(), offset[corner]);
          Pack own[FEATURES];
          for (int f = 0; f < FEATURES; ++f) own[f] = fma(weight, d[f], rate * d_rates[f]);
          store_by_lane(own, gradient[corner]);
        });
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (int c = 0; c < kCorners; ++c) {
        add_entry<FEATURES>(gradient[c] + lane * FEATURES, grid.d_table + offset[c][lane]);
      }
    }
  }
}

/// Calls visit<INTERPOLATION, D, FEATURES>() for the parameters' values; INTERPOLATION is nearest
/// or linear.
template <class Params, class Visit>
void visit_grid(const Params& params, const Visit& visit) {
  const auto by_features = [&]<Interpolation INTERPOLATION, int D>() {
    switch (params.features) {
      case 1:
        return visit.template operator()<INTERPOLATION, D, 1>();
      case 2:
        return visit.template operator()<INTERPOLATION, D, 2>();
      case 4:
        return visit.template operator()<INTERPOLATION, D, 4>();
      default:
        return visit.template operator()<INTERPOLATION, D, 8>();
    }
  };
  const auto by_dimensions = [&]<Interpolation INTERPOLATION>() {
    switch (params.dimensions) {
      case 2:
        return by_features.template operator()<INTERPOLATION, 2>();
      case 3:
        return by_features.template operator()<INTERPOLATION, 3>();
      default:
        return by_features.template operator()<INTERPOLATION, 4>();
    }
  };
  if (params.interpolation == Interpolation::nearest) {
    return by_dimensions.template operator()<Interpolation::nearest>();
  }
  return by_dimensions.template operator()<Interpolation::linear>();
}

}  // namespace

void encode_grid(const GridParams& params, int level, std::size_t begin, std::size_t end) {
  visit_grid(params, [&]<Interpolation INTERPOLATION, int D, int FEATURES>() {
    encode<INTERPOLATION, D, FEATURES>(params, level, begin, end);
  });
}

void encode_grid_backward(const GridBackwardParams& params, int level) {
  visit_grid(params, [&]<Interpolation INTERPOLATION, int D, int FEATURES>() {
    encode_backward<INTERPOLATION, D, FEATURES>(params, level);
  });
}

void encode_grid_slopes(const GridSlopeParams& params, int level, std::size_t begin,
                        std::size_t end) {
  visit_grid(params.grid, [&]<Interpolation INTERPOLATION, int D, int FEATURES>() {
    encode_slopes<INTERPOLATION, D, FEATURES>(params, level, begin, end);
  });
}

void encode_grid_rates(const GridRateParams& params, int level, std::size_t begin,
                       std::size_t end) {
  visit_grid(params.grid, [&]<Interpolation INTERPOLATION, int D, int FEATURES>() {
    encode_rates<INTERPOLATION, D, FEATURES>(params, level, begin, end);
  });
}

void encode_grid_rates_backward(const GridRateBackwardParams& params, int level) {
  visit_grid(params.grid, [&]<Interpolation INTERPOLATION, int D, int FEATURES>() {
    encode_rates_backward<INTERPOLATION, D, FEATURES>(params, level);
  });
}

}  // namespace mote::MOTE_ISA

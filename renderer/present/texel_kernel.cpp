// Conversion of float pixels to texels. Compiled once per instruction set.

#include "lanes/pack.h"
#include "present/enlarge_kernel.h"
#include "present/texels.h"

#define MOTE_NAME_OF(isa) MOTE_NAME_OF_EXPANDED(isa)
#define MOTE_NAME_OF_EXPANDED(isa) #isa

namespace mote::MOTE_ISA {
namespace {

using FloatTag = PackTag;
using WordTag = hn::RebindToUnsigned<PackTag>;
using Floats = hn::Vec<FloatTag>;
using Words = hn::Vec<WordTag>;

constexpr std::size_t kLanes = static_cast<std::size_t>(kPackLanes);
constexpr float kLargestHalf = 65504;

MOTE_LANE Words unorm8(Floats value) {
  const FloatTag tag;
  // Written so that NaN becomes 0.
  const Floats positive = hn::IfThenElseZero(hn::Gt(value, hn::Zero(tag)), value);
  const Floats scaled = hn::Add(
      hn::Mul(hn::Min(positive, hn::Set(tag, 1.0f)), hn::Set(tag, 255.0f)), hn::Set(tag, 0.5f));
  return hn::BitCast(WordTag(), hn::ConvertTo(hn::RebindToSigned<PackTag>(), scaled));
}

MOTE_LANE Words half(Floats value) {
  const FloatTag tag;
  const Floats number = hn::IfThenElseZero(hn::Eq(value, value), value);
  const Floats finite =
      hn::Max(hn::Min(number, hn::Set(tag, kLargestHalf)), hn::Set(tag, -kLargestHalf));
  const hn::Rebind<hwy::float16_t, FloatTag> half_tag;
  const hn::RebindToUnsigned<decltype(half_tag)> bits_tag;
  return hn::PromoteTo(WordTag(), hn::BitCast(bits_tag, hn::DemoteTo(half_tag, finite)));
}

struct Color {
  Floats red, green, blue, alpha;
};

MOTE_LANE Color load_color(const float* rgb, const float* alpha) {
  const FloatTag tag;
  Color color;
  hn::LoadInterleaved3(tag, rgb, color.red, color.green, color.blue);
  color.alpha = alpha != nullptr ? hn::LoadU(tag, alpha) : hn::Set(tag, 1.0f);
  return color;
}

MOTE_LANE void store_color8(const Color& color, std::uint32_t* texels) {
  const Words low = hn::Or(unorm8(color.red), hn::ShiftLeft<8>(unorm8(color.green)));
  const Words high = hn::Or(unorm8(color.blue), hn::ShiftLeft<8>(unorm8(color.alpha)));
  hn::StoreU(hn::Or(low, hn::ShiftLeft<16>(high)), WordTag(), texels);
}

MOTE_LANE void store_color16(const Color& color, std::uint32_t* texels) {
  const Words low = hn::Or(half(color.red), hn::ShiftLeft<16>(half(color.green)));
  const Words high = hn::Or(half(color.blue), hn::ShiftLeft<16>(half(color.alpha)));
  hn::StoreInterleaved2(low, high, WordTag(), texels);
}

/// Whole packs are stored directly, the rest through a padded copy. `words` per texel.
template <std::size_t words, class Store>
MOTE_LANE void write(const float* rgb, const float* alpha, std::size_t count, void* texels,
                     Store store) {
  auto* out = static_cast<std::uint32_t*>(texels);
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(load_color(rgb + 3 * i, alpha != nullptr ? alpha + i : nullptr), out + words * i);
  }
  if (i == count) return;
  float last_rgb[3 * kLanes] = {}, last_alpha[kLanes] = {};
  std::uint32_t last[words * kLanes];
  for (std::size_t j = i; j < count; ++j) {
    for (std::size_t c = 0; c < 3; ++c) last_rgb[3 * (j - i) + c] = rgb[3 * j + c];
    last_alpha[j - i] = alpha != nullptr ? alpha[j] : 1.0f;
  }
  store(load_color(last_rgb, last_alpha), last);
  for (std::size_t j = words * i; j < words * count; ++j) out[j] = last[j - words * i];
}

void write_color8(const float* rgb, const float* alpha, std::size_t count, void* texels) {
  write<1>(rgb, alpha, count, texels,
           [](const Color& color, std::uint32_t* out) { store_color8(color, out); });
}

void write_color8_blue_first(const float* rgb, const float* alpha, std::size_t count,
                             void* texels) {
  write<1>(rgb, alpha, count, texels, [](const Color& color, std::uint32_t* out) {
    store_color8({color.blue, color.green, color.red, color.alpha}, out);
  });
}

using PixelTag = hn::FixedTag<float, 4>;
using Pixel = hn::Vec<PixelTag>;

/// Scratch rows with their borders: the weighted sum of four rows, and the minimum and maximum of
/// the middle two.
struct Scratch {
  float *sum, *low, *high;
  std::size_t floats;  // per row without its borders

  explicit Scratch(const present::EnlargedRow& row) : floats(3 * row.width) {
    const std::size_t stride = floats + 2 * 3 * present::kBorder_px;
    sum = row.scratch;
    low = sum + stride;
    high = low + stride;
  }
};

MOTE_LANE void blend_rows(const present::EnlargedRow& row, const Scratch& scratch) {
  const FloatTag tag;
  constexpr std::size_t kBorder = 3 * present::kBorder_px;
  const auto blend = [&](auto d, std::size_t i) {
    const auto r1 = hn::LoadU(d, row.rows[1] + i), r2 = hn::LoadU(d, row.rows[2] + i);
    auto sum = hn::Mul(hn::LoadU(d, row.rows[0] + i), hn::Set(d, row.weights[0]));
    sum = hn::MulAdd(r1, hn::Set(d, row.weights[1]), sum);
    sum = hn::MulAdd(r2, hn::Set(d, row.weights[2]), sum);
    sum = hn::MulAdd(hn::LoadU(d, row.rows[3] + i), hn::Set(d, row.weights[3]), sum);
    hn::StoreU(sum, d, scratch.sum + kBorder + i);
    hn::StoreU(hn::Min(r1, r2), d, scratch.low + kBorder + i);
    hn::StoreU(hn::Max(r1, r2), d, scratch.high + kBorder + i);
  };
  std::size_t i = 0;
  for (; i + kLanes <= scratch.floats; i += kLanes) blend(tag, i);
  for (; i < scratch.floats; ++i) blend(hn::FixedTag<float, 1>(), i);
}

MOTE_LANE void continue_borders(const Scratch& scratch) {
  constexpr std::size_t kBorder = 3 * present::kBorder_px;
  for (float* values : {scratch.sum, scratch.low, scratch.high}) {
    for (std::size_t i = 0; i < kBorder; ++i) {
      values[i] = values[kBorder + i % 3];
      values[kBorder + scratch.floats + i] = values[kBorder + scratch.floats - 3 + i % 3];
    }
  }
}

/// Afterwards `low` and `high` of a pixel cover it and the next one.
MOTE_LANE void join_ranges(const Scratch& scratch) {
  const FloatTag tag;
  const std::size_t count = scratch.floats + 2 * 3 * present::kBorder_px - 3;
  const auto join = [&](auto d, std::size_t i) {
    hn::StoreU(hn::Min(hn::LoadU(d, scratch.low + i), hn::LoadU(d, scratch.low + i + 3)), d,
               scratch.low + i);
    hn::StoreU(hn::Max(hn::LoadU(d, scratch.high + i), hn::LoadU(d, scratch.high + i + 3)), d,
               scratch.high + i);
  };
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) join(tag, i);
  for (; i < count; ++i) join(hn::FixedTag<float, 1>(), i);
}

/// Red, green, blue, and an unused fourth value.
MOTE_LANE Pixel filtered(const Scratch& scratch, const present::FilterTaps& taps) {
  const PixelTag tag;
  const float* first = scratch.sum + 3 * taps.first;
  Pixel sum = hn::Mul(hn::LoadU(tag, first), hn::Set(tag, taps.weights[0]));
  sum = hn::MulAdd(hn::LoadU(tag, first + 3), hn::Set(tag, taps.weights[1]), sum);
  sum = hn::MulAdd(hn::LoadU(tag, first + 6), hn::Set(tag, taps.weights[2]), sum);
  sum = hn::MulAdd(hn::LoadU(tag, first + 9), hn::Set(tag, taps.weights[3]), sum);
  const std::size_t middle = 3 * (taps.first + 1);
  return hn::Min(hn::Max(sum, hn::LoadU(tag, scratch.low + middle)),
                 hn::LoadU(tag, scratch.high + middle));
}

void enlarge_row(const present::EnlargedRow& row) {
  const Scratch scratch(row);
  blend_rows(row, scratch);
  continue_borders(scratch);
  join_ranges(scratch);
  const PixelTag tag;
  const hn::RebindToSigned<PixelTag> integer_tag;
  const hn::Rebind<std::uint8_t, PixelTag> byte_tag;
  const hn::Rebind<std::uint32_t, hn::FixedTag<float, 1>> texel_tag;
  constexpr std::uint32_t kOpaque = 0xff000000u;
  auto* texels = static_cast<std::uint32_t*>(row.texels);
  for (std::size_t x = 0; x < row.out_width; ++x) {
    Pixel pixel = filtered(scratch, row.across[x]);
    if (row.blue_first) pixel = hn::Shuffle0321(hn::Shuffle0123(pixel));
    // Written so that NaN becomes 0.
    const Pixel positive = hn::IfThenElseZero(hn::Gt(pixel, hn::Zero(tag)), pixel);
    const Pixel level =
        hn::MulAdd(hn::Min(positive, hn::Set(tag, 1.0f)), hn::Set(tag, 255.0f), hn::Set(tag, 0.5f));
    const auto bytes = hn::DemoteTo(byte_tag, hn::ConvertTo(integer_tag, level));
    const std::uint32_t texel = hn::GetLane(hn::BitCast(texel_tag, bytes));
    texels[x] = texel | kOpaque;
  }
}

void write_color16(const float* rgb, const float* alpha, std::size_t count, void* texels) {
  write<2>(rgb, alpha, count, texels,
           [](const Color& color, std::uint32_t* out) { store_color16(color, out); });
}

}  // namespace

// "isa_v4" is printed as "v4".
extern const present::TexelKernels kTexelKernels;
const present::TexelKernels kTexelKernels{&MOTE_NAME_OF(MOTE_ISA)[4], write_color8,
                                          write_color8_blue_first, write_color16, enlarge_row};

}  // namespace mote::MOTE_ISA

// Pixels of floats to texels. Compiled once per instruction set.

#include "lanes/pack.h"
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
  // Written so that what is not a number becomes 0.
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

/// Whole packs straight through, the rest through a padded copy. `words` a texel.
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

void write_color16(const float* rgb, const float* alpha, std::size_t count, void* texels) {
  write<2>(rgb, alpha, count, texels,
           [](const Color& color, std::uint32_t* out) { store_color16(color, out); });
}

}  // namespace

// "isa_v4" is printed as "v4".
extern const present::TexelKernels kTexelKernels;
const present::TexelKernels kTexelKernels{&MOTE_NAME_OF(MOTE_ISA)[4], write_color8,
                                          write_color8_blue_first, write_color16};

}  // namespace mote::MOTE_ISA

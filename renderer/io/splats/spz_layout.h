#pragma once

// The parts shared by the reader and the writer of .spz. Format facts: nianticlabs/spz (MIT),
// README.md and src/cc of July 2026. The content is a header followed by one array after another,
// each for all splats: positions, alphas, colours, scales, rotations, SH. Versions 1 to 3 are one
// gzip stream. Version 4 is a plain header, extension records, a table of contents and one zstd
// stream per array.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/splats/scene_format.h"
#include "splats/splat_cloud.h"

namespace mote::spz {

inline constexpr std::uint32_t kMagic = 0x5053474e;  // "NGSP"
inline constexpr std::uint8_t kAntialiasedFlag = 1, kExtensionsFlag = 2;
inline constexpr std::size_t kGzipHeaderBytes = 16, kZstdHeaderBytes = 32;
inline constexpr int kMaxFractionalBits = 24;

/// Colours hold (DC coefficient) * 0.15 + 0.5 as 0 to 255.
inline constexpr float kColourScale = 0.15f;

/// Signs that convert the file's axes to ours (right, down, front). Spz uses right, up, back.
using AxisSigns = std::array<float, 3>;
inline constexpr AxisSigns kFromRightUpBack = {1, -1, -1};

struct Header {
  std::uint32_t version = 0;
  std::uint32_t count = 0;
  int sh_degree = 0;
  int fractional_bits = 0;  // fractional bits of positions
  std::uint8_t flags = 0;
  AxisSigns axes = kFromRightUpBack;
};

enum class Array { positions, alphas, colours, log_scales, rotations, sh };
inline constexpr std::array kArrays = {Array::positions,  Array::alphas,    Array::colours,
                                       Array::log_scales, Array::rotations, Array::sh};

/// Bytes per splat of the array; zero for SH of degree 0.
std::size_t bytes_per_splat(Array array, const Header& header);

/// The sign change of each SH coefficient above DC (up to degree 4) when axes change sign: the
/// product of the signs of the axes in which its polynomial is odd.
std::array<float, 24> sh_signs(const AxisSigns& axes);

/// Decodes the array into the cloud, for the splats from `first` (a multiple of 16) on. `packed`
/// holds their data.
void decode(Array array, const Header& header, std::span<const std::byte> packed, std::size_t first,
            SplatCloud& cloud);

/// Log scales are stored as 0 to 255: (log scale + 10) * 16.
inline constexpr float kSmallestLogScale = -10, kLogScaleStep = 1.0f / 16;
inline constexpr float kLargestLogScale = kSmallestLogScale + 255 * kLogScaleStep;

/// Whether spz can store the splat's geometry: finite values and a non-zero rotation. A log scale
/// of -inf is a splat without extent and can be stored.
bool is_storable(const SplatCloud& cloud, std::size_t i);

/// The precision of a stored scene, and its losses.
struct Fit {
  int fractional_bits = 0;            // fractional bits of positions
  std::vector<std::string> warnings;  // losses beyond the usual quantisation
};

/// The field `axis` places after `field`, such as mean_y after mean_x.
constexpr Field offset_by(Field field, int axis) {
  return static_cast<Field>(static_cast<int>(field) + axis);
}

/// Chooses the number of fractional bits from the sizes of the splats, within the 24 bits that the
/// extent of the scene leaves. Throws Error, with `name` as the place, where a splat is too far
/// from the origin for spz.
Fit fit(const SplatCloud& cloud, const std::string& name);

/// Implemented in spz_write.cpp, which documents the quantisation. Returns the warnings of fit().
std::vector<std::string> write(const SplatCloud& cloud, OutputFile& file,
                               const ProgressCallback& progress);

}  // namespace mote::spz

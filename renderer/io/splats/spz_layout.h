#pragma once

// What the readers and the writer of .spz share. Format facts: nianticlabs/spz (MIT), README.md and
// src/cc of July 2026. The content is a header, then one array after the other, each for all
// splats: positions, alphas, colours, scales, rotations, SH. Versions 1 to 3 are one gzip stream;
// version 4 is a plain header, extension records, a table of contents and one zstd stream an array.

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

/// Signs that turn the file's axes into ours (right, down, front). Spz is right, up, back.
using AxisSigns = std::array<float, 3>;
inline constexpr AxisSigns kFromRightUpBack = {1, -1, -1};

struct Header {
  std::uint32_t version = 0;
  std::uint32_t count = 0;
  int sh_degree = 0;
  int fractional_bits = 0;  // of positions
  std::uint8_t flags = 0;
  AxisSigns axes = kFromRightUpBack;
};

enum class Array { positions, alphas, colours, log_scales, rotations, sh };
inline constexpr std::array kArrays = {Array::positions,  Array::alphas,    Array::colours,
                                       Array::log_scales, Array::rotations, Array::sh};

/// Bytes a splat of the array; zero for SH of degree 0.
std::size_t bytes_per_splat(Array array, const Header& header);

/// The sign that each SH coefficient above DC (up to degree 4) takes where axes change sign: a
/// product of the signs of the axes in which its polynomial is odd.
std::array<float, 24> sh_signs(const AxisSigns& axes);

/// Converts the array for the splats from `first` (a multiple of 16) on into the cloud; `packed`
/// holds theirs.
void decode(Array array, const Header& header, std::span<const std::byte> packed, std::size_t first,
            SplatCloud& cloud);

/// Log scales are stored as 0 to 255: (log scale + 10) * 16.
inline constexpr float kSmallestLogScale = -10, kLogScaleStep = 1.0f / 16;
inline constexpr float kLargestLogScale = kSmallestLogScale + 255 * kLogScaleStep;

/// Whether spz can hold the geometry of the splat: finite values and a rotation. A log scale of
/// -inf is a splat without extent, and can be held.
bool is_storable(const SplatCloud& cloud, std::size_t i);

/// How a scene is stored, and what of it is lost.
struct Fit {
  int fractional_bits = 0;            // of positions
  std::vector<std::string> warnings;  // losses beyond the usual quantisation
};

/// The field of the next axes, as mean_y behind mean_x.
constexpr Field offset_by(Field field, int axis) {
  return static_cast<Field>(static_cast<int>(field) + axis);
}

/// Chooses the fraction bits by the sizes of the splats, as far as the extent of the scene leaves
/// room for them in 24 bits. Throws Error, with `name` as the place, where a splat lies too far
/// from the origin for spz.
Fit fit(const SplatCloud& cloud, const std::string& name);

/// In spz_write.cpp, where the quantisation is stated. Returns the warnings of fit().
std::vector<std::string> write(const SplatCloud& cloud, OutputFile& file,
                               const ProgressCallback& progress);

}  // namespace mote::spz

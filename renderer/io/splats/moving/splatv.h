#pragma once

// The layout of .splatv (antimatter15/splaTV): a mark, the length of a JSON list of chunks, the
// list, and the chunks. One of the type "splat" has sixteen words a splat. Times are shares of the
// duration. At d after its centre in time, a splat weighs exp(-(d / width)^2), and is not drawn
// below 0.02.

#include <array>
#include <cstdint>

namespace mote::splatv {

inline constexpr std::uint32_t kMark = 0x674b;
inline constexpr std::size_t kWords = 16;
/// Splats in a row of the texture of the viewer. Splats without opacity fill the last row.
inline constexpr std::size_t kRowSplats = 1024;

using Words = std::array<std::uint32_t, kWords>;

/// The places of values: of the position, floats, words 0 to 2; of the colour and the opacity,
/// bytes, word 7; of the others, halves: the number of words before them, times two, plus 1 for the
/// upper half of a word.
enum Half : std::size_t {
  kRotation = 6,
  kScale = 10,
  kMotion = 16,
  kSpin = 26,
  kCenter = 30,
  kWidth
};
inline constexpr std::size_t kColorWord = 7;

/// A width from this number of durations on is that of a splat that does not fade.
inline constexpr float kEndlessWidth = 100;

}  // namespace mote::splatv

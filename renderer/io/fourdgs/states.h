#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/fourdgs/file.h"

namespace mote::fourdgs {

/// A splat as the format describes it: before its pose as a part of an object.
struct Splat {
  std::array<float, 3> position{}, scale{};  // scale: of 1 sigma, the file's units
  std::array<float, 4> rotation{};           // x, y, z, w, of length 1
  std::array<float, 4> color{};              // r, g, b, opacity, each 0 to 1
  std::array<float, 3> velocity{};           // units/s
  float time = 0, sigma = 0;                 // of the life, s; sigma: infinite without one
  float begin = 0, end = 0;                  // begin <= t < end
  std::uint32_t source = 0;                  // 1 more than the writer's number; 0: without
  std::uint32_t object = 0, id = 0;          // 0: without
};

/// The splats of a state or of a chunk.
struct SplatList {
  std::vector<Splat> splats;
  /// [splat][band][channel][coefficient of the band]; empty where the degree is 0.
  std::vector<float> harmonics;
  std::size_t harmonics_stride = 0;
};

/// The integers of the splats in a chunk, or of the state that it leads to.
struct Bins {
  std::uint32_t count = 0;
  std::array<std::vector<std::int32_t>, kAttributes> of{};  // [splat][channel]; empty: absent
  std::array<std::vector<std::int32_t>, 3> harmonics{};     // by band: [splat][channel]
};

/// Reads a chunk of splats. Throws Error where an attribute is missing or has impossible numbers.
Bins read_splats(const File& file, const Chunk& chunk);

/// Applies a chunk of changes to the state that it refers to.
void apply_changes(const File& file, const Chunk& chunk, Bins& state);

/// The integers of a chunk as numbers. Throws Error where a window does not exist.
SplatList dequantized(const File& file, const Chunk& chunk, const Bins& bins);

/// The splats of each chunk, in any order. With TimeModel::states, chunks in the order of the file
/// are the fastest.
class SplatReader {
 public:
  explicit SplatReader(const File& file) : file_(file) {}
  SplatList read(std::size_t chunk);

 private:
  Bins state_of(std::size_t chunk);

  const File& file_;
  bool has_last_ = false;
  std::size_t last_chunk_ = 0;  // of last_
  Bins last_;
};

}  // namespace mote::fourdgs

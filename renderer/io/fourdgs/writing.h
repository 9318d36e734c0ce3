#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/file.h"
#include "io/fourdgs/states.h"

namespace mote::fourdgs {

/// Sizes of the errors of a written file.
struct WriteSettings {
  double duration_s = 0;
  double cutoff = 1.0 / 255;
  double position_error = 1e-4;  // file's units; that of a moved splat is twice as large at most
  double scale_error = 0.0025;   // relative, also of the sigma of a life
  double time_error_s = 0.0005;
  std::map<std::string, std::string> attributes = {};  // of the header
};

/// A chunk to be written: splats that are seen in the same part of the scene's time.
struct WrittenChunk {
  std::vector<Splat> splats = {};
  std::vector<float> harmonics = {};  // as in SplatList
  std::uint32_t level = 0;
};

/// The chunks of a file. `at` is called twice for each number, so that one chunk at a time is in
/// memory.
struct ChunkSource {
  std::size_t count = 0;
  std::function<WrittenChunk(std::size_t chunk)> at;
};

/// Writes a file of TimeModel::lives; File reads it. Lives with an infinite sigma do not fade. Each
/// chunk is filed by the time in which any of its splats is seen. Numbers of sources are written
/// where all splats of a chunk have one. Throws Error where a number is too large for the steps
/// between stored numbers.
void write_lives(const ChunkSource& chunks, int sh_degree, const WriteSettings& settings,
                 OutputFile& file);

}  // namespace mote::fourdgs

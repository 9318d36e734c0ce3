#pragma once

// Records of a .4dgs file, version 1 of the format: splats with a life and a velocity, filed by the
// time in which they are seen. All numbers are little-endian, times are seconds.
// Source: github.com/avala-ai/4dgs, website/docs/spec/index.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mote::fourdgs {

inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, '4', 'D', 'G', 'S', '1', 0x0d, 0x0a};
/// The remedy of a damaged file.
inline constexpr const char* kCopyAgain = "copy or download the file again";

inline constexpr std::size_t kRecordHeadBytes = 9;  // opcode and length
inline constexpr std::size_t kFooterBytes = 20;     // without its head
inline constexpr std::size_t kTailBytes = kRecordHeadBytes + kFooterBytes + kMagic.size();

enum class Opcode : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  quantization = 0x03,
  windows = 0x04,
  chunk = 0x05,
  band = 0x07,
  chunk_index = 0x08,
  delta_chunk = 0x10,
  object_track = 0x25,
};

/// Attributes of splats, each a stream of integers in a chunk.
enum class Attribute : std::uint8_t {
  position,
  scale,
  rotation_index,
  rotation,
  color,
  opacity,
  motion,
  time,   // mean of the life
  sigma,  // of the life
  flags,
  window,
  source_group,
  source_index,
  splat_id,
  object_id,
};
inline constexpr std::size_t kRequiredAttributes = 11, kAttributes = 15;
inline constexpr std::uint32_t kNeverFades = 1;  // bit of Attribute::flags

/// Integers of a splat in the stream of an attribute.
constexpr std::size_t channels_of(Attribute attribute) {
  switch (attribute) {
    case Attribute::position:
    case Attribute::scale:
    case Attribute::rotation:
    case Attribute::color:
    case Attribute::motion:
      return 3;
    default:
      return 1;
  }
}
/// Coefficients of a band of harmonics, all of red, then of green, then of blue.
constexpr std::size_t band_channels(int band) {
  return static_cast<std::size_t>(6 * band + 3);
}

/// How the splats of a moment are found: each with a life of its own, or from states of which later
/// ones are stored as changes of earlier ones.
enum class TimeModel : std::uint8_t { lives, states };

struct Header {
  std::string profile, library;
  double duration_s = 0;
  std::uint64_t splat_count = 0;
  double cutoff = 0.05;  // of the share of its opacity below which a splat is not seen
  TimeModel model = TimeModel::lives;
  std::array<double, 6> bounds{};  // least x, y, z, largest x, y, z
  int sh_degree = 0;
  std::uint8_t flags = 0;
  std::map<std::string, std::string> attributes;
};

/// Lengths of the steps between stored numbers.
struct Quantization {
  std::array<double, 3> origin{};
  double position = 0, log_scale = 0, rotation = 0, color = 0, opacity = 0, motion = 0, time = 0,
         log_sigma = 0;
};

/// A span in which splats exist: begin <= t < end.
struct Window {
  double begin = 0, end = 0;
};

/// A range of the file: a whole record with its head.
struct RecordRange {
  std::uint64_t offset = 0, length = 0;
};

/// A chunk of splats, or of changes.
struct Chunk {
  double begin = 0, end = 0;  // its splats are seen only in this span, begin <= t < end
  RecordRange range{};
  std::uint32_t level = 0;
  std::uint32_t count = 0;             // splats, or changes
  std::array<RecordRange, 3> bands{};  // harmonics of band 1 to 3; length 0: none
  // Only for TimeModel::states:
  bool is_delta = false, is_chained = false;
  std::uint64_t reference = 0, keyframe = 0;  // offsets of chunks
  std::array<std::uint32_t, 3> changes{};     // updates, births, deaths
  std::uint16_t depth = 0;                    // changes from the keyframe on, with this one
};

/// The pose of an object over time, between which it moves in a straight line, or in steps.
struct ObjectTrack {
  struct Pose {
    double time_s = 0;
    std::array<double, 4> rotation{};  // x, y, z, w, of length 1
    std::array<double, 3> translation{};
  };
  std::uint32_t object = 0;
  bool in_steps = false;
  std::vector<Pose> poses;  // by time

  /// The pose at a time; those at the ends hold before and after them.
  Pose at(double time_s) const;
};

}  // namespace mote::fourdgs

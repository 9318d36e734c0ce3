#pragma once

// Small .4dgs files for tests: splats with lives as Mote writes them, and states with changes,
// which it only reads.

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "io/fourdgs/writing.h"
#include "support/files/file_bytes.h"

namespace mote::fourdgs {

/// Splats of which every third does not fade.
inline SplatList random_splats(std::size_t count, int sh_degree, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](float least, float most) {
    return std::uniform_real_distribution<float>(least, most)(random);
  };
  SplatList list;
  for (std::size_t i = 0; i < count; ++i) {
    Splat splat;
    for (std::size_t k = 0; k < 3; ++k) {
      splat.position[k] = uniform(-2, 2);
      splat.scale[k] = std::exp(uniform(-6, -1));
      splat.velocity[k] = uniform(-1, 1);
    }
    double squares = 0;
    for (float& value : splat.rotation) {
      value = uniform(-1, 1);
      squares += double{value} * value;
    }
    for (float& value : splat.rotation) value = static_cast<float>(value / std::sqrt(squares));
    for (float& value : splat.color) value = uniform(0, 1);
    splat.time = uniform(0, 4);
    splat.sigma = i % 3 == 0 ? std::numeric_limits<float>::infinity() : std::exp(uniform(-4, 0));
    splat.begin = i % 2 == 0 ? 0.0f : 1.0f;
    splat.end = 4;
    list.splats.push_back(splat);
  }
  for (int band = 1; band <= sh_degree; ++band) list.harmonics_stride += band_channels(band);
  for (std::size_t i = 0; i < count * list.harmonics_stride; ++i) {
    list.harmonics.push_back(uniform(-1, 1));
  }
  return list;
}

inline void write_sample(const SplatList& list, int sh_degree, const std::filesystem::path& path,
                         const WriteSettings& settings = {.duration_s = 4}) {
  OutputFile file(path);
  const auto chunk = [&](std::size_t) { return WrittenChunk{list.splats, list.harmonics}; };
  write_lives({.count = 1, .at = chunk}, sh_degree, settings, file);
  file.commit();
}

/// Parts of a file with two states of splats 10, 11 and 12. From 1 s on, 10 is half a unit further
/// in x, 11 is gone, and 13 is there. Tests change parts to make damaged files.
struct StatesFile {
  /// A record with its head.
  static std::string record(std::uint8_t opcode, const std::string& content) {
    return packed(opcode, std::uint64_t{content.size()}) + content;
  }
  static std::string text(std::string_view words) {
    return packed(static_cast<std::uint32_t>(words.size())) + std::string(words);
  }
  /// A stream of raw symbols of four bytes.
  static std::string stream(Attribute attribute, const std::vector<std::int32_t>& values) {
    const std::size_t channels = channels_of(attribute);
    std::string planes(values.size() * 4, '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t word =
          (static_cast<std::uint32_t>(values[i]) << 1) ^ (values[i] < 0 ? ~0u : 0u);
      for (std::size_t p = 0; p < 4; ++p) {
        planes[p * values.size() + i] = static_cast<char>(word >> (8 * p));
      }
    }
    std::string payload(::compressBound(planes.size()), '\0');
    auto size = static_cast<uLongf>(payload.size());
    ::compress(reinterpret_cast<Bytef*>(payload.data()), &size,
               reinterpret_cast<const Bytef*>(planes.data()), planes.size());
    payload.resize(size);
    return packed(attribute, std::uint8_t{4}, std::uint8_t{0}, std::uint8_t{0},
                  static_cast<std::uint8_t>(channels),
                  static_cast<std::uint32_t>(values.size() / channels),
                  std::uint64_t{payload.size()}) +
           payload;
  }
  static std::string block(const std::string& bytes) {
    return text("") + packed(std::uint64_t{bytes.size()}, std::uint64_t{bytes.size()}) + bytes;
  }
  static std::string group(const std::string& streams) {
    return packed(std::uint64_t{streams.size()}) + streams;
  }
  /// All attributes of splats at (id, 0, 0).
  static std::string splats(const std::vector<std::int32_t>& ids) {
    std::string streams;
    for (std::size_t a = 0; a < kRequiredAttributes; ++a) {
      const auto attribute = static_cast<Attribute>(a);
      std::vector<std::int32_t> values(ids.size() * channels_of(attribute), 0);
      if (attribute == Attribute::position) {
        for (std::size_t i = 0; i < ids.size(); ++i) values[3 * i] = 100 * ids[i];
      }
      if (attribute == Attribute::flags) std::fill(values.begin(), values.end(), 1);
      streams += stream(attribute, values);
    }
    return streams + stream(Attribute::splat_id, ids);
  }

  double second_state = 1;
  std::vector<std::int32_t> updated{10}, deaths{11}, births{13};
  std::string update_streams = stream(Attribute::position, {50, 0, 0});
  std::uint16_t depth = 1;
  std::uint32_t level = 0;
  std::int64_t reference_shift = 0;

  std::string bytes() const {
    const std::string magic(reinterpret_cast<const char*>(kMagic.data()), kMagic.size());
    std::string file = magic;
    file += record(0x01, text("") + text("test") + packed(2.0, std::uint64_t{4}, 0.05) +
                             text("keyframe-delta") +
                             packed(0.0, 0.0, 0.0, 1.0, 1.0, 1.0, std::uint8_t{0}, std::uint8_t{0},
                                    std::uint32_t{0}));
    file += record(
        0x03, text("uniform-v1") + packed(0.0, 0.0, 0.0, 0.01, 0.01, 0.001, 1.0 / 255, 1.0 / 255,
                                          0.01, 0.01, 0.01, std::uint8_t{1}, std::uint32_t{0}));
    file += record(0x04, packed(std::uint32_t{1}, 0.0, 2.0));
    const std::uint64_t keyframe = file.size();
    file += record(
        0x05, packed(0.0, 1.0, std::uint32_t{0}, std::uint32_t{3}) + block(splats({10, 11, 12})));
    const auto size = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    file +=
        record(0x10, packed(second_state, 2.0, level, std::uint8_t{1},
                            keyframe + static_cast<std::uint64_t>(reference_shift), keyframe, depth,
                            size(updated), size(births), size(deaths)) +
                         block(group(stream(Attribute::splat_id, updated) + update_streams) +
                               group(splats(births)) + group(stream(Attribute::splat_id, deaths))));
    file += record(0x02, packed(std::uint64_t{0}, std::uint64_t{0}, std::uint32_t{0}));
    return file + magic;
  }
};

}  // namespace mote::fourdgs

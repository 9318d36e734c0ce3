// Reading .splatv; see splatv.h for the layout.
#include "io/splats/moving/splatv.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/bytes.h"
#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/moving/splatv_writing.h"
#include "io/splats/moving/time_shares.h"
#include "math/activations.h"
#include "math/half.h"
#include "splats/motions/life.h"

namespace mote {
namespace splatv {
namespace {

using nlohmann::json;

constexpr const char* kExport = "export the file again";
constexpr float kMostLogit = 15;
constexpr float kNoPlateauLog = -20;  // ln s
constexpr float kLeastSize = 1e-8f;   // of scales and widths, which are halves
constexpr std::size_t kReadSplats = 4096;

bool probe(std::span<const std::byte> head) {
  std::uint32_t mark = 0;
  if (head.size() < sizeof mark) return false;
  std::memcpy(&mark, head.data(), sizeof mark);
  return mark == kMark;
}

float half_at(const Words& words, std::size_t half) {
  return from_half(static_cast<std::uint16_t>(words[half / 2] >> (16 * (half % 2))));
}

unsigned byte_of_color(const Words& words, int byte) {
  return (words[kColorWord] >> (8 * byte)) & 0xffu;
}

Field after(Field first, std::size_t steps) {
  return static_cast<Field>(static_cast<std::size_t>(first) + steps);
}

void store(const Words& words, std::size_t i, SplatCloud& cloud) {
  const auto halves = [&](Field first, std::size_t count, std::size_t half, const auto& change) {
    for (std::size_t k = 0; k < count; ++k) {
      cloud.at(i, after(first, k)) = change(half_at(words, half + k));
    }
  };
  const auto plain = [](float value) { return value; };
  for (std::size_t k = 0; k < 3; ++k) {
    std::memcpy(&cloud.at(i, after(Field::mean_x, k)), &words[k], sizeof(float));
  }
  halves(Field::rotation_w, 4, kRotation, plain);
  halves(Field::log_scale_x, 3, kScale,
         [](float scale) { return std::log(std::max(scale, kLeastSize)); });
  // The coefficients of degree 1, then those of 2 and 3: the order of the fields.
  halves(Field::velocity_x, 9, kMotion, plain);
  halves(Field::spin_w, 4, kSpin, plain);
  cloud.at(i, Field::time_mean) = half_at(words, kCenter);
  const float width = half_at(words, kWidth);
  const bool stands_still =
      width >= kEndlessWidth && std::ranges::all_of(cloud.info().stored(), [&](Field field) {
        return field < Field::velocity_x || cloud.at(i, field) == 0;
      });
  cloud.at(i, Field::log_time_sigma) =
      stands_still ? 0 : std::log(std::max(width, kLeastSize) / std::sqrt(2.0f));
  cloud.at(i, Field::log_time_plateau) = stands_still ? kStaticLogPlateau : kNoPlateauLog;
  const auto opacity = static_cast<float>(byte_of_color(words, 3)) / 255;
  cloud.at(i, Field::logit_opacity) = std::min(logit(opacity), kMostLogit);
  for (int c = 0; c < 3; ++c) {
    cloud.sh(i, 0, c) = (static_cast<float>(byte_of_color(words, c)) / 255 - 0.5f) / kShC0;
  }
}

struct Place {
  std::uint64_t first, bytes;
};

/// The first chunk of splats, after those before it.
Place splat_chunk(const InputFile& file) {
  std::array<std::uint32_t, 2> head;
  file.read_exact(0, std::as_writable_bytes(std::span(head)));
  const std::uint64_t length = head[1];
  Place place{sizeof head + length, 0};
  if (head[0] != kMark || place.first > file.size()) {
    throw Error("does not begin as a .splatv file", file.name(), kExport);
  }
  std::string list(length, '\0');
  file.read_exact(sizeof head, std::as_writable_bytes(std::span(list)));
  const json chunks = json::parse(list, nullptr, false);
  if (!chunks.is_array()) {
    throw Error("expected a list of chunks", file.name() + ", byte 8", kExport);
  }
  for (const json& chunk : chunks) {
    const json* size = chunk.is_object() && chunk.contains("size") ? &chunk["size"] : nullptr;
    if (size == nullptr || !size->is_number_unsigned()) {
      throw Error("a chunk has no size", file.name() + ", byte 8", kExport);
    }
    place.bytes = size->get<std::uint64_t>();
    if (place.bytes > file.size() - place.first) {
      throw Error("truncated: a chunk of " + std::to_string(place.bytes) +
                      " bytes begins at byte " + std::to_string(place.first) + " of " +
                      std::to_string(file.size()),
                  file.name(), "copy or download the file again");
    }
    if (chunk.value("type", json()) == "splat") return place;
    place.first += place.bytes;
  }
  throw Error("contains no splats", file.name(), kExport);
}

SplatCloud read(const InputFile& file, const ProgressCallback& progress) {
  const Place chunk = splat_chunk(file);
  const std::uint64_t rows = chunk.bytes / sizeof(Words);
  SplatCloud cloud =
      make_cloud(rows, SplatForm{SplatKind::gaussian, 0, SplatMotion::poly}, file.name());
  std::vector<Words> words(std::min<std::uint64_t>(rows, kReadSplats));
  std::size_t count = 0;
  for (std::uint64_t first = 0; first < rows; first += words.size()) {
    words.resize(std::min<std::uint64_t>(words.size(), rows - first));
    file.read_exact(chunk.first + first * sizeof(Words), std::as_writable_bytes(std::span(words)));
    for (const Words& splat : words) {
      if (byte_of_color(splat, 3) != 0) store(splat, count++, cloud);
    }
    report(progress, static_cast<double>(first + words.size()) / static_cast<double>(rows));
  }
  if (count == 0) throw Error("contains no splats with an opacity", file.name(), kExport);
  cloud.truncate(count);
  return with_seconds(std::move(cloud));
}

}  // namespace
}  // namespace splatv

SceneFormat splatv_format() {
  static constexpr std::string_view kExtensions[] = {".splatv"};
  return {.name = "splatv",
          .extensions = kExtensions,
          .model = ModelKind::splats,
          .strength = "moving scenes for splaTV in a browser, with one colour a splat",
          .probe = splatv::probe,
          .read = splatv::read,
          .write = splatv::write,
          .motion = SplatMotion::poly};
}

}  // namespace mote

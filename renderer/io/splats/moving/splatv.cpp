// .splatv (antimatter15/splaTV): a mark, the length of a JSON list of chunks, the list, and for a
// chunk of the type "splat" sixteen words a splat: position, rotation and scale as halves, colour
// and opacity as bytes, nine coefficients of motion, four of spin, centre and width in time. A
// splat weighs exp(-(d / width)^2), and is not drawn below 0.02.
#include "io/splats/moving/splatv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/bytes.h"
#include "core/error.h"
#include "core/file.h"
#include "math/half.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr std::uint32_t kSplatvMark = 0x674b;
constexpr std::size_t kWords = 16;
constexpr const char* kExportSplatv = "export the file again";

using SplatvWords = std::array<std::uint32_t, kWords>;

float half_of(const SplatvWords& words, std::size_t word, int part) {
  return from_half(static_cast<std::uint16_t>(words[word] >> (16 * part)));
}

/// The splat, or an opacity of 0 for padding.
MovingSplat splat_of(const SplatvWords& words) {
  MovingSplat splat;
  for (std::size_t k = 0; k < 3; ++k) std::memcpy(&splat.position[k], &words[k], sizeof(float));
  for (std::size_t k = 0; k < 4; ++k) {
    splat.rotation[k] = half_of(words, 3 + k / 2, static_cast<int>(k % 2));
    splat.spin[k] = half_of(words, 13 + k / 2, static_cast<int>(k % 2));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    splat.scale[k] = half_of(words, 5 + k / 2, static_cast<int>(k % 2));
    splat.color[k] = static_cast<float>((words[7] >> (8 * k)) & 0xffu) / 255.0f;
  }
  splat.opacity = static_cast<float>(words[7] >> 24) / 255.0f;
  for (std::size_t k = 0; k < 9; ++k) {
    splat.motion[k] = half_of(words, 8 + k / 2, static_cast<int>(k % 2));
  }
  splat.time_s = half_of(words, 15, 0);
  splat.sigma_s = half_of(words, 15, 1) / std::sqrt(2.0f);
  return splat;
}

bool is_usable(const MovingSplat& splat) {
  float sum = splat.time_s;
  for (const float value : splat.position) sum += value;
  for (const float value : splat.motion) sum += value;
  for (const float value : splat.spin) sum += value;
  float length2 = 0;
  for (const float value : splat.rotation) length2 += value * value;
  const bool has_size = std::ranges::all_of(
      splat.scale, [](float scale) { return scale > 0 && std::isfinite(scale); });
  return std::isfinite(sum) && std::isfinite(length2) && length2 > 0 && has_size &&
         splat.sigma_s > 0;
}

/// The bytes of the first chunk of splats, after those of chunks before it.
std::span<const std::byte> splat_chunk(ByteReader& reader, const json& chunks) {
  if (!chunks.is_array()) throw Error("expected a list of chunks", reader.where(), kExportSplatv);
  for (const json& chunk : chunks) {
    const json* size = chunk.is_object() && chunk.contains("size") ? &chunk["size"] : nullptr;
    if (size == nullptr || !size->is_number_unsigned()) {
      throw Error("a chunk has no size", reader.where(), kExportSplatv);
    }
    const auto bytes = reader.take(size->get<std::size_t>());
    if (chunk.value("type", json()) == "splat") return bytes;
  }
  throw Error("contains no splats", reader.where(), kExportSplatv);
}

}  // namespace

bool starts_as_splatv(std::span<const std::byte> head) {
  std::uint32_t mark = 0;
  if (head.size() < sizeof mark) return false;
  std::memcpy(&mark, head.data(), sizeof mark);
  return mark == kSplatvMark;
}

MovingSplatsFile read_splatv(const std::filesystem::path& path) {
  const std::string text = read_text_file(path, 1ull << 36);
  const auto bytes = std::as_bytes(std::span(text));
  if (!starts_as_splatv(bytes)) {
    throw Error("is no .splatv file", path.string(), "give a file of splaTV");
  }
  ByteReader reader(bytes, path.string());
  reader.skip(sizeof(std::uint32_t));
  const auto length = reader.read<std::uint32_t>();
  const auto list = reader.take(length);
  const auto* letters = reinterpret_cast<const char*>(list.data());
  ByteReader content(splat_chunk(reader, json::parse(letters, letters + length, nullptr, false)),
                     path.string());
  MovingSplatsFile file{.format = ".splatv", .weight_floor = 0.02};
  std::size_t unusable = 0;
  while (content.remaining() >= sizeof(SplatvWords)) {
    const MovingSplat splat = splat_of(content.read<SplatvWords>());
    if (splat.opacity == 0) continue;
    if (is_usable(splat)) {
      file.splats.push_back(splat);
    } else {
      ++unusable;
    }
  }
  if (unusable > 0) {
    file.warnings.push_back(path.string() + ": " + std::to_string(unusable) +
                            " splats have unusable values and are left out");
  }
  return file;
}

}  // namespace mote

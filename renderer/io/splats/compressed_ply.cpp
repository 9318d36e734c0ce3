// SuperSplat's .compressed.ply: splats in chunks of 256 with common bounds of their values.
//   chunk   min/max of position, log scale and (since 2024) colour, floats
//   vertex  packed_position, packed_scale 11:10:11 bits between the bounds; packed_rotation, the
//           largest of w x y z by its index (2 bits), the others 10 bits each over ±1/sqrt(2);
//           packed_color r g b alpha, 8 bits each, alpha after the sigmoid
//   sh      f_rest_* of degree 1 to 3, uchar over ±4, channel by channel
// Format facts: playcanvas/splat-transform (MIT), src/lib/readers/decompress-ply.ts.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/ply_header.h"
#include "io/splats/scene_format.h"
#include "math/activations.h"

namespace mote {
namespace {

constexpr std::size_t kChunkSplats = 256;
constexpr std::size_t kBatchChunks = 256;  // read together: 65536 splats

constexpr std::array<std::string_view, 18> kBoundNames = {
    "min_x",       "min_y",       "min_z",       "max_x",       "max_y",       "max_z",
    "min_scale_x", "min_scale_y", "min_scale_z", "max_scale_x", "max_scale_y", "max_scale_z",
    "min_r",       "min_g",       "min_b",       "max_r",       "max_g",       "max_b"};
constexpr std::array<std::string_view, 4> kPackedNames = {"packed_position", "packed_rotation",
                                                          "packed_scale", "packed_color"};

struct Bounds {
  float low[3], high[3];
};

/// The common bounds of a chunk.
struct ChunkBounds {
  Bounds position, log_scale, colour;
};
static_assert(sizeof(ChunkBounds) == kBoundNames.size() * sizeof(float));

/// Positions of the values of the three elements; `sh` is empty at degree 0.
struct Layout {
  struct Element {
    std::uint64_t offset = 0;  // in the file
    std::size_t stride = 0;
    std::vector<std::size_t> values;  // offset of each value in a row
  };
  Element chunk, vertex, sh;
  std::uint64_t count = 0;
  int sh_degree = 0;
};

[[noreturn]] void fail(const std::string& problem, const InputFile& file) {
  throw Error(problem, file.name(), "export it again as compressed .ply, or as plain .ply");
}

const PlyElement& require_element(const PlyHeader& header, std::string_view name,
                                  const InputFile& file) {
  const PlyElement* element = header.find(name);
  if (!element) fail(fmt::format("this compressed .ply has no element '{}'", name), file);
  return *element;
}

/// Appends the offset of the property. Throws Error where its type differs from the format's.
void require_value(Layout::Element& layout, const PlyElement& element, std::string_view name,
                   PlyType type, const InputFile& file) {
  const PlyProperty* property = element.find(name);
  if (!property || property->list_count || property->type != type) {
    fail(fmt::format("element '{}' has no property '{}' of the type that the format requires",
                     element.name, name),
         file);
  }
  layout.values.push_back(property->offset);
}

Layout read_layout(const PlyHeader& header, const InputFile& file) {
  if (header.encoding != PlyEncoding::little_endian) {
    fail("this compressed .ply is not binary_little_endian", file);
  }
  Layout layout;
  const auto locate = [&](Layout::Element& target, const PlyElement& element) {
    if (element.has_list) {
      fail(fmt::format("element '{}' has a list property", element.name), file);
    }
    target.stride = element.row_size;
    target.offset = locate_ply_element(header, element, file);
  };
  const PlyElement& chunk = require_element(header, "chunk", file);
  const PlyElement& vertex = require_element(header, "vertex", file);
  const std::size_t bounds = chunk.find("min_r") ? 18 : 12;
  for (const std::string_view name : std::span(kBoundNames).first(bounds)) {
    require_value(layout.chunk, chunk, name, PlyType::float32, file);
  }
  for (const std::string_view name : kPackedNames) {
    require_value(layout.vertex, vertex, name, PlyType::uint32, file);
  }
  locate(layout.chunk, chunk);
  locate(layout.vertex, vertex);
  layout.count = vertex.count;
  if (chunk.count < vertex.count / kChunkSplats + (vertex.count % kChunkSplats != 0)) {
    fail(fmt::format("{} chunks are too few for {} splats with {} per chunk", chunk.count,
                     vertex.count, kChunkSplats),
         file);
  }
  if (const PlyElement* sh = header.find("sh")) {
    layout.sh_degree = sh_degree_of_rest(sh->properties.size());
    if (layout.sh_degree < 0 || sh->count != vertex.count) {
      fail(fmt::format("element 'sh' has {} values for each of {} splats, expected 9, 24 or 45 for "
                       "each of {}",
                       sh->properties.size(), sh->count, vertex.count),
           file);
    }
    for (std::size_t i = 0; i < sh->properties.size(); ++i) {
      require_value(layout.sh, *sh, "f_rest_" + std::to_string(i), PlyType::uint8, file);
    }
    locate(layout.sh, *sh);
  }
  return layout;
}

/// The lowest `bits` of `value`, mapped to 0..1.
float unorm(std::uint32_t value, unsigned bits) {
  const std::uint32_t top = (1u << bits) - 1;
  return static_cast<float>(value & top) / static_cast<float>(top);
}

std::array<float, 3> unpack_11_10_11(std::uint32_t packed) {
  return {unorm(packed >> 21, 11), unorm(packed >> 11, 10), unorm(packed, 11)};
}

float between(const Bounds& bounds, std::size_t axis, float t) {
  return bounds.low[axis] * (1 - t) + bounds.high[axis] * t;
}

/// w, x, y, z
std::array<float, 4> unpack_rotation(std::uint32_t packed) {
  const std::size_t largest = packed >> 30;
  std::array<float, 4> rotation{};
  float sum = 0;
  for (std::size_t i = 4, shift = 0; i-- > 0;) {
    if (i == largest) continue;
    rotation[i] = (unorm(packed >> shift, 10) - 0.5f) * std::numbers::sqrt2_v<float>;
    sum += rotation[i] * rotation[i];
    shift += 10;
  }
  rotation[largest] = std::sqrt(std::max(0.0f, 1 - sum));
  return rotation;
}

/// One batch of the file, as raw rows.
struct Batch {
  Buffer<std::byte> chunks, vertices, sh;

  static void read(Buffer<std::byte>& rows, const Layout::Element& element, const InputFile& file,
                   std::size_t first, std::size_t count) {
    rows.resize_discard(count * element.stride);
    file.read_exact(element.offset + first * element.stride, rows.span());
  }
};

template <class T>
T load(const Buffer<std::byte>& rows, const Layout::Element& element, std::size_t row,
       std::size_t value) {
  T result;
  std::memcpy(&result, rows.data() + row * element.stride + element.values[value], sizeof(T));
  return result;
}

ChunkBounds load_bounds(const Batch& batch, const Layout& layout, std::size_t chunk) {
  std::array<float, 18> values = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1};
  for (std::size_t v = 0; v < layout.chunk.values.size(); ++v) {
    values[v] = load<float>(batch.chunks, layout.chunk, chunk, v);
  }
  return std::bit_cast<ChunkBounds>(values);
}

void decode_splat(const Batch& batch, const Layout& layout, std::size_t row,
                  const ChunkBounds& bounds, float* geometry, float* sh) {
  const auto packed = [&](std::size_t v) {
    return load<std::uint32_t>(batch.vertices, layout.vertex, row, v);
  };
  const auto put = [&](Field field, std::size_t axis, float value) {
    geometry[(static_cast<std::size_t>(field) + axis) * kBlockSize] = value;
  };
  const std::array<float, 3> position = unpack_11_10_11(packed(0));
  const std::array<float, 4> rotation = unpack_rotation(packed(1));
  const std::array<float, 3> log_scale = unpack_11_10_11(packed(2));
  const std::uint32_t colour = packed(3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put(Field::mean_x, axis, between(bounds.position, axis, position[axis]));
    put(Field::log_scale_x, axis, between(bounds.log_scale, axis, log_scale[axis]));
    const float c =
        between(bounds.colour, axis, unorm(colour >> (24 - 8 * static_cast<unsigned>(axis)), 8));
    sh[axis * kBlockSize] = (c - 0.5f) / kShC0;
  }
  for (std::size_t i = 0; i < 4; ++i) put(Field::rotation_w, i, rotation[i]);
  const float opacity = unorm(colour, 8);
  put(Field::logit_opacity, 0, logit(opacity));
}

/// The value of each 8-bit SH code. The extreme codes map exactly to the ends of the range.
std::array<float, 256> sh_values() {
  std::array<float, 256> values{};
  for (std::size_t code = 0; code < values.size(); ++code) {
    values[code] = ((static_cast<float>(code) + 0.5f) / 256 - 0.5f) * 8;
  }
  values.front() = -4;
  values.back() = 4;
  return values;
}

void decode_block(const Batch& batch, const Layout& layout, std::size_t first_row,
                  std::size_t lanes, float* geometry, float* sh) {
  static const std::array<float, 256> kShValues = sh_values();
  const ChunkBounds bounds = load_bounds(batch, layout, first_row / kChunkSplats);
  for (std::size_t i = 0; i < lanes; ++i) {
    decode_splat(batch, layout, first_row + i, bounds, geometry + i, sh + i);
  }
  const std::size_t rest = layout.sh.values.size(), above_dc = rest / 3;
  for (std::size_t r = 0; r < rest; ++r) {
    float* out = sh + ((1 + r % above_dc) * 3 + r / above_dc) * kBlockSize;
    for (std::size_t i = 0; i < lanes; ++i) {
      out[i] = kShValues[load<std::uint8_t>(batch.sh, layout.sh, first_row + i, r)];
    }
  }
}

SplatCloud read_compressed_ply(const InputFile& file, const ProgressCallback& progress) {
  const PlyHeader header = read_ply_header(file);
  const Layout layout = read_layout(header, file);
  SplatCloud cloud = make_cloud(layout.count, layout.sh_degree, SplatKind::gaussian, file.name());
  cloud.antialiased = header.antialiased();
  Batch batch;
  constexpr std::size_t kBatchSplats = kBatchChunks * kChunkSplats;
  for (std::size_t first = 0; first < cloud.count(); first += kBatchSplats) {
    const std::size_t count = std::min(kBatchSplats, cloud.count() - first);
    Batch::read(batch.chunks, layout.chunk, file, first / kChunkSplats,
                (count + kChunkSplats - 1) / kChunkSplats);
    Batch::read(batch.vertices, layout.vertex, file, first, count);
    Batch::read(batch.sh, layout.sh, file, first, count);
    in_parallel((count + kBlockSize - 1) / kBlockSize, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const std::size_t row = b * kBlockSize, block = first / kBlockSize + b;
        decode_block(batch, layout, row, std::min(kBlockSize, count - row),
                     cloud.geometry_block(block), cloud.sh_block(block));
      }
    });
    report(progress, static_cast<double>(first + count) / static_cast<double>(cloud.count()));
  }
  if (std::string tail = describe_ply_tail(header, file); !tail.empty()) {
    cloud.warnings.push_back(std::move(tail));
  }
  return cloud;
}

bool probe(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return starts_as_ply(head) && text.find("packed_position") != text.npos;
}

}  // namespace

SceneFormat compressed_ply_format() {
  static constexpr std::string_view kExtensions[] = {".compressed.ply"};
  return {"SuperSplat compressed ply", kExtensions, ModelKind::splats, "", probe,
          read_compressed_ply,         nullptr};
}

}  // namespace mote

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"

namespace mote {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::size_t size_of(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type;
  std::optional<PlyType> list_count;  // set for lists: the type of the number in front
  std::size_t index = 0;              // place in the row
  std::size_t offset = 0;             // bytes into a binary row; of no use in rows with lists
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
  bool has_list = false;
  std::size_t row_size = 0;  // bytes of a binary row; with lists, of the fixed part

  /// The first property of that name, or null.
  const PlyProperty* find(std::string_view property) const;
};

enum class PlyEncoding { ascii, little_endian, big_endian };

/// The header of a PLY file (Greg Turk, "The PLY Polygon File Format"), whatever its elements mean.
struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<std::string> comments;
  std::vector<PlyElement> elements;
  std::uint64_t data_offset = 0;  // first byte after the header

  const PlyElement* find(std::string_view element) const;
  /// Whether a comment marks splats trained with the antialiased (mip) kernel: Brush writes
  /// "SplatRenderMode: mip", Postshot "antialiased 1"; the last such comment decides.
  bool antialiased() const;
};

bool starts_as_ply(std::span<const std::byte> head);

/// Throws Error for a header that is damaged, endless or uses unknown types.
PlyHeader read_ply_header(const InputFile& file);

/// Where the rows of a binary element begin. Throws Error where the file is too short for the
/// elements up to and including this one, so that what it returns is safe to allocate for.
std::uint64_t locate_ply_element(const PlyHeader& header, const PlyElement& element,
                                 const InputFile& file);

/// A phrase on data that is missing or left over behind the element that was read; empty where the
/// file ends as its header says. For warnings.
std::string describe_ply_tail(const PlyHeader& header, const InputFile& file);

}  // namespace mote

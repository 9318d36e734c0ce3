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
  std::optional<PlyType> list_count;  // only for lists: type of the leading count
  std::size_t index = 0;              // position in the row
  std::size_t offset = 0;             // byte offset in a binary row; unused in rows with lists
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
  bool has_list = false;
  std::size_t row_size = 0;  // bytes of a binary row; with lists, of the fixed part

  /// The first property of that name; null where there is none.
  const PlyProperty* find(std::string_view property) const;
};

enum class PlyEncoding { ascii, little_endian, big_endian };

/// The header of a PLY file (Greg Turk, "The PLY Polygon File Format"), without interpretation of
/// its elements.
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

/// The words of a header line, which may be indented.
std::vector<std::string_view> ply_words(std::string_view line);

/// The text of a header with its line `end_header`; without such a line, the first 2^20 bytes of
/// the file.
std::string ply_header_text(const InputFile& file);

/// Throws Error for a header that is damaged, has no end or uses unknown types.
PlyHeader read_ply_header(const InputFile& file);

/// Offset of the rows of a binary element. Throws Error where the file is too short for the
/// elements up to and including this one, so that its count is safe for allocation.
std::uint64_t locate_ply_element(const PlyHeader& header, const PlyElement& element,
                                 const InputFile& file);

/// A phrase for a warning about missing or extra data after the element that was read. Empty where
/// the file ends as its header says.
std::string describe_ply_tail(const PlyHeader& header, const InputFile& file);

}  // namespace mote

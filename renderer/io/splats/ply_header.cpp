#include "io/splats/ply_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "core/error.h"
#include "core/spelling.h"

namespace mote {
namespace {

constexpr std::size_t kMaxPlyHeaderBytes = std::size_t{1} << 20;

struct TypeName {
  std::string_view name;
  PlyType type;
};
constexpr TypeName kTypeNames[] = {
    {"char", PlyType::int8},       {"int8", PlyType::int8},       {"uchar", PlyType::uint8},
    {"uint8", PlyType::uint8},     {"short", PlyType::int16},     {"int16", PlyType::int16},
    {"ushort", PlyType::uint16},   {"uint16", PlyType::uint16},   {"int", PlyType::int32},
    {"int32", PlyType::int32},     {"uint", PlyType::uint32},     {"uint32", PlyType::uint32},
    {"float", PlyType::float32},   {"float32", PlyType::float32}, {"double", PlyType::float64},
    {"float64", PlyType::float64},
};

/// Returns the lines of a header and tracks the position for messages.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const InputFile& file) : text_(text), file_(file) {}

  PlyHeader parse() {
    if (ply_words(next_line()) != std::vector<std::string_view>{"ply"}) {
      fail("the first line is not 'ply'", "check that it is a PLY file");
    }
    bool has_format = false;
    for (;;) {
      const std::string_view line = next_line();
      const std::vector<std::string_view> words = ply_words(line);
      if (words.empty()) continue;
      if (words[0] == "end_header") break;
      if (words[0] == "comment") {
        header_.comments.emplace_back(line.substr(std::min(line.find("comment") + 8, line.size())));
      } else if (words[0] == "format") {
        parse_format(words);
        has_format = true;
      } else if (words[0] == "element") {
        parse_element(words);
      } else if (words[0] == "property") {
        parse_property(words);
      } else if (words[0] != "obj_info") {
        fail(fmt::format("unknown header line '{}'", line.substr(0, 60)), kDamaged);
      }
    }
    if (!has_format) fail("the header has no 'format' line", kDamaged);
    header_.data_offset = position_;
    return std::move(header_);
  }

 private:
  static constexpr const char* kDamaged = "the header is damaged: copy or export the file again";

  std::string_view next_line() {
    line_start_ = position_;
    const std::size_t end = text_.find('\n', position_);
    if (end == text_.npos) {
      fail(text_.size() == kMaxPlyHeaderBytes
               ? "no 'end_header' within the first " + std::to_string(kMaxPlyHeaderBytes) + " bytes"
               : "the file ends within its header",
           "copy or export the file again");
    }
    position_ = end + 1;
    return text_.substr(line_start_, end - line_start_);
  }

  PlyType type_named(std::string_view name) const {
    for (const TypeName& entry : kTypeNames) {
      if (entry.name == name) return entry.type;
    }
    fail(fmt::format("unknown property type '{}'", name.substr(0, 40)), kDamaged);
  }

  void parse_format(const std::vector<std::string_view>& words) {
    const std::string_view name = words.size() > 1 ? words[1] : "";
    if (name == "ascii") {
      header_.encoding = PlyEncoding::ascii;
    } else if (name == "binary_little_endian") {
      header_.encoding = PlyEncoding::little_endian;
    } else if (name == "binary_big_endian") {
      header_.encoding = PlyEncoding::big_endian;
    } else {
      fail(fmt::format("unknown format '{}'", name.substr(0, 40)),
           "export it as ascii, binary_little_endian or binary_big_endian");
    }
  }

  void parse_element(const std::vector<std::string_view>& words) {
    PlyElement element;
    if (words.size() != 3) fail("an element line needs a name and a count", kDamaged);
    element.name = words[1];
    const char* end = words[2].data() + words[2].size();
    const auto result = std::from_chars(words[2].data(), end, element.count);
    if (result.ec != std::errc() || result.ptr != end) {
      fail(fmt::format("'{}' is not a count", words[2].substr(0, 40)), kDamaged);
    }
    header_.elements.push_back(std::move(element));
  }

  void parse_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) fail("a property before the first element", kDamaged);
    PlyElement& element = header_.elements.back();
    PlyProperty property;
    const bool list = words.size() == 5 && words[1] == "list";
    if (!list && words.size() != 3) fail("a property line needs a type and a name", kDamaged);
    if (list) {
      property.list_count = type_named(words[2]);
      if (*property.list_count >= PlyType::float32) fail("a list length must be whole", kDamaged);
      element.has_list = true;
    }
    property.type = type_named(words[words.size() - 2]);
    property.name = words.back();
    property.index = element.properties.size();
    property.offset = element.row_size;
    element.row_size += size_of(list ? *property.list_count : property.type);
    element.properties.push_back(std::move(property));
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw Error(problem, file_.name() + ", byte " + std::to_string(line_start_), remedy);
  }

  std::string_view text_;
  const InputFile& file_;
  PlyHeader header_;
  std::size_t position_ = 0, line_start_ = 0;
};

[[noreturn]] void fail_short(const PlyElement& element, const InputFile& file,
                             std::uint64_t offset) {
  const std::uint64_t left = file.size() - std::min(offset, file.size());
  throw Error("truncated: the header announces " + std::to_string(element.count) + " rows of '" +
                  element.name + "', but the file has only " + std::to_string(left) +
                  " bytes left for them",
              file.name() + ", byte " + std::to_string(offset), "copy or download the file again");
}

/// Small reads at ascending offsets, through a window of the file.
class WindowReader {
 public:
  explicit WindowReader(const InputFile& file) : file_(file) {}

  std::uint64_t read_unsigned(std::uint64_t offset, std::size_t size, bool swap) {
    if (offset < start_ || offset + size > start_ + window_.size()) {
      window_.resize(std::size_t{1} << 16);
      window_.resize(file_.read_some(offset, window_));
      start_ = offset;
      if (window_.size() < size) file_.read_exact(offset, std::span(window_.data(), size));
    }
    std::array<std::byte, 8> raw{};
    std::memcpy(raw.data(), window_.data() + (offset - start_), size);
    if (swap) std::reverse(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size));
    return std::bit_cast<std::uint64_t>(raw);
  }

 private:
  const InputFile& file_;
  std::vector<std::byte> window_;
  std::uint64_t start_ = 0;
};

/// The end of an element whose rows have lists, found by walking all rows.
std::uint64_t end_of_list_rows(const PlyElement& element, const InputFile& file,
                               std::uint64_t offset, bool swap) {
  WindowReader reader(file);
  for (std::uint64_t row = 0; row < element.count; ++row) {
    for (const PlyProperty& property : element.properties) {
      std::uint64_t values = 1;
      if (property.list_count) {
        const std::size_t size = size_of(*property.list_count);
        values = reader.read_unsigned(offset, size, swap);
        offset += size;
      }
      offset += values * size_of(property.type);
      if (offset > file.size()) fail_short(element, file, offset);
    }
  }
  return offset;
}

std::uint64_t end_of_element(const PlyElement& element, const InputFile& file, std::uint64_t offset,
                             bool swap) {
  if (element.row_size == 0) return offset;
  if (offset > file.size() || element.count > (file.size() - offset) / element.row_size) {
    fail_short(element, file, offset);
  }
  if (element.has_list) return end_of_list_rows(element, file, offset, swap);
  return offset + element.count * element.row_size;
}

}  // namespace

std::vector<std::string_view> ply_words(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBlank, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::size_t size_of(PlyType type) {
  constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return kSizes[static_cast<std::size_t>(type)];
}

const PlyProperty* PlyElement::find(std::string_view property) const {
  for (const PlyProperty& candidate : properties) {
    if (candidate.name == property) return &candidate;
  }
  return nullptr;
}

const PlyElement* PlyHeader::find(std::string_view element) const {
  for (const PlyElement& candidate : elements) {
    if (candidate.name == element) return &candidate;
  }
  return nullptr;
}

bool PlyHeader::antialiased() const {
  bool result = false;
  for (const std::string& comment : comments) {
    const std::string lower = lower_case(comment);
    const std::vector<std::string_view> words = ply_words(lower);
    if (words.size() != 2) continue;
    if (words[0] == "splatrendermode:") result = words[1] == "mip";
    if (words[0] == "antialiased") result = words[1] == "1";
  }
  return result;
}

bool starts_as_ply(std::span<const std::byte> head) {
  return head.size() >= 4 && std::memcmp(head.data(), "ply", 3) == 0 &&
         (head[3] == std::byte{'\n'} || head[3] == std::byte{'\r'});
}

std::string ply_header_text(const InputFile& file) {
  std::string text;
  for (std::size_t bytes = std::size_t{1} << 14;; bytes = kMaxPlyHeaderBytes) {
    text.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, file.size())));
    text.resize(file.read_some(0, std::as_writable_bytes(std::span(text))));
    const std::size_t last_line = text.find("\nend_header");
    const std::size_t end = last_line == text.npos ? last_line : text.find('\n', last_line + 1);
    if (end != text.npos) text.resize(end + 1);
    if (end != text.npos || bytes == kMaxPlyHeaderBytes) return text;
  }
}

PlyHeader read_ply_header(const InputFile& file) {
  const std::string text = ply_header_text(file);
  return HeaderParser(text, file).parse();
}

std::uint64_t locate_ply_element(const PlyHeader& header, const PlyElement& element,
                                 const InputFile& file) {
  const bool swap = header.encoding == PlyEncoding::big_endian;
  std::uint64_t offset = header.data_offset;
  for (const PlyElement& candidate : header.elements) {
    const std::uint64_t end = end_of_element(candidate, file, offset, swap);
    if (&candidate == &element) break;
    offset = end;
  }
  return offset;
}

std::string describe_ply_tail(const PlyHeader& header, const InputFile& file) {
  std::uint64_t offset = header.data_offset;
  for (const PlyElement& element : header.elements) {
    if (element.has_list || element.row_size == 0) return {};
    if (element.count > (file.size() - offset) / element.row_size) {
      return "the file ends within its element '" + element.name + "'";
    }
    offset += element.count * element.row_size;
  }
  if (offset == file.size()) return {};
  return std::to_string(file.size() - offset) + " bytes after the end of the data were ignored";
}

}  // namespace mote

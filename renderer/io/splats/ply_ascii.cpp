// The rows of an ASCII .ply.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/ply_columns.h"

namespace mote {
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{1} << 16;

/// Number of lines from `offset` on; `buffer` is scratch.
std::uint64_t count_lines(const InputFile& file, std::uint64_t offset, Buffer<char>& buffer) {
  std::uint64_t lines = 0;
  char last = '\n';
  while (const std::size_t got = file.read_some(offset, std::as_writable_bytes(buffer.span()))) {
    const char* end = buffer.data() + got;
    for (const char* at = buffer.data(); at != end; ++at) {
      at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (!at) break;
      ++lines;
    }
    last = end[-1];
    offset += got;
  }
  return lines + (last != '\n');
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// Returns the non-blank lines, read in chunks.
class LineReader {
 public:
  LineReader(const InputFile& file, std::uint64_t offset, Buffer<char>& buffer)
      : file_(file), offset_(offset), buffer_(buffer) {}

  /// Throws at the end of the file. The line is valid until the next call.
  std::string_view next() {
    for (;;) {
      std::string_view line = raw_line();
      while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
      if (!line.empty()) return line;
    }
  }

  std::uint64_t line_offset() const { return line_offset_; }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(problem, file_.name() + ", byte " + std::to_string(line_offset_),
                "copy or export the file again");
  }

 private:
  std::string_view raw_line() {
    line_offset_ = offset_ - (end_ - begin_);
    const char* newline = find_newline();
    if (!newline) {
      refill();
      newline = find_newline();
    }
    const std::size_t length =
        newline ? static_cast<std::size_t>(newline - (buffer_.data() + begin_)) : end_ - begin_;
    if (!newline && length == 0) fail("truncated: the file ends before its last row");
    if (length > kMaxLineBytes) fail("a line is longer than 65536 bytes");
    const std::string_view line(buffer_.data() + begin_, length);
    begin_ += length + (newline ? 1 : 0);
    return line;
  }

  const char* find_newline() const {
    return begin_ == end_ ? nullptr
                          : static_cast<const char*>(
                                std::memchr(buffer_.data() + begin_, '\n', end_ - begin_));
  }

  void refill() {
    if (end_ - begin_ > kMaxLineBytes) fail("a line is longer than 65536 bytes");
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const std::size_t got =
        file_.read_some(offset_, std::as_writable_bytes(buffer_.span().subspan(end_)));
    end_ += got;
    offset_ += got;
  }

  const InputFile& file_;
  std::uint64_t offset_;  // offset of the next chunk
  std::uint64_t line_offset_ = 0;
  Buffer<char>& buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unread part of the buffer
};

std::string_view next_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

float parse_value(std::string_view word, const LineReader& lines) {
  const char* begin = word.data();
  const char* end = begin + word.size();
  if (word.starts_with('+')) ++begin;
  float value = 0;
  auto result = std::from_chars(begin, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    double wide = 0;
    result = std::from_chars(begin, end, wide);
    value = static_cast<float>(wide);
    if (result.ec == std::errc::result_out_of_range) result.ec = std::errc();
  }
  if (result.ec != std::errc() || result.ptr != end) {
    lines.fail(fmt::format("'{}' is not a number", word.substr(0, 40)));
  }
  return value;
}

}  // namespace

SplatCloud read_ply_ascii(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                          const std::vector<PlyColumn>& columns, const SplatForm& splats,
                          const ProgressCallback& progress) {
  const std::uint64_t bytes = file.size() - header.data_offset;
  Buffer<char> buffer(std::min<std::uint64_t>(kReadChunkBytes, bytes + 1));
  const std::uint64_t lines_left = count_lines(file, header.data_offset, buffer);
  // A value takes at least two bytes, a digit and a separator; the last one needs no separator.
  if (vertex.count > lines_left || vertex.count > (bytes + 1) / (2 * vertex.properties.size())) {
    throw Error("truncated: the header announces " + std::to_string(vertex.count) +
                    " splats, but the file has " + std::to_string(lines_left) + " lines and " +
                    std::to_string(bytes) + " bytes left for them",
                file.name() + ", byte " + std::to_string(header.data_offset),
                "copy or download the file again");
  }
  SplatCloud cloud = make_cloud(vertex.count, splats, file.name());
  LineReader lines(file, header.data_offset, buffer);
  for (const PlyElement& element : header.elements) {
    if (&element == &vertex) break;
    for (std::uint64_t row = 0; row < element.count; ++row) lines.next();
  }
  std::vector<const PlyColumn*> column_of(vertex.properties.size());
  for (const PlyColumn& column : columns) column_of[column.property->index] = &column;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    std::string_view line = lines.next();
    for (const PlyColumn* column : column_of) {
      const std::string_view word = next_word(line);
      if (word.empty()) {
        lines.fail("a row has less than " + std::to_string(column_of.size()) + " values");
      }
      if (!column) continue;
      column->in_block(cloud, i / kBlockSize)[i % kBlockSize] = parse_value(word, lines);
    }
    if (!next_word(line).empty()) {
      lines.fail("a row has more than " + std::to_string(column_of.size()) + " values");
    }
    if (i % 65536 == 65535) {
      report(progress, static_cast<double>(i) / static_cast<double>(cloud.count()));
    }
  }
  report(progress, 1.0);
  return cloud;
}

}  // namespace mote

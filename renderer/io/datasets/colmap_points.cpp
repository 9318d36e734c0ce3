#include "io/datasets/colmap_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <span>
#include <sstream>

#include "core/bytes.h"
#include "core/error.h"
#include "core/file.h"
#include "io/datasets/colmap_leftover.h"
#include "io/datasets/text_lines.h"

// Source: COLMAP's documentation, "Output Format": id, x y z, r g b, error, and the track, whose
// entries are skipped.

namespace mote {
namespace {

/// Adds a point if it is finite; counts the others.
struct PointSink {
  const std::filesystem::path& path;
  PointCloud points = {};
  std::size_t at_infinity = 0;

  void add(glm::dvec3 position, std::array<std::uint8_t, 3> color) {
    if (!std::isfinite(glm::dot(position, position))) {
      ++at_infinity;
      return;
    }
    points.positions.push_back(position);
    points.colors.push_back(color);
  }
  PointCloud take(std::vector<std::string>& warnings) {
    if (at_infinity > 0) {
      warnings.push_back(path.string() + ": " + std::to_string(at_infinity) +
                         " points lie at infinity and are left out");
    }
    return std::move(points);
  }
};

/// Reads forwards through a window, so that tracks, which are most of the file, are skipped
/// cheaply.
class ForwardReader {
 public:
  explicit ForwardReader(const std::filesystem::path& path)
      : file_(path), window_(std::min<std::uint64_t>(kMaxWindow, file_.size())) {}

  /// The next `count` bytes, fewer than kMaxWindow. Throws Error where fewer are left.
  std::span<const std::byte> take(std::size_t count) {
    if (offset_ < window_offset_ || offset_ + count > window_offset_ + held_) {
      window_offset_ = offset_;
      held_ = file_.read_some(offset_, window_);
    }
    const std::span<const std::byte> held(window_.data(), held_);
    ByteReader reader(held.subspan(offset_ - window_offset_), file_.name(), offset_);
    const auto part = reader.take(count);
    offset_ += count;
    return part;
  }
  /// Skips `count` bytes, which must exist.
  void skip(std::uint64_t count) { offset_ += count; }
  std::uint64_t left() const { return file_.size() - offset_; }
  std::string where() const { return file_.name() + ", byte " + std::to_string(offset_); }

 private:
  static constexpr std::uint64_t kMaxWindow = 1 << 20;  // bytes

  InputFile file_;
  std::vector<std::byte> window_;
  std::uint64_t offset_ = 0, window_offset_ = 0;
  std::size_t held_ = 0;
};

}  // namespace

PointCloud read_colmap_points_bin(const std::filesystem::path& path,
                                  std::vector<std::string>& warnings) {
  constexpr std::size_t kPointBytes = 8 + 3 * 8 + 3 + 8 + 8, kTrackBytes = 8;
  PointSink sink{path};
  ForwardReader file(path);
  const auto read_count = [&] {
    return ByteReader(file.take(8), path.string()).read<std::uint64_t>();
  };
  const std::uint64_t count = read_count();
  if (count > file.left() / kPointBytes) {
    throw Error("truncated: announces " + std::to_string(count) + " points, but contains at most " +
                    std::to_string(file.left() / kPointBytes),
                path.string() + ", byte 0", "copy or download the file again");
  }
  sink.points.positions.reserve(count);
  sink.points.colors.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string where = file.where();
    ByteReader reader(file.take(kPointBytes - 8), path.string());
    reader.skip(8);
    glm::dvec3 position;
    for (int axis = 0; axis < 3; ++axis) position[axis] = reader.read<double>();
    const auto color = reader.read<std::array<std::uint8_t, 3>>();
    const std::uint64_t track = read_count();
    if (track > file.left() / kTrackBytes) {
      throw Error("truncated: point " + std::to_string(i) + " has a track of " +
                      std::to_string(track) + " images, more than the rest of the file contains",
                  where, "copy or download the file again");
    }
    file.skip(track * kTrackBytes);
    sink.add(position, color);
  }
  warn_of_leftover(path.string(), count, "points", file.left(), warnings);
  return sink.take(warnings);
}

PointCloud read_colmap_points_txt(const std::filesystem::path& path,
                                  std::vector<std::string>& warnings) {
  PointSink sink{path};
  TextLines lines(path);
  std::size_t count = 0;
  for (std::string line; lines.next(line, true);) {
    const char* at = line.c_str();
    double values[7];  // id, x y z, r g b
    for (double& value : values) {
      char* end = nullptr;
      value = std::strtod(at, &end);
      if (end == at)
        throw Error("expected POINT3D_ID X Y Z R G B ...", lines.where(), kExportAgain);
      at = end;
    }
    std::array<std::uint8_t, 3> color;
    for (std::size_t c = 0; c < 3; ++c) {
      const double value = values[4 + c];
      if (!(value >= 0 && value <= 255)) {
        throw Error("expected colours from 0 to 255", lines.where(), kExportAgain);
      }
      color[c] = static_cast<std::uint8_t>(value);
    }
    sink.add({values[1], values[2], values[3]}, color);
    ++count;
  }
  lines.check_promise(count, "points", warnings);
  return sink.take(warnings);
}

PointCloud read_colmap_points(const std::filesystem::path& model,
                              std::vector<std::string>& warnings) {
  const std::filesystem::path binary = model / "points3D.bin", text = model / "points3D.txt";
  std::error_code ignored;
  const bool is_binary = std::filesystem::exists(binary, ignored);
  if (!is_binary && !std::filesystem::exists(text, ignored)) return {};
  return is_binary ? read_colmap_points_bin(binary, warnings)
                   : read_colmap_points_txt(text, warnings);
}

}  // namespace mote

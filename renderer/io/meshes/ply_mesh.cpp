#include "io/meshes/ply_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/splats/ply_header.h"

namespace mote {
namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 20;  // bytes of a read
constexpr std::size_t kLongestToken = 64;                 // bytes of a number in a text
constexpr std::uint64_t kRowsBetweenReports = 1 << 16;

/// The numbers of a file in their order.
class PlyNumbers {
 public:
  PlyNumbers(const InputFile& file, const PlyHeader& header)
      : file_(file), encoding_(header.encoding), next_(header.data_offset) {}

  double read(PlyType type) {
    if (encoding_ == PlyEncoding::ascii) return token();
    switch (type) {
      case PlyType::int8:
        return value<std::int8_t>();
      case PlyType::uint8:
        return value<std::uint8_t>();
      case PlyType::int16:
        return value<std::int16_t>();
      case PlyType::uint16:
        return value<std::uint16_t>();
      case PlyType::int32:
        return value<std::int32_t>();
      case PlyType::uint32:
        return value<std::uint32_t>();
      case PlyType::float32:
        return value<float>();
      case PlyType::float64:
        return value<double>();
    }
    return 0;
  }

  std::uint64_t offset() const { return next_ - (held_.size() - at_); }
  std::uint64_t remaining() const { return file_.size() - std::min(offset(), file_.size()); }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("damaged mesh: " + what, fmt::format("{}, byte {}", file_.name(), offset()),
                "copy the file or export it again");
  }

 private:
  template <class T>
  double value() {
    if (!hold(sizeof(T))) fail("the file ends before its last number");
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), held_.data() + at_, sizeof(T));
    if (encoding_ == PlyEncoding::big_endian) std::ranges::reverse(bytes);
    at_ += sizeof(T);
    return static_cast<double>(std::bit_cast<T>(bytes));
  }

  double token() {
    static constexpr std::string_view kBlank = " \t\r\n";
    while (hold(1) && kBlank.find(held_[at_]) != std::string_view::npos) ++at_;
    hold(kLongestToken);
    const std::string_view rest = std::string_view(held_).substr(at_, kLongestToken);
    const std::string_view text = rest.substr(0, rest.find_first_of(kBlank));
    if (text.empty()) fail("the file ends before its last number");
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, number);
    if (fault != std::errc{} || stop != end) fail(fmt::format("'{}' is no number", text));
    at_ += text.size();
    return number;
  }

  /// Reads on until as many bytes are held, or the file ends. Returns whether they are.
  bool hold(std::size_t bytes) {
    if (held_.size() - at_ >= bytes) return true;
    held_.erase(0, at_);
    at_ = 0;
    const std::size_t before = held_.size();
    held_.resize(before + kReadBlock);
    const auto space = std::as_writable_bytes(std::span(held_).subspan(before));
    const std::size_t read = file_.read_some(next_, space);
    held_.resize(before + read);
    next_ += read;
    return held_.size() >= bytes;
  }

  const InputFile& file_;
  PlyEncoding encoding_;
  std::uint64_t next_;  // first byte of the file that is not held
  std::string held_;
  std::size_t at_ = 0;
};

class PlyMeshReading {
 public:
  PlyMeshReading(const InputFile& file, const std::function<void(double)>& progress)
      : file_(file), progress_(progress), header_(read_ply_header(file)), numbers_(file, header_) {}

  TriangleMesh read() {
    require_faces();
    for (const PlyElement& element : header_.elements) {
      if (!element.properties.empty()) read_rows(element);
    }
    check_corners();
    return std::move(mesh_);
  }

 private:
  static bool is_corners(const PlyProperty& property) {
    return property.list_count &&
           (property.name == "vertex_indices" || property.name == "vertex_index");
  }

  void require_faces() const {
    const PlyElement* vertex = header_.find("vertex");
    const PlyElement* face = header_.find("face");
    const bool has_axes = vertex != nullptr && std::ranges::all_of(kAxes, [&](const char* axis) {
                            const PlyProperty* property = vertex->find(axis);
                            return property != nullptr && !property->list_count;
                          });
    if (!has_axes || face == nullptr || face->count == 0 ||
        std::ranges::none_of(face->properties, is_corners)) {
      throw Error("has no triangle", file_.name(), "export it again with its faces");
    }
    if (vertex->count > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("has too many vertices", file_.name(), "simplify the mesh");
    }
  }

  void read_rows(const PlyElement& element) {
    const bool is_vertex = &element == header_.find("vertex");
    const bool is_face = &element == header_.find("face");
    // Each row has at least a byte, so that a count beyond the file does not ask for memory.
    const auto rows = static_cast<std::size_t>(std::min(element.count, numbers_.remaining()));
    if (is_vertex) mesh_.positions.reserve(rows);
    if (is_face)
      mesh_.triangles.reserve(std::min(rows, static_cast<std::size_t>(numbers_.remaining() / 7)));
    for (std::uint64_t row = 0; row < element.count; ++row) {
      if (progress_ && row % kRowsBetweenReports == 0) {
        progress_(static_cast<double>(numbers_.offset()) / static_cast<double>(file_.size()));
      }
      glm::vec3 position(0);
      for (const PlyProperty& property : element.properties) {
        if (property.list_count) {
          read_list(property, is_face && is_corners(property));
          continue;
        }
        const double number = numbers_.read(property.type);
        for (int axis = 0; is_vertex && axis < 3; ++axis) {
          if (property.name == kAxes[static_cast<std::size_t>(axis)])
            position[axis] = static_cast<float>(number);
        }
      }
      if (is_vertex) mesh_.positions.push_back(position);
    }
  }

  void read_list(const PlyProperty& property, bool has_corners) {
    const double length = numbers_.read(*property.list_count);
    if (!(length >= 0)) numbers_.fail(fmt::format("a list has {} elements", length));
    std::uint32_t first = 0, last = 0;
    for (double i = 0; i < length; ++i) {
      const double number = numbers_.read(property.type);
      if (!has_corners) continue;
      if (!(number >= 0 && number < std::numeric_limits<std::uint32_t>::max())) {
        numbers_.fail(fmt::format("a corner is vertex {}", number));
      }
      const auto corner = static_cast<std::uint32_t>(number);
      if (i >= 2) mesh_.triangles.push_back({first, last, corner});
      if (i == 0) first = corner;
      last = corner;
    }
  }

  void check_corners() const {
    for (const auto& triangle : mesh_.triangles) {
      const std::uint32_t most = std::ranges::max(triangle);
      if (most < mesh_.positions.size()) continue;
      throw Error(
          fmt::format("damaged mesh: triangle {} has the corner {}, but there are {} vertices",
                      &triangle - mesh_.triangles.data(), most, mesh_.positions.size()),
          file_.name(), "export it again");
    }
    if (mesh_.triangles.empty()) {
      throw Error("has no triangle", file_.name(), "export it again with its faces");
    }
  }

  static constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};

  const InputFile& file_;
  const std::function<void(double)>& progress_;
  const PlyHeader header_;
  PlyNumbers numbers_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh read_ply_mesh(const InputFile& file, const std::function<void(double)>& progress) {
  return PlyMeshReading(file, progress).read();
}

}  // namespace mote

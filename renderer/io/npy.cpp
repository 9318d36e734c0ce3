// The format of NumPy arrays: magic, version, and a Python dictionary with type, order and shape in
// text, then the numbers (numpy/lib/format.py).
#include "io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/printable.h"

namespace mote {
namespace {

using namespace std::string_view_literals;

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kNpyMagic = "\x93NUMPY"sv;
constexpr std::size_t kMostHeaderBytes = 1 << 16, kMostNumbers = 100'000'000, kMostAxes = 8;

[[noreturn]] void refuse_npy(const InputFile& file, const std::string& problem) {
  throw Error(problem, file.name(), "save the array again with numpy.save, as numbers");
}

/// The text of the dictionary's value at a key, up to the comma or bracket that ends it.
std::string_view npy_value(const InputFile& file, std::string_view header, std::string_view key) {
  const std::string quoted_key = fmt::format("'{}'", key);
  const std::size_t at = header.find(quoted_key);
  const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos) {
    refuse_npy(file, fmt::format("its header has no {}", key));
  }
  std::string_view rest = header.substr(colon + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const char end = rest.starts_with('(') ? ')' : rest.starts_with('\'') ? '\'' : ',';
  const std::size_t begin = end == ',' ? 0 : 1;
  const std::size_t last = rest.find(end, begin);
  if (last == std::string_view::npos) refuse_npy(file, fmt::format("its {} does not end", key));
  return rest.substr(begin, last - begin);
}

std::vector<std::size_t> npy_shape(const InputFile& file, std::string_view text) {
  std::vector<std::size_t> shape;
  std::size_t values = 1;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    std::size_t side = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), side);
    if (fault != std::errc() || shape.size() == kMostAxes) {
      refuse_npy(file, "its shape is no list of at most 8 whole numbers");
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (side > 0 && values > kMostNumbers / side) {
      refuse_npy(file, fmt::format("announces more than {} numbers", kMostNumbers));
    }
    values *= side;
    shape.push_back(side);
  }
  return shape;
}

/// A type of numbers, such as "<f8".
struct NpyType {
  char kind;
  std::size_t bytes;

  NpyType(const InputFile& file, std::string_view text) {
    const auto known = [&] {
      if (text.size() != 3 || text[2] < '1' || text[2] > '8') return false;
      kind = text[1];
      bytes = static_cast<std::size_t>(text[2] - '0');
      if (!std::has_single_bit(bytes)) return false;
      if (text[0] != '<' && !(text[0] == '|' && bytes == 1)) return false;
      if (kind == 'f') return bytes >= 4;
      return kind == 'i' || kind == 'u' || (kind == 'b' && bytes == 1);
    };
    if (known()) return;
    refuse_npy(file, fmt::format("has the type '{}', which is no little-endian number",
                                 printable(std::string(text.substr(0, 40)))));
  }

  double at(const std::byte* from) const {
    if (kind == 'f') return bytes == 8 ? number<double>(from) : number<float>(from);
    const bool is_signed = kind == 'i';
    switch (bytes) {
      case 1:
        return is_signed ? number<std::int8_t>(from) : number<std::uint8_t>(from);
      case 2:
        return is_signed ? number<std::int16_t>(from) : number<std::uint16_t>(from);
      case 4:
        return is_signed ? number<std::int32_t>(from) : number<std::uint32_t>(from);
      default:
        return is_signed ? number<std::int64_t>(from) : number<std::uint64_t>(from);
    }
  }

 private:
  template <class T>
  static double number(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return static_cast<double>(value);
  }
};

struct NpyHead {
  std::string text;
  std::uint64_t begin;  // of the numbers
};

NpyHead read_head(const InputFile& file) {
  std::array<std::byte, 12> start{};
  const std::size_t got = file.read_some(0, start);
  if (got < 10 || std::memcmp(start.data(), kNpyMagic.data(), kNpyMagic.size()) != 0) {
    refuse_npy(file, "is no .npy file");
  }
  const auto version = static_cast<int>(start[6]);
  if (version < 1 || version > 3) refuse_npy(file, fmt::format("has the version {}", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  std::memcpy(&length, &start[8], length_bytes);
  if (length > kMostHeaderBytes) refuse_npy(file, "has a header that is too long");
  NpyHead head{std::string(length, ' '), 8 + length_bytes + length};
  file.read_exact(8 + length_bytes, std::as_writable_bytes(std::span(head.text)));
  return head;
}

/// Reorders values whose first index is the fastest.
std::vector<double> to_c_order(const std::vector<std::size_t>& shape,
                               const std::vector<double>& values) {
  std::vector<double> result(values.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (double& value : result) {
    std::size_t place = 0, stride = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      place += index[axis] * stride;
      stride *= shape[axis];
    }
    value = values[place];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path) {
  const InputFile file(path);
  const NpyHead head = read_head(file);
  const NpyType type(file, npy_value(file, head.text, "descr"));
  const bool fortran = npy_value(file, head.text, "fortran_order").starts_with("True");
  NpyArray array{.shape = npy_shape(file, npy_value(file, head.text, "shape")), .values = {}};
  std::size_t count = 1;
  for (const std::size_t side : array.shape) count *= side;
  if (file.size() < head.begin || (file.size() - head.begin) / type.bytes < count) {
    refuse_npy(file, fmt::format("is truncated: it announces {} numbers, but has {} bytes of them",
                                 count, file.size() - std::min(file.size(), head.begin)));
  }
  std::vector<std::byte> bytes(count * type.bytes);
  file.read_exact(head.begin, bytes);
  array.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    array.values.push_back(type.at(bytes.data() + i * type.bytes));
  }
  if (fortran) array.values = to_c_order(array.shape, array.values);
  return array;
}

void write_npy(const NpyArray& array, const std::filesystem::path& path, Existing existing) {
  constexpr std::size_t kAlignment = 64;
  std::string shape;
  std::size_t count = 1;
  for (const std::size_t side : array.shape) {
    shape += fmt::format("{}, ", side);
    count *= side;
  }
  CHECK(count == array.values.size());
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);
  const std::size_t start = kNpyMagic.size() + 4;
  header.resize((start + header.size() + kAlignment) / kAlignment * kAlignment - start - 1, ' ');
  header += '\n';
  OutputFile file(path, existing);
  file.write(kNpyMagic);
  const auto length = static_cast<std::uint16_t>(header.size());
  const std::array<std::byte, 4> version{std::byte{1}, std::byte{0},
                                         static_cast<std::byte>(length & 0xffu),
                                         static_cast<std::byte>(length >> 8)};
  file.write(std::span<const std::byte>(version));
  file.write(header);
  file.write(std::as_bytes(std::span(array.values)));
  file.commit();
}

}  // namespace mote

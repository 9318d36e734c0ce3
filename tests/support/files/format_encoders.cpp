#include "format_samples.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>

namespace mote::samples {
namespace {

template <class T>
void append(std::string& out, T value, bool big_endian = false) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if (big_endian) std::reverse(raw, raw + sizeof(T));
  out.append(raw, sizeof(T));
}

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

Field field(int index) {
  return static_cast<Field>(index);
}

/// The properties of a 3DGS row with their values, in the order of these tests.
std::vector<std::pair<std::string, std::function<float(std::size_t)>>> ply_values(
    const SplatCloud& cloud) {
  std::vector<std::pair<std::string, std::function<float(std::size_t)>>> values;
  const char* names[] = {"x",     "y",     "z",     "scale_0", "scale_1", "scale_2",
                         "rot_0", "rot_1", "rot_2", "rot_3",   "opacity"};
  for (int f = 0; f < kGaussianFields; ++f) {
    values.emplace_back(names[f], [&cloud, f](std::size_t i) { return cloud.at(i, field(f)); });
  }
  for (int c = 0; c < 3; ++c) {
    values.emplace_back("f_dc_" + std::to_string(c),
                        [&cloud, c](std::size_t i) { return cloud.sh(i, 0, c); });
    for (int k = 1; k < cloud.sh_coefficients(); ++k) {
      values.emplace_back("f_rest_" + std::to_string(c * (cloud.sh_coefficients() - 1) + k - 1),
                          [&cloud, c, k](std::size_t i) { return cloud.sh(i, k, c); });
    }
  }
  return values;
}

void append_value(std::string& row, const PlyStyle& style, float value) {
  const bool big = style.encoding == "binary_big_endian";
  if (style.encoding == "ascii") {
    char text[64];
    std::snprintf(text, sizeof text, "%.9g ", static_cast<double>(value));
    row += text;
  } else if (style.type == "double") {
    append(row, static_cast<double>(value), big);
  } else if (style.type == "short") {
    append(row, static_cast<std::int16_t>(value), big);
  } else if (style.type == "uchar") {
    append(row, static_cast<std::uint8_t>(value), big);
  } else {
    append(row, value, big);
  }
}

/// A list of two ints, in the encoding of the style.
std::string list_row(const PlyStyle& style) {
  if (style.encoding == "ascii") return "2 7 -9" + style.line_end;
  const bool big = style.encoding == "binary_big_endian";
  std::string row;
  append(row, std::uint16_t{2}, big);
  append(row, std::int32_t{7}, big);
  append(row, std::int32_t{-9}, big);
  return row;
}

std::uint32_t unorm(float value, unsigned bits) {
  const auto top = static_cast<float>((1u << bits) - 1);
  return static_cast<std::uint32_t>(std::clamp(std::floor(value * top + 0.5f), 0.0f, top));
}

std::uint32_t pack_11_10_11(const float v[3], const float low[3], const float high[3]) {
  float t[3];
  for (int a = 0; a < 3; ++a) t[a] = high[a] > low[a] ? (v[a] - low[a]) / (high[a] - low[a]) : 0;
  return unorm(t[0], 11) << 21 | unorm(t[1], 10) << 11 | unorm(t[2], 11);
}

/// A quaternion in the order given by `order` without its largest component; `encode`d as three
/// times ten bits.
template <class Encode>
std::uint32_t pack_quaternion(const SplatCloud& cloud, std::size_t i, const Field (&order)[4],
                              const float (&signs)[4], Encode encode) {
  float q[4];
  int largest = 0;
  for (int k = 0; k < 4; ++k) {
    q[k] = cloud.at(i, order[k]) * signs[k];
    if (std::abs(q[k]) > std::abs(q[largest])) largest = k;
  }
  const float sign = q[largest] < 0 ? -1.0f : 1.0f;
  auto packed = static_cast<std::uint32_t>(largest);
  for (int k = 0; k < 4; ++k) {
    if (k != largest) packed = packed << 10 | encode(sign * q[k]);
  }
  return packed;
}

/// Whether the polynomial of coefficient k (k >= 1) changes sign if both y and z do.
bool flips_with_y_and_z(int k) {
  const int l = static_cast<int>(std::sqrt(static_cast<float>(k))), m = k - l * l - l;
  const bool odd_in_y = m < 0, odd_in_z = (l + m) % 2 != 0;
  return odd_in_y != odd_in_z;
}

void append_spz_rotation(std::string& out, const SplatCloud& cloud, std::size_t i,
                         std::uint32_t version) {
  const Field order[4] = {Field::rotation_x, Field::rotation_y, Field::rotation_z,
                          Field::rotation_w};
  const float signs[4] = {1, -1, -1, 1};
  if (version < 3) {
    const float w = cloud.at(i, Field::rotation_w) < 0 ? -1.0f : 1.0f;
    for (int k = 0; k < 3; ++k) {
      append(out, static_cast<std::uint8_t>(
                      std::lround(w * signs[k] * cloud.at(i, order[k]) * 127.5f + 127.5f)));
    }
    return;
  }
  append(out, pack_quaternion(cloud, i, order, signs, [](float v) {
           const auto magnitude =
               static_cast<std::uint32_t>(std::lround(std::abs(v) * std::sqrt(2.0f) * 511));
           return (v < 0 ? 512u : 0u) | std::min(magnitude, 511u);
         }));
}

/// binary16, for finite normal values.
std::uint16_t to_half(float value) {
  int exponent = 0;
  const float fraction = std::frexp(std::abs(value), &exponent);
  const auto mantissa = static_cast<int>(std::lround(std::ldexp(fraction, 11)));
  if (exponent < -13) return value < 0 ? 0x8000 : 0;
  return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) + ((exponent + 13) << 10) + mantissa);
}

/// The six arrays of spz.
std::vector<std::string> spz_arrays(const SplatCloud& cloud, std::uint32_t version) {
  std::vector<std::string> arrays(6);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int a = 0; a < 3; ++a) {
      const float p = cloud.at(i, field(a)) * (a == 0 ? 1.0f : -1.0f);
      const auto fixed = static_cast<std::uint32_t>(std::lround(p * 4096));
      if (version == 1) append(arrays[0], to_half(p));
      for (unsigned b = 0; version > 1 && b < 24; b += 8) {
        append(arrays[0], static_cast<std::uint8_t>(fixed >> b & 255));
      }
      append(arrays[2],
             static_cast<std::uint8_t>(std::lround((cloud.sh(i, 0, a) * 0.15f + 0.5f) * 255)));
      append(arrays[3],
             static_cast<std::uint8_t>(std::lround((cloud.at(i, field(3 + a)) + 10) * 16)));
    }
    append(arrays[1], static_cast<std::uint8_t>(
                          std::lround(sigmoid(cloud.at(i, Field::logit_opacity)) * 255)));
    append_spz_rotation(arrays[4], cloud, i, version);
    for (int k = 1; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        const float value = cloud.sh(i, k, c) * (flips_with_y_and_z(k) ? -1.0f : 1.0f);
        append(arrays[5], static_cast<std::uint8_t>(std::lround(value * 128) + 128));
      }
    }
  }
  return arrays;
}

std::string spz_header(const SplatCloud& cloud, std::uint32_t version) {
  std::string header = "NGSP";
  append(header, version);
  append(header, static_cast<std::uint32_t>(cloud.count()));
  append(header, static_cast<std::uint8_t>(cloud.sh_degree()));
  append(header, std::uint8_t{12});
  append(header, static_cast<std::uint8_t>(cloud.antialiased ? 1 : 0));
  append(header, std::uint8_t{0});
  return header;
}

/// The nine values of a splat with bounds in a chunk of compressed .ply: mean, log scale, colour.
float bounded_value(const SplatCloud& cloud, std::size_t i, int v) {
  return v < 6 ? cloud.at(i, field(v)) : cloud.sh(i, 0, v - 6) * 0.28209479177387814f + 0.5f;
}

void append_compressed_chunk(std::string& chunks, std::string& vertices, const SplatCloud& cloud,
                             std::size_t first, bool colour_bounds) {
  const std::size_t last = std::min(first + 256, cloud.count());
  float low[9], high[9];
  for (int v = 0; v < 9; ++v) {
    const bool fixed = v >= 6 && !colour_bounds;
    low[v] = fixed ? 0 : std::numeric_limits<float>::infinity();
    high[v] = fixed ? 1 : -std::numeric_limits<float>::infinity();
    for (std::size_t i = first; i < last && !fixed; ++i) {
      low[v] = std::min(low[v], bounded_value(cloud, i, v));
      high[v] = std::max(high[v], bounded_value(cloud, i, v));
    }
  }
  for (int part = 0; part < (colour_bounds ? 9 : 6); part += 3) {
    for (int a = 0; a < 3; ++a) append(chunks, low[part + a]);
    for (int a = 0; a < 3; ++a) append(chunks, high[part + a]);
  }
  for (std::size_t i = first; i < last; ++i) {
    float v[9];
    for (int k = 0; k < 9; ++k) v[k] = bounded_value(cloud, i, k);
    append(vertices, pack_11_10_11(v, low, high));
    append(
        vertices,
        pack_quaternion(
            cloud, i, {Field::rotation_w, Field::rotation_x, Field::rotation_y, Field::rotation_z},
            {1, 1, 1, 1}, [](float q) { return unorm(q / std::sqrt(2.0f) + 0.5f, 10); }));
    append(vertices, pack_11_10_11(v + 3, low + 3, high + 3));
    std::uint32_t packed = 0;
    for (int k = 6; k < 9; ++k) {
      packed = packed << 8 | unorm((v[k] - low[k]) / (high[k] - low[k]), 8);
    }
    append(vertices, packed << 8 | unorm(sigmoid(cloud.at(i, Field::logit_opacity)), 8));
  }
}

std::string compressed_header(const SplatCloud& cloud, bool colour_bounds) {
  std::string header = "ply\nformat binary_little_endian 1.0\n";
  if (cloud.antialiased) header += "comment SplatRenderMode: mip\n";
  header += "element chunk " + std::to_string((cloud.count() + 255) / 256) + "\n";
  for (const char* part : {"_", "_scale_"}) {
    for (const char* side : {"min", "max"}) {
      for (const char* axis : {"x", "y", "z"}) {
        header += std::string("property float ") + side + part + axis + "\n";
      }
    }
  }
  for (const char* name : {"min_r", "min_g", "min_b", "max_r", "max_g", "max_b"}) {
    if (colour_bounds) header += std::string("property float ") + name + "\n";
  }
  header += "element vertex " + std::to_string(cloud.count()) + "\n";
  for (const char* name : {"position", "rotation", "scale", "color"}) {
    header += std::string("property uint packed_") + name + "\n";
  }
  const int rest = (cloud.sh_coefficients() - 1) * 3;
  if (rest > 0) header += "element sh " + std::to_string(cloud.count()) + "\n";
  for (int r = 0; r < rest; ++r) header += "property uchar f_rest_" + std::to_string(r) + "\n";
  return header + "end_header\n";
}

}  // namespace

std::string ply_file(const SplatCloud& cloud, const PlyStyle& style) {
  auto values = ply_values(cloud);
  if (style.surrounded) {
    values.insert(values.begin() + 3, {"nx", [](std::size_t) { return 0.0f; }});
    values.emplace_back("label", [](std::size_t i) { return static_cast<float>(i % 100); });
  }
  if (style.shuffled) {
    std::mt19937 random(5);
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
  }
  const std::string& end = style.line_end;
  std::string file = "ply" + end + "format " + style.encoding + " 1.0" + end;
  for (const std::string& comment : style.comments) file += "comment " + comment + end;
  const std::string lists = " 3" + end + "property list ushort int indices" + end;
  if (style.surrounded) file += "element edge" + lists;
  file += "element vertex " + std::to_string(cloud.count()) + end;
  for (const auto& [name, value] : values) file += "property " + style.type + " " + name + end;
  if (style.surrounded) file += "element face" + lists;
  file += "end_header" + end;
  std::string three_lists;
  for (int i = 0; i < 3; ++i) three_lists += list_row(style);
  if (style.surrounded) file += three_lists;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const auto& [name, value] : values) append_value(file, style, value(i));
    if (style.encoding == "ascii") file += end;
  }
  return style.surrounded ? file + three_lists : file;
}

std::string compressed_ply_file(const SplatCloud& cloud, bool colour_bounds) {
  std::string chunks, vertices, sh;
  for (std::size_t first = 0; first < cloud.count(); first += 256) {
    append_compressed_chunk(chunks, vertices, cloud, first, colour_bounds);
  }
  const int above_dc = cloud.sh_coefficients() - 1;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int r = 0; r < above_dc * 3; ++r) {
      const float value = cloud.sh(i, 1 + r % above_dc, r / above_dc);
      append(sh, static_cast<std::uint8_t>(std::clamp((value / 8 + 0.5f) * 256, 0.0f, 255.0f)));
    }
  }
  return compressed_header(cloud, colour_bounds) + chunks + vertices + sh;
}

std::string spz_content(const SplatCloud& cloud, std::uint32_t version) {
  std::string content = spz_header(cloud, version);
  for (const std::string& array : spz_arrays(cloud, version)) content += array;
  return content;
}

std::string gzipped(const std::string& content) {
  z_stream stream{};
  // Tests compress thousands of mutated files.
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string spz4_file(const SplatCloud& cloud, const std::string& extensions) {
  std::string file = spz_header(cloud, 4), table, streams;
  std::uint8_t stream_count = 0;
  for (const std::string& array : spz_arrays(cloud, 4)) {
    if (array.empty()) continue;
    std::string packed(ZSTD_compressBound(array.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), array.data(), array.size(), 3));
    append(table, static_cast<std::uint64_t>(packed.size()));
    append(table, static_cast<std::uint64_t>(array.size()));
    streams += packed;
    ++stream_count;
  }
  if (!extensions.empty()) file[14] = static_cast<char>(file[14] | 2);
  file[15] = static_cast<char>(stream_count);
  append(file, static_cast<std::uint32_t>(32 + extensions.size()));
  file.append(12, '\0');
  return file + extensions + table + streams;
}

std::string spz_file(const SplatCloud& cloud, std::uint32_t version) {
  return version < 4 ? gzipped(spz_content(cloud, version)) : spz4_file(cloud);
}

}  // namespace mote::samples

#pragma once

// Clouds and files generated from seeds, for tests and fuzz targets of the formats. The encoders
// share no code with the tested readers.

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "splats/splat_cloud.h"

namespace mote::samples {

/// Uniform in [low, high), the same on every machine.
float uniform(std::mt19937& random, float low, float high);

/// Splats within every format's range: means within 3, log scales -7 to -1, unit quaternions,
/// logits within 5, DC within 1.5, other SH within 0.9.
SplatCloud random_cloud(std::size_t count, int sh_degree, unsigned seed);

struct PlyStyle {
  std::string encoding = "binary_little_endian";
  std::string type = "float";   // of every property of the splats
  bool shuffled = false;        // properties in another order
  bool surrounded = false;      // additional properties, and elements before and after, with lists
  std::string line_end = "\n";  // of the header, and of ASCII rows
  std::vector<std::string> comments = {};
};
std::string ply_file(const SplatCloud& cloud, const PlyStyle& style = {});

/// `colour_bounds`: use the layout with min_r .. max_b.
std::string compressed_ply_file(const SplatCloud& cloud, bool colour_bounds);

/// Uncompressed content of an spz file: 16 bytes of header, then the arrays in order.
std::string spz_content(const SplatCloud& cloud, std::uint32_t version);
std::string gzipped(const std::string& content);
/// Version 4. `extensions` precedes the table of contents.
std::string spz4_file(const SplatCloud& cloud, const std::string& extensions = {});
/// Any version.
std::string spz_file(const SplatCloud& cloud, std::uint32_t version);

/// A temporary file that is removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& extension);
  TemporaryFile(const std::string& content, const std::string& extension);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(const std::string& content) const;
  std::string read() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The cloud in a file with this content; the content determines the format.
SplatCloud load(const std::string& content);
/// The Error thrown by loading the content; empty if there is none.
Error error_of(const std::string& content);

/// Maximum loss of a format, for values of random_cloud().
struct Tolerance {
  float mean = 0, log_scale = 0, rotation = 0, opacity = 0, dc = 0, sh = 0;
};

/// The first difference beyond the tolerance, as text; empty if there is none. Zero requires
/// identical bits. Otherwise opacities are compared after the sigmoid, and quaternions up to sign.
std::string difference(const SplatCloud& expected, const SplatCloud& found,
                       const Tolerance& within = {});

}  // namespace mote::samples

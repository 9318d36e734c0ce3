// make_seeds DIR: writes small valid files of every format and version, from which fuzzing starts,
// into DIR/ply, DIR/compressed_ply and DIR/spz.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "format_samples.h"

namespace {

void write(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mote::samples;
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds DIR\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  for (int degree = 0; degree <= 4; ++degree) {
    const mote::SplatCloud cloud = random_cloud(5, degree, 1);
    const std::string suffix = "-" + std::to_string(degree);
    for (const char* encoding : {"ascii", "binary_little_endian", "binary_big_endian"}) {
      const PlyStyle style{.encoding = encoding, .surrounded = degree % 2 == 1};
      write(folder / "ply" / (encoding + suffix), ply_file(cloud, style));
    }
    write(folder / "compressed_ply" / ("bounded" + suffix), compressed_ply_file(cloud, true));
    write(folder / "compressed_ply" / ("plain" + suffix), compressed_ply_file(cloud, false));
    for (std::uint32_t version = 1; version <= 4; ++version) {
      write(folder / "spz" / ("v" + std::to_string(version) + suffix), spz_file(cloud, version));
    }
  }
}

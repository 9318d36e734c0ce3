// 500 seeded mutations of each format: the result is a valid cloud or one clear Error, with at most
// twice the memory of a valid file of that size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "allocation_meter.h"
#include "core/error.h"
#include "io/splats/scene_format.h"
#include "support/files/format_samples.h"
#include "support/files/moving_file_samples.h"
#include "support/random_cloud.h"
#include "support/random_field.h"

namespace mote {
namespace {

using samples::TemporaryFile;

constexpr int kMutations = 500;
constexpr std::size_t kSplats = 2000;
constexpr std::size_t kFixedBytes = 256 << 10;  // memory of a reader for files of any size

using Mutate = std::function<void(std::string& content, std::mt19937& random)>;

std::size_t below(std::mt19937& random, std::size_t end) {
  return random() % end;
}

void truncate(std::string& content, std::mt19937& random) {
  content.resize(below(random, content.size()));
}

void flip_bits(std::string& content, std::mt19937& random) {
  for (std::size_t n = 1 + below(random, 16); n > 0; --n) {
    // One in two mutations is in the first KiB, which contains the headers.
    const std::size_t range =
        random() % 2 ? std::min<std::size_t>(content.size(), 1024) : content.size();
    char& byte = content[below(random, range)];
    byte = static_cast<char>(byte ^ (1 << below(random, 8)));
  }
}

void overwrite(std::string& content, std::mt19937& random) {
  const std::size_t at = below(random, content.size());
  const std::size_t length = std::min(content.size() - at, 1 + below(random, 64));
  const bool not_a_number = random() % 2;
  for (std::size_t i = 0; i < length; ++i) {
    content[at + i] = static_cast<char>(not_a_number ? 0xff : random());
  }
}

void insert_or_erase(std::string& content, std::mt19937& random) {
  const std::size_t at = below(random, content.size()), length = 1 + below(random, 32);
  if (random() % 2) {
    content.insert(at, length, static_cast<char>(random()));
  } else {
    content.erase(at, length);
  }
}

/// Replaces a word of a PLY header: counts, types and names.
void change_header_word(std::string& content, std::mt19937& random) {
  constexpr std::string_view kWords[] = {"0",
                                         "1",
                                         "2001",
                                         "4000",
                                         "4294967295",
                                         "18446744073709551615",
                                         "-1",
                                         "1e9",
                                         "nan",
                                         "x",
                                         "99999999999999999999999",
                                         "double",
                                         "uchar",
                                         "short",
                                         "float",
                                         "list uchar int",
                                         "element",
                                         "property",
                                         "vertex",
                                         "ascii",
                                         "binary_big_endian",
                                         "end_header",
                                         "f_rest_0"};
  const std::size_t end = content.find("end_header");
  std::size_t at = content.find_first_of(" \n", below(random, end));
  if (at == content.npos) return;
  ++at;
  const std::size_t length = content.find_first_of(" \n", at) - at;
  content.replace(at, length, kWords[below(random, std::size(kWords))]);
}

void drop_or_repeat_header_line(std::string& content, std::mt19937& random) {
  const std::size_t at = content.find('\n', below(random, content.find("end_header"))) + 1;
  const std::string line = content.substr(at, content.find('\n', at) + 1 - at);
  if (random() % 2) {
    content.erase(at, line.size());
  } else {
    content.insert(at, line);
  }
}

/// Makes a field of an spz header, or of version 4's table of contents, hostile.
void change_spz_field(std::string& content, std::mt19937& random) {
  constexpr std::size_t kOffsets[] = {4, 8, 8, 8, 12, 13, 14, 15, 16, 32, 40, 48, 56};
  constexpr std::uint64_t kValues[] = {0,          1,          2,    3,          4,
                                       5,          255,        2001, 4000,       1 << 24,
                                       0x7fffffff, 0xffffffff, 40,   1ull << 40, ~std::uint64_t{0}};
  const std::size_t at = kOffsets[below(random, std::size(kOffsets))];
  const std::uint64_t value = kValues[below(random, std::size(kValues))];
  const std::size_t bytes = at < 12 || at == 16 ? 4 : at < 16 ? 1 : 8;
  if (at + bytes <= content.size()) std::memcpy(content.data() + at, &value, bytes);
}

struct Sample {
  const char* name;
  std::string content;
  std::vector<Mutate> mutations;
  bool gzip = false;  // the content is compressed after the mutation
};

std::string moving_file(const char* extension, SplatMotion motion) {
  const TemporaryFile file(extension);
  save_scene(random_moving_cloud(kSplats, 1, 77, motion), file.path());
  return file.read();
}

std::string directional_file() {
  const TemporaryFile file(".ply");
  save_scene(random_directional_cloud(kSplats, 1, 77), file.path());
  return file.read();
}

std::string deformed_file() {
  const TemporaryFile file(".ply");
  save_scene(random_deformed_cloud(kSplats, 1, 77), file.path());
  return file.read();
}

std::vector<Sample> all_samples() {
  const SplatCloud cloud = samples::random_cloud(kSplats, 1, 77);
  const std::vector<Mutate> any = {truncate, flip_bits, overwrite, insert_or_erase};
  std::vector<Mutate> ply = any, spz = any;
  ply.insert(ply.end(), {change_header_word, change_header_word, drop_or_repeat_header_line});
  spz.insert(spz.end(), {change_spz_field, change_spz_field, change_spz_field});
  return {
      {"ply ascii", samples::ply_file(cloud, {.encoding = "ascii", .surrounded = true}), ply},
      {"ply little endian", samples::ply_file(cloud), ply},
      {"ply big endian",
       samples::ply_file(cloud, {.encoding = "binary_big_endian", .surrounded = true}), ply},
      {"ply with lives", moving_file(".ply", SplatMotion::life), ply},
      {"ply with paths", moving_file(".ply", SplatMotion::poly), ply},
      {"ply with directions", directional_file(), ply},
      {"ply with a field", deformed_file(), ply},
      {"Spacetime Gaussians", stg_file(random_moving_cloud(kSplats, 0, 7, SplatMotion::poly)), ply},
      {"Brush frames", delta_file(samples::ply_file(cloud), kSplats, 2), ply},
      {"FreeTimeGS", ftgs_file(random_moving_cloud(kSplats, 1, 7), ftgs_comments()), ply},
      {"splatv", moving_file(".splatv", SplatMotion::poly), any},
      {"compressed ply", samples::compressed_ply_file(cloud, true), ply},
      {"spz 1, content", samples::spz_content(cloud, 1), spz, true},
      {"spz 2, content", samples::spz_content(cloud, 2), spz, true},
      {"spz 3, content", samples::spz_content(cloud, 3), spz, true},
      {"spz 3, file", samples::spz_file(cloud, 3), any},
      {"spz 4", samples::spz_file(cloud, 4), spz},
  };
}

/// Reads every value of the cloud, so that a sanitizer detects uninitialised ones.
void expect_whole(const SplatCloud& cloud) {
  double sum = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) {
      const float value = cloud.at(i, field);
      const bool opaque_or_absent = field == Field::logit_opacity && std::isinf(value);
      if (!opaque_or_absent) sum += static_cast<double>(value);
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) sum += static_cast<double>(cloud.sh(i, k, 0));
  }
  EXPECT_GT(cloud.count(), 0u);
  EXPECT_TRUE(std::isfinite(sum) || !cloud.warnings.empty());
}

TEST(FormatMutations, GiveAValidCloudOrAClearErrorWithinTwiceTheMemory) {
  for (const Sample& sample : all_samples()) {
    std::mt19937 random(2024);
    int errors = 0, clouds = 0;
    for (int m = 0; m < kMutations; ++m) {
      std::string content = sample.content;
      for (std::size_t n = 1 + below(random, 2); n > 0 && !content.empty(); --n) {
        sample.mutations[below(random, sample.mutations.size())](content, random);
      }
      if (sample.gzip) content = samples::gzipped(content);
      const TemporaryFile file(content, ".mutated");
      const std::size_t honest = std::max(kSplats * 23 * sizeof(float), content.size());
      reset_allocation_meter();
      try {
        expect_whole(load_scene(file.path()));
        ++clouds;
      } catch (const Error& error) {
        EXPECT_NE(error.problem(), "");
        EXPECT_NE(error.where().find(file.path().string()), std::string::npos) << error.what();
        EXPECT_NE(error.remedy(), "") << error.what();
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        ++errors;
      }
      EXPECT_LE(peak_allocated_bytes(), 2 * honest + kFixedBytes)
          << sample.name << ", mutation " << m;
    }
    EXPECT_GT(errors, kMutations / 10) << sample.name;
    EXPECT_EQ(errors + clouds, kMutations);
  }
}

TEST(FormatMutations, TheMeterMeasuresTheMemoryOfAValidFile) {
  for (const Sample& sample : all_samples()) {
    const TemporaryFile file(sample.gzip ? samples::gzipped(sample.content) : sample.content, "");
    reset_allocation_meter();
    const SplatCloud cloud = load_scene(file.path());
    EXPECT_GE(peak_allocated_bytes(), cloud.memory_bytes()) << sample.name;
    EXPECT_LE(peak_allocated_bytes(),
              2 * std::max(cloud.memory_bytes(), sample.content.size()) + kFixedBytes)
        << sample.name;
  }
}

}  // namespace
}  // namespace mote

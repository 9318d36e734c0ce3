// The public conformance files of the .4dgs format, against the JSON beside each.
// MOTE_4DGS_FIXTURES names their folder: test/fixtures of github.com/avala-ai/4dgs-viewer, which is
// not part of Mote.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/fourdgs/file.h"
#include "io/fourdgs/moment.h"
#include "io/fourdgs/states.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote::fourdgs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kRounded = 2e-6;  // the JSON has six decimals

bool near(double a, double b) {
  return std::abs(a - b) <= kRounded * std::max(1.0, std::abs(b));
}

template <class List>
bool all_near(const List& found, const json& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!near(found[i], expected[i])) return false;
  }
  return true;
}

bool is_sample(const Splat& splat, const json& sample, std::size_t i) {
  const json& sigma = sample["sigmaT"][i];
  return all_near(splat.position, sample["positions"][i]) &&
         all_near(splat.scale, sample["scales"][i]) &&
         all_near(splat.rotation, sample["rotations"][i]) &&
         all_near(splat.color, sample["colors"][i]) &&
         all_near(splat.velocity, sample["motions"][i]) && near(splat.time, sample["muT"][i]) &&
         (sigma.is_null() ? std::isinf(splat.sigma) : near(splat.sigma, sigma)) &&
         near(splat.begin, sample["winLo"][i]) && near(splat.end, sample["winHi"][i]);
}

void expect_lives(const File& file, const json& expected) {
  SplatReader reader(file);
  std::vector<Splat> splats;
  for (std::size_t i = 0; i < file.chunks().size(); ++i) {
    const std::vector<Splat> part = reader.read(i).splats;
    splats.insert(splats.end(), part.begin(), part.end());
  }
  EXPECT_EQ(std::to_string(splats.size()), expected["gaussianCount"].get<std::string>());
  double opacity = 0;
  std::array<double, 3> sum{};
  std::size_t unfading = 0, unmoved = 0;
  for (const Splat& splat : splats) {
    opacity += splat.color[3];
    for (std::size_t i = 0; i < 3; ++i) sum[i] += splat.position[i];
    unfading += std::isinf(splat.sigma);
    unmoved += splat.velocity == std::array<float, 3>{};
  }
  const json& aggregate = expected["aggregate"];
  EXPECT_NEAR(opacity, aggregate["opacitySum"], 1e-3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(sum[i], aggregate["positionSum"][i], 1e-3);
  EXPECT_EQ(std::to_string(unfading), aggregate["neverFadesCount"].get<std::string>());
  EXPECT_EQ(std::to_string(unmoved), aggregate["zeroMotionCount"].get<std::string>());
  const json& sample = expected["sample"];
  for (std::size_t i = 0; i < sample["positions"].size(); ++i) {
    EXPECT_TRUE(std::any_of(splats.begin(), splats.end(),
                            [&](const Splat& splat) { return is_sample(splat, sample, i); }))
        << "sample " << i;
  }
}

void expect_state(const File& file, const json& expected) {
  const double time = expected["t"];
  SplatReader reader(file);
  double opacity = 0;
  std::size_t count = 0;
  std::vector<SeenSplat> all;
  for (std::size_t i = 0; i < file.chunks().size(); ++i) {
    if (time < file.chunks()[i].begin || time >= file.chunks()[i].end) continue;
    for (const Splat& splat : reader.read(i).splats) {
      if (const std::optional<SeenSplat> seen = seen_at(file, splat, time)) {
        all.push_back(*seen);
        opacity += seen->opacity;
        ++count;
      }
    }
  }
  EXPECT_EQ(std::to_string(count), expected["liveCount"].get<std::string>());
  EXPECT_NEAR(opacity, expected["aggregate"]["opacitySum"], 1e-4);
  const json& sample = expected["sample"];
  for (std::size_t i = 0; i < sample["positions"].size(); ++i) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [&](const SeenSplat& seen) {
                              return all_near(seen.position, sample["positions"][i]) &&
                                     (!sample.contains("orientations") ||
                                      all_near(seen.rotation, sample["orientations"][i]));
                            }))
        << "sample " << i << " at " << time << " s";
  }
}

TEST(FourdgsConformance, FilesAreReadAsTheirJsonSays) {
  const char* folder = std::getenv("MOTE_4DGS_FIXTURES");
  if (!folder) GTEST_SKIP() << "MOTE_4DGS_FIXTURES is not set";
  std::size_t files = 0, refused = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".4dgs") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const json expected = json::parse(text_of(fs::path(entry.path()).replace_extension(".json")));
    const InputFile input(entry.path());
    ++files;
    if (expected.contains("refused")) {
      ++refused;
      const Error error = thrown_by([&] {
        const File file(input);
        SplatReader reader(file);
        for (std::size_t i = 0; i < file.chunks().size(); ++i) reader.read(i);
      });
      EXPECT_FALSE(error.remedy().empty());
      continue;
    }
    const File file(input);
    if (file.header().model == TimeModel::lives) expect_lives(file, expected);
    if (expected.contains("states")) {
      for (const json& state : expected["states"]) expect_state(file, state);
    }
  }
  EXPECT_GT(files, 40u);
  EXPECT_EQ(refused, 7u);
}

}  // namespace
}  // namespace mote::fourdgs

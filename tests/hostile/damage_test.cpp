// Every kind of input file, damaged in many ways: the program reads it or refuses it with a
// message, and nothing else happens.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "hostile_run.h"
#include "io/splats/scene_format.h"
#include "support/dataset_fixture.h"
#include "support/files/file_bytes.h"
#include "support/files/format_samples.h"

namespace mote::hostile {
namespace {

namespace fs = std::filesystem;

/// An input file and a command that reads it, in a folder filled by make_inputs().
struct Input {
  std::string name;  // of the test
  std::string file;
  std::vector<std::string> words;
};

/// A run of 6 steps in out/, with a checkpoint, made before.
const std::vector<std::string> kTrain{"-q",      "train", "data",         "-o", "out",
                                      "--steps", "6",     "--max-splats", "80", "--no-eval"};
const std::vector<std::string> kRender{"render", "scene.ply", "--size", "16x12", "-o", "pictures"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const std::vector<Input>& inputs() {
  static const std::vector<Input> kInputs{
      {"Ply", "scene.ply", {"info", "scene.ply"}},
      {"AsciiPly", "ascii.ply", {"info", "ascii.ply"}},
      {"CompressedPly", "c.compressed.ply", {"info", "c.compressed.ply"}},
      {"Spz2", "v2.spz", {"info", "v2.spz"}},
      {"Spz3", "v3.spz", {"info", "v3.spz"}},
      {"Spz4", "v4.spz", {"info", "v4.spz"}},
      {"ColmapCameras", "data/sparse/0/cameras.txt", {"info", "data"}},
      {"ColmapImages", "data/sparse/0/images.txt", {"info", "data"}},
      {"ColmapPoints", "data/sparse/0/points3D.txt", {"info", "data"}},
      {"Png", "data/images/view_01.png", {"info", "data"}},
      {"Transforms", "transforms.json", with(kRender, {"--cameras", "transforms.json"})},
      {"CameraPath", "path.json", with(kRender, {"--path", "path.json", "--duration", "0.1"})},
      {"Configuration", "out/config.json", {"train", "--resume", "-o", "out"}},
      {"Checkpoint", "out/checkpoints/ckpt_000000006.bin", {"train", "--resume", "-o", "out"}},
      {"Script", "script.txt", {"view", "--offscreen", "--script", "script.txt"}},
  };
  return kInputs;
}

std::string transforms_text() {
  std::string frames;
  for (int i = 0; i < 3; ++i) {
    frames += fmt::format(
        R"({}{{"file_path": "view_{:02}.png",
              "transform_matrix": [[1,0,0,{}],[0,1,0,0.5],[0,0,1,4],[0,0,0,1]]}})",
        i == 0 ? "" : ",\n", i, i);
  }
  return R"({"w": 64, "h": 48, "fl_x": 60, "fl_y": 60, "cx": 32, "cy": 24, "frames": [)" + frames +
         "]}";
}

void make_inputs(const fs::path& folder) {
  const SplatCloud cloud = samples::random_cloud(60, 1, 5);
  write_bytes(folder / "scene.ply", samples::ply_file(cloud));
  write_bytes(folder / "ascii.ply", samples::ply_file(cloud, {.encoding = "ascii"}));
  write_bytes(folder / "c.compressed.ply", samples::compressed_ply_file(cloud, true));
  for (const std::uint32_t version : {2u, 3u, 4u}) {
    write_bytes(folder / fmt::format("v{}.spz", version), samples::spz_file(cloud, version));
  }
  make_tiny_dataset(folder / "data");
  write_bytes(folder / "transforms.json", transforms_text());
  write_bytes(folder / "path.json", transforms_text());
  write_bytes(folder / "script.txt", "open scene.ply\nwait loaded\nsize 32 24\nwait still\n");
  const RunResult trained = run_program(kTrain, {.folder = folder});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
}

constexpr int kWays = 24;

/// One of kWays ways to damage a file; the position depends on the way and the seed.
std::string damaged(std::string bytes, int way, std::mt19937& random) {
  const std::size_t place = random() % std::max<std::size_t>(bytes.size(), 1);
  const std::size_t end = std::min(bytes.size(), place + 1 + random() % 16);
  switch (way % 8) {
    case 0:
      return bytes.substr(0, place);
    case 1:
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << random() % 8));
      return bytes;
    case 2:
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(place),
                bytes.begin() + static_cast<std::ptrdiff_t>(end), '\xff');
      return bytes;
    case 3:
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(place),
                bytes.begin() + static_cast<std::ptrdiff_t>(end), '\0');
      return bytes;
    case 4:
      return bytes.erase(place, end - place);
    case 5:
      return bytes.insert(place, bytes.substr(place / 2, 64));
    case 6:
      return bytes.insert(place, std::string(1 << 16, '9'));
    default:
      constexpr const char* kNumbers[] = {"nan", "-1", "1e999"};
      return bytes.replace(place, end - place, kNumbers[way / 8 % 3]);
  }
}

class Damage : public ::testing::TestWithParam<Input> {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              fmt::format("mote_damage_{}_{}", GetParam().name, ::getpid());
    fs::create_directories(folder_);
    make_inputs(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  fs::path folder_;
};

TEST_P(Damage, IsReadOrRefusedAndNothingElse) {
  const Input& input = GetParam();
  const std::string whole = text_of(folder_ / input.file);
  ASSERT_FALSE(whole.empty());
  const RunResult sound = run_program(input.words, {.folder = folder_});
  ASSERT_EQ(sound.exit_code, 0) << sound.err;
  std::mt19937 random(17);
  for (int way = 0; way < kWays; ++way) {
    fs::remove_all(folder_ / "pictures");
    const std::string bytes = damaged(whole, way, random);
    write_bytes(folder_ / input.file, bytes);
    const auto before = snapshot(folder_ / "data");
    const RunResult result = run_program(input.words, {.folder = folder_});
    SCOPED_TRACE(fmt::format("way {}: {}{}", way, result.err, result.out.substr(0, 500)));
    EXPECT_FALSE(result.hung);
    EXPECT_TRUE(result.exit_code >= 0 && result.exit_code <= 2) << result.exit_code;
    EXPECT_EQ(result.err.find("internal fault"), std::string::npos);
    if (result.exit_code != 0) {
      EXPECT_NE(result.err.find("mote: "), std::string::npos);
      EXPECT_NE(result.err.find("; "), std::string::npos) << "no remedy";
    }
    EXPECT_EQ(text_of(folder_ / input.file) == bytes || input.file.starts_with("out/"), true)
        << "the input has changed";
    EXPECT_EQ(snapshot(folder_ / "data"), before);
  }
}

void PrintTo(const Input& input, std::ostream* out) {
  *out << input.name;
}

INSTANTIATE_TEST_SUITE_P(Inputs, Damage, ::testing::ValuesIn(inputs()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mote::hostile

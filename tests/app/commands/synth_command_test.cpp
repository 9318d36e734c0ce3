// `mote synth` as users meet it: a dataset that loads and is the same on every run, and refusals.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <signal.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cameras/camera_ray.h"
#include "cameras/lens_rays.h"
#include "io/datasets/dataset_source.h"
#include "io/images/image_files.h"
#include "io/images/picture_rows.h"
#include "io/meshes/mesh_file.h"
#include "support/files/small_disk.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

std::vector<float> read_channel(const fs::path& path, const char* name) {
  Imf::InputFile file(path.c_str());
  const auto window = file.header().dataWindow();
  const auto width = static_cast<std::size_t>(window.max.x + 1);
  std::vector<float> values(width * static_cast<std::size_t>(window.max.y + 1));
  Imf::FrameBuffer frame;
  frame.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), sizeof(float),
                                sizeof(float) * width));
  file.setFrameBuffer(frame);
  file.readPixels(window.min.y, window.max.y);
  return values;
}

class SynthCommand : public Program {
 protected:
  /// The smallest dataset with all parts.
  Outcome synth(const std::string& scene, const std::string& out,
                const std::vector<std::string>& more = {},
                const std::string& points = "200") const {
    std::vector<std::string> words{
        "synth",        scene, "-o",        path(out), "--resolution", "24x18", "--views", "2",
        "--test-views", "1",   "--samples", "1",       "--points",     points};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// Contents of all files below a folder, by their paths.
  std::map<std::string, std::string> contents(const std::string& folder) const {
    std::map<std::string, std::string> result;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder))) {
      if (!entry.is_regular_file()) continue;
      result[fs::relative(entry.path(), path(folder)).string()] = text_of(entry.path());
    }
    return result;
  }
};

TEST_F(SynthCommand, ADatasetHasConsistentParts) {
  const Outcome outcome = synth("pottery", "out", {"--background", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2 training views and 1 test view, "), std::string::npos)
      << outcome.out;
  const LoadedDataset loaded = load_dataset(path("out"), DatasetOptions{});
  ASSERT_EQ(loaded.dataset.warnings.size(), 1u);
  EXPECT_NE(loaded.dataset.warnings[0].find("2 training photographs are too few"),
            std::string::npos);
  EXPECT_EQ(loaded.dataset.train.size(), 2u);
  EXPECT_EQ(loaded.dataset.test.size(), 1u);
  EXPECT_GT(loaded.dataset.points.positions.size(), 50u);
  EXPECT_EQ(loaded.dataset.photographs[0].camera.width, 24);
  const json top = json::parse(text_of(path("out/transforms_train.json")));
  EXPECT_EQ(top["ply_file_path"], "points.ply");
  EXPECT_TRUE(text_of(path("out/points.ply")).starts_with("ply\nformat binary_little_endian"));
  for (const json& frame : top["frames"]) {
    const std::string file = frame["file_path"], name = fs::path(file).stem().string();
    EXPECT_FALSE(frame.contains("time"));
    const Image8 image = read_image8(path("out/" + file));
    const Image8 mask = read_image8(path("out/object_masks/train/" + name + ".png"));
    const auto depth = read_channel(path("out/depth/train/" + name + ".exr"), "Z");
    std::vector<float> normal[3];
    for (int c = 0; c < 3; ++c) {
      normal[c] = read_channel(path("out/normals/train/" + name + ".exr"), c == 0   ? "X"
                                                                           : c == 1 ? "Y"
                                                                                    : "Z");
    }
    ASSERT_EQ(image.channels, 4);
    ASSERT_EQ(depth.size(), 24u * 18u);
    std::size_t seen = 0;
    for (std::size_t i = 0; i < depth.size(); ++i) {
      const float length2 =
          normal[0][i] * normal[0][i] + normal[1][i] * normal[1][i] + normal[2][i] * normal[2][i];
      EXPECT_EQ(mask.pixels[i], depth[i] > 0 ? 255 : 0);
      EXPECT_NEAR(length2, depth[i] > 0 ? 1 : 0, 1e-4);
      seen += depth[i] > 0;
    }
    EXPECT_GT(seen, 40u);
  }
}

TEST_F(SynthCommand, TheSameSeedGivesTheSameFilesOnAnyNumberOfThreads) {
  ASSERT_EQ(synth("orrery", "one", {"--threads", "1"}).exit_code, 0);
  ASSERT_EQ(synth("orrery", "two", {"--threads", "2"}).exit_code, 0);
  const auto one = contents("one");
  EXPECT_EQ(one.size(), 3u * 4u + 3u);
  EXPECT_EQ(one, contents("two"));
  ASSERT_EQ(synth("orrery", "other", {"--seed", "7"}).exit_code, 0);
  EXPECT_NE(one.at("train/r_000.png"), text_of(path("other/train/r_000.png")));
}

TEST_F(SynthCommand, MovingViewsHaveTimesLensAndExposureAreListed) {
  const Outcome outcome = synth(
      "orrery", "out",
      {"--moving", "--distortion", "-0.1,0.01,0.001,0", "--exposure-jitter", "0.5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["train_views"], 2);
  const json train = json::parse(text_of(path("out/transforms_train.json")));
  const json test = json::parse(text_of(path("out/transforms_test.json")));
  EXPECT_EQ(train["camera_model"], "OPENCV");
  EXPECT_EQ(train["k1"], -0.1);
  EXPECT_EQ(train["p1"], 0.001);
  EXPECT_EQ(train["frames"][0]["time"], 0.0);
  EXPECT_NE(train["frames"][0]["exposure"], 1.0);
  EXPECT_EQ(test["frames"][0]["exposure"], 1.0);
  EXPECT_EQ(test["frames"][0]["time"], 1.0);
}

TEST_F(SynthCommand, RigsAreTheSameOnAnyNumberOfThreadsAndDescribedInTheReport) {
  const auto film = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "synth",        "flag",  "-o",       path(out), "--rig",     "arc",
        "--cameras",    "3",     "--frames", "2",       "--samples", "1",
        "--resolution", "32x24", "--points", "50",      "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome outcome = film("one", {"--threads", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["frames"], 2);
  EXPECT_EQ(json::parse(outcome.out)["layout"], "d-nerf");
  ASSERT_EQ(film("two", {"--threads", "2"}).exit_code, 0);
  EXPECT_EQ(contents("one"), contents("two"));
  EXPECT_NE(film("one", {}).exit_code, 0);  // the folder is not empty
  ASSERT_EQ(film("one", {"-y", "--layout", "easyvolcap"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(path("one/transforms_train.json")));
  const Outcome info = run({"info", path("one"), "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const json facts = json::parse(info.out);
  EXPECT_EQ(facts["format"], "EasyVolcap");
  EXPECT_EQ(facts["split"]["by"], "camera");
  EXPECT_EQ(facts["physical_cameras"].size(), 3u);
  EXPECT_EQ(facts["time"]["frames_per_second"], 30);
}

TEST_F(SynthCommand, PointsAreSeenInTheMiddleOfPixelsThroughEveryLens) {
  const std::vector<std::vector<std::string>> cases{
      {"--lens", "opencv", "--distortion", "-0.2,0.05,0.001,0", "--rolling-shutter", "5"},
      {"--lens", "fisheye", "--distortion", "-0.02,0.005,0,0"},
      {"--lens", "equirectangular", "--rolling-shutter", "2"}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string folder = fmt::format("lens_{}", i);
    // Points are picked from all pixels, of which few show the objects through a wide lens.
    ASSERT_EQ(synth("pottery", folder, cases[i], "8000").exit_code, 0);
    const LoadedDataset data = load_dataset(path(folder), {.lens_mode = "rays"});
    const Camera& first = data.dataset.photographs[data.dataset.train[0]].camera;
    ASSERT_NE(first.lens, nullptr);
    EXPECT_EQ(first.motion != nullptr, i != 1);
    // The first points are pixels of the first photograph.
    ASSERT_GT(data.dataset.points.positions.size(), 6u);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto px = pixel_of(first, data.dataset.points.positions[k]);
      ASSERT_TRUE(px);
      for (const double at : {px->x, px->y}) EXPECT_NEAR(at - std::floor(at), 0.5, 0.01) << i;
    }
  }
}

/// The curve from linear light to a picture of `mote synth`: Narkowicz's fit of ACES, and sRGB.
float shown(float light) {
  const float x = 0.6f * light;
  const float toned =
      std::clamp(x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f), 0.0f, 1.0f);
  return toned <= 0.0031308f ? 12.92f * toned : 1.055f * std::pow(toned, 1 / 2.4f) - 0.055f;
}

TEST_F(SynthCommand, LinearLightIsThatOfThePicturesWithValuesAboveOne) {
  ASSERT_EQ(synth("pottery", "out", {"--background", "none", "--hdr"}).exit_code, 0);
  ASSERT_EQ(synth("pottery", "plain", {"--background", "none"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(path("plain/hdr")));
  const json top = json::parse(text_of(path("out/transforms_train.json")));
  float highest = 0;
  for (const json& frame : top["frames"]) {
    const std::string picture = frame["file_path"], light = frame["hdr_file_path"];
    EXPECT_EQ(text_of(path("out/" + picture)), text_of(path("plain/" + picture)));
    const Image8 image = read_image8(path("out/" + picture));
    const auto alpha = read_channel(path("out/" + light), "A");
    ASSERT_EQ(alpha.size(), 24u * 18u);
    for (std::size_t c = 0; c < 3; ++c) {
      const auto values = read_channel(path("out/" + light), c == 0 ? "R" : c == 1 ? "G" : "B");
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(image.pixels[4 * i + 3], 255 * alpha[i], 0.51);
        if (alpha[i] == 0) {
          EXPECT_EQ(values[i], 0);
          continue;
        }
        // One path per pixel: the mean of one value is the value.
        EXPECT_NEAR(image.pixels[4 * i + c], 255 * shown(values[i]), 0.6) << light << " " << i;
        highest = std::max(highest, values[i]);
      }
    }
  }
  EXPECT_GT(highest, 1);
  std::size_t pixels = 0;
  const std::string first = top["frames"][0]["hdr_file_path"];
  const PictureFacts facts = read_picture(
      path("out/" + first), {.begin = [](const PictureFacts&) { return std::uint64_t{0}; },
                             .wait = {},
                             .take = [&](int, const float*) { pixels += 24; }});
  EXPECT_TRUE(facts.is_linear && facts.has_alpha);
  EXPECT_EQ(pixels, 24u * 18u);
}

TEST_F(SynthCommand, ARoomIsADatasetThatLoads) {
  ASSERT_EQ(synth("study", "out").exit_code, 0);
  const LoadedDataset loaded = load_dataset(path("out"), DatasetOptions{});
  EXPECT_EQ(loaded.dataset.train.size(), 2u);
  EXPECT_GT(loaded.dataset.points.positions.size(), 150u);
  const auto depth = read_channel(path("out/depth/train/r_000.exr"), "Z");
  for (const float one : depth) EXPECT_TRUE(one > 0.1f && one < 20) << one;
}

TEST_F(SynthCommand, TheFigureIsAMeshInEachFormat) {
  for (const char* name : {"a.ply", "a.obj", "a.glb"}) {
    const Outcome outcome =
        run({"synth", "figure", "-o", path(name), "--triangles", "50000", "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json facts = json::parse(outcome.out);
    const TriangleMesh mesh = read_mesh(path(name));
    EXPECT_EQ(mesh.triangles.size(), facts["triangles"]) << name;
    // Programs read an .obj with a vertex for each corner.
    if (fs::path(name).extension() != ".obj") {
      EXPECT_EQ(mesh.positions.size(), facts["vertices"]) << name;
    }
    EXPECT_NEAR(facts["triangles"].get<double>(), 50000, 2500);
  }
  expect_refusal({"synth", "figure", "-o", path("a.ply"), "--triangles", "50000"}, 1,
                 {"a.ply", "exists", "-y"});
}

TEST_F(SynthCommand, ErrorsAreReportedWithARemedy) {
  const std::string out = path("out"), file = write_file("file.txt", "x");
  expect_refusal({"synth", "potery", "-o", out}, 2, {"potery", "pottery"});
  expect_refusal({"synth", "pottery"}, 2, {"--out"});
  expect_refusal({"synth", "figure", "-o", path("a.stl")}, 2, {"a.stl", ".ply"});
  expect_refusal({"synth", "figure", "-o", path("a.ply"), "--views", "3"}, 2, {"--views", "mesh"});
  expect_refusal({"synth", "figure", "-o", path("a.ply"), "--triangles", "9"}, 2, {"--triangles"});
  expect_refusal({"synth", "pottery", "-o", out, "--triangles", "60000"}, 2,
                 {"--triangles", "pottery"});
  expect_refusal({"synth", "pottery", "-o", out, "--moving"}, 2, {"pottery", "--moving"});
  expect_refusal({"synth", "pottery", "-o", out, "--rig", "arc"}, 2, {"pottery", "--rig"});
  expect_refusal({"synth", "arm", "-o", out, "--frames", "3"}, 2, {"--frames", "--rig"});
  expect_refusal({"synth", "arm", "-o", out, "--rig", "arc", "--views", "3"}, 2,
                 {"--views", "--rig"});
  expect_refusal({"synth", "arm", "-o", out, "--rig", "arc", "--layout", "dnerf"}, 2,
                 {"--layout", "n3v"});
  expect_refusal({"synth", "pottery", "-o", out, "--views", "0"}, 2, {"--views"});
  expect_refusal({"synth", "pottery", "-o", out, "--samples", "0"}, 2, {"--samples"});
  expect_refusal({"synth", "pottery", "-o", out, "--distortion", "1,2"}, 2, {"--distortion"});
  expect_refusal({"synth", "pottery", "-o", out, "--distortion", "-4,0,0,0"}, 2,
                 {"--distortion", "pixel"});
  for (const char* size : {"0x0", "20x", "20", "99999x10", "axb", "20x20x2"}) {
    expect_refusal({"synth", "pottery", "-o", out, std::string("--resolution=") + size}, 2,
                   {"--resolution", size});
  }
  EXPECT_FALSE(fs::exists(out));
  expect_refusal({"synth", "pottery", "-o", file, "--views", "1"}, 1, {"file.txt", "folder"});
  fs::create_directories(path("full"));
  write_file("full/mine.txt", "x");
  expect_refusal({"synth", "pottery", "-o", path("full")}, 1, {"not empty", "-y"});
  fs::create_directories(path("full/train/r_000.png"));
  expect_refusal(
      {"synth", "pottery", "-o", path("full"), "-y", "--samples", "1", "--resolution", "8x6"}, 1,
      {"r_000.png", "directory"});
  EXPECT_FALSE(fs::exists(path("full/transforms_train.json")));
}

TEST_F(SynthCommand, AFullDiskIsReportedAndLeavesNoDataset) {
  const std::vector<std::string> words{"synth",     "pottery", "-o",           path("disk/out"),
                                       "--samples", "1",       "--resolution", "64x48",
                                       "--views",   "20"};
  {
    const SmallDisk disk(path("disk"), 64 << 10);
    if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a small disk";
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("No space left"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(path("disk/out")), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(path("disk/out/transforms_train.json")));
    for (const auto& [name, bytes] : contents("disk")) {
      EXPECT_EQ(name.find(".partial-"), std::string::npos) << name;
    }
  }
  const Outcome outcome = run_on_small_disk(words, 3000);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("disk/out/transforms_train.json")));
}

TEST_F(SynthCommand, AnInterruptLeavesNoDataset) {
  fs::create_directories(path("out"));
  write_file("out/transforms_train.json", R"({"software": "Mote"})");
  const pid_t child = start({"synth", "pottery", "-o", path("out"), "-y", "--samples", "1",
                             "--resolution", "64x48", "--views", "100000"});
  siginfo_t ended{};
  while (!fs::exists(path("out/object_masks/train/r_00001.png")) && ended.si_pid == 0) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    ::usleep(1000);
  }
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  EXPECT_FALSE(fs::exists(path("out/transforms_train.json")));
  EXPECT_EQ(read_image8(path("out/train/r_00001.png")).width, 64);
}

}  // namespace
}  // namespace mote

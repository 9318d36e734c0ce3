// `mote render` and `mote bench` as users meet them: files, names, sizes, refusals.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "backend/train_snapshot.h"
#include "cpu/kernels.h"
#include "io/images/image_files.h"
#include "support/own_memory.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class RenderCommand : public Program {
 protected:
  /// Two cameras in front of and behind the unit cube, 96x64 px.
  json cameras() const {
    const json front = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
    const json back = json::parse("[[-1,0,0,0],[0,1,0,0],[0,0,-1,-4],[0,0,0,1]]");
    return {{"w", 96},
            {"h", 64},
            {"fl_x", 100},
            {"frames",
             {{{"file_path", "images/front.jpg"}, {"transform_matrix", front}},
              {{"file_path", "images/back.jpg"}, {"transform_matrix", back}}}}};
  }
  std::string write_cameras(const json& value) const {
    return write_file("transforms.json", value.dump());
  }
  std::vector<std::string> pictures() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path("out"))) {
      if (entry.is_regular_file()) {
        names.push_back(fs::relative(entry.path(), path("out")).string());
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(RenderCommand, FilesHaveTheNameOfTheFrameAndTheSizeOfItsCamera) {
  const Outcome outcome =
      run({"render", write_scene(), "--cameras", write_cameras(cameras()), "-o", path("out")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(pictures(), (std::vector<std::string>{"back.png", "front.png"}));
  const Image8 image = read_image8(path("out/front.png"));
  EXPECT_EQ(image.width, 96);
  EXPECT_EQ(image.height, 64);
  EXPECT_EQ(image.channels, 3);
  const auto bright = image.pixels.span();
  EXPECT_TRUE(std::any_of(bright.begin(), bright.end(), [](auto v) { return v > 20; }));
}

TEST_F(RenderCommand, AnOrbitWithCamerasFollowsTheirCircle) {
  json ring = cameras();
  ring["frames"] = json::array();
  for (int i = 0; i < 4; ++i) {  // around the z axis, upright, looking at the origin
    const int c = i == 0 ? 1 : i == 2 ? -1 : 0, s = i == 1 ? 1 : i == 3 ? -1 : 0;
    ring["frames"].push_back(
        {{"file_path", std::to_string(i) + ".jpg"},
         {"transform_matrix", {{-s, 0, c, 5 * c}, {c, 0, s, 5 * s}, {0, 1, 0, 0}, {0, 0, 0, 1}}}});
  }
  const std::string scene = write_scene(), file = write_cameras(ring);
  const Outcome orbit =
      run({"render", scene, "--cameras", file, "--orbit", "4", "-o", path("out")});
  ASSERT_EQ(orbit.exit_code, 0) << orbit.err;
  ASSERT_EQ(run({"render", scene, "--cameras", file, "-o", path("cameras")}).exit_code, 0);
  EXPECT_EQ(pictures(), (std::vector<std::string>{"orbit_000.png", "orbit_001.png", "orbit_002.png",
                                                  "orbit_003.png"}));
  EXPECT_EQ(text_of(path("out/orbit_000.png")), text_of(path("cameras/0.png")));
  EXPECT_EQ(text_of(path("out/orbit_001.png")), text_of(path("cameras/1.png")));
}

TEST_F(RenderCommand, EveryOutputHasItsSuffixInBothFormats) {
  const std::string scene = write_scene();
  for (const char* format : {"png", "exr"}) {
    const Outcome outcome =
        run({"render", scene, "--orbit", "1", "--size", "40x30", "-o", path("out"), "--format",
             format, "--output", "rgb,alpha,depth", "--output", "depth-median,overdraw,tile-cost"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string end = std::string(".") + format;
    std::vector<std::string> expected{"orbit_000" + end,          "orbit_000_alpha" + end,
                                      "orbit_000_depth" + end,    "orbit_000_depth_median" + end,
                                      "orbit_000_overdraw" + end, "orbit_000_tile_cost" + end};
    EXPECT_EQ(pictures(), expected);
    fs::remove_all(path("out"));
  }
}

TEST_F(RenderCommand, OnlySurfelsHaveAnImageOfNormals) {
  const std::string gaussians = write_scene();
  SplatCloud cloud(3, 0, SplatKind::surfel);
  fill_zero(cloud);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::mean_x) = 0.3f * static_cast<float>(i);
    cloud.at(i, Field::log_scale_x) = cloud.at(i, Field::log_scale_y) = -1.0f;
    cloud.at(i, Field::rotation_w) = 1.0f;
    cloud.at(i, Field::logit_opacity) = 4.0f;
  }
  save_scene(cloud, path("surfels.ply"));
  const std::vector<std::string> options{
      "--cameras", write_cameras(cameras()), "-o", path("out"), "--output", "normal,depth"};
  const auto render = [&](const std::string& scene) {
    std::vector<std::string> words{"render", scene};
    words.insert(words.end(), options.begin(), options.end());
    return run(words);
  };
  const Outcome refused = render(gaussians);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("gaussian have no normals"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--mode normals"), std::string::npos) << refused.err;

  ASSERT_EQ(render(path("surfels.ply")).exit_code, 0);
  EXPECT_EQ(pictures(), (std::vector<std::string>{"back_depth.png", "back_normal.png",
                                                  "front_depth.png", "front_normal.png"}));
  // A surfel that faces the camera has its normal along the view, which is blue.
  const Image8 normals = read_image8(path("out/front_normal.png"));
  const std::uint8_t* middle = normals.pixels.data() + (32 * 96 + 48) * 3;
  EXPECT_NEAR(middle[0], 128, 4);
  EXPECT_NEAR(middle[1], 128, 4);
  EXPECT_GT(middle[2], 230);
}

TEST_F(RenderCommand, EachModeAndSplatScaleGivesADifferentPicture) {
  const std::string scene = write_scene();
  std::set<std::string> pictures;
  const std::vector<std::string> modes{"color",      "depth",  "normals",  "alpha",
                                       "ellipsoids", "points", "overdraw", "tiles"};
  for (const std::string& mode : modes) {
    const Outcome outcome = run({"render", scene, "--orbit", "1", "--size", "80x60", "-o",
                                 path("out"), "-y", "--mode", mode, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    pictures.insert(text_of(path("out/orbit_000.png")));
    const json view = json::parse(outcome.out)["views"][0];
    const bool measures = mode == "depth" || mode == "overdraw" || mode == "tiles";
    ASSERT_EQ(view.contains("range"), measures) << mode;
    if (measures) {
      EXPECT_GT(view["range"][1], view["range"][0]);
    }
  }
  EXPECT_EQ(pictures.size(), modes.size());
  ASSERT_EQ(run({"render", scene, "--orbit", "1", "--size", "80x60", "-o", path("out"), "-y",
                 "--splat-scale", "0.3"})
                .exit_code,
            0);
  EXPECT_TRUE(pictures.insert(text_of(path("out/orbit_000.png"))).second);
  const Outcome unknown = run({"render", scene, "--orbit", "1", "-o", path("out"), "--mode", "x"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("ellipsoids"), std::string::npos) << unknown.err;
}

TEST_F(RenderCommand, SizeScalesTheViewAndKeepsPixelsSquare) {
  const std::string scene = write_scene(), file = write_cameras(cameras());
  ASSERT_EQ(
      run({"render", scene, "--cameras", file, "-o", path("out"), "--size", "192x64"}).exit_code,
      0);
  ASSERT_EQ(run({"render", scene, "--cameras", file, "-o", path("whole")}).exit_code, 0);
  const Image8 wide = read_image8(path("out/front.png"));
  const Image8 whole = read_image8(path("whole/front.png"));
  ASSERT_EQ(wide.width, 192);
  int off = 0;
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 96 * 3; ++x) off += wide.row(y)[48 * 3 + x] != whole.row(y)[x] ? 1 : 0;
  }
  EXPECT_LT(off, 96 * 64 * 3 / 100);
}

TEST_F(RenderCommand, AnEmptyViewShowsTheBackgroundWithAWarning) {
  json away = cameras();
  away["frames"][0]["transform_matrix"] = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,-9],[0,0,0,1]]");
  const Outcome outcome = run({"render", write_scene(), "--cameras", write_cameras(away), "-o",
                               path("out"), "--background", "1,0.5,0"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("nothing is visible in 1 of 2 views"), std::string::npos);
  const Image8 image = read_image8(path("out/front.png"));
  EXPECT_EQ(image.pixels[0], 255);
  EXPECT_EQ(image.pixels[1], 128);
  EXPECT_EQ(image.pixels[2], 0);
}

TEST_F(RenderCommand, RepeatedStemsGoIntoTheirFolders) {
  json file = cameras();
  file["frames"][0]["file_path"] = "left/1.png";
  file["frames"][1]["file_path"] = "../right/1.png";
  ASSERT_EQ(
      run({"render", write_scene(), "--cameras", write_cameras(file), "-o", path("out")}).exit_code,
      0);
  EXPECT_EQ(pictures(), (std::vector<std::string>{"left/1.png", "right/1.png"}));
}

TEST_F(RenderCommand, JsonListsTheFilesOfEveryView) {
  const Outcome outcome = run({"--json", "render", write_scene(), "--orbit", "2", "--size", "20x10",
                               "-o", path("out"), "--output", "alpha"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  ASSERT_EQ(result["views"].size(), 2u);
  EXPECT_TRUE(fs::exists(result["views"][1]["files"]["alpha"].get<std::string>()));
}

TEST_F(RenderCommand, PicturesDoNotDependOnTheNumberOfThreads) {
  const std::string scene = write_scene(2000, 2);
  for (const char* threads : {"1", "3"}) {
    ASSERT_EQ(run({"render", scene, "--orbit", "1", "--size", "333x222", "--threads", threads, "-o",
                   path(threads)})
                  .exit_code,
              0);
  }
  EXPECT_EQ(text_of(path("1/orbit_000.png")), text_of(path("3/orbit_000.png")));
}

TEST_F(RenderCommand, ErrorsAreReportedWithARemedy) {
  const std::string scene = write_scene(), file = write_cameras(cameras());
  json blind = cameras();
  blind.erase("fl_x");
  const std::string blind_file = write_file("blind.json", blind.dump());
  json parallel = cameras();
  parallel["frames"][1]["transform_matrix"] = parallel["frames"][0]["transform_matrix"];
  const std::string parallel_file = write_file("parallel.json", parallel.dump());
  const std::string notes = write_file("notes.txt", "hello");
  const std::string out = path("out");
  std::size_t isas = 0;
  const std::string worst_isa = isa_table(isas)[0].kernels->name;
  expect_refusal({"render", scene, "--cameras", path("none.json"), "-o", out}, 1, {"none.json"});
  expect_refusal({"render", scene, "--cameras", blind_file, "-o", out}, 1,
                 {"blind.json", "frame 0 (images/front.jpg)", "no intrinsics", "camera_angle_x"});
  expect_refusal({"render", scene, "--cameras", notes, "-o", out}, 1, {"notes.txt", "COLMAP"});
  expect_refusal({"render", path("none.ply"), "--orbit", "2", "-o", out}, 1, {"none.ply"});
  expect_refusal({"render", notes, "--orbit", "2", "-o", out}, 1, {"notes.txt"});
  expect_refusal({"render", scene, "--orbit", "2", "-o", notes}, 1, {"notes.txt", "folder"});
  expect_refusal({"render", scene, "--orbit", "2", "-o", out, "--isa", "v9"}, 2,
                 {"--isa", "v9", worst_isa});
  expect_refusal({"render", scene, "-o", out}, 2, {"--cameras", "--orbit"});
  expect_refusal({"render", scene, "--cameras", parallel_file, "--orbit", "2", "-o", out}, 1,
                 {"parallel.json", "common centre", "--orbit"});
  expect_refusal({"render", scene, "--orbit", "2"}, 2, {"--out"});
  for (const char* size : {"0x0", "20x", "x20", "-5x5", "20", "99999x10", "20x20x20", "axb"}) {
    expect_refusal({"render", scene, "--orbit", "2", "-o", out, std::string("--size=") + size}, 2,
                   {"--size", size, "1280x720"});
  }
  expect_refusal({"render", scene, "--orbit", "2", "-o", out, "--format", "gif"}, 2,
                 {"gif", "exr"});
  expect_refusal({"render", scene, "--orbit", "2", "-o", out, "--output", "rgb,heat"}, 2,
                 {"heat", "alpha"});
  expect_refusal({"render", scene, "--orbit", "2", "-o", out, "--background", "1,2"}, 2,
                 {"--background"});
}

TEST_F(RenderCommand, AnInterruptEndsWith130AndLeavesWholePicturesOnly) {
  const pid_t child =
      start({"render", write_scene(), "--orbit", "100000", "--size", "200x200", "-o", path("out")});
  siginfo_t ended{};
  while (!fs::exists(path("out/orbit_003.png")) && ended.si_pid == 0) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
  }
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  for (const std::string& name : pictures()) {
    EXPECT_EQ(fs::path(name).extension(), ".png") << name;
    EXPECT_EQ(read_image8(path("out/" + name)).width, 200);
  }
}

TEST_F(RenderCommand, BenchPrintsATableAndWritesItsNumbers) {
  const Outcome outcome =
      run({"bench", write_scene(), "--cameras", write_cameras(cameras()), "--size", "48x32",
           "--frames", "3", "--warmup", "1", "--threads", "1", "--json", path("bench.json")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("cull+project"), std::string::npos);
  const json result = json::parse(text_of(path("bench.json")));
  for (const char* key : {"mean_ms", "p50_ms", "p95_ms", "p99_ms", "fps"}) {
    EXPECT_GT(result["frame"][key].get<double>(), 0) << key;
  }
  for (const char* stage : {"project", "bin", "sort", "blend"}) {
    EXPECT_TRUE(result["stages"].contains(stage)) << stage;
  }
  ASSERT_EQ(result["views"].size(), 2u);
  EXPECT_EQ(result["views"][0]["name"], "front");
  EXPECT_EQ(result["scene"]["splats"], 100);
  EXPECT_EQ(result["settings"]["width"], 48);
  EXPECT_GT(result["machine"]["peak_memory_bytes"].get<double>(), 1e6);
  EXPECT_TRUE(result.contains("closeup"));
}

TEST_F(RenderCommand, BenchPrintsOnlyJsonIfNoFileIsNamed) {
  const std::string scene = write_scene();
  const std::vector<std::string> rest{"--size", "32x32", "--orbit", "1", "--frames", "1"};
  for (std::vector<std::string> words : {std::vector<std::string>{"bench", scene, "--json"},
                                         std::vector<std::string>{"--json", "bench", scene}}) {
    words.insert(words.end(), rest.begin(), rest.end());
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(json::parse(outcome.out).contains("frame"));
  }
}

TEST_F(RenderCommand, BenchRefusesImpossibleMeasurementsAndOutputs) {
  const std::string scene = write_scene();
  expect_refusal({"bench", scene, "--path", "cameras"}, 2, {"--cameras"});
  expect_refusal({"bench", scene, "--orbit", "0"}, 2, {"--orbit"});
  expect_refusal({"bench", scene, "--frames", "0"}, 2, {"--frames"});
  expect_refusal({"bench", scene, "--size", "0x0"}, 2, {"--size"});
  expect_refusal({"bench", scene, "--json", path("no/such/file.json")}, 1, {"file.json", "folder"});
}

TEST_F(RenderCommand, RealCamerasShowTheBikerInTheMiddleOfEveryView) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const fs::path splats = fs::path(data) / "splats";
  const Outcome outcome =
      run({"render", (splats / "biker.spz").string(), "--cameras",
           (splats / "biker-cameras.json").string(), "--size", "160x90", "-o", path("out")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(pictures().size(), 12u);
  for (const std::string& name : pictures()) {
    const Image8 image = read_image8(path("out/" + name));
    int lit = 0;
    for (int y = 20; y < 70; ++y) lit += image.row(y)[80 * 3] > 4 ? 1 : 0;
    EXPECT_GT(lit, 20) << name;
  }
}

TEST_F(RenderCommand, PicturesLargerThanTheMemoryAreRefusedBeforeAllocation) {
  if (!kOwnMemory) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const std::string scene = write_scene(), script = write_file("script", "quit\n");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit small = before;
  small.rlim_cur = rlim_t{4} << 30;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &small), 0);
  json huge = cameras();
  huge["w"] = huge["h"] = 16384;
  const std::string file = write_cameras(huge);
  const std::vector<std::string> size{"--size", "16384x16384"}, parts{"16384x16384", "available"};
  const auto sized = [&](std::vector<std::string> words) {
    words.insert(words.end(), size.begin(), size.end());
    return words;
  };
  expect_refusal(sized({"render", scene, "--orbit", "1", "-o", path("out")}), 1, parts);
  expect_refusal({"render", scene, "--cameras", file, "-o", path("out")}, 1, parts);
  expect_refusal(sized({"bench", scene}), 1, parts);
  expect_refusal(sized({"view", "--offscreen", "--script", script}), 1, parts);
  const Outcome usual = run({"render", scene, "--orbit", "1", "-o", path("out")});
  EXPECT_EQ(usual.exit_code, 0) << usual.err;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
}

}  // namespace
}  // namespace mote

// `mote train --model nerf` and the commands that take its result: info, render, convert and eval.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/splats/scene_format.h"
#include "support/dataset_fixture.h"
#include "support/field_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

TEST_F(FieldCommand, LeavesTheDocumentedFolder) {
  const Outcome outcome =
      run(words("out", {"--eval-steps", "10", "--save-steps", "20", "--metrics-every", "10",
                        "--export", "msgpack", "--background", "0.25,0.5,1", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name :
       {"config.json", "train.log", "metrics.csv", "metrics.svg", "stats.json", "cameras.json",
        "field_20.ingp", "field_40.ingp", "field_40.msgpack", "checkpoints/ckpt_000000040.bin",
        "eval/step_10/metrics.json", "eval/step_40/render/view_00.png"}) {
    EXPECT_TRUE(fs::is_regular_file(path(std::string("out/") + name))) << name;
  }
  const NeuralField field = field_at("out/field_40.ingp");
  EXPECT_EQ(field.training_step, 40u);
  EXPECT_EQ(field.background, (std::array<float, 3>{0.25f, 0.5f, 1}));
  expect_same_field("out/field_40.ingp", "out/field_40.msgpack");

  const json stats = json::parse(outcome.out);
  EXPECT_EQ(stats, json::parse(text_of(path("out/stats.json"))));
  EXPECT_EQ(stats["status"], "done");
  EXPECT_EQ(stats["steps"], 40);
  EXPECT_EQ(stats["parameters"], field.parameters.size());
  EXPECT_EQ(json::parse(text_of(path("out/config.json")))["model"], "nerf");

  std::istringstream metrics(text_of(path("out/metrics.csv")));
  std::vector<std::string> lines;
  for (std::string line; std::getline(metrics, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 5u);  // a header and a line every ten steps
  EXPECT_NE(lines[0].find(",parameters"), std::string::npos) << lines[0];
  EXPECT_NE(lines[4].find(fmt::format(",{}", field.parameters.size())), std::string::npos);
}

TEST_F(FieldCommand, InfoDescribesTheField) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "10")).exit_code, 0);
  const std::string file = path("out/field_10.ingp");
  const NeuralField field = field_at("out/field_10.ingp");
  const Outcome printed = run({"info", file, "--json"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  const json facts = json::parse(printed.out);
  EXPECT_EQ(facts["mode"], "nerf");
  EXPECT_EQ(facts["parameters"], field.parameters.size());
  EXPECT_EQ(facts["config"]["encoding"]["n_levels"], 4);
  EXPECT_EQ(facts["config"]["encoding"]["log2_hashmap_size"], 10);
  EXPECT_EQ(facts["config"]["rgb_network"]["n_neurons"], 16);
  EXPECT_EQ(facts["aabb_scale"], 1);
  EXPECT_EQ(facts["render_aabb"], json::parse(R"({"min": [0, 0, 0], "max": [1, 1, 1]})"));
  EXPECT_EQ(facts["background"], json(field.background));
  EXPECT_EQ(facts["training_step"], 10);
  EXPECT_EQ(facts["file_bytes"], fs::file_size(file));
  const Outcome text = run({"info", path("out")});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const std::string& phrase :
       {file + ": NeRF, " + std::to_string(field.parameters.size()) + " parameters",
        std::string("hash grid, 4 levels of 8 to"), std::string("1 hidden layer of 16 neurons"),
        std::string("2 features, Linear, "),
        std::string("SphericalHarmonics, 16 values of 3 inputs"),
        std::string("Huber, Adam with a rate of 0.01, averages with a decay of 0.95\n"),
        std::string("  drawn "), std::string("  background "), std::string("10 steps")}) {
    EXPECT_NE(text.out.find(phrase), std::string::npos) << phrase << " in " << text.out;
  }
}

TEST_F(FieldCommand, RenderDrawsTheFieldAtTheAskedSize) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "60")).exit_code, 0);
  const Outcome outcome = run({"render", path("out/field_60.ingp"), "--orbit", "2", "--size",
                               "40x30", "-o", path("orbit"), "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::vector<fs::path> pictures;
  for (const auto& entry : fs::directory_iterator(path("orbit"))) pictures.push_back(entry.path());
  ASSERT_EQ(pictures.size(), 2u);
  for (const fs::path& picture : pictures) {
    SCOPED_TRACE(picture);
    const Image8 image = read_image8(picture);
    EXPECT_EQ(image.width, 40);
    EXPECT_EQ(image.height, 30);
    EXPECT_FALSE(is_one_color(image));
  }
  const Outcome views = run({"render", path("out"), "--cameras", path("out/cameras.json"), "-o",
                             path("views"), "--progress", "none"});
  ASSERT_EQ(views.exit_code, 0) << views.err;
  EXPECT_FALSE(is_one_color(read_image8(path("views/view_11.png"))));
  expect_refusal(
      {"render", path("out"), "--orbit", "2", "-o", path("n"), "--output", "normal", "-q"}, 1,
      {"normals"});
}

TEST_F(FieldCommand, ConvertKeepsTheParameters) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "10")).exit_code, 0);
  const std::string field = path("out/field_10.ingp");
  for (const auto& [from, to] : {std::pair{field, path("plain.msgpack")},
                                 std::pair{path("plain.msgpack"), path("back.ingp")}}) {
    const Outcome outcome = run({"convert", from, to, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["output"]["parameters"],
              field_at("out/field_10.ingp").parameters.size());
  }
  expect_same_field("out/field_10.ingp", "plain.msgpack");
  expect_same_field("out/field_10.ingp", "back.ingp");
  EXPECT_EQ(text_of(path("back.ingp")), text_of(field));
  expect_refusal({"convert", field, path("back.ingp")}, 1, {"back.ingp", "exists", "-y"});
}

TEST_F(FieldCommand, ConvertRefusesOptionsAndFormatsOfSplats) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "2")).exit_code, 0);
  const std::string field = path("out/field_2.ingp"), scene = write_scene();
  const std::vector<std::pair<std::string, std::string>> kOptions{
      {"--keep-sh", "1"},       {"--scale", "2"},          {"--rotate", "1,2,3"},
      {"--translate", "1,2,3"}, {"--crop", "0,0,0,1,1,1"}, {"--min-opacity", "0.5"}};
  for (const auto& [option, value] : kOptions) {
    expect_refusal({"convert", field, path("b.msgpack"), option, value}, 2,
                   {option, "applies only to splats", "field_2.ingp"});
  }
  expect_refusal({"convert", field, path("b.msgpack"), "--drop-invalid"}, 2, {"--drop-invalid"});
  expect_refusal({"convert", field, path("b.spz")}, 1,
                 {"b.spz", "hold 3D Gaussian splats, not neural fields"});
  for (const char* name : {"b.ingp", "b.msgpack"}) {
    expect_refusal({"convert", scene, path(name)}, 1,
                   {name, "hold neural fields, not 3D Gaussian splats"});
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"data", "network.json", "out", "scene.ply"}));
}

TEST_F(FieldCommand, ConvertWritesTheSurfaceAsAMesh) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "2")).exit_code, 0);
  const std::string field = path("out/field_2.ingp");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
  for (const char* name : {"a.ply", "a.obj", "a.glb"}) {
    // The density of a field that has hardly learned is about 1.
    const Outcome outcome = run({"convert", field, path(name), "--resolution", "24", "--density",
                                 "0.5", "--json", "--progress", "none"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json output = json::parse(outcome.out)["output"];
    EXPECT_EQ(output["bytes"].get<std::uint64_t>(), fs::file_size(path(name)));
    sizes.emplace_back(output["vertices"], output["triangles"]);
  }
  EXPECT_GT(sizes[0].second, 100u);
  EXPECT_EQ(sizes[1], sizes[0]);
  EXPECT_EQ(sizes[2], sizes[0]);
  EXPECT_NE(text_of(path("a.ply")).find("property uchar red"), std::string::npos);
  EXPECT_NE(text_of(path("a.glb")).find("COLOR_0"), std::string::npos);
  // Slow machines would report progress as well.
  expect_refusal({"convert", field, path("b.ply"), "--density", "1e6", "--progress", "none"}, 1,
                 {"field_2.ingp", "lower --density"});
  // The place is tried before the surface is looked for, which would fail too.
  expect_refusal({"convert", field, path("no/b.ply"), "--density", "1e6", "--progress", "none"}, 1,
                 {"no/b.ply", "cannot be written", "folder"});
  expect_refusal({"convert", field, path("b.ply"), "--box", "90,90,90,91,91,91"}, 2,
                 {"--box", "the field reaches from"});
  expect_refusal({"convert", field, path("b.obj"), "--scale", "2"}, 2, {"--scale"});
  expect_refusal({"convert", field, path("b.msgpack"), "--resolution", "8"}, 2, {"--resolution"});
  expect_refusal({"convert", write_scene(), path("b.spz"), "--box", "0,0,0,1,1,1"}, 2, {"--box"});
  expect_refusal({"convert", field, path("b.stl")}, 1,
                 {"b.stl", "no known format",
                  ".ingp or .msgpack of a neural field, or .ply, .obj or .glb of its surface"});
  EXPECT_FALSE(fs::exists(path("b.ply")));
}

TEST_F(FieldCommand, EvalRepeatsTheScoresOfTheRun) {
  const Outcome trained = run(words("out", {"--background", "0.25,0.5,1", "--json"}, "60"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json of_run = json::parse(trained.out)["evaluation"];
  const Outcome outcome = run({"eval", path("out"), "-o", path("eval"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["views"].size(), 2u);
  EXPECT_EQ(result["parameters"], field_at("out/field_60.ingp").parameters.size());
  // The run evaluates parameters that are not rounded to halves.
  EXPECT_NEAR(result["psnr"], of_run["psnr"], 0.05);
  EXPECT_GT(result["psnr"], 5);
  EXPECT_TRUE(fs::exists(path("eval/render/view_00.png")));
}

TEST_F(FieldCommand, AResumedRunHasTheParametersOfAnUninterruptedOne) {
  ASSERT_EQ(run(words("whole", {"--no-eval", "--threads", "1"}, "60")).exit_code, 0);
  for (const char* threads : {"1", "2"}) {
    SCOPED_TRACE(threads);
    const std::string out = std::string("halves") + threads;
    ASSERT_EQ(run(words(out, {"--no-eval", "--threads", threads}, "30")).exit_code, 0);
    std::vector<std::string> resume = on(out);
    resume.insert(resume.end(), {"--steps", "60", "--threads", threads});
    const Outcome outcome = run(resume);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    expect_same_field("whole/field_60.ingp", out + "/field_60.ingp");
    EXPECT_NE(field_at(out + "/field_30.ingp").parameters,
              field_at(out + "/field_60.ingp").parameters);
  }
}

/// Gives the cameras of a COLMAP model without lenses one of OpenCV's.
void distort_cameras(const fs::path& file) {
  std::string text = text_of(file), result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    const std::size_t model = line.find(" PINHOLE ");
    if (model != std::string::npos) {
      line.replace(model, 9, " OPENCV ");
      line += " -0.3 0.05 0.001 0.002";
    }
    result += line + "\n";
    at = end + 1;
  }
  write_bytes(file, result);
}

TEST_F(FieldCommand, PhotographsAreTrainedOnAndComparedThroughTheirLens) {
  distort_cameras(path("data/sparse/0/cameras.txt"));
  const Outcome whole = run(words("whole", {"--json"}, "30"));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const Image8 photograph = read_image8(path("data/images/view_00.png"));
  const Image8 compared = read_image8(path("whole/eval/step_30/gt/view_00.png"));
  EXPECT_TRUE(std::ranges::equal(photograph.pixels.span(), compared.pixels.span()));
  EXPECT_NE(text_of(path("whole/train.log")).find("through the lens of OPENCV"), std::string::npos);

  ASSERT_EQ(run(words("halves", {"--no-eval"}, "15")).exit_code, 0);
  std::vector<std::string> resume = on("halves");
  resume.insert(resume.end(), {"--steps", "30"});
  std::vector<std::string> otherwise = resume;
  otherwise.insert(otherwise.end(), {"--lens-mode", "undistort"});
  expect_refusal(otherwise, 1, {"--lens-mode", "other cameras"});
  ASSERT_EQ(run(resume).exit_code, 0);
  expect_same_field("whole/field_30.ingp", "halves/field_30.ingp");

  const Outcome scored = run({"eval", path("whole"), "--json"});
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_NEAR(json::parse(scored.out)["psnr"], json::parse(whole.out)["evaluation"]["psnr"], 0.05);

  ASSERT_EQ(run(words("without", {"--lens-mode", "undistort"}, "5")).exit_code, 0);
  EXPECT_NE(text_of(path("without/train.log")).find("undistorted: "), std::string::npos);
  expect_refusal({"train", path("data"), "-o", path("splats"), "--lens-mode", "rays"}, 2,
                 {"--lens-mode", "splats"});
}

TEST_F(FieldCommand, LatentsResumeBitForBitForAnyNumberOfThreads) {
  const std::vector<std::string> more{"--no-eval", "--latents", "3"};
  std::vector<std::string> one_thread = more, two_threads = more;
  one_thread.insert(one_thread.end(), {"--threads", "1"});
  two_threads.insert(two_threads.end(), {"--threads", "2"});
  ASSERT_EQ(run(words("whole", one_thread, "20")).exit_code, 0);
  ASSERT_EQ(run(words("halves", two_threads, "10")).exit_code, 0);
  std::vector<std::string> resume = on("halves");
  resume.insert(resume.end(), {"--steps", "20"});
  ASSERT_EQ(run(resume).exit_code, 0);
  expect_same_field("whole/field_20.ingp", "halves/field_20.ingp");
  const NeuralField whole = field_at("whole/field_20.ingp");
  EXPECT_GT(whole.latents.size(), 3u);
  EXPECT_EQ(whole.latents, field_at("halves/field_20.ingp").latents);
  const Outcome printed = run({"info", path("whole/field_20.ingp"), "--json"});
  ASSERT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_EQ(json::parse(printed.out)["latents"], 3);
  ASSERT_EQ(run({"eval", path("whole"), path("data")}).exit_code, 0);
  expect_refusal({"train", "--resume", "-o", path("halves"), "--latents", "4"}, 1, {"--latents"});
}

TEST_F(FieldCommand, MetricsHaveTheLossesOfProposals) {
  for (const std::string sampler : {"occupancy", "proposal"}) {
    SCOPED_TRACE(sampler);
    const std::vector<std::string> more{"--no-eval", "--metrics-every", "5", "--sampler", sampler};
    ASSERT_EQ(run(words(sampler, more, "10")).exit_code, 0);
    std::istringstream metrics(text_of(path(sampler + "/metrics.csv")));
    std::string line;
    std::getline(metrics, line);
    EXPECT_TRUE(line.ends_with(",interlevel,distortion")) << line;
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(std::getline(metrics, line));
      EXPECT_EQ(line.ends_with(",,"), sampler == "occupancy") << line;
    }
  }
}

TEST_F(FieldCommand, CorrectionsOfPosesAreFittedToHalvesOfTestViews) {
  const Outcome trained = run(words("out", {"--pose-opt", "--json"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json of_run = json::parse(trained.out)["evaluation"];
  EXPECT_EQ(of_run["fitted_on_left_half"], "pose");
  EXPECT_TRUE(of_run.contains("right_half"));
  ASSERT_EQ(run(words("plain", {"--no-eval"})).exit_code, 0);
  EXPECT_NE(field_at("out/field_40.ingp").parameters, field_at("plain/field_40.ingp").parameters);
  const Outcome again = run({"eval", path("out"), "--resize", "0.5", "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["fitted_on_left_half"], "pose");
}

TEST_F(FieldCommand, AKilledRunResumesToTheSameParameters) {
  const std::vector<std::string> more{
      "--no-eval", "--checkpoint-every", "7", "--exposure", "--background", "random", "--pose-opt"};
  const std::vector<std::string> whole = words("whole", more), killed = words("killed", more);
  ASSERT_EQ(run(whole).exit_code, 0);
  const pid_t child = start_until_new_checkpoint(killed, "killed");
  ::kill(child, SIGKILL);
  finish(child);
  ASSERT_FALSE(checkpoints("killed").empty());
  ASSERT_FALSE(fs::exists(path("killed/field_40.ingp"))) << "the run was not stopped early";
  const Outcome outcome = run(on("killed"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same_field("whole/field_40.ingp", "killed/field_40.ingp");
  expect_refusal({"train", "--resume", "-o", path("killed"), "--batch", "2048"}, 1, {"--batch"});
}

TEST_F(FieldCommand, RefusesInvalidOptionsBeforeItStarts) {
  write_file("nearest.json",
             R"({"encoding": {"otype": "HashGrid", "n_levels": 4, "interpolation": "Nearest"}})");
  std::vector<std::string> nearest = words("out", {"--pose-opt"});
  std::ranges::replace(nearest, path("network.json"), path("nearest.json"));
  expect_refusal(nearest, 1, {"nearest.json", "--pose-opt", "interpolation", "Smoothstep"});
  expect_refusal(words("out", {"--aabb-scale", "3"}), 2, {"--aabb-scale", "3", "power of two"});
  expect_refusal(words("out", {"--batch", "10"}), 2, {"--batch", "1024"});
  expect_refusal(words("out", {"--export", "spz"}), 2, {"--export", "'spz'", "msgpack"});
  expect_refusal(words("out", {"--encoding", "hahs"}), 2, {"--encoding", "hash"});
  expect_refusal(words("out", {"--network", path("no.json")}), 2, {"--network", "no.json"});
  write_file("wrong.json", "{\n  \"encoding\": {\"otype\": \"HashGrid\",\n    \"n_levels\": 0}\n}");
  expect_refusal(words("out", {"--network", path("wrong.json")}), 1,
                 {"wrong.json", "line 3", "n_levels"});
  expect_refusal({"train", path("data"), "-o", path("out"), "--model", "nurf"}, 2,
                 {"--model", "nurf", "nerf"});
  expect_refusal({"train", path("data"), "-o", path("out"), "--export", "ingp"}, 2,
                 {"--export", "'ingp'", "ply"});
  EXPECT_EQ(files(),
            (std::vector<std::string>{"data", "nearest.json", "network.json", "wrong.json"}));
}

TEST_F(FieldCommand, OptionsOfTheOtherModelAreReported) {
  const std::string reason = " has no effect: it applies only to --model ";
  const Outcome nerf = run(words("out", {"--dry-run", "--strategy", "mcmc", "--noise", "3"}));
  ASSERT_EQ(nerf.exit_code, 0) << nerf.err;
  for (const char* name : {"--strategy", "--noise"}) {
    EXPECT_NE(nerf.err.find(name + reason + "splats"), std::string::npos) << nerf.err;
  }
  EXPECT_EQ(nerf.err.find("--batch has"), std::string::npos) << nerf.err;
  const Outcome splats = run({"train", path("data"), "-o", path("out"), "--dry-run", "--steps", "9",
                              "--batch", "4096", "--progress", "none"});
  ASSERT_EQ(splats.exit_code, 0) << splats.err;
  EXPECT_NE(splats.err.find("--batch" + reason + "nerf"), std::string::npos) << splats.err;
}

TEST_F(FieldCommand, CorrectionsOfPhotographsAreReportedForAPicture) {
  const Outcome picture =
      run({"train", path("data/images/view_00.png"), "-o", path("out"), "--dry-run", "--steps", "9",
           "--batch", "2048", "--pose-opt", "--exposure", "--progress", "none"});
  ASSERT_EQ(picture.exit_code, 0) << picture.err;
  for (const char* name : {"--pose-opt", "--exposure"}) {
    EXPECT_NE(picture.err.find(std::string(name) + " has no effect: the run has no photographs"),
              std::string::npos)
        << picture.err;
  }
}

TEST_F(FieldCommand, ADryRunPrintsItsCostAndLeavesNoFile) {
  const Outcome outcome = run(words("out", {"--dry-run", "--json"}, "5000"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json cost = json::parse(outcome.out);
  EXPECT_EQ(cost["estimate"], true);
  EXPECT_EQ(cost["steps"], 5000);
  EXPECT_GT(cost["seconds"]["first"], 0);
  EXPECT_GT(cost["parameters"]["last"], 1000);
  EXPECT_GT(cost["memory_bytes"], 1 << 20);
  const Outcome text = run(words("out", {"--dry-run"}, "5000"));
  EXPECT_NE(text.out.find("estimate"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("parameters"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("splat"), std::string::npos) << text.out;
  EXPECT_EQ(files(), (std::vector<std::string>{"data", "network.json"}));
}

TEST_F(FieldCommand, HelpListsTheOptionsOfFields) {
  const std::string train = run({"train", "--help"}).out;
  for (const char* text : {"Neural fields", "--model", "--network", "--encoding", "--batch",
                           "--aabb-scale", "--eikonal", "field_N.ingp"}) {
    EXPECT_NE(train.find(text), std::string::npos) << text;
  }
  for (const char* command : {"info", "convert", "render"}) {
    EXPECT_NE(run({command, "--help"}).out.find(".ingp"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace mote

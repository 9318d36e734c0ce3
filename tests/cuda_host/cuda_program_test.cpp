// The program on the device `cuda-host`: its messages about it, and trainings that are stopped.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "io/meshes/mesh_writing.h"
#include "support/ball_mesh.h"
#include "support/field_command_fixture.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

class CudaProgram : public TrainCommand {
 protected:
  std::vector<std::string> words_of(const std::string& out, const std::string& steps) const {
    return {
        "train", path("data"),         "-o", path(out),      "--device", "cuda-host", "--steps",
        steps,   "--checkpoint-every", "4",  "--max-splats", "80",       "--no-eval", "--progress",
        "none"};
  }
  std::vector<std::string> on_cuda(const std::string& out) const {
    std::vector<std::string> all = on(out);
    all.insert(all.end(), {"--device", "cuda-host"});
    return all;
  }
  void write_field(const NeuralField& field, const std::string& name) const {
    OutputFile file(path(name));
    write_field_snapshot(field, {}, file, {});
    file.commit();
  }
};

TEST_F(CudaProgram, DevicesShowsTheGpuWithItsPropertiesAndTheChoiceOfAuto) {
  const Outcome outcome = run({"devices"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* phrase : {"cuda-host:0  host run 0", "compute capability 9.0", "8.59 GB memory",
                             "driver for CUDA 13.0", "--device auto takes cuda-host"}) {
    EXPECT_NE(outcome.out.find(phrase), std::string::npos) << phrase << " in " << outcome.out;
  }
  const auto devices = nlohmann::json::parse(run({"devices", "--json"}).out)["devices"];
  EXPECT_EQ(devices[0]["gpus"][0]["compute_capability"], "9.0");
}

TEST_F(CudaProgram, AutoTakesTheGpuAndReportsIt) {
  const Outcome outcome =
      run({"render", write_scene(), "--orbit", "1", "--size", "16x16", "-o", path("pictures")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("--device auto takes cuda-host"), std::string::npos) << outcome.err;
}

TEST_F(CudaProgram, BenchComparesFastPrecisionWithTheExactOne) {
  const std::vector<std::string> command{"bench",    write_scene(), "--orbit", "2",        "--size",
                                         "40x30",    "--frames",    "1",       "--warmup", "0",
                                         "--device", "cuda-host",   "--json"};
  EXPECT_FALSE(nlohmann::json::parse(run(command).out).contains("psnr"));
  std::vector<std::string> fast = command;
  fast.insert(fast.end(), {"--precision", "fast"});
  const auto json = nlohmann::json::parse(run(fast).out);
  EXPECT_EQ(json["settings"]["precision"], "fast");
  EXPECT_GT(json["psnr"]["least_db"], 45);
  EXPECT_LT(json["psnr"]["least_db"], 100) << "the pictures are not the same";
  fast.insert(fast.end(), {"--device", "cpu"});
  expect_refusal(fast, 1, {"only exact precision", "--precision exact"});
}

TEST_F(CudaProgram, RenderDrawsANeuralImageAsTheProcessorDoes) {
  NeuralField field = tiny_field(FieldApplication::image, 3);
  for (float& value : field.parameters) value *= 0.4f;
  field.image_width = 40;
  field.image_height = 30;
  write_field(field, "image.ingp");
  for (const std::string device : {"cpu", "cuda-host"}) {
    const Outcome outcome = run({"render", path("image.ingp"), "--size", "40x30", "--device",
                                 device, "-o", path(device), "--progress", "none"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::vector<fs::path> pictures;
  for (const auto& entry : fs::directory_iterator(path("cpu"))) pictures.push_back(entry.path());
  ASSERT_FALSE(pictures.empty());
  for (const fs::path& picture : pictures) {
    const Image8 expected = read_image8(picture);
    const Image8 own = read_image8(fs::path(path("cuda-host")) / picture.filename());
    ASSERT_EQ(own.pixels.size(), expected.pixels.size());
    int largest = 0, darkest = 255, brightest = 0;
    for (std::size_t i = 0; i < own.pixels.size(); ++i) {
      largest = std::max(largest, std::abs(own.pixels[i] - expected.pixels[i]));
      darkest = std::min(darkest, int{own.pixels[i]});
      brightest = std::max(brightest, int{own.pixels[i]});
    }
    EXPECT_LE(largest, 4) << "halves here, perhaps BF16 there";
    EXPECT_GT(brightest - darkest, 20) << "the picture shows something";
  }
}

TEST_F(CudaProgram, TrainsANeuralImageAsTheProcessorDoes) {
  write_file("network.json", kFieldNetwork);
  Image picture;
  picture.resize_discard(40, 30, 3);
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 120; ++x) {
      picture.row(y)[x] = 0.5f + 0.4f * std::sin(0.2f * static_cast<float>(x / 3 + x % 3 + y));
    }
  }
  write_png(picture, path("waves.png"));
  const auto words = [&](const std::string& out, const std::string& steps) {
    return std::vector<std::string>{
        "train",     path("waves.png"),    "-o",      path(out), "--steps",    steps,
        "--network", path("network.json"), "--batch", "1024",    "--progress", "none"};
  };
  std::map<std::string, double> psnr;
  for (const std::string device : {"cpu", "cuda-host"}) {
    std::vector<std::string> command = words(device, "60");
    command.insert(command.end(), {"--device", device});
    const Outcome outcome = run(command);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto stats = nlohmann::json::parse(text_of(path(device + "/stats.json")));
    psnr[device] = stats["evaluation"]["psnr"];
    EXPECT_TRUE(fs::exists(path(device + "/eval/step_60/render/waves.png")));
  }
  EXPECT_GT(psnr["cpu"], 20);
  EXPECT_NEAR(psnr["cuda-host"], psnr["cpu"], 1);

  std::vector<std::string> half = words("parts", "30");
  half.insert(half.end(), {"--device", "cuda-host"});
  ASSERT_EQ(run(half).exit_code, 0);
  std::vector<std::string> rest = on_cuda("parts");
  rest.insert(rest.end(), {"--steps", "60"});
  const Outcome resumed = run(rest);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(read_field_snapshot(InputFile(path("parts/field_60.ingp")), {}).parameters,
            read_field_snapshot(InputFile(path("cuda-host/field_60.ingp")), {}).parameters);
}

TEST_F(CudaProgram, TrainsASurfaceAndDrawsIt) {
  write_file("network.json", kFieldNetwork);
  OutputFile ball(path("ball.ply"));
  write_mesh(ball_mesh(12), {}, ball);
  ball.commit();
  const Outcome outcome = run({"train", path("ball.ply"), "-o", path("out"), "--steps", "40",
                               "--network", path("network.json"), "--batch", "1024", "--no-eval",
                               "--device", "cuda-host", "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome drawn =
      run({"render", path("out/field_40.ingp"), "--orbit", "1", "--size", "24x18", "--background",
           "1,1,1", "--device", "cuda-host", "-o", path("pictures"), "--progress", "none"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  std::size_t dark = 0, white = 0;
  for (const auto& entry : fs::directory_iterator(path("pictures"))) {
    if (entry.path().extension() != ".png") continue;
    for (const std::uint8_t value : read_image8(entry.path()).pixels.span()) {
      dark += value < 230;
      white += value == 255;
    }
  }
  EXPECT_GT(dark, 100u) << "the ball";
  EXPECT_GT(white, 100u) << "the background";
}

TEST_F(CudaProgram, TrainsARadianceFieldAndResumesBitForBit) {
  write_file("network.json", kFieldNetwork);
  const auto words = [&](const std::string& out, const std::string& steps) {
    return std::vector<std::string>{
        "train",    path("data"), "--model",    "nerf",         "-o",
        path(out),  "--steps",    steps,        "--network",    path("network.json"),
        "--batch",  "1024",       "--no-eval",  "--aabb-scale", "1",
        "--device", "cuda-host",  "--progress", "none"};
  };
  for (const std::string out : {"whole", "parts"}) {
    const Outcome outcome = run(words(out, out == "whole" ? "6" : "4"));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::vector<std::string> rest = on_cuda("parts");
  rest.insert(rest.end(), {"--steps", "6"});
  ASSERT_EQ(run(rest).exit_code, 0);
  const auto field = [&](const std::string& out) {
    return read_field_snapshot(InputFile(path(out + "/field_6.ingp")), {});
  };
  EXPECT_EQ(field("whole").parameters, field("parts").parameters);
  const Outcome drawn =
      run({"render", path("whole/field_6.ingp"), "--orbit", "1", "--size", "16x12", "--device",
           "cuda-host", "-o", path("pictures"), "--progress", "none"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
}

TEST_F(CudaProgram, TrainsAVolumeAndResumesBitForBit) {
  write_file("network.json", kFieldNetwork);
  const Outcome cloud = run({"synth", "cloud", "-o", path("cloud.nvdb"), "--voxels", "16"});
  ASSERT_EQ(cloud.exit_code, 0) << cloud.err;
  for (const std::string out : {"whole", "parts"}) {
    const Outcome outcome =
        run({"train", path("cloud.nvdb"), "-o", path(out), "--steps", out == "whole" ? "6" : "4",
             "--network", path("network.json"), "--batch", "1024", "--no-eval", "--device",
             "cuda-host", "--progress", "none"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::vector<std::string> rest = on_cuda("parts");
  rest.insert(rest.end(), {"--steps", "6"});
  ASSERT_EQ(run(rest).exit_code, 0);
  const auto field = [&](const std::string& out) {
    return read_field_snapshot(InputFile(path(out + "/field_6.ingp")), {});
  };
  EXPECT_EQ(field("whole").parameters, field("parts").parameters);
  const Outcome drawn =
      run({"render", path("whole/field_6.ingp"), "--orbit", "1", "--size", "16x12", "--device",
           "cuda-host", "-o", path("pictures"), "--progress", "none"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
}

TEST_F(CudaProgram, RefusesOtherFieldsByTheirName) {
  NeuralField field = tiny_field(FieldApplication::image, 3);
  field.config.network = NetworkConfig{.kind = NetworkKind::gaussians, .neurons = 16};
  field.parameters.resize(field_parameters(field.application, field.config));
  write_field(field, "image.ingp");
  expect_refusal(
      {"render", path("image.ingp"), "--size", "16x16", "--device", "cuda-host", "-o", path("out")},
      1, {"Gaussians are not built for CUDA", "--device cpu"});
}

TEST_F(CudaProgram, AnUnknownDeviceNumberIsRefused) {
  expect_refusal({"bench", write_scene(), "--device", "cuda-host:3"}, 1,
                 {"no GPU number 3", "cuda:0 (host run 0)", "--device cpu"});
}

TEST_F(CudaProgram, AStoppedOrKilledTrainingResumesAsIfUninterrupted) {
  constexpr int kSteps = 12;
  ASSERT_EQ(run(words_of("whole", std::to_string(kSteps))).exit_code, 0);
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string out = signal == SIGINT ? "stopped" : "killed";
    const pid_t child = start_until_new_checkpoint(words_of(out, std::to_string(kSteps)), out);
    ::kill(child, signal);
    const Outcome outcome = finish(child);
    if (signal == SIGINT) {
      EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
      EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
    }
    const Outcome resumed = run(on_cuda(out));
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    expect_same_result("whole", out, kSteps);
  }
}

TEST_F(CudaProgram, AStoppedTrainingOfARadianceFieldResumesAsIfUninterrupted) {
  write_file("network.json", kFieldNetwork);
  // A small cube, which few rays hit.
  make_moving_tiny_dataset(path("few"));
  auto views = nlohmann::json::parse(text_of(path("few/transforms.json")));
  for (auto& frame : views["frames"]) frame.erase("time");
  views["scale"] = 2;
  views["offset"] = {0.5, 0.5, 0.5};
  write_file("few/transforms.json", views.dump());
  constexpr int kSteps = 8;
  const auto words = [&](const std::string& out) {
    return std::vector<std::string>{"train",     path("few"),
                                    "--model",   "nerf",
                                    "-o",        path(out),
                                    "--steps",   std::to_string(kSteps),
                                    "--network", path("network.json"),
                                    "--batch",   "1024",
                                    "--no-eval", "--aabb-scale",
                                    "1",         "--device",
                                    "cuda-host", "--progress",
                                    "none",      "--checkpoint-every",
                                    "2",         "--metrics-every",
                                    "3"};
  };
  ASSERT_EQ(run(words("whole")).exit_code, 0);
  const pid_t child = start_until_new_checkpoint(words("stopped"), "stopped");
  ::kill(child, SIGINT);
  const Outcome outcome = finish(child);
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
  const Outcome resumed = run(on_cuda("stopped"));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const auto field = [&](const std::string& out) {
    return read_field_snapshot(InputFile(path(out + "/field_8.ingp")), {});
  };
  EXPECT_EQ(field("stopped").parameters, field("whole").parameters);
  EXPECT_EQ(timeless_metrics("stopped"), timeless_metrics("whole"));
}

TEST_F(CudaProgram, ADryRunOfAFieldHasItsMemoryOnTheDevice) {
  write_file("network.json", kFieldNetwork);
  Image picture;
  picture.resize_discard(40, 30, 3);
  std::ranges::fill(picture.pixels.span(), 0.5f);
  write_png(picture, path("grey.png"));
  const Outcome outcome =
      run({"train", path("grey.png"), "-o", path("out"), "--network", path("network.json"),
           "--batch", "1024", "--device", "cuda-host", "--dry-run"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("for the samples of a step"), std::string::npos) << outcome.out;
}

TEST_F(CudaProgram, ADryRunSeparatesDeviceMemoryFromHostMemory) {
  std::vector<std::string> command = words_of("out", "12");
  command.insert(command.end(), {"--dry-run", "--json"});
  const auto cost = nlohmann::json::parse(run(command).out);
  EXPECT_GT(cost["device"]["needed_bytes"], 0);
  EXPECT_LT(cost["device"]["needed_bytes"], cost["device"]["free_bytes"]);
}

}  // namespace
}  // namespace mote

// The program on the device `cuda-host`: its messages about it, and trainings that are stopped.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "support/tiny_field.h"
#include "support/train_command_fixture.h"

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

TEST_F(CudaProgram, RenderRefusesOtherFieldsByTheirName) {
  write_field(tiny_field(FieldApplication::nerf, 1), "nerf.ingp");
  expect_refusal({"render", path("nerf.ingp"), "--orbit", "1", "--size", "16x16", "--device",
                  "cuda-host", "-o", path("out")},
                 1, {"neural radiance fields are not built for CUDA", "--device cpu"});
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

TEST_F(CudaProgram, ADryRunSeparatesDeviceMemoryFromHostMemory) {
  std::vector<std::string> command = words_of("out", "12");
  command.insert(command.end(), {"--dry-run", "--json"});
  const auto cost = nlohmann::json::parse(run(command).out);
  EXPECT_GT(cost["device"]["needed_bytes"], 0);
  EXPECT_LT(cost["device"]["needed_bytes"], cost["device"]["free_bytes"]);
}

}  // namespace
}  // namespace mote

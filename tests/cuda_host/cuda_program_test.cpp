// The program on the device `cuda-host`: its messages about it, and trainings that are stopped.
#include <nlohmann/json.hpp>

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

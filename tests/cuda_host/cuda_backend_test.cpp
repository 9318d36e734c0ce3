// The device that the table of backends chooses, and its messages if none is usable.
#include <gtest/gtest.h>

#include "backend/backend.h"
#include "backend/field_trainer.h"
#include "backend/splat_trainer.h"
#include "controls.h"
#include "core/error.h"
#include "core/log.h"
#include "core/options.h"
#include "devices/devices.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using cuda_host::machine;

constexpr const char* kName = "cuda-host";

class CudaBackend : public ::testing::Test {
 protected:
  CudaBackend() { cuda_host::reset(); }
  ~CudaBackend() override { cuda_host::reset(); }

  static const BackendEntry& entry() {
    EXPECT_EQ(backends().front().name, kName);
    return backends().front();
  }

  /// Expects that the device is refused with these words, that `auto` does not take it either, and
  /// that the message has a remedy.
  static void expect_refusal(const std::string& device, const std::vector<std::string>& phrases) {
    SCOPED_TRACE(device);
    try {
      make_backend(device, {});
      ADD_FAILURE() << "it was taken";
    } catch (const Error& error) {
      const std::string text = error.what();
      for (const std::string& phrase : phrases) {
        EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " is not in: " << text;
      }
      EXPECT_TRUE(error.where().starts_with("device cuda")) << error.where();
      EXPECT_NE(error.remedy(), "");
      EXPECT_NE(text.find("--device cpu"), std::string::npos) << text;
    }
  }

  static void expect_none(const std::vector<std::string>& phrases) {
    expect_refusal(kName, phrases);
    const BackendProbe probe = entry().probe();
    EXPECT_FALSE(probe.usable);
    EXPECT_NE(probe.detail.find(phrases.front()), std::string::npos) << probe.detail;
    EXPECT_TRUE(make_backend("auto", {})->description().starts_with("CPU"));
  }
};

TEST_F(CudaBackend, TakesAWorkingDeviceAndNamesIt) {
  EXPECT_NE(make_backend(kName, {})->description().find("host run 0"), std::string::npos);
  EXPECT_TRUE(entry().probe().usable);
}

TEST_F(CudaBackend, RefusesNeuralFieldsByItsName) {
  const auto backend = make_backend(kName, {});
  const auto expect = [](const auto& work, const char* remedy) {
    const Error error = thrown_by(work);
    EXPECT_NE(error.where().find("host run 0"), std::string::npos) << error.what();
    EXPECT_EQ(error.remedy(), remedy);
  };
  expect([&] { backend->upload_field({}); }, "use --device cpu");
  expect([&] { backend->make_field_trainer({}, {}, {}); }, "train it with --device cpu");
}

TEST_F(CudaBackend, IsTakenByAuto) {
  EXPECT_NE(make_backend("auto", {})->description().find("host run 0"), std::string::npos);
}

TEST_F(CudaBackend, TakesTheDeviceWithTheRequestedNumber) {
  machine().devices = 3;
  const auto backend = make_backend(std::string(kName) + ":2", {});
  EXPECT_NE(backend->description().find("host run 2"), std::string::npos);
  int current = -1;
  ASSERT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, 2);
}

TEST_F(CudaBackend, RefusesAnUnknownNumberAndListsTheDevices) {
  machine().devices = 2;
  expect_refusal(std::string(kName) + ":2",
                 {"no GPU number 2", "cuda:0 (host run 0)", "cuda:1 (host run 1)"});
}

TEST_F(CudaBackend, ReportsAMissingDriver) {
  machine().driver_version = 0;
  expect_none({"there is no NVIDIA driver", "install driver 580"});
  EXPECT_TRUE(entry().list().empty());
}

TEST_F(CudaBackend, ReportsADriverTooOldForTheToolkit) {
  machine().driver_version = 12080;
  expect_none({"the NVIDIA driver is too old", "CUDA 12.8", "CUDA 13.0", "install driver 580"});
}

TEST_F(CudaBackend, TakesADriverOfTheSameMajorVersion) {
  machine().driver_version = CUDART_VERSION / 1000 * 1000;
  EXPECT_NO_THROW(make_backend(kName, {}));
}

TEST_F(CudaBackend, ReportsAMissingDevice) {
  machine().devices = 0;
  expect_none({"finds no GPU", "nvidia-smi", "CUDA_VISIBLE_DEVICES"});
}

TEST_F(CudaBackend, ReportsADeviceThatIsTooOld) {
  machine().major = 7;
  machine().minor = 0;
  expect_none({"too old", "compute capability 7.0", "7.5"});
  machine().minor = 5;
  EXPECT_NO_THROW(make_backend(kName, {}));
}

TEST_F(CudaBackend, ReportsADeviceWithTooLittleMemory) {
  machine().memory_bytes = 250'000'000;
  expect_none({"too little memory", "250 MB of 250 MB are free", "300 MB", "end other programs"});
}

TEST_F(CudaBackend, ReportsABuildWithoutCodeForTheDevice) {
  for (const cudaError_t status :
       {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction}) {
    machine().kernel_code = status;
    expect_none(
        {"no code for compute capability 9.0", "the host run", "-DMOTE_CUDA_ARCHITECTURES=native"});
    EXPECT_NE(entry().list()[0].problem.find("no code"), std::string::npos);
  }
}

TEST_F(CudaBackend, ReportsADriverOlderThanTheCode) {
  machine().kernel_code = cudaErrorUnsupportedPtxVersion;
  expect_none({"its driver for CUDA 13.0 is older than this build's code", "install a newer driver",
               "-DMOTE_CUDA_ARCHITECTURES=native"});
}

TEST_F(CudaBackend, ReportsADeviceInExclusiveUse) {
  machine().kernel_code = cudaErrorDevicesUnavailable;
  expect_none({"another program uses it exclusively", "end that program"});
}

TEST_F(CudaBackend, ReportsTheRuntimesReasonForADeviceThatCannotBeOpened) {
  machine().devices = 1;
  machine().calls_until_failure = 0;
  machine().failure = cudaErrorECCUncorrectable;
  expect_none({"cudaErrorECCUncorrectable", "nvidia-smi"});
}

/// A device that renders every scene too bright.
class Dazzled : public Backend {
 public:
  std::string description() const override { return "dazzled"; }
  std::unique_ptr<DeviceScene> upload(SplatCloud cloud) override {
    return honest_->upload(std::move(cloud));
  }
  void update(DeviceScene& scene, std::span<const std::uint32_t> splats,
              SplatCloud values) override {
    honest_->update(scene, splats, std::move(values));
  }
  void mark(DeviceScene& scene, const SplatMask& marked) override { honest_->mark(scene, marked); }
  FrameStats render_scenes(std::span<const SceneInstance> scenes, const Camera& camera,
                           const RenderSettings& settings, Frame& frame) override {
    const FrameStats stats = honest_->render_scenes(scenes, camera, settings, frame);
    for (float& value : frame.rgb.pixels.span()) value += 0.01f;
    return stats;
  }
  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud, const TrainerSettings&) override {
    return nullptr;
  }

 private:
  std::unique_ptr<Backend> honest_ = make_backend("cpu", {});
};

TEST_F(CudaBackend, IsNotTakenByAutoIfItRendersDifferentlyFromTheCpu) {
  std::string said;
  const LogTap tap([&](LogLevel, std::string_view text) { said = text; });
  std::vector<BackendEntry> kinds(backends().begin(), backends().end());
  kinds.front().make = [](const DeviceOptions&) -> std::unique_ptr<Backend> {
    return std::make_unique<Dazzled>();
  };
  EXPECT_TRUE(make_backend(kinds, "auto", {})->description().starts_with("CPU"));
  EXPECT_NE(said.find("it renders a test scene differently from the CPU, by 0.01"),
            std::string::npos)
      << said;
  EXPECT_EQ(make_backend(kinds, kName, {})->description(), "dazzled") << "asked for, it is taken";
}

TEST_F(CudaBackend, IsReplacedByTheCpuForAutoIfItsCreationFails) {
  std::string said;
  const LogTap tap([&](LogLevel, std::string_view text) { said = text; });
  int failed = 0;
  for (int calls = 0;; ++calls) {
    cuda_host::reset();
    ASSERT_TRUE(backends().front().probe().usable);
    machine().calls_until_failure = calls;
    const auto backend = make_backend("auto", {});
    if (!backend->description().starts_with("CPU")) break;
    EXPECT_NE(said.find("--device auto takes cpu, not cuda-host: "), std::string::npos) << said;
    EXPECT_NE(said.find("cudaErrorECCUncorrectable"), std::string::npos) << said;
    ++failed;
  }
  EXPECT_GT(failed, 10) << "the probe alone makes some calls";
}

TEST_F(CudaBackend, IsAnErrorByNameIfItsCreationFails) {
  int failed = 0;
  for (int calls = 0;; ++calls) {
    cuda_host::reset();
    machine().calls_until_failure = calls;
    try {
      make_backend(kName, {});
      break;
    } catch (const Error& error) {
      EXPECT_NE(error.remedy().find("--device cpu"), std::string::npos) << error.what();
      ++failed;
    }
  }
  EXPECT_GT(failed, 5);
}

TEST_F(CudaBackend, AnUnknownInstructionSetIsAnError) {
  machine().devices = 0;
  EXPECT_THROW(make_backend("auto", {.threads = 0, .isa = "v9", .index = {}}), UsageError);
}

TEST_F(CudaBackend, ListsEveryDeviceWithItsPropertiesAndItsFault) {
  machine().devices = 2;
  machine().major = 7;
  machine().minor = 0;
  machine().multiprocessors = 40;
  const std::vector<GpuDescription> gpus = entry().list();
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].name, "host run 1");
  EXPECT_EQ(gpus[1].compute_major, 7);
  EXPECT_EQ(gpus[1].multiprocessors, 40);
  EXPECT_EQ(gpus[1].memory_bytes, machine().memory_bytes);
  EXPECT_EQ(gpus[1].free_bytes, machine().memory_bytes);
  EXPECT_EQ(gpus[1].driver, "13.0");
  EXPECT_NE(gpus[1].problem.find("too old"), std::string::npos);
  EXPECT_EQ(gpus[1].remedy, "use another GPU");
  machine().major = 9;
  EXPECT_EQ(entry().list()[0].problem, "");
}

}  // namespace
}  // namespace mote

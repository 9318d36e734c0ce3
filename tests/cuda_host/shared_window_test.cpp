// The window with pictures shared between CUDA and Vulkan on the device, and without sharing.
#include <algorithm>

#include "controls.h"
#include "support/gui_fixture.h"
#include "support/vulkan_faults_fixture.h"

namespace mote {
namespace {

using cuda_host::machine;

class AWindowOverCuda : public ScriptedWindow {
 protected:
  void SetUp() override {
    cuda_host::reset();
    device_ = "cuda-host";
    ScriptedWindow::SetUp();
    if (IsSkipped()) return;
    const present::Presenter presenter(present::PresenterOptions{});
    std::ranges::copy(presenter.gpu().uuid, machine().uuid);
    scene("scene.ply", 60);
  }
  void TearDown() override {
    ScriptedWindow::TearDown();
    cuda_host::reset();
  }

  /// Moves the view, and takes a screenshot of the window.
  void look(const std::string& name) {
    run_in_window(
        "set statistics false\nset smoothing 0.05\nset target-fps 1\nopen {}/scene.ply\nwait "
        "still\n"
        "camera orbit 30 5\nwait still\ncamera orbit 30 5\nwait still\n"
        "screenshot window {shots}/" +
        name + "\n");
  }

  /// Expects warnings in the window, but no errors.
  std::ptrdiff_t warnings(const std::string& phrase) const {
    EXPECT_EQ(errors(""), 0);
    const std::vector<Notice>& list = session().notices.list();
    return std::count_if(list.begin(), list.end(), [&](const Notice& notice) {
      return notice.kind == NoticeKind::warning && notice.text.find(phrase) != std::string::npos;
    });
  }
};

constexpr const char* kOverHost = "pictures pass through host memory";

TEST_F(AWindowOverCuda, SharesAgainAfterVulkansDeviceWasLost) {
  const FaultyVulkan faulty({{.call = "vkQueueSubmit2", .first = 6}});
  look("shared.png");
  EXPECT_EQ(warnings("set up again"), 1);
  EXPECT_EQ(warnings(kOverHost), 0);
}

TEST_F(AWindowOverCuda, ReportsThatVulkanUsesAnotherDeviceAndContinues) {
  machine().uuid[0] ^= 1;
  look("of_another_device.png");
  EXPECT_EQ(warnings("--gpu"), 1);
}

TEST_F(AWindowOverCuda, ReportsWhyVulkanCannotShareAndContinues) {
  {
    const FaultyVulkan faulty({}, "VK_KHR_external_memory_fd");
    look("not_shared.png");
    EXPECT_EQ(warnings(kOverHost), 1);
  }
  start();
  const FaultyVulkan faulty(
      {{.call = "vkGetMemoryFdKHR", .result = VK_ERROR_OUT_OF_DEVICE_MEMORY, .times = 1000}});
  look("not_shared.png");
  EXPECT_EQ(warnings("VK_ERROR_OUT_OF_DEVICE_MEMORY"), 1);
}

}  // namespace
}  // namespace mote

// The window when Vulkan fails: it continues, or ends with a message that names a remedy.
#include <limits>
#include <utility>

#include "present/vulkan_error.h"
#include "support/gui_fixture.h"
#include "support/vulkan_faults_fixture.h"
#include "support/window_program_fixture.h"

namespace mote {
namespace {

using present::DeviceLost;
using present::SurfaceLost;

constexpr int kForever = 1'000'000;

class VulkanFaults : public ScriptedWindow {
 protected:
  void SetUp() override {
    ScriptedWindow::SetUp();
    scene();
    make_tiny_dataset(path("data"));
    prepares_ = true;  // another thread may meet the fault
  }

  /// Starts a new viewer that opens files, looks around, uses panels with pictures, and changes its
  /// size. If `and_back`, fonts, camera and size are the former ones in the end. Returns the last
  /// picture.
  Image8 use(bool and_back = true) {
    start();
    std::filesystem::remove(path("end.png"));
    const std::string there =
        "set statistics false\nopen {}/scene.ply {}/data\nwait loaded\nwait still\ncamera reset\n"
        "panel photographs on\nwait seconds 0.1\ncamera orbit 20 5\nwait still\n"
        "panel photographs off\nset font-size 18\nwait frames 1\n";
    const std::string back = and_back ? "set font-size 16\ncamera orbit -20 -5\n" : "";
    const std::string sizes = std::string("window size 700 450\nwait still\n") +
                              (and_back ? "window size 640 420\nwait still\n" : "");
    run_in_window(there + back + sizes +
                  "window view\nwait still\nnotices clear\nwait seconds 0.05\n"
                  "screenshot window {}/end.png\n");
    return std::filesystem::exists(path("end.png")) ? read_image8(path("end.png")) : Image8{};
  }

  /// How often the window set up its Vulkan device again.
  int times_anew() const {
    int times = 0;
    for (const LogLine& line : session().log.lines()) {
      times += line.text.find("set up again") != std::string::npos;
    }
    return times;
  }

  void expect_same(const Image8& shown, const Image8& expected) {
    ASSERT_EQ(shown.width, expected.width);
    ASSERT_EQ(shown.height, expected.height);
    int different = 0;
    for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
      different += std::abs(shown.pixels[i] - expected.pixels[i]) > 1;
    }
    EXPECT_EQ(different, 0);
  }

  /// Expects that the window survives the fault and shows the same picture in the end.
  void expect_goes_on(const Image8& expected, const std::vector<VulkanFault>& faults) {
    const VulkanFault& fault = faults.front();
    SCOPED_TRACE(fmt::format("{} of call {} of {}", present::result_name(fault.result), fault.first,
                             fault.call));
    const FaultyVulkan faulty(faults);
    expect_same(use(), expected);
    EXPECT_EQ(errors(""), 0);
  }
};

TEST_F(VulkanFaults, ALostDeviceIsSetUpAgainAndShowsTheSamePicture) {
  const Image8 expected = use();
  EXPECT_EQ(times_anew(), 0);
  const std::pair<const char*, const char*> kCalls[] = {
      {"vkWaitSemaphores", "vkQueueSubmit2"}, {"vkAcquireNextImageKHR", "vkQueuePresentKHR"}};
  for (const auto& [one, later] : kCalls) {
    for (const int first : {1, 2, 5, 13}) {
      // The new device is lost by the call that comes later in a frame.
      expect_goes_on(expected, {{.call = one, .first = first}, {.call = later, .first = first}});
      EXPECT_EQ(times_anew(), 2);
    }
  }
}

TEST_F(VulkanFaults, ADeviceLostDuringAnUploadIsSetUpAgain) {
  const Image8 expected = use();
  // The first call copies the glyphs at the start.
  for (const int first : {2, 3, 5}) {
    expect_goes_on(expected, {{.call = "vkQueueSubmit", .first = first}});
    EXPECT_EQ(times_anew(), 1);
    expect_goes_on(expected, {{.call = "vkQueueWaitIdle", .first = first}});
    EXPECT_EQ(times_anew(), 1);
  }
}

TEST_F(VulkanFaults, ADeviceLostDuringItsSetUpIsTriedAgain) {
  const Image8 expected = use();
  expect_goes_on(expected, {{.call = "vkQueueSubmit2", .first = 4},
                            {.call = "vkQueueSubmit", .first = 2, .times = 2}});
  // A slow machine may still upload when the first device is lost, and then loses a second one.
  EXPECT_GE(times_anew(), 1);
  EXPECT_LE(times_anew(), 2);
}

TEST_F(VulkanFaults, ADeviceLostForGoodEndsTheWindowAndSavesTheRun) {
  const FaultyVulkan faulty({{.call = "vkQueueSubmit2", .first = 40, .times = kForever}});
  try {
    run_in_window(
        "open {}/data\nwait loaded\ntrain start steps=100000 eval=false max-splats=100 "
        "sh-degree=0 out={}/run\nwait trained 3\nwait trained\n");
    ADD_FAILURE() << "nothing is drawn, and the window stays";
  } catch (const DeviceLost& fault) {
    EXPECT_FALSE(fault.remedy().empty());
  }
  EXPECT_TRUE(session().trainer.active());
  viewer_.reset();
  ASSERT_TRUE(std::filesystem::exists(path("run/checkpoints")));
  EXPECT_FALSE(std::filesystem::is_empty(path("run/checkpoints")));
}

TEST_F(VulkanFaults, ARunContinuesWhileItsWindowIsSetUpAgain) {
  const FaultyVulkan faulty({{.call = "vkQueueSubmit2", .first = 6}});
  run_in_window(
      "open {}/data\nwait loaded\npanel train on\ntrain start steps=3000 eval=false "
      "max-splats=100 sh-degree=0 out={}/run\nwait trained\nwait still\n"
      "screenshot window {shots}/device_lost.png\n");
  EXPECT_EQ(times_anew(), 1);
  EXPECT_EQ(session().training.status.step, 3000u);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(VulkanFaults, ALostSurfaceIsCreatedAgain) {
  const Image8 expected = use();
  for (const int times : {1, 3}) {
    expect_goes_on(expected, {{.call = "vkAcquireNextImageKHR",
                               .result = VK_ERROR_SURFACE_LOST_KHR,
                               .first = 4,
                               .times = times}});
    expect_goes_on(expected, {{.call = "vkQueuePresentKHR",
                               .result = VK_ERROR_SURFACE_LOST_KHR,
                               .first = 3,
                               .times = times}});
    EXPECT_EQ(times_anew(), 0) << "the device is not lost";
  }
  expect_goes_on(expected, {{.call = "vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
                             .result = VK_ERROR_SURFACE_LOST_KHR,
                             .first = 2}});
  EXPECT_EQ(times_anew(), 1);
}

TEST_F(VulkanFaults, ASwapchainIsCreatedOnlyForADifferentPacing) {
  // There are two changes, so the third swapchain is the last one.
  for (const int first : {3, 4}) {
    start();
    const FaultyVulkan faulty({{.call = "vkCreateSwapchainKHR", .first = first}});
    run_in_window(
        "pointer 10 10\nset pacing newest\npointer 12 10\nset pacing newest\npointer 14 10\n"
        "set pacing vsync\npointer 16 10\n");
    EXPECT_EQ(times_anew(), first == 3 ? 1 : 0);
  }
}

TEST_F(VulkanFaults, FramesThatCannotBePresentedAreDrawnAgain) {
  const Image8 expected = use();
  for (const char* call : {"vkAcquireNextImageKHR", "vkQueuePresentKHR"}) {
    for (const VkResult result : {VK_ERROR_OUT_OF_DATE_KHR, VK_SUBOPTIMAL_KHR}) {
      expect_goes_on(expected, {{.call = call, .result = result, .first = 2, .times = 15}});
    }
  }
  for (const VkResult result : {VK_TIMEOUT, VK_NOT_READY}) {
    expect_goes_on(expected, {{.call = "vkAcquireNextImageKHR", .result = result, .times = 4}});
  }
  EXPECT_EQ(times_anew(), 0);
}

TEST_F(VulkanFaults, FramesThatWereNotPresentedAreNotCounted) {
  const FaultyVulkan faulty(
      {{.call = "vkAcquireNextImageKHR", .result = VK_ERROR_OUT_OF_DATE_KHR, .times = kForever}});
  run_in_window("open {}/scene.ply\nwait still\ncamera orbit 20 5\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_GT(session().renderer.finished(), 0u);
  EXPECT_GT(session().window.costs.frames, 0u) << "it was drawn for";
  EXPECT_EQ(session().window.presented.total(), 0u);
  EXPECT_EQ(session().window.presented_fps, 0);
  EXPECT_TRUE(session().window.shown.empty());
}

TEST_F(VulkanFaults, ASwapchainWithoutMemoryIsTriedAgainThenReported) {
  const Image8 expected = use();
  VulkanFault none{.call = "vkCreateSwapchainKHR", .result = VK_ERROR_OUT_OF_DEVICE_MEMORY};
  none.first = 2;
  expect_goes_on(expected, {none});
  EXPECT_EQ(times_anew(), 1);
  none.times = kForever;
  const FaultyVulkan faulty({none});
  try {
    use();
    ADD_FAILURE() << "there are no images";
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("VK_ERROR_OUT_OF_DEVICE_MEMORY"), std::string::npos);
    EXPECT_FALSE(fault.remedy().empty());
  }
}

TEST_F(VulkanFaults, TheWindowSurvivesOneFailureOfAnyAllocation) {
  prepares_ = false;  // allocations of the other thread are not counted
  // Each photograph takes two allocations at the same place.
  std::filesystem::remove_all(path("data"));
  make_tiny_dataset(path("data"), {.views = 3});
  bool all_done = false;
  int starts = 0, goes_on = 0;
  for (int first = 1; !all_done; ++first) {
    SCOPED_TRACE(first);
    const FaultyVulkan faulty(
        {{.call = "vkAllocateMemory", .result = VK_ERROR_OUT_OF_DEVICE_MEMORY, .first = first}});
    bool is_there = false;
    try {
      is_there = use(false).width > 0;
    } catch (const Error& fault) {  // before the window exists
      EXPECT_FALSE(fault.remedy().empty());
      ++starts;
      continue;
    }
    const bool said = times_anew() > 0 || errors("") > 0;
    const auto lines = session().log.lines();
    const bool logged = std::any_of(lines.begin(), lines.end(), [](const LogLine& line) {
      return line.text.find("VK_ERROR_OUT_OF_DEVICE_MEMORY") != std::string::npos;
    });
    EXPECT_TRUE(is_there || errors("not written") == 1);
    EXPECT_TRUE(logged || !said);
    all_done = !logged;
    goes_on += logged;
  }
  EXPECT_GT(starts, 0);
  EXPECT_GT(goes_on, 3);
}

/// The program on a display, with devices that lack something.
class MissingVulkan : public WindowProgram {};

TEST_F(MissingVulkan, AMissingAbilityIsNamed) {
  EXPECT_EQ(run(view_script("quit\n")).exit_code, 0);
  const std::pair<const char*, const char*> each[] = {
      {"vulkan1.3", "supports Vulkan 1.2, but 1.3 is needed"},
      {"timelineSemaphore", "lacks the feature timelineSemaphore"},
      {"synchronization2", "lacks the feature synchronization2"},
      {"graphics", "has no graphics queue"},
      {"display", "cannot show images on this display"},
      {"VK_KHR_swapchain", "lacks the extension VK_KHR_swapchain"}};
  for (const auto& [lack, phrase] : each) {
    const FaultyVulkan faulty({}, lack);
    expect_refusal(view_script("quit\n"), 1, {phrase, "mesa-vulkan-drivers"});
  }
}

TEST_F(MissingVulkan, AMissingDriverIsReportedWithItsPackage) {
  const ScopedVariable none("VK_DRIVER_FILES", "/nonexistent/icd.json");
  const ScopedVariable none_of_old("VK_ICD_FILENAMES", "/nonexistent/icd.json");
  expect_refusal(view_script("quit\n"), 1, {"Vulkan", "mesa-vulkan-drivers", "--offscreen"});
}

TEST_F(MissingVulkan, MoteWithoutACommandReportsTheReasonAndTheAlternatives) {
  const ScopedVariable none("VK_DRIVER_FILES", "/nonexistent/icd.json");
  const ScopedVariable none_of_old("VK_ICD_FILENAMES", "/nonexistent/icd.json");
  const ScopedVariable settings("XDG_CONFIG_HOME", path("settings").c_str());
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* phrase :
       {"No window", "Vulkan", "mesa-vulkan-drivers", "mote render SCENE", "Machine"}) {
    EXPECT_NE(outcome.out.find(phrase), std::string::npos) << phrase << '\n' << outcome.out;
  }
}

TEST_F(MissingVulkan, ADeviceThatFailsAtTheStartIsNamed) {
  for (const char* call : {"vkCreateDevice", "vkQueueSubmit"}) {
    const FaultyVulkan faulty({{.call = call}});
    expect_refusal(view_script("quit\n"), 1, {"VK_ERROR_DEVICE_LOST", "--gpu"});
  }
}

TEST_F(MissingVulkan, ADeviceLostForGoodEndsTheProgramWithAMessage) {
  const FaultyVulkan faulty({{.call = "vkQueueSubmit2", .times = kForever}});
  const Outcome outcome = run(view_script("wait seconds 600\n"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("VK_ERROR_DEVICE_LOST"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("--gpu"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace mote

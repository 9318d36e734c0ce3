// The choice of a device, and the messages if none is usable, with simulated devices.
#include <gtest/gtest.h>

#include "core/options.h"
#include "present/gpu_list.h"
#include "present/vulkan_error.h"

namespace mote {
namespace {

using namespace present;

GpuInfo gpu(int index, const char* name, VkPhysicalDeviceType type, const char* problem = "") {
  GpuInfo info;
  info.index = index;
  info.name = name;
  info.type = type;
  info.problem = problem;
  return info;
}

const std::vector<GpuInfo> kGpus{
    gpu(0, "llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU),
    gpu(1, "Iris Xe", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU),
    gpu(2, "Old Card", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, "supports Vulkan 1.1"),
    gpu(3, "GeForce A", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU),
    gpu(4, "GeForce B", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)};

template <class Fault, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Fault& fault) {
    EXPECT_FALSE(fault.remedy().empty());
    return fault.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GpuChoice, AutoPrefersDiscreteToIntegratedToCpu) {
  const std::span<const GpuInfo> all = kGpus;
  EXPECT_EQ(choose_gpu(all, "auto").index, 3);
  EXPECT_EQ(choose_gpu(all.first(3), "auto").index, 1);
  EXPECT_EQ(choose_gpu(all.first(1), "auto").index, 0);
}

TEST(GpuChoice, TakesAnIndexOrAPartOfAName) {
  EXPECT_EQ(choose_gpu(kGpus, "0").index, 0);
  EXPECT_EQ(choose_gpu(kGpus, "4").index, 4);
  EXPECT_EQ(choose_gpu(kGpus, "iris").index, 1);
  EXPECT_EQ(choose_gpu(kGpus, "GEFORCE B").index, 4);
}

TEST(GpuChoice, UnknownAndAmbiguousNamesAreWrongUsageAndListTheDevices) {
  for (const char* wanted : {"5", "-1", "radeon", "geforce", ""}) {
    const std::string message = message_of<UsageError>([&] { choose_gpu(kGpus, wanted); });
    EXPECT_TRUE(contains(message, "1 (Iris Xe)")) << message;
  }
}

TEST(GpuChoice, ReportsWhyTheRequestedDeviceCannotBeUsed) {
  const std::string message = message_of<Error>([] { choose_gpu(kGpus, "2"); });
  EXPECT_TRUE(contains(message, "Old Card: supports Vulkan 1.1")) << message;
}

TEST(GpuChoice, ReportsWhyNoDeviceCanBeUsed) {
  const std::vector<GpuInfo> gpus{kGpus[2]};
  const std::string message = message_of<Error>([&] { choose_gpu(gpus, "auto"); });
  EXPECT_TRUE(contains(message, "Old Card supports Vulkan 1.1")) << message;
  EXPECT_TRUE(contains(message_of<Error>([] { choose_gpu({}, "auto"); }), "mesa-vulkan-drivers"));
}

TEST(GpuChoice, EachMissingAbilityIsNamed) {
  const GpuAbilities all{.api_version = VK_API_VERSION_1_3,
                         .timeline_semaphores = true,
                         .synchronization2 = true,
                         .draws = true,
                         .needs_window = true,
                         .shows_on_surface = true,
                         .has_swapchains = true,
                         .has_surface_formats = true};
  EXPECT_EQ(problem_of(all), "");
  const auto problem_without = [&](auto change) {
    GpuAbilities some = all;
    change(some);
    const std::string problem = problem_of(some);
    some.needs_window = false;
    return std::pair(problem, problem_of(some));
  };
  const auto needed = [](const std::pair<std::string, std::string>& problems, const char* part) {
    EXPECT_TRUE(contains(problems.first, part)) << problems.first;
    EXPECT_EQ(problems.first, problems.second) << "needed without a window too";
  };
  needed(problem_without([](GpuAbilities& a) { a.api_version = VK_API_VERSION_1_2; }),
         "Vulkan 1.2");
  needed(problem_without([](GpuAbilities& a) { a.timeline_semaphores = false; }), "timeline");
  needed(problem_without([](GpuAbilities& a) { a.synchronization2 = false; }), "synchronization2");
  needed(problem_without([](GpuAbilities& a) { a.draws = false; }), "graphics queue");
  const auto for_windows = [](const std::pair<std::string, std::string>& problems,
                              const char* part) {
    EXPECT_TRUE(contains(problems.first, part)) << problems.first;
    EXPECT_EQ(problems.second, "");
  };
  for_windows(problem_without([](GpuAbilities& a) { a.shows_on_surface = false; }), "display");
  for_windows(problem_without([](GpuAbilities& a) { a.has_swapchains = false; }), "swapchain");
  for_windows(problem_without([](GpuAbilities& a) { a.has_surface_formats = false; }), "8 bits");
}

TEST(VulkanResults, FaultsNameTheCallTheDeviceAndTheRemedy) {
  EXPECT_NO_THROW(check(VK_SUCCESS, "do it", "GPU"));
  const auto message =
      message_of<Error>([] { check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "make an image", "GeForce A"); });
  EXPECT_TRUE(contains(message, "GeForce A: could not make an image")) << message;
  EXPECT_TRUE(contains(message, "VK_ERROR_OUT_OF_DEVICE_MEMORY")) << message;
  EXPECT_THROW(check(VK_ERROR_DEVICE_LOST, "draw", "GPU"), DeviceLost);
  EXPECT_THROW(check(VK_ERROR_SURFACE_LOST_KHR, "draw", "GPU"), SurfaceLost);
  const std::string unknown =
      message_of<Error>([] { check(static_cast<VkResult>(-424242), "draw", "GPU"); });
  EXPECT_TRUE(contains(unknown, "-424242")) << unknown;
}

}  // namespace
}  // namespace mote

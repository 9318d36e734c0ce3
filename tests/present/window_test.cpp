// Presenting in a window, on a display that no screen shows.
#define GLFW_INCLUDE_NONE
#include <vulkan/vulkan.h>
// Must follow vulkan.h, to declare its surfaces.
#include <GLFW/glfw3.h>

#include "present/vulkan_error.h"
#include "support/present_fixture.h"
#include "support/virtual_display.h"

namespace mote {
namespace {

using namespace present;

class Window : public ::testing::Test {
 protected:
  static constexpr int kWidth = 320, kHeight = 200;

  void SetUp() override {
    if (!display_.is_there()) GTEST_SKIP() << "no Xvfb";
    ASSERT_EQ(glfwInit(), GLFW_TRUE);
    if (glfwVulkanSupported() != GLFW_TRUE) GTEST_SKIP() << "no Vulkan driver";
    keep_drivers_loaded();
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    window_ = glfwCreateWindow(kWidth, kHeight, "test", nullptr, nullptr);
    ASSERT_NE(window_, nullptr);
  }
  void TearDown() override {
    if (presenter_ != nullptr) {
      EXPECT_EQ(presenter_->validation().count(), 0);
      for (const std::string& text : presenter_->validation().texts()) ADD_FAILURE() << text;
      presenter_.reset();
    }
    if (window_ != nullptr) glfwDestroyWindow(window_);
    glfwTerminate();
  }

  void open(Pacing pacing = Pacing::newest) {
    PresenterOptions options;
    options.validation = true;
    options.pacing = pacing;
    options.width = kWidth;
    options.height = kHeight;
    std::uint32_t count = 0;
    const char** names = glfwGetRequiredInstanceExtensions(&count);
    WindowSystem window;
    window.instance_extensions.assign(names, names + count);
    window.make_surface = [this](VkInstance instance) {
      ++surfaces_;
      VkSurfaceKHR surface = VK_NULL_HANDLE;
      check(glfwCreateWindowSurface(instance, window_, nullptr, &surface), "make a surface",
            "window");
      return surface;
    };
    options.window = window;
    presenter_ = std::make_unique<Presenter>(options);
  }

  void resize(int width, int height) {
    glfwSetWindowSize(window_, width, height);
    for (int i = 0; i < 200; ++i) {
      glfwPollEvents();
      int w = 0, h = 0;
      glfwGetFramebufferSize(window_, &w, &h);
      if (w == width && h == height) return;
      glfwWaitEventsTimeout(0.01);
    }
    ADD_FAILURE() << "the window keeps its size";
  }

  VirtualDisplay display_;
  GLFWwindow* window_ = nullptr;
  int surfaces_ = 0;
  std::unique_ptr<Presenter> presenter_;
};

TEST_F(Window, ShowsFramesWithEitherPacing) {
  for (const Pacing pacing : {Pacing::vsync, Pacing::newest}) {
    open(pacing);
    presenter_->set_image(ImageSlot::first, random_picture(kWidth, kHeight, 3, 1));
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(presenter_->draw({.view = {0, 0, kWidth, kHeight}})) << i;
    }
    EXPECT_EQ(presenter_->validation().count(), 0);
    presenter_.reset();
  }
}

TEST_F(Window, FollowsItsWindowsSize) {
  open();
  presenter_->set_image(ImageSlot::first, random_picture(64, 48, 3, 1));
  for (const auto& [width, height] :
       {std::pair(400, 300), std::pair(101, 77), std::pair(640, 480)}) {
    resize(width, height);
    // The presenter is not told: the window system reports that the images are out of date.
    bool shown = false;
    for (int i = 0; i < 5; ++i) shown = presenter_->draw({.view = {0, 0, width, height}});
    EXPECT_TRUE(shown);
    presenter_->resize(width, height);
    EXPECT_TRUE(presenter_->draw({.view = {0, 0, width, height}}));
    EXPECT_EQ(presenter_->extent().width, static_cast<unsigned>(width));
    EXPECT_EQ(presenter_->extent().height, static_cast<unsigned>(height));
  }
}

TEST_F(Window, PausesWhileMinimisedAndComesBack) {
  open();
  presenter_->set_image(ImageSlot::first, random_picture(64, 48, 3, 1));
  const DrawRequest request{.view = {0, 0, kWidth, kHeight}};
  EXPECT_TRUE(presenter_->draw(request));
  presenter_->resize(0, 0);
  EXPECT_FALSE(presenter_->draw(request));
  EXPECT_FALSE(presenter_->draw(request));
  presenter_->resize(kWidth, kHeight);
  EXPECT_TRUE(presenter_->draw(request));
}

TEST_F(Window, CapturesItsContentWithoutDisturbingIt) {
  open();
  const Image picture = random_picture(kWidth, kHeight, 3, 4);
  presenter_->set_image(ImageSlot::first, picture, {.format = TexelFormat::color8});
  const DrawRequest request{.view = {0, 0, kWidth, kHeight}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(presenter_->draw(request));
    const Image8 shown = presenter_->capture(request, kWidth, kHeight);
    int worst = 0;
    for (std::size_t p = 0; p < shown.pixels.size(); ++p) {
      const int expected = static_cast<int>(picture.pixels[p] * 255.0f + 0.5f);
      worst = std::max(worst, std::abs(shown.pixels[p] - expected));
    }
    EXPECT_EQ(worst, 0);
  }
}

TEST_F(Window, ReportsThatNoDriverSupportsTheDisplay) {
  PresenterOptions options;
  options.window = WindowSystem{.instance_extensions = {"VK_KHR_surface_of_another_planet"},
                                .make_surface = [](VkInstance) { return VkSurfaceKHR{}; }};
  try {
    const Presenter presenter(options);
    ADD_FAILURE() << "shows windows of another planet";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--offscreen"), std::string::npos) << error.what();
  }
}

TEST_F(Window, PassesOnExceptionsOfTheWindowSystem) {
  PresenterOptions options;
  options.window =
      WindowSystem{.instance_extensions = {}, .make_surface = [](VkInstance) -> VkSurfaceKHR {
                     throw Error("no window", "here", "open one");
                   }};
  EXPECT_THROW(Presenter{options}, Error);
}

}  // namespace
}  // namespace mote

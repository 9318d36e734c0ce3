// Presenting offscreen: many frames, changes of images and sizes, overlays, and faults.
#include "support/present_fixture.h"

namespace mote {
namespace {

using namespace present;

class Offscreen : public PresentTest {};

std::array<int, 3> pixel(const Image8& image, int x, int y) {
  const std::uint8_t* p = image.row(y) + 3 * x;
  return {p[0], p[1], p[2]};
}

Image plain(int width, int height, float red, float green, float blue) {
  Image image;
  image.resize_discard(width, height, 3);
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    image.pixels[i] = red, image.pixels[i + 1] = green, image.pixels[i + 2] = blue;
  }
  return image;
}

TEST_F(Offscreen, EachFrameShowsTheImageThatWasSetLast) {
  presenter_->resize(32, 16);
  for (int frame = 0; frame < 20; ++frame) {
    const int level = 10 * frame;
    for (int overwritten = 0; overwritten < frame % 3; ++overwritten) {
      presenter_->set_image(ImageSlot::first, plain(32, 16, 1, 1, 1));
    }
    presenter_->set_image(ImageSlot::first, plain(32, 16, static_cast<float>(level) / 255, 0, 0),
                          {.format = TexelFormat::color8});
    const DrawRequest request{.view = {0, 0, 32, 16}};
    for (int again = 0; again < frame % 4; ++again) EXPECT_TRUE(presenter_->draw(request));
    const Image8 shown = presenter_->capture(request, 32, 16);
    ASSERT_EQ(pixel(shown, 31, 15), (std::array<int, 3>{level, 0, 0}));
  }
}

TEST_F(Offscreen, ImagesMayChangeTheirSizeAndKindFromFrameToFrame) {
  const Image tiny = plain(1, 1, 0, 1, 0), wide = plain(300, 2, 0, 1, 0);
  const Image other = random_picture(7, 9, 3, 1);
  const DrawRequest request{.view = {0, 0, 20, 20}};
  for (int round = 0; round < 3; ++round) {
    for (const Image* image : {&tiny, &wide}) {
      presenter_->set_image(ImageSlot::first, *image);
      EXPECT_EQ(pixel(presenter_->capture(request, 20, 20), 19, 19),
                (std::array<int, 3>{0, 255, 0}));
    }
    presenter_->set_image(ImageSlot::first, other, {.format = TexelFormat::color8});
    presenter_->capture(request, 20, 20);
  }
}

TEST_F(Offscreen, ShowsNothingBeforeAnImageIsSetAndAfterItIsCleared) {
  const DrawRequest request{.view = {0, 0, 8, 8}, .clear_color = {0, 0, 1}};
  EXPECT_EQ(pixel(presenter_->capture(request, 8, 8), 4, 4), (std::array<int, 3>{0, 0, 255}));
  presenter_->set_image(ImageSlot::first, plain(8, 8, 1, 0, 0));
  EXPECT_EQ(pixel(presenter_->capture(request, 8, 8), 4, 4), (std::array<int, 3>{255, 0, 0}));
  presenter_->clear_image(ImageSlot::first);
  EXPECT_EQ(pixel(presenter_->capture(request, 8, 8), 4, 4), (std::array<int, 3>{0, 0, 255}));
  presenter_->set_image(ImageSlot::first, plain(8, 8, 0, 1, 0));
  EXPECT_EQ(pixel(presenter_->capture(request, 8, 8), 4, 4), (std::array<int, 3>{0, 255, 0}));
}

TEST_F(Offscreen, ChangesItsSizeAndPausesAtSizeZero) {
  presenter_->set_image(ImageSlot::first, plain(8, 8, 1, 0, 0));
  for (const int size : {64, 1, 500, 0, 64}) {
    presenter_->resize(size, size);
    EXPECT_EQ(presenter_->draw({.view = {0, 0, size, size}}), size > 0);
  }
  presenter_->resize(-5, 10);
  EXPECT_FALSE(presenter_->draw({.view = {0, 0, 10, 10}}));
}

TEST_F(Offscreen, KeepsTheFormerLookUntilThePipelineOfANewOneIsReady) {
  presenter_->resize(8, 8);
  presenter_->set_image(ImageSlot::first, plain(8, 8, 0.5f, 0.5f, 0.5f));
  DrawRequest request{.view = {0, 0, 8, 8}};
  const int made = presenter_->device().pipelines_made_here();
  EXPECT_TRUE(presenter_->draw(request));
  EXPECT_TRUE(presenter_->settled()) << "the plain look is there from the start";
  for (const ToneCurve tone : {ToneCurve::filmic, ToneCurve::neutral, ToneCurve::filmic}) {
    request.display.tone = tone;
    do {
      EXPECT_TRUE(presenter_->draw(request));
    } while (!presenter_->settled());
    presenter_->capture(request, 8, 8);
    EXPECT_TRUE(presenter_->settled());
  }
  EXPECT_EQ(presenter_->device().pipelines_made_here(), made);
}

TEST_F(Offscreen, PreparesLikelyPipelinesInTheBackground) {
  Presenter prepared(PresenterOptions{.validation = true, .prepares = true});
  prepared.resize(8, 8);
  prepared.set_image(ImageSlot::first, plain(8, 8, 0.5f, 0.5f, 0.5f));
  const Image8 shown = prepared.capture(
      {.view = {0, 0, 8, 8}, .display = {.exposure_ev = 1, .tone = ToneCurve::neutral}}, 8, 8);
  presenter_->set_image(ImageSlot::first, plain(8, 8, 0.5f, 0.5f, 0.5f));
  EXPECT_EQ(pixel(shown, 4, 4),
            pixel(presenter_->capture({.view = {0, 0, 8, 8},
                                       .display = {.exposure_ev = 1, .tone = ToneCurve::neutral}},
                                      8, 8),
                  4, 4));
  EXPECT_EQ(prepared.validation().count(), 0);
}

TEST_F(Offscreen, ShowsPhotographs) {
  Image8 photograph;
  photograph.resize_discard(4, 4, 3);
  for (std::size_t i = 0; i < 48; ++i) photograph.pixels[i] = static_cast<std::uint8_t>(5 * i);
  presenter_->set_image(ImageSlot::first, photograph);
  const Image8 shown = presenter_->capture({.view = {0, 0, 4, 4}}, 4, 4);
  EXPECT_TRUE(std::equal(shown.pixels.span().begin(), shown.pixels.span().end(),
                         photograph.pixels.span().begin()));
}

TEST_F(Offscreen, RefusesAnImageBeyondTheLimitOfTheDevice) {
  const int side = presenter_->device().largest_image_side() + 1;
  Image wide;
  wide.resize_discard(side, 1, 1);
  EXPECT_THROW(presenter_->set_image(ImageSlot::first, wide), Error);
  EXPECT_TRUE(presenter_->draw({.view = {0, 0, 8, 8}})) << "it goes on without";
}

TEST_F(Offscreen, OverlayStrokesCoverTheirPixels) {
  const OverlayStroke line{
      .from = {2.0f, 10.5f}, .to = {30.0f, 10.5f}, .width_px = 3, .color = {255, 0, 0, 255}};
  const OverlayStroke dot{
      .from = {20.5f, 20.5f}, .to = {20.5f, 20.5f}, .width_px = 5, .color = {0, 255, 0, 128}};
  const Rectangle view{4, 2, 40, 30};
  const Image8 shown = presenter_->capture({.view = view, .overlay = {line, dot}}, 50, 40);
  const auto at = [&](int x, int y) { return pixel(shown, x + view.x, y + view.y); };
  for (const int y : {9, 10, 11}) EXPECT_EQ(at(15, y), (std::array<int, 3>{255, 0, 0})) << y;
  for (const int y : {7, 13}) EXPECT_EQ(at(15, y), (std::array<int, 3>{0, 0, 0})) << y;
  EXPECT_EQ(at(35, 10), (std::array<int, 3>{0, 0, 0})) << "behind its end";
  EXPECT_EQ(at(20, 20), (std::array<int, 3>{0, 128, 0})) << "half covered by its alpha";
  EXPECT_EQ(at(20, 16), (std::array<int, 3>{0, 0, 0}));
}

TEST_F(Offscreen, OverlayStrokesAreClippedToTheView) {
  const OverlayStroke line{.from = {-50, 5}, .to = {100, 5}, .width_px = 4};
  const Image8 shown = presenter_->capture({.view = {10, 10, 10, 10}, .overlay = {line}}, 40, 40);
  EXPECT_EQ(pixel(shown, 12, 15)[0], 255);
  EXPECT_EQ(pixel(shown, 8, 15)[0], 0);
  EXPECT_EQ(pixel(shown, 22, 15)[0], 0);
}

TEST_F(Offscreen, AcceptsAnyNumberOfStrokes) {
  for (const std::size_t count : {3u, 5000u, 20000u, 10u}) {
    std::vector<OverlayStroke> strokes(count);
    strokes.back() = {.from = {5, 5}, .to = {5, 5}, .width_px = 6, .color = {0, 0, 255, 255}};
    const Image8 shown = presenter_->capture({.view = {0, 0, 10, 10}, .overlay = strokes}, 10, 10);
    EXPECT_EQ(pixel(shown, 5, 5), (std::array<int, 3>{0, 0, 255})) << count;
  }
}

TEST_F(Offscreen, TheGuiDrawsOverEverything) {
  presenter_->set_image(ImageSlot::first, plain(8, 8, 1, 0, 0));
  const auto gui = [](VkCommandBuffer commands) {
    VkClearAttachment clear{};
    clear.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    clear.clearValue.color.float32[1] = 1;
    const VkClearRect part{{{0, 0}, {4, 8}}, 0, 1};
    vkCmdClearAttachments(commands, 1, &clear, 1, &part);
  };
  const GuiContext context = presenter_->gui_context();
  EXPECT_NE(context.render_pass, VkRenderPass{VK_NULL_HANDLE});
  EXPECT_EQ(context.device, presenter_->device().handle());
  const Image8 shown = presenter_->capture({.view = {0, 0, 8, 8}, .gui = gui}, 8, 8);
  EXPECT_EQ(pixel(shown, 1, 1), (std::array<int, 3>{0, 255, 0}));
  EXPECT_EQ(pixel(shown, 6, 1), (std::array<int, 3>{255, 0, 0}));
}

TEST_F(Offscreen, ListsItsDeviceAsUsable) {
  const GpuInfo& gpu = presenter_->gpu();
  EXPECT_EQ(gpu.problem, "");
  EXPECT_FALSE(gpu.name.empty());
  EXPECT_FALSE(gpu.driver.empty());
  EXPECT_GT(gpu.memory_bytes, 0u);
  EXPECT_NE(gpu.uuid, (std::array<std::uint8_t, VK_UUID_SIZE>{}));
}

TEST(Validation, CountsAWrongCall) {
  std::unique_ptr<Presenter> presenter;
  try {
    keep_drivers_loaded();
    presenter = std::make_unique<Presenter>(PresenterOptions{.validation = true});
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto wrong = [](VkCommandBuffer commands) {
    const VkViewport no_width{0, 0, 0, 1, 0, 1};
    vkCmdSetViewport(commands, 0, 1, &no_width);
  };
  presenter->draw({.gui = wrong});
  EXPECT_EQ(presenter->validation().count(), 1);
  ASSERT_EQ(presenter->validation().texts().size(), 1u);
}

std::string message_without_drivers(const PresenterOptions& options) {
  const ScopedVariable none("VK_DRIVER_FILES", "/nonexistent/icd.json");
  const ScopedVariable none_of_old("VK_ICD_FILENAMES", "/nonexistent/icd.json");
  try {
    const Presenter presenter(options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  ADD_FAILURE() << "found a device where there is none";
  return "";
}

TEST(WithoutADriver, NamesThePackageToInstall) {
  const std::string message = message_without_drivers({});
  EXPECT_NE(message.find("mesa-vulkan-drivers"), std::string::npos) << message;
}

TEST(WithoutADriver, NamesThePackageForAWindowToo) {
  const WindowSystem window{.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME},
                            .make_surface = [](VkInstance) { return VkSurfaceKHR{}; }};
  EXPECT_NE(message_without_drivers({.window = window}), "");
}

TEST(WithoutValidationLayers, NamesThePackageToInstall) {
  const ScopedVariable none("VK_LAYER_PATH", "/nonexistent");
  try {
    const Presenter presenter(PresenterOptions{.validation = true});
    ADD_FAILURE() << "validates without layers";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("vulkan-validationlayers"), std::string::npos);
  }
}

}  // namespace
}  // namespace mote

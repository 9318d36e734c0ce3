// Pictures that go from a backend's memory to Vulkan's without the host, on each backend that
// supports it.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "backend/backend.h"
#include "core/shared_pictures.h"
#include "fields/image_plane.h"
#include "present/gpu_list.h"
#include "support/field_trainer_fixture.h"
#include "support/grid_field.h"
#include "support/present_fixture.h"
#include "support/random_cloud.h"
#include "support/reference/render_checks.h"
#include "support/test_devices.h"

namespace mote {
namespace {

using namespace present;

constexpr int kWidth = 60, kHeight = 50;
constexpr std::size_t kPlaces = 3;

/// With validation if its layers are installed; null if there is no such device.
std::unique_ptr<Presenter> presenter_of(int gpu) {
  for (const bool validation : {true, false}) {
    try {
      return std::make_unique<Presenter>(
          PresenterOptions{.gpu = std::to_string(gpu), .validation = validation});
    } catch (const Error&) {
    }
  }
  return nullptr;
}

class PictureSharing : public OnEachDevice {
 protected:
  void SetUp() override {
    OnEachDevice::SetUp();
    if (IsSkipped()) return;
    std::string why = "there is none";
    try {
      keep_drivers_loaded();
      const Instance instance({});
      for (const GpuInfo& gpu : list_gpus(instance.handle(), VK_NULL_HANDLE)) {
        presenter_ = presenter_of(gpu.index);
        if (presenter_ == nullptr) continue;
        if (GetParam().stand_on) GetParam().stand_on(presenter_->gpu().uuid);
        try {
          backend().import_pictures(share());
          return;
        } catch (const Error& error) {
          why = error.what();
          presenter_.reset();
        }
      }
    } catch (const Error& error) {
      why = error.what();
    }
    GTEST_SKIP() << "no Vulkan device shares its memory with " << GetParam().name << ": " << why;
  }
  void TearDown() override {
    if (presenter_ == nullptr) return;
    for (const std::string& text : presenter_->validation().texts()) ADD_FAILURE() << text;
  }
  SharedPictures share() { return presenter_->share_pictures(kPlaces, kWidth, kHeight); }
  Image8 shown(int width = kWidth, int height = kHeight) {
    return presenter_->capture({.view = {0, 0, width, height}}, width, height);
  }

  std::unique_ptr<Presenter> presenter_;
};

TEST_P(PictureSharing, ShowsTheSamePictureAsTheWayOverTheHost) {
  const std::unique_ptr<PictureSink> sink = backend().import_pictures(share());
  const std::unique_ptr<DeviceScene> scene = backend().upload(random_cloud(200, 1, 5));
  Frame frame, untouched;
  std::uint64_t read[kPlaces] = {};
  for (std::uint64_t number = 1; number <= 7; ++number) {
    const Camera camera = camera_at(static_cast<double>(number), kWidth, kHeight);
    PictureDelivery delivery{.sink = sink.get(),
                             .picture = {number % kPlaces, number, kWidth, kHeight},
                             .after_read = read[number % kPlaces]};
    RenderSettings settings;
    settings.outputs.delivery = &delivery;
    backend().render(*scene, camera, settings, untouched);
    presenter_->set_image(delivery.picture);
    const Image8 over_device = shown();
    EXPECT_EQ(presenter_->last_read(), number);
    read[number % kPlaces] = number;
    backend().render(*scene, camera, {}, frame);
    presenter_->set_image(ImageSlot::first, frame.rgb, {.format = TexelFormat::color8});
    const Image8 over_host = shown();
    ASSERT_TRUE(std::ranges::equal(over_device.pixels.span(), over_host.pixels.span())) << number;
  }
}

TEST_P(PictureSharing, ShowsFieldsWithoutTheHostToo) {
  const std::unique_ptr<PictureSink> sink = backend().import_pictures(share());
  std::vector<NeuralField> fields;
  for (const FieldApplication application :
       {FieldApplication::image, FieldApplication::sdf, FieldApplication::volume}) {
    fields.push_back(
        grid_field(application, kSmallGrid, {.neurons = 16, .hidden_layers = 1}, 2.0f));
  }
  fields.push_back(new_field(1));
  std::fill(fields.back().occupancy.values.begin(), fields.back().occupancy.values.end(), 1.0f);
  std::uint64_t number = 0;
  for (const NeuralField& field : fields) {
    SCOPED_TRACE(static_cast<int>(field.application));
    const std::unique_ptr<DeviceField> own = backend().upload_field(field);
    Camera camera = field.application == FieldApplication::image
                        ? image_camera(image_aspect(field), kWidth, kHeight)
                        : fitted(ball_camera({3, 0, 1}), kWidth, kHeight);
    PictureDelivery delivery{
        .sink = sink.get(), .picture = {0, ++number, kWidth, kHeight}, .after_read = number - 1};
    RenderSettings settings;
    settings.background = {0.1f, 0.6f, 0.3f};
    settings.field_step = 16;
    settings.outputs.delivery = &delivery;
    Frame frame;
    EXPECT_TRUE(own->render(camera, settings, frame).delivered);
    presenter_->set_image(delivery.picture);
    const Image8 over_device = shown();
    settings.outputs.delivery = nullptr;
    EXPECT_FALSE(own->render(camera, settings, frame).delivered);
    presenter_->set_image(ImageSlot::first, frame.rgb, {.format = TexelFormat::color8});
    const Image8 over_host = shown();
    EXPECT_TRUE(std::ranges::equal(over_device.pixels.span(), over_host.pixels.span()));
    const auto [least, most] = std::ranges::minmax(over_device.pixels.span());
    EXPECT_GT(most - least, 20);
  }
}

TEST_P(PictureSharing, AcceptsPicturesSmallerThanTheirSlots) {
  const std::unique_ptr<PictureSink> sink = backend().import_pictures(share());
  const std::unique_ptr<DeviceScene> scene = backend().upload(random_cloud(200, 1, 5));
  Frame frame;
  const Camera camera = camera_at(2, 31, 17);
  PictureDelivery delivery{.sink = sink.get(), .picture = {1, 9, 31, 17}};
  RenderSettings settings;
  settings.outputs.delivery = &delivery;
  backend().render(*scene, camera, settings, frame);
  presenter_->set_image(delivery.picture);
  const Image8 over_device = shown(31, 17);
  backend().render(*scene, camera, {}, frame);
  presenter_->set_image(ImageSlot::first, frame.rgb, {.format = TexelFormat::color8});
  const Image8 over_host = shown(31, 17);
  EXPECT_TRUE(std::ranges::equal(over_device.pixels.span(), over_host.pixels.span()));
}

TEST_P(PictureSharing, ContinuesWithOtherSlots) {
  std::unique_ptr<PictureSink> sink = backend().import_pictures(share());
  const std::unique_ptr<PictureSink> later = backend().import_pictures(share());
  sink.reset();
  const std::unique_ptr<DeviceScene> scene = backend().upload(random_cloud(50, 0, 5));
  Frame frame;
  PictureDelivery delivery{.sink = later.get(), .picture = {0, 1, kWidth, kHeight}};
  RenderSettings settings;
  settings.outputs.delivery = &delivery;
  backend().render(*scene, camera_at(1, kWidth, kHeight), settings, frame);
  presenter_->set_image(delivery.picture);
  shown();
  EXPECT_EQ(presenter_->last_read(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Devices, PictureSharing, testing::ValuesIn(test_devices()));

}  // namespace
}  // namespace mote

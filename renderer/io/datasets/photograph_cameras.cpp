#include "io/datasets/photograph_cameras.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"
#include "cameras/undistortion.h"
#include "core/error.h"
#include "core/parallel.h"
#include "core/spelling.h"

namespace mote {
namespace {

/// The values of a camera and its lens that determine the undistorted camera.
using LensKey = std::array<double, 19>;

LensKey lens_key(const UsableImage& image) {
  const Camera& camera = image.posed.camera;
  LensKey key{static_cast<double>(camera.width),
              static_cast<double>(camera.height),
              camera.focal_px.x,
              camera.focal_px.y,
              camera.center_px.x,
              camera.center_px.y,
              static_cast<double>(image.posed.lens.kind)};
  std::ranges::copy(image.posed.lens.parameters, key.begin() + 7);
  return key;
}

/// The camera that `make` makes of each image, once per pair of camera and lens, on all cores.
/// Poses are those of the images. Images whose lens cannot be inverted are dropped.
std::vector<Camera> made_cameras(std::vector<UsableImage>& images, LoadedDataset& loaded,
                                 const std::function<Camera(const PosedImage&)>& make) {
  struct Shared {
    const UsableImage* image;
    Camera camera;
    std::optional<Error> fault;
  };
  std::map<LensKey, std::size_t> numbers;
  std::vector<Shared> shared;
  std::vector<std::size_t> number_of;
  for (const UsableImage& image : images) {
    const auto [entry, is_new] = numbers.try_emplace(lens_key(image), shared.size());
    if (is_new) shared.push_back({&image, {}, {}});
    number_of.push_back(entry->second);
  }
  run_tasks(shared.size(), [&](std::size_t i, int) {
    const PosedImage& posed = shared[i].image->posed;
    shared[i].fault = attempt([&] { shared[i].camera = make(posed); });
  });
  std::vector<UsableImage> kept;
  std::vector<Camera> cameras;
  LeftOut folded;
  std::optional<Error> first_fault;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const Shared& one = shared[number_of[i]];
    if (one.fault) {
      folded.add(images[i].posed.file);
      if (!first_fault) first_fault = one.fault;
      continue;
    }
    Camera camera = one.camera;
    camera.cam_from_world = images[i].posed.camera.cam_from_world;
    camera.translation = images[i].posed.camera.translation;
    cameras.push_back(camera);
    kept.push_back(std::move(images[i]));
  }
  if (kept.empty()) throw *shared.front().fault;
  loaded.facts.folded = folded.count();
  if (folded.count() > 0) {
    loaded.dataset.warnings.push_back(
        folded.phrase(
            images.size(),
            "photographs have a lens distortion that cannot be inverted and are left out") +
        "; the first: " + first_fault->what());
  }
  images = std::move(kept);
  return cameras;
}

Camera with_lens(const PosedImage& posed) {
  Camera camera = posed.camera;
  if (!is_identity(posed.lens)) {
    camera.lens = std::make_shared<const LensRays>(posed.camera, posed.lens, posed.calibration);
  }
  return camera;
}

void tell_unseen(const std::vector<Camera>& cameras, Dataset& dataset) {
  std::size_t count = 0;
  double least = 1;
  for (const Camera& camera : cameras) {
    if (!camera.lens || camera.lens->seen_share() >= 1) continue;
    ++count;
    least = std::min(least, camera.lens->seen_share());
  }
  if (count == 0) return;
  dataset.warnings.push_back(
      fmt::format("the lens of {} has no inverse in a part of the image, at most "
                  "{:.2g} % of it; these pixels are masked",
                  number_of(static_cast<std::uint64_t>(count), "photograph"), 100 * (1 - least)));
}

}  // namespace

std::vector<Camera> undistorted_cameras(std::vector<UsableImage>& images, LoadedDataset& loaded) {
  std::vector<Camera> cameras = made_cameras(images, loaded, [](const PosedImage& posed) {
    return undistorted_camera(posed.camera, posed.lens, posed.calibration);
  });
  const auto moving = std::ranges::count_if(
      images, [](const UsableImage& image) { return image.posed.motion != nullptr; });
  if (moving > 0) {
    loaded.dataset.warnings.push_back(fmt::format(
        "the rolling shutter of {} is ignored; the cameras stand still where they are in the "
        "middle of the image",
        number_of(static_cast<std::uint64_t>(moving), "photograph")));
  }
  return cameras;
}

std::vector<Camera> cameras_with_lens(std::vector<UsableImage>& images, LoadedDataset& loaded) {
  std::vector<Camera> cameras = made_cameras(images, loaded, with_lens);
  for (std::size_t i = 0; i < cameras.size(); ++i) cameras[i].motion = images[i].posed.motion;
  tell_unseen(cameras, loaded.dataset);
  return cameras;
}

}  // namespace mote

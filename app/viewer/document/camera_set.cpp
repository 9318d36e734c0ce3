#include "app/viewer/document/camera_set.h"

#include <algorithm>
#include <glm/geometric.hpp>

#include "io/images/exr_reading.h"
#include "io/images/image_files.h"
#include "scene/camera_ring.h"
#include "scene/photo_light.h"

namespace mote {
namespace {

/// Averages blocks of `factor` x `factor` pixels; drops incomplete blocks at the right and bottom.
Image8 reduced(const Image8& image, int factor) {
  Image8 small;
  small.resize_discard(std::max(1, image.width / factor), std::max(1, image.height / factor),
                       image.channels);
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      for (int c = 0; c < small.channels; ++c) {
        int sum = 0, count = 0;
        for (int v = y * factor; v < std::min(image.height, (y + 1) * factor); ++v) {
          for (int u = x * factor; u < std::min(image.width, (x + 1) * factor); ++u, ++count) {
            sum += image.row(v)[u * image.channels + c];
          }
        }
        small.row(y)[x * small.channels + c] = static_cast<std::uint8_t>((sum + count / 2) / count);
      }
    }
  }
  return small;
}

/// Copies the measured camera layout to `set`, whose views are already set.
void take_layout(const Dataset& dataset, CameraSet& set) {
  const SceneLayout layout = measure_layout(dataset);
  set.focus_distance = layout.distance;
  set.extent = layout.extent;
  set.reach = {.center = layout.focus, .radius = layout.distance};
  for (const ViewMark& view : set.views) {
    const double away = glm::distance(view.camera.position_world(), layout.focus);
    set.reach.radius = std::max(set.reach.radius, away);
  }
}

}  // namespace

CameraSet cameras_of(std::shared_ptr<LoadedDataset> data) {
  CameraSet set;
  const Dataset& dataset = data->dataset;
  for (const Photograph& photograph : dataset.photographs) {
    set.views.push_back({.name = photograph.name,
                         .camera = photograph.camera,
                         .image = photograph.image,
                         .orientation = photograph.orientation});
  }
  for (const std::uint32_t index : dataset.test) set.views[index].test = true;
  take_layout(dataset, set);
  set.data = std::move(data);
  return set;
}

CameraSet cameras_of(std::span<const View> views) {
  Dataset dataset;
  CameraSet set;
  for (const View& view : views) {
    set.views.push_back({.name = view.name, .camera = view.camera});
    dataset.train.push_back(static_cast<std::uint32_t>(dataset.photographs.size()));
    Photograph& photograph = dataset.photographs.emplace_back();
    photograph.name = view.name;
    photograph.camera = view.camera;
  }
  take_layout(dataset, set);
  return set;
}

Image8 make_thumbnail(const std::filesystem::path& image, Orientation orientation, int side_px) {
  const Image8 whole =
      is_exr_file(image) ? displayed({.light = read_exr_light(image)}).color : read_image8(image);
  const int longest = std::max(whole.width, whole.height);
  Image8 small = reduced(whole, std::max(1, (longest + side_px - 1) / side_px));
  return orientation == 1 ? std::move(small) : turned(small, orientation);
}

glm::dvec3 up_of(const CameraSet& set) {
  glm::dvec3 sum(0);
  for (const ViewMark& view : set.views) {
    sum -= glm::transpose(view.camera.cam_from_world) * glm::dvec3(0, 1, 0);
  }
  return glm::length(sum) > 1e-6 ? glm::normalize(sum) : glm::dvec3(0, -1, 0);
}

}  // namespace mote

#include "train/fields/volume_pictures.h"

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "core/file.h"
#include "core/parallel.h"
#include "io/images/image_files.h"
#include "math/display_curve.h"
#include "train/fields/image_comparison.h"
#include "train/run/evaluation.h"
#include "train/run/metrics_file.h"

namespace mote {
namespace {

constexpr std::uint64_t kPictureSeed = 0x70696374;

void write_difference(const Image& truth, const Image& rendered,
                      const std::filesystem::path& path) {
  Image difference;
  difference.resize_discard(truth.width, truth.height, 3);
  for (std::size_t i = 0; i < difference.pixels.size(); ++i) {
    difference.pixels[i] = kDiffGain * std::abs(rendered.pixels[i] - truth.pixels[i]);
  }
  write_png(difference, path);
}

}  // namespace

VolumePictures::VolumePictures(const LightPaths& paths, const VoxelFrame& frame,
                               const VolumePictureSize& size)
    : paths_(paths), frame_(frame), size_(size) {
  const glm::dvec3 low(paths.low()), high(paths.high());
  const SceneExtent extent{frame.origin + frame.voxel_side * 0.5 * (low + high),
                           frame.voxel_side * 0.5 * glm::length(high - low)};
  views_ = orbit_views(extent, {.count = size.views, .width = size.width, .height = size.height});
}

void VolumePictures::render(const std::function<void(double)>& progress,
                            const std::atomic<bool>* superseded) {
  RenderSettings settings;
  settings.superseded = superseded;
  while (pictures_.size() < views_.size()) {
    const std::size_t view = pictures_.size();
    Image image;
    image.resize_discard(size_.width, size_.height, 3);
    run_tasks(static_cast<std::size_t>(size_.height), [&](std::size_t y, int) {
      stop_if_superseded(settings);
      render_row(views_[view].camera, kPictureSeed + view, static_cast<int>(y), image);
    });
    pictures_.push_back(std::move(image));
    if (progress) progress(static_cast<double>(pictures_.size()) / size_.views);
  }
}

void VolumePictures::render_row(const Camera& camera, std::uint64_t seed, int y,
                                Image& image) const {
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  const glm::vec3 eye((camera.position_world() - frame_.origin) / frame_.voxel_side);
  for (int x = 0; x < size_.width; ++x) {
    const glm::dvec3 ray_cam{(x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                             (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1};
    const glm::vec3 direction(glm::normalize(world_from_cam * ray_cam));
    PathRandom random(seed, static_cast<std::uint64_t>(y * size_.width + x));
    LinearColor sum{0, 0, 0};
    int met = 0;
    for (int path = 0; path < size_.paths_per_pixel; ++path) {
      glm::vec3 at = eye;
      if (!paths_.collide(at, direction, random)) continue;
      ++met;
      ScatterPoint point;
      paths_.trace(at, random, std::span(&point, 1));
      for (std::size_t c = 0; c < 3; ++c) sum[c] += point.radiance[c];
    }
    const float alpha = static_cast<float>(met) / static_cast<float>(size_.paths_per_pixel);
    for (std::size_t c = 0; c < 3; ++c) {
      const float own = met > 0 ? display_from_linear(sum[c] / static_cast<float>(met)) : 0;
      image.row(y)[3 * static_cast<std::size_t>(x) + c] = alpha * own;
    }
  }
}

double VolumePictures::compare(const TargetScoreRequest& request) const {
  const std::filesystem::path& folder = request.pictures;
  const std::vector<std::filesystem::path> names = files();
  RenderSettings settings;
  settings.background = {0, 0, 0};
  settings.superseded = request.superseded;
  Frame frame;
  double squared = 0;
  std::size_t values = 0;
  for (std::size_t view = 0; view < pictures_.size(); ++view) {
    request.field.render(views_[view].camera, settings, frame);
    const Image& truth = pictures_[view];
    for (std::size_t i = 0; i < truth.pixels.size(); ++i) {
      const auto difference = static_cast<double>(frame.rgb.pixels[i] - truth.pixels[i]);
      squared += difference * difference;
    }
    values += truth.pixels.size();
    if (folder.empty()) continue;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      make_folders((folder / names[3 * view + kind]).parent_path());
    }
    write_png(truth, folder / names[3 * view]);
    write_png(frame.rgb, folder / names[3 * view + 1]);
    write_difference(truth, frame.rgb, folder / names[3 * view + 2]);
  }
  return psnr_of_mse(squared / static_cast<double>(values));
}

std::vector<std::filesystem::path> VolumePictures::files() const {
  std::vector<std::filesystem::path> all;
  for (const View& view : views_) {
    for (std::filesystem::path& file : comparison_files(view.name)) all.push_back(std::move(file));
  }
  return all;
}

}  // namespace mote

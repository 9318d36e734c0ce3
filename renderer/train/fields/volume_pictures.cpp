#include "train/fields/volume_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "core/parallel.h"
#include "io/images/image_files.h"
#include "math/display_curve.h"
#include "train/fields/image_comparison.h"
#include "train/run/evaluation.h"
#include "train/run/metrics_file.h"

namespace mote {
namespace {

constexpr std::uint64_t kPictureSeed = 0x70696374;
/// Number of the way in which pictures are made. Another way needs another number, so that files of
/// the old one are not used.
constexpr std::uint64_t kPictureVersion = 1;

std::uint64_t fingerprint_of(const VolumeLight& light, const VolumePictureSize& size,
                             std::uint64_t volume) {
  Fingerprint all;
  for (const std::uint64_t value : {kPictureVersion, kPictureSeed, volume}) all.add(value);
  for (const glm::vec3& direction : {light.sun_direction, light.up}) {
    for (int axis = 0; axis < 3; ++axis) all.add(direction[axis]);
  }
  for (const LinearColor& color : {light.sun, light.zenith, light.nadir}) {
    for (const float value : color) all.add(value);
  }
  all.add(light.albedo);
  for (const int value : {size.views, size.width, size.height, size.paths_per_pixel}) {
    all.add(value);
  }
  return all.value();
}

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

/// Before the values of all pictures, in the machine's little-endian layout.
struct VolumePictures::Head {
  std::array<char, 8> magic{'M', 'O', 'T', 'E', 'V', 'R', 'E', 'F'};
  std::uint64_t fingerprint = 0, count = 0, checksum = 0;  // count: of values
  bool operator==(const Head&) const = default;
};

VolumePictures::VolumePictures(const LightPaths& paths, const VoxelFrame& frame,
                               const VolumePictureSize& size, std::uint64_t fingerprint)
    : paths_(paths),
      frame_(frame),
      size_(size),
      fingerprint_(fingerprint_of(paths.light(), size, fingerprint)) {
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

VolumePictures::Head VolumePictures::head_of(std::span<const float> values) const {
  Fingerprint checksum;
  checksum.add_bytes(std::as_bytes(values));
  Head head;
  head.fingerprint = fingerprint_;
  head.count = values.size();
  head.checksum = checksum.value();
  return head;
}

bool VolumePictures::load(const std::filesystem::path& path) {
  std::error_code ignored;
  if (are_complete() || !std::filesystem::is_regular_file(path, ignored)) return are_complete();
  const std::size_t each =
      3 * static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height);
  std::vector<float> values(views_.size() * each);
  Head head;
  try {
    const InputFile file(path);
    if (file.size() != sizeof(Head) + values.size() * sizeof(float)) return false;
    file.read_exact(0, std::as_writable_bytes(std::span(&head, 1)));
    file.read_exact(sizeof(Head), std::as_writable_bytes(std::span(values)));
  } catch (const Error&) {
    return false;
  }
  if (head != head_of(values)) return false;
  pictures_.clear();
  for (std::size_t view = 0; view < views_.size(); ++view) {
    Image& image = pictures_.emplace_back();
    image.resize_discard(size_.width, size_.height, 3);
    std::copy_n(values.data() + view * each, each, image.pixels.data());
  }
  return true;
}

void VolumePictures::save(const std::filesystem::path& path) const {
  CHECK(are_complete());
  std::vector<float> values;
  for (const Image& image : pictures_) {
    values.insert(values.end(), image.pixels.span().begin(), image.pixels.span().end());
  }
  const Head head = head_of(values);
  make_folders(path.parent_path());
  OutputFile file(path);
  file.write(std::as_bytes(std::span(&head, 1)));
  file.write(std::as_bytes(std::span<const float>(values)));
  file.commit();
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

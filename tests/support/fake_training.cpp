#include "fake_training.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/random.h"

namespace mote {

FakeSplatTrainer::FakeSplatTrainer(const SplatCloud& cloud, FakeRecord& record) : record_(record) {
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    splats_.push_back(load_geometry(cloud.info().planes, cloud.geometry_block(0), i));
  }
  clear_statistics();
}

StepResult FakeSplatTrainer::step(const StepRequest& request) {
  record_.requests.push_back(request);
  StepResult result;
  result.loss = 1 / static_cast<double>(request.step);
  result.d_exposure[3] = 0.5f;
  result.d_background = {-1, 0, 1};
  result.d_pose_rotation = {1, 0, 0};
  result.d_pose_translation = {0, -1, 0};
  for (std::size_t i = 0; i < splats_.size(); ++i) {
    splats_[i].mean[0] += request.rates.mean * std::sin(static_cast<float>(request.step + i)) +
                          1e-3f * request.background[0];
    splats_[i].mean[1] += request.noise * 1e-9f * static_cast<float>(request.noise_seed % 97);
    statistics_.gradient[i] += 1e-3f / static_cast<float>(1 + i % 13);
    statistics_.seen[i] += 1;
  }
  if (record_.amend) record_.amend(request, result);
  return result;
}

SplatCloud FakeSplatTrainer::gradients(const StepRequest&, StepResult&) {
  return {};
}

void FakeSplatTrainer::clear_statistics() {
  statistics_.gradient.assign(splats_.size(), 0);
  statistics_.seen.assign(splats_.size(), 0);
  statistics_.radius_px.assign(splats_.size(), 0);
}

void FakeSplatTrainer::edit(const DensityEdit& edit) {
  CHECK(edit.forget.size() == edit.source.size());
  std::vector<SplatGeometry> next;
  for (const std::uint32_t source : edit.source) next.push_back(splats_.at(source));
  for (const DensityEdit::Change& change : edit.changes) next.at(change.splat) = change.geometry;
  std::reverse(next.begin(), next.end());
  splats_ = std::move(next);
  clear_statistics();
  record_.edits.push_back(record_.requests.empty() ? 0 : record_.requests.back().step);
}

void FakeSplatTrainer::reorder() {
  std::ranges::reverse(splats_);
  std::ranges::reverse(statistics_.gradient);
  std::ranges::reverse(statistics_.seen);
  std::ranges::reverse(statistics_.radius_px);
  record_.reorders.push_back(record_.requests.back().step);
}

void FakeSplatTrainer::limit_opacity(float most) {
  record_.opacity_limits.push_back(most);
  for (SplatGeometry& splat : splats_) {
    splat.logit_opacity = std::min(splat.logit_opacity, std::log(most / (1 - most)));
  }
}

SplatCloud FakeSplatTrainer::cloud() {
  SplatCloud cloud(splats_.size(), 0);
  for (std::size_t i = 0; i < splats_.size(); ++i) {
    store_geometry(cloud.info().planes, splats_[i], cloud.geometry_block(0), i);
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = 0;
  }
  return cloud;
}

void FakeSplatTrainer::save(ByteSink& sink) const {
  sink.put_all(std::span<const SplatGeometry>(splats_));
  sink.put_all(std::span<const float>(statistics_.gradient));
  sink.put_all(std::span<const std::uint32_t>(statistics_.seen));
}

void FakeSplatTrainer::restore(ByteSource& source) {
  splats_.resize(source.get<unsigned long long>());
  source.read(std::as_writable_bytes(std::span(splats_)));
  clear_statistics();
  source.get<unsigned long long>();
  source.read(std::as_writable_bytes(std::span(statistics_.gradient)));
  source.get<unsigned long long>();
  source.read(std::as_writable_bytes(std::span(statistics_.seen)));
}

std::unique_ptr<SplatTrainer> FakeBackend::make_trainer(SplatCloud cloud,
                                                        const TrainerSettings& given) {
  settings = given;
  return std::make_unique<FakeSplatTrainer>(cloud, record);
}

std::shared_ptr<const PhotoPixels> FakePhotos::get(std::uint32_t index, int level) {
  asked.push_back(index);
  levels.push_back(level);
  return if_ready(index, level);
}

std::shared_ptr<const PhotoPixels> FakePhotos::if_ready(std::uint32_t index, int level) {
  std::shared_ptr<const PhotoPixels>& made = made_[{index, level}];
  if (made) return made;
  const Camera camera = camera_at_level(dataset_.photographs.at(index).camera, level);
  auto pixels = std::make_shared<PhotoPixels>();
  pixels->color.resize_discard(camera.width, camera.height, 3);
  std::fill_n(pixels->color.pixels.data(),
              static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height) * 3,
              std::uint8_t{128});
  return made = pixels;
}

void FakePhotos::announce(std::span<const std::uint32_t> indices, int) {
  announced.insert(announced.end(), indices.begin(), indices.end());
}

Dataset ring_dataset(int views, int points) {
  Dataset dataset;
  dataset.source = "a ring";
  for (int i = 0; i < views; ++i) {
    Camera camera{.width = 128, .height = 96, .focal_px = {120, 120}, .center_px = {64, 48}};
    const double angle = 2 * 3.14159265358979 * i / views;
    look_at(camera, {4 * std::cos(angle), 4 * std::sin(angle), 1}, {0, 0, 0}, {0, 0, 1});
    dataset.photographs.push_back(
        {.name = "view_" + std::to_string(100 + i), .camera = camera, .image = {}, .mask = {}});
    (i % 4 == 0 && views > 1 ? dataset.test : dataset.train)
        .push_back(static_cast<std::uint32_t>(i));
  }
  Random random(7);
  for (int i = 0; i < points; ++i) {
    const double x = random.uniform(-0.5, 0.5), y = random.uniform(-0.5, 0.5);
    dataset.points.positions.emplace_back(x, y, random.uniform(-0.5, 0.5));
    dataset.points.colors.push_back({200, 100, 50});
  }
  return dataset;
}

}  // namespace mote

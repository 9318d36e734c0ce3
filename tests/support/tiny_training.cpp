#include "tiny_training.h"

#include <unistd.h>

#include <utility>

#include "dataset_fixture.h"
#include "fake_training.h"
#include "train/run/metrics.h"

namespace mote {

void OnTheTinyDataset::SetUpTestSuite() {
  folder() = std::filesystem::path(testing::TempDir()) / ("training_" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder());
  make_tiny_dataset(folder());
}

void OnTheTinyDataset::TearDownTestSuite() {
  std::filesystem::remove_all(folder());
}

std::filesystem::path& OnTheTinyDataset::folder() {
  static std::filesystem::path path;
  return path;
}

TrainOptions tiny_options(const std::string& strategy) {
  TrainOptions options;
  options.strategy = strategy;
  options.steps = 300;
  options.sh_degree = 1;
  options.densify.every = 20;
  options.max_splats = 300;
  // The dataset's splats are smaller than the distances between them.
  options.init_opacity = 0.5;
  options.init_scale = 0.2;
  return options;
}

TinyRun::TinyRun(const std::filesystem::path& folder, const TrainOptions& options,
                 std::unique_ptr<Backend> device)
    : loaded(load_dataset(folder, {})),
      backend(std::move(device)),
      trainer(*backend, loaded.dataset, *loaded.photos, options, SplatPlan(options), 42) {}

void TinyRun::steps(int count) {
  for (int i = 0; i < count; ++i) trainer.step();
}

double TinyRun::psnr_db() {
  double sum = 0;
  Frame frame;
  for (const std::uint32_t index : loaded.dataset.test) {
    trainer.render_photograph(index, frame);
    const auto photo = loaded.photos->get(index, 0);
    Image truth;
    truth.resize_discard(photo->color.width, photo->color.height, 3);
    for (int y = 0; y < truth.height; ++y) {
      for (int i = 0; i < 3 * truth.width; ++i) {
        truth.row(y)[i] = static_cast<float>(photo->color.row(y)[i]) / 255;
      }
    }
    sum += compare_images(frame.rgb, truth, {}).psnr_db;
  }
  return sum / static_cast<double>(loaded.dataset.test.size());
}

std::vector<std::byte> TinyRun::splats() const {
  const SplatCloud cloud = trainer.learner().copy()->take_splats();
  MemoryBytes sink;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) sink.put(cloud.at(i, static_cast<Field>(f)));
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) sink.put(cloud.sh(i, k, c));
    }
  }
  return sink.bytes;
}

}  // namespace mote

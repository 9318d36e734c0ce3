#pragma once

// Complete trainings of a tiny dataset in tests.

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/datasets/dataset_source.h"
#include "train/run/trainer.h"
#include "train/splats/splat_learner.h"

namespace mote {

/// Provides a tiny dataset for all tests of one program.
class OnTheTinyDataset : public testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  static std::filesystem::path& folder();
};

/// 300 steps with at most 300 splats.
TrainOptions tiny_options(const std::string& strategy);

/// A run on the dataset in `folder` (make_tiny_dataset()).
struct TinyRun {
  TinyRun(const std::filesystem::path& folder, const TrainOptions& options,
          std::unique_ptr<Backend> backend);

  void steps(int count);
  /// Mean PSNR over the test views.
  double psnr_db();
  /// The state that a resumed run depends on, without the elapsed time.
  std::vector<std::byte> splats() const;

  LoadedDataset loaded;
  std::unique_ptr<Backend> backend;
  Trainer trainer;
};

}  // namespace mote

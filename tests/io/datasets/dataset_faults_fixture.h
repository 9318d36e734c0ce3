#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/datasets/dataset_source.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"

namespace mote {

namespace fs = std::filesystem;

/// A small dataset in its own folder, to be damaged by tests.
class DatasetFaults : public ::testing::Test {
 protected:
  DatasetFaults()
      : folder_(fs::path(::testing::TempDir()) / ("faults_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DatasetFaults() override { fs::remove_all(folder_); }

  /// Writes views of 20x16 px with photographs and poses.
  std::vector<View> write_dataset(int views) {
    const std::vector<View> all = tiny_views({.views = views, .width = 20, .height = 16});
    write_colmap_text(folder_ / "sparse/0", all);
    fs::create_directories(folder_ / "images");
    for (const View& view : all) {
      write_png(pattern_image(20, 16, 3, 1), folder_ / "images" / (view.name + ".png"));
    }
    return all;
  }
  fs::path image(const std::string& name) const { return folder_ / "images" / name; }

  Dataset load(const DatasetOptions& options = {}) {
    return load_dataset(folder_, options).dataset;
  }
  std::string message(const DatasetOptions& options = {}) {
    try {
      load(options);
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.what();
    }
    return "";
  }
  /// The warnings without the one about few photographs.
  static std::vector<std::string> warnings_of(const Dataset& dataset) {
    std::vector<std::string> warnings = dataset.warnings;
    std::erase_if(warnings, [](const std::string& warning) {
      return warning.find("too few to determine distances") != std::string::npos;
    });
    return warnings;
  }
  /// Loads the dataset and expects this number of photographs, and one warning that contains the
  /// phrases.
  void expect_left(std::size_t photographs, const std::vector<std::string>& phrases) {
    Dataset dataset = load();
    dataset.warnings = warnings_of(dataset);
    EXPECT_EQ(dataset.photographs.size(), photographs);
    ASSERT_EQ(dataset.warnings.size(), 1u) << ::testing::PrintToString(dataset.warnings);
    for (const std::string& phrase : phrases) {
      EXPECT_NE(dataset.warnings[0].find(phrase), std::string::npos) << dataset.warnings[0];
    }
  }

  fs::path folder_;
};

}  // namespace mote

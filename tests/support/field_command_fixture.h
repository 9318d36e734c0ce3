#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "support/field_network.h"
#include "support/train_command_fixture.h"

namespace mote {

class FieldCommand : public TrainCommand {
 protected:
  void SetUp() override {
    TrainCommand::SetUp();
    write_file("network.json", kFieldNetwork);
  }

  /// Trains a small field.
  std::vector<std::string> words(const std::string& out, std::vector<std::string> more = {},
                                 const std::string& steps = "40") const {
    std::vector<std::string> all{
        "train",   path("data"),    "-o",           path(out),   "--model",
        "nerf",    "--steps",       steps,          "--network", path("network.json"),
        "--batch", "4096",          "--aabb-scale", "1",         "--progress",
        "none",    "--test-choice", "name"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  NeuralField field_at(const std::string& name) const {
    return read_field_snapshot(InputFile(path(name)), {});
  }

  void expect_same_field(const std::string& a, const std::string& b) const {
    const NeuralField one = field_at(a), other = field_at(b);
    EXPECT_EQ(one.parameters, other.parameters);
    EXPECT_TRUE(one.occupancy.values == other.occupancy.values);
    EXPECT_EQ(one.training_step, other.training_step);
    EXPECT_EQ(one.placement, other.placement);
    EXPECT_EQ(one.background, other.background);
    EXPECT_EQ(one.config.network->neurons, other.config.network->neurons);
  }
};

/// Whether all pixels are equal.
inline bool is_one_color(const Image8& image) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const auto pixels = image.pixels.span();
  for (std::size_t i = channels; i < pixels.size(); ++i) {
    if (pixels[i] != pixels[i % channels]) return false;
  }
  return true;
}

}  // namespace mote

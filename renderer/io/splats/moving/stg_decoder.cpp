#include "io/splats/moving/stg_decoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/torch/torch_checkpoint.h"

namespace mote {
namespace {

constexpr const char* kDecoderRemedy =
    "give the .pt that was saved with the .ply, of a model trained with the rgbfunction sandwich "
    "or sandwichnoact";

std::string text_of(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

/// The weights of a convolution of 1x1: [rows][columns][1][1].
template <std::size_t ROWS, std::size_t COLUMNS>
void read_weights(const TorchCheckpoint& file, const std::string& key, const std::string& name,
                  float (&weights)[ROWS][COLUMNS]) {
  const Pickle& pickle = file.pickle();
  const PickleValue* value = pickle.find(pickle.root(), key);
  if (value == nullptr) {
    throw Error(fmt::format("has no weights {}", key), name, kDecoderRemedy);
  }
  const std::vector<std::uint64_t>& shape = file.shape(value, key);
  if (shape != std::vector<std::uint64_t>{ROWS, COLUMNS, 1, 1}) {
    throw Error(fmt::format("{} has the sides {}, expected [{}, {}, 1, 1]", key, text_of(shape),
                            ROWS, COLUMNS),
                name, kDecoderRemedy);
  }
  const std::vector<float> numbers = file.numbers(value, key, ROWS, COLUMNS);
  if (!std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); })) {
    throw Error(fmt::format("{} has values that are not finite", key), name, kDecoderRemedy);
  }
  for (std::size_t row = 0; row < ROWS; ++row) {
    for (std::size_t column = 0; column < COLUMNS; ++column) {
      weights[row][column] = numbers[row * COLUMNS + column];
    }
  }
}

}  // namespace

FeatureDecoder read_stg_decoder(const InputFile& ply) {
  std::filesystem::path path = ply.path();
  path.replace_extension(".pt");
  if (!std::filesystem::exists(path)) {
    throw Error(fmt::format("is a full model, whose colours need the network of {}, which does not "
                            "exist",
                            path.string()),
                ply.name(),
                "put the .pt that was saved with the .ply beside it, with the same name");
  }
  const InputFile file(path);
  const TorchCheckpoint checkpoint(file);
  FeatureDecoder decoder;
  read_weights(checkpoint, "mlp1.weight", file.name(), decoder.hidden);
  read_weights(checkpoint, "mlp2.weight", file.name(), decoder.output);
  return decoder;
}

}  // namespace mote

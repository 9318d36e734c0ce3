#include "app/hidden_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/parallel.h"
#include "io/image_files.h"

namespace mote {
namespace {

/// Whether the first channel, which is all of a grey mask, is black everywhere.
bool hides_everything(const std::filesystem::path& path) {
  const Image8 mask = read_image8(path);
  const auto step = static_cast<std::size_t>(mask.channels);
  for (std::size_t i = 0; i < mask.pixels.size(); i += step) {
    if (mask.pixels[i] != 0) return false;
  }
  return true;
}

}  // namespace

void leave_out_hidden_views(Dataset& dataset) {
  std::vector<std::uint8_t> hidden(dataset.photographs.size());  // a byte each: threads write them
  run_tasks(hidden.size(), [&](std::size_t i, int) {
    throw_if_interrupted();
    const std::filesystem::path& mask = dataset.photographs[i].mask;
    hidden[i] = !mask.empty() && hides_everything(mask) ? 1 : 0;
  });
  const auto first = std::find(hidden.begin(), hidden.end(), 1);
  if (first == hidden.end()) return;
  const auto is_hidden = [&](std::uint32_t index) { return hidden[index] != 0; };
  std::erase_if(dataset.train, is_hidden);
  std::erase_if(dataset.test, is_hidden);
  const auto count = std::count(first, hidden.end(), 1);
  const std::string named =
      dataset.photographs[static_cast<std::size_t>(first - hidden.begin())].mask.string();
  if (dataset.train.empty()) {
    throw Error(
        "the masks hide every photograph to train on", named,
        "a mask is black where pixels do not count: invert them, or name others by --masks");
  }
  dataset.warnings.push_back(fmt::format("{} photographs are left out, their masks hide all: {}{}",
                                         count, named, count > 1 ? ", ..." : ""));
}

}  // namespace mote

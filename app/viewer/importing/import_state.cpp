#include "app/viewer/importing/import_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/viewer/training/run_place.h"
#include "app/viewer/workers/seconds.h"
#include "core/error.h"
#include "io/datasets/import_folder.h"
#include "io/datasets/posed_images.h"
#include "io/datasets/video_frames.h"

namespace mote {

namespace fs = std::filesystem;

void ImportProgress::begin(const std::string& step, double total) {
  const std::lock_guard lock(mutex_);
  status_.step = step;
  status_.done = 0;
  status_.total = total;
  status_.step_started_s = now_s();
}

void ImportProgress::progress(double done) {
  const std::lock_guard lock(mutex_);
  status_.done = done;
}

void ImportProgress::line(std::string_view text) {
  constexpr std::size_t kMost = 12;
  if (text.find_first_not_of(" \t") == std::string_view::npos) return;
  const std::lock_guard lock(mutex_);
  if (status_.lines.size() == kMost) status_.lines.erase(status_.lines.begin());
  status_.lines.emplace_back(text);
}

ImportStatus ImportProgress::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool PhotographImport::is_of_video() const {
  return is_video(photos);
}

fs::path proposed_dataset_folder(const fs::path& photos) {
  constexpr int kMost = 10000;
  fs::path whole = fs::absolute(photos).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();  // for a path that ends in '/'
  const std::string name =
      (is_video(photos) ? whole.stem().string() : whole.filename().string()) + "_dataset";
  const bool writable = ::access(whole.parent_path().c_str(), W_OK | X_OK) == 0;
  const fs::path folder = writable ? whole.parent_path() : data_folder();
  const auto is_free = [](const fs::path& place) {
    return !attempt([&] { ImportFolder(place).check(false); });
  };
  fs::path candidate = folder / name;
  for (int i = 2; i < kMost && !is_free(candidate); ++i) {
    candidate = folder / fmt::format("{}_{}", name, i);
  }
  return candidate;
}

}  // namespace mote

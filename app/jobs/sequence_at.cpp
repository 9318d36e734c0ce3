#include "app/jobs/sequence_at.h"

#include <system_error>

#include "core/error.h"
#include "io/datasets/camera_source.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

bool holds_cameras(const std::filesystem::path& folder) {
  try {
    locate_cameras(folder);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<SplatSequence> sequence_at(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {};
  if (RunFolder(path).newest_scene() || holds_cameras(path)) return {};
  return find_sequence(path);
}

}  // namespace mote

#include "io/datasets/posed_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/system_fault.h"

namespace mote {

bool keeps_folders(const PosedImages& posed) {
  return std::ranges::any_of(posed.images, [&](const PosedImage& image) {
    return image.camera_name != posed.images.front().camera_name;
  });
}

ViewSet as_views(const PosedImages& posed, const std::string& where) {
  ViewSet result{posed.source, {}, posed.warnings};
  std::vector<std::string> files;
  for (const PosedImage& image : posed.images) {
    result.views.push_back({"", image.camera, image.time_s});
    files.push_back(image.file);
  }
  name_views(result.views, files, where, keeps_folders(posed));
  const auto distorted = std::ranges::count_if(
      posed.images, [](const PosedImage& image) { return !is_identity(image.lens); });
  if (distorted > 0) {
    result.warnings.push_back(
        fmt::format("{}: {} cameras have lens distortion; they are rendered as pinhole cameras",
                    where, distorted));
  }
  return result;
}

void LeftOut::add(std::string name) {
  constexpr std::size_t kNamed = 4;
  if (first_.size() < kNamed) first_.push_back(std::move(name));
  ++count_;
}

std::string LeftOut::names() const {
  std::string text = fmt::format("{}", fmt::join(first_, ", "));
  if (count_ > first_.size()) text += fmt::format(" and {} more", count_ - first_.size());
  return text;
}

std::string LeftOut::phrase(std::size_t total, const std::string& what) const {
  return fmt::format("{} of {} {}: {}", count_, total, what, names());
}

std::optional<Error> attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (const SystemFault& fault) {
    if (fault.is_shortage()) throw;
    return fault;
  } catch (const Error& error) {
    return error;
  }
  return {};
}

}  // namespace mote

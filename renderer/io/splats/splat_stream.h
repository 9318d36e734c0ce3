#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/file.h"
#include "scene/time_range.h"
#include "splats/life_range.h"
#include "splats/splat_cloud.h"

namespace mote {

namespace fourdgs {
class File;
}

/// A moving scene in a .4dgs file whose chunks are read one at a time. Each chunk holds whole
/// lives, in the order in which load_scene() returns them. Thread safe.
class SplatStream {
 public:
  struct Part {
    LifeRange seen{};  // the splats are seen only then
    std::size_t count = 0;
    std::size_t first = 0;  // number of its first splat in the whole scene
  };

  /// Reads the index. Throws Error if the file is damaged, or if its chunks cannot be read alone.
  explicit SplatStream(const std::filesystem::path& path);
  ~SplatStream();
  SplatStream(const SplatStream&) = delete;
  SplatStream& operator=(const SplatStream&) = delete;

  std::string name() const { return input_.name(); }
  const std::vector<Part>& parts() const { return parts_; }
  /// Always with the motion `life`.
  const SplatForm& form() const { return form_; }
  const SceneTimes& times() const { return times_; }
  std::size_t count() const { return count_; }
  bool is_antialiased() const { return antialiased_; }
  /// Whether the splats of each part are in the order in which they are drawn, that of
  /// morton_order().
  bool is_in_drawn_order() const { return in_drawn_order_; }

  /// The splats of a part. Throws Error if it cannot be read.
  SplatCloud read(std::size_t part) const;

 private:
  void find_parts();

  InputFile input_;
  std::unique_ptr<fourdgs::File> file_;
  std::vector<Part> parts_;
  SplatForm form_;
  SceneTimes times_;
  std::size_t count_ = 0;
  bool antialiased_ = false, in_drawn_order_ = false;
};

/// Whether the file is a .4dgs file whose chunks can be read alone, as Mote writes them. Throws
/// Error if it is a damaged .4dgs file.
bool can_be_streamed(const std::filesystem::path& path);

}  // namespace mote

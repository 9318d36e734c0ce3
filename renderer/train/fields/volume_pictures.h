#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "core/image.h"
#include "scene/camera_path.h"
#include "train/fields/field_target.h"
#include "volumes/light_paths.h"

namespace mote {

struct VolumePictureSize {
  int views = 4, width = 192, height = 144, paths_per_pixel = 192;
};

/// Pictures of a volume by light paths, from around, over black, which pictures of a field are
/// compared with.
class VolumePictures {
 public:
  /// `paths` must outlive this.
  /// `fingerprint`: of the volume.
  VolumePictures(const LightPaths& paths, const VoxelFrame& frame, const VolumePictureSize& size,
                 std::uint64_t fingerprint);

  /// Renders the pictures; afterwards, they are kept. Throws Interrupted once `superseded` is set,
  /// which may be null, and keeps those that are complete.
  void render(const std::function<void(double)>& progress,
              const std::atomic<bool>* superseded = nullptr);
  /// Takes the pictures from a file that save() wrote. Returns whether they are there now: false
  /// for a missing or damaged file, and for pictures of another volume, light or size.
  bool load(const std::filesystem::path& file);
  /// Writes all pictures into a file. Throws Error if it cannot be written.
  void save(const std::filesystem::path& file) const;
  bool are_complete() const { return pictures_.size() == views_.size(); }
  /// PSNR of the field's pictures over all pixels of all views, in display values, dB. Writes
  /// files() if the request names a folder. Throws Error if a picture cannot be written.
  double compare(const TargetScoreRequest& request) const;
  /// For each view: the volume, the field, and the difference times kDiffGain.
  std::vector<std::filesystem::path> files() const;

  const std::vector<View>& views() const { return views_; }
  const std::vector<Image>& pictures() const { return pictures_; }

 private:
  void render_row(const Camera& camera, std::uint64_t seed, int y, Image& image) const;

  struct Head;
  Head head_of(std::span<const float> values) const;

  const LightPaths& paths_;
  VoxelFrame frame_;
  VolumePictureSize size_;
  std::uint64_t fingerprint_;  // of all that the pictures depend on
  std::vector<View> views_;
  std::vector<Image> pictures_;
};

}  // namespace mote

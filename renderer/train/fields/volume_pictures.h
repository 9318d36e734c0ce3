#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
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
  VolumePictures(const LightPaths& paths, const VoxelFrame& frame, const VolumePictureSize& size);

  /// Renders the pictures; afterwards, they are kept. Throws Interrupted once `superseded` is set,
  /// which may be null, and keeps those that are complete.
  void render(const std::function<void(double)>& progress,
              const std::atomic<bool>* superseded = nullptr);
  /// PSNR of the field's pictures over all pixels of all views, in display values, dB. Writes
  /// files() if the request names a folder. Throws Error if a picture cannot be written.
  double compare(const TargetScoreRequest& request) const;
  /// For each view: the volume, the field, and the difference times kDiffGain.
  std::vector<std::filesystem::path> files() const;

  const std::vector<View>& views() const { return views_; }
  const std::vector<Image>& pictures() const { return pictures_; }

 private:
  void render_row(const Camera& camera, std::uint64_t seed, int y, Image& image) const;

  const LightPaths& paths_;
  VoxelFrame frame_;
  VolumePictureSize size_;
  std::vector<View> views_;
  std::vector<Image> pictures_;
};

}  // namespace mote

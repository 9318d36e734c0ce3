#pragma once

#include <filesystem>
#include <vector>

#include "io/datasets/colmap_run.h"
#include "io/datasets/import_folder.h"
#include "io/datasets/video_rig.h"
#include "scene/dataset.h"

namespace mote {

/// Points of a rig at successive moments: COLMAP finds and matches the features of each moment and
/// triangulates them with the poses held. `model`: with the poses, whose images are
/// RigVideo::picture.
class RigMoments {
 public:
  RigMoments(const std::vector<RigVideo>& videos, const ImportOptions& options,
             const ImportFolder& folder, ColmapRun& run, ImportObserver& observer)
      : videos_(videos), options_(options), folder_(folder), run_(run), observer_(observer) {}

  /// The points of all moments, with their times. Moments that an earlier attempt finished are read
  /// from the folder, if its cameras had the same poses and focal lengths: positions up to 1e-4 of
  /// the extent of the cameras, rotations up to 1e-4. Throws Error where COLMAP fails.
  PointCloud triangulate(const std::filesystem::path& model);

 private:
  struct Moment {
    std::size_t number = 0;
    double time_s = 0;
    std::filesystem::path folder;  // with its pictures and COLMAP's files
    std::filesystem::path points;  // the result
  };
  std::vector<Moment> moments() const;
  void drop_points_of_others(const std::filesystem::path& model) const;
  void write_known_poses(const std::filesystem::path& model);
  void write_pairs(const std::filesystem::path& model);
  void triangulate(const Moment& moment, std::size_t count);

  const std::vector<RigVideo>& videos_;
  const ImportOptions& options_;
  const ImportFolder& folder_;
  ColmapRun& run_;
  ImportObserver& observer_;
};

/// Writes the files of a dataset in the form of EasyVolcap to ImportFolder::extras(): the
/// calibration of the cameras in the model, their videos, and the points. Throws Error where a lens
/// has no such form.
void write_rig(const std::vector<RigVideo>& videos, const std::filesystem::path& model,
               const PointCloud& points, const ImportFolder& folder);

}  // namespace mote

#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/volumes/volume_file.h"
#include "train/fields/field_target.h"
#include "train/fields/volume_pictures.h"
#include "volumes/density_volume.h"
#include "volumes/light_paths.h"

namespace mote {

/// A volume that a field is fitted to: at a position, the linear radiance that it scatters from the
/// light of VolumeLight, and its density.
class VolumeTarget : public FieldTarget {
 public:
  /// Reads the volume. Throws the errors of read_volume().
  VolumeTarget(const std::filesystem::path& file, const std::function<void(double)>& progress);
  /// `name`: for messages. `pictures`: of evaluations.
  VolumeTarget(DensityVolume volume, const std::string& name, const VolumeLight& light,
               const VolumePictureSize& pictures = {});

  VolumeTarget(const VolumeTarget&) = delete;
  VolumeTarget& operator=(const VolumeTarget&) = delete;

  FieldApplication application() const override { return FieldApplication::volume; }
  std::string description() const override;
  const std::vector<std::string>& notes() const override { return notes_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::uint64_t fingerprint() const override { return fingerprint_; }
  std::uint64_t memory_bytes() const override { return volume_.memory_bytes(); }

  NeuralField untrained(const FieldConfig& chosen) const override;
  /// Each kPathSamples samples are the first places of a path of light. Three of four paths begin
  /// where a ray from outside is scattered first, the others anywhere in the box. Where a path
  /// leaves the volume earlier, the next one begins anywhere.
  void fill(const TargetDraw& draw, const FieldSamples& samples) const override;
  static constexpr std::size_t kPathSamples = 4;
  std::vector<std::filesystem::path> picture_files() const override;
  /// The reference file has pictures of the volume. "psnr" of pictures from around, and
  /// "density_error": the mean difference of densities at random places of the box, as they are
  /// drawn, in shares of the mean density.
  std::vector<TargetScore> score(const TargetScoreRequest& request) const override;

  const DensityVolume& volume() const { return volume_; }
  const LightPaths& paths() const { return paths_; }
  glm::vec3 field_position(const glm::vec3& voxels) const;

 private:
  VolumeTarget(VolumeFile file, const std::string& name, const VolumeLight& light,
               const VolumePictureSize& pictures);
  using PathPoints = std::array<ScatterPoint, kPathSamples>;
  PathPoints path_points(std::uint64_t seed, std::uint64_t path) const;
  glm::vec3 anywhere(PathRandom& random) const;
  OccupancyDensities occupancy() const;
  void take_pictures(const TargetScoreRequest& request) const;
  double density_error(DeviceField& field) const;

  std::string name_;
  DensityVolume volume_;
  FieldPlacement placement_;
  LightPaths paths_;
  std::uint64_t fingerprint_;
  mutable VolumePictures pictures_;
  std::vector<std::string> notes_, warnings_;
};

}  // namespace mote

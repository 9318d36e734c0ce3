// `n3v`: a video for each camera and poses_bounds.npy, as of Neural 3D Video (Li et al. 2022): a
// row for each camera with the columns down, right, back, position and (height, width, focal
// length) as 3x5 row by row, then the least and the greatest depth.
#include <fmt/format.h>

#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "core/error.h"
#include "core/options.h"
#include "io/npy.h"
#include "io/video/video.h"
#include "synth/rigs/rig_layout.h"

namespace mote::synth {
namespace {

namespace fs = std::filesystem;

/// Bounds of the depths as shares of the distance from a camera to the middle of the scene.
constexpr double kNearShare = 0.3, kFarShare = 3.0;

class N3vLayout : public RigLayout {
 public:
  N3vLayout(const RigFiles& files, const RigPlan& plan, const std::vector<RigCamera>& cameras)
      : files_(files), cameras_(cameras) {
    if (plan.width % 2 != 0 || plan.height % 2 != 0) {
      throw UsageError("videos have an even width and height",
                       fmt::format("--resolution {}x{}", plan.width, plan.height),
                       "give even numbers");
    }
    for (const RigCamera& camera : cameras) {
      if (!is_identity(camera.lens)) {
        throw UsageError("the layout n3v cannot describe lens distortion", "--layout",
                         "choose easyvolcap or d-nerf, or leave the lens out");
      }
      videos_.push_back(
          std::make_unique<VideoWriter>(files.folder / (camera.name + ".mp4"),
                                        VideoSettings{.width = plan.width,
                                                      .height = plan.height,
                                                      .frames_per_second = plan.frames_per_second,
                                                      .crf = files.crf,
                                                      .existing = files.existing}));
    }
  }

  void add(std::size_t camera, int, const Image& image) override { videos_[camera]->add(image); }

  void finish() override {
    for (const auto& video : videos_) video->commit();
    NpyArray table{.shape = {cameras_.size(), 17}, .values = {}};
    for (const RigCamera& one : cameras_) {
      const Camera& camera = one.camera;
      const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
      const glm::dvec3 position = camera.position_world();
      const glm::dvec3 size(camera.height, camera.width, camera.focal_px.x);
      for (int row = 0; row < 3; ++row) {
        for (const double value : {world_from_cam[1][row], world_from_cam[0][row],
                                   -world_from_cam[2][row], position[row], size[row]}) {
          table.values.push_back(value);
        }
      }
      const double away = std::max(glm::length(position), 1e-3);
      table.values.push_back(kNearShare * away);
      table.values.push_back(kFarShare * away);
    }
    write_npy(table, files_.folder / "poses_bounds.npy", files_.existing);
  }

 private:
  RigFiles files_;
  std::vector<RigCamera> cameras_;
  std::vector<std::unique_ptr<VideoWriter>> videos_;
};

}  // namespace

extern const RigLayoutEntry kN3vLayout{
    "n3v",
    "a video for each camera and poses_bounds.npy",
    true,
    false,
    [](const RigFiles& files, const RigPlan& plan, const std::vector<RigCamera>& cameras)
        -> std::unique_ptr<RigLayout> { return std::make_unique<N3vLayout>(files, plan, cameras); },
    [] { return "poses_bounds.npy"; }};

}  // namespace mote::synth

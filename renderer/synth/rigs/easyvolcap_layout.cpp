// `easyvolcap`: intri.yml and extri.yml in OpenCV's YAML, sync.json with the clocks, and a PNG for
// each frame; `easyvolcap-video`: the same with videos. The form of EasyVolcap (Xu et al. 2023) and
// SelfCap: true time = frame / rate - sync.
#include <fmt/format.h>

#include <glm/mat3x3.hpp>
#include <nlohmann/json.hpp>

#include "core/options.h"
#include "io/images/own_file.h"
#include "io/video/video.h"
#include "synth/rigs/rig_layout.h"

namespace mote::synth {
namespace {

namespace fs = std::filesystem;

/// "cam07" is called "07".
std::string number_of_camera(const RigCamera& camera) {
  return camera.name.substr(3);
}

void add_matrix(std::string& text, const std::string& key, int rows, int columns,
                const std::vector<double>& row_major) {
  text += fmt::format("{}: !!opencv-matrix\n  rows: {}\n  cols: {}\n  dt: d\n  data: [{}]\n", key,
                      rows, columns, fmt::join(row_major, ", "));
}

std::vector<double> row_major(const glm::dmat3& matrix) {
  std::vector<double> values;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) values.push_back(matrix[column][row]);
  }
  return values;
}

class EasyVolcapLayout : public RigLayout {
 public:
  EasyVolcapLayout(const RigFiles& files, const RigPlan& plan,
                   const std::vector<RigCamera>& cameras, bool as_videos)
      : files_(files), plan_(plan), cameras_(cameras) {
    for (const RigCamera& camera : cameras) {
      if (is_panorama(camera.lens) || camera.lens.kind == LensKind::fisheye) {
        throw UsageError("the layout easyvolcap describes OpenCV's perspective lens only",
                         "--layout", "choose d-nerf, or --lens opencv");
      }
      if (!as_videos) {
        make_folders(files.folder / "images" / number_of_camera(camera));
        continue;
      }
      if (plan.width % 2 != 0 || plan.height % 2 != 0) {
        throw UsageError("videos have an even width and height",
                         fmt::format("--resolution {}x{}", plan.width, plan.height),
                         "give even numbers");
      }
      make_folders(files.folder / "videos");
      videos_.push_back(std::make_unique<VideoWriter>(
          files.folder / "videos" / (number_of_camera(camera) + ".mp4"),
          VideoSettings{.width = plan.width,
                        .height = plan.height,
                        .frames_per_second = plan.frames_per_second,
                        .crf = files.crf,
                        .existing = files.existing}));
    }
  }

  void add(std::size_t camera, int frame, const Image& image) override {
    if (!videos_.empty()) return videos_[camera]->add(image);
    write_own_png(image,
                  files_.folder / "images" / number_of_camera(cameras_[camera]) /
                      (frame_name(frame) + ".png"),
                  true);
  }

  void finish() override {
    for (const auto& video : videos_) video->commit();
    std::string names = "%YAML:1.0\n---\nnames:\n", intrinsics, extrinsics;
    nlohmann::json sync = nlohmann::json::object();
    for (const RigCamera& one : cameras_) {
      const Camera& camera = one.camera;
      const std::string name = number_of_camera(one);
      const auto& k = one.lens.parameters;
      names += fmt::format("  - \"{}\"\n", name);
      add_matrix(intrinsics, "K_" + name, 3, 3,
                 {camera.focal_px.x, 0, camera.center_px.x, 0, camera.focal_px.y,
                  camera.center_px.y, 0, 0, 1});
      add_matrix(intrinsics, "D_" + name, 5, 1, {k[0], k[1], k[2], k[3], k[4]});
      intrinsics += fmt::format("H_{}: {}.\nW_{}: {}.\n", name, camera.height, name, camera.width);
      // The matrix that takes the colours of this camera to neutral ones.
      add_matrix(intrinsics, "ccm_" + name, 3, 3, row_major(glm::inverse(one.color_matrix)));
      add_matrix(extrinsics, "Rot_" + name, 3, 3, row_major(camera.cam_from_world));
      add_matrix(extrinsics, "T_" + name, 3, 1,
                 {camera.translation.x, camera.translation.y, camera.translation.z});
      sync[name] = 0 - one.clock_offset_s;
    }
    const std::string rate = fmt::format("frames_per_second: {}\n", plan_.frames_per_second);
    write("sync.json", sync.dump(1) + "\n");
    write("extri.yml", names + extrinsics);
    write("intri.yml", names + rate + intrinsics);
  }

 private:
  void write(const char* name, const std::string& text) const {
    OutputFile file(files_.folder / name, files_.existing);
    file.write(text);
    file.commit();
  }

  RigFiles files_;
  RigPlan plan_;
  std::vector<RigCamera> cameras_;
  std::vector<std::unique_ptr<VideoWriter>> videos_;
};

}  // namespace

extern const RigLayoutEntry kEasyVolcapLayout{
    "easyvolcap",
    "intri.yml, extri.yml, sync.json, and a PNG for each frame",
    false,
    true,
    [](const RigFiles& files, const RigPlan& plan,
       const std::vector<RigCamera>& cameras) -> std::unique_ptr<RigLayout> {
      return std::make_unique<EasyVolcapLayout>(files, plan, cameras, false);
    },
    [] { return "intri.yml"; }};

extern const RigLayoutEntry kEasyVolcapVideoLayout{
    "easyvolcap-video",
    "the same with a video for each camera",
    true,
    true,
    [](const RigFiles& files, const RigPlan& plan,
       const std::vector<RigCamera>& cameras) -> std::unique_ptr<RigLayout> {
      return std::make_unique<EasyVolcapLayout>(files, plan, cameras, true);
    },
    [] { return "intri.yml"; }};

}  // namespace mote::synth

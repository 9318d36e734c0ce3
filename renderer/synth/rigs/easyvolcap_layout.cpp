// `easyvolcap`: intri.yml and extri.yml in OpenCV's YAML, sync.json with the clocks, and a PNG for
// each frame; `easyvolcap-video`: the same with videos. The form of EasyVolcap (Xu et al. 2023) and
// SelfCap: true time = frame / rate - sync.
#include <fmt/format.h>

#include <glm/mat3x3.hpp>
#include <nlohmann/json.hpp>

#include "core/options.h"
#include "io/easyvolcap_files.h"
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
    std::vector<EasyVolcapCamera> written;
    nlohmann::json sync = nlohmann::json::object();
    for (const RigCamera& one : cameras_) {
      const std::string name = number_of_camera(one);
      written.push_back({name, one.camera, one.lens, glm::inverse(one.color_matrix)});
      sync[name] = 0 - one.clock_offset_s;
    }
    write("sync.json", sync.dump(1) + "\n");
    write("extri.yml", easyvolcap_extrinsics(written));
    write("intri.yml", easyvolcap_intrinsics(written, plan_.frames_per_second));
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

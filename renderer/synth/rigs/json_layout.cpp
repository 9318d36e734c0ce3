// `json`: transforms_train.json and transforms_test.json as of D-NeRF, with times in seconds and
// the names of the cameras, and a PNG for each frame.
#include <cmath>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>

#include "io/images/own_file.h"
#include "synth/rigs/rig_layout.h"

namespace mote::synth {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json opengl_matrix(const Camera& camera) {
  const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
  const glm::dvec3 position = camera.position_world();
  json rows = json::array();
  for (int row = 0; row < 3; ++row) {
    // To OpenGL axes: y and z of the camera are negated.
    rows.push_back(
        {world_from_cam[0][row], -world_from_cam[1][row], -world_from_cam[2][row], position[row]});
  }
  rows.push_back({0.0, 0.0, 0.0, 1.0});
  return rows;
}

class JsonLayout : public RigLayout {
 public:
  JsonLayout(const RigFiles& files, const RigPlan& plan, const std::vector<RigCamera>& cameras)
      : files_(files), plan_(plan), cameras_(cameras) {
    for (const RigCamera& camera : cameras) make_folders(files.folder / "images" / camera.name);
  }

  void add(std::size_t camera, int frame, const Image& image) override {
    write_own_png(image, files_.folder / image_of(cameras_[camera], frame), true);
  }

  void finish() override {
    for (const bool test : {true, false}) {
      json frames = json::array();
      for (const RigCamera& camera : cameras_) {
        if (camera.is_test != test) continue;
        for (int i = 0; i < plan_.frames; ++i) frames.push_back(frame_of(camera, i));
      }
      const json top{{"time_unit", "s"},
                     {"frames_per_second", plan_.frames_per_second},
                     {"ply_file_path", "points.ply"},
                     {"software", kSoftware},
                     {"frames", frames}};
      const fs::path path =
          files_.folder / (test ? "transforms_test.json" : "transforms_train.json");
      OutputFile file(path, own_file(path, true));
      file.write(top.dump(1) + "\n");
      file.commit();
    }
  }

 private:
  static std::string image_of(const RigCamera& camera, int frame) {
    return "images/" + camera.name + "/" + frame_name(frame) + ".png";
  }

  json frame_of(const RigCamera& rig, int frame) const {
    const Camera& camera = rig.camera;
    json result{
        {"file_path", image_of(rig, frame)},
        {"camera_name", rig.name},
        {"time", frame / plan_.frames_per_second + rig.clock_offset_s},
        {"clock_offset_s", rig.clock_offset_s},
        {"w", camera.width},
        {"h", camera.height},
        {"fl_x", camera.focal_px.x},
        {"fl_y", camera.focal_px.y},
        {"cx", camera.center_px.x},
        {"cy", camera.center_px.y},
        {"camera_angle_x", 2 * std::atan(0.5 * camera.width / camera.focal_px.x)},
        {"dynamic_mask_path", "dynamic_masks/" + rig.name + "/" + frame_name(frame) + ".png"},
        {"scene_flow_path", "scene_flow/" + rig.name + "/" + frame_name(frame) + ".exr"},
        {"transform_matrix", opengl_matrix(camera)}};
    if (is_identity(rig.lens)) return result;
    const auto& k = rig.lens.parameters;
    if (rig.lens.kind == LensKind::fisheye) {
      result.update({{"camera_model", "OPENCV_FISHEYE"},
                     {"k1", k[0]},
                     {"k2", k[1]},
                     {"k3", k[4]},
                     {"k4", k[5]}});
    } else {
      result.update(
          {{"camera_model", "OPENCV"}, {"k1", k[0]}, {"k2", k[1]}, {"p1", k[2]}, {"p2", k[3]}});
    }
    return result;
  }

  RigFiles files_;
  RigPlan plan_;
  std::vector<RigCamera> cameras_;
};

}  // namespace

extern const RigLayoutEntry kJsonLayout{
    "d-nerf",
    "transforms_train.json and transforms_test.json, and a PNG for each frame",
    false,
    true,
    [](const RigFiles& files, const RigPlan& plan,
       const std::vector<RigCamera>& cameras) -> std::unique_ptr<RigLayout> {
      return std::make_unique<JsonLayout>(files, plan, cameras);
    },
    [] { return "transforms_train.json"; }};

}  // namespace mote::synth

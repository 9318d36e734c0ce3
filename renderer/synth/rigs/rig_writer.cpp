#include "synth/rigs/rig_writer.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/system_fault.h"
#include "io/images/own_file.h"
#include "synth/rigs/rig_picture.h"
#include "synth/rigs/rig_points.h"

namespace mote::synth {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Numbers of rays to gather light with, once a frame: few and one bounce.
LightQuality frame_light(const RigRender& render) {
  return {.key_rays = std::max(1, render.samples / 2), .soft_rays = {4 * render.samples}};
}

json matrix_json(const glm::dmat3& matrix) {
  json rows = json::array();
  for (int row = 0; row < 3; ++row) {
    rows.push_back({matrix[0][row], matrix[1][row], matrix[2][row]});
  }
  return rows;
}

class RigWriter {
 public:
  RigWriter(const SceneEntry& entry, const RigPlan& plan, const RigRender& render,
            const RigLayoutEntry& layout, fs::path folder, ThreadPool& threads)
      : entry_(entry),
        plan_(plan),
        render_(render),
        layout_entry_(layout),
        folder_(std::move(folder)),
        threads_(threads),
        cameras_(rig_cameras(scene_at(entry, 0), plan)),
        points_(plan.seed) {}

  RigSummary write(const std::function<void(double)>& progress) {
    begin_folder();
    const auto layout = layout_entry_.make(
        {.folder = folder_, .crf = render_.crf, .existing = existing_}, plan_, cameras_);
    moves_ = moving_vertices(entry_, time_of(0, 0), time_of(plan_.frames - 1, 0));
    write_clean_plates();
    for (int frame = 0; frame < plan_.frames; ++frame) write_frame(frame, *layout, progress);
    points_.write(folder_ / "points.ply");
    tracks_->write(folder_ / "tracks.npy", existing_);
    layout->finish();
    write_description(true);
    summary_.points = points_.count();
    return summary_;
  }

 private:
  double time_of(int frame, std::size_t camera) const {
    return frame / plan_.frames_per_second + cameras_[camera].clock_offset_s;
  }

  bool has_truth(const RigCamera& camera) const {
    return render_.truth == Truth::all || (render_.truth == Truth::test && camera.is_test);
  }

  std::uint32_t seed_of(std::size_t camera, int frame) const {
    const std::uint32_t own = hash_bits(plan_.seed, static_cast<std::uint32_t>(camera) + 1);
    return render_.fresh_noise ? hash_bits(own, static_cast<std::uint32_t>(frame)) : own;
  }

  /// Makes the folders, removes the files that make it a dataset, and says in rig.json that
  /// the rest is incomplete. Files without a mark are replaced only beside a rig.json of Mote's.
  void begin_folder() {
    make_folders(folder_);
    const fs::path description = folder_ / "rig.json";
    std::error_code fault;
    existing_ = fs::exists(description, fault) && is_written_by_mote(description)
                    ? Existing::replace
                    : Existing::keep;
    for (const RigLayoutEntry* layout : rig_layouts()) {
      const fs::path index = folder_ / layout->index_file();
      if (existing_ == Existing::replace && !fs::remove(index, fault) && fault) {
        throw SystemFault("cannot be replaced", fault.value(), index, "choose another folder");
      }
    }
    if (existing_ == Existing::replace) remove_earlier(json::parse(read_text_file(description)));
    write_description(false);
    make_folders(folder_ / "clean_plates");
    for (const RigCamera& camera : cameras_) {
      if (!has_truth(camera)) continue;
      for (const char* name : kTruthNames) make_folders(folder_ / name / camera.name);
    }
  }

  /// Removes pictures and exact data of an earlier rig: readers take each picture of a folder for a
  /// frame, and videos before pictures. Videos have no mark; its cameras tell their names.
  void remove_earlier(const json& earlier) const {
    std::error_code fault;
    const auto remove = [&](const fs::path& file) {
      if (fs::remove(file, fault) || !fault) return;
      throw SystemFault("cannot be replaced", fault.value(), file, "choose another folder");
    };
    std::vector<std::string> folders(std::begin(kTruthNames), std::end(kTruthNames));
    folders.emplace_back("images");
    for (const std::string& folder : folders) {
      for (const fs::path& file : entries_below(folder_ / folder)) {
        if (fs::is_regular_file(file, fault) && is_written_by_mote(file)) remove(file);
      }
    }
    for (const json& camera : earlier.value("cameras", json::array())) {
      const bool is_named =
          camera.is_object() && camera.contains("name") && camera["name"].is_string();
      const std::string name = is_named ? camera["name"].get<std::string>() : std::string();
      if (!name.starts_with("cam") || name.find('/') != std::string::npos) continue;
      remove(folder_ / (name + ".mp4"));
      remove(folder_ / "videos" / (name.substr(3) + ".mp4"));
    }
  }

  void write_clean_plates() {
    const SolidScene solid(without_moving(scene_at(entry_, 0), moves_));
    const LightCache light =
        gather_light(solid.scene, solid.bvh, frame_light(render_), plan_.seed, threads_);
    for (std::size_t k = 0; k < cameras_.size(); ++k) {
      RigPicture plate =
          render_picture(solid, light, cameras_[k].camera,
                         {.samples = render_.samples, .seed = seed_of(k, 0)}, threads_);
      develop(cameras_[k], 0, 0, plate.color);
      write_own_png(plate.color, folder_ / "clean_plates" / (cameras_[k].name + ".png"), true);
    }
  }

  void write_frame(int frame, RigLayout& layout, const std::function<void(double)>& progress) {
    const SolidScene shared(scene_at(entry_, frame / plan_.frames_per_second));
    const LightCache light =
        gather_light(shared.scene, shared.bvh, frame_light(render_), plan_.seed, threads_);
    summary_.triangles = shared.scene.mesh.triangles.size();
    if (!tracks_) tracks_.emplace(shared.scene, moves_, plan_.seed);
    tracks_->add(shared.scene);
    for (std::size_t k = 0; k < cameras_.size(); ++k) {
      write_picture(frame, k, shared, light, layout);
      progress(static_cast<double>(++summary_.pictures));
    }
  }

  void write_picture(int frame, std::size_t k, const SolidScene& shared, const LightCache& light,
                     RigLayout& layout) {
    const RigCamera& camera = cameras_[k];
    const double time_s = time_of(frame, k);
    std::optional<SolidScene> own;
    if (camera.clock_offset_s != 0) own.emplace(scene_at(entry_, time_s));
    const SolidScene& solid = own ? *own : shared;
    CHECK(solid.scene.mesh.triangles.size() == shared.scene.mesh.triangles.size());
    const std::uint32_t seed = seed_of(k, frame);
    RigPicture picture = render_picture(solid, light, camera.camera,
                                        {.samples = render_.samples, .seed = seed}, threads_);
    const int wanted = points_of(frame, k);
    if (has_truth(camera) || wanted > 0) {
      const SceneMotion& motion = motion_at(time_s);
      points_.pick(picture, motion, time_s, wanted);
      if (has_truth(camera)) {
        write_truth(picture, solid.scene, camera, {motion, moves_}, folder_, frame_name(frame),
                    threads_);
      }
    }
    develop(camera, plan_.noise, hash_bits(seed, static_cast<std::uint32_t>(frame) + 77),
            picture.color);
    layout.add(k, frame, picture.color);
  }

  /// The motion at a time; that of the last time asked for is kept.
  const SceneMotion& motion_at(double time_s) {
    if (!motion_ || motion_time_s_ != time_s) {
      motion_.emplace(entry_, time_s, 1 / plan_.frames_per_second);
      motion_time_s_ = time_s;
    }
    return *motion_;
  }

  /// The number of points of a picture. Each frame takes them from four training cameras, others
  /// than the frame before.
  int points_of(int frame, std::size_t k) const {
    const std::size_t training = cameras_.size() - 1, used = std::min<std::size_t>(4, training);
    if (cameras_[k].is_test) return 0;
    const std::size_t turn = (k - 1 + 3 * static_cast<std::size_t>(frame)) % training;
    if (turn * used % training >= used) return 0;
    return render_.points / (plan_.frames * static_cast<int>(used)) + 1;
  }

  void write_description(bool complete) const {
    json cameras = json::array();
    for (const RigCamera& one : cameras_) {
      const auto& bias = one.color_bias;
      cameras.push_back({{"name", one.name},
                         {"is_test", one.is_test},
                         {"clock_offset_s", one.clock_offset_s},
                         {"color_matrix", matrix_json(one.color_matrix)},
                         {"color_bias", {bias.x, bias.y, bias.z}},
                         {"focal_px", {one.camera.focal_px.x, one.camera.focal_px.y}},
                         {"lens", one.lens.parameters},
                         {"world_from_cam", matrix_json(glm::transpose(one.camera.cam_from_world))},
                         {"position_world",
                          {one.camera.position_world().x, one.camera.position_world().y,
                           one.camera.position_world().z}}});
    }
    const json top{{"software", kSoftware},  {"complete", complete},
                   {"scene", entry_.name},   {"layout", layout_entry_.name},
                   {"seed", plan_.seed},     {"samples", render_.samples},
                   {"frames", plan_.frames}, {"frames_per_second", plan_.frames_per_second},
                   {"noise", plan_.noise},   {"fresh_noise", render_.fresh_noise},
                   {"cameras", cameras}};
    const fs::path path = folder_ / "rig.json";
    OutputFile file(path, own_file(path, true));
    file.write(top.dump(1) + "\n");
    file.commit();
  }

  const SceneEntry& entry_;
  const RigPlan& plan_;
  const RigRender& render_;
  const RigLayoutEntry& layout_entry_;
  fs::path folder_;
  ThreadPool& threads_;
  std::vector<RigCamera> cameras_;
  std::vector<bool> moves_;
  RigPoints points_;
  std::optional<SceneMotion> motion_;
  double motion_time_s_ = 0;
  std::optional<SurfaceTracks> tracks_;
  Existing existing_ = Existing::keep;
  RigSummary summary_;
};

}  // namespace

RigSummary write_rig(const SceneEntry& scene, const RigPlan& plan, const RigRender& render,
                     const RigLayoutEntry& layout, const fs::path& folder, ThreadPool& threads,
                     const std::function<void(double)>& progress) {
  CHECK(scene.moves);
  return RigWriter(scene, plan, render, layout, folder, threads).write(progress);
}

}  // namespace mote::synth

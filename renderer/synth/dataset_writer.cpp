#include "synth/dataset_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <glm/matrix.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/random.h"
#include "core/system_fault.h"
#include "core/unfinished.h"
#include "io/images/own_file.h"
#include "synth/path_tracer.h"

namespace mote::synth {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSplits[] = {"train", "test"};
constexpr const char* kGuides[] = {"depth", "normals", "object_masks"};

const char* split_of(const DatasetView& view) {
  return kSplits[view.is_test ? 1 : 0];
}

fs::path transforms_file(const fs::path& folder, const char* split) {
  return folder / (std::string("transforms_") + split + ".json");
}

/// A scene at one time with its gathered light.
struct LitScene {
  Scene scene;
  Bvh bvh;
  LightCache light;

  LitScene(const SceneEntry& entry, double time, const LightQuality& quality, std::uint32_t seed,
           ThreadPool& threads)
      : scene(entry.make(time)),
        bvh(scene.mesh),
        light(gather_light(scene, bvh, quality, seed, threads)) {}
};

/// The output images of one view.
struct ViewImages {
  Image color, radiance, depth, normal, mask, position;

  ViewImages(int width, int height, bool transparent) {
    color.resize_discard(width, height, transparent ? 4 : 3);
    radiance.resize_discard(width, height, transparent ? 4 : 3);
    depth.resize_discard(width, height, 1);
    normal.resize_discard(width, height, 3);
    mask.resize_discard(width, height, 1);
    position.resize_discard(width, height, 3);
  }

  void set(int x, int y, const Pixel& pixel) {
    float* rgb = color.row(y) + x * color.channels;
    float* light = radiance.row(y) + x * radiance.channels;
    for (int c = 0; c < 3; ++c) {
      rgb[c] = pixel.color[c];
      light[c] = pixel.radiance[c] * pixel.alpha;
      normal.row(y)[3 * x + c] = pixel.normal[c];
      position.row(y)[3 * x + c] = pixel.position[c];
    }
    if (color.channels == 4) rgb[3] = light[3] = pixel.alpha;
    depth.row(y)[x] = pixel.depth;
    mask.row(y)[x] = pixel.object ? 1.0f : 0.0f;
  }
};

struct CloudPoint {
  std::array<float, 3> position;
  std::array<std::uint8_t, 3> color;
};

class DatasetWriter {
 public:
  DatasetWriter(const DatasetPlan& plan, const RenderPlan& render, fs::path folder,
                ThreadPool& threads)
      : plan_(plan),
        render_(render),
        folder_(std::move(folder)),
        threads_(threads),
        random_(plan.seed, 3) {}

  void prepare_folder(const std::vector<DatasetView>& views) const {
    check_files(views);
    make_folders(folder_);
    for (const char* split : kSplits) {
      std::error_code fault;
      fs::remove(transforms_file(folder_, split), fault);
      if (fault) {
        throw SystemFault("cannot be replaced", fault.value(), transforms_file(folder_, split),
                          "choose another folder");
      }
      if (split == kSplits[1] && plan_.test_views == 0) continue;
      make_folders(folder_ / split);
      for (const char* guide : kGuides) make_folders(folder_ / guide / split);
      if (render_.hdr) make_folders(folder_ / "hdr" / split);
    }
  }

  void write_view(const LitScene& lit, const DatasetView& view, std::uint32_t number) {
    ViewImages images(plan_.width, plan_.height, render_.transparent);
    const PathTracer tracer(lit.scene, lit.bvh, lit.light);
    const PixelSettings settings{.samples = render_.samples,
                                 .exposure = static_cast<float>(view.exposure),
                                 .transparent = render_.transparent,
                                 .seed = hash_bits(plan_.seed, number + 1)};
    threads_.run(static_cast<std::size_t>(plan_.height), [&](std::size_t row, int) {
      if (interrupted()) return;
      const int y = static_cast<int>(row);
      for (int x = 0; x < plan_.width; ++x) {
        images.set(x, y, tracer.pixel(view.camera, x, y, settings));
      }
    });
    throw_if_interrupted();
    if (!view.is_test) pick_points(images);
    const std::vector<fs::path> files = files_of(view);
    threads_.run(files.size(), [&](std::size_t task, int) {
      const fs::path& path = files[task];
      if (task == 0) write_own_exr(images.normal, {"X", "Y", "Z"}, path, true);
      if (task == 1) write_own_png(images.color, path, true);
      if (task == 2) write_own_exr(images.depth, {"Z"}, path, true);
      if (task == 3) write_own_png(images.mask, path, true);
      if (task == 4) write_hdr(images.radiance, path);
    });
  }

  void write_points() const {
    OutputFile file(points_file(), own_file(points_file(), true));
    std::string text =
        "ply\nformat binary_little_endian 1.0\ncomment Software: Mote\nelement vertex " +
        std::to_string(points_.size()) +
        "\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
        "property uchar green\nproperty uchar blue\nend_header\n";
    for (const CloudPoint& point : points_) {
      for (const float value : point.position) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8) {
          text.push_back(static_cast<char>((bits >> shift) & 0xffu));
        }
      }
      for (const std::uint8_t value : point.color) text.push_back(static_cast<char>(value));
    }
    file.write(text);
    file.commit();
  }

  void write_transforms(const char* split, const std::vector<DatasetView>& views,
                        const json& made_by) const {
    const Camera& camera = views.front().camera;
    json frames = json::array();
    for (const DatasetView& view : views) {
      if (split_of(view) == std::string_view(split)) frames.push_back(frame_of(view));
    }
    if (frames.empty()) return;
    json top{{"camera_angle_x", 2 * std::atan(0.5 * camera.width / camera.focal_px.x)},
             {"camera_angle_y", 2 * std::atan(0.5 * camera.height / camera.focal_px.y)},
             {"fl_x", camera.focal_px.x},
             {"fl_y", camera.focal_px.y},
             {"cx", camera.center_px.x},
             {"cy", camera.center_px.y},
             {"w", camera.width},
             {"h", camera.height},
             {"camera_model", camera_model()},
             {"ply_file_path", "points.ply"},
             {"software", kSoftware},
             {"synth", made_by},
             {"frames", frames}};
    const auto& k = plan_.lens.parameters;
    if (plan_.lens.kind == LensKind::fisheye) {
      top.update({{"k1", k[0]}, {"k2", k[1]}, {"k3", k[4]}, {"k4", k[5]}});
    } else if (plan_.lens.kind == LensKind::brown && !is_identity(plan_.lens)) {
      top.update({{"k1", k[0]}, {"k2", k[1]}, {"p1", k[2]}, {"p2", k[3]}});
    }
    if (plan_.rolling_shutter_rad > 0) top["rolling_shutter"] = {0, 0, 1, 0};
    OutputFile file(transforms_file(folder_, split), Existing::keep);
    file.write(top.dump(1) + "\n");
    file.commit();
  }

  std::size_t point_count() const { return points_.size(); }

 private:
  /// Throws Error where a file exists that Mote did not write. Removes unfinished files of ended
  /// processes.
  void check_files(const std::vector<DatasetView>& views) const {
    constexpr std::array<std::string_view, 4> kEndings{".png", ".exr", ".ply", ".json"};
    std::set<fs::path> files{points_file()};
    for (const char* split : kSplits) files.insert(transforms_file(folder_, split));
    for (const DatasetView& view : views) {
      for (const fs::path& file : files_of(view)) files.insert(file);
    }
    std::set<fs::path> folders;
    for (const fs::path& file : files) {
      own_file(file, true);
      if (folders.insert(file.parent_path()).second) {
        remove_unfinished(file.parent_path(), kEndings);
      }
    }
  }

  fs::path points_file() const { return folder_ / "points.ply"; }

  /// Paths of normals, picture, depth, mask, and linear light if there is to be any.
  std::vector<fs::path> files_of(const DatasetView& view) const {
    std::vector<fs::path> files{
        guide_file("normals", view, ".exr"), folder_ / split_of(view) / (view.name + ".png"),
        guide_file("depth", view, ".exr"), guide_file("object_masks", view, ".png")};
    if (render_.hdr) files.push_back(guide_file("hdr", view, ".exr"));
    return files;
  }

  static void write_hdr(const Image& radiance, const fs::path& path) {
    const std::vector<std::string> rgba{"R", "G", "B", "A"};
    write_own_exr(radiance, {rgba.begin(), rgba.begin() + radiance.channels}, path, true);
  }

  fs::path guide_file(const char* guide, const DatasetView& view, const char* extension) const {
    return folder_ / guide / split_of(view) / (view.name + extension);
  }

  /// Adds one training view's share of the point cloud, from randomly chosen pixels.
  void pick_points(const ViewImages& images) {
    const int wanted = render_.points / plan_.train_views + 1;
    for (int i = 0; i < wanted && points_.size() < static_cast<std::size_t>(render_.points); ++i) {
      const int x = static_cast<int>(random_.below(static_cast<std::uint32_t>(plan_.width)));
      const int y = static_cast<int>(random_.below(static_cast<std::uint32_t>(plan_.height)));
      if (!(images.depth.row(y)[x] > 0)) continue;
      CloudPoint point{};
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t at = 3 * static_cast<std::size_t>(x) + c;
        const std::size_t in_color =
            static_cast<std::size_t>(x) * static_cast<std::size_t>(images.color.channels) + c;
        point.position[c] = images.position.row(y)[at];
        point.color[c] =
            static_cast<std::uint8_t>(std::lround(255 * images.color.row(y)[in_color]));
      }
      points_.push_back(point);
    }
  }

  const char* camera_model() const {
    if (is_panorama(plan_.lens)) return "EQUIRECTANGULAR";
    if (plan_.lens.kind == LensKind::fisheye) return "OPENCV_FISHEYE";
    return is_identity(plan_.lens) ? "PINHOLE" : "OPENCV";
  }

  static json matrix_of(const CameraPose& pose) {
    json rows = json::array();
    for (int row = 0; row < 3; ++row) {
      // To OpenGL axes: y and z of the camera are negated.
      rows.push_back({pose.world_from_cam[0][row], -pose.world_from_cam[1][row],
                      -pose.world_from_cam[2][row], pose.position_world[row]});
    }
    rows.push_back({0.0, 0.0, 0.0, 1.0});
    return rows;
  }

  json frame_of(const DatasetView& view) const {
    const CameraPose pose{glm::transpose(view.camera.cam_from_world), view.camera.position_world()};
    const std::string split = split_of(view);
    json frame{{"file_path", split + "/" + view.name + ".png"},
               {"depth_file_path", "depth/" + split + "/" + view.name + ".exr"},
               {"transform_matrix", matrix_of(pose)}};
    if (view.camera.motion) {
      const ShutterPoses poses = shutter_poses(view.camera);
      frame["transform_matrix_start"] = matrix_of(poses.first);
      frame["transform_matrix_end"] = matrix_of(poses.last);
    }
    if (render_.hdr) frame["hdr_file_path"] = "hdr/" + split + "/" + view.name + ".exr";
    if (plan_.moving) frame["time"] = view.time;
    if (plan_.exposure_jitter > 0) frame["exposure"] = view.exposure;
    return frame;
  }

  const DatasetPlan& plan_;
  const RenderPlan& render_;
  fs::path folder_;
  ThreadPool& threads_;
  Random random_;
  std::vector<CloudPoint> points_;
};

/// Numbers of rays, in proportion to the paths per pixel. A moving scene gets fewer rays and only
/// one bounce, since its light is gathered again for every view.
LightQuality light_quality(const DatasetPlan& plan, const RenderPlan& render) {
  const int samples = render.samples;
  if (plan.moving) return {.key_rays = (samples + 1) / 2, .soft_rays = {4 * samples}};
  return {.key_rays = samples, .soft_rays = {2 * samples, 8 * samples}};
}

json description_of(const SceneEntry& scene, const DatasetPlan& plan, const RenderPlan& render) {
  return {{"scene", scene.name},
          {"seed", plan.seed},
          {"moving", plan.moving},
          {"samples", render.samples},
          {"exposure_jitter", plan.exposure_jitter},
          {"transparent", render.transparent},
          {"hdr", render.hdr}};
}

}  // namespace

DatasetSummary write_dataset(const SceneEntry& scene, const DatasetPlan& plan,
                             const RenderPlan& render, const fs::path& folder, ThreadPool& threads,
                             const std::function<void(double)>& progress) {
  CHECK(!plan.moving || scene.moves);
  const std::vector<DatasetView> views = dataset_views(scene.make(0), plan);
  const LightQuality quality = light_quality(plan, render);
  DatasetWriter writer(plan, render, folder, threads);
  writer.prepare_folder(views);
  std::optional<LitScene> lit;
  DatasetSummary summary;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!lit || plan.moving) lit.emplace(scene, views[i].time, quality, plan.seed, threads);
    writer.write_view(*lit, views[i], static_cast<std::uint32_t>(i));
    progress(static_cast<double>(i + 1));
  }
  writer.write_points();
  const json made_by = description_of(scene, plan, render);
  for (const char* split : kSplits) writer.write_transforms(split, views, made_by);
  summary.triangles = lit->scene.mesh.triangles.size();
  summary.points = writer.point_count();
  summary.pixels = std::int64_t{plan.width} * plan.height * static_cast<std::int64_t>(views.size());
  return summary;
}

}  // namespace mote::synth

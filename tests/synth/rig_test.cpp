// Rigs: what is written in each layout is read again with the same cameras, times and pictures, and
// the exact data agree with the motion of the scene.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "cameras/camera_ray.h"
#include "core/error.h"
#include "core/file.h"
#include "core/options.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_source.h"
#include "io/images/image_files.h"
#include "io/npy.h"
#include "support/thrown_by.h"
#include "synth/rigs/rig_writer.h"
#include "synth/rigs/scene_motion.h"

namespace mote::synth {
namespace {

namespace fs = std::filesystem;

class Rig : public ::testing::Test {
 protected:
  Rig() : folder_(fs::path(::testing::TempDir()) / ("rig_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    plan_.cameras = 4;
    plan_.frames = 3;
    plan_.width = 64;
    plan_.height = 48;
    plan_.frames_per_second = 20;
    render_.samples = 1;
    render_.points = 300;
  }
  ~Rig() override { fs::remove_all(folder_); }

  void write(const std::string& layout, const std::string& scene = "throw") {
    ThreadPool threads(2);
    write_rig(scene_named(scene), plan_, render_, rig_layout_named(layout), folder_, threads,
              [](double) {});
  }
  nlohmann::json description() const {
    return nlohmann::json::parse(read_text_file(folder_ / "rig.json"));
  }

  fs::path folder_;
  RigPlan plan_;
  RigRender render_;
};

std::vector<float> channel_of(const fs::path& path, const char* name) {
  Imf::InputFile file(path.c_str());
  const auto& window = file.header().dataWindow();
  const int width = window.max.x + 1, height = window.max.y + 1;
  std::vector<float> values(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  Imf::FrameBuffer frame;
  frame.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), sizeof(float),
                                sizeof(float) * static_cast<std::size_t>(width)));
  file.setFrameBuffer(frame);
  file.readPixels(0, height - 1);
  return values;
}

/// PSNR of a photograph against another of the same moment.
double psnr_of(const PhotoPixels& a, const PhotoPixels& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.color.pixels.size(); ++i) {
    const double difference = (a.color.pixels[i] - b.color.pixels[i]) / 255.0;
    sum += difference * difference;
  }
  return -10 * std::log10(sum / static_cast<double>(a.color.pixels.size()) + 1e-12);
}

TEST_F(Rig, EveryLayoutIsReadBackWithTheSameCamerasTimesAndPictures) {
  plan_.clock_jitter = 0.4;
  write("d-nerf");
  const LoadedDataset exact = load_dataset(folder_, {});
  fs::remove_all(folder_);
  ASSERT_EQ(exact.dataset.photographs.size(), 12u);
  EXPECT_EQ(exact.dataset.test.size(), 3u);
  const std::vector<RigCamera> cameras = rig_cameras(scene_at(scene_named("throw"), 0), plan_);
  for (const RigLayoutEntry* layout : rig_layouts()) {
    SCOPED_TRACE(std::string(layout->name));
    fs::remove_all(folder_);
    const bool keeps_clocks = layout->name != "n3v";
    plan_.clock_jitter = keeps_clocks ? 0.4 : 0;
    write(std::string(layout->name));
    const LoadedDataset loaded = load_dataset(folder_, {});
    const Dataset& dataset = loaded.dataset;
    EXPECT_TRUE(dataset.warnings.empty()) << fmt::format("{}", fmt::join(dataset.warnings, "; "));
    ASSERT_EQ(dataset.photographs.size(), 12u);
    EXPECT_EQ(dataset.test.size(), 3u);
    ASSERT_EQ(dataset.camera_groups.size(), 4u);
    EXPECT_NEAR(dataset.time.frames_per_second, 20, 1e-6);
    EXPECT_EQ(dataset.points.times_s.size(), dataset.points.positions.size());
    EXPECT_GT(dataset.points.positions.size(), 200u);
    for (std::uint32_t i = 0; i < 12; ++i) {
      const Photograph& one = dataset.photographs[i];
      const RigCamera& rig = cameras[one.camera_group];
      EXPECT_EQ(std::ranges::count(dataset.test, i), rig.is_test);
      const double offset = keeps_clocks ? rig.clock_offset_s : 0;
      EXPECT_NEAR(one.time_s, i % 3 / 20.0 + offset, 1e-6);
      EXPECT_LT(glm::distance(one.camera.position_world(), rig.camera.position_world()), 1e-9);
      EXPECT_LT(glm::distance(one.camera.focal_px, rig.camera.focal_px), 1e-9);
      for (int column = 0; column < 3; ++column) {
        EXPECT_LT(
            glm::distance(one.camera.cam_from_world[column], rig.camera.cam_from_world[column]),
            1e-9);
      }
      if (rig.is_test) {
        EXPECT_TRUE(fs::exists(one.dynamic_mask));
        EXPECT_TRUE(fs::exists(one.scene_flow));
      }
      const PhotoPixels &own = *loaded.photos->get(i), &wanted = *exact.photos->get(i);
      const double psnr = psnr_of(own, wanted);
      // Without its clock a moving ball is at another place.
      if (rig.clock_offset_s == 0 || keeps_clocks) {
        EXPECT_GT(psnr, layout->videos ? 28 : 90) << i;
      }
    }
  }
}

TEST_F(Rig, TheTestCameraHasExactColoursAndTheOthersAverageToThem) {
  plan_.color_jitter = 0.1;
  plan_.clock_jitter = 0.5;
  plan_.cameras = 9;
  const std::vector<RigCamera> cameras = rig_cameras(scene_at(scene_named("arm"), 0), plan_);
  glm::dmat3 mean(0);
  double clock = 0;
  for (const RigCamera& one : cameras) {
    mean += one.color_matrix / 9.0;
    clock += one.clock_offset_s;
  }
  EXPECT_EQ(cameras[0].name, "cam00");
  EXPECT_TRUE(cameras[0].is_test);
  EXPECT_EQ(cameras[0].color_matrix, glm::dmat3(1));
  EXPECT_EQ(cameras[0].clock_offset_s, 0);
  EXPECT_NE(cameras[1].color_matrix, glm::dmat3(1));
  EXPECT_NEAR(clock, 0, 1e-12);
  for (int i = 0; i < 3; ++i) EXPECT_LT(glm::distance(mean[i], glm::dmat3(1)[i]), 1e-12);
}

/// The directions of an arc's cameras lie within its angle, with the test camera in their middle.
TEST_F(Rig, ArcsAndDomesSurroundTheSceneAsTheySay) {
  const Scene scene = scene_at(scene_named("arm"), 0);
  plan_.cameras = 20;
  const auto azimuth = [&](const RigCamera& one) {
    const glm::dvec3 away = one.camera.position_world() - glm::dvec3(scene.target);
    return std::atan2(away.y, away.x) - static_cast<double>(scene.front_rad);
  };
  double widest = 0;
  for (const RigCamera& one : rig_cameras(scene, plan_)) {
    widest = std::max(widest, std::abs(azimuth(one)));
    if (one.is_test) {
      EXPECT_LT(std::abs(azimuth(one)), 0.06);
    }
  }
  EXPECT_NEAR(widest, 0.5 * static_cast<double>(scene.arc_rad), 1e-6);
  plan_.form = RigForm::dome;
  plan_.cameras = 24;
  int behind = 0;
  for (const RigCamera& one : rig_cameras(scene, plan_)) behind += std::cos(azimuth(one)) < 0;
  EXPECT_GT(behind, 8);
}

TEST_F(Rig, FlowAndSceneFlowAgreeWithTheMotion) {
  plan_.frames = 2;
  plan_.width = 120;
  plan_.height = 90;
  write("d-nerf");
  const SceneEntry& entry = scene_named("throw");
  const Scene now = scene_at(entry, 0), next = scene_at(entry, 1 / 20.0),
              soon = scene_at(entry, 1e-3);
  const Bvh bvh(now.mesh);
  const Camera camera = rig_cameras(now, plan_)[0].camera;
  const std::vector<float> along = channel_of(folder_ / "flow" / "cam00" / "00000.exr", "X"),
                           down = channel_of(folder_ / "flow" / "cam00" / "00000.exr", "Y"),
                           known = channel_of(folder_ / "flow" / "cam00" / "00000.exr", "V"),
                           rate = channel_of(folder_ / "scene_flow" / "cam00" / "00000.exr", "X");
  const Image8 moving = read_image8(folder_ / "dynamic_masks" / "cam00" / "00000.png");
  int moved = 0, still = 0;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const CameraRay ray = *ray_through(camera, {x + 0.5, y + 0.5});
      const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
      Hit hit{};
      ASSERT_TRUE(
          bvh.first_hit({vec3(camera.position_world()), vec3(world_from_cam * ray.direction_cam)},
                        kInfinity, hit));
      const SurfacePoint place = surface_point(now.mesh, hit);
      const vec3 later = place.interpolate(next.mesh.positions);
      const glm::dvec2 px = *pixel_of(camera, glm::dvec3(later));
      const auto at = static_cast<std::size_t>(y * camera.width + x);
      EXPECT_EQ(known[at], 1);
      EXPECT_NEAR(along[at], px.x - (x + 0.5), 0.05);
      EXPECT_NEAR(down[at], px.y - (y + 0.5), 0.05);
      const vec3 step = place.interpolate(soon.mesh.positions) - place.position;
      EXPECT_NEAR(rate[at], step.x / 1e-3f, 0.15);
      const bool moves = later != place.position;
      EXPECT_EQ(moving.row(y)[x] > 127, moves) << x << ' ' << y;
      ++(moves ? moved : still);
    }
  }
  EXPECT_GT(moved, 100);
  EXPECT_GT(still, 5000);
}

TEST_F(Rig, TracksFollowTheSurface) {
  write("d-nerf", "arm");
  const NpyArray tracks = read_npy(folder_ / "tracks.npy");
  EXPECT_EQ(tracks.shape, (std::vector<std::size_t>{3, 1000, 3}));
  double longest = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t frame = 0; frame < 2; ++frame) {
      glm::dvec3 step(0);
      for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        step[axis] = tracks.values[3 * (1000 * (frame + 1) + i) + a] -
                     tracks.values[3 * (1000 * frame + i) + a];
      }
      longest = std::max(longest, glm::length(step));
    }
  }
  EXPECT_GT(longest, 0.05);  // world, in a twentieth of a second
  EXPECT_LT(longest, 0.5);
}

/// The mean squared difference of a picture from the clean plate of its camera.
TEST_F(Rig, CleanPlatesShowNothingThatMoves) {
  write("d-nerf");
  const Image8 plate = read_image8(folder_ / "clean_plates" / "cam00.png");
  const Image8 picture = read_image8(folder_ / "images" / "cam00" / "00001.png");
  const Image8 moving = read_image8(folder_ / "dynamic_masks" / "cam00" / "00001.png");
  double in_motion = 0, at_rest = 0;
  int moved = 0, still = 0;
  for (int y = 0; y < plate.height; ++y) {
    for (int x = 0; x < plate.width; ++x) {
      double sum = 0;
      for (int c = 0; c < 3; ++c) {
        sum += std::abs(plate.row(y)[3 * x + c] - picture.row(y)[3 * x + c]);
      }
      const bool moves = moving.row(y)[x] > 127;
      (moves ? in_motion : at_rest) += sum;
      ++(moves ? moved : still);
    }
  }
  EXPECT_GT(in_motion / moved, 5 * at_rest / still);
}

TEST_F(Rig, NoiseAndColoursChangeThePicturesOnlyOfTheirCameras) {
  write("d-nerf");
  const Image8 test = read_image8(folder_ / "images" / "cam00" / "00000.png");
  const Image8 other = read_image8(folder_ / "images" / "cam01" / "00000.png");
  fs::remove_all(folder_);
  plan_.color_jitter = 0.2;
  write("d-nerf");
  const Image8 same = read_image8(folder_ / "images" / "cam00" / "00000.png");
  const Image8 changed = read_image8(folder_ / "images" / "cam01" / "00000.png");
  EXPECT_TRUE(std::ranges::equal(same.pixels.span(), test.pixels.span()));
  EXPECT_FALSE(std::ranges::equal(changed.pixels.span(), other.pixels.span()));
  EXPECT_EQ(description()["cameras"][0]["color_bias"], nlohmann::json({0, 0, 0}));
  EXPECT_EQ(description()["complete"], true);
}

TEST_F(Rig, NoiseHasTheStandardDeviationOfItsOption) {
  const auto pictures = [&] {
    fs::remove_all(folder_);
    write("d-nerf");
    std::vector<Image8> all;
    for (const char* name :
         {"images/cam01/00000.png", "images/cam01/00001.png", "clean_plates/cam01.png"}) {
      all.push_back(read_image8(folder_ / name));
    }
    return all;
  };
  plan_.frames = 2;
  const std::vector<Image8> clean = pictures();
  plan_.noise = 0.04;
  const std::vector<Image8> noisy = pictures();
  EXPECT_DOUBLE_EQ(description()["noise"].get<double>(), 0.04);
  double sum = 0, squares = 0, products = 0, count = 0;
  for (std::size_t i = 0; i < clean[0].pixels.size(); ++i) {
    double noise[2];
    bool is_cut = false;
    for (const std::size_t frame : {0u, 1u}) {
      const int before = clean[frame].pixels[i];
      is_cut |= before < 50 || before > 205;  // five standard deviations from the ends
      noise[frame] = (noisy[frame].pixels[i] - before) / 255.0;
    }
    if (is_cut) continue;
    sum += noise[0] + noise[1];
    squares += noise[0] * noise[0] + noise[1] * noise[1];
    products += noise[0] * noise[1];
    count += 1;
  }
  ASSERT_GT(count, 2000);
  EXPECT_NEAR(std::sqrt(squares / (2 * count)), 0.04, 0.002);
  EXPECT_NEAR(sum / (2 * count), 0, 0.002);
  EXPECT_NEAR(products / count, 0, 0.1 * 0.04 * 0.04) << "each frame has its own";
  EXPECT_TRUE(std::ranges::equal(clean[2].pixels.span(), noisy[2].pixels.span()));
}

TEST_F(Rig, LensesThatDifferAreReadBack) {
  plan_.lens_jitter = 0.05;
  plan_.frames = 1;
  render_.truth = Truth::none;
  const std::vector<RigCamera> cameras = rig_cameras(scene_at(scene_named("throw"), 0), plan_);
  for (const char* layout : {"d-nerf", "easyvolcap"}) {
    fs::remove_all(folder_);
    write(layout);
    const PosedImages posed = read_cameras(locate_cameras(folder_), {.images_needed = true}).posed;
    ASSERT_EQ(posed.images.size(), cameras.size()) << layout;
    std::set<double> focals, bends;
    for (const PosedImage& image : posed.images) {
      const auto rig = std::ranges::find_if(cameras, [&](const RigCamera& one) {
        return glm::distance(one.camera.position_world(), image.camera.position_world()) < 1e-6;
      });
      ASSERT_NE(rig, cameras.end()) << layout;
      EXPECT_LT(glm::distance(image.camera.focal_px, rig->camera.focal_px), 1e-6) << layout;
      ASSERT_EQ(image.lens.kind, LensKind::brown) << layout;
      for (std::size_t k = 0; k < rig->lens.parameters.size(); ++k) {
        EXPECT_NEAR(image.lens.parameters[k], rig->lens.parameters[k], 1e-9) << layout << " " << k;
      }
      focals.insert(image.camera.focal_px.x);
      bends.insert(image.lens.parameters[0]);
    }
    EXPECT_EQ(focals.size(), cameras.size()) << layout;
    EXPECT_EQ(bends.size(), cameras.size()) << layout;
  }
}

TEST_F(Rig, DepthsAndMasksOfObjectsAgreeWithTheGeometry) {
  write("d-nerf");
  const SceneEntry& entry = scene_named("throw");
  const Camera camera = rig_cameras(scene_at(entry, 0), plan_)[0].camera;
  for (const int frame : {0, 2}) {
    const Scene scene = scene_at(entry, frame / plan_.frames_per_second);
    const Bvh bvh(scene.mesh);
    const std::string name = fmt::format("{:05}", frame);
    const std::vector<float> depths = channel_of(folder_ / "depth/cam00" / (name + ".exr"), "Z");
    const Image8 objects = read_image8(folder_ / "object_masks/cam00" / (name + ".png"));
    int shown = 0, backdrop = 0;
    for (int y = 0; y < camera.height; ++y) {
      for (int x = 0; x < camera.width; ++x) {
        const CameraRay ray = *ray_through(camera, {x + 0.5, y + 0.5});
        const glm::dmat3 world_from_cam = glm::transpose(camera.cam_from_world);
        Hit hit{};
        ASSERT_TRUE(
            bvh.first_hit({vec3(camera.position_world()), vec3(world_from_cam * ray.direction_cam)},
                          kInfinity, hit));
        const glm::dvec3 place(surface_point(scene.mesh, hit).position);
        const double depth = (camera.cam_from_world * place + camera.translation).z;
        ASSERT_NEAR(depths[static_cast<std::size_t>(y * camera.width + x)], depth, 1e-3 * depth)
            << x << ' ' << y;
        const bool is_object = scene.is_object(hit.triangle);
        ASSERT_EQ(objects.row(y)[x] > 127, is_object) << x << ' ' << y;
        ++(is_object ? shown : backdrop);
      }
    }
    EXPECT_GT(shown, 50);
    EXPECT_GT(backdrop, 500);
  }
}

TEST_F(Rig, FilesOfOthersAreNotReplaced) {
  fs::create_directories(folder_);
  OutputFile file(folder_ / "tracks.npy");
  file.write("mine");
  file.commit();
  EXPECT_THROW(write("d-nerf"), Error);
  EXPECT_EQ(read_text_file(folder_ / "tracks.npy"), "mine");
}

TEST_F(Rig, LayoutsRefuseLensesThatTheyCannotDescribe) {
  plan_.lens = {LensKind::brown, {-0.1}};
  EXPECT_THROW(write("n3v"), UsageError);
  plan_.lens = {};
  plan_.width = 63;
  EXPECT_THROW(write("easyvolcap-video"), UsageError);
  EXPECT_THROW(rig_layout_named("none"), UsageError);
}

}  // namespace
}  // namespace mote::synth

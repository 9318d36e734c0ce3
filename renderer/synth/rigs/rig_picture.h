#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/image.h"
#include "core/parallel.h"
#include "synth/rigs/rig_cameras.h"
#include "synth/rigs/scene_motion.h"

namespace mote::synth {

/// A scene at one moment that rays can hit.
struct SolidScene {
  Scene scene;
  Bvh bvh;
  explicit SolidScene(Scene made) : scene(std::move(made)), bvh(scene.mesh) {}
};

/// A picture of one camera, and what each pixel's centre shows.
struct RigPicture {
  Image color;                 // display-referred, 3 channels, without noise and colour matrix
  std::vector<Pixel> centers;  // [height][width]
};

/// Renders one picture on all threads. Throws Interrupted.
RigPicture render_picture(const SolidScene& solid, const LightCache& light, const Camera& camera,
                          const PixelSettings& settings, ThreadPool& threads);

/// Applies the colour matrix of the camera, and noise with the given standard deviation.
void develop(const RigCamera& camera, double noise, std::uint32_t seed, Image& color);

/// The motion of a picture's surfaces, for its truth.
struct PictureMotion {
  const SceneMotion& motion;
  const std::vector<bool>& moves;  // per vertex, see moving_vertices()
};

/// Writes the exact data of a picture as NAME/CAMERA/FRAME into the folder; see write_rig().
void write_truth(const RigPicture& picture, const Scene& scene, const RigCamera& camera,
                 const PictureMotion& motion, const std::filesystem::path& folder,
                 const std::string& frame, ThreadPool& threads);

/// The names of the folders of write_truth().
inline constexpr const char* kTruthNames[] = {"depth",         "normals", "object_masks",
                                              "dynamic_masks", "flow",    "scene_flow"};

}  // namespace mote::synth

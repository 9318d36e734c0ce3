#include "synth/rigs/rig_picture.h"

#include <algorithm>
#include <cmath>

#include "cameras/camera_ray.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/random.h"
#include "io/images/own_file.h"

namespace mote::synth {
namespace {

/// The images of write_truth().
struct TruthImages {
  Image depth, normal, object, dynamic, flow, velocity;

  TruthImages(int width, int height) {
    const auto make = [&](Image& image, int channels) {
      image.resize_discard(width, height, channels);
      std::fill(image.pixels.data(),
                image.pixels.data() + static_cast<std::ptrdiff_t>(width) * height * channels, 0.0f);
    };
    make(depth, 1);
    make(normal, 3);
    make(object, 1);
    make(dynamic, 1);
    make(flow, 3);
    make(velocity, 4);
  }
};

void set_flow(const Camera& camera, vec3 next, int x, int y, Image& flow) {
  const auto px = pixel_of(camera, glm::dvec3(next));
  if (!px) return;
  float* out = flow.row(y) + static_cast<std::ptrdiff_t>(3) * x;
  out[0] = static_cast<float>(px->x - (x + 0.5));
  out[1] = static_cast<float>(px->y - (y + 0.5));
  out[2] = 1;
}

void set_pixel(const Pixel& pixel, const Scene& scene, const Camera& camera,
               const PictureMotion& known, int x, int y, TruthImages& images) {
  images.depth.row(y)[x] = pixel.depth;
  images.object.row(y)[x] = pixel.object ? 1.0f : 0.0f;
  if (pixel.triangle == kNoTriangle) return;
  const auto& corners = scene.mesh.triangles[pixel.triangle];
  const bool moves =
      std::ranges::any_of(corners, [&](std::uint32_t corner) { return known.moves[corner]; });
  images.dynamic.row(y)[x] = moves ? 1.0f : 0.0f;
  for (int c = 0; c < 3; ++c) images.normal.row(y)[3 * x + c] = pixel.normal[c];
  if (const auto velocity = known.motion.velocity(pixel)) {
    float* out = images.velocity.row(y) + static_cast<std::ptrdiff_t>(4) * x;
    for (int c = 0; c < 3; ++c) out[c] = (*velocity)[c];
    out[3] = 1;
  }
  if (const auto next = known.motion.next_position(pixel)) {
    set_flow(camera, *next, x, y, images.flow);
  }
}

}  // namespace

RigPicture render_picture(const SolidScene& solid, const LightCache& light, const Camera& camera,
                          const PixelSettings& settings, ThreadPool& threads) {
  const PathTracer tracer(solid.scene, solid.bvh, light);
  RigPicture picture;
  picture.color.resize_discard(camera.width, camera.height, 3);
  const auto width = static_cast<std::size_t>(camera.width);
  picture.centers.resize(width * static_cast<std::size_t>(camera.height));
  threads.run(static_cast<std::size_t>(camera.height), [&](std::size_t row, int) {
    if (interrupted()) return;
    const int y = static_cast<int>(row);
    for (int x = 0; x < camera.width; ++x) {
      const Pixel pixel = tracer.pixel(camera, x, y, settings);
      for (int c = 0; c < 3; ++c) picture.color.row(y)[3 * x + c] = pixel.color[c];
      picture.centers[row * width + static_cast<std::size_t>(x)] = pixel;
    }
  });
  throw_if_interrupted();
  return picture;
}

void develop(const RigCamera& camera, double noise, std::uint32_t seed, Image& color) {
  const bool is_exact =
      camera.color_matrix == glm::dmat3(1) && camera.color_bias == glm::dvec3(0) && noise == 0;
  if (is_exact) return;
  Random random(seed, 31);
  for (int y = 0; y < color.height; ++y) {
    float* row = color.row(y);
    for (int x = 0; x < color.width; ++x, row += 3) {
      glm::dvec3 seen =
          camera.color_matrix * glm::dvec3(row[0], row[1], row[2]) + camera.color_bias;
      for (int c = 0; c < 3; ++c) {
        if (noise > 0) seen[c] += noise * random.normal();
        row[c] = static_cast<float>(std::clamp(seen[c], 0.0, 1.0));
      }
    }
  }
}

void write_truth(const RigPicture& picture, const Scene& scene, const RigCamera& rig,
                 const PictureMotion& motion, const std::filesystem::path& folder,
                 const std::string& frame, ThreadPool& threads) {
  const Camera& camera = rig.camera;
  TruthImages images(camera.width, camera.height);
  threads.run(static_cast<std::size_t>(camera.height), [&](std::size_t row, int) {
    for (int x = 0; x < camera.width; ++x) {
      const Pixel& pixel =
          picture
              .centers[row * static_cast<std::size_t>(camera.width) + static_cast<std::size_t>(x)];
      set_pixel(pixel, scene, camera, motion, x, static_cast<int>(row), images);
    }
  });
  const auto file = [&](std::size_t kind, const char* extension) {
    return folder / kTruthNames[kind] / rig.name / (frame + extension);
  };
  threads.run(std::size(kTruthNames), [&](std::size_t kind, int) {
    if (kind == 0) write_own_exr(images.depth, {"Z"}, file(kind, ".exr"), true);
    if (kind == 1) write_own_exr(images.normal, {"X", "Y", "Z"}, file(kind, ".exr"), true);
    if (kind == 2) write_own_png(images.object, file(kind, ".png"), true);
    if (kind == 3) write_own_png(images.dynamic, file(kind, ".png"), true);
    if (kind == 4) write_own_exr(images.flow, {"X", "Y", "V"}, file(kind, ".exr"), true);
    if (kind == 5) write_own_exr(images.velocity, {"X", "Y", "Z", "V"}, file(kind, ".exr"), true);
  });
}

}  // namespace mote::synth

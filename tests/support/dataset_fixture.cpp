#include "dataset_fixture.h"

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <array>
#include <cmath>
#include <fstream>
#include <glm/gtc/quaternion.hpp>
#include <nlohmann/json.hpp>
#include <numbers>

#include "backend/backend.h"
#include "core/error.h"
#include "core/random.h"
#include "devices/devices.h"
#include "io/images/image_files.h"
#include "support/files/stored_png.h"

namespace mote {

namespace fs = std::filesystem;

SplatCloud tiny_cloud(const TinyDataset& tiny) {
  Random random(tiny.seed);
  SplatCloud cloud(static_cast<std::size_t>(tiny.splats), 0);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const auto set = [&](int field, double low, double high) {
      cloud.at(i, static_cast<Field>(field)) = static_cast<float>(random.uniform(low, high));
    };
    for (int axis = 0; axis < 3; ++axis) {
      set(axis, -1, 1);
      set(3 + axis, -2.6, -1.4);
      cloud.sh(i, 0, axis) = static_cast<float>(random.uniform(-1.6, 1.6));
    }
    for (int k = 0; k < 4; ++k) set(6 + k, -1, 1);
    cloud.at(i, Field::logit_opacity) = static_cast<float>(random.uniform(1, 5));
  }
  return cloud;
}

std::vector<View> tiny_views(const TinyDataset& tiny) {
  std::vector<View> views;
  for (int i = 0; i < tiny.views; ++i) {
    const double angle = 2 * std::numbers::pi * i / tiny.views;
    Camera camera;
    camera.width = tiny.width;
    camera.height = tiny.height;
    camera.focal_px = glm::dvec2(1.2 * tiny.height);
    camera.center_px = 0.5 * glm::dvec2(tiny.width, tiny.height);
    look_at(camera, {4 * std::cos(angle), 1.5 * std::sin(3 * angle), 4 * std::sin(angle)},
            {0, 0, 0}, {0, -1, 0});
    views.push_back({fmt::format("view_{:02}", i), camera});
  }
  return views;
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

void make_moving_tiny_dataset(const fs::path& folder) {
  using nlohmann::json;
  make_tiny_dataset(folder);
  json frames = json::array();
  double time_s = 0;
  for (const View& view : tiny_views()) {
    const Camera& camera = view.camera;
    const glm::dmat3 turn = glm::transpose(camera.cam_from_world);
    const glm::dvec3 place = camera.position_world();
    json matrix = json::array();
    for (int row = 0; row < 3; ++row) {
      matrix.push_back({turn[0][row], -turn[1][row], -turn[2][row], place[row]});
    }
    matrix.push_back({0, 0, 0, 1});
    frames.push_back({{"file_path", "images/" + view.name + ".png"},
                      {"transform_matrix", matrix},
                      {"fl_x", camera.focal_px.x},
                      {"fl_y", camera.focal_px.y},
                      {"cx", camera.center_px.x},
                      {"cy", camera.center_px.y},
                      {"w", camera.width},
                      {"h", camera.height},
                      {"time", time_s += 0.05}});
  }
  fs::remove_all(folder / "sparse");
  write_bytes(folder / "transforms.json", json{{"frames", frames}}.dump());
}

void write_colmap_text(const fs::path& model, const std::vector<View>& views,
                       const std::string& extension) {
  std::string cameras = "# Camera list\n", images = "# Image list\n";
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Camera& c = views[i].camera;
    const glm::dquat q = glm::quat_cast(c.cam_from_world);
    cameras += fmt::format("{} PINHOLE {} {} {} {} {} {}\n", i + 1, c.width, c.height, c.focal_px.x,
                           c.focal_px.y, c.center_px.x, c.center_px.y);
    images += fmt::format("{} {} {} {} {} {} {} {} {} {}{}\n\n", i + 1, q.w, q.x, q.y, q.z,
                          c.translation.x, c.translation.y, c.translation.z, i + 1, views[i].name,
                          extension);
  }
  write_bytes(model / "cameras.txt", cameras);
  write_bytes(model / "images.txt", images);
  write_bytes(model / "points3D.txt", "# 3D point list\n");
}

void make_tiny_dataset(const fs::path& folder, const TinyDataset& tiny) {
  const std::vector<View> views = tiny_views(tiny);
  const SplatCloud cloud = tiny_cloud(tiny);
  write_colmap_text(folder / "sparse/0", views);
  std::string points = "# 3D point list\n";
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    std::array<int, 3> rgb;
    for (int c = 0; c < 3; ++c) {
      const double value = 0.5 + 0.28209479177387814 * static_cast<double>(cloud.sh(i, 0, c));
      rgb[static_cast<std::size_t>(c)] = static_cast<int>(std::lround(255 * value));
    }
    points +=
        fmt::format("{} {} {} {} {} {} {} 0.5 1 0\n", i + 1, cloud.at(i, Field::mean_x),
                    cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z), rgb[0], rgb[1], rgb[2]);
  }
  write_bytes(folder / "sparse/0/points3D.txt", points);
  fs::create_directories(folder / "images");
  const auto backend = make_backend("cpu", {});
  const auto scene = backend->upload(tiny_cloud(tiny));
  Frame frame;
  for (const View& view : views) {
    backend->render(*scene, view.camera, {}, frame);
    write_png(frame.rgb, folder / "images" / (view.name + ".png"));
  }
}

Image pattern_image(int width, int height, int channels, std::uint32_t seed) {
  Image image;
  image.resize_discard(width, height, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float* pixel = image.row(y) + x * channels;
      for (int c = 0; c < channels; ++c) {
        const double phase = 0.3 * (c + 1) * x + 0.2 * (c + 2) * y + seed;
        pixel[c] = static_cast<float>(0.5 + 0.4 * std::sin(phase));
      }
    }
  }
  return image;
}

std::string jpeg_bytes(int width, int height, std::uint32_t seed) {
  const Image image = pattern_image(width, height, 3, seed);
  std::string pixels;
  for (const float value : image.pixels.span()) {
    pixels.push_back(static_cast<char>(std::lround(255 * value)));
  }
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const tjhandle encoder = tjInitCompress();
  const int fault = tjCompress2(encoder, reinterpret_cast<const unsigned char*>(pixels.data()),
                                width, 0, height, TJPF_RGB, &bytes, &size, TJSAMP_420, 90, 0);
  CHECK(fault == 0);
  std::string result(reinterpret_cast<const char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(encoder);
  return result;
}

void write_png16(const fs::path& path, int width, int height, int channels, std::uint32_t seed) {
  constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  const Image image = pattern_image(width, height, channels, seed);
  StoredPng stored{.depth = 16, .color_type = kColorTypes[channels - 1]};
  stored.pixels.resize_discard(width, height, 2 * channels);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      const auto value = static_cast<unsigned>(std::lround(65535 * image.row(y)[i]));
      stored.pixels.row(y)[2 * i] = static_cast<std::uint8_t>(value >> 8);
      stored.pixels.row(y)[2 * i + 1] = static_cast<std::uint8_t>(value & 255);
    }
  }
  write_bytes(path, png_bytes(stored));
}

}  // namespace mote

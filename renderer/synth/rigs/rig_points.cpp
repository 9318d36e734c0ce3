#include "synth/rigs/rig_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <glm/geometric.hpp>
#include <numeric>
#include <utility>

#include "io/images/own_file.h"
#include "io/npy.h"

namespace mote::synth {
namespace {

constexpr int kTracks = 1000;

void append_float(std::string& text, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) {
    text.push_back(static_cast<char>((bits >> shift) & 0xffu));
  }
}

}  // namespace

void RigPoints::pick(const RigPicture& picture, const SceneMotion& motion, double time_s,
                     int count) {
  std::vector<std::uint32_t> places(picture.centers.size());
  std::iota(places.begin(), places.end(), 0u);
  const std::size_t most = std::min(places.size(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < most; ++i) {
    const auto left = static_cast<std::uint32_t>(places.size() - i);
    std::swap(places[i], places[i + random_.below(left)]);
    const std::uint32_t place = places[i];
    const Pixel& pixel = picture.centers[place];
    if (!(pixel.depth > 0)) continue;
    Point point{
        pixel.position, motion.velocity(pixel).value_or(vec3(0)), static_cast<float>(time_s), {}};
    for (std::size_t c = 0; c < 3; ++c) {
      const float value = picture.color.pixels.data()[std::size_t{3} * place + c];
      point.color[c] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f)));
    }
    points_.push_back(point);
  }
}

void RigPoints::write(const std::filesystem::path& path) const {
  OutputFile file(path, own_file(path, true));
  std::string text =
      "ply\nformat binary_little_endian 1.0\ncomment Software: Mote\nelement vertex " +
      std::to_string(points_.size()) + "\n";
  for (const char* name : {"x", "y", "z"}) text += std::string("property float ") + name + "\n";
  for (const char* name : {"red", "green", "blue"}) {
    text += std::string("property uchar ") + name + "\n";
  }
  for (const char* name : {"time_s", "velocity_x", "velocity_y", "velocity_z"}) {
    text += std::string("property float ") + name + "\n";
  }
  text += "end_header\n";
  for (const Point& point : points_) {
    for (int axis = 0; axis < 3; ++axis) append_float(text, point.position[axis]);
    for (const std::uint8_t value : point.color) text.push_back(static_cast<char>(value));
    append_float(text, point.time_s);
    for (int axis = 0; axis < 3; ++axis) append_float(text, point.velocity[axis]);
  }
  file.write(text);
  file.commit();
}

SurfaceTracks::SurfaceTracks(const Scene& scene, const std::vector<bool>& moves,
                             std::uint32_t seed) {
  const Mesh& mesh = scene.mesh;
  std::vector<std::uint32_t> moving;
  std::vector<double> areas;  // summed up to each of them
  double sum = 0;
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    if (!(moves[a] || moves[b] || moves[c])) continue;
    const vec3 p = mesh.positions[a];
    sum +=
        static_cast<double>(glm::length(glm::cross(mesh.positions[b] - p, mesh.positions[c] - p)));
    moving.push_back(i);
    areas.push_back(sum);
  }
  Random random(seed, 43);
  for (int i = 0; i < kTracks && sum > 0; ++i) {
    const double at = random.uniform(0, sum);
    const auto found = std::ranges::lower_bound(areas, at);
    const auto index = static_cast<std::size_t>(std::min<std::ptrdiff_t>(
        found - areas.begin(), static_cast<std::ptrdiff_t>(areas.size()) - 1));
    auto u = static_cast<float>(random.uniform()), v = static_cast<float>(random.uniform());
    if (u + v > 1) u = 1 - u, v = 1 - v;
    places_.push_back({moving[index], {1 - u - v, u, v}});
  }
}

void SurfaceTracks::add(const Scene& scene) {
  ++frames_;
  for (const Place& place : places_) {
    const auto& corners = scene.mesh.triangles[place.triangle];
    vec3 position(0);
    for (int k = 0; k < 3; ++k) {
      position += place.weights[k] * scene.mesh.positions[corners[static_cast<std::size_t>(k)]];
    }
    for (int axis = 0; axis < 3; ++axis) values_.push_back(static_cast<double>(position[axis]));
  }
}

void SurfaceTracks::write(const std::filesystem::path& path, Existing existing) const {
  write_npy({.shape = {frames_, places_.size(), 3}, .values = values_}, path, existing);
}

}  // namespace mote::synth

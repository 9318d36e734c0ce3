#pragma once

// Small files of moving splats of other programs, for tests. The encoders share no code with the
// readers.

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "splats/splat_cloud.h"
#include "support/files/file_bytes.h"

namespace mote {

/// A .splatv of one splat at (1, 2, 3), and one without opacity.
inline std::string splatv_sample() {
  const std::string list = R"([{"type":"splat","size":128,"texwidth":4,"texheight":2}])";
  std::string bytes = packed(std::uint32_t{0x674b}, static_cast<std::uint32_t>(list.size())) + list;
  // Halves: 0x3c00 is 1, 0x3800 0.5, 0x4000 2.
  bytes += packed(1.0f, 2.0f, 3.0f, std::uint32_t{0x00003c00}, std::uint32_t{0},
                  std::uint32_t{0x40003800}, std::uint32_t{0x3c00}, std::uint32_t{0x80ff00ff},
                  std::uint32_t{0x38003c00}, std::uint32_t{0x4000}, std::uint32_t{0},
                  std::uint32_t{0}, std::uint32_t{0x3c00}, std::uint32_t{0x3800},
                  std::uint32_t{0x40000000}, std::uint32_t{0x3c003800});
  return bytes + std::string(64, '\0');
}

/// The rows of a .ply by the names of its properties.
class PlyRows {
 public:
  explicit PlyRows(std::size_t count) : rows_(count) {}

  /// value(splat): of the property.
  void add(const std::string& name, const auto& value) {
    properties_ += "property float " + name + "\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] += packed(static_cast<float>(value(i)));
  }
  void add(const std::string& name, const SplatCloud& cloud, Field field) {
    add(name, [&](std::size_t i) { return cloud.at(i, field); });
  }
  /// NAME0, NAME1, ... for the fields from `first` on.
  void add(const std::string& name, const SplatCloud& cloud, Field first, int count) {
    for (int k = 0; k < count; ++k) {
      add(name + std::to_string(k), cloud, static_cast<Field>(static_cast<int>(first) + k));
    }
  }
  std::string file(const std::string& comments = {}) const {
    std::string text = "ply\nformat binary_little_endian 1.0\n" + comments + "element vertex " +
                       std::to_string(rows_.size()) + "\n" + properties_ + "end_header\n";
    for (const std::string& row : rows_) text += row;
    return text;
  }

 private:
  std::string properties_;
  std::vector<std::string> rows_;
};

inline void add_places(PlyRows& rows, const SplatCloud& cloud) {
  rows.add("x", cloud, Field::mean_x);
  rows.add("y", cloud, Field::mean_y);
  rows.add("z", cloud, Field::mean_z);
}

/// A .ply of Spacetime Gaussians of a cloud with the motion `poly`, whose seconds are taken for
/// shares. The lite model has the colours of degree 0, the `full` one the first three coefficients
/// as features.
inline std::string stg_file(const SplatCloud& cloud, bool full = false) {
  PlyRows rows(cloud.count());
  add_places(rows, cloud);
  rows.add("trbf_center", cloud, Field::time_mean);
  rows.add("trbf_scale", [&](std::size_t i) {
    return std::log(std::sqrt(2.0) * std::exp(double{cloud.at(i, Field::log_time_sigma)}));
  });
  for (const char* name : {"nx", "ny", "nz"}) rows.add(name, [](std::size_t) { return 0; });
  rows.add("motion_", cloud, Field::velocity_x, 9);
  for (int k = 0; k < (full ? 6 : 3); ++k) {
    rows.add("f_dc_" + std::to_string(k), [&](std::size_t i) {
      const double value = cloud.sh(i, k / 3, k % 3);
      return full ? value : 0.5 + 0.28209479177 * value;
    });
  }
  rows.add("opacity", cloud, Field::logit_opacity);
  rows.add("scale_", cloud, Field::log_scale_x, 3);
  rows.add("rot_", cloud, Field::rotation_w, 4);
  rows.add("omega_", cloud, Field::spin_w, 4);
  for (int c = 0; c < 3 && full; ++c) {
    rows.add("f_t_" + std::to_string(c), [&](std::size_t i) { return cloud.sh(i, 2, c); });
  }
  return rows.file();
}

/// The difference of a value, mean_x to rotation_z, of a frame of delta_file().
inline double delta_of(std::size_t frame, std::size_t splat, int value) {
  return 0.3 * std::sin(1.7 * static_cast<double>(splat) + 0.9 * value) *
         static_cast<double>(frame + 1);
}

/// A .ply of Brush: `splats`, a .ply of `count` splats, with the differences of frames.
/// `with_bytes`: of positions in bytes, the others in 16 bits.
inline std::string delta_file(const std::string& splats, std::size_t count, std::size_t frames,
                              bool with_bytes = false) {
  constexpr const char* kNames[] = {"x",       "y",     "z",     "scale_0", "scale_1",
                                    "scale_2", "rot_0", "rot_1", "rot_2",   "rot_3"};
  const auto element = [&](const std::string& name, std::size_t row_count, bool as_whole) {
    std::string text = "element " + name + " " + std::to_string(row_count) + "\n";
    for (int k = 0; k < 10; ++k) {
      const std::string type = !as_whole ? "float" : k < 3 ? "uchar" : "ushort";
      text += "property " + type + " " + kNames[k] + "\n";
    }
    return text;
  };
  std::string elements, rows;
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const std::string number = std::to_string(frame);
    elements += element("meta_delta_min_" + number, 1, false) +
                element("meta_delta_max_" + number, 1, false) +
                element("delta_vertex_" + number, count, with_bytes);
    const double most = 0.3 * static_cast<double>(frame + 1);
    for (int k = 0; k < 10; ++k) rows += packed(static_cast<float>(-most));
    for (int k = 0; k < 10; ++k) rows += packed(static_cast<float>(most));
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < 10; ++k) {
        const double share = (delta_of(frame, i, k) + most) / (2 * most);
        if (!with_bytes) rows += packed(static_cast<float>(share));
        if (with_bytes && k < 3) rows += packed(static_cast<std::uint8_t>(254 * share + 0.5));
        if (with_bytes && k >= 3) rows += packed(static_cast<std::uint16_t>(65534 * share + 0.5));
      }
    }
  }
  const std::size_t end = splats.find("end_header");
  return splats.substr(0, end) + elements + splats.substr(end) + rows;
}

inline std::string ftgs_comments(int frames = 0, bool moves = true) {
  return "comment ftgs_version 1\ncomment time_units normalized\ncomment sh_degree 1\n"
         "comment use_velocity " +
         std::to_string(moves ? 1 : 0) +
         "\ncomment min_duration 0.02\ncomment opacity_floor 0.0001\n" +
         (frames > 0 ? "comment n_frames " + std::to_string(frames) + "\n" : "");
}

/// A .ftgs.ply of a cloud with the motion `life` and harmonics of degree 1, whose seconds are taken
/// for shares.
inline std::string ftgs_file(const SplatCloud& cloud, const std::string& comments) {
  PlyRows rows(cloud.count());
  add_places(rows, cloud);
  for (int c = 0; c < 3; ++c) {
    rows.add("f_dc_" + std::to_string(c), [&](std::size_t i) { return cloud.sh(i, 0, c); });
  }
  for (int k = 0; k < 9; ++k) {
    rows.add("f_rest_" + std::to_string(k),
             [&](std::size_t i) { return cloud.sh(i, 1 + k % 3, k / 3); });
  }
  rows.add("opacity", cloud, Field::logit_opacity);
  rows.add("scale_", cloud, Field::log_scale_x, 3);
  rows.add("rot_", cloud, Field::rotation_w, 4);
  rows.add("time", cloud, Field::time_mean);
  rows.add("log_duration", cloud, Field::log_time_sigma);
  rows.add("velocity_", cloud, Field::velocity_x, 3);
  return rows.file(comments);
}

}  // namespace mote

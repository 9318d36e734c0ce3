#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "io/splats/scene_format.h"
#include "random_cloud.h"

namespace mote {

/// One frame of make_sequence(): a cloud shifted along x.
inline SplatCloud sequence_frame(int frame, std::size_t splats = 200, int sh_degree = 1) {
  SplatCloud cloud = random_cloud(splats, sh_degree, 7);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::mean_x) += 0.25f * static_cast<float>(frame);
  }
  return cloud;
}

/// Creates the folder and writes frame_00.ply, frame_01.ply, ... into it.
inline void make_sequence(const std::filesystem::path& folder, int frames,
                          std::size_t splats = 200) {
  std::filesystem::create_directories(folder);
  for (int i = 0; i < frames; ++i) {
    save_scene(sequence_frame(i, splats), folder / fmt::format("frame_{:02}.ply", i));
  }
}

}  // namespace mote

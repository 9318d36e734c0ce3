#pragma once

#include <filesystem>

#include "core/parallel.h"
#include "io/splats/scene_format.h"
#include "synth/swarm.h"

namespace mote {

/// Writes a scene of 20,000 splats over 20 s, of which few live at a time.
inline void write_swarm(const std::filesystem::path& file) {
  ThreadPool pool(2);
  save_scene(synth::make_swarm({.splats = 20000, .duration_s = 20, .static_share = 0.05}, pool,
                               [](double) {}),
             file);
}

}  // namespace mote

#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "splats/splat_cloud.h"

namespace mote {

/// Writes a .ply of `count` splats of the form of `like`, completely or not at all, without holding
/// all of them. part(i) gives some splats from the i-th on, at least one. The bytes are those of
/// save_scene() of all splats together. Throws Error if the file cannot be written.
void save_ply_parts(const std::filesystem::path& path, const SplatCloud& like, std::size_t count,
                    const std::function<SplatCloud(std::size_t first)>& part);

}  // namespace mote

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"
#include "scene/splat_cloud.h"

namespace mote {

/// A small dataset of splats that are known, seen from a ring of cameras.
struct TinyDataset {
  int views = 12, width = 64, height = 48;  // px
  int splats = 60;
  std::uint32_t seed = 1;
};

/// The splats that make_tiny_dataset() renders: round a unit cube about the origin, SH degree 0.
SplatCloud tiny_cloud(const TinyDataset& tiny = {});

/// The cameras of make_tiny_dataset(): named view_00, view_01, ..., all looking at the origin from
/// about 4 units away.
std::vector<View> tiny_views(const TinyDataset& tiny = {});

/// Writes `folder`/images/view_00.png, ... rendered on black by the CPU backend, and their exact
/// poses with the splats' centres as points in COLMAP's text form (`folder`/sparse/0). Makes the
/// folder.
void make_tiny_dataset(const std::filesystem::path& folder, const TinyDataset& tiny = {});

/// Writes a COLMAP text model with one PINHOLE camera a view and no points into `model`; image
/// names are those of the views with `extension`.
void write_colmap_text(const std::filesystem::path& model, const std::vector<View>& views,
                       const std::string& extension = ".png");

/// An image of coloured stripes and a gradient that differs with `seed`; `channels` 1 to 4, the
/// last of 2 and 4 being alpha.
Image pattern_image(int width, int height, int channels, std::uint32_t seed);

/// A JPEG with that in its three channels, as a camera writes it (4:2:0).
std::string jpeg_bytes(int width, int height, std::uint32_t seed);

/// Writes pattern_image() with 16 bits a channel.
void write_png16(const std::filesystem::path& path, int width, int height, int channels,
                 std::uint32_t seed);

/// Makes the folders above, then the file.
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace mote

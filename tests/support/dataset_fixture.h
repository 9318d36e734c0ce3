#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"
#include "splats/splat_cloud.h"

namespace mote {

/// A small dataset of known splats, seen from a ring of cameras.
struct TinyDataset {
  int views = 12, width = 64, height = 48;  // px
  int splats = 60;
  std::uint32_t seed = 1;
};

/// The splats of make_tiny_dataset(): in about a unit cube around the origin, SH degree 0.
SplatCloud tiny_cloud(const TinyDataset& tiny = {});

/// The cameras of make_tiny_dataset(): view_00, view_01, ... They look at the origin from about 4
/// units away.
std::vector<View> tiny_views(const TinyDataset& tiny = {});

/// Creates the folder and writes `folder`/images/view_00.png, ... and a COLMAP text model in
/// `folder`/sparse/0. The CPU backend renders the images on black. The poses are exact; the points
/// are the centers of the splats.
void make_tiny_dataset(const std::filesystem::path& folder, const TinyDataset& tiny = {});

/// The same with a transforms.json in place of the COLMAP model: the photographs are taken 0.05 s
/// one after another.
void make_moving_tiny_dataset(const std::filesystem::path& folder);

/// Writes a COLMAP text model into `model`, with one PINHOLE camera per view and no points. Image
/// names are the views' names with `extension`.
void write_colmap_text(const std::filesystem::path& model, const std::vector<View>& views,
                       const std::string& extension = ".png");

/// An image of coloured stripes and a gradient that depends on `seed`. `channels` is 1 to 4; the
/// last of 2 or 4 channels is alpha.
Image pattern_image(int width, int height, int channels, std::uint32_t seed);

/// A JPEG of pattern_image() with three channels and 4:2:0 subsampling, as cameras write it.
std::string jpeg_bytes(int width, int height, std::uint32_t seed);

/// Writes pattern_image() with 16 bits per channel.
void write_png16(const std::filesystem::path& path, int width, int height, int channels,
                 std::uint32_t seed);

/// Creates the parent folders and writes the file.
void write_bytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace mote

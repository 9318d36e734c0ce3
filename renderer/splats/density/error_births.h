#pragma once

// Places of new splats where a picture differs from its photograph: where a scene has no points, no
// splat is there to be copied. After the guided sampling of Spacetime Gaussians (Li et al. 2024),
// which adds splats along the rays of pixels with large errors.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"

namespace mote {

/// A picture of the splats and the photograph of the same view, all at the camera's size.
struct ErrorPicture {
  const Camera& camera;
  const Image& rgb;           // [h][w][3], of the splats
  const Image& alpha;         // [h][w][1]
  const Image& depth_median;  // [h][w][1], view z; 0 where alpha is below one half
  const Image& truth;         // [h][w][3], of the photograph
  const Image& weight;        // [h][w][1]; pixels below one half do not count; empty: all count
};

struct BirthPlace {
  glm::dvec3 position_world;
  double size_world;            // the side of a cell of pixels at that depth
  std::array<double, 3> color;  // of the photograph
};

/// Side of a cell of pixels.
inline constexpr int kBirthCell_px = 8;
/// The error of a pixel is the sum of the absolute differences of its channels. Cells with a
/// smaller mean error than this have no births, nor have those below twice the mean of the picture.
inline constexpr double kLeastBirthError = 0.06;
/// Depths differ from those of the picture by up to this share.
inline constexpr double kBirthDepthShare = 0.1;

/// At most `count` places: none without such a cell, and fewer if the picture has no depth. Cells
/// are drawn in proportion to their error. A place lies on the ray of a random pixel of its cell:
/// near the median depth there, or, where alpha is up to one half, near that of another pixel.
/// Depends on the seed and the arguments only.
std::vector<BirthPlace> error_births(const ErrorPicture& picture, std::size_t count,
                                     std::uint64_t seed);

}  // namespace mote

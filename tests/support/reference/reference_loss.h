#pragma once

// L1 + D-SSIM in double precision by definition, as the reference for the loss kernels: the whole
// 11x11 window at every pixel, and SSIM as the quotient in Wang et al. 2004.

#include <array>
#include <cstdint>
#include <vector>

namespace mote {

struct ReferenceLossInput {
  int width = 0, height = 0;
  std::vector<double> rendered;     // [h][w][3], before exposure
  std::vector<std::uint8_t> photo;  // [h][w][channels]
  int channels = 3;                 // 4: straight alpha, composed over `background`
  std::vector<std::uint8_t> mask;   // [h][w] or empty
  std::array<double, 3> background{0, 0, 0};
  std::array<double, 12> exposure{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  double ssim_weight = 0.2;
};

struct ReferenceLoss {
  double weights = 0;                          // sum over the pixels
  double absolute = 0, ssim = 0, squared = 0;  // weighted sums over pixels and channels
  double loss = 0;                             // of the means
};

ReferenceLoss reference_loss(const ReferenceLossInput& input);

struct ReferenceLossGradient {
  double loss = 0;
  std::vector<double> rendered;  // dL/d rendered, [h][w][3]
  std::array<double, 12> exposure{};
  std::array<double, 3> background_of_target{};  // through the photograph's alpha
};

/// The gradient in double precision, with the template of math/ssim.h and whole windows.
ReferenceLossGradient reference_loss_gradient(const ReferenceLossInput& input);

/// The compared pictures, [h][w][3]: the rendered one after exposure, and the photograph over the
/// background.
std::vector<double> exposed_picture(const ReferenceLossInput& input);
std::vector<double> target_picture(const ReferenceLossInput& input);

/// SSIM at every pixel of two pictures, [h][w][3]; pixels outside are zero.
std::vector<double> reference_ssim(int width, int height, const std::vector<double>& x,
                                   const std::vector<double>& y);

}  // namespace mote

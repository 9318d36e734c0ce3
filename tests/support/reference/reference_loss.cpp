#include "reference_loss.h"

#include <cmath>
#include <cstddef>

#include "math/ssim.h"

namespace mote {

std::vector<double> exposed_picture(const ReferenceLossInput& in) {
  std::vector<double> x(in.rendered.size());
  for (std::size_t i = 0; i < x.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      x[i + c] = in.exposure[c * 4 + 3];
      for (std::size_t k = 0; k < 3; ++k) x[i + c] += in.exposure[c * 4 + k] * in.rendered[i + k];
    }
  }
  return x;
}

std::vector<double> target_picture(const ReferenceLossInput& in) {
  std::vector<double> y(in.rendered.size());
  const auto channels = static_cast<std::size_t>(in.channels);
  for (std::size_t pixel = 0; pixel < y.size() / 3; ++pixel) {
    const std::uint8_t* p = &in.photo[pixel * channels];
    const double alpha = in.channels == 4 ? p[3] / 255.0 : 1.0;
    for (std::size_t c = 0; c < 3; ++c) {
      y[pixel * 3 + c] = alpha * p[c] / 255.0 + (1 - alpha) * in.background[c];
    }
  }
  return y;
}

std::vector<double> reference_ssim(int width, int height, const std::vector<double>& x,
                                   const std::vector<double>& y) {
  double kernel[11], sum = 0;
  for (int i = 0; i < 11; ++i) sum += kernel[i] = std::exp(-(i - 5) * (i - 5) / (2 * 1.5 * 1.5));
  for (double& k : kernel) k /= sum;
  const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
  std::vector<double> ssim(x.size());
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      for (std::size_t c = 0; c < 3; ++c) {
        double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
        for (int j = -5; j <= 5; ++j) {
          for (int i = -5; i <= 5; ++i) {
            const int r = row + j, q = column + i;
            if (r < 0 || r >= height || q < 0 || q >= width) continue;
            const std::size_t at = static_cast<std::size_t>(r * width + q) * 3 + c;
            const double w = kernel[j + 5] * kernel[i + 5];
            mx += w * x[at], my += w * y[at];
            xx += w * x[at] * x[at], yy += w * y[at] * y[at], xy += w * x[at] * y[at];
          }
        }
        const double sxx = xx - mx * mx, syy = yy - my * my, sxy = xy - mx * my;
        ssim[static_cast<std::size_t>(row * width + column) * 3 + c] =
            (2 * mx * my + c1) * (2 * sxy + c2) / ((mx * mx + my * my + c1) * (sxx + syy + c2));
      }
    }
  }
  return ssim;
}

ReferenceLoss reference_loss(const ReferenceLossInput& in) {
  const std::vector<double> x = exposed_picture(in), y = target_picture(in);
  const std::vector<double> ssim = reference_ssim(in.width, in.height, x, y);
  ReferenceLoss sums;
  for (std::size_t pixel = 0; pixel < x.size() / 3; ++pixel) {
    const double weight = in.mask.empty() ? 1.0 : in.mask[pixel] / 255.0;
    sums.weights += weight;
    for (std::size_t i = pixel * 3; i < pixel * 3 + 3; ++i) {
      const double difference = x[i] - y[i];
      sums.absolute += weight * std::abs(difference);
      sums.squared += weight * difference * difference;
      sums.ssim += weight * ssim[i];
    }
  }
  const double values = 3 * sums.weights;
  sums.loss =
      (1 - in.ssim_weight) * sums.absolute / values + in.ssim_weight * (1 - sums.ssim / values);
  return sums;
}

namespace {

/// visit(neighbour, weight) for the window's pixels inside the image.
void for_window(int width, int height, std::size_t pixel, auto&& visit) {
  const int row = static_cast<int>(pixel) / width, column = static_cast<int>(pixel) % width;
  for (int j = -kSsimRadius; j <= kSsimRadius; ++j) {
    for (int i = -kSsimRadius; i <= kSsimRadius; ++i) {
      const int r = row + j, c = column + i;
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      visit(static_cast<std::size_t>(r * width + c),
            kSsimWeights[std::abs(i)] * kSsimWeights[std::abs(j)]);
    }
  }
}

}  // namespace

ReferenceLossGradient reference_loss_gradient(const ReferenceLossInput& in) {
  const std::vector<double> x = exposed_picture(in), y = target_picture(in);
  const ReferenceLoss sums = reference_loss(in);
  const double scale = 1 / (3 * sums.weights);
  ReferenceLossGradient result;
  result.loss = sums.loss;
  result.rendered.assign(x.size(), 0.0);
  std::vector<double> d_x(x.size()), d_y(x.size());
  for (std::size_t pixel = 0; pixel < x.size() / 3; ++pixel) {
    const double weight = scale * (in.mask.empty() ? 1.0 : in.mask[pixel] / 255.0);
    for (std::size_t c = 0; c < 3; ++c) {
      const double a = x[pixel * 3 + c], b = y[pixel * 3 + c];
      const double l1 = (1 - in.ssim_weight) * weight * (a > b ? 1 : a < b ? -1 : 0);
      d_x[pixel * 3 + c] += l1;
      d_y[pixel * 3 + c] -= l1;
      SsimMoments<double> m{0, 0, 0, 0};
      for_window(in.width, in.height, pixel, [&](std::size_t at, double w) {
        const double p = x[at * 3 + c], q = y[at * 3 + c];
        m.mean_x += w * p, m.mean_y += w * q;
        m.squares += w * (p * p + q * q), m.difference += w * (p - q) * (p - q);
      });
      const SsimMoments<double> d = ssim_of(m).d;
      const double d_ssim = -in.ssim_weight * weight;
      for_window(in.width, in.height, pixel, [&](std::size_t at, double w) {
        const double p = x[at * 3 + c], q = y[at * 3 + c];
        d_x[at * 3 + c] += d_ssim * w * (d.mean_x + 2 * p * d.squares + 2 * (p - q) * d.difference);
        d_y[at * 3 + c] += d_ssim * w * (d.mean_y + 2 * q * d.squares - 2 * (p - q) * d.difference);
      });
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t pixel = i / 3, c = i % 3;
    for (std::size_t k = 0; k < 3; ++k) {
      result.exposure[c * 4 + k] += d_x[i] * in.rendered[pixel * 3 + k];
      result.rendered[pixel * 3 + k] += d_x[i] * in.exposure[c * 4 + k];
    }
    result.exposure[c * 4 + 3] += d_x[i];
    if (in.channels == 4) {
      result.background_of_target[c] += d_y[i] * (1 - in.photo[pixel * 4 + 3] / 255.0);
    }
  }
  return result;
}

}  // namespace mote

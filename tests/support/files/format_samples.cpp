#include "format_samples.h"

#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "io/splats/scene_format.h"

namespace mote::samples {
namespace {

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

Field field(int index) {
  return static_cast<Field>(index);
}

}  // namespace

float uniform(std::mt19937& random, float low, float high) {
  return low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24f;
}

SplatCloud random_cloud(std::size_t count, int sh_degree, unsigned seed) {
  std::mt19937 random(seed);
  SplatCloud cloud(count, sh_degree);
  for (std::size_t i = 0; i < count; ++i) {
    float squares = 0;
    for (int a = 0; a < 3; ++a) {
      cloud.at(i, field(a)) = uniform(random, -3, 3);
      cloud.at(i, field(3 + a)) = uniform(random, -7, -1);
    }
    for (int f = 6; f < 10; ++f) {
      const float value = uniform(random, -1, 1);
      cloud.at(i, field(f)) = value;
      squares += value * value;
    }
    for (int f = 6; f < 10; ++f) cloud.at(i, field(f)) /= std::sqrt(squares);
    cloud.at(i, Field::logit_opacity) = uniform(random, -5, 5);
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      const float range = k == 0 ? 1.5f : 0.9f;
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = uniform(random, -range, range);
    }
  }
  return cloud;
}

TemporaryFile::TemporaryFile(const std::string& extension) {
  static std::atomic<int> number{0};
  path_ = std::filesystem::temp_directory_path() /
          ("mote-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + extension);
}

TemporaryFile::TemporaryFile(const std::string& content, const std::string& extension)
    : TemporaryFile(extension) {
  write(content);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void TemporaryFile::write(const std::string& content) const {
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
}

std::string TemporaryFile::read() const {
  std::ifstream stream(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string difference(const SplatCloud& expected, const SplatCloud& found,
                       const Tolerance& within) {
  std::ostringstream text;
  const auto differs = [&](float a, float b, float tolerance) {
    return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b) &&
           !(std::abs(a - b) <= tolerance);
  };
  if (expected.count() != found.count() || expected.sh_degree() != found.sh_degree() ||
      expected.antialiased != found.antialiased) {
    text << found.count() << " splats of degree " << found.sh_degree();
    return text.str();
  }
  for (std::size_t i = 0; i < expected.count(); ++i) {
    float dot = 0;
    for (int f = 6; f < 10; ++f) dot += expected.at(i, field(f)) * found.at(i, field(f));
    const float sign = within.rotation > 0 && dot < 0 ? -1.0f : 1.0f;
    for (int f = 0; f < kGaussianFields; ++f) {
      float a = expected.at(i, field(f)), b = found.at(i, field(f));
      float tolerance = f < 3 ? within.mean : f < 6 ? within.log_scale : within.rotation;
      if (f >= 6 && f < 10) b *= sign;
      if (f == 10 && within.opacity > 0) a = sigmoid(a), b = sigmoid(b);
      if (f == 10) tolerance = within.opacity;
      if (differs(a, b, tolerance)) {
        text << "splat " << i << " field " << f << ": expected " << a << ", found " << b;
        return text.str();
      }
    }
    for (int k = 0; k < expected.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        const float a = expected.sh(i, k, c), b = found.sh(i, k, c);
        if (differs(a, b, k == 0 ? within.dc : within.sh)) {
          text << "splat " << i << " SH " << k << ": expected " << a << ", found " << b;
          return text.str();
        }
      }
    }
  }
  return {};
}

SplatCloud load(const std::string& content) {
  return load_scene(TemporaryFile(content, ".splats").path());
}

Error error_of(const std::string& content) {
  try {
    load(content);
  } catch (const Error& error) {
    return error;
  }
  return Error("", "", "");
}

}  // namespace mote::samples

#include "backend/ray_choice.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "fields/chosen_rays.h"
#include "math/counter_random.h"
#include "math/display_curve.h"
#include "math/half.h"

namespace mote {
namespace {

constexpr std::uint64_t kExposureStream = 0x65787073;  // a stream of its own, for moving cameras

}  // namespace

RayChoice::RayChoice(const FieldStepRequest& request, const FieldPlacement& placement,
                     const ErrorMap* errors)
    : request_(request), errors_(errors) {
  float sum = 0;
  for (const FieldPhoto& photo : request.photographs) {
    cameras_.push_back(field_camera(placement, photo.camera));
    plain_cameras_.push_back(plain_camera<double>(cameras_.back()));
    if (errors_ == nullptr) continue;
    sum += errors_->chance(photo.number);
    cumulative_.push_back(sum);
  }
}

void RayChoice::choose(std::size_t first, std::span<ChosenRay> rays) const {
  CHECK(rays.size() <= kMostAtOnce);
  std::array<Pixel, kMostAtOnce> pixels;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    pixels[i] = choose_pixel(first + i);
    __builtin_prefetch(pixels[i].color);
    __builtin_prefetch(pixels[i].light);
    __builtin_prefetch(pixels[i].weight);
  }
  for (std::size_t i = 0; i < rays.size(); ++i) rays[i] = start(first + i, pixels[i]);
}

std::uint64_t RayChoice::bits(std::size_t ray, RayUse use) const {
  return ray_bits(request_.seed, ray, use);
}

/// The photograph of a number from 0 to 1, with a map of errors.
std::size_t RayChoice::mapped_photograph(float chosen) const {
  const auto found =
      std::upper_bound(cumulative_.begin(), cumulative_.end(), chosen * cumulative_.back());
  return std::min(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
}

RayChoice::Pixel RayChoice::choose_pixel(std::size_t ray) const {
  const auto below = [&](std::size_t count, RayUse use) {
    return static_cast<std::size_t>(random_below(count, bits(ray, use)));
  };
  const bool by_error = errors_ != nullptr && ray % 2 == 1;
  Pixel pixel;
  pixel.photograph = by_error ? mapped_photograph(unit_float(bits(ray, RayUse::photograph)))
                              : below(request_.photographs.size(), RayUse::photograph);
  const FieldPhoto& own = request_.photographs[pixel.photograph];
  const PhotoPixels& photo = *own.photo;
  const int width = photo.width(), height = photo.height();
  if (by_error) {
    const PhotoPlace place = errors_->place(own.number, bits(ray, RayUse::column));
    const auto along = [](float share, int size) {
      return std::min(static_cast<int>(share * static_cast<float>(size)), size - 1);
    };
    pixel.x = along(place.x, width);
    pixel.y = along(place.y, height);
  } else {
    pixel.x = static_cast<int>(below(static_cast<std::size_t>(width), RayUse::column));
    pixel.y = static_cast<int>(below(static_cast<std::size_t>(height), RayUse::row));
  }
  const int channels = photo.channels(), offset = pixel.x * channels;
  if (photo.is_linear()) {
    pixel.light = photo.light.row(pixel.y) + offset;
  } else {
    pixel.color = photo.color.row(pixel.y) + offset;
  }
  pixel.has_coverage = channels == 4;
  pixel.weight = photo.mask.pixels.empty() ? nullptr : photo.mask.row(pixel.y) + pixel.x;
  return pixel;
}

/// Sets coverage and target of a ray that has its background.
void RayChoice::set_target(const Pixel& pixel, ChosenRay& ray) {
  if (pixel.light != nullptr) {
    ray.coverage = pixel.has_coverage ? from_half(pixel.light[3]) : 1.0f;
    for (std::size_t c = 0; c < 3; ++c) {
      const float light = ray.coverage > 0 ? from_half(pixel.light[c]) / ray.coverage : 0;
      ray.target[c] =
          over_background(ray.coverage, unbounded_display_from_linear(light), ray.background[c]);
    }
    return;
  }
  ray.coverage = pixel.has_coverage ? unit_byte(pixel.color[3]) : 1.0f;
  for (std::size_t c = 0; c < 3; ++c) {
    ray.target[c] = over_background(ray.coverage, unit_byte(pixel.color[c]), ray.background[c]);
  }
}

ChosenRay RayChoice::start(std::size_t number, const Pixel& pixel) const {
  ChosenRay ray{};
  ray.photograph = static_cast<std::uint32_t>(pixel.photograph);
  const PhotoPixels& photo = *request_.photographs[pixel.photograph].photo;
  ray.place = {(static_cast<float>(pixel.x) + 0.5f) / static_cast<float>(photo.width()),
               (static_cast<float>(pixel.y) + 0.5f) / static_cast<float>(photo.height())};
  ray.weight = pixel.weight == nullptr ? 1.0f : unit_byte(*pixel.weight);
  for (std::size_t c = 0; c < 3; ++c) {
    ray.background[c] = request_.random_background
                            ? unit_float(ray_bits(request_.seed, number, RayUse::background, c))
                            : request_.background[c];
  }
  set_target(pixel, ray);
  if (ray.weight == 0) return ray;
  ray.jitter = unit_float(bits(number, RayUse::jitter));
  const FieldCamera& camera = cameras_[pixel.photograph];
  if (is_plain(camera.camera)) {
    const PlainRay<double> through =
        plain_ray(plain_cameras_[pixel.photograph], pixel.x + 0.5, pixel.y + 0.5);
    ray.origin = glm::vec3(camera.origin);
    ray.direction = glm::vec3(through.direction[0], through.direction[1], through.direction[2]);
    return ray;
  }
  const float exposure = unit_float(random_bits(request_.seed ^ kExposureStream, number));
  const auto through = camera.ray_through_lens(pixel.x + 0.5, pixel.y + 0.5, exposure);
  if (!through) {
    ray.weight = 0;
    return ray;
  }
  ray.origin = through->origin;
  ray.direction = through->direction;
  return ray;
}

}  // namespace mote

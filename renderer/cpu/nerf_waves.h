#pragma once

// Rays through a NeRF on the CPU. A wave takes the next samples of all rays that go on, so that
// each level of the grid serves many samples while it is in a cache, and few samples behind a
// surface are evaluated.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/cpu_encoding.h"
#include "cpu/field_parameters.h"
#include "cpu/field_times.h"
#include "cpu/for_each_part.h"
#include "cpu/kernels.h"
#include "fields/applications/nerf_layout.h"
#include "fields/marching.h"
#include "fields/neural_field.h"

namespace mote {

/// The parts of a NeRF that training does not change.
struct NerfShape {
  /// Throws Error if the CPU does not evaluate such a field.
  explicit NerfShape(const NeuralField& field);

  FieldConfig config;
  NerfLayout layout;
  std::vector<MlpLayer> density_layers, color_layers;
  EncodingShape encoding;
  float box_min, box_size;  // of the cube that the grid covers, on each axis
  /// Reach of the inner cube, if a contraction takes all of space into the cube; else 0.
  float contracted_reach;
  bool has_proposals() const { return contracted_reach > 0; }
  bool hdr;
  /// With a softplus of layout.soft_density: cells of the finest grid per length of the field.
  float soft_cells;
};

/// The samples that a wave has of a ray.
struct RaySegment {
  std::uint32_t first = 0, count = 0;
};

class NerfWaves {
 public:
  /// References must outlive this.
  NerfWaves(const NerfShape& shape, const CpuKernels& kernels, ThreadPool& pool);

  const NerfShape& shape() const { return shape_; }

  /// Sets the latents of rays and positions for which no others are given. At first they are 0.
  void show_latents(std::vector<float> latents) { latents_ = std::move(latents); }
  std::span<const float> latents() const { return latents_; }

  /// Makes space for rays and for the samples of their waves. Ends all earlier rays.
  void begin(std::size_t rays, std::size_t samples);
  /// Keeps the rays and forgets their samples.
  void forget_samples() { used_ = 0; }
  /// Starts a ray, `jitter` steps after it enters the box. `direction`: of length 1.
  void start(std::size_t ray, const MarchSettings& settings, const glm::vec3& origin,
             const glm::vec3& direction, float jitter) {
    start(ray, settings, origin, direction, jitter, latents_);
  }
  /// The same with latents, as many as the field has.
  void start(std::size_t ray, const MarchSettings& settings, const glm::vec3& origin,
             const glm::vec3& direction, float jitter, std::span<const float> latents);
  /// With proposals: starts a ray with these samples, which must be there until the ray has had
  /// them.
  void start(std::size_t ray, const glm::vec3& origin, const glm::vec3& direction,
             std::span<const RaySample> samples) {
    start(ray, origin, direction, samples, latents_);
  }
  void start(std::size_t ray, const glm::vec3& origin, const glm::vec3& direction,
             std::span<const RaySample> samples, std::span<const float> latents);
  /// Ray `to` becomes a copy of ray `from`.
  void move_ray(std::size_t from, std::size_t to);
  /// The next wave ends a ray where less light than `stop` should be left by the densities of the
  /// occupancy grid, if not before. `transmittance`: the light that is left now. Without a call,
  /// waves have as many samples of a ray as there are.
  void set_reach(std::size_t ray, float transmittance, float stop);
  /// Leaves the part of a ray, which has no samples yet, from distance `t` to `t_end`.
  void shorten(std::size_t ray, const MarchSettings& settings, float t, float t_end) {
    shorten_march(settings, t, t_end, marches_[ray]);
  }

  /// Upper bound on the samples of each ray in a wave of `rays` rays.
  static int samples_per_ray(std::size_t rays);
  /// Finds and evaluates up to `most` next samples of the rays `alive`, and writes where they are
  /// into `segments`. A ray without samples has left the field. Rays whose samples do not fit are
  /// marked by kNoSpace.
  void advance(FieldParameters tables, const OccupancyBits& occupancy,
               const MarchSettings& settings, std::span<const std::uint32_t> alive, int most,
               std::span<RaySegment> segments);
  static constexpr std::uint32_t kNoSpace = 0xffffffff;
  /// Whether the ray has left the field.
  bool is_done(std::size_t ray) const { return marches_[ray].done(); }

  /// Logarithms of the density at positions, for updates of the occupancy. Ends all rays.
  /// `position(i)` is in the field's frame; result i goes to take(i, log_density).
  template <class Position, class Take>
  void densities(FieldParameters tables, std::size_t count, const Position& position,
                 const Take& take);

  /// Colours at positions, seen along directions of length 1, for surfaces. Ends all rays.
  /// `position(i)` and `direction(i)` are in the field's frame; result i goes to take(i, color).
  template <class Position, class Direction, class Take>
  void radiance(FieldParameters tables, std::size_t count, const Position& position,
                const Direction& direction, const Take& take);

  /// The networks' kernel at the samples of all waves.
  NerfNetworkParams network_params(FieldParameters tables, bool with_color);

  /// Times of all waves.
  FieldTimes& times() { return times_; }

  // Those of all waves.
  std::size_t sample_count() const { return used_; }
  std::size_t stride() const { return stride_; }
  float* positions() { return positions_.data(); }  // [3][stride], from 0 to 1
  float* features() { return features_.data(); }    // [inputs of the network][stride]
  /// Positions and features.
  EncodedSamples samples() { return {positions_.data(), features_.data(), stride_}; }
  std::uint32_t* rays() { return rays_.data(); }        // [stride]
  const float* distances() const { return t_.data(); }  // [stride], along the ray
  const float* lengths() const { return dt_.data(); }   // [stride], of the samples
  const float* thickness() const { return raw_.data(); }
  const float* color(std::size_t channel) const { return raw_.data() + (channel + 1) * stride_; }
  const float* opacity() const { return alpha_.data(); }
  const float* directions() const { return directions_.data(); }  // [rays][direction_inputs]
  std::size_t memory_bytes() const;

 private:
  void find_samples(const OccupancyBits& occupancy, const MarchSettings& settings,
                    std::span<const std::uint32_t> alive, int most);
  std::size_t take_given(std::size_t ray, std::span<RaySample> out);
  void place(std::span<const std::uint32_t> alive, int most, std::span<RaySegment> segments);
  void evaluate(FieldParameters tables, bool with_color, std::size_t begin, std::size_t end);
  /// From the density network's outputs to logarithms of densities.
  void soften(std::size_t begin, std::size_t end);
  void set_position(std::size_t sample, Vec3<float> position);
  void set_direction(std::size_t ray, const glm::vec3& direction, std::span<const float> latents);

  const NerfShape& shape_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  std::vector<float> latents_;
  std::vector<RayMarch> marches_;
  std::vector<const RaySample*> given_;  // with proposals: the next samples of each ray
  std::vector<float> reach_;             // of the next wave, optical thickness of each ray
  Buffer<float> directions_;
  std::vector<RaySample> slots_;       // [alive][most]
  std::vector<std::uint32_t> counts_;  // [alive]: samples of each ray
  std::size_t stride_ = 0, used_ = 0;
  FieldTimes times_;
  Buffer<float> positions_, features_, t_, dt_, raw_, alpha_;
  Buffer<std::uint32_t> rays_;
};

template <class Position, class Take>
void NerfWaves::densities(FieldParameters tables, std::size_t count, const Position& position,
                          const Take& take) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  begin(0, count < kMost ? count : kMost);
  for (std::size_t first = 0; first < count; first += kMost) {
    const std::size_t own = count - first < kMost ? count - first : kMost;
    const std::size_t end = field_plane_stride(own);
    for_each_part(pool_, 0, end, kSamplePart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        set_position(i, i < own ? position(first + i) : Vec3<float>{0.5f, 0.5f, 0.5f});
      }
    });
    evaluate(tables, false, 0, end);
    for_each_part(pool_, 0, own, kSamplePart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) take(first + i, raw_[i]);
    });
  }
}

template <class Position, class Direction, class Take>
void NerfWaves::radiance(FieldParameters tables, std::size_t count, const Position& position,
                         const Direction& direction, const Take& take) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  for (std::size_t first = 0; first < count; first += kMost) {
    const std::size_t own = count - first < kMost ? count - first : kMost;
    begin(own, own);
    const std::size_t end = field_plane_stride(own);
    for_each_part(pool_, 0, end, kSamplePart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const std::size_t ray = i < own ? i : own - 1;
        set_position(i, position(first + ray));
        rays_[i] = static_cast<std::uint32_t>(ray);
        dt_[i] = 0;
        if (i < own) set_direction(i, direction(first + i), latents_);
      }
    });
    evaluate(tables, true, 0, end);
    for_each_part(pool_, 0, own, kSamplePart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        take(first + i, glm::vec3(color(0)[i], color(1)[i], color(2)[i]));
      }
    });
  }
}

}  // namespace mote

// Samples of rays: their light, the colours of the rays, and the gradients of both. A thread for
// each ray, which adds its samples in their order, or for each sample.

#include "cuda/kernels/fields/ray_samples.h"

#include "cuda/kernels/fields/ray_pixels.h"
#include "cuda/kernels/fields/sample_count.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/soft_density.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128, kWeightThreads = 1024;
constexpr std::size_t kDensityWords = 8;  // of 16 outputs

template <SampleLight LIGHT>
MOTE_DEVICE SampleColor<float> sample_color(const SampleValues& values, std::size_t at, float dt) {
  float own[3];
  MOTE_UNROLL
  for (std::size_t c = 0; c < 3; ++c) own[c] = values.colors[c * values.stride + at];
  return light_of_sample<LIGHT>({values.soft_shift, values.soft_cells}, values.density[at], own,
                                dt);
}

/// With 64 registers a thread: parts need more than the 32 that fill a multiprocessor.
template <SampleLight LIGHT>
MOTE_KERNEL(kThreads, 8)
composite(CompositeArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.alive_count) return;
  const std::uint32_t number = args.alive[i];
  RayState& ray = args.rays[number];
  const WaveSegment segment = args.segments[number];
  DrawnColor drawn = ray.drawn;
  RaySheets sheets = ray.sheets;
  const auto light_left = [&] { return sheets.light * drawn.color.transmittance; };
  for (std::uint32_t k = 0; k < segment.count && light_left() >= args.stop; ++k) {
    const std::size_t at = std::size_t{segment.first} + k;
    const float depth = args.samples.t[at] * ray.depth_per_length;
    if (is_divided(args.picture)) {
      pass_sheets({args.picture, LIGHT, args.stop}, number, depth, sheets, drawn);
      if (light_left() < args.stop) break;
    }
    add_drawn_sample(sample_color<LIGHT>(args.values, at, args.samples.dt[at]), depth, drawn);
  }
  ray.drawn = drawn;
  ray.sheets = sheets;
  const bool goes_on = !ray.march.done() && light_left() >= args.stop;
  if (goes_on) ray.reach = reach_of(args.stop, light_left());
  args.goes_on[i] = goes_on ? 1 : 0;
}

template <SampleLight LIGHT>
MOTE_KERNEL(kThreads)
composite_rays(RayCompositeArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count || !(args.weights[i] > 0)) return;
  const WaveSegment segment = args.segments[i];
  DrawnColor drawn;
  std::uint32_t k = 0;
  for (; k < segment.count && drawn.color.transmittance >= args.stop; ++k) {
    const std::size_t at = std::size_t{segment.first} + k;
    add_sample(sample_color<LIGHT>(args.values, at, args.samples.dt[at]), drawn.color);
  }
  drawn.samples = k;
  args.drawn[i] = drawn;
  args.segments[i].count = k;
}

struct WeightSums {
  double of_thread[kWeightThreads];
};

/// One block.
MOTE_KERNEL(kWeightThreads) gradient_scale(const float* weights, unsigned count, float* scale) {
  WeightSums& sums = block_shared<WeightSums>();
  double own = 0;
  for (unsigned i = threadIdx.x; i < count; i += kWeightThreads) {
    own += static_cast<double>(weights[i]);
  }
  sums.of_thread[threadIdx.x] = own;
  for (unsigned half = kWeightThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums.of_thread[threadIdx.x] += sums.of_thread[threadIdx.x + half];
  }
  if (threadIdx.x != 0) return;
  const double sum = sums.of_thread[0];
  *scale = sum > 0 ? static_cast<float>(1 / sum) : 0.0f;
}

MOTE_KERNEL(kThreads) drawn_colors(const RayState* rays, unsigned count, DrawnColor* colors) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < count) colors[i] = rays[i].drawn;
}

MOTE_KERNEL(kThreads) color_inputs(ColorInputArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= sample_count(args.count, args.known)) return;
  const std::size_t at = std::size_t{args.first} + i;
  for (std::size_t word = 0; word < kDensityWords; ++word) {
    args.features[word * args.stride + at] = rounded_halves(
        args.density[2 * word * args.stride + at], args.density[(2 * word + 1) * args.stride + at]);
  }
  const auto words = static_cast<std::size_t>(args.direction_words);
  const std::uint32_t* own = args.directions + std::size_t{args.rays[at]} * words;
  for (std::size_t word = 0; word < words; ++word) {
    args.features[(kDensityWords + word) * args.stride + at] = own[word];
  }
}

template <FieldLoss LOSS>
MOTE_KERNEL(kThreads)
grade_rays(RayGradeArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  RayLoss loss{};
  if (args.weights[i] > 0) {
    RayColor<float> color = args.drawn[i].color;
    loss = grade_ray<LOSS>(color, args.targets[i],
                           args.exposures + std::size_t{args.photographs[i]} * kExposureValues,
                           *args.scale);
    args.drawn[i].color = color;
  }
  args.losses[i] = loss;
}

/// Without fmin(), which would hide NaN.
MOTE_DEVICE float within(float value, float most) {
  return value > most ? most : value < -most ? -most : value;
}

template <SampleLight LIGHT>
MOTE_KERNEL(kThreads)
sample_gradients(SampleGradientArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count || !(args.weights[i] > 0)) return;
  const RayLoss loss = args.losses[i];
  RayColor<float> color;
  const WaveSegment segment = args.segments[i];
  for (std::uint32_t k = 0; k < segment.count; ++k) {
    const std::size_t at = std::size_t{segment.first} + k;
    const float dt = args.samples.dt[at];
    const SampleColor<float> own = sample_color<LIGHT>(args.values, at, dt);
    const float weight = add_sample(own, color);
    const SampleGradient<float> d =
        add_sample_vjp<LIGHT == SampleLight::unbounded>(own, weight, color, loss.last, loss.d_last);
    const float raw_density = log2(own.thickness / dt) * 0.693147180559945309f;
    float d_density = d.raw_density + near_density_gradient(args.samples.t[at], raw_density);
    if (args.values.soft_cells > 0) {
      d_density *= log_softplus_slope(own.thickness / (args.values.soft_cells * dt));
    }
    args.d_density[at] = within(d_density, args.most);
    MOTE_UNROLL
    for (std::size_t c = 0; c < 3; ++c) {
      args.d_colors[c * args.values.stride + at] = within(d.raw_color[c], args.most);
    }
  }
}

MOTE_KERNEL(kThreads) density_gradients(DensityGradientArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= sample_count(args.count, args.known)) return;
  for (std::size_t word = 0; word < kDensityWords; ++word) {
    const float2 own = __half22float2(halves_of(args.d_features[word * args.stride + i]));
    const float of_density = word == 0 ? args.d_density[i] : 0.0f;
    args.d_values[2 * word * args.stride + i] = fma(own.x, args.unscaled, of_density);
    args.d_values[(2 * word + 1) * args.stride + i] = own.y * args.unscaled;
  }
}

LaunchShape shape_of(unsigned count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_composite(const CompositeArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of(args.alive_count, "adding samples");
  switch (args.values.light) {
    case SampleLight::display:
      return launch(composite<SampleLight::display>, shape, stream, args);
    case SampleLight::unbounded:
      return launch(composite<SampleLight::unbounded>, shape, stream, args);
    case SampleLight::volume:
      return launch(composite<SampleLight::volume>, shape, stream, args);
  }
}

void run_drawn_colors(const RayState* rays, unsigned count, DrawnColor* colors,
                      cudaStream_t stream) {
  launch(drawn_colors, shape_of(count, "reading colours"), stream, rays, count, colors);
}

void run_color_inputs(const ColorInputArgs& args, cudaStream_t stream) {
  launch(color_inputs, shape_of(args.count, "inputs of colours"), stream, args);
}

void run_ray_composite(const RayCompositeArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of(args.count, "colours of rays");
  if (args.values.light == SampleLight::unbounded) {
    launch(composite_rays<SampleLight::unbounded>, shape, stream, args);
  } else {
    launch(composite_rays<SampleLight::display>, shape, stream, args);
  }
}

void run_gradient_scale(const float* weights, unsigned count, float* scale, cudaStream_t stream) {
  launch(gradient_scale,
         {.blocks = 1, .threads = kWeightThreads, .name = "the sum of the rays' weights"}, stream,
         weights, count, scale);
}

void run_ray_grade(const RayGradeArgs& args, cudaStream_t stream) {
  visit_loss(args.loss, [&]<FieldLoss LOSS>() {
    launch(grade_rays<LOSS>, shape_of(args.count, "the loss of rays"), stream, args);
  });
}

void run_sample_gradients(const SampleGradientArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_of(args.count, "gradients of samples");
  if (args.values.light == SampleLight::unbounded) {
    launch(sample_gradients<SampleLight::unbounded>, shape, stream, args);
  } else {
    launch(sample_gradients<SampleLight::display>, shape, stream, args);
  }
}

void run_density_gradients(const DensityGradientArgs& args, cudaStream_t stream) {
  launch(density_gradients, shape_of(args.count, "gradients of densities"), stream, args);
}

}  // namespace mote::cuda

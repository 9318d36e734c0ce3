// Rays through a field in one kernel. Each lane follows a ray from sample to sample, and the warp
// evaluates the samples of its lanes together: the sums of the density network are the operand of
// the colour network. Between evaluations, rays are in shared memory.

#include "cuda/kernels/fields/ray_follow.h"

#include <algorithm>
#include <bit>

#include "cuda/kernels/fields/field_launch.h"
#include "cuda/kernels/fields/ray_pixels.h"
#include "cuda/kernels/fields/started_ray.h"

namespace mote::cuda {
namespace {

template <class T>
inline constexpr int kWordsOf = static_cast<int>(sizeof(T) / sizeof(unsigned));

/// Words of a lane.
enum FollowWord {
  kPosition,                // [3] of the sample, from 0 to 1 in the cube of the grid
  kLength = kPosition + 3,  // that the sample stands for
  kDistance,                // along the ray
  kDensity,                 // as the network gives it
  kColor,                   // [3], the same
  kIsRay = kColor + 3,      // 1: the lane has a ray
  kNumber,                  // of the ray
  kDepthPerLength,
  kMarch,
  kDrawn = kMarch + kWordsOf<RayMarch>,
  kSheets = kDrawn + kWordsOf<DrawnColor>,  // of divided rays
  kStages = kSheets + kWordsOf<RaySheets>,
  kFollowWords = kStages + kStageWords
};

/// The ray of a lane.
class FollowedRay {
 public:
  MOTE_MEMBER explicit FollowedRay(unsigned* warp_words) : words_(warp_words) {}

  MOTE_MEMBER unsigned& word(int number) const { return lane_word(words_, number); }
  MOTE_MEMBER float number(int word) const { return __uint_as_float(this->word(word)); }
  MOTE_MEMBER void set(int word, float value) const { this->word(word) = __float_as_uint(value); }
  MOTE_MEMBER bool is_ray() const { return word(kIsRay) != 0; }

  template <class T>
  MOTE_MEMBER T load(int first) const {
    Words<kWordsOf<T>> words;
    MOTE_UNROLL
    for (int i = 0; i < kWordsOf<T>; ++i) words.at[i] = word(first + i);
    return std::bit_cast<T>(words);
  }
  template <class T>
  MOTE_MEMBER void store(int first, const T& value) const {
    const auto words = std::bit_cast<Words<kWordsOf<T>>>(value);
    MOTE_UNROLL
    for (int i = 0; i < kWordsOf<T>; ++i) word(first + i) = words.at[i];
  }

 private:
  template <int COUNT>
  struct Words {
    unsigned at[COUNT];
  };

  unsigned* words_;
};

/// The part that the ray is in.
MOTE_DEVICE RaySheets sheets_of(const RayFollowArgs& args, const FollowedRay& ray) {
  return is_divided(args.picture) ? ray.load<RaySheets>(kSheets) : RaySheets{};
}

MOTE_DEVICE PartDrawing drawing_of(const RayFollowArgs& args) {
  return {args.picture, args.field.light, args.stop};
}

MOTE_DEVICE void end_ray(const RayFollowArgs& args, const FollowedRay& ray) {
  const auto drawn = ray.load<DrawnColor>(kDrawn);
  if (args.drawn != nullptr) args.drawn[ray.word(kNumber)] = drawn;
  if (args.picture.width > 0) {
    store_last_parts(drawing_of(args), ray.word(kNumber), sheets_of(args, ray), drawn);
  }
  ray.word(kIsRay) = 0;
}

MOTE_DEVICE void begin_ray(const RayFollowArgs& args, unsigned number, const FollowedRay& ray) {
  const RayStart start = args.starts[number];
  ray.word(kIsRay) = 1;
  ray.word(kNumber) = number;
  ray.set(kDepthPerLength, start.depth_per_length);
  ray.store(kMarch, started_march(args.settings, *args.cells.box, start));
  ray.store(kDrawn, DrawnColor{});
  if (is_divided(args.picture)) ray.store(kSheets, first_part(args.picture, number));
}

/// Goes on to the next sample. Returns whether there is one.
MOTE_DEVICE bool find_sample(const RayFollowArgs& args, const FollowedRay& ray) {
  auto own = ray.load<RayMarch>(kMarch);
  RaySample sample{};
  const bool found = march(args.cells.bits, args.settings, own, {1}, &sample) > 0;
  ray.store(kMarch, own);
  if (!found) return false;
  const Vec3<float> position = own.origin + own.direction * sample.t;
  const float scale = 1 / args.box_size;
  ray.set(kPosition, (position.x - args.box_min) * scale);
  ray.set(kPosition + 1, (position.y - args.box_min) * scale);
  ray.set(kPosition + 2, (position.z - args.box_min) * scale);
  ray.set(kLength, sample.dt);
  ray.set(kDistance, sample.t);
  return true;
}

/// Gives samples to the lanes with rays, and rays to the others below `lanes`, until all have
/// samples or no rays are left. Returns whether the lane has a sample. `rays_left`: equal in all
/// lanes.
MOTE_DEVICE bool take_sample(const RayFollowArgs& args, unsigned lanes, const FollowedRay& ray,
                             bool& rays_left) {
  const unsigned lane = threadIdx.x % kWarp;
  bool has_sample = false;
  while (true) {
    if (ray.is_ray() && !has_sample) {
      has_sample = find_sample(args, ray);
      if (!has_sample) end_ray(args, ray);
    }
    const bool is_free = lane < lanes && !ray.is_ray();
    const unsigned free = __ballot_sync(kWholeWarp, is_free ? 1 : 0);
    if (free == 0 || !rays_left) return has_sample;
    const auto wanted = static_cast<unsigned>(__popc(free));
    unsigned first = lane == 0 ? atomicAdd(args.next, wanted) : 0;
    first = __shfl_sync(kWholeWarp, first, 0);
    rays_left = first < args.count && wanted < args.count - first;
    const unsigned before = static_cast<unsigned>(__popc(free & ((1u << lane) - 1)));
    if (is_free && first < args.count && before < args.count - first) {
      begin_ray(args, first + before, ray);
    }
  }
}

MOTE_DEVICE SampleColor<float> sample_light(const RayFollowArgs& args, const FollowedRay& ray) {
  const float colors[3] = {ray.number(kColor), ray.number(kColor + 1), ray.number(kColor + 2)};
  const float density = ray.number(kDensity), dt = ray.number(kLength);
  switch (args.field.light) {
    case SampleLight::display:
      return light_of_sample<SampleLight::display>(args.field.soft, density, colors, dt);
    case SampleLight::unbounded:
      return light_of_sample<SampleLight::unbounded>(args.field.soft, density, colors, dt);
    default:
      return light_of_sample<SampleLight::volume>(args.field.soft, density, colors, dt);
  }
}

MOTE_DEVICE void add_light(const RayFollowArgs& args, const FollowedRay& ray) {
  auto drawn = ray.load<DrawnColor>(kDrawn);
  RaySheets sheets = sheets_of(args, ray);
  const float depth = ray.number(kDistance) * ray.number(kDepthPerLength);
  if (is_divided(args.picture)) {
    pass_sheets(drawing_of(args), ray.word(kNumber), depth, sheets, drawn);
    ray.store(kSheets, sheets);
  }
  if (sheets.light * drawn.color.transmittance >= args.stop) {
    add_drawn_sample(sample_light(args, ray), depth, drawn);
  }
  ray.store(kDrawn, drawn);
  if (sheets.light * drawn.color.transmittance < args.stop) end_ray(args, ray);
}

/// The colours of the warp's samples, from the outputs of the density network. `color_words`: space
/// for activations.
template <int WIDTH>
MOTE_DEVICE void evaluate_colors(const RayField& field, const uint4* weights,
                                 const BlockSums<kRows<WIDTH>>& densities, unsigned* color_words,
                                 unsigned* kernel_words) {
  constexpr int kOwnRows = kRows<WIDTH>;
  uint4 of_density[kOwnRows];
  MOTE_UNROLL
  for (int row = 0; row < kOwnRows; ++row) {
    of_density[row] = rounded_sums(LayerActivation::none, densities.at[row]);
  }
  const auto g = static_cast<int>(threadIdx.x % kWarp / 4), t = static_cast<int>(threadIdx.x % 4);
  BlockSums<kOwnRows> colors;
  evaluate_network<WIDTH>(
      field.color, weights,
      [&](int block, uint4(&in)[kOwnRows]) {
        const int plane = 8 * (block - 1) + t;
        MOTE_UNROLL
        for (int row = 0; row < kOwnRows; ++row) {
          if (block == 0) {
            in[row] = of_density[row];
            continue;
          }
          const auto word = [&](int sample, int own) -> unsigned {
            if (own >= field.direction_words) return 0;
            const std::size_t ray = kernel_words[kNumber * kWarp + sample];
            return field.directions[ray * static_cast<std::size_t>(field.direction_words) +
                                    static_cast<std::size_t>(own)];
          };
          const int sample = 16 * row + g;
          in[row] = {word(sample, plane), word(sample + 8, plane), word(sample, plane + 4),
                     word(sample + 8, plane + 4)};
        }
      },
      color_words, colors);
  for_each_sum(colors, [&](float& value, int row, int output) {
    if (output >= 3) return;
    kernel_words[(kColor + output) * kWarp + row] = __float_as_uint(value);
  });
}

/// Evaluates the field at the samples of the warp.
template <int WIDTH, int FEATURES>
MOTE_DEVICE void evaluate_samples(const RayField& field, const FieldMemory& memory,
                                  const StageClock& clock) {
  unsigned* const words = memory.kernel_words;
  BlockSums<kRows<WIDTH>> outputs;
  evaluate_field<WIDTH, 3, FEATURES>(
      field.first, memory.weights,
      [&](int row, float(&x)[3]) {
        MOTE_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
          x[axis] = __uint_as_float(words[(kPosition + axis) * kWarp + row]);
        }
      },
      memory.warp_words, outputs, clock);
  const bool is_volume = field.color_weights == nullptr;
  for_each_sum(outputs, [&](float& value, int row, int output) {
    if (output == (is_volume ? 3 : 0)) words[kDensity * kWarp + row] = __float_as_uint(value);
    if (is_volume && output < 3) words[(kColor + output) * kWarp + row] = __float_as_uint(value);
  });
  if (is_volume) return;
  evaluate_colors<WIDTH>(field, memory.more_weights, outputs, words + kFollowWords * kWarp, words);
  clock.reach(FieldStage::network);
}

/// Words of a lane for values of a layer: kActivationWords.
MOTE_LANE int activation_words(int width_blocks) {
  const int rows = width_blocks <= 4 ? 2 : 1;
  return 4 * rows * (width_blocks < 2 ? 2 : width_blocks);
}

/// Words of a lane for the activations of the colour network.
MOTE_LANE int color_words(const RayField& field) {
  const bool needs = field.color_weights != nullptr && needs_activation_words(field.color);
  return needs ? activation_words(field.color.width_blocks) : 0;
}

MOTE_LANE int color_blocks(const RayField& field) {
  return field.color_weights == nullptr ? 0 : network_blocks(field.color);
}

/// Registers do not suffice for wider networks, whose rays go in waves.
constexpr int kMostFollowWidth = 64;

template <int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kFieldThreads, kFieldBlocks<WEIGHTS_IN_SHARED>)
follow_rays(RayFollowArgs args) {
  const RayField& field = args.field;
  const FieldMemory memory = field_memory<WIDTH, FEATURES, WEIGHTS_IN_SHARED>(
      field.first, kFollowWords + color_words(field), {field.color_weights, color_blocks(field)});
  const FollowedRay ray(memory.kernel_words);
  ray.store(kPosition, Vec3<float>{0.5f, 0.5f, 0.5f});
  ray.word(kIsRay) = ray.word(kNumber) = 0;
  const StageClock clock(args.stage_ticks, memory.kernel_words + kStages * kWarp);
  unsigned evaluated = 0;
  bool rays_left = true;
  while (true) {
    const bool has_sample = take_sample(args, kTileSamples<WIDTH>, ray, rays_left);
    const unsigned samples = __ballot_sync(kWholeWarp, has_sample ? 1 : 0);
    if (samples == 0) break;
    evaluated += static_cast<unsigned>(__popc(samples));
    __syncwarp();
    clock.reach(FieldStage::march);
    evaluate_samples<WIDTH, FEATURES>(field, memory, clock);
    __syncwarp();
    if (has_sample) add_light(args, ray);
    __syncwarp();
    clock.reach(FieldStage::rest);
  }
  clock.finish();
  if (threadIdx.x % kWarp == 0 && evaluated > 0) {
    atomicAdd(args.evaluations, static_cast<unsigned long long>(evaluated));
  }
}

}  // namespace

bool can_follow_rays(const NetworkShape& first, const NetworkShape* color) {
  if (first.width_blocks > kMostFollowWidth / 16) return false;
  if (color != nullptr && color->width_blocks != first.width_blocks) return false;
  const auto own_words = [](const NetworkShape& shape) {
    return needs_activation_words(shape) ? activation_words(shape.width_blocks) : 0;
  };
  // The most that any grid needs, without weights.
  const int of_grid = first.width_blocks <= 4 ? 16 : 8;
  const int words = std::max(of_grid, own_words(first)) + kFollowWords +
                    (color == nullptr ? 0 : own_words(*color));
  return kFieldThreads * sizeof(unsigned) * static_cast<std::size_t>(words) <=
         shared_bytes_of_block();
}

void run_ray_follow(const RayFollowArgs& args, cudaStream_t stream) {
  const RayField& field = args.field;
  CHECK(
      can_follow_rays(field.first.shape, field.color_weights == nullptr ? nullptr : &field.color));
  launch_field<kMostFollowWidth>(
      field.first, args.count, "following rays",
      [&]<int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>() {
        return follow_rays<WIDTH, FEATURES, WEIGHTS_IN_SHARED>;
      },
      stream, args, kFollowWords + color_words(field), color_blocks(field));
}

}  // namespace mote::cuda

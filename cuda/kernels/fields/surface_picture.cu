// Pictures of signed distance fields. Each lane follows the ray of a pixel, and the warp evaluates
// the distances that its lanes need next, whether for the surface, the normal, the occlusion or the
// shadow. A lane whose pixel is done takes the next one, so that warps stay full. Between
// evaluations, rays are in shared memory.

#include "cuda/kernels/fields/surface_picture.h"

#include "cuda/kernels/fields/field_launch.h"
#include "cuda/pictures/texels.h"
#include "cuda/runtime/halves.h"
#include "fields/applications/surface_cells.h"
#include "math/display_curve.h"

namespace mote::cuda {
namespace {

constexpr unsigned kChunkWidth_px = 8, kChunkHeight_px = 16;
constexpr unsigned kChunk_px = kChunkWidth_px * kChunkHeight_px;  // of a warp

/// A ray that has missed the surface, or has its light, waits for its pixel to be stored.
enum class Phase : unsigned { idle, surface, normal, occlusion, shadow, missed, lit };

/// Words of a ray. The position is where the next distance is wanted.
enum RayWord {
  kPositionX,
  kPositionY,
  kPositionZ,
  kDistance,  // there
  kPhase,
  kStep,   // of the phase
  kPixel,  // number in the picture
  kDirectionX,
  kDirectionY,
  kDirectionZ,
  kPlace,  // along the ray
  kEnd,    // of the ray
  kNormalX,
  kNormalY,
  kNormalZ,
  kOcclusion,
  kShadow,
  kReached,  // towards the sun
  kOverdraw,
  kStages,
  kRayWords = kStages + kStageWords
};

/// The ray of a lane.
class Ray {
 public:
  MOTE_MEMBER explicit Ray(unsigned* warp_words) : words_(warp_words) {}

  MOTE_MEMBER unsigned& word(RayWord number) const { return lane_word(words_, number); }
  MOTE_MEMBER float number(RayWord word) const { return __uint_as_float(this->word(word)); }
  MOTE_MEMBER void set(RayWord word, float value) const {
    this->word(word) = __float_as_uint(value);
  }
  MOTE_MEMBER Phase phase() const { return static_cast<Phase>(word(kPhase)); }
  MOTE_MEMBER bool has_ended() const { return phase() >= Phase::missed; }
  /// Whether a distance is wanted.
  MOTE_MEMBER bool is_traced() const { return phase() != Phase::idle && !has_ended(); }
  MOTE_MEMBER int step() const { return static_cast<int>(word(kStep)); }
  MOTE_MEMBER void begin(Phase phase) const {
    word(kPhase) = static_cast<unsigned>(phase);
    word(kStep) = 0;
  }
  /// Three words from `first` on.
  MOTE_MEMBER Vec3<float> vector(RayWord first) const {
    return {number(first), number(static_cast<RayWord>(first + 1)),
            number(static_cast<RayWord>(first + 2))};
  }
  MOTE_MEMBER void set(RayWord first, const Vec3<float>& value) const {
    set(first, value.x);
    set(static_cast<RayWord>(first + 1), value.y);
    set(static_cast<RayWord>(first + 2), value.z);
  }

 private:
  unsigned* words_;
};

MOTE_DEVICE Vec3<float> surface_point(const SurfacePictureArgs& args, const Ray& ray) {
  return args.view.origin + ray.vector(kDirectionX) * ray.number(kPlace);
}

MOTE_DEVICE PlainRay<float> pixel_ray(const SurfacePictureArgs& args, unsigned pixel) {
  const auto width = static_cast<unsigned>(args.width);
  return plain_ray(args.view.camera, static_cast<float>(pixel % width) + 0.5f,
                   static_cast<float>(pixel / width) + 0.5f);
}

/// Writes the pixel. `hit`: the ray met the surface; else it shows the background.
MOTE_DEVICE void store_pixel(const SurfacePictureArgs& args, const Ray& ray, bool hit) {
  const std::size_t pixel = ray.word(kPixel);
  float color[3] = {args.background[0], args.background[1], args.background[2]};
  Vec3<float> normal{0, 0, 0};
  if (hit) {
    normal = ray.vector(kNormalX);
    const Vec3<float> light = surface_light<float>(
        {normal, ray.number(kShadow), ray.number(kOcclusion)}, args.reflectance, args.sun, args.up);
    color[0] = display_from_linear(light.x);
    color[1] = display_from_linear(light.y);
    color[2] = display_from_linear(light.z);
  }
  const PictureImages& to = args.images;
  write_color(to.texels, to.rgb, pixel, {color[0], color[1], color[2]});
  if (to.alpha != nullptr) to.alpha[pixel] = hit ? 1.0f : 0.0f;
  if (to.overdraw != nullptr) to.overdraw[pixel] = ray.number(kOverdraw);
  if (to.depth_expected != nullptr) {
    const float length = pixel_ray(args, static_cast<unsigned>(pixel)).length;
    const float depth = hit ? ray.number(kPlace) * args.view.world_per_field / length : 0.0f;
    to.depth_expected[pixel] = to.depth_median[pixel] = depth;
  }
  if (to.normal == nullptr) return;
  const auto& rows = args.view.camera.field_from_cam;
  MOTE_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    to.normal[3 * pixel + static_cast<std::size_t>(axis)] =
        fma(rows[0][axis], normal.x, fma(rows[1][axis], normal.y, rows[2][axis] * normal.z));
  }
}

/// Loads a distance that is stored as a half.
struct HalfDistance {
  const std::uint16_t* halves;

  MOTE_MEMBER float operator()(std::uint32_t at) const {
    return __low2float(halves_of(halves[at]));
  }
};

MOTE_DEVICE SurfaceTable<HalfDistance> table_of(const SurfaceCellTables& cells) {
  return {cells.cells, {cells.distances}, cells.first_parts, {cells.part_distances}};
}

/// Goes on towards the surface as far as bounds of cells lead. Returns false where the ray has
/// ended.
MOTE_DEVICE bool approach_surface(const SurfacePictureArgs& args, const Ray& ray) {
  const Vec3<float> direction = ray.vector(kDirectionX);
  const float end = ray.number(kEnd);
  float place = ray.number(kPlace);
  while (args.cells.cells > 0 && place < end) {
    float bound = 0;
    const float tolerance = surface_tolerance(place, args.view.pixel);
    if (!is_far_at(args.view.origin + direction * place, table_of(args.cells), tolerance, bound)) {
      break;
    }
    place = next_trace(place, bound);
  }
  ray.set(kPlace, place);
  return place < end;
}

/// Starts the ray of a pixel.
MOTE_DEVICE void start_ray(const SurfacePictureArgs& args, unsigned pixel, const Ray& ray) {
  const PlainRay<float> own = pixel_ray(args, pixel);
  const Vec3<float> direction{own.direction[0], own.direction[1], own.direction[2]};
  TracedPart<float> part = part_in(args.box, args.view.origin, direction);
  for (int i = 0; i < args.crop_count; ++i) {
    part = part_in(args.crops[i], args.view.origin, direction, part);
  }
  ray.word(kPixel) = pixel;
  ray.set(kOverdraw, 0);
  ray.set(kDirectionX, direction);
  ray.set(kPlace, part.begin);
  ray.set(kEnd, part.end);
  const bool goes_on = part.begin < part.end && approach_surface(args, ray);
  ray.begin(goes_on ? Phase::surface : Phase::missed);
}

/// The position that the ray's phase needs a distance of.
MOTE_DEVICE Vec3<float> wanted_position(const SurfacePictureArgs& args, const Ray& ray) {
  const Vec3<float> point = surface_point(args, ray);
  switch (ray.phase()) {
    case Phase::normal:
      return point + normal_corner<float>(ray.step()) * kNormalHalf;
    case Phase::occlusion:
      return point + ray.vector(kNormalX) * occlusion_height<float>(ray.step());
    case Phase::shadow:
      return point + args.sun * ray.number(kReached) + ray.vector(kNormalX) * kNormalHalf;
    default:
      return point;
  }
}

/// Uses a distance on the way to the surface.
MOTE_DEVICE void take_surface(const SurfacePictureArgs& args, const Ray& ray, float distance) {
  const float place = ray.number(kPlace);
  ray.set(kOverdraw, ray.number(kOverdraw) + 1);
  if (is_at_surface(distance, place, args.view.pixel)) {
    ray.set(kPlace, place + distance);
    ray.set(kNormalX, Vec3<float>{0, 0, 0});
    ray.set(kOcclusion, 1);
    ray.set(kShadow, 1);
    return ray.begin(Phase::normal);
  }
  ray.set(kPlace, next_trace(place, distance));
  if (++ray.word(kStep) < kMostTraceSteps && approach_surface(args, ray)) return;
  ray.begin(Phase::missed);
}

MOTE_DEVICE void take_normal(const Ray& ray, float distance) {
  const Vec3<float> sum = ray.vector(kNormalX) + normal_corner<float>(ray.step()) * distance;
  const bool is_last = ++ray.word(kStep) == kNormalCorners;
  ray.set(kNormalX, is_last ? traced_normal(sum, ray.vector(kDirectionX)) : sum);
  if (is_last) ray.begin(Phase::occlusion);
}

MOTE_DEVICE void take_occlusion(const SurfacePictureArgs& args, const Ray& ray, float distance) {
  ray.set(kOcclusion, ray.number(kOcclusion) - hidden_share(ray.step(), distance));
  if (++ray.word(kStep) < kOcclusionSteps) return;
  if (dot(ray.vector(kNormalX), args.sun) > 0) {
    ray.set(kReached, kShadowStart);
    return ray.begin(Phase::shadow);
  }
  ray.begin(Phase::lit);
}

MOTE_DEVICE void take_shadow(const Ray& ray, float distance) {
  const float reached = ray.number(kReached);
  const float shadow = shadow_after(ray.number(kShadow), distance, reached);
  const float next = next_shadow(reached, distance);
  ray.set(kShadow, shadow);
  ray.set(kReached, next);
  if (++ray.word(kStep) < kMostShadowSteps && !is_shadow_known(shadow, next)) return;
  ray.begin(Phase::lit);
}

/// Distance to the faces of the boxes, below 0 in the part that is drawn.
MOTE_DEVICE float distance_to_cut(const SurfacePictureArgs& args, const Vec3<float>& position) {
  float distance = distance_to(args.box, position);
  for (int i = 0; i < args.crop_count; ++i) {
    distance = max(distance, distance_to(args.crops[i], position));
  }
  return distance;
}

/// Uses a distance at a position that the ray's phase needs.
MOTE_DEVICE void take_distance(const SurfacePictureArgs& args, const Ray& ray,
                               const Vec3<float>& position, float distance) {
  if (args.is_cut) distance = max(distance, distance_to_cut(args, position));
  switch (ray.phase()) {
    case Phase::surface:
      return take_surface(args, ray, distance);
    case Phase::normal:
      return take_normal(ray, distance);
    case Phase::occlusion:
      return take_occlusion(args, ray, distance);
    case Phase::shadow:
      return take_shadow(ray, distance);
    default:
      return;
  }
}

/// Goes on with the light as far as the distances of cells serve.
MOTE_DEVICE void pass_light(const SurfacePictureArgs& args, const Ray& ray) {
  while (args.cells.cells > 0 &&
         (ray.phase() == Phase::occlusion || ray.phase() == Phase::shadow)) {
    const Vec3<float> position = wanted_position(args, ray);
    float distance = 0;
    if (!is_known_at(position, table_of(args.cells), distance)) return;
    take_distance(args, ray, position, distance);
  }
}

/// The pixels of a warp that no lane has taken.
struct Chunk {
  unsigned x, y;       // of the first pixel
  unsigned taken = 0;  // number of pixels
};

/// Stores the pixels of rays that have ended, at this one place since its code is long, and gives
/// the next pixels to the idle lanes below `lanes`. Returns whether any lane has a ray.
MOTE_DEVICE bool take_pixels(const SurfacePictureArgs& args, unsigned lanes, const Ray& ray,
                             Chunk& chunk) {
  const unsigned lane = threadIdx.x % kWarp;
  while (true) {
    if (ray.has_ended()) {
      store_pixel(args, ray, ray.phase() == Phase::lit);
      ray.begin(Phase::idle);
    }
    const bool is_free = lane < lanes && ray.phase() == Phase::idle;
    const unsigned free = __ballot_sync(kWholeWarp, is_free ? 1 : 0);
    const unsigned own = chunk.taken + static_cast<unsigned>(__popc(free & ((1u << lane) - 1)));
    if (is_free && own < kChunk_px) {
      const unsigned x = chunk.x + own % kChunkWidth_px, y = chunk.y + own / kChunkWidth_px;
      const auto width = static_cast<unsigned>(args.width);
      if (x < width && y < static_cast<unsigned>(args.height)) {
        start_ray(args, y * width + x, ray);
      }
    }
    chunk.taken += static_cast<unsigned>(__popc(free));
    if (__any_sync(kWholeWarp, ray.is_traced() ? 1 : 0) != 0) return true;
    const bool has_ended = __any_sync(kWholeWarp, ray.has_ended() ? 1 : 0) != 0;
    if (chunk.taken >= kChunk_px && !has_ended) return false;
  }
}

template <int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_KERNEL(kFieldThreads, kFieldBlocks<WEIGHTS_IN_SHARED>)
surface_picture(SurfacePictureArgs args) {
  const FieldMemory memory =
      field_memory<WIDTH, FEATURES, WEIGHTS_IN_SHARED>(args.field, kRayWords);
  const Ray ray(memory.kernel_words);
  const StageClock clock(args.stage_ticks, memory.kernel_words + kStages * kWarp);
  const unsigned across = (static_cast<unsigned>(args.width) + kChunkWidth_px - 1) / kChunkWidth_px;
  const unsigned down =
      (static_cast<unsigned>(args.height) + kChunkHeight_px - 1) / kChunkHeight_px;
  unsigned evaluated = 0;
  ray.begin(Phase::idle);
  for (unsigned own = blockIdx.x * kFieldWarps + threadIdx.x / kWarp; own < across * down;
       own += gridDim.x * kFieldWarps) {
    Chunk chunk{own % across * kChunkWidth_px, own / across * kChunkHeight_px};
    while (take_pixels(args, kTileSamples<WIDTH>, ray, chunk)) {
      const bool has_ray = ray.is_traced();
      ray.set(kPositionX, has_ray ? wanted_position(args, ray) : Vec3<float>{0.5f, 0.5f, 0.5f});
      evaluated += static_cast<unsigned>(__popc(__ballot_sync(kWholeWarp, has_ray ? 1 : 0)));
      __syncwarp();
      clock.reach(FieldStage::march);
      BlockSums<kRows<WIDTH>> outputs;
      evaluate_field<WIDTH, 3, FEATURES>(
          args.field, memory.weights,
          [&](int row, float(&x)[3]) {
            MOTE_UNROLL
            for (int axis = 0; axis < 3; ++axis) {
              const float own_x =
                  __uint_as_float(memory.kernel_words[(kPositionX + axis) * kWarp + row]);
              x[axis] = max(min(own_x, 1.0f), 0.0f);
            }
          },
          memory.warp_words, outputs, clock);
      for_each_sum(outputs, [&](float& value, int row, int output) {
        if (output != 0) return;
        memory.kernel_words[kDistance * kWarp + row] = __float_as_uint(value);
      });
      __syncwarp();
      if (has_ray) {
        take_distance(args, ray, ray.vector(kPositionX), ray.number(kDistance));
        pass_light(args, ray);
      }
      __syncwarp();
      clock.reach(FieldStage::rest);
    }
  }
  clock.finish();
  if (threadIdx.x % kWarp == 0 && evaluated > 0) {
    atomicAdd(args.evaluations, static_cast<unsigned long long>(evaluated));
  }
}

}  // namespace

void run_surface_picture(const SurfacePictureArgs& args, cudaStream_t stream) {
  const std::size_t pixels =
      static_cast<std::size_t>(args.width) * static_cast<std::size_t>(args.height);
  launch_field(
      args.field, pixels, "drawing a neural surface",
      [&]<int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>() {
        return surface_picture<WIDTH, FEATURES, WEIGHTS_IN_SHARED>;
      },
      stream, args, kRayWords);
}

}  // namespace mote::cuda

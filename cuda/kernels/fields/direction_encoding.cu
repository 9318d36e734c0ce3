// Encoded directions of rays: a thread for each ray.

#include "cuda/kernels/fields/direction_encoding.h"

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/nerf_layout.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

using Kind = DirectionPart::Kind;

struct PartForm {
  DirectionPart part;

  void operator()(const GridEncoding&) const { CHECK(false); }
  void operator()(const EmptyEncoding&) { part.kind = Kind::empty; }
  void operator()(const Frequency& own) {
    part.kind = Kind::frequency;
    part.values = own.per_input();
  }
  void operator()(const TriangleWave& own) {
    part.kind = Kind::triangle_wave;
    part.values = own.per_input();
  }
  void operator()(const OneBlob& own) {
    part.kind = Kind::one_blob;
    part.values = own.per_input();
  }
  void operator()(const SphericalEncoding& own) {
    part.kind = Kind::spherical;
    part.values = own.degree;
  }
  void operator()(const Identity& own) {
    part.kind = Kind::identity;
    part.values = own.per_input();
    part.scale = own.scale;
    part.offset = own.offset;
  }
};

/// Writes the values of a direction one after the other.
struct ValueWriter {
  std::uint16_t* next;

  MOTE_MEMBER void put(float value) { store(next++, value); }
  MOTE_MEMBER static void store(std::uint16_t* place, float value) {
    *place = static_cast<std::uint16_t>(rounded_halves(value, 0.0f));
  }
};

template <int DEGREE>
MOTE_DEVICE void put_bands(const DirectionEncoding& encoding, const Vec3<float>& direction,
                           ValueWriter& out) {
  encode_direction_to<DEGREE>(
      direction, [&](int l, int m) { return encoding.norms[l][m]; },
      [&](int k, float value) { ValueWriter::store(out.next + k, value); });
  out.next += DEGREE * DEGREE;
}

MOTE_DEVICE void put_bands(const DirectionEncoding& encoding, int degree,
                           const Vec3<float>& direction, ValueWriter& out) {
  switch (degree) {
    case 1:
      return put_bands<1>(encoding, direction, out);
    case 2:
      return put_bands<2>(encoding, direction, out);
    case 3:
      return put_bands<3>(encoding, direction, out);
    case 4:
      return put_bands<4>(encoding, direction, out);
    case 5:
      return put_bands<5>(encoding, direction, out);
    case 6:
      return put_bands<6>(encoding, direction, out);
    case 7:
      return put_bands<7>(encoding, direction, out);
    default:
      return put_bands<8>(encoding, direction, out);
  }
}

MOTE_DEVICE float part_value(const DirectionPart& part, int k, float x) {
  switch (part.kind) {
    case Kind::frequency:
      return Frequency{part.values / 2}.value(k, x);
    case Kind::triangle_wave:
      return TriangleWave{part.values}.value(k, x);
    case Kind::one_blob:
      return OneBlob{part.values}.value(k, x);
    default:
      return Identity{part.scale, part.offset}.value(k, x);
  }
}

MOTE_DEVICE float component(const Vec3<float>& x, int axis) {
  return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}

MOTE_KERNEL(kThreads) encode_directions(DirectionArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const float* own = args.directions + std::size_t{i} * args.step;
  // Encodings take numbers from 0 to 1.
  const Vec3<float> x{fma(0.5f, own[0], 0.5f), fma(0.5f, own[args.stride], 0.5f),
                      fma(0.5f, own[2 * args.stride], 0.5f)};
  const auto values = static_cast<std::size_t>(args.encoding.values);
  auto* const first = reinterpret_cast<std::uint16_t*>(args.words) + std::size_t{i} * values;
  ValueWriter out{first};
  for (int number = 0; number < args.encoding.part_count; ++number) {
    const DirectionPart& part = args.encoding.parts[number];
    if (part.kind == Kind::empty) continue;
    if (part.kind == Kind::latents) {
      const unsigned row = args.latents.owners == nullptr ? 0 : args.latents.owners[i];
      const auto count = static_cast<std::size_t>(part.inputs);
      for (std::size_t k = 0; k < count; ++k) out.put(args.latents.rows[row * count + k]);
      continue;
    }
    if (part.kind == Kind::spherical) {
      put_bands(args.encoding, part.values, {2 * x.x - 1, 2 * x.y - 1, 2 * x.z - 1}, out);
      continue;
    }
    for (int input = 0; input < part.inputs; ++input) {
      const float at = component(x, part.first_input + input);
      for (int k = 0; k < part.values; ++k) out.put(part_value(part, k, at));
    }
  }
  while (out.next < first + values) out.put(1);
}

}  // namespace

bool has_direction_kernels(const EncodingConfig& config) {
  return config.parts.size() <= kMostDirectionParts &&
         std::ranges::none_of(config.parts, [](const EncodingPart& part) {
           return std::holds_alternative<GridEncoding>(part.kind);
         });
}

DirectionEncoding direction_encoding(const EncodingConfig& config) {
  CHECK(has_direction_kernels(config));
  const bool has_latents = latents_of(config) > 0;
  DirectionEncoding encoding{};
  for (const EncodingPart& part : config.parts) {
    PartForm form{{Kind::empty, part.first_input, part.inputs, 0, 1, 0}};
    std::visit(form, part.kind);
    encoding.parts[encoding.part_count++] = form.part;
  }
  if (has_latents) encoding.parts[encoding.part_count - 1].kind = Kind::latents;
  encoding.values = config.padded_outputs();
  for (std::size_t l = 0; l < kMostShEncodingDegree; ++l) {
    std::copy_n(spherical::kNorms[l].begin(), kMostShEncodingDegree, encoding.norms[l]);
  }
  return encoding;
}

void run_direction_encoding(const DirectionArgs& args, cudaStream_t stream) {
  launch(encode_directions,
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "encoding directions"},
         stream, args);
}

}  // namespace mote::cuda

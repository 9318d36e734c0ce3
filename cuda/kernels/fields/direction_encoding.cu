// Encoded directions of rays: a thread for each ray.

#include "cuda/kernels/fields/direction_encoding.h"

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "cuda/kernels/fields/part_values.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/nerf_layout.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

using Kind = EncodedPart::Kind;

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
      direction, [&](int l, int m) { return encoding.norms.of[l][m]; },
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
    const EncodedPart& part = args.encoding.parts[number];
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
    encoding.parts[encoding.part_count++] = encoded_part(part);
  }
  if (has_latents) encoding.parts[encoding.part_count - 1].kind = Kind::latents;
  encoding.values = config.padded_outputs();
  encoding.norms = spherical_norms();
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

// Features in place of colours, one splat a thread, and colours of blended features, one pixel a
// thread.

#include "cuda/kernels/features.h"

#include "cuda/pictures/texels.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/decode.h"
#include "splats/motions/motions.h"

namespace mote::cuda {
namespace {

constexpr unsigned kDecodeThreads = 256;

template <class Kind, class Motion>
MOTE_KERNEL(kProjectThreads)
take_features(ProjectArgs args) {
  constexpr unsigned kBlock = kBlockSize;
  const unsigned splat = blockIdx.x * kProjectThreads + threadIdx.x;
  if (splat == 0) args.counters->blended = 0;
  if (splat >= args.count || args.rects[splat].first_column > args.rects[splat].last_column) return;
  const unsigned block = splat / kBlock, lane = splat % kBlock;
  const float* geometry =
      args.geometry + block * MovingKind<Kind, Motion>::kFieldCount * kBlock + lane;
  const auto plane = [&](int p) { return geometry[static_cast<unsigned>(p) * kBlock]; };
  const float* features = args.sh + std::size_t{block} * args.sh_stride + lane;
  const auto feature = [&](int k, int c) {
    return features[static_cast<unsigned>(k * 3 + c) * kBlock];
  };
  const SliceQuery<float> query =
      slice_query(view_camera<float>(args.frame->camera), args.frame->time_s);
  const float mark = args.marks != nullptr ? args.marks[splat] : 0.0f;
  Vec3<float> color =
      shown_features(args.features, feature, since_middle<Kind, Motion>(plane, query), mark);
  // Solids have colours, which marks tint; features are tinted after they are decoded.
  if (args.features.color == FeatureColor::base_color) color = with_mark(color, mark);
  SplatRecord& record = args.records[splat];
  record.red = color.x;
  record.green = color.y;
  record.blue = color.z;
}

MOTE_DEVICE Vec3<float> pixel_of(const float* image, std::size_t at) {
  return {image[3 * at], image[3 * at + 1], image[3 * at + 2]};
}

MOTE_KERNEL(kDecodeThreads) decode(DecodeArgs args) {
  const auto width = static_cast<unsigned>(args.width);
  const unsigned at = blockIdx.x * kDecodeThreads + threadIdx.x;
  if (at >= width * static_cast<unsigned>(args.height)) return;
  const PixelFeatures<float> features{pixel_of(args.base, at), pixel_of(args.directional, at),
                                      pixel_of(args.temporal, at)};
  Vec3<float> color =
      pixel_color(args.decoder, view_camera<float>(args.camera),
                  static_cast<float>(at % width) + 0.5f, static_cast<float>(at / width) + 0.5f,
                  features, args.marks != nullptr ? args.marks[3 * std::size_t{at}] : 0.0f);
  if (args.alpha != nullptr) color = color * args.alpha[at];
  write_color(args.texels, args.rgb, at, color);
}

using FeatureKernel = void (*)(ProjectArgs);

}  // namespace

void run_take_features(const ProjectArgs& args, cudaStream_t stream) {
  launch(visit_moving(args.kind, args.motion,
                      [&]<class Kind, class Motion>() -> FeatureKernel {
                        return take_features<Kind, Motion>;
                      }),
         {.blocks = max(1u, blocks_for(args.count, kProjectThreads)),
          .threads = kProjectThreads,
          .name = "features"},
         stream, args);
}

void run_decode(const DecodeArgs& args, cudaStream_t stream) {
  const auto pixels = static_cast<std::size_t>(args.width) * static_cast<std::size_t>(args.height);
  launch(decode,
         {.blocks = blocks_for(pixels, kDecodeThreads),
          .threads = kDecodeThreads,
          .name = "decoding features"},
         stream, args);
}

}  // namespace mote::cuda

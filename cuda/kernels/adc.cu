// Adaptive density control, one thread per splat. The result equals that of adc_edit() on the host.

#include "cuda/kernels/adc.h"

#include "cuda/kernels/lane_sums.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

MOTE_DEVICE unsigned thread_in_grid() {
  return blockIdx.x * kThreads + threadIdx.x;
}

MOTE_DEVICE bool is_candidate(const AdcArgs& args, unsigned splat) {
  return args.fates[splat] == Fate::stay && args.claims[splat] >= 0;
}

MOTE_DEVICE std::uint64_t bits_of(double value) {
  return static_cast<std::uint64_t>(__double_as_longlong(value));
}

MOTE_KERNEL(kThreads) judge(AdcArgs args) {
  const unsigned splat = thread_in_grid();
  bool prunable = false;
  if (splat < args.count) {
    const double claim = adc_claim(args.limits, args.gradient_sum[splat], args.seen[splat]);
    prunable = adc_prunes(args.limits, load_geometry(args.planes, args.geometry, splat),
                          args.radius_px[splat], claim);
    args.claims[splat] = claim;
    args.fates[splat] = prunable ? Fate::remove : Fate::stay;
  }
  count_lanes(prunable, &args.counts->prunable);
}

MOTE_KERNEL(kThreads) sort_out(AdcArgs args) {
  const unsigned splat = thread_in_grid();
  bool stays = false, candidate = false;
  if (splat < args.count) {
    const bool broken = args.broken != nullptr && args.broken[splat] != 0;
    stays =
        !adc_removes(broken, args.fates[splat] == Fate::remove, args.counts->prunable, args.count);
    args.fates[splat] = stays ? Fate::stay : Fate::remove;
    candidate = stays && args.claims[splat] >= 0;
  }
  count_lanes(stays, &args.counts->staying);
  count_lanes(candidate, &args.counts->candidates);
}

MOTE_KERNEL(kThreads) rank(AdcArgs args, std::uint64_t* keys, std::uint32_t* numbers) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  // Non-negative doubles have the same order as their bits.
  keys[splat] = is_candidate(args, splat) ? ~bits_of(args.claims[splat]) : ~std::uint64_t{0};
  numbers[splat] = splat;
}

MOTE_KERNEL(kThreads) choose(AdcArgs args, const std::uint32_t* chosen, unsigned count) {
  const unsigned i = thread_in_grid();
  bool clones = false, splits = false;
  if (i < count) {
    const unsigned splat = chosen == nullptr ? i : chosen[i];
    if (is_candidate(args, splat)) {
      const Fate fate = adc_growth(args.limits, load_geometry(args.planes, args.geometry, splat));
      args.fates[splat] = fate;
      clones = fate == Fate::clone;
      splits = !clones;
    }
  }
  count_lanes(clones, &args.counts->cloned);
  count_lanes(splits, &args.counts->split);
}

MOTE_KERNEL(kThreads) count_places(AdcArgs args, std::uint64_t* values) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const Fate fate = args.fates[splat];
  values[splat] = fate == Fate::remove ? 0 : fate == Fate::stay ? 1 : 1 + kFurther;
}

MOTE_DEVICE void write_splat(const EditTarget& target, std::uint32_t place,
                             const SplatGeometry& geometry, std::uint32_t source, bool forget) {
  store_geometry(target.planes, geometry, target.geometry, place);
  target.source[place] = source;
  target.forget[place] = forget ? 1 : 0;
}

template <class Kind>
MOTE_KERNEL(kThreads)
write_set(AdcArgs args, const std::uint64_t* sums, std::uint32_t kept, std::uint64_t seed,
          EditTarget target) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const Fate fate = args.fates[splat];
  if (fate == Fate::remove) return;
  const SplatGeometry geometry = load_geometry(args.planes, args.geometry, splat);
  const bool split = fate == Fate::split;
  write_splat(target, static_cast<std::uint32_t>(sums[splat] % kFurther) - 1,
              split ? adc_child<Kind>(geometry, seed, splat, 0) : geometry, splat, split);
  if (fate == Fate::stay) return;
  write_splat(target, kept + static_cast<std::uint32_t>(sums[splat] / kFurther) - 1,
              split ? adc_child<Kind>(geometry, seed, splat, 1) : geometry, splat, true);
}

using WriteSet = void (*)(AdcArgs, const std::uint64_t*, std::uint32_t, std::uint64_t, EditTarget);

LaunchShape shape(unsigned count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_adc_judge(const AdcArgs& args, cudaStream_t stream) {
  launch(judge, shape(args.count, "judging splats"), stream, args);
}

void run_adc_sort_out(const AdcArgs& args, cudaStream_t stream) {
  launch(sort_out, shape(args.count, "sorting splats out"), stream, args);
}

void run_adc_rank(const AdcArgs& args, std::uint64_t* keys, std::uint32_t* numbers,
                  cudaStream_t stream) {
  launch(rank, shape(args.count, "ranking splats"), stream, args, keys, numbers);
}

void run_adc_choose(const AdcArgs& args, const std::uint32_t* chosen, unsigned count,
                    cudaStream_t stream) {
  launch(choose, shape(count, "choosing splats"), stream, args, chosen, count);
}

void run_adc_counts(const AdcArgs& args, std::uint64_t* values, cudaStream_t stream) {
  launch(count_places, shape(args.count, "counting splats"), stream, args, values);
}

void run_adc_write(const AdcArgs& args, const std::uint64_t* sums, std::uint32_t kept,
                   std::uint64_t seed, const EditTarget& target, cudaStream_t stream) {
  launch(visit_kind(args.kind, [&]<class Kind>() { return write_set<Kind>; }),
         shape(args.count, "splitting splats"), stream, args, sums, kept, seed, target);
}

}  // namespace mote::cuda

// The changes of a set of splats by 3DGS-MCMC, one thread per splat or draw. The result equals that
// of mcmc_edit() on the host: weights and wins are integers, whose sums do not depend on the order.

#include "cuda/kernels/mcmc.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

MOTE_DEVICE unsigned thread_in_grid() {
  return blockIdx.x * kThreads + threadIdx.x;
}

MOTE_KERNEL(kThreads) enlist(McmcEnlistArgs args) {
  const unsigned splat = thread_in_grid();
  if (splat >= args.count) return;
  const SplatGeometry geometry = load_geometry(args.planes, args.geometry, splat);
  const bool broken = args.broken != nullptr && args.broken[splat] != 0;
  const bool lives = mcmc_lives(broken, geometry.logit_opacity, args.dead_logit);
  const McmcMember member = mcmc_member(geometry, splat);
  args.members[splat] = member;
  args.weights[splat] = lives ? lottery_weight(member.opacity) : 0;
  args.dead[splat] = lives ? 0 : 1;
}

MOTE_KERNEL(kThreads)
list_dead(const std::uint64_t* sums, unsigned count, std::uint32_t* numbers) {
  const unsigned splat = thread_in_grid();
  if (splat >= count) return;
  const std::uint64_t before = splat == 0 ? 0 : sums[splat - 1];
  if (sums[splat] > before) numbers[before] = splat;
}

MOTE_KERNEL(kThreads) weigh(const McmcMember* members, unsigned count, std::uint64_t* weights) {
  const unsigned i = thread_in_grid();
  if (i < count) weights[i] = lottery_weight(members[i].opacity);
}

MOTE_KERNEL(kThreads) draw(McmcDrawArgs args) {
  const unsigned i = thread_in_grid();
  if (i >= args.draws) return;
  const std::uint32_t winner =
      lottery_winner(args.sums, args.count, random_bits(args.seed, args.first_number + i));
  args.winners[i] = winner;
  atomicAdd(&args.wins[winner], 1u);
}

// Four blocks per multiprocessor: with five the compiler would spill.
MOTE_KERNEL(kThreads, 4)
share_out(McmcMember* members, unsigned* wins, unsigned count, bool scaling) {
  const unsigned i = thread_in_grid();
  if (i >= count || wins[i] == 0) return;
  share(members[i], static_cast<int>(wins[i]) + 1, scaling);
  wins[i] = 0;
}

MOTE_KERNEL(kThreads) copy(McmcCopyArgs args) {
  const unsigned i = thread_in_grid();
  if (i >= args.count) return;
  const unsigned target = args.targets == nullptr ? args.first_target + i : args.targets[i];
  args.members[target] = args.members[args.winners[i]];
}

MOTE_KERNEL(kThreads)
write_set(const McmcMember* members, unsigned count, const float* geometry, EditTarget target) {
  const unsigned i = thread_in_grid();
  if (i >= count) return;
  const McmcMember member = members[i];
  const SplatGeometry source = load_geometry(target.planes, geometry, member.source);
  store_geometry(target.planes, member_geometry(member, source), target.geometry, i);
  target.source[i] = member.source;
  target.forget[i] = static_cast<std::uint8_t>(member.changed);
}

LaunchShape shape(unsigned count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_mcmc_enlist(const McmcEnlistArgs& args, cudaStream_t stream) {
  launch(enlist, shape(args.count, "sorting splats out"), stream, args);
}

void run_mcmc_list_dead(const std::uint64_t* sums, unsigned count, std::uint32_t* numbers,
                        cudaStream_t stream) {
  launch(list_dead, shape(count, "listing splats"), stream, sums, count, numbers);
}

void run_mcmc_weigh(const McmcMember* members, unsigned count, std::uint64_t* weights,
                    cudaStream_t stream) {
  launch(weigh, shape(count, "weighing splats"), stream, members, count, weights);
}

void run_mcmc_draw(const McmcDrawArgs& args, cudaStream_t stream) {
  launch(draw, shape(args.draws, "drawing splats"), stream, args);
}

void run_mcmc_share(McmcMember* members, unsigned* wins, unsigned count, bool scaling,
                    cudaStream_t stream) {
  launch(share_out, shape(count, "sharing splats"), stream, members, wins, count, scaling);
}

void run_mcmc_copy(const McmcCopyArgs& args, cudaStream_t stream) {
  launch(copy, shape(args.count, "copying splats"), stream, args);
}

void run_mcmc_write(const McmcMember* members, unsigned count, const float* geometry,
                    const EditTarget& target, cudaStream_t stream) {
  launch(write_set, shape(count, "relocating splats"), stream, members, count, geometry, target);
}

}  // namespace mote::cuda

// The memory that a trainer of a NeRF holds on the CPU.
#include <gtest/gtest.h>
#include <malloc.h>

#include <variant>

#include "cpu/cpu_field.h"
#include "support/own_memory.h"
#include "support/tiny_field.h"
#include "support/tiny_proposals.h"

namespace mote {
namespace {

std::size_t allocated_bytes() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Bytes that the trainer of a field holds beside those that it counts.
std::size_t uncounted_bytes(const NeuralField& field) {
  ThreadPool pool(1);
  const std::size_t before = allocated_bytes();
  const auto trainer = make_cpu_field_trainer(field, {}, {}, *best_kernels(), pool);
  return allocated_bytes() - before - trainer->state_bytes() - trainer->step_bytes();
}

TEST(FieldTrainerMemory, HasTheParametersOfProposalsOnlyInTheirOptimisers) {
  if (!kOwnMemory) GTEST_SKIP() << "a sanitizer has an allocator of its own";
  NeuralField field = tiny_field(FieldApplication::nerf, 5);
  field.proposals = tiny_proposals();
  const std::size_t of_few = uncounted_bytes(field);
  for (ProposalRound& round : field.proposals->rounds) {
    std::get<GridEncoding>(round.config.encoding->parts.front().kind).grid = {.levels = 4,
                                                                              .features = 2,
                                                                              .log2_table_size = 16,
                                                                              .base_resolution = 32,
                                                                              .per_level_scale = 2};
    round.parameters.assign(proposal_parameters(round), 0.0f);
  }
  const std::size_t parameters = proposal_parameters(*field.proposals);
  EXPECT_GT(parameters, 500'000u);
  EXPECT_LT(uncounted_bytes(field), of_few + parameters * sizeof(float) / 2);
}

}  // namespace
}  // namespace mote

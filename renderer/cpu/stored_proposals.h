#pragma once

// The proposals of a field that is drawn: the choice of samples, with the parameters of its rounds.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "cpu/field_halves.h"
#include "cpu/proposal_rays.h"

namespace mote {

class StoredProposals {
 public:
  /// Copies the parameters of the field's proposals. `kernels` and `pool` must outlive this.
  StoredProposals(const NeuralField& field, const CpuKernels& kernels, ThreadPool& pool)
      : rays_(field, kernels, pool) {
    const std::vector<ProposalRound>& rounds = field.proposals->rounds;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const std::span<const float> parameters = rounds[r].parameters;
      const std::size_t first = rays_.shape(r).layout.encoding_first;
      Buffer<float>& network = networks_.emplace_back(first);
      std::ranges::copy(parameters.first(first), network.data());
      grids_.push_back(halves_of(parameters.subspan(first), pool));
      tables_.push_back({networks_.back().data(), grids_.back().data()});
    }
  }

  ProposalRays& rays() { return rays_; }
  std::span<const FieldParameters> tables() const { return tables_; }

 private:
  ProposalRays rays_;
  std::vector<Buffer<float>> networks_;
  std::vector<Buffer<std::uint16_t>> grids_;
  std::vector<FieldParameters> tables_;
};

}  // namespace mote

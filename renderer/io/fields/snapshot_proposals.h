#pragma once

// The proposals of a NeRF in a snapshot: Mote's own key snapshot/proposals, which other programs
// ignore.

#include <nlohmann/json.hpp>
#include <string>

#include "fields/neural_field.h"

namespace mote {

/// Reads and checks snapshot/proposals without its arrays. `name`: of the file. Throws Error, which
/// names the key.
ProposalSampler read_proposals(const nlohmann::json& proposals, const std::string& name);

/// The inverse.
nlohmann::json proposals_json(const ProposalSampler& proposals);

/// The path of a round's parameters.
std::string proposal_array(std::size_t round);

}  // namespace mote

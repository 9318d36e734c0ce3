#include "io/fields/snapshot_proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_config_file.h"
#include "io/fields/field_config_json.h"
#include "io/json_object.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr double kMostRoundParameters = 1 << 28;

int read_samples(const JsonObject& object) {
  const double samples = object.number("samples");
  if (!(samples >= 1 && samples <= kMostProposalSamples) || samples != std::floor(samples)) {
    object.fail("samples", fmt::format("expected a whole number from 1 to {}, found {}",
                                       kMostProposalSamples, samples));
  }
  return static_cast<int>(samples);
}

bool lacks_growth(const EncodingPart& part) {
  const auto* grid = std::get_if<GridEncoding>(&part.kind);
  return grid != nullptr && !grid->has_growth;
}

ProposalRound read_round(const json& all, const std::string& where) {
  const JsonObject object(all, where);
  const ConfigText text(all, where);
  const ConfigObject config(text.top(), text, "");
  ProposalRound round;
  round.samples = read_samples(object);
  round.config = read_field_config_part(config, {.position = 3});
  if (!round.config.encoding || round.config.encoding->outputs() == 0) {
    object.fail("encoding", "is missing, or gives no values");
  }
  if (!round.config.network) object.fail("network", "is missing");
  if (std::ranges::any_of(round.config.encoding->parts, lacks_growth)) {
    object.fail("encoding", "has a grid without per_level_scale");
  }
  if (round.config.density.kind != DensityKind::exponential) {
    object.fail("density_activation", "densities of proposals are exponentials, remove the key");
  }
  const std::size_t count = proposal_parameters(round);
  const double found = object.number("n_params");
  if (found != static_cast<double>(count) || found > kMostRoundParameters) {
    object.fail("n_params", fmt::format("the network and the encoding have {} parameters, at most "
                                        "{} are read, found {}",
                                        count, kMostRoundParameters, found));
  }
  return round;
}

}  // namespace

ProposalSampler read_proposals(const json& proposals, const std::string& name) {
  const std::string where = name + ", snapshot, proposals";
  const JsonObject object(proposals, where);
  ProposalSampler read;
  read.samples = read_samples(object);
  const std::size_t count = object.objects("rounds", "round").size();
  if (count > kMostProposalRounds) {
    object.fail("rounds",
                fmt::format("expected at most {} rounds, found {}", kMostProposalRounds, count));
  }
  for (std::size_t r = 0; r < count; ++r) {
    read.rounds.push_back(
        read_round(proposals["rounds"][r], fmt::format("{}, rounds, {}", where, r)));
  }
  return read;
}

json proposals_json(const ProposalSampler& proposals) {
  json rounds = json::array();
  for (const ProposalRound& round : proposals.rounds) {
    json own = field_config_json(round.config);
    own["samples"] = round.samples;
    own["n_params"] = round.parameters.size();
    rounds.push_back(std::move(own));
  }
  return {{"samples", proposals.samples}, {"rounds", std::move(rounds)}};
}

std::string proposal_array(std::size_t round) {
  return fmt::format("proposals/rounds/{}/params_binary", round);
}

}  // namespace mote

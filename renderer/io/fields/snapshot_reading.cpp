#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "fields/proposals/proposal_layout.h"
#include "io/decompression.h"
#include "io/fields/field_snapshot.h"
#include "io/fields/snapshot_arrays.h"
#include "io/fields/snapshot_facts.h"
#include "io/fields/snapshot_proposals.h"
#include "io/json_object.h"
#include "io/message_pack.h"
#include "math/half.h"

namespace mote {
namespace {

bool is_map(unsigned type) {
  return (type >= 0x80 && type < 0x90) || type == 0xde || type == 0xdf;
}

/// Whether a map of MessagePack begins with a text and has a map at "snapshot" or "encoding".
bool is_packed_config(std::span<const std::byte> head) {
  const unsigned type = byte_at(head, 0);
  const unsigned key = byte_at(head, type == 0xde ? 3 : type == 0xdf ? 5 : 1);
  if (!is_map(type) || !((key >= 0xa0 && key < 0xc0) || key == 0xd9)) return false;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return std::ranges::any_of(std::array{"snapshot", "encoding"}, [&](const std::string& name) {
    constexpr char kTextOf8 = '\xa8';
    const std::size_t at = text.find(kTextOf8 + name);
    return at != text.npos && is_map(byte_at(head, at + 1 + name.size()));
  });
}

/// Densities that were too large for a half become the largest.
void check_densities(std::span<float> values, const std::string& name) {
  const auto bad = std::ranges::count_if(values, [](float v) { return std::isnan(v); });
  if (bad > 0) refuse_numbers(bad, values.size(), name, "density_grid_binary");
  for (float& value : values) value = std::clamp(value, -kLargestHalfFloat, kLargestHalfFloat);
}

/// Makes room for the densities, and returns their place; an empty one if there are none to read.
PackedBinary prepare_densities(const MessagePack& pack, NeuralField& field,
                               const std::string& name) {
  constexpr const char* kKey = "density_grid_binary";
  const auto& snapshot = pack.top["snapshot"];
  if (field.application != FieldApplication::nerf &&
      (field.application != FieldApplication::volume || !snapshot.contains(kKey))) {
    return {};
  }
  const JsonObject facts(snapshot, name + ", snapshot");
  if (const double side = facts.number("density_grid_size"); side != kOccupancySide) {
    facts.fail("density_grid_size", fmt::format("expected {}, found {}", kOccupancySide, side));
  }
  const int cascades = cascades_of(field.aabb_scale);
  const std::size_t cells = kOccupancyCells * static_cast<std::size_t>(cascades);
  const auto found = pack.binaries.find(std::string("snapshot/") + kKey);
  const bool unfilled = found != pack.binaries.end() && found->second.size == 0;
  PackedBinary place;
  if (!unfilled) place = binary_of(pack, kKey, cells * sizeof(std::uint16_t), name);
  field.occupancy = {cascades, allocated_values(cells, name)};
  if (unfilled) field.warnings.emplace_back("it was not trained: its density grid is empty");
  return place;
}

struct WantedArray {
  PackedBinary place;
  bool half;
  std::span<float> values;
};

/// Adds the parameters of the proposals.
void add_proposals(const MessagePack& pack, bool half, const std::string& name, NeuralField& field,
                   std::vector<WantedArray>& wanted) {
  if (!field.proposals) return;
  const std::size_t width = half ? sizeof(std::uint16_t) : sizeof(float);
  for (std::size_t r = 0; r < field.proposals->rounds.size(); ++r) {
    ProposalRound& round = field.proposals->rounds[r];
    const std::size_t count = proposal_parameters(round);
    const PackedBinary place = binary_of(pack, proposal_array(r), count * width, name);
    round.parameters = allocated_values(count, name);
    wanted.push_back({place, half, round.parameters});
  }
}

void check_proposals(const NeuralField& field, const std::string& name) {
  if (!field.proposals) return;
  for (std::size_t r = 0; r < field.proposals->rounds.size(); ++r) {
    check_finite(field.proposals->rounds[r].parameters, name, proposal_array(r));
  }
}

struct FirstPass {
  MessagePack pack;
  SnapshotFacts facts;
};

/// The values of a snapshot, and the places of its arrays.
FirstPass read_first_pass(const SnapshotContent& content, const std::string& name) {
  const std::unique_ptr<Decompressor> stream = content.open();
  FirstPass all{.pack = read_message_pack(*stream, content.name()), .facts = {}};
  all.facts = read_snapshot_facts(all.pack.top, name);
  // Reads to the end, where zlib checks the checksum.
  if (const std::uint64_t rest = stream->count_rest(kMostRest); rest > 0) {
    all.facts.field.warnings.push_back(
        fmt::format("{} bytes after the snapshot were ignored", rest));
  }
  return all;
}

}  // namespace

bool probe_field_snapshot(std::span<const std::byte> head) {
  if (!is_compressed(head)) return is_packed_config(head);
  std::array<std::byte, 4096> content;
  return is_packed_config(std::span(content).first(inflate_head(head, content)));
}

NeuralField read_snapshot_field(const InputFile& file) {
  const SnapshotContent content(file);
  return read_first_pass(content, file.name()).facts.field;
}

NeuralField read_field_snapshot(const InputFile& file,
                                const std::function<void(double)>& progress) {
  const SnapshotContent content(file);
  auto [pack, facts] = read_first_pass(content, file.name());
  auto& [field, parameters, half] = facts;
  if (progress) progress(0.5);
  const PackedBinary own =
      binary_of(pack, "params_binary", parameters * (half ? sizeof(std::uint16_t) : sizeof(float)),
                file.name());
  const PackedBinary densities = prepare_densities(pack, field, file.name());
  field.parameters = allocated_values(static_cast<std::size_t>(parameters), file.name());
  const std::span<float> grid =
      densities.size > 0 ? std::span(field.occupancy.values) : std::span<float>();
  std::vector<WantedArray> wanted{{own, half, field.parameters}};
  if (!grid.empty()) wanted.push_back({densities, true, grid});
  add_proposals(pack, half, file.name(), field, wanted);
  std::ranges::sort(wanted, {}, [](const WantedArray& array) { return array.place.offset; });
  SnapshotArrays arrays(content, pack.size, progress);
  for (const WantedArray& array : wanted) arrays.read(array.place, array.half, array.values);
  check_finite(field.parameters, file.name(), "params_binary");
  check_proposals(field, file.name());
  check_densities(grid, file.name());
  if (progress) progress(1);
  return std::move(field);
}

}  // namespace mote

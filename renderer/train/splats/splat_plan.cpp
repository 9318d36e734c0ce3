// The row of splats in the table of models, the options that a run keeps, and estimates of its
// cost.
#include <algorithm>
#include <cmath>

#include "io/splats/scene_format.h"
#include "splats/kinds/splat_kind.h"
#include "train/splats/pages/page_pool.h"
#include "train/splats/splat_learner.h"
#include "train/splats/splat_limit.h"
#include "train/splats/splat_model.h"

namespace mote {
namespace {

constexpr int kMostSplats = 1'000'000'000;  // of the options

/// Bytes per splat of the lists that a change of the set needs. To choose: geometry and lists of
/// the strategy. To move: DensityEdit and the order.
constexpr std::uint64_t kChoiceBytes = 150, kMoveBytes = 90;
/// Bytes per splat of SH degree 3 in a format that is quantised and compressed in memory.
constexpr std::uint64_t kExportBytes = 130;
/// Bytes per splat while the first splats are placed, without harmonics: the splats and their
/// seeds, neighbours and order.
constexpr std::uint64_t kPlacingBytes = 260;

/// Extrapolates a trainer's memory from `measured_splats` to `splats` splats. The number of
/// splat-tile pairs is proportional to the number of small splats. For large splats, which share a
/// volume, it is proportional to the cube root of their number. For more splats than measured, the
/// estimate adds both.
LearnerMemory extrapolated(const LearnerMemory& measured, std::uint64_t measured_splats,
                           std::uint64_t splats) {
  constexpr double kPairBytes = 136, kViewBytes = 90;  // for small splats
  const auto count = static_cast<double>(splats);
  const double ratio = count / static_cast<double>(std::max<std::uint64_t>(measured_splats, 1));
  const auto grown = [&](std::uint64_t bytes, double of_each) {
    const double large = static_cast<double>(bytes) * std::cbrt(ratio);
    return static_cast<std::uint64_t>(ratio > 1 ? large + of_each * count
                                                : static_cast<double>(bytes) * ratio);
  };
  LearnerMemory result = measured;
  result.state = static_cast<std::uint64_t>(static_cast<double>(measured.state) * ratio);
  result.work = grown(measured.work, kPairBytes);
  result.view = grown(measured.view, kViewBytes);
  return result;
}

/// Bytes of the images from which splats are born, given those of the images of a step: 11 floats a
/// pixel beside 7.
std::uint64_t birth_bytes(const TrainOptions& options, const LearnerMemory& measured) {
  return has_births(options) ? measured.pixels / 7 * 11 : 0;
}

/// Memory of a run that holds only a part of its splats.
ModelMemory paged_memory(const TrainOptions& options, const LearnerMemory& measured,
                         std::uint64_t measured_count, std::uint64_t count) {
  const std::uint64_t in_memory = splats_in_memory(options);
  const std::uint64_t each = splat_form(options).floats() * sizeof(float);
  ModelMemory memory{.held = extrapolated(measured, std::min(measured_count, in_memory), in_memory),
                     .work_name = "pairs",
                     .exported = count * (each + kExportBytes),
                     .evaluated = in_memory * each,
                     .fitted = in_memory * each,
                     .file_bytes = count * bytes_at_rest(splat_form(options))};
  const std::uint64_t placing = count * kPlacingBytes;
  memory.changes = {{.name = "the first splats are placed",
                     .part = "first splats",
                     .bytes = placing - std::min(placing, memory.held.state)},
                    {.name = "splats are chosen to be moved",
                     .part = "choice",
                     .bytes = in_memory * kChoiceBytes + birth_bytes(options, measured),
                     .beside_step = true},
                    {.name = "splats are moved or exchanged with the file",
                     .part = "copies",
                     .bytes = in_memory * (each + kMoveBytes)}};
  return memory;
}

std::unique_ptr<HostModel> read_splats(const std::filesystem::path& file,
                                       const std::function<void(double)>& progress) {
  return std::make_unique<HostSplats>(load_scene(file, progress));
}

std::unique_ptr<LearnerPlan> splat_plan(const OptionTable& chosen) {
  TrainOptions options;
  OptionTable table;
  options.describe(table);
  table.take(chosen);
  return std::make_unique<SplatPlan>(options);
}

}  // namespace

const ModelEntry kSplatModel{.kind = ModelKind::splats,
                             .name = "splats",
                             .one = "splat",
                             .many = "splats",
                             .file_prefix = "splat_",
                             .extension = "ply",
                             .size_option = "--max-splats",
                             .rate_option = "--scale-lr 0.001",
                             .read = read_splats,
                             .plan = splat_plan};

/// All options but those that a resumed run may change, since the saved state does not depend on
/// them: learning rates, the length of the run, and the limits on splats and their memory.
std::vector<OptionText> SplatPlan::kept_options() const {
  TrainOptions options = options_;
  OptionTable table, rates;
  options.describe(table);
  options.rates.describe(rates);
  options.correction_rates.describe(rates);
  std::vector<OptionText> texts;
  for (const Option& option : table.options()) {
    if (option.name == "steps" || option.name == "time-budget" || option.name == "max-splats" ||
        option.name == "splat-memory") {
      continue;
    }
    if (rates.find(option.name) != nullptr) continue;
    texts.push_back({option.name, option_text(option)});
  }
  return texts;
}

/// As many of the splats as fit into --splat-memory.
std::unique_ptr<LearnerPlan> SplatPlan::at_full_detail(std::optional<std::uint64_t> count) const {
  TrainOptions options = options_;
  if (const std::size_t most = splats_in_memory(options); most > 0) {
    const auto at_most = [&](int number) {
      return static_cast<int>(std::min(static_cast<std::size_t>(number), most));
    };
    options.splat_memory_gb = 0;
    if (options.target_splats > 0) options.target_splats = at_most(options.target_splats);
    options.max_splats = at_most(options.max_splats > 0 ? options.max_splats : kMostSplats);
    if (count) count = std::min<std::uint64_t>(*count, most);
  }
  options.sh_every = 1;
  options.surface.distortion_from = options.surface.normal_from = 0;
  if (count) {
    options.init = "random";
    options.random_init = true;
    options.init_count = static_cast<int>(*count);
    options.max_splats = options.init_count;
  }
  return std::make_unique<SplatPlan>(options);
}

std::uint64_t SplatPlan::last_count(const Dataset& dataset) const {
  return options_.target_splats > 0 ? static_cast<std::uint64_t>(options_.target_splats)
                                    : splat_limit(dataset, options_);
}

std::optional<MemoryEstimate> SplatPlan::device_memory(const Backend& backend,
                                                       const Dataset& dataset,
                                                       bool velocities) const {
  const TrainOptions options = settled(options_, dataset);
  MemoryRequest request = training_request(dataset, options);
  // They are not measured if only a part of the splats is in memory.
  request.velocities = velocities && !are_paged(options, last_count(dataset));
  return backend.memory_for(request);
}

ModelMemory SplatPlan::memory(const LearnerMemory& measured, std::uint64_t measured_count,
                              std::uint64_t count, bool on_device) const {
  constexpr std::uint64_t kSnapshot = 3;  // parameters and two moments, copied from a device
  const SplatForm splat = splat_form(options_);
  // Two sets with velocities as colours, and one that is being made, of which a device has two.
  const SplatForm colored{splat.kind, 0, splat.motion};
  const std::uint64_t velocities = count * colored.floats() * sizeof(float) * (on_device ? 1 : 3);
  if (are_paged(options_, count)) return paged_memory(options_, measured, measured_count, count);
  const std::uint64_t parameters = count * splat.floats() * sizeof(float);
  ModelMemory memory{.held = extrapolated(measured, measured_count, count),
                     .work_name = "pairs",
                     .saved = on_device ? kSnapshot * parameters : parameters,
                     .exported = count * kExportBytes,
                     .evaluated = parameters,
                     .fitted = parameters,
                     .velocities = parameters + velocities};
  if (on_device) return memory;
  memory.changes = {{.name = "splats are chosen to be split or moved",
                     .part = "choice",
                     .bytes = count * kChoiceBytes + birth_bytes(options_, measured),
                     .beside_step = true},
                    {.name = "splats are split or moved",
                     .part = "copies",
                     .bytes = parameters + count * kMoveBytes}};
  return memory;
}

}  // namespace mote

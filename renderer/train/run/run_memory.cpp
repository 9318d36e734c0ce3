// The peak host memory of a training run: the sum of its parts at each of its phases, from the
// sizes of buffers in cpu/, backend/ and train/. TrainingCapacity covers the memory of a device.
#include "train/run/run_memory.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "math/ssim.h"
#include "splats/splat_fields.h"

namespace mote {
namespace {

/// Freed heap that is not returned to the system, thread stacks, tables of libraries.
constexpr std::uint64_t kRuntimeBytes = 2'000'000;
/// Per-splat lists for a change of the set, with their geometry: strategies, DensityEdit, the
/// order.
constexpr std::uint64_t kChoiceBytes = 150, kMoveBytes = 90;
/// Bytes per splat of SH degree 3, quantised and compressed.
constexpr std::uint64_t kExportBytes = 130;
constexpr std::uint64_t kColorBytes = 3 * sizeof(float), kMaskBytes = sizeof(float);

using Parts = std::vector<MemoryPart>;

std::uint64_t parameter_bytes(const RunMemoryFacts& facts) {
  const auto floats =
      static_cast<std::uint64_t>(int{kFieldCount} + 3 * sh_coefficient_count(facts.sh_degree));
  return floats * sizeof(float);
}

bool all_photos_stay(const RunMemoryFacts& facts) {
  return facts.photo_bytes <= facts.photo_budget_bytes;
}

/// Photographs beyond the budget are streamed: one is in use besides those that are kept, and
/// others are being decoded at any moment.
std::uint64_t photo_bytes(const RunMemoryFacts& facts) {
  if (all_photos_stay(facts)) return facts.photo_bytes;
  return std::max(facts.photo_budget_bytes, facts.largest_photo_bytes) + facts.largest_photo_bytes +
         facts.decoding_bytes;
}

/// Parts that exist from the first step to the last.
Parts standing(const RunMemoryFacts& facts) {
  return {{"process", facts.process_bytes + kRuntimeBytes},
          {"photographs", photo_bytes(facts)},
          {"splats", facts.trainer.splats, true}};
}

MemoryMoment moment(const char* name, Parts parts, std::initializer_list<MemoryPart> more) {
  parts.insert(parts.end(), more.begin(), more.end());
  std::erase_if(parts, [](const MemoryPart& part) { return part.bytes == 0; });
  return {name, std::move(parts)};
}

/// The rendering of the test view for metrics.csv. Its memory is kept for the next one.
std::uint64_t metrics_bytes(const RunMemoryFacts& facts) {
  return facts.tested ? facts.pixels * kColorBytes : 0;
}

/// A rendering, its photograph as floats, and the bands of rows under comparison.
std::uint64_t comparison_bytes(const RunMemoryFacts& facts) {
  constexpr std::uint64_t kBandRows = 32 + 2 * kSsimRadius, kPlanes = 4;
  const auto threads = static_cast<std::uint64_t>(usable_cpus());
  return facts.pixels * (kColorBytes + (facts.masks ? kMaskBytes : 0)) +
         threads * kBandRows * kPlanes * facts.width * sizeof(double);
}

std::uint64_t evaluation_bytes(const RunMemoryFacts& facts) {
  const std::uint64_t pictures = facts.pictures ? facts.pixels * kColorBytes : 0;
  return facts.pixels * kColorBytes + comparison_bytes(facts) + pictures;
}

/// Decoding of photographs that all fit, during the first steps.
MemoryMoment decoding(const RunMemoryFacts& facts) {
  const std::uint64_t passing = all_photos_stay(facts) ? facts.decoding_bytes : 0;
  return moment("photographs are decoded", standing(facts),
                {{"decoding", passing}, {"images", facts.trainer.pixels}});
}

MemoryMoment stepping(const RunMemoryFacts& facts) {
  const std::uint64_t tests = facts.tested ? metrics_bytes(facts) + comparison_bytes(facts) : 0;
  return moment("steps are taken", standing(facts),
                {{"images", facts.trainer.pixels + tests},
                 {"pairs", facts.trainer.pairs + (facts.tested ? facts.trainer.view : 0), true}});
}

MemoryMoment choosing(const RunMemoryFacts& facts) {
  if (facts.on_device) return {};
  return moment("splats are chosen to be split or moved", standing(facts),
                {{"images", facts.trainer.pixels + metrics_bytes(facts)},
                 {"pairs", facts.trainer.pairs + (facts.tested ? facts.trainer.view : 0), true},
                 {"choice", facts.splats * kChoiceBytes, true}});
}

MemoryMoment moving(const RunMemoryFacts& facts) {
  if (facts.on_device) return {};
  return moment("splats are split or moved", standing(facts),
                {{"images", metrics_bytes(facts)},
                 {"copies", facts.splats * (parameter_bytes(facts) + kMoveBytes), true}});
}

MemoryMoment saving(const RunMemoryFacts& facts) {
  constexpr std::uint64_t kSnapshot = 3;  // parameters and two moments, copied from a device
  const std::uint64_t copies = facts.on_device ? kSnapshot : 1;
  const std::uint64_t exported = facts.exported ? kExportBytes : 0;
  return moment("the scene is saved", standing(facts),
                {{"images", metrics_bytes(facts)},
                 {"copies", facts.splats * (copies * parameter_bytes(facts) + exported), true}});
}

/// The gradients of all splats. A pose fit computes them without using them.
std::uint64_t gradient_bytes(const RunMemoryFacts& facts) {
  return facts.poses_fitted ? facts.splats * parameter_bytes(facts) : 0;
}

MemoryMoment evaluating(const RunMemoryFacts& facts) {
  if (!facts.evaluated) return {};
  const std::uint64_t pairs = facts.poses_fitted ? facts.trainer.pairs : 0;
  return moment("the last evaluation is made", standing(facts),
                {{"images", metrics_bytes(facts) + evaluation_bytes(facts)},
                 {"pairs", facts.trainer.view + pairs, true},
                 {"copies", facts.splats * parameter_bytes(facts) + gradient_bytes(facts), true}});
}

MemoryMoment evaluating_on_the_way(const RunMemoryFacts& facts) {
  if (!facts.evaluated_on_the_way) return {};
  return moment("an evaluation is made", standing(facts),
                {{"images", facts.trainer.pixels + metrics_bytes(facts) + evaluation_bytes(facts)},
                 {"pairs", facts.trainer.pairs + facts.trainer.view, true},
                 {"copies", gradient_bytes(facts), true}});
}

}  // namespace

std::uint64_t MemoryMoment::bytes() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.bytes;
  return sum;
}

std::uint64_t MemoryMoment::splat_bytes() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.of_splats ? part.bytes : 0;
  return sum;
}

RunMemoryFacts memory_facts(const LoadedDataset& data, const TrainOptions& train,
                            const RunOptions& run) {
  const Dataset& dataset = data.dataset;
  RunMemoryFacts facts;
  facts.photo_bytes = data.photos->bytes_needed();
  facts.photo_budget_bytes = data.photos->bytes_budget();
  facts.largest_photo_bytes = data.photos->bytes_of_largest();
  facts.decoding_bytes = data.photos->bytes_decoding();
  // Halved photographs are kept besides the full ones while memory allows.
  const std::uint64_t with_levels = facts.photo_bytes + facts.photo_bytes / 3;
  if (train.resolution_schedule > 0) {
    facts.photo_bytes =
        std::max(facts.photo_bytes, std::min(with_levels, facts.photo_budget_bytes));
  }
  for (const Photograph& photograph : dataset.photographs) {
    const auto width = static_cast<std::uint64_t>(photograph.camera.width);
    facts.width = std::max(facts.width, width);
    facts.pixels =
        std::max(facts.pixels, width * static_cast<std::uint64_t>(photograph.camera.height));
  }
  facts.masks = data.facts.masked > 0;
  facts.sh_degree = train.sh_degree;
  facts.tested = !dataset.test.empty();
  facts.evaluated = run.eval;
  facts.evaluated_on_the_way =
      run.eval && std::ranges::any_of(run.eval_steps, [&](double step) {
        return !train.time_budget.empty() || step < static_cast<double>(train.steps);
      });
  facts.pictures = run.eval_pictures;
  facts.poses_fitted = train.pose_opt && facts.tested;
  facts.exported = std::ranges::any_of(run.exports, [](const auto& name) { return name != "ply"; });
  return facts;
}

MemoryMoment fullest_moment(const RunMemoryFacts& facts) {
  MemoryMoment fullest{"the dataset is read", {{"process", facts.loading_bytes}}};
  for (const auto& moment_of :
       {decoding, stepping, choosing, moving, saving, evaluating, evaluating_on_the_way}) {
    MemoryMoment one = moment_of(facts);
    if (one.bytes() > fullest.bytes()) fullest = std::move(one);
  }
  return fullest;
}

TrainerMemory extrapolated(const TrainerMemory& measured, std::uint64_t measured_splats,
                           std::uint64_t splats) {
  constexpr double kPairBytes = 136, kViewBytes = 90;  // for small splats
  const auto count = static_cast<double>(splats);
  const double ratio = count / static_cast<double>(std::max<std::uint64_t>(measured_splats, 1));
  const auto grown = [&](std::size_t bytes, double of_each) {
    const double large = static_cast<double>(bytes) * std::cbrt(ratio);
    return static_cast<std::size_t>(ratio > 1 ? large + of_each * count
                                              : static_cast<double>(bytes) * ratio);
  };
  TrainerMemory result = measured;
  result.splats = static_cast<std::size_t>(static_cast<double>(measured.splats) * ratio);
  result.pairs = grown(measured.pairs, kPairBytes);
  result.view = grown(measured.view, kViewBytes);
  return result;
}

}  // namespace mote

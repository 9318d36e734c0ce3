// Estimates the peak host memory of a training run. For each phase it adds up the sizes of buffers
// in train/run/ and of the model (model/learner.h). The largest sum is the peak. MemoryEstimate
// (backend/device_memory.h) covers the memory of a device.
#include "train/run/run_memory.h"

#include <algorithm>

#include "train/run/evaluation.h"
#include "train/run/metrics.h"
#include "train/run/sparse_view.h"
#include "train/run/velocity_score.h"

namespace mote {
namespace {

/// Freed heap that is not returned to the system, thread stacks, tables of libraries.
constexpr std::uint64_t kRuntimeBytes = 2'000'000;
constexpr std::uint64_t kColorBytes = 3 * sizeof(float), kMaskBytes = sizeof(float);

using Parts = std::vector<MemoryPart>;

bool all_photos_stay(const RunMemoryFacts& facts) {
  return facts.photo_bytes <= facts.photo_budget_bytes;
}

/// Photographs beyond the budget are streamed: one that is not kept is in use, and others are being
/// decoded at any moment.
std::uint64_t photo_bytes(const RunMemoryFacts& facts) {
  if (all_photos_stay(facts)) return facts.photo_bytes;
  return std::max(facts.photo_budget_bytes, facts.largest_photo_bytes) + facts.largest_photo_bytes +
         facts.decoding_bytes;
}

/// Parts that exist from the first step to the last.
Parts standing(const RunMemoryFacts& facts) {
  return {{"process", facts.process_bytes + kRuntimeBytes},
          {"photographs", photo_bytes(facts)},
          {facts.model_name, facts.model.held.state, true}};
}

MemoryMoment moment(const std::string& name, Parts parts, std::initializer_list<MemoryPart> more) {
  parts.insert(parts.end(), more.begin(), more.end());
  std::erase_if(parts, [](const MemoryPart& part) { return part.bytes == 0; });
  return {name, std::move(parts)};
}

/// The rendering of the test view for metrics.csv. Its memory is kept for the next one.
std::uint64_t metrics_bytes(const RunMemoryFacts& facts) {
  return facts.tested ? facts.metrics_pixels * kColorBytes : 0;
}

/// A rendering, its photograph as floats, and the bands of rows under comparison.
std::uint64_t comparison_bytes(const RunMemoryFacts& facts) {
  return facts.pixels * (kColorBytes + (facts.masks ? kMaskBytes : 0)) +
         image_comparison_bytes(facts.width);
}

/// The rendering of a fitted view, and right halves of the photograph and of one rendering.
std::uint64_t fit_bytes(const RunMemoryFacts& facts) {
  if (!facts.views_fitted) return 0;
  const std::uint64_t halves = 2 * kColorBytes + (facts.masks ? kMaskBytes : 0);
  return facts.pixels * kColorBytes + facts.pixels * halves / 2;
}

/// Images by which a moving scene is scored: the moving pixels; for flicker, errors and weights of
/// this frame and of the one before; for velocities, the true ones and two renderings with alpha.
std::uint64_t motion_bytes(const RunMemoryFacts& facts) {
  constexpr std::uint64_t kMoving = 1, kFlicker = 2 * (3 + 2), kVelocities = 4 + 2 * (3 + 1);
  return facts.pixels * sizeof(float) *
         ((facts.dynamic_masks ? kMoving + kFlicker : 0) + (facts.velocities ? kVelocities : 0));
}

/// The rendering at the time of a fitted clock.
std::uint64_t clock_bytes(const RunMemoryFacts& facts) {
  return facts.clocks_fitted ? facts.pixels * kColorBytes : 0;
}

/// The rendering and its comparison, then the fit of the view, then the picture of differences.
std::uint64_t evaluation_bytes(const RunMemoryFacts& facts) {
  const std::uint64_t pictures = facts.pictures ? facts.pixels * kColorBytes : 0;
  return facts.pixels * kColorBytes + comparison_bytes(facts) + motion_bytes(facts) +
         clock_bytes(facts) + std::max(fit_bytes(facts), pictures) + facts.target_bytes;
}

/// The work of a step, and that of the test view for metrics.csv.
MemoryPart work(const RunMemoryFacts& facts) {
  const LearnerMemory& held = facts.model.held;
  return {facts.model.work_name, held.work + (facts.tested ? held.view : 0), true};
}

/// The first steps, which decode photographs. Only for photographs that all fit into the budget;
/// the others are always being decoded.
MemoryMoment decoding(const RunMemoryFacts& facts) {
  const std::uint64_t passing = all_photos_stay(facts) ? facts.decoding_bytes : 0;
  return moment("photographs are decoded", standing(facts),
                {{"decoding", passing}, {"images", facts.model.held.pixels}});
}

MemoryMoment stepping(const RunMemoryFacts& facts) {
  const std::uint64_t tests = facts.tested ? metrics_bytes(facts) + comparison_bytes(facts) : 0;
  return moment("steps are taken", standing(facts),
                {{"images", facts.model.held.pixels + tests}, work(facts)});
}

MemoryMoment changing(const RunMemoryFacts& facts, const ModelChange& change) {
  const std::uint64_t images = change.beside_step ? facts.model.held.pixels : 0;
  Parts parts = standing(facts);
  parts.push_back({"images", images + metrics_bytes(facts)});
  if (change.beside_step) parts.push_back(work(facts));
  return moment(change.name, std::move(parts), {{change.part, change.bytes, true}});
}

MemoryMoment saving(const RunMemoryFacts& facts) {
  const std::uint64_t exported = facts.exported ? facts.model.exported : 0;
  const bool has_view = facts.evaluated_on_the_way && facts.model.keeps_work;
  return moment("the scene is saved", standing(facts),
                {{"images", metrics_bytes(facts)},
                 {facts.model.work_name, has_view ? facts.model.held.view : 0, true},
                 {"copies", facts.model.saved + exported, true}});
}

/// The gradients by parameters, which a fit of a pose finds and does not use.
std::uint64_t gradient_bytes(const RunMemoryFacts& facts) {
  return facts.poses_fitted ? facts.model.fitted : 0;
}

std::uint64_t velocity_bytes(const RunMemoryFacts& facts) {
  return facts.velocities ? facts.model.velocities : 0;
}

MemoryMoment evaluating(const RunMemoryFacts& facts) {
  if (!facts.evaluated) return {};
  const LearnerMemory& held = facts.model.held;
  const bool has_work = facts.poses_fitted || facts.model.keeps_work;
  return moment(
      "the last evaluation is made", standing(facts),
      {{"images", metrics_bytes(facts) + evaluation_bytes(facts)},
       {facts.model.work_name, held.view + (has_work ? held.work : 0), true},
       {"copies", facts.model.evaluated + gradient_bytes(facts) + velocity_bytes(facts), true}});
}

MemoryMoment evaluating_on_the_way(const RunMemoryFacts& facts) {
  if (!facts.evaluated_on_the_way) return {};
  const LearnerMemory& held = facts.model.held;
  return moment("an evaluation is made", standing(facts),
                {{"images", held.pixels + metrics_bytes(facts) + evaluation_bytes(facts)},
                 {facts.model.work_name, held.work + held.view, true},
                 {"copies", gradient_bytes(facts) + velocity_bytes(facts), true}});
}

}  // namespace

std::uint64_t MemoryMoment::bytes() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.bytes;
  return sum;
}

std::uint64_t MemoryMoment::model_bytes() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.of_model ? part.bytes : 0;
  return sum;
}

RunMemoryFacts memory_facts(const ModelEntry& model, const LoadedDataset& data,
                            const LoopOptions& train, const RunOptions& run) {
  const Dataset& dataset = data.dataset;
  RunMemoryFacts facts;
  facts.model_name = model.name;
  facts.photo_bytes = data.photos->bytes_needed();
  facts.photo_budget_bytes = data.photos->bytes_budget();
  facts.largest_photo_bytes = data.photos->bytes_of_largest();
  // Clocks are searched and fitted with small photographs.
  const bool smaller_levels =
      train.resolution_schedule > 0 || train.motion_parts > 0 || train.camera_clock;
  facts.decoding_bytes = data.photos->bytes_decoding(smaller_levels ? 1 : 0);
  // Halved photographs are kept as well as the full ones while the budget allows it.
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
    const Camera drawn =
        sparse_camera(photograph.camera, metrics_spacing(model.kind, photograph.camera));
    facts.metrics_pixels =
        std::max(facts.metrics_pixels, static_cast<std::uint64_t>(drawn.width) *
                                           static_cast<std::uint64_t>(drawn.height));
  }
  facts.masks = data.facts.masked > 0;
  facts.tested = !dataset.test.empty();
  if (dataset.target != nullptr) {
    facts.target_bytes = dataset.target->evaluation_bytes(run.eval_pictures);
  }
  facts.evaluated = run.eval;
  facts.evaluated_on_the_way =
      run.eval && std::ranges::any_of(run.eval_steps, [&](double step) {
        return !train.time_budget.empty() || step < static_cast<double>(train.steps);
      });
  facts.pictures = run.eval_pictures;
  const std::vector<std::uint32_t>& evaluated = evaluated_views(dataset);
  facts.dynamic_masks = std::ranges::any_of(
      evaluated, [&](std::uint32_t i) { return !dataset.photographs[i].dynamic_mask.empty(); });
  facts.clocks_fitted = train.camera_clock && dataset.time.moves() && facts.tested;
  facts.velocities = has_true_velocities(dataset, evaluated);
  facts.poses_fitted = train.pose_opt && facts.tested;
  facts.views_fitted = (train.exposure || train.pose_opt) && facts.tested;
  facts.exported = std::ranges::any_of(
      run.exports, [&](const std::string& name) { return name != model.extension; });
  return facts;
}

MemoryMoment fullest_moment(const RunMemoryFacts& facts) {
  std::vector<MemoryMoment> moments{
      {"the run begins", {{"process", facts.loading_bytes}}}, decoding(facts), stepping(facts)};
  for (const ModelChange& change : facts.model.changes) moments.push_back(changing(facts, change));
  for (const auto& moment_of : {saving, evaluating, evaluating_on_the_way}) {
    moments.push_back(moment_of(facts));
  }
  return *std::ranges::max_element(moments, {}, &MemoryMoment::bytes);
}

}  // namespace mote

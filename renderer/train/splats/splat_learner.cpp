// Splats in training: the strategy, the schedules and the removal of broken splats.
#include "train/splats/splat_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/byte_stream.h"
#include "core/log.h"
#include "core/machine.h"
#include "train/run/step_random.h"
#include "train/splats/first_splats.h"
#include "train/splats/initial_deformation.h"
#include "train/splats/initial_motion.h"
#include "train/splats/initial_splats.h"
#include "train/splats/pages/page_pool.h"
#include "train/splats/pages/paged_splats.h"
#include "train/splats/pages/paged_trainer.h"
#include "train/splats/schedules.h"
#include "train/splats/splat_limit.h"
#include "train/splats/splat_model.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

// Steps between removals of broken splats while the strategy does not change the set.
constexpr std::uint64_t kCleaningInterval = 100;
// Steps between reorderings while the set of splats does not change. Broken splats are removed at
// these steps, so that no splat index is kept across a reordering.
constexpr std::uint64_t kReorderInterval = 2000;
static_assert(kReorderInterval % kCleaningInterval == 0);

/// Throws Error if the device has too little memory for the run. Adds remarks about its memory.
void check_device_capacity(const Backend& backend, const Dataset& dataset,
                           const TrainOptions& options, const SplatNumbers& splats,
                           InitialRemarks& remarks) {
  const auto memory = backend.memory_for(training_request(dataset, options));
  if (memory) check_capacity(*memory, splats, remarks);
}

SplatNumbers numbers_of(const Dataset& dataset, const TrainOptions& options, std::size_t first) {
  const auto target = static_cast<std::uint64_t>(options.target_splats);
  const std::uint64_t most = target > 0 ? target : splat_limit(dataset, options);
  return {.first = first,
          .most = std::max<std::uint64_t>(most, first),
          .most_asked_for = target > 0 || options.max_splats > 0};
}

std::filesystem::path scratch_folder(const LearnerSite& site) {
  return site.scratch_folder.empty() ? std::filesystem::temp_directory_path() : site.scratch_folder;
}

/// A cloud and the facts about it.
struct FirstCloud {
  SplatCloud cloud;
  FirstSplats facts;
};

/// Makes the first splats of a run.
FirstCloud make_first(const LearnerSite& site, const TrainOptions& options,
                      InitialRemarks& remarks) {
  const StrategyEntry& entry = find_strategy(options.strategy);
  const InitialStyle style{
      .opacity = options.init_opacity > 0 ? options.init_opacity : entry.init_opacity,
      .scale = options.init_scale > 0 ? options.init_scale : entry.init_scale};
  InitialSplats first =
      make_initial_splats(site.dataset, site.layout, options, style, site.seed, site.photos);
  remarks = std::move(first.remarks);
  if (is_deformed(options)) {
    add_deformation(site.dataset, site.layout, options, site.seed, first.cloud);
  }
  const FirstSplats facts{.count = first.cloud.count(),
                          .always = first.always,
                          .sigma_s = first.sigma_s,
                          .times = first.cloud.times,
                          .field = field_shape(first.cloud)};
  return {std::move(first.cloud), facts};
}

/// Splats in the memory of a trainer, all or a part of them: those of `cloud`, the first ones of
/// the run or a placeholder.
std::unique_ptr<SplatTrainer> make_splats(const LearnerSite& site, const TrainOptions& options,
                                          const FirstSplats& first, SplatCloud cloud,
                                          InitialRemarks& remarks) {
  const TrainerSettings settings{.antialiased = options.antialiased,
                                 .absolute_gradients = options.absgrad,
                                 .backward = backward_form(options)};
  const std::size_t most = std::max(static_cast<std::size_t>(first.count),
                                    static_cast<std::size_t>(options.target_splats));
  if (are_paged(options, most)) {
    const std::size_t in_memory = splats_in_memory(options);
    check_device_capacity(site.backend, site.dataset, options,
                          {.first = in_memory, .most = in_memory, .most_asked_for = true}, remarks);
    cloud.antialiased = options.antialiased;
    auto pages = std::make_shared<SplatPages>(scratch_folder(site), cloud, options.sh_degree, most);
    remarks.notes.push_back(fmt::format(
        "{} of {} splats fit into memory (--splat-memory): training goes from window "
        "to window of time, and the others are in a file of {} in {}",
        in_memory, most, bytes_text(pages->file_bytes()), scratch_folder(site).string()));
    return std::make_unique<PagedTrainer>(site.backend, std::move(pages), settings, in_memory);
  }
  check_device_capacity(site.backend, site.dataset, options,
                        numbers_of(site.dataset, options, static_cast<std::size_t>(first.count)),
                        remarks);
  return site.backend.make_trainer(std::move(cloud), settings);
}

constexpr const char* kOtherMemory =
    "resume with a --splat-memory that holds all splats, or not all, as before";

/// The places of some training cameras, and the size of their pixels.
std::vector<SightPoint> sight_points(const Dataset& dataset) {
  constexpr std::size_t kMost = 64;
  std::vector<SightPoint> points;
  const std::size_t stride = dataset.train.size() / kMost + 1;
  for (std::size_t i = 0; i < dataset.train.size(); i += stride) {
    const Camera& camera = dataset.photographs[dataset.train[i]].camera;
    points.push_back({camera.position_world(), std::max(camera.focal_px.x, camera.focal_px.y)});
  }
  return points;
}

class SplatLearner : public Learner {
 public:
  SplatLearner(const LearnerSite& site, const TrainOptions& options)
      : site_(site),
        options_(options),
        extent_(site.layout.extent),
        times_(scene_times(site.dataset)),
        cameras_(sight_points(site.dataset)),
        velocities_known_(starts_from_points(options) && has_moving_points(site.dataset)),
        white_background_(site.white_background),
        seed_(site.seed),
        strategy_(find_strategy(options.strategy).make(options)),
        most_splats_(splat_limit(site.dataset, options)) {
    if (site.resumes) return;  // begins in restore_counts()
    FirstCloud first = make_first(site, options, remarks_);
    begin(first.facts, std::move(first.cloud));
  }

  const ModelEntry& model() const override { return kSplatModel; }
  const InitialRemarks& initial_remarks() const override { return remarks_; }

  int detail_at(const RunPosition& position) const override {
    // The SH of a trained scene are used from the first step.
    return starts_from_file(options_) ? options_.sh_degree : sh_degree_at(options_, position);
  }

  void change(const RunPosition& position, const LearnRequest* next) override {
    if (paged_ != nullptr && next != nullptr) open_window(*next);
    StrategyContext now = context(position);
    now.next = next;
    const StrategyReport report = strategy_->after_step(now, *splats_);
    if (report.edited) {
      broken_.clear();
    } else if (!broken_.empty() && position.steps_done % kCleaningInterval == 0) {
      drop_broken();
    } else if (position.steps_done % kReorderInterval == 0) {
      splats_->reorder();
    }
    check_count(position);
  }

  std::vector<std::size_t> windows(std::span<const double> times_s) override {
    return paged_ != nullptr ? paged_->windows(times_s) : std::vector<std::size_t>();
  }

  std::vector<PhotoStepResult> step(std::span<const LearnRequest> photographs) override {
    const LearnRequest& request = photographs.front();
    if (paged_ != nullptr) open_window(request);
    StepRequest asked = photo_request(request);
    asked.step = request.position.steps_done + 1;
    asked.rates = learning_rates(options_.rates, extent_, request.position, times_.duration_s,
                                 velocities_known_);
    if (options_.velocity == "none") {
      asked.rates.velocity = asked.rates.quadratic = asked.rates.cubic = asked.rates.spin = 0;
    }
    if (is_deformed(options_)) asked.deformation = deformation_step(options_, request.position);
    set_surface_weights(options_.surface, request.position, asked.loss);
    asked.noise_seed = step_seed(seed_, asked.step, StepUse::noise);
    strategy_->prepare(context(request.position), asked);
    StepResult result = splats_->step(asked);
    whole_ = false;
    if (std::isfinite(result.loss)) note_broken(asked.step, request.view.name, result);
    whole_ = true;
    return {result};
  }

  void finish(const RunPosition& position) override {
    if (broken_.empty()) return;
    drop_broken();
    check_count(position);
  }

  bool is_whole() const override { return whole_ && splats_->is_whole(); }

  Differentiable& drawable() override { return *drawable_; }

  std::uint64_t count() const override {
    return paged_ != nullptr ? paged_->total() : splats_->count();
  }
  std::uint64_t most_count() const override {
    const auto target = static_cast<std::uint64_t>(options_.target_splats);
    return target > 0 ? target : most_splats_;
  }
  std::uint64_t broken_count() const override { return broken_count_; }
  LearnerMemory host_memory() const override {
    const TrainerMemory memory = splats_->host_memory();
    return {
        .state = memory.splats, .pixels = memory.pixels, .work = memory.pairs, .view = memory.view};
  }

  std::unique_ptr<HostModel> copy() const override {
    if (paged_ != nullptr) return std::make_unique<PagedSplats>(paged_->pages());
    SplatCloud cloud = splats_->cloud();
    cloud.antialiased = options_.antialiased;
    return std::make_unique<HostSplats>(std::move(cloud));
  }

  void save_counts(ByteSink& sink) const override {
    sink.put(broken_count_);
    sink.put_all(std::span<const std::uint32_t>(broken_));
    first_.save(sink);
  }
  void restore_counts(ByteSource& source) override {
    broken_count_ = source.get<std::uint64_t>();
    broken_ = get_all<std::uint32_t>(source);
    const FirstSplats first = FirstSplats::restored(source);
    if (drawable_ == nullptr) {
      begin(first, placeholder_of(first, options_));
    } else {
      note(first);
    }
  }
  void save(ByteSink& sink) const override {
    sink.put(static_cast<std::uint32_t>(paged_ != nullptr));
    splats_->save(sink);
  }
  void restore(ByteSource& source) override {
    if ((source.get<std::uint32_t>() != 0) != (paged_ != nullptr)) {
      throw Error(paged_ != nullptr ? "the run has all splats in memory"
                                    : "the run has only a part of its splats in memory",
                  "the saved training state", kOtherMemory);
    }
    splats_->restore(source);
    most_splats_ = std::max(most_splats_, static_cast<std::size_t>(count()));
    whole_ = true;
  }

 private:
  void note(const FirstSplats& first) {
    first_ = first;
    bounds_ = first.bounds(options_, times_.duration_s);
    most_splats_ = std::max(most_splats_, static_cast<std::size_t>(first.count));
  }

  void begin(const FirstSplats& first, SplatCloud cloud) {
    note(first);
    drawable_ = std::make_unique<SplatsInTraining>(
        make_splats(site_, options_, first, std::move(cloud), remarks_), options_.antialiased,
        SceneExtent{site_.layout.focus, extent_}, range_of(options_));
    splats_ = &drawable_->trainer();
    paged_ = dynamic_cast<PagedTrainer*>(splats_);
  }

  StrategyContext context(const RunPosition& position) const {
    return {.position = position,
            .extent = extent_,
            .max_splats = most_splats_,
            .target_splats = static_cast<std::uint64_t>(options_.target_splats),
            .white_background = white_background_,
            .mean_rate = learning_rates(options_.rates, extent_, position).mean,
            .times = times_,
            .resting = paged_ != nullptr ? paged_->resting() : 0,
            .most_in_memory = paged_ != nullptr ? paged_->most_in_memory() : 0,
            .lives = bounds_,
            .cameras = cameras_,
            .first_sigma_s = first_sigma_s(first_.sigma_s, bounds_.longest_s),
            .seed = seed_,
            .broken = broken_};
  }

  /// Splats have other indices in another window.
  void open_window(const LearnRequest& request) {
    const double time_s = request.view.time_s;
    const TimeWindow window =
        request.window.value_or(TimeWindow{.number = 0, .from_s = time_s, .to_s = time_s});
    if (!paged_->must_open(window, time_s)) return;
    if (!broken_.empty()) drop_broken();
    paged_->open(window, time_s);
    check_count(request.position);
    if (request.next_window) paged_->announce(*request.next_window);
  }

  TimeRange range_of(const TrainOptions& options) const {
    return moves(options) || is_deformed(options) ? time_range(times_) : TimeRange();
  }

  void note_broken(std::uint64_t step, const std::string& photograph, const StepResult& result) {
    if (result.broken.empty()) return;
    if (broken_count_ == 0) {
      log_warning(
          "step {}, photograph {}: {} splats had a gradient that is not finite; such splats are "
          "removed",
          step, photograph, result.non_finite);
    }
    std::vector<std::uint32_t> added = result.broken, all;
    std::sort(added.begin(), added.end());
    std::set_union(broken_.begin(), broken_.end(), added.begin(), added.end(),
                   std::back_inserter(all));
    broken_count_ += all.size() - broken_.size();
    broken_ = std::move(all);
  }

  void drop_broken() {
    splats_->edit(without(splats_->count(), broken_));
    broken_.clear();
  }

  void check_count(const RunPosition& position) {
    whole_ = count() > 0;
    if (whole_) return;
    throw Error("no splats are left", fmt::format("step {}", position.steps_done),
                "check the poses, or start with other --init, --prune-opacity or --background");
  }

  const LearnerSite site_;
  const TrainOptions options_;
  const double extent_;  // of the scene, world units
  const SceneTimes times_;
  const std::vector<SightPoint> cameras_;
  const bool velocities_known_;  // by points
  const bool white_background_;
  const std::uint64_t seed_;
  InitialRemarks remarks_;
  FirstSplats first_;
  LifeBounds bounds_;
  std::unique_ptr<Strategy> strategy_;
  std::unique_ptr<SplatsInTraining> drawable_;  // null until a resumed run knows its first splats
  SplatTrainer* splats_ = nullptr;              // of drawable_
  PagedTrainer* paged_ = nullptr;      // the same if not all splats are in memory, else null
  std::size_t most_splats_;            // upper bound
  std::vector<std::uint32_t> broken_;  // since the last edit, ascending
  std::uint64_t broken_count_ = 0;
  bool whole_ = true;  // false without splats, and while the results of a step are used
};

}  // namespace

std::unique_ptr<Learner> SplatPlan::make(const LearnerSite& site) const {
  if (options_.max_splats > 0 && options_.target_splats > options_.max_splats) {
    throw UsageError(
        fmt::format("{} is more than --max-splats {}", options_.target_splats, options_.max_splats),
        "--target-splats", "raise --max-splats, or lower --target-splats");
  }
  return std::make_unique<SplatLearner>(site, settled(options_, site.dataset));
}

}  // namespace mote

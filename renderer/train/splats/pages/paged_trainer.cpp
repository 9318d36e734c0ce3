#include "train/splats/pages/paged_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "train/splats/first_splats.h"

namespace mote {
namespace {

/// Lives change between the times at which windows are planned.
constexpr double kPlannedShare = 0.85;

constexpr const char* kMore = "raise it, or lower --target-splats or --sh-degree";

}  // namespace

PagedTrainer::PagedTrainer(Backend& backend, std::shared_ptr<SplatPages> pages,
                           const TrainerSettings& settings, std::size_t most_in_memory)
    : backend_(backend),
      pages_(std::move(pages)),
      settings_(settings),
      most_pages_(std::max<std::size_t>(most_in_memory / kRestingPage, 2)),
      trainer_(backend.make_trainer(placeholder_like(pages_->like()), settings)),
      resting_(pages_->count()) {}

std::vector<std::size_t> PagedTrainer::windows(std::span<const double> times_s) {
  file();
  const auto planned =
      static_cast<std::size_t>(kPlannedShare * static_cast<double>(all_but_rest()));
  std::vector<std::size_t> starts = pages_->windows(times_s, planned);
  for (std::size_t most = all_but_rest(); starts.empty(); most += most / 4 + 1) {
    starts = pages_->windows(times_s, most);
    // With a part in memory, also after resuming, splats rest instead.
    if (starts.empty() && !open_) throw first_that_does_not_fit(times_s);
  }
  windows_.clear();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : times_s.size();
    windows_.push_back({.from_s = times_s[starts[i]], .to_s = times_s[end - 1]});
  }
  return starts;
}

Error PagedTrainer::first_that_does_not_fit(std::span<const double> times_s) const {
  std::size_t most = 0;
  double when_s = 0;
  for (const double time_s : times_s) {
    const std::size_t splats = pages_->count(pages_->seen_in({0, time_s, time_s}));
    if (splats > most) when_s = time_s;
    most = std::max(most, splats);
  }
  return {fmt::format("{} splats are seen at {:.6g} s, but only {} fit into memory", most, when_s,
                      most_in_memory()),
          "--splat-memory", kMore};
}

/// Halves the window until its splats fit.
PagedTrainer::Part PagedTrainer::part_that_fits(const TimeWindow& window, double time_s) {
  constexpr double kShortest_s = 1e-6;
  TimeWindow part = window;
  part.from_s = std::min(part.from_s, time_s);
  part.to_s = std::max(part.to_s, time_s);
  for (;;) {
    PageList pages = pages_->seen_in(part);
    if (pages.size() <= all_but_rest()) return {part, std::move(pages)};
    if (part.from_s == part.to_s) {
      if (!std::exchange(has_warned_, true)) {
        log_warning(
            "--splat-memory: {} splats are seen at {:.6g} s, but only {} fit into memory: "
            "those whose lives end soonest rest; {}",
            pages_->count(pages), time_s, most_in_memory(), kMore);
      }
      return {part, pages_->seen_longest(std::move(pages), time_s, all_but_rest())};
    }
    part.from_s = time_s - (time_s - part.from_s) / 2;
    part.to_s = time_s + (part.to_s - time_s) / 2;
    if (part.to_s - part.from_s < kShortest_s) part.from_s = part.to_s = time_s;
  }
}

bool PagedTrainer::must_open(const TimeWindow& window, double time_s) const {
  return !is_open_at(time_s) || open_->number != window.number;
}

void PagedTrainer::open(const TimeWindow& window, double time_s) {
  if (open_) {
    reorder();
    file();
    pages_->release(held_);
  }
  picture_.reset();
  open_.reset();
  Part part = part_that_fits(window, time_s);
  is_whole_ = false;
  pages_->load(*trainer_, part.pages);
  is_whole_ = true;
  held_ = std::move(part.pages);
  open_ = part.window;
  resting_ = pages_->count() - trainer_->count();
  peak_ = std::max(peak_, trainer_->count());
  ++exchanges_;
}

void PagedTrainer::announce(const TimeWindow& window) const {
  PageList missing;
  std::ranges::set_difference(pages_->seen_in(window), held_, std::back_inserter(missing));
  pages_->announce(missing);
}

void PagedTrainer::file() const {
  if (is_filed_) return;
  pages_->store(*trainer_, held_);
  is_filed_ = true;
}

std::shared_ptr<const SplatPages> PagedTrainer::pages() const {
  file();
  return pages_;
}

void PagedTrainer::begin_change() {
  is_filed_ = false;
  picture_.reset();
}

StepResult PagedTrainer::step(const StepRequest& request) {
  CHECK(is_open_at(request.time_s));
  begin_change();
  StepRequest asked = request;
  asked.loss.splats = total();
  return trainer_->step(asked);
}

SplatCloud PagedTrainer::gradients(const StepRequest& request, StepResult& result) {
  StepRequest asked = request;
  asked.loss.splats = total();
  if (is_open_at(request.time_s)) return trainer_->gradients(asked, result);
  file();
  const TimeWindow moment{.from_s = request.time_s, .to_s = request.time_s};
  return backend_.make_trainer(pages_->values(pages_->seen_in(moment), true), settings_)
      ->gradients(asked, result);
}

TimeWindow PagedTrainer::window_at(double time_s) const {
  for (const TimeWindow& window : windows_) {
    if (window.has(time_s)) return window;
  }
  return {.from_s = time_s, .to_s = time_s};
}

PagedTrainer::Picture& PagedTrainer::picture_at(double time_s) {
  if (picture_ && picture_->window.has(time_s)) return *picture_;
  picture_.reset();
  file();
  const Part part = part_that_fits(window_at(time_s), time_s);
  SplatCloud splats = pages_->values(part.pages, true);
  const std::size_t bytes = splats.memory_bytes();
  picture_.emplace(Picture{part.window, bytes, backend_.upload(std::move(splats))});
  return *picture_;
}

FrameStats PagedTrainer::render(const View& view, const RenderSettings& settings, Frame& frame) {
  if (is_open_at(view.time_s)) return trainer_->render(view, settings, frame);
  const SceneInstance instance{.scene = picture_at(view.time_s).scene.get(), .time_s = view.time_s};
  return backend_.render_scenes({&instance, 1}, view.camera, settings, frame);
}

void PagedTrainer::clear_statistics() {
  begin_change();
  trainer_->clear_statistics();
}

void PagedTrainer::edit(const DensityEdit& edit) {
  CHECK(edit.source.size() <= std::max(most_in_memory(), count()));
  begin_change();
  trainer_->edit(edit);
  peak_ = std::max(peak_, trainer_->count());
}

void PagedTrainer::reorder() {
  begin_change();
  trainer_->reorder();
}

void PagedTrainer::limit_opacity(float most) {
  begin_change();
  trainer_->limit_opacity(most);
}

SplatCloud PagedTrainer::cloud() {
  return pages()->values(pages_->all(), true);
}

void PagedTrainer::save(ByteSink& sink) const {
  file();
  pages_->save(sink);
  sink.put_all(std::span<const std::uint32_t>(held_));
  sink.put(static_cast<std::uint32_t>(open_.has_value()));
  sink.put(open_.value_or(TimeWindow()));
  sink.put_all(std::span<const TimeWindow>(windows_));
}

void PagedTrainer::restore(ByteSource& source) {
  is_whole_ = false;
  pages_->restore(source);
  held_ = get_all<std::uint32_t>(source);
  const auto is_open = source.get<std::uint32_t>();
  const auto open = source.get<TimeWindow>();
  windows_ = get_all<TimeWindow>(source);
  if (!pages_->have(held_)) {
    throw Error("holds pages that there are not", "the saved training state",
                "use another checkpoint");
  }
  open_.reset();
  resting_ = pages_->count();
  if (is_open != 0) {
    pages_->load(*trainer_, held_);
    open_ = open;
    resting_ = pages_->count() - trainer_->count();
    peak_ = std::max(peak_, trainer_->count());
  }
  picture_.reset();
  is_filed_ = is_whole_ = true;
}

std::size_t PagedTrainer::memory_bytes() const {
  return trainer_->memory_bytes() + pages_->memory_bytes();
}

TrainerMemory PagedTrainer::host_memory() const {
  TrainerMemory memory = trainer_->host_memory();
  if (memory.splats == 0) return memory;
  memory.splats += pages_->memory_bytes();
  if (picture_) memory.view += picture_->bytes;
  return memory;
}

}  // namespace mote

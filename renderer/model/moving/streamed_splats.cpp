#include "model/moving/streamed_splats.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/file.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/spelling.h"
#include "model/learner.h"
#include "splats/extent.h"

namespace mote {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kReadingThreads = 2;
/// Seconds of the scene for which there are pages, if the memory allows.
constexpr double kAhead_s = 2;

double ms_between(SteadyClock::time_point start, SteadyClock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

PartReader::Read reading(std::shared_ptr<const SplatStream> stream, StreamedSplats::PartEdit edit,
                         bool with_trails) {
  return [stream = std::move(stream), edit = std::move(edit), with_trails](std::uint32_t part) {
    ThreadPool own{CallerOnly{}};
    const auto start = SteadyClock::now();
    const FileReads before = file_reads_here();
    SplatCloud splats = stream->read(part);
    if (edit) edit(splats);
    const FileReads after = file_reads_here();
    const auto decoded = SteadyClock::now();
    std::shared_ptr<const MotionTrails> trails;
    if (with_trails) {
      trails = std::make_shared<const MotionTrails>(splats, SplatMask(), PartTrails::kMostOfPart);
    }
    const SplatOrder order =
        stream->is_in_drawn_order() ? SplatOrder::of_cloud : SplatOrder::morton;
    const std::size_t count = splats.count();
    auto read = std::make_unique<ReadPart>(std::move(splats), own, order, std::move(trails));
    const double read_ms = 1e3 * (after.seconds - before.seconds);
    read->work = {.wait_ms = 0,
                  .fill_ms = 0,
                  .read_ms = read_ms,
                  .decode_ms = ms_between(start, decoded) - read_ms,
                  .prepare_ms = ms_between(decoded, SteadyClock::now()),
                  .parts = 1,
                  .splats = count,
                  .bytes = after.bytes - before.bytes};
    return read;
  };
}

std::uint64_t page_bytes(const SplatForm& form) {
  constexpr std::uint64_t kOrder = sizeof(std::uint32_t);
  return kPageSplats * (form.floats() * sizeof(float) + kOrder) + sizeof(Cluster) +
         kPageSplats / kBlockSize * sizeof(BlockLife);
}

}  // namespace

StreamedSplats::StreamedSplats(Backend& backend, std::shared_ptr<const SplatStream> stream,
                               std::size_t pages, const SceneExtent& extent, PartEdit edit,
                               std::shared_ptr<PartTrails> trails)
    : backend_(backend),
      stream_(std::move(stream)),
      extent_(extent),
      trails_(std::move(trails)),
      plan_(stream_->parts()),
      page_count_(pages),
      scene_(backend.make_pages(stream_->form(), pages, stream_->count())),
      parts_(plan_.parts()),
      free_pages_(pages),
      patience_s_(std::numeric_limits<double>::infinity()),
      reader_(kReadingThreads, reading(stream_, std::move(edit), trails_ != nullptr)) {
  std::iota(free_pages_.rbegin(), free_pages_.rend(), 0u);
}

FrameStats StreamedSplats::render(const View& view, const RenderSettings& settings, Frame& frame) {
  const std::vector<SceneInstance> scenes = scenes_at(view.time_s, settings.paint);
  FrameStats stats = backend_.render_scenes(scenes, view.camera, settings, frame);
  add_stream_counts(stats);
  stats.splats = stats.resident;
  return stats;
}

std::vector<SceneInstance> StreamedSplats::scenes_at(double time_s, const MotionPaint& /*paint*/) {
  const double shown_s = repeated(time_s, time_range());
  bring(shown_s);
  return {{.scene = scene_.get(), .time_s = shown_s}};
}

void StreamedSplats::bring(double time_s) {
  const auto start = SteadyClock::now();
  ++view_;
  work_ = {};
  choose(time_s);
  reader_.want(wanted_);
  accept();
  while (missing_splats() > 0) {
    for (const std::uint32_t part : needed_) {
      if (parts_[part].pages.empty()) reader_.check(part);
    }
    const double waited_s = std::chrono::duration<double>(SteadyClock::now() - start).count();
    if (!(waited_s < patience_s_)) break;
    constexpr double kLongest_s = 0.1;
    reader_.wait(std::min(patience_s_ - waited_s, kLongest_s));
    accept();
  }
  work_.wait_ms = ms_between(start, SteadyClock::now());
}

void StreamedSplats::choose(double time_s) {
  const double period_s = time_range().period_s;
  if (time_s != last_s_) {
    const double step_s = time_s - last_s_;
    backwards_ = (step_s < 0) != (std::abs(step_s) > period_s / 2);
    last_s_ = time_s;
  }
  plan_.needed_at(time_s, needed_);
  wanted_.clear();
  std::size_t pages = 0;
  for (const std::uint32_t part : needed_) {
    parts_[part].needed = view_;
    pages += plan_.pages(part);
    if (parts_[part].pages.empty() && plan_.pages(part) > 0) wanted_.push_back(part);
  }
  const PagePlan::Order order = plan_.order_from(time_s, backwards_);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Part& part = parts_[order[i]];
    if (part.needed == view_) continue;
    pages += plan_.pages(order[i]);
    if (pages > page_count_) break;
    part.ahead = view_;
    part.place = i;
    if (part.pages.empty() && plan_.pages(order[i]) > 0) wanted_.push_back(order[i]);
  }
}

void StreamedSplats::accept() {
  const auto start = SteadyClock::now();
  for (const PartReader::Done& done : reader_.take()) put(done.part, *done.read);
  work_.fill_ms += ms_between(start, SteadyClock::now());
}

void StreamedSplats::put(std::uint32_t part, const ReadPart& read) {
  const std::size_t pages = plan_.pages(part);
  if (!make_room(pages, part)) return;
  const std::vector<std::uint32_t> own(free_pages_.end() - static_cast<std::ptrdiff_t>(pages),
                                       free_pages_.end());
  backend_.fill_pages(*scene_, {.pages = own,
                                .splats = read.splats,
                                .first = static_cast<std::uint32_t>(stream_->parts()[part].first)});
  free_pages_.resize(free_pages_.size() - pages);
  parts_[part].pages = own;
  resident_.push_back(part);
  if (trails_) trails_->put(part, read.trails);
  if (parts_[part].needed == view_) work_.add(read.work);
}

std::optional<std::uint32_t> StreamedSplats::least_urgent(std::uint32_t than) const {
  // Larger ranks give way: first parts that are not expected, those needed longest ago before
  // others, then expected ones, the last before others.
  const auto rank = [&](const Part& part) -> std::pair<int, double> {
    if (part.needed == view_) return {0, 0};
    if (part.ahead == view_) return {1, static_cast<double>(part.place)};
    return {2, -static_cast<double>(part.needed)};
  };
  std::optional<std::uint32_t> found;
  for (const std::uint32_t i : resident_) {
    if (!(rank(parts_[i]) > rank(parts_[than]))) continue;
    if (!found || rank(parts_[i]) > rank(parts_[*found])) found = i;
  }
  return found;
}

bool StreamedSplats::make_room(std::size_t pages, std::uint32_t part) {
  std::vector<std::uint32_t> emptied;
  while (free_pages_.size() + emptied.size() < pages) {
    const std::optional<std::uint32_t> victim = least_urgent(part);
    if (!victim) break;
    std::vector<std::uint32_t>& own = parts_[*victim].pages;
    emptied.insert(emptied.end(), own.begin(), own.end());
    own.clear();
    std::erase(resident_, *victim);
    if (trails_) trails_->drop(*victim);
  }
  if (!emptied.empty()) backend_.empty_pages(*scene_, emptied);
  free_pages_.insert(free_pages_.end(), emptied.begin(), emptied.end());
  return free_pages_.size() >= pages;
}

std::size_t StreamedSplats::missing_splats() const {
  std::size_t missing = 0;
  for (const std::uint32_t part : needed_) {
    if (parts_[part].pages.empty()) missing += stream_->parts()[part].count;
  }
  return missing;
}

void StreamedSplats::add_stream_counts(FrameStats& stats) const {
  stats.stored += stream_->count();
  stats.missing += missing_splats();
  stats.streaming.add(work_);
  for (const std::uint32_t part : needed_) stats.needed += stream_->parts()[part].count;
  for (const std::uint32_t part : resident_) stats.resident += stream_->parts()[part].count;
}

std::string StreamedSplats::description() const {
  return fmt::format("{} streamed from disk, SH degree {}, {:.6g} s",
                     number_of(stream_->count(), "splat"), stream_->form().sh_degree,
                     time_range().end_s);
}

HostStreamedSplats::HostStreamedSplats(const std::filesystem::path& path,
                                       std::uint64_t memory_bytes)
    : stream_(std::make_shared<const SplatStream>(path)) {
  const PagePlan plan(stream_->parts());
  const std::uint64_t bytes = page_bytes(stream_->form());
  const std::size_t least = std::max<std::size_t>(plan.most_pages(0), 1);
  if (memory_bytes < least * bytes) {
    throw Error(fmt::format("a moment needs {}, more than {}", bytes_text(least * bytes),
                            bytes_text(memory_bytes)),
                stream_->name(),
                fmt::format("give --memory {:.6g} or more",
                            std::ceil(1e-7 * static_cast<double>(least * bytes)) / 100));
  }
  pages_ =
      std::clamp(plan.most_pages(kAhead_s), least, static_cast<std::size_t>(memory_bytes / bytes));
}

std::uint64_t HostStreamedSplats::memory_bytes() const {
  return pages_ * page_bytes(stream_->form());
}

const SplatCloud& HostStreamedSplats::sample() const {
  if (sample_) return *sample_;
  constexpr std::size_t kMostParts = 12;
  std::vector<std::uint32_t> needed;
  PagePlan(stream_->parts()).needed_at(0, needed);
  if (needed.empty()) needed.push_back(0);
  const std::size_t taken = std::min(needed.size(), kMostParts);
  SplatCloud all(0, stream_->form());
  for (std::size_t i = 0; i < taken; ++i) {
    all = joined(all, stream_->read(needed[i * needed.size() / taken]));
  }
  sample_ = std::make_shared<const SplatCloud>(std::move(all));
  return *sample_;
}

SceneExtent HostStreamedSplats::extent() const {
  return scene_extent(sample());
}

View HostStreamedSplats::closeup(const SceneExtent& extent, const OrbitOptions& orbit) const {
  return closeup_view(sample(), extent, orbit);
}

void HostStreamedSplats::add_samples(SceneSamples& samples,
                                     const Similarity& world_from_model) const {
  samples.add(sample(), world_from_model);
}

std::vector<std::string> HostStreamedSplats::write(const std::filesystem::path&) const {
  throw Error("is streamed, not in memory", stream_->name(), "use mote convert");
}

std::unique_ptr<Drawable> HostStreamedSplats::upload(Backend& backend, const SceneExtent& extent) {
  sample_.reset();
  return std::make_unique<StreamedSplats>(backend, stream_, pages_, extent, std::move(edit_),
                                          std::move(trails_));
}

std::unique_ptr<Differentiable> HostStreamedSplats::upload_for_gradients(Backend&,
                                                                         const SceneExtent&, bool) {
  throw Error("is streamed, and has no gradients", stream_->name(), "give more --memory");
}

bool may_be_streamed(const std::filesystem::path& path) {
  return path.extension() == ".4dgs" && can_be_streamed(path);
}

std::unique_ptr<HostStreamedSplats> streamed_if_large(const std::filesystem::path& path,
                                                      std::uint64_t memory_bytes) {
  if (!may_be_streamed(path)) return nullptr;
  const std::uint64_t limit = memory_bytes > 0 ? memory_bytes : this_machine().available_bytes / 2;
  const SplatStream stream(path);
  if (stream.count() * stream.form().floats() * sizeof(float) <= limit) return nullptr;
  return std::make_unique<HostStreamedSplats>(path, limit);
}

}  // namespace mote

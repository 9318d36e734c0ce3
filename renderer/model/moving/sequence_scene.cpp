#include "model/moving/sequence_scene.h"

#include <fmt/format.h>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/moving/delta_ply.h"

namespace mote {

FrameStore::Read frame_reader(const SplatSequence& sequence, const ProgressCallback& progress) {
  if (sequence.in_one_file) {
    const auto file = std::make_shared<const DeltaPly>(sequence.folder, progress);
    return [file](std::size_t frame, const ProgressCallback& progress) {
      SplatCloud cloud = file->frame(frame, progress);
      warn_of_non_finite(cloud);
      return cloud;
    };
  }
  return [files = sequence.frames](std::size_t frame, const ProgressCallback& progress) {
    return load_scene(files.at(frame), progress);
  };
}

SequenceScene::SequenceScene(const SplatSequence& sequence, std::shared_ptr<const SplatCloud> first)
    : SequenceScene(sequence, std::move(first), frame_reader(sequence)) {}

SequenceScene::SequenceScene(SplatSequence sequence, std::shared_ptr<const SplatCloud> first,
                             FrameStore::Read read)
    : sequence_(std::move(sequence)),
      read_(std::move(read)),
      splats_(std::move(first)),
      store_(sequence_.frames.size(), kUsualBytes, read_) {
  if (splats_) store_.put(0, splats_);
}

TimeRange SequenceScene::range() const {
  const auto frames = static_cast<double>(sequence_.frames.size());
  return {.end_s = (frames - 1) / rate_, .period_s = frames / rate_};
}

void SequenceScene::set_frames_per_second(double rate) {
  CHECK(rate > 0);
  rate_ = rate;
}

/// The frame itself, or the last readable frame before it; if there is none, the first readable one
/// after it.
std::size_t SequenceScene::whole_frame(std::size_t frame) const {
  std::size_t whole = frame;
  while (whole > 0 && store_.broken(whole)) --whole;
  while (whole + 1 < sequence_.frames.size() && store_.broken(whole)) ++whole;
  return whole;
}

/// Used while reading is behind: shows the newest available frame between the shown and the wanted
/// one.
void SequenceScene::show_newest(std::size_t wanted) {
  const std::size_t count = sequence_.frames.size();
  for (std::size_t frame = wanted; frame != shown_; frame = (frame + count - 1) % count) {
    if (auto kept = store_.find(frame)) {
      shown_ = frame;
      splats_ = std::move(kept);
      return;
    }
  }
}

Moment SequenceScene::look_at(const ViewTime& time) {
  CHECK(splats_ != nullptr);
  const std::size_t wanted = whole_frame(frame_at(*this, time.time_s));
  store_.want(wanted);
  if (time.playing) {
    show_newest(wanted);
  } else if (auto kept = store_.find(wanted)) {
    shown_ = wanted;
    splats_ = std::move(kept);
  }
  return {.number = shown_, .splats = splats_, .exact = shown_ == wanted || store_.broken(wanted)};
}

std::vector<std::string> SequenceScene::take_faults() {
  std::vector<std::string> faults = store_.take_faults();
  for (std::string& fault : faults) fault += "; the previous frame is shown instead";
  return faults;
}

std::uint64_t SequenceScene::moment_at(double time_s) const {
  return frame_at(*this, time_s);
}

SplatCloud SequenceScene::splats_at(double time_s) const {
  return read_(frame_at(*this, time_s), {});
}

std::string SequenceScene::name_at(double time_s) const {
  const std::size_t frame = frame_at(*this, time_s);
  const std::string file = sequence_.frames[frame].filename().string();
  return sequence_.in_one_file ? fmt::format("{}, frame {}", file, frame + 1) : file;
}

std::vector<TimeSpan> SequenceScene::ready() const {
  const std::vector<bool> kept = store_.kept();
  std::vector<TimeSpan> spans;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const auto from = static_cast<double>(i);
    if (i > 0 && kept[i - 1]) {
      spans.back().to_s = (from + 1) / rate_;
    } else {
      spans.push_back({.from_s = from / rate_, .to_s = (from + 1) / rate_});
    }
  }
  return spans;
}

}  // namespace mote

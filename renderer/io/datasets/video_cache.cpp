#include "io/datasets/video_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "core/interrupt.h"
#include "core/parallel.h"
#include "io/images/jpeg_writing.h"
#include "io/video/video_reading.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFrameQuality = 97;  // some 50 dB above the video's own loss
constexpr std::uint64_t kMostListBytes = 1ull << 28;

/// One video, its place in the cache, and the frames of it that are needed and that exist.
struct UnpackedVideo {
  fs::path video, folder;
  std::set<std::size_t> needed;  // with those that were needed before
  int width = 0, height = 0;     // px
  std::set<std::size_t> frames;  // that were decoded
};

fs::path frame_file(const fs::path& folder, std::size_t frame) {
  return folder / fmt::format("{:05}.jpg", frame);
}

/// A description of the video's file, which changes with it.
json state_of(const fs::path& video) {
  json state{{"bytes", fs::file_size(video)},
             {"changed", fs::last_write_time(video).time_since_epoch().count()},
             {"quality", kFrameQuality}};
  // Frames without this entry are of an earlier version, which did not turn them.
  const VideoOrientation turn = read_video_orientation(video);
  if (turn != VideoOrientation{}) state["turned"] = {turn.swaps_axes, turn.flips_x, turn.flips_y};
  return state;
}

/// Frames of a list, all of them numbers; empty where it has something else.
std::set<std::size_t> listed_frames(const json& list, const char* key) {
  std::set<std::size_t> frames;
  const auto found = list.find(key);
  if (found == list.end() || !found->is_array()) return frames;
  for (const json& frame : *found) {
    if (!frame.is_number_unsigned()) return {};
    frames.insert(frame.get<std::size_t>());
  }
  return frames;
}

/// Takes the frames from the list of an earlier run. Returns false where there is none, where the
/// video has changed, or where other frames were needed.
bool read_frame_list(UnpackedVideo& one) {
  const fs::path path = one.folder / "frames.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return false;
  const json list = json::parse(read_text_file(path, kMostListBytes), nullptr, false);
  if (!list.is_object() || list.value("video", json()) != state_of(one.video)) return false;
  one.frames = listed_frames(list, "frames");
  const bool exist = std::ranges::all_of(one.frames, [&](std::size_t frame) {
    return fs::exists(frame_file(one.folder, frame), ignored);
  });
  if (one.frames.empty() || !exist) return false;
  // Lists of earlier versions are of all frames of the video.
  if (!list.contains("needed")) return true;
  const std::set<std::size_t> before = listed_frames(list, "needed");
  if (std::ranges::includes(before, one.needed)) return true;
  one.needed.insert(before.begin(), before.end());
  return false;
}

void write_frame_list(const UnpackedVideo& one, const json& state) {
  const json list{
      {"software", "Mote"}, {"video", state}, {"frames", one.frames}, {"needed", one.needed}};
  OutputFile file(one.folder / "frames.json");
  file.write(list.dump() + "\n");
  file.commit();
}

/// The frame that is shown at the time; the number of frames where none is near.
std::size_t nearest_frame(const VideoFacts& facts, double time_s) {
  const double at = time_s - facts.first_s;
  const auto later = std::ranges::lower_bound(facts.times_s, at);
  auto best = static_cast<std::size_t>(later - facts.times_s.begin());
  if (best == facts.times_s.size() ||
      (best > 0 && at - facts.times_s[best - 1] < facts.times_s[best] - at)) {
    --best;
  }
  const double half_frame_s = 0.5 / std::max(facts.frames_per_second, 1e-3);
  return std::abs(facts.times_s[best] - at) <= half_frame_s ? best : facts.times_s.size();
}

/// Decodes the video up to the last frame that is needed; `done` is called after each that is.
void decode_video(UnpackedVideo& one, int threads, const std::function<void()>& done) {
  one.frames.clear();
  make_folders(one.folder);
  // The list of another state of the video would vouch for these frames if this is stopped. A video
  // that changes meanwhile is decoded again.
  std::error_code ignored;
  fs::remove(one.folder / "frames.json", ignored);
  const json state = state_of(one.video);
  const VideoFacts facts = read_video_facts(one.video);
  VideoReader reader(one.video, threads);
  Image8 image;
  double time_s = 0;
  while (reader.next(image, time_s)) {
    throw_if_interrupted();
    const std::size_t frame = nearest_frame(facts, time_s);
    if (frame == facts.times_s.size()) continue;
    if (frame > *one.needed.rbegin()) break;
    if (!one.needed.contains(frame) || !one.frames.insert(frame).second) continue;
    write_jpeg(image, frame_file(one.folder, frame), kFrameQuality);
    done();
  }
  write_frame_list(one, state);
}

/// Warns of the videos of which frames could not be decoded.
void tell_missing(const std::vector<UnpackedVideo>& videos, PosedImages& posed) {
  for (const UnpackedVideo& one : videos) {
    const auto decoded = std::ranges::count_if(
        one.needed, [&](std::size_t frame) { return one.frames.contains(frame); });
    if (static_cast<std::size_t>(decoded) == one.needed.size()) continue;
    const bool ends_early = !one.frames.contains(*one.needed.rbegin());
    posed.warnings.push_back(fmt::format(
        "{}: {}: only {} of its {} frames can be decoded; the others are left out; copy the video "
        "again, or convert it with ffmpeg",
        one.video.string(), ends_early ? "ends early" : "is damaged", decoded, one.needed.size()));
  }
}

/// Unpacks the videos that are not in the cache.
void decode_missing(std::vector<UnpackedVideo>& videos, std::uint64_t memory_bytes,
                    const std::function<void(double)>& progress) {
  std::vector<UnpackedVideo*> missing;
  std::size_t frames = 0, done = 0;
  int width = 0, height = 0;
  for (UnpackedVideo& one : videos) {
    if (read_frame_list(one)) continue;
    missing.push_back(&one);
    frames += one.needed.size();
    width = std::max(width, one.width);
    height = std::max(height, one.height);
  }
  const DecodingPlan plan =
      decoding_plan(missing.size(), width, height, memory_bytes, usable_cpus());
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  run_tasks(static_cast<std::size_t>(plan.videos), [&](std::size_t, int) {
    for (std::size_t i; (i = next.fetch_add(1)) < missing.size();) {
      decode_video(*missing[i], plan.threads, [&] {
        const std::lock_guard lock(mutex);
        ++done;
        if (progress) progress(static_cast<double>(done) / static_cast<double>(frames));
      });
    }
  });
}

}  // namespace

fs::path frame_cache(const fs::path& dataset, const fs::path& named) {
  if (named.empty()) return dataset / "mote_frames";
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(dataset, ignored);
  Fingerprint place;
  for (const char letter : whole.string()) place.add(letter);
  return named / fmt::format("{}-{:016x}", whole.filename().string(), place.value());
}

DecodingPlan decoding_plan(std::size_t videos, int width, int height, std::uint64_t memory_bytes,
                           int cpus) {
  const auto all = static_cast<int>(std::min(videos, std::size_t{1} << 20));
  const auto fits = [&](const DecodingPlan& plan) {
    const std::uint64_t each = decoder_bytes(width, height, plan.threads);
    return each <= memory_bytes / static_cast<std::uint64_t>(plan.videos);
  };
  DecodingPlan plan{.videos = std::max(std::min(all, cpus), 1), .threads = 1};
  while (plan.videos > 1 && !fits(plan)) --plan.videos;
  while (plan.videos * (plan.threads + 1) <= cpus &&
         fits({.videos = plan.videos, .threads = plan.threads + 1})) {
    ++plan.threads;
  }
  return plan;
}

void unpack_videos(PosedImages& posed, const fs::path& cache, std::uint64_t memory_bytes,
                   const std::function<void(double)>& progress) {
  std::map<fs::path, UnpackedVideo> listed;
  for (const PosedImage& image : posed.images) {
    if (image.video.empty()) continue;
    UnpackedVideo& one = listed[image.video];
    one.needed.insert(image.video_frame);
    one.width = image.camera.width;
    one.height = image.camera.height;
  }
  if (listed.empty()) return;
  std::vector<UnpackedVideo> videos;
  for (auto& [video, one] : listed) {
    one.video = video;
    one.folder = cache / video.stem();
    videos.push_back(one);
  }
  try {
    make_folders(cache);
  } catch (const Error& error) {
    throw Error(error.problem(), error.where(),
                "choose another folder for the frames of videos with --frame-cache DIR");
  }
  decode_missing(videos, memory_bytes, progress);
  tell_missing(videos, posed);
  std::map<fs::path, const UnpackedVideo*> by_video;
  for (const UnpackedVideo& one : videos) by_video[one.video] = &one;
  std::erase_if(posed.images, [&](PosedImage& image) {
    if (image.video.empty()) return false;
    const UnpackedVideo& one = *by_video[image.video];
    if (!one.frames.contains(image.video_frame)) return true;
    image.image = frame_file(one.folder, image.video_frame);
    return false;
  });
  if (posed.images.empty()) {
    throw Error("none of its frames can be decoded", videos.front().video.string(),
                "copy the videos again, or convert them with ffmpeg");
  }
}

}  // namespace mote

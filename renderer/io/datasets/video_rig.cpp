#include "io/datasets/video_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

#include "core/error.h"
#include "core/folders.h"
#include "core/interrupt.h"
#include "core/natural_order.h"
#include "core/printable.h"
#include "io/datasets/video_frames.h"
#include "io/images/jpeg_writing.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kMomentQuality = 97;  // of JPEGs

bool is_named_as_photograph(const fs::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

std::vector<fs::path> videos_in(const fs::path& folder) {
  std::vector<fs::path> videos;
  std::error_code ignored;
  for (const fs::path& entry : folder_entries(folder)) {
    if (is_video(entry) && fs::is_regular_file(entry, ignored)) videos.push_back(entry);
  }
  std::ranges::sort(videos, [](const fs::path& a, const fs::path& b) {
    return naturally_before(a.filename().string(), b.filename().string());
  });
  return videos;
}

/// The frame that is shown nearest to the time.
std::size_t frame_near(const VideoFacts& facts, double time_s) {
  const auto later = std::ranges::lower_bound(facts.times_s, time_s);
  auto best = static_cast<std::size_t>(later - facts.times_s.begin());
  if (best == facts.times_s.size()) return best - 1;
  const bool earlier = best > 0 && time_s - facts.times_s[best - 1] < facts.times_s[best] - time_s;
  return earlier ? best - 1 : best;
}

/// Decodes a video and writes the frames at the times.
void take_moments_of(const RigVideo& video, const std::vector<double>& times_s,
                     const std::function<fs::path(std::size_t)>& place,
                     const std::function<void()>& done) {
  std::vector<std::size_t> wanted;  // ascending
  for (const double time_s : times_s) wanted.push_back(frame_near(video.facts, time_s));
  std::error_code fault;
  const auto changed = fs::last_write_time(video.path, fault);
  VideoReader reader(video.path);
  Image8 image;
  double time_s = 0;
  std::size_t moment = 0;
  while (moment < wanted.size() && reader.next(image, time_s)) {
    throw_if_interrupted();
    const std::size_t frame = frame_near(video.facts, time_s - video.facts.first_s);
    while (moment < wanted.size() && wanted[moment] < frame) ++moment, done();  // it was damaged
    for (; moment < wanted.size() && wanted[moment] == frame; ++moment, done()) {
      const fs::path path = place(moment);
      make_folders(path.parent_path());
      write_jpeg(image, path, kMomentQuality);
      if (!fault) fs::last_write_time(path, changed, fault);
    }
  }
}

}  // namespace

std::string RigVideo::place() const {
  const std::string extension = path.extension().string();
  const bool known = extension == ".mov" || extension == ".mkv" || extension == ".avi";
  return "videos/" + name + (known ? extension : ".mp4");
}

bool is_video_rig(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return false;
  const bool has_photographs = std::ranges::any_of(folder_entries(folder), is_named_as_photograph);
  return !has_photographs && videos_in(folder).size() >= 2;
}

std::vector<RigVideo> list_rig_videos(const fs::path& folder) {
  std::vector<RigVideo> videos;
  std::set<std::string> names;
  for (const fs::path& path : videos_in(folder)) {
    const std::string name = path.stem().string();
    // The files of the dataset have a line "K_NAME: ..." for each camera.
    if (name.find(':') != std::string::npos || name.back() == ' ' || has_control_characters(name)) {
      throw Error("the name of a camera cannot contain a colon or end with a blank", path.string(),
                  "rename the video");
    }
    if (!names.insert(name).second) {
      throw Error(fmt::format("two videos are called {}", name), folder.string(),
                  "give each camera's video another name");
    }
    videos.push_back({name, path, fmt::format("{:04}.jpg", videos.size()), read_video_facts(path)});
  }
  return videos;
}

std::vector<double> common_times(const std::vector<RigVideo>& videos, double interval_s) {
  CHECK(!videos.empty() && interval_s > 0);
  double end_s = videos.front().facts.times_s.back();
  for (const RigVideo& video : videos) end_s = std::min(end_s, video.facts.times_s.back());
  std::vector<double> times_s;
  for (std::size_t i = 0; static_cast<double>(i) * interval_s <= end_s; ++i) {
    times_s.push_back(static_cast<double>(i) * interval_s);
  }
  return times_s;
}

void take_moments(const std::vector<RigVideo>& videos, const std::vector<double>& times_s,
                  const std::function<fs::path(std::size_t moment, const RigVideo& video)>& place,
                  ImportObserver& observer) {
  observer.begin("taking frames", static_cast<double>(videos.size() * times_s.size()));
  double done = 0;
  for (const RigVideo& video : videos) {
    take_moments_of(
        video, times_s, [&](std::size_t moment) { return place(moment, video); },
        [&] { observer.progress(++done); });
  }
  observer.end();
}

}  // namespace mote

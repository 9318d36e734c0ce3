// Moving scenes in .4dgs files, as splats with the motion `life`; see io/fourdgs.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/error.h"
#include "io/fourdgs/file.h"
#include "io/splats/cloud_building.h"
#include "io/splats/fourdgs_cloud.h"
#include "io/splats/fourdgs_writing.h"
#include "io/splats/scene_format.h"

namespace mote::fourdgs {
namespace {

/// Splats of all chunks with their harmonics, which all have the same number of.
struct Gathered {
  std::vector<Splat> splats;
  std::vector<std::vector<float>> harmonics;
};

std::vector<float> harmonics_of(const SplatList& list, std::size_t splat) {
  const auto first =
      list.harmonics.begin() + static_cast<std::ptrdiff_t>(splat * list.harmonics_stride);
  return {first, first + static_cast<std::ptrdiff_t>(list.harmonics_stride)};
}

bool is_same(const Splat& a, const Splat& b) {
  return a.position == b.position && a.scale == b.scale && a.rotation == b.rotation &&
         a.color == b.color && a.velocity == b.velocity && a.time == b.time && a.sigma == b.sigma;
}

/// Adds the splats of one state. A splat that stays as it is gets a longer window.
void add_state(const SplatList& list, const Chunk& chunk, Gathered& all,
               std::unordered_map<std::uint32_t, std::size_t>& last_of) {
  for (std::size_t i = 0; i < list.splats.size(); ++i) {
    Splat splat = list.splats[i];
    splat.begin = std::max(splat.begin, static_cast<float>(chunk.begin));
    splat.end = std::min(splat.end, static_cast<float>(chunk.end));
    std::vector<float> harmonics = harmonics_of(list, i);
    const auto last = last_of.find(splat.id);
    if (last != last_of.end()) {
      Splat& before = all.splats[last->second];
      if (before.end == splat.begin && is_same(before, splat) &&
          all.harmonics[last->second] == harmonics) {
        before.end = splat.end;
        continue;
      }
    }
    last_of[splat.id] = all.splats.size();
    all.splats.push_back(splat);
    all.harmonics.push_back(std::move(harmonics));
  }
}

Gathered gathered(const File& file, const ProgressCallback& progress) {
  Gathered all;
  SplatReader reader(file);
  std::vector<std::size_t> order(file.chunks().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return file.chunks()[a].begin < file.chunks()[b].begin;
  });
  std::unordered_map<std::uint32_t, std::size_t> last_of;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SplatList list = reader.read(order[i]);
    if (file.header().model == TimeModel::states) {
      add_state(list, file.chunks()[order[i]], all, last_of);
    } else {
      for (std::size_t k = 0; k < list.splats.size(); ++k) {
        all.splats.push_back(list.splats[k]);
        all.harmonics.push_back(harmonics_of(list, k));
      }
    }
    report(progress, 0.9 * static_cast<double>(i + 1) / static_cast<double>(order.size()));
  }
  return all;
}

void check_objects(const File& file, const std::vector<Splat>& splats) {
  for (const Splat& splat : splats) {
    for (const ObjectTrack& track : file.tracks()) {
      if (splat.object != track.object) continue;
      throw Error(
          fmt::format("object {} moves along a track, which splats of Mote cannot", track.object),
          file.name(), "write the file again with the motion in its splats");
    }
  }
}

SplatCloud read(const InputFile& input, const ProgressCallback& progress) {
  const File file(input);
  const Header& header = file.header();
  const Gathered all = gathered(file, progress);
  check_objects(file, all.splats);
  const FoundLives found = lives_of(all.splats, header.duration_s, header.cutoff);
  const bool moves = std::any_of(found.lives.begin(), found.lives.end(),
                                 [](const LifeSplat& life) { return !life.is_static; });
  const SplatMotion motion = moves ? SplatMotion::life : SplatMotion::still;
  SplatCloud cloud = make_cloud(
      found.lives.size(), SplatForm{SplatKind::gaussian, header.sh_degree, motion}, file.name());
  if (moves) cloud.times = times_of(header);
  cloud.antialiased = header.attributes.contains(kAntialiasedAttribute);
  for (std::size_t i = 0; i < found.lives.size(); ++i) {
    store(found.lives[i], all.harmonics[found.lives[i].first], i, cloud);
  }
  if (found.cut > 0) {
    cloud.warnings.push_back(cut_warning(found.cut));
  }
  report(progress, 1.0);
  return cloud;
}

}  // namespace
}  // namespace mote::fourdgs

namespace mote {

SceneFormat fourdgs_format() {
  static constexpr std::string_view kExtensions[] = {".4dgs"};
  return {.name = "4dgs",
          .extensions = kExtensions,
          .model = ModelKind::splats,
          .strength = "moving scenes, filed by time",
          .probe = fourdgs::probe,
          .read = fourdgs::read,
          .write = fourdgs::write_scene,
          .motion = SplatMotion::poly};
}

}  // namespace mote

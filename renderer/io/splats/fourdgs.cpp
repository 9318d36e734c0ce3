// Moving scenes in .4dgs files, as splats with the motion `life`; see io/fourdgs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/error.h"
#include "io/fourdgs/file.h"
#include "io/fourdgs/writing.h"
#include "io/splats/cloud_building.h"
#include "io/splats/fourdgs_lives.h"
#include "io/splats/scene_format.h"
#include "math/activations.h"
#include "splats/life_range.h"
#include "splats/motions/life.h"
#include "splats/time_segment.h"

namespace mote::fourdgs {
namespace {

constexpr float kMostLogit = 15;
constexpr float kShortestLog = -20;  // ln s, of no plateau
constexpr int kMostDegree = 3;
constexpr std::size_t kMostInChunk = 65536;
/// The error of positions as a share of the diagonal of the scene.
constexpr double kPositionError = 1.0 / (1 << 19);
constexpr double kStillDuration_s = 1;  // of a scene that does not move
constexpr std::array<Field, 3> kMeanFields{Field::mean_x, Field::mean_y, Field::mean_z};
constexpr std::array<Field, 3> kScaleFields{Field::log_scale_x, Field::log_scale_y,
                                            Field::log_scale_z};
constexpr std::array<Field, 3> kVelocityFields{Field::velocity_x, Field::velocity_y,
                                               Field::velocity_z};
constexpr std::array<Field, 4> kRotationFields{Field::rotation_x, Field::rotation_y,
                                               Field::rotation_z, Field::rotation_w};

/// The attribute of the header that says for which kernel the splats were trained.
constexpr const char* kAntialiasedAttribute = "mote_antialiased";

/// Splats of all chunks with their harmonics, which all have the same number of.
struct Gathered {
  std::vector<Splat> splats;
  std::vector<std::vector<float>> harmonics;
};

/// The place of a coefficient of a channel in SplatList::harmonics. `coefficient`: from 1 on.
std::size_t harmonic_place(int coefficient, int channel) {
  int band = 1;
  while (coefficient >= (band + 1) * (band + 1)) ++band;
  const int first = band * band, width = 2 * band + 1;
  return static_cast<std::size_t>(3 * (first - 1) + channel * width + coefficient - first);
}

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

void store(const LifeSplat& life, const std::vector<float>& harmonics, std::size_t i,
           SplatCloud& cloud) {
  const Splat& splat = life.splat;
  for (std::size_t k = 0; k < 3; ++k) {
    cloud.at(i, kMeanFields[k]) = splat.position[k];
    cloud.at(i, kScaleFields[k]) = std::log(splat.scale[k]);
    cloud.sh(i, 0, static_cast<int>(k)) = (splat.color[k] - 0.5f) / kShC0;
  }
  for (std::size_t k = 0; k < 4; ++k) cloud.at(i, kRotationFields[k]) = splat.rotation[k];
  cloud.at(i, Field::logit_opacity) = std::clamp(logit(splat.color[3]), -kMostLogit, kMostLogit);
  for (int c = 1; c < cloud.sh_coefficients(); ++c) {
    for (int channel = 0; channel < 3; ++channel) {
      cloud.sh(i, c, channel) = harmonics[harmonic_place(c, channel)];
    }
  }
  if (!cloud.info().moves()) return;
  for (std::size_t k = 0; k < 3; ++k) {
    cloud.at(i, kVelocityFields[k]) = life.is_static ? 0 : splat.velocity[k];
  }
  cloud.at(i, Field::time_mean) = splat.time;
  cloud.at(i, Field::log_time_sigma) = life.is_static ? 0 : std::log(splat.sigma);
  cloud.at(i, Field::log_time_plateau) =
      life.is_static ? kStaticLogPlateau
                     : std::max(kShortestLog, static_cast<float>(std::log(life.plateau)));
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
  if (moves) cloud.times.duration_s = header.duration_s;
  cloud.antialiased = header.attributes.contains(kAntialiasedAttribute);
  for (std::size_t i = 0; i < found.lives.size(); ++i) {
    store(found.lives[i], all.harmonics[found.lives[i].first], i, cloud);
  }
  if (found.cut > 0) {
    cloud.warnings.push_back(fmt::format(
        "the lives of {} splats end or begin at once while they are seen; they are boxes of the "
        "same mean opacity here",
        found.cut));
  }
  report(progress, 1.0);
  return cloud;
}

/// A splat of the cloud as one of the file.
LifeSplat life_of(const SplatCloud& cloud, std::size_t i, std::size_t& clamped) {
  LifeSplat life{.first = i};
  Splat& splat = life.splat;
  for (std::size_t k = 0; k < 3; ++k) {
    splat.position[k] = cloud.at(i, kMeanFields[k]);
    splat.scale[k] = std::exp(cloud.at(i, kScaleFields[k]));
    splat.velocity[k] = cloud.at(i, kVelocityFields[k]);
    const float color = 0.5f + kShC0 * cloud.sh(i, 0, static_cast<int>(k));
    splat.color[k] = std::clamp(color, 0.0f, 1.0f);
    clamped += std::abs(splat.color[k] - color) > 0.5f / 255;
  }
  double squares = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    splat.rotation[k] = cloud.at(i, kRotationFields[k]);
    squares += double{splat.rotation[k]} * double{splat.rotation[k]};
  }
  for (float& value : splat.rotation) {
    value = squares > 0 ? static_cast<float>(value / std::sqrt(squares)) : 0.5f;
  }
  splat.color[3] = sigmoid(cloud.at(i, Field::logit_opacity));
  splat.source = static_cast<std::uint32_t>(i) + 1;
  const float log_plateau = cloud.at(i, Field::log_time_plateau);
  life.is_static = !cloud.info().moves() || log_plateau >= kStaticLogPlateau;
  if (!life.is_static) {
    splat.time = cloud.at(i, Field::time_mean);
    splat.sigma = std::exp(cloud.at(i, Field::log_time_sigma));
    life.plateau = std::exp(double{log_plateau});
  }
  return life;
}

/// A piece with the number of its splat, and the time in which it is seen.
struct Piece {
  Splat splat;
  std::size_t of = 0;
  std::uint32_t segment = 0;
};

std::vector<Piece> pieces_of(const SplatCloud& cloud, const WriteSettings& settings,
                             std::size_t& clamped) {
  const double reach = std::sqrt(-2 * std::log(settings.cutoff));
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Splat& splat : pieces_of(life_of(cloud, i, clamped), settings.duration_s)) {
      const double half = reach * double{splat.sigma};
      const LifeRange seen{std::max(double{splat.begin}, splat.time - half),
                           std::min(double{splat.end}, splat.time + half)};
      pieces.push_back({splat, i, time_segment(seen, settings.duration_s)});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.segment < b.segment; });
  return pieces;
}

double diagonal_of(const SplatCloud& cloud) {
  double squares = 0;
  for (const Field field : kMeanFields) {
    float least = INFINITY, most = -INFINITY;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      least = std::min(least, cloud.at(i, field));
      most = std::max(most, cloud.at(i, field));
    }
    squares += (double{most} - double{least}) * (double{most} - double{least});
  }
  return std::sqrt(squares);
}

/// The pieces with the harmonics of their splats, in chunks of one segment each.
class Chunks {
 public:
  Chunks(const SplatCloud& cloud, int sh_degree, const std::vector<Piece>& pieces) {
    std::size_t stride = 0;
    for (int band = 1; band <= sh_degree; ++band) stride += band_channels(band);
    for (const Piece& piece : pieces) {
      splats_.push_back(piece.splat);
      const std::size_t first = harmonics_.size();
      harmonics_.resize(first + stride);
      for (int c = 1; c < sh_coefficient_count(sh_degree); ++c) {
        for (int channel = 0; channel < 3; ++channel) {
          harmonics_[first + harmonic_place(c, channel)] = cloud.sh(piece.of, c, channel);
        }
      }
    }
    for (std::size_t first = 0, i = 1; i <= pieces.size(); ++i) {
      if (i < pieces.size() && pieces[i].segment == pieces[first].segment &&
          i - first < kMostInChunk) {
        continue;
      }
      chunks_.push_back({std::span(splats_).subspan(first, i - first),
                         std::span(harmonics_).subspan(first * stride, (i - first) * stride)});
      first = i;
    }
  }
  const std::vector<WrittenChunk>& all() const { return chunks_; }

 private:
  std::vector<Splat> splats_;
  std::vector<float> harmonics_;
  std::vector<WrittenChunk> chunks_;
};

std::vector<std::string> write(const SplatCloud& cloud, OutputFile& file,
                               const ProgressCallback& progress) {
  std::vector<std::string> warnings;
  WriteSettings settings;
  settings.duration_s = cloud.info().moves() ? cloud.times.duration_s : kStillDuration_s;
  if (cloud.antialiased) settings.attributes[kAntialiasedAttribute] = "1";
  settings.position_error = std::max(kPositionError * diagonal_of(cloud), 1e-9);
  const int degree = std::min(cloud.sh_degree(), kMostDegree);
  if (degree < cloud.sh_degree()) {
    warnings.push_back("harmonics of degree 4 are left out; the format has degree 3");
  }
  std::size_t clamped = 0;
  const std::vector<Piece> pieces = pieces_of(cloud, settings, clamped);
  report(progress, 0.3);
  const Chunks chunks(cloud, degree, pieces);
  write_lives(chunks.all(), degree, settings, file);
  if (clamped > 0) {
    warnings.push_back(
        fmt::format("{} values of colours beyond black and white are clamped", clamped));
  }
  report(progress, 1.0);
  return warnings;
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
          .write = fourdgs::write,
          .motion = SplatMotion::life};
}

}  // namespace mote

// .ftgs.ply, version 1 (OpsiClear-4DGS/ftgs-player): the .ply of 3D Gaussians with the middle and
// the standard deviation of a life, and a velocity. Times are shares of the duration.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/moving/time_shares.h"
#include "io/splats/ply_columns.h"
#include "splats/life_range.h"

namespace mote {
namespace {

constexpr std::string_view kFtgsMark = "comment ftgs_version ";
constexpr const char* kExportFtgs = "export it again with version 1 of the format";
constexpr float kNoPlateauFtgs = -20;  // ln s

bool probe_ftgs(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return starts_as_ply(head) && text.find(kFtgsMark) != text.npos;
}

/// The number in the last comment KEY NUMBER. Throws Error where it is none, or not in the range.
double setting_of(const PlyHeader& header, const std::string& name, std::string_view key,
                  double least, double most, double otherwise) {
  double value = otherwise;
  for (const std::string& comment : header.comments) {
    if (!comment.starts_with(key) || comment.size() <= key.size() || comment[key.size()] != ' ') {
      continue;
    }
    const char* first = comment.data() + key.size() + 1;
    const char* end = comment.data() + comment.size();
    const auto [last, error] = std::from_chars(first, end, value);
    if (error != std::errc() || !(value >= least && value <= most)) {
      throw Error(fmt::format("the comment {} has '{}', expected a number from {} to {}", key,
                              std::string(first, end).substr(0, 40), least, most),
                  name, kExportFtgs);
    }
  }
  return value;
}

std::vector<PlyColumn> ftgs_columns(const PlyElement& vertex, const SplatForm& form,
                                    const std::string& name) {
  PlyColumns columns(vertex, form);
  columns.add_gaussian();
  columns.add(Field::time_mean, "time");
  columns.add(Field::log_time_sigma, "log_duration");
  columns.add(Field::velocity_x, 3, "velocity_");
  columns.add_harmonics();
  return columns.take(name, kExportFtgs);
}

SplatCloud read_ftgs(const InputFile& file, const ProgressCallback& progress) {
  const std::string name = file.name();
  const PlyHeader header = read_ply_header(file);
  const PlyElement& vertex = splat_vertices(header, name);
  setting_of(header, name, "ftgs_version", 1, 1, 1);
  const bool moves = setting_of(header, name, "use_velocity", 0, 1, 1) > 0;
  const double least_sigma = setting_of(header, name, "min_duration", 1e-9, 1e9, 0.02);
  const double floor = setting_of(header, name, "opacity_floor", 0, 1, 0);
  const auto frames = static_cast<std::uint64_t>(setting_of(header, name, "n_frames", 0, 1e9, 0));
  const SplatForm form{SplatKind::gaussian,
                       ply_sh_degree(vertex, kind_info(SplatKind::gaussian), name),
                       SplatMotion::life};
  SplatCloud cloud =
      read_ply_rows(file, header, vertex, ftgs_columns(vertex, form, name), form, progress);
  const auto least_log = static_cast<float>(std::log(least_sigma));
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    float& log_sigma = cloud.at(i, Field::log_time_sigma);
    if (log_sigma < least_log) log_sigma = least_log;
    cloud.at(i, Field::log_time_plateau) = kNoPlateauFtgs;
    for (const Field field : {Field::velocity_x, Field::velocity_y, Field::velocity_z}) {
      if (!moves) cloud.at(i, field) = 0;
    }
  }
  const bool floor_is_seen = !life_range(floor, 0, 1, 0).empty();
  if (floor_is_seen) {
    cloud.warnings.push_back(
        fmt::format("its splats keep an opacity of {:.3g} at all times, which is left out", floor));
  }
  return with_seconds(std::move(cloud), frames);
}

}  // namespace

SceneFormat ftgs_ply_format() {
  static constexpr std::string_view kExtensions[] = {".ftgs.ply"};
  return {.name = "FreeTimeGS ply",
          .extensions = kExtensions,
          .model = ModelKind::splats,
          .strength = "",
          .probe = probe_ftgs,
          .read = read_ftgs,
          .write = nullptr};
}

}  // namespace mote

// The .ply of 3D Gaussian Splatting (Kerbl et al. 2023), and those of the other kinds of splats.
// One row per splat: log scales, logit opacity, quaternion w x y z, SH by channel
// ([3][coefficients - 1]). Surfels have two scales (Huang et al. 2024), beta splats a beta and
// harmonics of other names (Liu et al. 2025). The kind follows from the properties.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "core/error.h"
#include "io/splats/cloud_building.h"
#include "io/splats/ply_columns.h"
#include "io/splats/ply_deformation.h"
#include "io/splats/ply_features.h"
#include "io/splats/ply_header.h"
#include "io/splats/ply_motion.h"
#include "io/splats/ply_parts.h"
#include "io/splats/scene_format.h"
#include "splats/feature_cloud.h"

namespace mote {
namespace {

/// The names of the properties, by Field.
constexpr std::array<const char*, kKindFields> kFieldNames = {
    "x",     "y",     "z",     "scale_0", "scale_1", "scale_2",
    "rot_0", "rot_1", "rot_2", "rot_3",   "opacity", "beta"};

const char* name_of(Field field) {
  const auto place = static_cast<std::size_t>(field);
  return place < kFieldNames.size() ? kFieldNames[place] : ply_motion_property(field);
}

/// The property that the value of a field is read from: the opacity of splats that move is the
/// highest one.
const char* read_name_of(Field field, const KindInfo& info) {
  const bool peak = field == Field::logit_opacity && info.moves();
  return peak ? ply_motion_property(field) : name_of(field);
}

/// All fields except the position, in the order in which the authors' trainers write them.
std::vector<Field> written_fields(const KindInfo& kind) {
  std::vector<Field> fields{Field::logit_opacity};
  if (kind.stores(Field::beta)) fields.push_back(Field::beta);
  for (const Field field : kind.stored()) {
    if (field > Field::mean_z && field < Field::logit_opacity) fields.push_back(field);
  }
  for (const Field field : kind.stored()) {
    if (static_cast<int>(field) >= kKindFields) fields.push_back(field);
  }
  return fields;
}

/// The kind whose stored fields fit the properties best: fields found minus fields missing. Of
/// equal kinds, the first.
SplatKind kind_of(const PlyElement& vertex) {
  SplatKind best = SplatKind::gaussian;
  int most = -1;
  for (int k = 0; k < kSplatKinds; ++k) {
    const KindInfo& kind = kind_info(static_cast<SplatKind>(k));
    int found = 0;
    for (const Field field : kind.stored()) {
      found += vertex.find(name_of(field)) != nullptr ? 1 : -1;
    }
    if (found > most) {
      most = found;
      best = kind.kind;
    }
  }
  return best;
}

/// The columns of all stored values but those of the fields `absent`.
std::vector<PlyColumn> splat_columns(const PlyElement& vertex, const SplatForm& splats,
                                     std::span<const Field> absent, bool has_features,
                                     const std::string& name) {
  const KindInfo& kind = kind_info(splats.kind, splats.motion);
  PlyColumns columns(vertex, splats);
  for (const Field field : kind.stored()) {
    if (std::ranges::find(absent, field) != absent.end()) continue;
    columns.add(field, read_name_of(field, kind));
  }
  if (has_features) {
    add_ply_features(columns);
  } else {
    columns.add_harmonics();
  }
  return columns.take(name,
                      "a splat scene needs x y z, scale_0..2, rot_0..3, opacity and f_dc_0..2; "
                      "train splats from these points first");
}

/// Converts one property of up to 16 rows to floats.
using Gather = void (*)(const std::byte* first, std::size_t stride, std::size_t rows, float* out);

template <class T, bool kSwap>
void gather(const std::byte* first, std::size_t stride, std::size_t rows, float* out) {
  for (std::size_t i = 0; i < rows; ++i) {
    std::array<std::byte, sizeof(T)> raw;
    std::memcpy(raw.data(), first + i * stride, sizeof(T));
    if constexpr (kSwap) std::reverse(raw.begin(), raw.end());
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    out[i] = static_cast<float>(value);
  }
}

Gather gather_of(PlyType type, bool swap) {
  // Indexed by PlyType.
  static constexpr Gather kAsStored[] = {gather<std::int8_t, false>,  gather<std::uint8_t, false>,
                                         gather<std::int16_t, false>, gather<std::uint16_t, false>,
                                         gather<std::int32_t, false>, gather<std::uint32_t, false>,
                                         gather<float, false>,        gather<double, false>};
  static constexpr Gather kSwapped[] = {gather<std::int8_t, true>,  gather<std::uint8_t, true>,
                                        gather<std::int16_t, true>, gather<std::uint16_t, true>,
                                        gather<std::int32_t, true>, gather<std::uint32_t, true>,
                                        gather<float, true>,        gather<double, true>};
  return (swap ? kSwapped : kAsStored)[static_cast<std::size_t>(type)];
}

}  // namespace

SplatCloud read_ply_binary(const InputFile& file, const PlyHeader& header, const PlyElement& vertex,
                           const std::vector<PlyColumn>& columns, const SplatForm& splats,
                           const ProgressCallback& progress) {
  const std::uint64_t offset = locate_ply_element(header, vertex, file);
  const std::size_t stride = vertex.row_size;
  SplatCloud cloud = make_cloud(vertex.count, splats, file.name());
  std::vector<Gather> gathers;
  gathers.reserve(columns.size());
  for (const PlyColumn& column : columns) {
    gathers.push_back(gather_of(column.property->type, header.encoding == PlyEncoding::big_endian));
  }
  const std::size_t chunk_blocks = std::max<std::size_t>(kReadChunkBytes / stride / kBlockSize, 1);
  const std::size_t chunk_rows = std::min(chunk_blocks * kBlockSize, cloud.count());
  Buffer<std::byte> chunk(chunk_rows * stride);
  for (std::size_t first = 0; first < cloud.count(); first += chunk_rows) {
    const std::size_t rows = std::min(chunk_rows, cloud.count() - first);
    file.read_exact(offset + first * stride, chunk.span().first(rows * stride));
    in_parallel((rows + kBlockSize - 1) / kBlockSize, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const std::byte* row = chunk.data() + b * kBlockSize * stride;
        const std::size_t lanes = std::min(kBlockSize, rows - b * kBlockSize);
        for (std::size_t c = 0; c < columns.size(); ++c) {
          gathers[c](row + columns[c].property->offset, stride, lanes,
                     columns[c].in_block(cloud, first / kBlockSize + b));
        }
      }
    });
    report(progress, static_cast<double>(first + rows) / static_cast<double>(cloud.count()));
  }
  if (std::string tail = describe_ply_tail(header, file); !tail.empty()) {
    cloud.warnings.push_back(std::move(tail));
  }
  return cloud;
}

namespace {

SplatCloud read_ply(const InputFile& file, const ProgressCallback& progress) {
  const PlyHeader header = read_ply_header(file);
  const PlyElement& vertex = splat_vertices(header, file.name());
  const SplatKind kind = kind_of(vertex);
  PlyMotion motion;
  const bool has_features = has_ply_features(header, file.name());
  const int degree =
      has_features ? kFeatureDegree : ply_sh_degree(vertex, kind_info(kind), file.name());
  const SplatForm splats{kind, degree, ply_motion_of(header, vertex, file.name(), motion)};
  if (!kind_info(splats.kind, splats.motion).exists) {
    throw Error(std::string("has splats of kind ") + kind_info(kind).name + " with the motion " +
                    kind_info(splats.kind, splats.motion).motion_name +
                    ", which this program does not draw",
                file.name(), "export it with Gaussians");
  }
  const std::vector<PlyColumn> columns =
      splat_columns(vertex, splats, motion.absent, has_features, file.name());
  SplatCloud cloud = read_ply_rows(file, header, vertex, columns, splats, progress);
  if (depends_on_time(splats.motion)) from_ply_motion(motion, cloud);
  read_ply_deformation(file, header, cloud);
  if (has_features) read_ply_decoder(file, header, cloud);
  cloud.antialiased = header.antialiased();
  if (std::ranges::any_of(vertex.properties,
                          [](const PlyProperty& p) { return p.name.starts_with("sb_params_"); })) {
    cloud.warnings.push_back("colour lobes (sb_params_*) left out");
  }
  return cloud;
}

/// Number of harmonics above degree 0.
int rest_values(const SplatCloud& cloud) {
  return cloud.decoder != nullptr ? 0 : (cloud.sh_coefficients() - 1) * 3;
}

/// The properties in the order of Inria's trainer.
std::string written_header(const SplatCloud& cloud, std::size_t count) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  if (cloud.antialiased) text += "comment SplatRenderMode: mip\n";
  if (cloud.info().moves()) text += ply_motion_comments({.times = cloud.times});
  if (cloud.info().is_directional()) text += kPlyDirectionComment;
  if (cloud.deformation != nullptr) text += ply_deformation_comments(cloud);
  if (cloud.decoder != nullptr) text += ply_feature_comments(cloud);
  text += "element vertex " + std::to_string(count) + "\n";
  const auto add = [&](const std::string& name) { text += "property float " + name + "\n"; };
  const auto& [dc, rest] = cloud.info().sh_prefixes;
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) add(name);
  for (int c = 0; c < 3; ++c) add(dc + std::to_string(c));
  if (cloud.decoder != nullptr) text += ply_feature_properties();
  for (int i = 0; i < rest_values(cloud); ++i) add(rest + std::to_string(i));
  for (const Field field : written_fields(cloud.info())) add(name_of(field));
  if (cloud.info().moves()) add(ply_motion_property(Field::logit_opacity));
  if (cloud.deformation != nullptr) text += ply_deformation_element(cloud);
  if (cloud.decoder != nullptr) text += ply_decoder_element();
  return text + "end_header\n";
}

/// The coefficients of degree 0; for features, those of their colours without the network.
std::array<float, 3> first_harmonic(const SplatCloud& cloud, std::size_t splat) {
  if (cloud.decoder == nullptr) {
    return {cloud.sh(splat, 0, 0), cloud.sh(splat, 0, 1), cloud.sh(splat, 0, 2)};
  }
  const glm::vec3 color(base_feature_color(cloud, splat));
  return {(color.x - 0.5f) / kShC0, (color.y - 0.5f) / kShC0, (color.z - 0.5f) / kShC0};
}

/// Replaces the values of a row by those of the moment. The row ends with the highest opacity after
/// `fields`.
void put_moment(const PlyMotion& motion, const SplatCloud& cloud, std::size_t splat,
                const std::vector<Field>& fields, std::span<float> row) {
  const PlyMoment moment = to_ply_motion(motion, cloud, splat);
  std::copy_n(moment.value, 3, row.begin());
  const std::size_t first = row.size() - 1 - fields.size();
  for (std::size_t k = 0; k < fields.size(); ++k) row[first + k] = moment[fields[k]];
}

void write_rows(const SplatCloud& cloud, OutputFile& file, const ProgressCallback& progress) {
  const auto rest = static_cast<std::size_t>(rest_values(cloud));
  const std::size_t features = cloud.decoder != nullptr ? 3 * kFeatureTriples : 0;
  const std::vector<Field> fields = written_fields(cloud.info());
  const bool moves = cloud.info().moves();
  const PlyMotion motion{.times = cloud.times};
  const std::size_t values = 6 + 3 + features + rest + fields.size() + (moves ? 1 : 0);
  std::vector<float> rows(kBlockSize * values);
  for (std::size_t b = 0; b < cloud.block_count(); ++b) {
    const std::size_t lanes = std::min(kBlockSize, cloud.count() - b * kBlockSize);
    const float* geometry = cloud.geometry_block(b);
    const float* sh = cloud.sh_block(b);
    for (std::size_t i = 0; i < lanes; ++i) {
      const auto field = [&](Field f) {
        return geometry[static_cast<std::size_t>(cloud.info().plane(f)) * kBlockSize + i];
      };
      float* out = rows.data() + i * values;
      for (Field f : {Field::mean_x, Field::mean_y, Field::mean_z}) *out++ = field(f);
      out = std::fill_n(out, 3, 0.0f);  // normals, which readers ignore
      out = std::ranges::copy(first_harmonic(cloud, b * kBlockSize + i), out).out;
      for (std::size_t k = 0; k < features; ++k) *out++ = sh[k * kBlockSize + i];
      for (std::size_t r = 0; r < rest; ++r) {
        *out++ = sh[sh_slot_of_rest(r, cloud.sh_degree()) * kBlockSize + i];
      }
      for (const Field f : fields) *out++ = field(f);
      if (moves) *out++ = field(Field::logit_opacity);
      if (moves)
        put_moment(motion, cloud, b * kBlockSize + i, fields,
                   std::span(rows).subspan(i * values, values));
    }
    file.write(std::as_bytes(std::span(rows).first(lanes * values)));
    if (b % 4096 == 4095) {
      report(progress, static_cast<double>(b) / static_cast<double>(cloud.block_count()));
    }
  }
}

std::vector<std::string> write_ply(const SplatCloud& cloud, OutputFile& file,
                                   const ProgressCallback& progress) {
  file.write(written_header(cloud, cloud.count()));
  write_rows(cloud, file, progress);
  if (cloud.deformation != nullptr) write_ply_deformation(cloud, file);
  if (cloud.decoder != nullptr) write_ply_decoder(cloud, file);
  report(progress, 1.0);
  return {};
}

}  // namespace

void save_ply_parts(const std::filesystem::path& path, const SplatCloud& like, std::size_t count,
                    const std::function<SplatCloud(std::size_t first)>& part) {
  CHECK(like.deformation == nullptr);
  OutputFile file(path);
  file.write(written_header(like, count));
  for (std::size_t first = 0; first < count;) {
    const SplatCloud splats = part(first);
    CHECK(splats.count() > 0 && splats.count() <= count - first);
    write_rows(splats, file, {});
    first += splats.count();
  }
  file.commit();
}

SceneFormat ply_format() {
  static constexpr std::string_view kExtensions[] = {".ply"};
  return {.name = "3DGS ply",
          .extensions = kExtensions,
          .model = ModelKind::splats,
          .strength = "most programs read it",
          .probe = starts_as_ply,
          .read = read_ply,
          .write = write_ply,
          .holds_all_kinds = true,
          .motion = SplatMotion::poly,
          .holds_directions = true,
          .holds_deformations = true,
          .holds_features = true};
}

}  // namespace mote

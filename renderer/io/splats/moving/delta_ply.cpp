// The .ply of older versions of Brush with a moving scene. After the splats, frame N has the
// elements meta_delta_min_N and meta_delta_max_N, each of one row, and delta_vertex_N, a row for
// each splat, with x y z scale_0..2 rot_0..3. A row of a frame is between the two rows before it:
// floats from 0 to 1, or whole numbers that Brush divides by 254 or 65534. The result is added to
// the stored values of the splat, log scales and quaternions too. Opacities and colours are those
// of the splats. The splats themselves are no frame.
// Source: Brush, github.com/ArthurBrussee/brush, its reader of .ply files.
#include "io/splats/moving/delta_ply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/spelling.h"
#include "io/splats/cloud_building.h"
#include "io/splats/ply_columns.h"

namespace mote {
namespace {

constexpr std::string_view kDeltaRows = "delta_vertex_", kDeltaLeast = "meta_delta_min_",
                           kDeltaLargest = "meta_delta_max_";
constexpr const char* kExportDeltas = "export the animation again, or use one .ply for each frame";
constexpr std::size_t kDeltaValues = 10;
static_assert(static_cast<int>(Field::mean_x) == 0 && static_cast<int>(Field::rotation_z) == 9);

constexpr SplatForm kDeltaForm{SplatKind::gaussian, 0};

std::vector<PlyColumn> delta_columns(const PlyElement& element, const std::string& name) {
  PlyColumns columns(element, kDeltaForm);
  columns.add(Field::mean_x, "x");
  columns.add(Field::mean_y, "y");
  columns.add(Field::mean_z, "z");
  columns.add(Field::log_scale_x, 3, "scale_");
  columns.add(Field::rotation_w, 4, "rot_");
  return columns.take(name, kExportDeltas);
}

/// The number that Brush divides stored values by.
float divisor_of(PlyType type) {
  return type == PlyType::uint8 ? 254.0f : type == PlyType::uint16 ? 65534.0f : 1.0f;
}

std::size_t delta_frames(const PlyHeader& header) {
  return static_cast<std::size_t>(std::ranges::count_if(
      header.elements,
      [](const PlyElement& element) { return element.name.starts_with(kDeltaRows); }));
}

SplatCloud read_delta_base(const InputFile& input, const PlyHeader& header,
                           const ProgressCallback& progress) {
  if (header.encoding == PlyEncoding::ascii) {
    throw Error("has frames of differences as text", input.name(), "export it as a binary .ply");
  }
  SplatCloud base = ply_format().read(input, progress);
  if (base.form() == SplatForm{SplatKind::gaussian, base.sh_degree()}) return base;
  throw Error("has frames of differences for splats that are no Gaussians, or move themselves",
              input.name(), kExportDeltas);
}

}  // namespace

DeltaPly::DeltaPly(const std::filesystem::path& path, const ProgressCallback& progress)
    : input_(path),
      header_(read_ply_header(input_)),
      base_(read_delta_base(input_, header_, progress)) {
  find_frames();
}

void DeltaPly::find_frames() {
  std::vector<Span> spans(kDeltaValues);
  for (const PlyElement& element : header_.elements) {
    const bool least = element.name.starts_with(kDeltaLeast);
    if (least || element.name.starts_with(kDeltaLargest)) {
      const std::vector<float> row = read_row(element);
      for (std::size_t i = 0; i < kDeltaValues; ++i) {
        (least ? spans[i].least : spans[i].largest) = row[i];
      }
    } else if (element.name.starts_with(kDeltaRows)) {
      if (element.count != base_.count()) {
        throw Error(fmt::format("its element '{}' has {}, but there are {}", element.name,
                                number_of(element.count, "row"), number_of(base_.count(), "splat")),
                    input_.name(), kExportDeltas);
      }
      check_rows(element);
      frames_.push_back({&element, spans});
    }
  }
  if (frames_.empty()) {
    throw Error("has no frames of differences", input_.name(), kExportDeltas);
  }
}

/// Throws Error if the rows are not in the file, or not those of a frame.
void DeltaPly::check_rows(const PlyElement& element) const {
  if (element.has_list) {
    throw Error(fmt::format("its element '{}' has a list property", element.name), input_.name(),
                kExportDeltas);
  }
  delta_columns(element, input_.name());
  locate_ply_element(header_, element, input_);
}

SplatCloud DeltaPly::read_rows(const PlyElement& element, const ProgressCallback& progress) const {
  return read_ply_rows(input_, header_, element, delta_columns(element, input_.name()), kDeltaForm,
                       progress);
}

std::vector<float> DeltaPly::read_row(const PlyElement& element) const {
  if (element.count != 1) {
    throw Error(fmt::format("its element '{}' has {}, expected 1", element.name,
                            number_of(element.count, "row")),
                input_.name(), kExportDeltas);
  }
  check_rows(element);
  const SplatCloud row = read_rows(element, {});
  std::vector<float> values(kDeltaValues);
  for (std::size_t i = 0; i < kDeltaValues; ++i) values[i] = row.at(0, static_cast<Field>(i));
  return values;
}

SplatCloud DeltaPly::frame(std::size_t frame, const ProgressCallback& progress) const {
  const Frame& found = frames_.at(frame);
  const SplatCloud rows = read_rows(*found.rows, progress);
  SplatCloud cloud = with_sh_degree(base_, base_.sh_degree());
  for (const PlyColumn& column : delta_columns(*found.rows, input_.name())) {
    const auto field = static_cast<Field>(column.slot);
    const Span& span = found.spans[column.slot];
    const float scale = (span.largest - span.least) / divisor_of(column.property->type);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      cloud.at(i, field) += span.least + scale * rows.at(i, field);
    }
  }
  return cloud;
}

namespace {

bool probe_delta(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  return starts_as_ply(head) && text.find("element delta_vertex_") != text.npos;
}

SplatCloud read_delta(const InputFile& file, const ProgressCallback& progress) {
  const DeltaPly scene(file.path(), progress);
  SplatCloud cloud = scene.frame(0);
  cloud.warnings.push_back(
      fmt::format("only the first of {} is used here; mote view and mote render show all",
                  number_of(scene.frame_count(), "frame")));
  return cloud;
}

}  // namespace

SceneFormat delta_ply_format() {
  return {.name = "Brush ply of frames",
          .extensions = {},
          .model = ModelKind::splats,
          .strength = "",
          .probe = probe_delta,
          .read = read_delta,
          .write = nullptr,
          .is_frame = false};
}

std::size_t delta_frame_count(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return 0;
  const InputFile input(path);
  std::array<std::byte, 4> head{};
  if (input.read_some(0, head) < head.size() || !starts_as_ply(head)) return 0;
  try {
    return delta_frames(read_ply_header(input));
  } catch (const Error&) {
    return 0;  // readers of splats say what is wrong with the header
  }
}

}  // namespace mote

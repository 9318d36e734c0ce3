#include "io/splats/ply_deformation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <sstream>
#include <vector>

#include "core/error.h"
#include "splats/deformation.h"

namespace mote {
namespace {

constexpr const char* kFieldVersion = "mote_deformation";
constexpr const char* kFieldElement = "mote_deformation";
constexpr const char* kFieldRemedy = "export the scene again";

/// The numbers after `key` in the last comment that starts with it. Throws Error if there are not
/// `count` finite ones.
std::vector<double> field_numbers(const PlyHeader& header, const std::string& key,
                                  std::size_t count, const std::string& name) {
  std::vector<double> numbers;
  const std::string start = key + " ";
  for (const std::string& comment : header.comments) {
    if (!comment.starts_with(start)) continue;
    numbers.clear();
    std::istringstream text(comment.substr(start.size()));
    text.imbue(std::locale::classic());
    for (double number = 0; text >> number;) numbers.push_back(number);
  }
  const bool all_finite =
      std::ranges::all_of(numbers, [](double number) { return std::abs(number) <= 1e9; });
  if (numbers.size() == count && all_finite) return numbers;
  throw Error(fmt::format("has a deformation field, but no comment {} with {} numbers", key, count),
              name, kFieldRemedy);
}

int field_size(double number, const std::string& name) {
  const int value = static_cast<int>(number);
  if (static_cast<double>(value) == number && value >= 0) return value;
  throw Error(fmt::format("the deformation field has the size {:.6g}", number), name, kFieldRemedy);
}

DeformationConfig field_config(const PlyHeader& header, const std::string& name) {
  const auto planes = field_numbers(header, "mote_deformation_planes", 4, name);
  const auto network = field_numbers(header, "mote_deformation_network", 2, name);
  return {.planes = {.features = field_size(planes[0], name),
                     .levels = field_size(planes[1], name),
                     .resolution = field_size(planes[2], name),
                     .moments = field_size(planes[3], name)},
          .neurons = field_size(network[0], name),
          .hidden_layers = field_size(network[1], name)};
}

DeformationLayout field_layout(const DeformationConfig& config, const std::string& name) {
  try {
    return deformation_layout(config);
  } catch (const Error& error) {
    throw Error("its deformation field " + error.problem(), name, error.remedy());
  }
}

bool has_field(const PlyHeader& header, const std::string& name) {
  const std::string start = std::string(kFieldVersion) + " ";
  for (const std::string& comment : header.comments) {
    if (!comment.starts_with(start)) continue;
    const std::string version = comment.substr(start.size());
    if (version == "1") return true;
    throw Error(fmt::format("has a deformation field, in version '{}' of mote_deformation; this "
                            "program reads version 1",
                            version.substr(0, 20)),
                name, "use a newer version of Mote");
  }
  return false;
}

/// Throws Error if the element is not the field's.
const PlyElement& field_element(const PlyHeader& header, std::size_t parameters,
                                const std::string& name) {
  const PlyElement* element = header.find(kFieldElement);
  const bool fits = element != nullptr && element->count == parameters &&
                    element->properties.size() == 1 && !element->has_list &&
                    element->properties.front().type == PlyType::float32;
  if (!fits || header.encoding != PlyEncoding::little_endian) {
    throw Error(
        fmt::format("its deformation field needs a binary, little-endian element {} with {} floats",
                    kFieldElement, parameters),
        name, kFieldRemedy);
  }
  return *element;
}

}  // namespace

void read_ply_deformation(const InputFile& file, const PlyHeader& header, SplatCloud& cloud) {
  const std::string name = file.name();
  if (!has_field(header, name)) return;
  if (cloud.info().moves() || cloud.kind() != SplatKind::gaussian) {
    throw Error("has a deformation field for splats that are not Gaussians standing still", name,
                kFieldRemedy);
  }
  DeformationField field{.config = field_config(header, name)};
  const auto box = field_numbers(header, "mote_deformation_box", 6, name);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    field.low[axis] = static_cast<float>(box[axis]);
    field.high[axis] = static_cast<float>(box[3 + axis]);
    if (field.low[axis] < field.high[axis]) continue;
    throw Error("the box of its deformation field is empty", name, kFieldRemedy);
  }
  cloud.times = {.duration_s = field_numbers(header, "mote_duration_s", 1, name)[0],
                 .frames_per_second = field_numbers(header, "mote_frames_per_second", 1, name)[0]};
  if (!(cloud.times.duration_s > 0) || !(cloud.times.frames_per_second >= 0)) {
    throw Error("has a deformation field, but no duration above 0", name, kFieldRemedy);
  }
  const std::size_t parameters = field_layout(field.config, name).parameters;
  const PlyElement& element = field_element(header, parameters, name);
  const std::uint64_t offset = locate_ply_element(header, element, file);
  field.parameters.resize(parameters);
  file.read_exact(offset, std::as_writable_bytes(std::span(field.parameters)));
  if (!std::ranges::all_of(field.parameters, [](float value) { return std::isfinite(value); })) {
    throw Error("its deformation field has values that are not finite", name,
                "train with a lower --deform-lr and --plane-lr");
  }
  cloud.deformation = std::make_shared<const DeformationField>(std::move(field));
}

std::string ply_deformation_comments(const SplatCloud& cloud) {
  const DeformationField& field = *cloud.deformation;
  const HexPlaneConfig& planes = field.config.planes;
  return fmt::format(
      "comment {} 1\ncomment mote_duration_s {:.9g}\ncomment mote_frames_per_second {:.9g}\n"
      "comment mote_deformation_box {:.9g} {:.9g} {:.9g} {:.9g} {:.9g} {:.9g}\n"
      "comment mote_deformation_planes {} {} {} {}\ncomment mote_deformation_network {} {}\n",
      kFieldVersion, cloud.times.duration_s, cloud.times.frames_per_second, field.low[0],
      field.low[1], field.low[2], field.high[0], field.high[1], field.high[2], planes.features,
      planes.levels, planes.resolution, planes.moments, field.config.neurons,
      field.config.hidden_layers);
}

std::string ply_deformation_element(const SplatCloud& cloud) {
  return fmt::format("element {} {}\nproperty float parameter\n", kFieldElement,
                     cloud.deformation->parameters.size());
}

void write_ply_deformation(const SplatCloud& cloud, OutputFile& file) {
  static_assert(std::endian::native == std::endian::little);
  file.write(std::as_bytes(std::span(cloud.deformation->parameters)));
}

}  // namespace mote

#include "io/splats/scene_format.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/spelling.h"
#include "io/splats/cloud_building.h"
#include "io/splats/format_lists.h"
#include "io/splats/moving/delta_ply.h"
#include "io/splats/ply_header.h"

namespace mote {

namespace {

std::string described_content(std::span<const std::byte> head) {
  if (head.empty()) return "is empty";
  std::string text = "has an unknown format (it begins with the bytes";
  for (const std::byte b : head.first(std::min<std::size_t>(head.size(), 8))) {
    char hex[4];
    std::snprintf(hex, sizeof hex, " %02x", static_cast<unsigned>(b));
    text += hex;
  }
  return text + ")";
}

}  // namespace

std::span<const SceneFormat> scene_formats() {
  static const std::array kFormats{
      compressed_ply_format(), delta_ply_format(), stg_ply_format(),
      ftgs_ply_format(),       ply_format(),       spz_format(),
      fourdgs_format(),        splatv_format(),    torch_format(),
      field_snapshot_format(),
  };
  return kFormats;
}

SceneExtension scene_extension(const std::filesystem::path& path) {
  const std::string name = lower_case(path.filename().string());
  SceneExtension best;
  for (const SceneFormat& format : scene_formats()) {
    for (const std::string_view extension : format.extensions) {
      if (name.ends_with(extension) && extension.size() > best.length) {
        best = {&format, extension.size()};
      }
    }
  }
  return best;
}

const SceneFormat& probe_scene_format(const InputFile& file) {
  std::vector<std::byte> head(kProbeBytes);
  head.resize(file.read_some(0, head));
  if (starts_as_ply(head)) {
    const std::string header = ply_header_text(file);
    const auto bytes = std::as_bytes(std::span(header));
    head.assign(bytes.begin(), bytes.end());
  }
  for (const SceneFormat& format : scene_formats()) {
    if (format.probe(head)) return format;
  }
  throw Error(described_content(head), file.name(),
              "give a file with the content of a " + listed(format_extensions(FormatUse::read)));
}

void check_holds(const SceneFormat& format, ModelKind model, const std::filesystem::path& path) {
  if (format.model == model) return;
  throw Error(std::string("files of the format ") + std::string(format.name) + " hold " +
                  std::string(model_name(format.model)) + ", not " + std::string(model_name(model)),
              path.string(),
              "give a " + listed(format_extensions(FormatUse::write, model)) + " file");
}

void check_holds(const SceneFormat& format, const KindInfo& splats,
                 const std::filesystem::path& path) {
  if (splats.kind != SplatKind::gaussian && !format.holds_all_kinds) {
    throw Error("the format " + std::string(format.name) +
                    " holds Gaussians only, but the scene has " + splats.name + " splats",
                path.string(), "write .ply");
  }
  if (splats.is_directional()) {
    if (format.holds_directions) return;
    throw Error("the format " + std::string(format.name) +
                    " holds no splats that depend on the direction of view, but the scene does "
                    "(motion " +
                    splats.motion_name + ")",
                path.string(), "write .ply");
  }
  if (splats.motion > format.motion) {
    throw Error("the format " + std::string(format.name) +
                    " holds splats that stand still, but the scene moves (motion " +
                    splats.motion_name + ")",
                path.string(), "write .ply, or the splats at one time with mote convert --time");
  }
}

void check_holds_deformations(const SceneFormat& format, const std::filesystem::path& path) {
  if (format.holds_deformations) return;
  throw Error("the format " + std::string(format.name) +
                  " holds no deformation field, which moves the scene",
              path.string(), "write .ply, or the splats at one time with mote convert --time");
}

void check_holds_features(const SceneFormat& format, const std::filesystem::path& path) {
  if (format.holds_features) return;
  throw Error("the format " + std::string(format.name) +
                  " holds no features, of which a network makes the colours of the scene",
              path.string(), "write .ply");
}

void check_holds(const SceneFormat& format, const SplatCloud& cloud,
                 const std::filesystem::path& path) {
  if (cloud.decoder != nullptr) check_holds_features(format, path);
  check_holds(format, cloud.info(), path);
  if (cloud.deformation != nullptr) check_holds_deformations(format, path);
}

SplatCloud load_scene(const std::filesystem::path& path, const ProgressCallback& progress) {
  const InputFile file(path);
  const SceneFormat& format = probe_scene_format(file);
  check_holds(format, ModelKind::splats, path);
  SplatCloud cloud = format.read(file, progress);
  warn_of_non_finite(cloud);
  return cloud;
}

const SceneFormat& writable_scene_format(const std::filesystem::path& path,
                                         const std::string& others) {
  const SceneFormat* format = scene_extension(path).format;
  if (!format || !format->can_be_written()) {
    throw Error(format ? "the format " + std::string(format->name) + " can only be read"
                       : "its extension belongs to no known format",
                path.string(),
                "write " + listed(format_extensions(FormatUse::write, ModelKind::splats)) +
                    " of splats, or " +
                    listed(format_extensions(FormatUse::write, ModelKind::field)) +
                    " of a neural field" + others);
  }
  return *format;
}

std::vector<std::string> save_scene(const SplatCloud& cloud, const std::filesystem::path& path,
                                    Existing existing, const ProgressCallback& progress) {
  const SceneFormat& format = writable_scene_format(path);
  check_holds(format, ModelKind::splats, path);
  check_holds(format, cloud, path);
  OutputFile file(path, existing);
  std::vector<std::string> warnings = format.write(cloud, file, progress);
  file.commit();
  return warnings;
}

}  // namespace mote

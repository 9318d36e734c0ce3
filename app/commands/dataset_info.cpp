#include "app/commands/info_facts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/machine.h"
#include "core/spelling.h"
#include "scene/scene_layout.h"

namespace mote {
namespace {

using nlohmann::json;

json size_json(ImageSize size) {
  return {{"width", size.width}, {"height", size.height}};
}

std::string size_text(ImageSize size) {
  return fmt::format("{}x{}", size.width, size.height);
}

bool same(ImageSize a, ImageSize b) {
  return a.width == b.width && a.height == b.height;
}

json kinds_json(const DatasetFacts& facts) {
  json kinds = json::array();
  for (const PhotographKind& kind : facts.kinds) {
    kinds.push_back({{"camera_model", kind.camera_model},
                     {"photographs", kind.count},
                     {"undistorted", kind.has_lens},
                     {"stored", size_json(kind.stored)},
                     {"without_lens", size_json(kind.undistorted)},
                     {"trained", size_json(kind.trained)}});
  }
  return kinds;
}

json groups_json(const Dataset& dataset) {
  std::vector<std::size_t> counts(dataset.camera_groups.size(), 0);
  for (const Photograph& photograph : dataset.photographs) {
    if (!counts.empty()) ++counts[photograph.camera_group];
  }
  json groups = json::array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const CameraGroup& group = dataset.camera_groups[i];
    groups.push_back({{"name", group.name},
                      {"photographs", counts[i]},
                      {"clock_offset_s", group.clock_offset_s},
                      {"frames_per_second", group.frames_per_second}});
  }
  return groups;
}

/// Text such as "2 s of 20 cameras, 30 frames per second".
std::string moments_text(const Dataset& dataset) {
  std::string text = fmt::format("{:.6g} s", dataset.time.duration_s());
  if (!dataset.camera_groups.empty()) {
    text += " of " + number_of(dataset.camera_groups.size(), "camera");
  }
  if (dataset.time.frames_per_second > 0) {
    text += fmt::format(", {:.6g} frames per second", dataset.time.frames_per_second);
  }
  return text;
}

/// Text such as "SIMPLE_RADIAL, 540x960, undistorted to 533x951, resized to 267x476: 50
/// photographs".
std::string kind_text(const PhotographKind& kind) {
  std::string text = fmt::format("{}, {}", kind.camera_model, size_text(kind.stored));
  if (kind.has_lens) text += ", undistorted to " + size_text(kind.undistorted);
  if (kind.by_ray) text += ", through its lens";
  if (!same(kind.undistorted, kind.trained)) text += ", resized to " + size_text(kind.trained);
  return text + ": " + number_of(kind.count, "photograph");
}

std::string photographs_text(const DatasetFacts& facts, std::size_t used) {
  std::string text = fmt::format("{} of {}", used, facts.listed);
  const std::pair<std::size_t, const char*> left_out[] = {
      {facts.missing, "missing"},
      {facts.repeated, "listed twice"},
      {facts.damaged, "damaged or with another aspect ratio"},
      {facts.hidden, "hidden by their mask"},
      {facts.folded, "with an unusable lens"},
      {facts.unused, "in no split"}};
  for (const auto& [count, why] : left_out) {
    if (count > 0) text += fmt::format(", {} {}", count, why);
  }
  return text;
}

std::string count_text(std::size_t photographs) {
  return photographs == 0 ? "none" : fmt::format("of {} photographs", photographs);
}

std::string memory_text(const PhotoStore& photos) {
  const std::size_t needed = photos.bytes_needed(), budget = photos.bytes_budget();
  return fmt::format(
      "{} decoded; {}", bytes_text(needed),
      needed <= budget
          ? fmt::format("all are kept, --memory allows {}", bytes_text(budget))
          : fmt::format("--memory keeps {}, the rest is decoded shortly before its use",
                        bytes_text(budget)));
}

std::string extent_text(const SceneLayout& layout) {
  return fmt::format("{:.4g} world units, {}", layout.extent,
                     layout.in_one_place
                         ? "of the visible region, since all cameras have the same position"
                         : "of the cameras");
}

}  // namespace

json dataset_info_json(const std::string& path, const LoadedDataset& data) {
  const DatasetFacts& facts = data.facts;
  const Dataset& dataset = data.dataset;
  return {{"dataset", path},
          {"format", facts.format},
          {"source", dataset.source},
          {"photographs",
           {{"listed", facts.listed},
            {"used", dataset.photographs.size()},
            {"missing", facts.missing},
            {"repeated", facts.repeated},
            {"damaged", facts.damaged},
            {"hidden", facts.hidden},
            {"in_no_split", facts.unused},
            {"unusable_lens", facts.folded},
            {"in_linear_light", facts.linear},
            {"with_mask", facts.masked},
            {"with_alpha", facts.transparent}}},
          {"kinds", kinds_json(facts)},
          {"points", dataset.points.positions.size()},
          {"split",
           {{"train", dataset.train.size()},
            {"test", dataset.test.size()},
            {"by", facts.has_split      ? "dataset"
                   : facts.chosen_split ? "place"
                   : facts.camera_split ? "camera"
                                        : "name"}}},
          {"time",
           {{"moves", dataset.time.moves()},
            {"first_s", dataset.time.first_s},
            {"last_s", dataset.time.last_s},
            {"frames_per_second", dataset.time.frames_per_second}}},
          {"physical_cameras", groups_json(dataset)},
          {"extent", measure_layout(dataset).extent},
          {"decoded_bytes", data.photos->bytes_needed()},
          {"memory_bytes", data.photos->bytes_budget()},
          {"notes", dataset.notes},
          {"warnings", dataset.warnings}};
}

std::string dataset_info_text(const std::string& path, const LoadedDataset& data) {
  const DatasetFacts& facts = data.facts;
  const Dataset& dataset = data.dataset;
  const auto row = [](const char* name, const std::string& text) {
    return fmt::format("  {:<12} {}\n", name, text);
  };
  std::string text = path + "\n" + row("format", facts.format);
  text += row("photographs", photographs_text(facts, dataset.photographs.size()));
  const char* name = "cameras";
  for (const PhotographKind& kind : facts.kinds) {
    text += row(name, kind_text(kind));
    name = "";
  }
  if (facts.linear > 0) text += row("EXR", count_text(facts.linear));
  text += row("masks", count_text(facts.masked));
  text += row("alpha", count_text(facts.transparent));
  text += row("points", std::to_string(dataset.points.positions.size()));
  if (dataset.time.moves()) text += row("moments", moments_text(dataset));
  text += row("split", fmt::format("{} for training, {} for testing, {}", dataset.train.size(),
                                   dataset.test.size(),
                                   facts.has_split      ? "as the dataset defines"
                                   : facts.chosen_split ? "chosen among the others"
                                   : facts.camera_split ? "by camera"
                                                        : "by name"));
  text += row("extent", extent_text(measure_layout(dataset)));
  text += row("memory", memory_text(*data.photos));
  if (!dataset.warnings.empty()) text += "\n";
  for (const std::string& warning : dataset.warnings) text += "  warning: " + warning + "\n";
  return text;
}

}  // namespace mote

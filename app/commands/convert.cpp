// `mote convert IN OUT`: converts a scene to another format, with optional moves, cuts and
// thinning.
#include <fmt/format.h>

#include <filesystem>
#include <glm/trigonometric.hpp>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/command.h"
#include "app/commands/frame_conversion.h"
#include "app/commands/mesh_conversion.h"
#include "app/commands/scene_loading.h"
#include "app/commands/snapshot_conversion.h"
#include "app/commands/time_conversion.h"
#include "app/jobs/field_box.h"
#include "app/jobs/inputs.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "io/meshes/mesh_writing.h"
#include "io/splats/format_lists.h"
#include "io/splats/splat_stream.h"
#include "model/models.h"
#include "scene/similarity.h"
#include "splats/feature_cloud.h"
#include "splats/morton.h"
#include "splats/selection.h"
#include "splats/transform.h"
#include "train/run/run_folder.h"

namespace mote {
namespace {

glm::dvec3 vector_of(const std::vector<double>& values) {
  return {values[0], values[1], values[2]};
}

class Convert : public Command {
 public:
  void describe(OptionTable& table) override {
    table
        .add({.name = "in",
              .target = &in_,
              .help = fmt::format(
                  "scene to read: {}, detected by content, or the folder of a training run",
                  listed(format_extensions(FormatUse::read))),
              .placeholder = "IN",
              .positional = true,
              .required = true})
        .add({.name = "out",
              .target = &out_,
              .help =
                  "file to write, or the folder for --frames; the extension selects the format; "
                  ".ply, .obj and .glb of a field hold its surface as a mesh",
              .placeholder = "OUT",
              .positional = true,
              .required = true})
        .add({.name = "keep-sh",
              .target = &keep_sh_,
              .help = "highest degree of spherical harmonics to keep",
              .aliases = {"--filter-harmonics"},
              .minimum = 0,
              .maximum = kMaxShDegree})
        .add({.name = "scale",
              .target = &scale_,
              .help = "scale about the origin",
              .aliases = {"-s"},
              .minimum = 1e-9,
              .maximum = 1e9})
        .add({.name = "rotate",
              .target = &rotate_,
              .help = "rotate about the x, then y, then z axis",
              .unit = "degrees",
              .aliases = {"-r"},
              .length = 3,
              .placeholder = "X,Y,Z"})
        .add({.name = "translate",
              .target = &translate_,
              .help = "move",
              .aliases = {"-t"},
              .length = 3,
              .placeholder = "X,Y,Z"})
        .add({.name = "drop-invalid",
              .target = &drop_invalid_,
              .help = "drop splats with values that are not finite",
              .aliases = {"--filter-nan"}})
        .add({.name = "crop",
              .target = &crop_,
              .help = "keep the splats in this box, in coordinates of the result",
              .length = 6,
              .placeholder = "X0,Y0,Z0,X1,Y1,Z1"})
        .add({.name = "min-opacity",
              .target = &min_opacity_,
              .help = "keep splats with at least this opacity",
              .minimum = 0,
              .maximum = 1})
        .add({.name = "feature-activation",
              .target = &feature_activation_,
              .help = R"(the function after the network of features (Spacetime Gaussians, full
model): sigmoid (rgbfunction sandwich), or clamp to 0 ... 1 (sandwichnoact))",
              .choices = {"sigmoid", "clamp"}});
    times_.describe(table);
    frames_.describe(table);
    mesh_.describe(table);
    snapshot_.describe(table);
  }

  void run(const GlobalOptions& globals) override {
    const Selection selection = checked_selection();
    check_output(globals);
    if (auto part = load_part(globals)) {
      convert_splats(std::move(*part), selection, globals);
      return;
    }
    const LoadedModel loaded = load_model_with_progress(in_, globals);
    if (loaded.model->model().kind != ModelKind::splats) {
      convert_other(loaded, globals);
      return;
    }
    convert_splats(splats_of(loaded), selection, globals);
  }

 private:
  /// The splats of --time-range, if the input is a file of which only a part needs to be read.
  std::optional<LoadedScene> load_part(const GlobalOptions& globals) const {
    if (times_.part_s.empty() || given.contains("duration")) return {};
    const std::filesystem::path file = scene_file(in_);
    if (!can_be_streamed(file)) return {};
    const SplatStream stream(file);
    check_part(stream.times(), times_);
    return load_part_with_progress(stream, {times_.part_s[0], times_.part_s[1]}, globals);
  }

  void convert_splats(LoadedScene scene, const Selection& selection,
                      const GlobalOptions& globals) const {
    refuse_options({"resolution", "density", "box", "parameter-format", "optimizer-state"},
                   "applies only to neural fields", "a field instead of " + in_);
    if (!frames_.wanted()) {
      refuse_mesh();
      check_holds(writable_scene_format(out_), ModelKind::splats, out_);
    }
    for (const std::string& warning : scene.cloud.warnings) log_warning("{}: {}", in_, warning);

    SplatCloud& cloud = scene.cloud;
    const std::size_t read = cloud.count() + scene.unread;
    choose_activation(cloud);
    convert_times(cloud, times_, given, in_);
    if (!frames_.wanted()) check_holds(writable_scene_format(out_), cloud, out_);
    cloud.truncate_sh(keep_sh_);
    move(cloud);
    throw_if_interrupted();
    if (frames_.wanted()) {
      report(globals, scene, write_frames(cloud, selection, out_, frames_, globals));
      return;
    }
    const SelectionCounts counts = select(cloud, selection);
    throw_if_interrupted();
    if (counts.kept == 0) {
      throw Error(fmt::format("none of its {} splats would be left", read), in_,
                  "widen --crop or lower --min-opacity");
    }
    if (cloud.info().moves()) cloud = in_morton_order(std::move(cloud));
    write(cloud, globals);
    report(globals, scene, read, counts);
  }

  /// Throws Error if only meshes have names like that of the output.
  void refuse_mesh() const {
    if (!is_writable_mesh(out_) || scene_extension(out_).format != nullptr) return;
    throw Error("is the name of a mesh, and splats have no surface to write", out_,
                "write " + listed(format_extensions(FormatUse::write, ModelKind::splats)));
  }

  Selection checked_selection() const {
    Selection selection{.drop_invalid = drop_invalid_, .min_opacity = min_opacity_};
    if (crop_.empty()) return selection;
    selection.crop = Box{{crop_[0], crop_[1], crop_[2]}, {crop_[3], crop_[4], crop_[5]}};
    const Box& box = *selection.crop;
    if (box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z) {
      throw UsageError("the lower corner is above the upper corner", "--crop",
                       "give the three smallest coordinates first");
    }
    return selection;
  }

  /// Throws UsageError for an option that the user gave. `instead`: a file for which it has a use.
  void refuse_options(std::initializer_list<const char*> options, const char* what,
                      const std::string& instead) const {
    for (const char* option : options) {
      if (!given.contains(option)) continue;
      throw UsageError(what, std::string("--") + option, "leave it out, or give " + instead);
    }
  }

  /// Writes a model that does not consist of splats.
  void convert_other(const LoadedModel& loaded, const GlobalOptions& globals) const {
    refuse_options(
        {"keep-sh", "scale", "rotate", "translate", "drop-invalid", "crop", "min-opacity", "time",
         "time-range", "duration", "feature-activation", "frames", "fps"},
        "applies only to splats", "splats instead of " + in_);
    if (is_writable_mesh(out_)) {
      refuse_options({"parameter-format", "optimizer-state"}, "applies only to snapshots",
                     "a name in .ingp or .msgpack");
      if (&loaded.model->model() == &kSdfModel) {
        refuse_options({"density"}, "applies only to NeRFs", "a NeRF instead of " + in_);
      }
    } else {
      choose_snapshot_form(loaded, snapshot_, globals);
    }
    for (const std::string& warning : loaded.model->warnings()) log_warning("{}: {}", in_, warning);
    if (is_writable_mesh(out_)) {
      convert_to_mesh(loaded, out_, named_output(out_, globals.yes, inputs(globals)), mesh_,
                      globals);
      return;
    }
    refuse_options({"resolution", "density"}, "applies only to meshes",
                   "a name in " + listed(mesh_extensions()));
    crop_to_box(*loaded.model, mesh_.box);
    clear_leftovers(out_);
    for (const std::string& warning : loaded.model->write(out_)) {
      log_warning("{}: {}", out_, warning);
    }
    const std::uint64_t bytes = std::filesystem::file_size(out_), count = loaded.model->count();
    const std::string_view counted = loaded.model->model().many;
    const std::string_view format = writable_scene_format(out_).name;
    if (globals.json) {
      const nlohmann::json result{
          {"input", {{"file", in_}, {"format", loaded.format}, {counted, count}}},
          {"output", {{"file", out_}, {"format", format}, {counted, count}, {"bytes", bytes}}}};
      fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    fmt::print("{}: {} {}, {}, {}\n", out_, count, counted, format, bytes_text(bytes));
  }

  /// Detects errors of the output before the scene is read, which can take minutes.
  void check_output(const GlobalOptions& globals) const {
    if (frames_.wanted()) {
      if (given.contains("time")) {
        throw UsageError("--frames writes all times", "--time", "leave one of them out");
      }
      check_frame_folder(out_);
      return;
    }
    if (given.contains("fps")) {
      throw UsageError("applies only to --frames", "--fps", "leave it out");
    }
    if (!is_writable_mesh(out_)) {
      writable_scene_format(out_, ", or " + listed(mesh_extensions()) + " of its surface");
    }
    named_output(out_, globals.yes, inputs(globals));
  }

  InputFiles inputs(const GlobalOptions& globals) const {
    InputFiles files;
    files.add(scene_file(in_));
    files.add(globals.config);
    return files;
  }

  void choose_activation(SplatCloud& cloud) const {
    if (!given.contains("feature-activation")) return;
    if (cloud.decoder == nullptr) {
      throw UsageError("the splats of " + in_ + " have no features", "--feature-activation",
                       "leave it out");
    }
    FeatureDecoder decoder = *cloud.decoder;
    decoder.activation =
        feature_activation_ == "clamp" ? ColorActivation::clamp : ColorActivation::sigmoid;
    cloud.decoder = std::make_shared<const FeatureDecoder>(decoder);
  }

  /// Throws for splats beyond the range of floats, and warns of lost precision.
  void move(SplatCloud& cloud) const {
    if (!given.contains("scale") && !given.contains("rotate") && !given.contains("translate")) {
      return;
    }
    const FloatLimits before = find_float_limits(cloud);
    transform_scene(cloud, {.scale = scale_,
                            .rotation = rotation_about_axes(glm::radians(vector_of(rotate_))),
                            .translation = vector_of(translate_)});
    const FloatLimits after = find_float_limits(cloud);
    const std::string options =
        fmt::format("{}{}{}", given.contains("scale") ? "--scale" : "",
                    given.contains("scale") && given.contains("translate") ? ", " : "",
                    given.contains("translate") ? "--translate" : "");
    if (after.infinite > before.infinite) {
      throw Error(fmt::format("{} of {} splats would be beyond the range of a float, 3e38",
                              after.infinite - before.infinite, cloud.count()),
                  options, "give smaller numbers");
    }
    if (after.coarse > before.coarse) {
      log_warning(
          "{} of {} splats are smaller than the rounding error of their positions, because floats "
          "are coarser far from the origin; give smaller numbers for {}",
          after.coarse, cloud.count(), options);
    }
  }

  void write(const SplatCloud& cloud, const GlobalOptions& globals) const {
    const auto splats = static_cast<double>(cloud.count());
    const std::string name = std::filesystem::path(out_).filename().string();
    Progress progress(globals.progress_mode(), "writing " + name, splats, "splats");
    clear_leftovers(out_);
    OutputFile file(out_, named_output(out_, globals.yes, inputs(globals)));
    const std::vector<std::string> warnings =
        writable_scene_format(out_).write(cloud, file, shown_on(progress, splats));
    file.commit();
    for (const std::string& warning : warnings) log_warning("{}: {}", out_, warning);
  }

  void report(const GlobalOptions& globals, const LoadedScene& scene, std::size_t read,
              const SelectionCounts& counts) const {
    const std::string_view format = writable_scene_format(out_).name;
    const std::uint64_t bytes = std::filesystem::file_size(out_);
    if (globals.json) {
      const nlohmann::json result{
          {"input", {{"file", in_}, {"format", scene.format}, {"splats", read}}},
          {"output",
           {{"file", out_},
            {"format", format},
            {"splats", counts.kept},
            {"sh_degree", scene.cloud.sh_degree()},
            {"bytes", bytes}}},
          {"dropped",
           {{"invalid", counts.invalid}, {"crop", counts.outside}, {"opacity", counts.faint}}}};
      fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    const std::string colors = scene.cloud.decoder != nullptr
                                   ? "features"
                                   : fmt::format("SH degree {}", scene.cloud.sh_degree());
    fmt::print("{}: {}, {}, {}, {}\n", out_, number_of(counts.kept, "splat"), colors, format,
               bytes_text(bytes));
    if (read == counts.kept) return;
    fmt::print("dropped {} of {}: {} invalid, {} outside the box, {} too transparent{}\n",
               read - counts.kept, read, counts.invalid, counts.outside, counts.faint,
               given.contains("time") || given.contains("time-range")
                   ? ", the others are not seen at that time"
                   : "");
  }

  void report(const GlobalOptions& globals, const LoadedScene& scene,
              const WrittenFrames& written) const {
    if (globals.json) {
      const nlohmann::json result{{"input", {{"file", in_}, {"format", scene.format}}},
                                  {"output",
                                   {{"folder", out_},
                                    {"format", written.format},
                                    {"frames", written.frames},
                                    {"splats", written.splats},
                                    {"bytes", written.bytes}}}};
      fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    fmt::print("{}: {}, {} on average, {}, {}\n", out_, number_of(written.frames, "frame"),
               number_of(written.splats / written.frames, "splat"), written.format,
               bytes_text(written.bytes));
  }

  std::string in_, out_, feature_activation_ = "sigmoid";
  int keep_sh_ = kMaxShDegree;
  double scale_ = 1, min_opacity_ = 0;
  std::vector<double> rotate_{0, 0, 0}, translate_{0, 0, 0}, crop_;
  bool drop_invalid_ = false;
  TimeConversion times_;
  FrameConversion frames_;
  MeshConversion mesh_;
  SnapshotConversion snapshot_;
};

}  // namespace

extern const CommandEntry kConvertCommand{
    "convert", "convert a scene to another format, with optional moves and cuts",
    R"(The order of steps is fixed, for any order of flags: stretch the times to --duration, cut out
--time-range, take the splats of --time, reduce SH, scale, rotate, translate, drop invalid splats,
crop, drop splats of low opacity. Colours rotate with the scene. --box crops neural fields. A signed
distance field or a NeRF becomes a closed mesh with the extension .ply, .obj or .glb; that of a NeRF
has the colours that a camera in front of each point sees.)",
    make_command<Convert>};

}  // namespace mote

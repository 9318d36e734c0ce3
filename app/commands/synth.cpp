// `mote synth NAME -o OUT`: path traces a procedural scene into a dataset for training, or writes
// the figure as a mesh, or a cloud as a volume.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numbers>

#include "app/cli/command.h"
#include "app/commands/cloud_writing.h"
#include "app/commands/figure_writing.h"
#include "app/commands/rig_writing.h"
#include "app/commands/swarm_writing.h"
#include "app/jobs/shared_options.h"
#include "core/parallel.h"
#include "core/spelling.h"
#include "synth/dataset_writer.h"

namespace mote {
namespace {

class Synth : public Command {
 public:
  void describe(OptionTable& table) override {
    describe_scene(table);
    describe_pictures(table);
    figure_.describe(table);
    cloud_.describe(table);
    swarm_.describe(table);
    rig_.describe(table);
  }

  void run(const GlobalOptions& globals) override {
    check_options();
    if (name_ == kFigureName) {
      write_figure(figure_, out_, threads_, globals);
    } else if (name_ == kCloudName) {
      write_cloud(cloud_, out_, threads_, globals);
    } else if (name_ == kSwarmName) {
      write_swarm(swarm_, out_, threads_, globals);
    } else if (rig_.is_asked()) {
      film(globals);
    } else {
      write_dataset(globals);
    }
  }

 private:
  /// Throws UsageError for a given option that this scene does not have.
  void check_options() const {
    constexpr std::array<const char*, 13> kOfDatasets{
        "hdr",     "views",           "test-views", "moving",          "resolution",
        "samples", "background",      "distortion", "exposure-jitter", "points",
        "lens",    "rolling-shutter", "rig"};
    rig_.check(given);
    const bool is_figure = name_ == kFigureName, is_cloud = name_ == kCloudName;
    const bool is_swarm = name_ == kSwarmName;
    const std::string own = is_figure  ? "the figure is a mesh"
                            : is_cloud ? "the cloud is a volume"
                            : is_swarm ? "the swarm is splats"
                                       : name_ + " is a dataset";
    const auto refuse = [&](const std::string& option, const char* owner) {
      if (!given.contains(option)) return;
      throw UsageError(fmt::format("is for {}, but {}", owner, own), "--" + option, "leave it out");
    };
    if (!is_figure) refuse("triangles", "the figure");
    if (!is_cloud) refuse("voxels", "the cloud");
    for (const char* option : {"splats", "scene-duration", "static-share"}) {
      if (!is_swarm) refuse(option, "the swarm");
    }
    if (!is_figure && !is_cloud && !is_swarm) return;
    for (const char* option : kOfDatasets) refuse(option, "datasets");
  }

  /// Renders a rig. Options that are not given have the defaults of rigs.
  void film(const GlobalOptions& globals) {
    choose_lens();
    const ImageSize size =
        parse_image_size(given.contains("resolution") ? resolution_ : "480x360", "--resolution");
    rig_.plan.width = size.width;
    rig_.plan.height = size.height;
    rig_.plan.lens = is_identity(plan_.lens) ? Lens{} : plan_.lens;
    rig_.plan.seed = static_cast<std::uint32_t>(globals.seed);
    if (given.contains("samples")) rig_.render.samples = render_.samples;
    if (given.contains("points")) rig_.render.points = render_.points;
    check_new_folder(out_, globals.yes,
                     "replace the dataset in it with -y, or choose another folder");
    write_rig(rig_, name_, out_, threads_, globals);
  }

  void write_dataset(const GlobalOptions& globals) {
    const synth::SceneEntry& scene = synth::scene_named(name_);
    if (plan_.moving && !scene.moves) {
      throw UsageError("nothing moves in this scene", name_, "leave out --moving");
    }
    const ImageSize size = parse_image_size(resolution_, "--resolution");
    plan_.width = size.width;
    plan_.height = size.height;
    choose_lens();
    plan_.seed = static_cast<std::uint32_t>(globals.seed);
    render_.transparent = background_ == "none";
    check_new_folder(out_, globals.yes,
                     "replace the dataset in it with -y, or choose another folder");

    const auto start = std::chrono::steady_clock::now();
    ThreadPool threads(threads_);
    const double views = plan_.train_views + plan_.test_views;
    synth::DatasetSummary summary;
    {
      Progress progress(globals.progress_mode(), "rendering " + name_, views, "views");
      summary = synth::write_dataset(scene, plan_, render_, out_, threads,
                                     [&](double done) { progress.set(done); });
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    report(globals, summary, elapsed.count());
  }

  void choose_lens() {
    auto& k = plan_.lens.parameters;
    plan_.lens.kind = LensKind::brown;
    std::copy(distortion_.begin(), distortion_.end(), k.begin());
    if (lens_ == "fisheye") {
      plan_.lens = {LensKind::fisheye, {k[0], k[1], 0, 0, k[2], k[3]}};
    } else if (lens_ == "equirectangular") {
      if (given.contains("distortion")) {
        throw UsageError("a panorama has none", "--distortion", "leave it out");
      }
      plan_.lens = {LensKind::equirectangular, {}};
    }
    plan_.rolling_shutter_rad = rolling_shutter_deg_ / 180 * std::numbers::pi;
  }

  void describe_scene(OptionTable& table) {
    std::vector<std::string> names;
    for (const synth::SceneEntry* entry : synth::scenes()) names.emplace_back(entry->name);
    names.emplace_back(kFigureName);
    names.emplace_back(kCloudName);
    names.emplace_back(kSwarmName);
    table.add({.name = "name",
               .target = &name_,
               .help = "scene to render, or the figure, a mesh, the cloud, a volume, or the swarm, "
                       "splats",
               .choices = names,
               .placeholder = "NAME",
               .positional = true,
               .required = true});
    table.add({.name = "out",
               .target = &out_,
               .help =
                   "folder for the dataset, created if missing; figure: .ply, .obj or .glb; cloud: "
                   ".nvdb; swarm: .4dgs or .ply",
               .aliases = {"-o", "--output-dir"},
               .placeholder = "OUT",
               .required = true});
    table
        .add({.name = "views",
              .target = &plan_.train_views,
              .help = "number of training views",
              .minimum = 1,
              .maximum = 100000})
        .add({.name = "test-views",
              .target = &plan_.test_views,
              .help = "number of test views, spread among the training views",
              .minimum = 0,
              .maximum = 100000})
        .add({.name = "moving",
              .target = &plan_.moving,
              .help = "moving scene: each view shows another time, 0 to 1"});
  }

  void describe_pictures(OptionTable& table) {
    table
        .add({.name = "resolution",
              .target = &resolution_,
              .help = "image size",
              .unit = "px",
              .aliases = {"--size"},
              .placeholder = "WxH"})
        .add({.name = "samples",
              .target = &render_.samples,
              .help = "paths per pixel; more give less noise and take longer",
              .minimum = 1,
              .maximum = 4096})
        .add({.name = "background",
              .target = &background_,
              .help = "the scene's own, or none: pictures with alpha",
              .choices = {"studio", "none"}})
        .add({.name = "hdr",
              .target = &render_.hdr,
              .help = "also write hdr/: pictures in linear light, without an upper bound (EXR)"})
        .add({.name = "lens",
              .target = &lens_,
              .help = "OpenCV's perspective or fisheye model, or a panorama of all directions",
              .choices = {"opencv", "fisheye", "equirectangular"}})
        .add({.name = "rolling-shutter",
              .target = &rolling_shutter_deg_,
              .help = "turn of the camera from the first to the last row of each picture; it also "
                      "moves by this angle times its distance",
              .unit = "degrees",
              .minimum = 0,
              .maximum = 45})
        .add({.name = "distortion",
              .target = &distortion_,
              .help = "render through a lens with these coefficients of OpenCV's model; fisheye: "
                      "K1,K2,K3,K4",
              .minimum = -10,
              .maximum = 10,
              .length = 4,
              .placeholder = "K1,K2,P1,P2"})
        .add({.name = "exposure-jitter",
              .target = &plan_.exposure_jitter,
              .help = "standard deviation of the training views' exposure",
              .unit = "stops",
              .minimum = 0,
              .maximum = 4})
        .add({.name = "points",
              .target = &render_.points,
              .help = "number of surface points, as initial points for training",
              .minimum = 0,
              .maximum = 10000000});
    describe_threads(table, threads_);
  }

  void report(const GlobalOptions& globals, const synth::DatasetSummary& summary,
              double seconds) const {
    if (globals.json) {
      const nlohmann::json result{{"out", out_},
                                  {"scene", name_},
                                  {"train_views", plan_.train_views},
                                  {"test_views", plan_.test_views},
                                  {"width", plan_.width},
                                  {"height", plan_.height},
                                  {"points", summary.points},
                                  {"triangles", summary.triangles},
                                  {"seconds", seconds}};
      fmt::print("{}\n", result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
      return;
    }
    fmt::print("{}: {} and {}, {}x{}, {}, in {}\n", out_,
               number_of(static_cast<std::uint64_t>(plan_.train_views), "training view"),
               number_of(static_cast<std::uint64_t>(plan_.test_views), "test view"), plan_.width,
               plan_.height, number_of(summary.points, "point"), short_duration(seconds));
  }

  synth::DatasetPlan plan_;
  synth::RenderPlan render_;
  FigureWriting figure_;
  CloudWriting cloud_;
  SwarmWriting swarm_;
  RigWriting rig_;
  std::string name_, out_, resolution_ = "400x300", background_ = "studio";
  std::string lens_ = "opencv";
  double rolling_shutter_deg_ = 0;
  std::vector<double> distortion_{0, 0, 0, 0};
  int threads_ = 0;
};

}  // namespace

extern const CommandEntry kSynthCommand{
    "synth",
    "render a procedural scene as a dataset for training, or make a mesh, a cloud or a swarm",
    R"(Writes the format of NeRF's synthetic scenes: transforms_train.json and transforms_test.json
(OpenGL camera to world, z up), train/ and test/ with the pictures, and points.ply. Also writes
exact data: depth/ (EXR, along the view axis; of fisheyes and panoramas along the ray), normals/
(EXR, world) and object_masks/ (PNG, black for the backdrop, else white). The .json files are
written last. The same seed gives the same files for any number of threads. Exposure varies by a
gain before the tone curve, listed for each frame; test views have gain 1. Pictures in hdr/ are
before the tone curve and, in contrast to those in PNG, multiplied by alpha; training reads the PNG
files, and with --images FOLDER/hdr those in hdr/.
pottery and orrery are seen from around them, study from inside, in all directions.
orrery, arm, flag, stage, throw, fountain and room move: with --moving each view shows another time,
and with --rig several cameras film them, which gives a dataset of a moving scene, with points.ply
(time_s: seconds), rig.json (clocks and colours), clean_plates/ (without what moves), tracks.npy,
and for the test camera also dynamic_masks/, flow/ and scene_flow/. By default a rig has 480x360
pixels, 4 samples and 500000 points.
figure is a closed mesh of a creature instead, z up, for training a signed distance field.
cloud is a volume instead: a .nvdb file, for training a field of its density and light.
swarm is splats that live and move instead, with the statistics of a long scene, for measuring how
it is streamed.)",
    make_command<Synth>};

}  // namespace mote

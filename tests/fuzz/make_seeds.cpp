// make_seeds DIR: writes small valid files of every format and version as seeds for fuzzing, into
// DIR/ply, DIR/compressed_ply, DIR/spz, DIR/colmap_points, DIR/field_config, DIR/field_snapshot,
// DIR/fourdgs, DIR/moving_splats, DIR/npy, DIR/opencv_yaml, DIR/ply_mesh, DIR/mesh, DIR/picture,
// DIR/project, DIR/scene_edits, DIR/torch_checkpoint and DIR/volume.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fields/applications/nerf_layout.h"
#include "io/datasets/point_ply.h"
#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "io/npy.h"
#include "io/projects/edits_file.h"
#include "io/projects/project_file.h"
#include "io/splats/scene_format.h"
#include "io/volumes/volume_file.h"
#include "splats/splat_editor.h"
#include "support/dataset_fixture.h"
#include "support/feature_cloud.h"
#include "support/files/exif_fixture.h"
#include "support/files/file_bytes.h"
#include "support/files/format_samples.h"
#include "support/files/fourdgs_samples.h"
#include "support/files/moving_file_samples.h"
#include "support/files/stored_png.h"
#include "support/files/tiny_glb.h"
#include "support/files/torch_samples.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "support/tiny_field.h"
#include "support/tiny_proposals.h"

namespace {

void write(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

/// Points with tracks of several lengths, and points with times.
void write_colmap_points(const std::filesystem::path& folder) {
  std::string binary = mote::packed(std::uint64_t{3}), text = "# 3D point list\n";
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<double>(i);
    binary += mote::packed(i, at, -at, 0.5) + "rgb" + mote::packed(0.25, i);
    text += std::to_string(i) + " " + std::to_string(at) + " -1e-3 nan 1 20 255 0.25";
    for (std::uint64_t k = 0; k < i; ++k) {
      binary += mote::packed(std::uint32_t{1}, std::uint32_t{7});
      text += " 1 7";
    }
    text += "\n";
  }
  write(folder / "binary", binary);
  write(folder / "text", text);
  mote::PointCloud points{
      .positions = {{0, 1, 2}, {3, 4, 5}}, .colors = {{10, 20, 30}, {40, 50, 60}}, .times_s = {}};
  mote::write_point_ply(points, folder / "still.ply");
  points.times_s = {0.5, 1.5};
  mote::write_point_ply(points, folder / "moving.ply");
}

/// A configuration with each part, and one for each name of an encoding.
void write_field_configs(const std::filesystem::path& folder) {
  write(folder / "whole", R"({// a comment
"loss": {"otype": "Huber"},
"optimizer": {"otype": "Ema", "decay": 0.95, "nested": {"otype": "ExponentialDecay",
  "decay_start": 20, "decay_interval": 10, "decay_base": 0.33, "nested": {"otype": "Adam",
  "learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-15, "l2_reg": 1e-6}}},
"encoding": {"otype": "HashGrid", "n_levels": 8, "n_features_per_level": 4, "type": "Tiled",
  "log2_hashmap_size": 19, "base_resolution": 16, "per_level_scale": 1.5, "hash": "CoherentPrime",
  "interpolation": "Smoothstep", "stochastic_interpolation": false},
"network": {"otype": "FullyFusedMLP", "activation": "ReLU", "output_activation": "None",
  "n_neurons": 64, "n_hidden_layers": 1},
"dir_encoding": {"otype": "Composite", "nested": [{"n_dims_to_encode": 2, "otype": "OneBlob",
  "n_bins": 4, "dims_to_encode_begin": 1}, {"otype": "Identity", "scale": 2, "offset": 1}]},
"rgb_network": {"otype": "MLP"}})");
  for (const char* name : {"Frequency", "TriangleWave", "OneBlob", "SphericalHarmonics", "Identity",
                           "Empty", "DenseGrid", "OneBlobFrequency"}) {
    write(folder / name, std::string(R"({"encoding": {"otype": ")") + name + "\"}}");
  }
}

/// The states of the optimisers of a field with at most one latent of each photograph.
mote::OptimizerStates states_of(const mote::NeuralField& field) {
  const auto state = [](std::size_t count) {
    return mote::OptimizerState{.step = 7,
                                .first = std::vector<float>(count, 0.5f),
                                .second = std::vector<float>(count, 0.25f),
                                .updates = std::vector<std::uint32_t>(count, 6)};
  };
  mote::OptimizerStates states{.field = state(field.parameters.size())};
  for (std::size_t i = 0; i < field.latents.size(); ++i) {
    states.latents.push_back({.steps = 7, .first = {0.5}, .second = {0.25}});
  }
  if (!field.proposals) return states;
  for (const mote::ProposalRound& round : field.proposals->rounds) {
    states.proposals.push_back(state(round.parameters.size()));
  }
  return states;
}

/// A NeRF with one round of proposals, latents, and the states of all optimisers.
void write_snapshot_of_states(const std::filesystem::path& path) {
  const mote::FieldApplication nerf = mote::FieldApplication::nerf;
  mote::NeuralField field =
      mote::tiny_field(nerf, mote::with_latents(mote::tiny_field_config(nerf), 1), 1);
  field.occupancy.values.clear();
  field.proposals = mote::tiny_proposals();
  field.proposals->rounds.resize(1);  // for the limit on the size of inputs
  field.latents = {0.5f, -0.5f};
  const mote::OptimizerStates states = states_of(field);
  mote::OutputFile file(path);
  mote::write_field_snapshot(field, {.compressed = false, .optimizer = &states}, file, {});
  file.commit();
}

/// Each application, with an empty density grid: a filled one is too large to fuzz.
void write_field_snapshots(const std::filesystem::path& folder) {
  using mote::FieldApplication;
  std::filesystem::create_directories(folder);
  for (const FieldApplication application : {FieldApplication::nerf, FieldApplication::sdf,
                                             FieldApplication::image, FieldApplication::volume}) {
    mote::NeuralField field = mote::tiny_field(application, 1);
    field.occupancy.values.clear();
    const std::string name(mote::kFieldApplicationNames[static_cast<std::size_t>(application)]);
    for (const bool compressed : {false, true}) {
      const bool proposed = application == FieldApplication::nerf && !compressed;
      if (proposed) field.proposals = mote::tiny_proposals();
      mote::OutputFile file(folder / (name + (compressed ? ".ingp" : ".msgpack")));
      const mote::OptimizerStates states = states_of(field);
      const bool has_states = application == FieldApplication::sdf;
      mote::write_field_snapshot(field,
                                 {.half = compressed,
                                  .compressed = compressed,
                                  .optimizer = has_states ? &states : nullptr},
                                 file, {});
      file.commit();
      field.proposals.reset();
    }
  }
  write_snapshot_of_states(folder / "states.msgpack");
}

/// Lives with and without harmonics, states, and a file of Mote, which can be streamed.
void write_moving_scenes(const std::filesystem::path& folder) {
  using namespace mote::fourdgs;
  std::filesystem::create_directories(folder);
  for (const int degree : {0, 3}) {
    write_sample(random_splats(4, degree, 1), degree, folder / ("lives_" + std::to_string(degree)));
  }
  write(folder / "states", StatesFile().bytes());
  mote::save_scene(mote::random_moving_cloud(5, 1, 1), folder / "streamed.4dgs");
}

/// Archives of all models, one's pickle, and a network of features.
void write_checkpoints(const std::filesystem::path& folder) {
  const mote::Tensors4d model = mote::random_tensors4d(2, 4, [] { return 0.3; });
  write(folder / "chkpnt", std::string(1, '\0') + mote::chkpnt_sample(model));
  write(folder / "long", std::string(1, '\0') + mote::chkpnt_sample(model, false, true));
  write(folder / "rotors", std::string(1, '\0') + mote::rotor_sample(model));
  write(folder / "freetime", std::string(1, '\0') + mote::freetime_sample(model));
  mote::PickleSample pickle;
  pickle.op("}(").text("key").tensor("0", {2, 3}).op("u");
  write(folder / "pickle", "\1" + pickle.bytes());
  const mote::SplatCloud features = mote::random_feature_cloud(1, 1);
  write(folder / "decoder", "\2" + mote::stg_decoder_file(*features.decoder));
}

/// Each order, and a type of each size.
void write_arrays(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  mote::write_npy({.shape = {2, 3}, .values = {1, 2, 3, 4, 5, 6}}, folder / "doubles");
  const auto head = [](const std::string& type, const std::string& rest) {
    const std::string text = "{'descr': '" + type + "', " + rest + "}\n";
    return "\x93NUMPY" +
           mote::packed(std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint16_t>(text.size())) +
           text;
  };
  write(folder / "fortran", head("<f4", "'fortran_order': True, 'shape': (2, 2), ") +
                                mote::packed(1.0f, 2.0f, 3.0f, 4.0f));
  write(folder / "bytes", head("|u1", "'fortran_order': False, 'shape': (3,), ") + "abc");
  write(folder / "words",
        head("<i2", "'fortran_order': False, 'shape': (), ") + mote::packed(std::int16_t{-2}));
}

void write_calibrations(const std::filesystem::path& folder) {
  write(folder / "intri",
        "%YAML:1.0\n---\nnames:\n  - \"00\"\n  - b\nK_00: !!opencv-matrix\n"
        "  rows: 2\n  cols: 2\n  dt: d\n  data: [1., 2.5e+00,\n    .Nan, -.Inf]\n"
        "H_00: 720.\n# comment\nother:\n  deep: {a: 1}\nlist: [1, \"x\", 'y']\n");
}

/// A quad and a triangle, as text and in binary.
void write_ply_meshes(const std::filesystem::path& folder) {
  const auto head = [](const char* format) {
    return std::string("ply\nformat ") + format +
           " 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty double z\n"
           "element face 2\nproperty list uchar int vertex_indices\nproperty uchar flag\n"
           "end_header\n";
  };
  std::string little;
  for (int i = 0; i < 4; ++i) {
    little += mote::packed(static_cast<float>(i % 2), static_cast<float>(i / 2), 0.5);
  }
  little += mote::packed(std::uint8_t{4}, 0, 1, 3, 2, std::uint8_t{1});
  little += mote::packed(std::uint8_t{3}, 0, 1, 2, std::uint8_t{0});
  write(folder / "ascii",
        head("ascii") + "0 0 0\n1 0 0\n0 1 1e-3\n1 1 -2\n4 0 1 3 2 1\n3 0 1 2 0\n");
  write(folder / "little", head("binary_little_endian") + little);
}

/// The first byte says which format follows.
void write_meshes(const std::filesystem::path& folder) {
  write(folder / "obj",
        "0v 0 0 0\nv 1 0 0 1 0 0\nv 1 1 1e-3\nv 0 1 0\nvn 0 0 1\nvt 0 1\no part\ng one two\n"
        "usemtl red\nf 1 2 3 4\nf 1/1/1 2/1/1 -1/1/1\nf 1//1 2//1 3//1\nl 1 2\np 1\n");
  write(folder / "text.stl",
        "1solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        "endloop\nendfacet\nendsolid one\n");
  const auto at = [](float x, float y) { return mote::packed(x, y, 0.5f); };
  write(folder / "binary.stl", "1" + std::string(80, ' ') + mote::packed(std::uint32_t{1}) +
                                   at(0, 0) + at(0, 0) + at(1, 0) + at(0, 1) +
                                   mote::packed(std::uint16_t{0}));
  write(folder / "moved.glb", "2" + mote::tiny_glb());
  write(folder / "nested.glb",
        "2" + mote::tiny_glb(R"({"children":[1,2]},{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,)"
                             R"(3,4,5,1]},{"mesh":0,"scale":[2,2,2],"rotation":[0,0,0,1]})"));
}

/// Each format with each number of channels, 16 bits, palettes, and rows in passes.
void write_pictures(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const char* kNames[] = {"Y", "A", "G", "B"};
  for (int channels = 1; channels <= 4; ++channels) {
    const mote::Image image = mote::pattern_image(9, 7, channels, 1);
    const std::string name = std::to_string(channels);
    mote::write_png(image, folder / (name + ".png"));
    mote::write_png16(folder / (name + "_16.png"), 5, 4, channels, 1);
    std::vector<std::string> names(kNames, kNames + channels);
    if (channels > 2) names[0] = "R";
    mote::write_exr(image, names, folder / (name + ".exr"));
  }
  for (const int type : {0, 2, 3, 6}) {
    mote::StoredPng stored{.color_type = type, .interlaced = true};
    const int bytes = type == 2 ? 3 : type == 6 ? 4 : 1;
    stored.pixels.resize_discard(10, 9, bytes);
    for (std::size_t i = 0; i < stored.pixels.pixels.size(); ++i) {
      stored.pixels.pixels[i] = static_cast<std::uint8_t>(i);
    }
    write(folder / ("passes_" + std::to_string(type) + ".png"), mote::png_bytes(stored));
  }
  const std::string jpeg = mote::jpeg_bytes(20, 18, 1), png = mote::text_of(folder / "3.png");
  write(folder / "photograph.jpg", jpeg);
  for (const int orientation : {1, 6}) {
    const std::string name = "turned_" + std::to_string(orientation);
    write(folder / (name + ".jpg"), mote::jpeg_with_orientation(jpeg, orientation));
    write(folder / (name + ".png"), mote::png_with_orientation(png, orientation));
  }
}

/// A whole file, and changes of a grid's offsets.
void write_volumes(const std::filesystem::path& folder) {
  write(folder / "changes", mote::packed(std::uint32_t{760}, std::uint64_t{64}) +
                                mote::packed(std::uint32_t{800}, std::uint64_t{1} << 20));
  mote::DensityVolume::Builder builder;
  mote::DensityVolume::Brick brick{};
  brick[100] = 0.5f;
  builder.add({0, 0, 0}, brick);
  mote::write_volume(builder.finish({}, "seed"), folder / "whole.nvdb");
}

/// An empty project, and one with every member.
void write_projects(const std::filesystem::path& folder) {
  mote::Project project;
  project.camera.lens.width = project.camera.lens.height = 100;
  project.camera.lens.focal_px = project.camera.lens.center_px = {50, 50};
  write(folder / "empty", mote::project_text(project, "/folder"));
  mote::ProjectScene scene{.name = "scene.ply",
                           .path = "/folder/scene.ply",
                           .data = mote::FileFacts{1000, 255},
                           .placement = {.scale = 2},
                           .colors = {.exposure = 1},
                           .edits = "/folder/edits/00.edits"};
  scene.crops.emplace_back();
  scene.frames_per_second = 24;
  project.scenes = {scene, scene};
  project.active = 1;
  project.cameras = 0;
  project.path.emplace();
  project.path->keyframes = {{.time_s = 0}, {.time_s = 1}};
  project.path_file = "/folder/path.json";
  project.box.emplace();
  project.box->scene = 0;
  project.photograph = {0, "view"};
  project.view.settings["tone"] = "filmic";
  project.run = "/folder/run";
  project.saved_in = "/folder/saved.mote";
  write(folder / "whole", mote::project_text(project, "/folder"));
}

/// The target adds the checksum.
void write_scene_edits(const std::filesystem::path& folder) {
  for (int degree = 0; degree <= 2; ++degree) {
    mote::SplatEditor editor(mote::random_cloud(70, degree, 1));
    mote::SplatMask mask(70);
    mask.set(3, true);
    mask.set(69, true);
    editor.select(mask, mote::MaskOperation::replace);
    editor.transform_selected({.scale = 2});
    editor.duplicate_selected();
    const std::filesystem::path file = folder / std::to_string(degree);
    std::filesystem::create_directories(folder);
    mote::write_edits(editor.edits(), file);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) - 8);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mote::samples;
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_seeds DIR\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  write_colmap_points(folder / "colmap_points");
  write_field_configs(folder / "field_config");
  write_field_snapshots(folder / "field_snapshot");
  write_moving_scenes(folder / "fourdgs");
  // The first byte says which format follows.
  using mote::random_moving_cloud;
  const mote::SplatCloud paths = random_moving_cloud(4, 0, 1, mote::SplatMotion::poly);
  write(folder / "moving_splats" / "splatv", "0" + mote::splatv_sample());
  write(folder / "moving_splats" / "brush",
        "3" + mote::delta_file(ply_file(random_cloud(4, 1, 1)), 4, 2));
  write(folder / "moving_splats" / "stg", "1" + mote::stg_file(paths));
  write(folder / "moving_splats" / "ftgs",
        "2" + mote::ftgs_file(random_moving_cloud(4, 1, 1), mote::ftgs_comments(60)));
  write_checkpoints(folder / "torch_checkpoint");
  write_arrays(folder / "npy");
  write_calibrations(folder / "opencv_yaml");
  write_ply_meshes(folder / "ply_mesh");
  write_meshes(folder / "mesh");
  write_pictures(folder / "picture");
  write_volumes(folder / "volume");
  write_projects(folder / "project");
  write_scene_edits(folder / "scene_edits");
  std::filesystem::create_directories(folder / "ply");
  mote::save_scene(random_moving_cloud(5, 1, 1), folder / "ply" / "motion.ply");
  mote::save_scene(paths, folder / "ply" / "paths.ply");
  mote::save_scene(mote::random_directional_cloud(5, 1, 1), folder / "ply" / "directions.ply");
  mote::save_scene(mote::random_deformed_cloud(5, 0, 1), folder / "ply" / "field.ply");
  mote::save_scene(mote::random_feature_cloud(5, 1), folder / "ply" / "features.ply");
  for (int degree = 0; degree <= 4; ++degree) {
    const mote::SplatCloud cloud = random_cloud(5, degree, 1);
    const std::string suffix = "-" + std::to_string(degree);
    for (const char* encoding : {"ascii", "binary_little_endian", "binary_big_endian"}) {
      const PlyStyle style{.encoding = encoding, .surrounded = degree % 2 == 1};
      write(folder / "ply" / (encoding + suffix), ply_file(cloud, style));
    }
    write(folder / "compressed_ply" / ("bounded" + suffix), compressed_ply_file(cloud, true));
    write(folder / "compressed_ply" / ("plain" + suffix), compressed_ply_file(cloud, false));
    for (std::uint32_t version = 1; version <= 4; ++version) {
      write(folder / "spz" / ("v" + std::to_string(version) + suffix), spz_file(cloud, version));
    }
  }
}

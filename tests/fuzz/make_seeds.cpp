// make_seeds DIR: writes small valid files of every format and version as seeds for fuzzing, into
// DIR/ply, DIR/compressed_ply, DIR/spz, DIR/colmap_points, DIR/field_config, DIR/field_snapshot,
// DIR/ply_mesh and DIR/volume.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "io/fields/field_snapshot.h"
#include "io/volumes/volume_file.h"
#include "support/files/file_bytes.h"
#include "support/files/format_samples.h"
#include "support/tiny_field.h"
#include "support/tiny_proposals.h"

namespace {

void write(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

/// Points with tracks of several lengths.
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
      mote::write_field_snapshot(field, {.half = compressed, .compressed = compressed}, file, {});
      file.commit();
      field.proposals.reset();
    }
  }
}

/// A quad and a triangle, as text and in binary.
void write_meshes(const std::filesystem::path& folder) {
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
  write_meshes(folder / "ply_mesh");
  write_volumes(folder / "volume");
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

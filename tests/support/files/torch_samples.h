#pragma once

// Small checkpoints as torch.save writes them, for tests: a ZIP archive without compression, of a
// pickle and of the storages of its tensors. The encoders share no code with the readers.

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "splats/kinds/feature_decoder.h"
#include "support/files/file_bytes.h"

namespace mote {

/// An archive. `long_form`: with the fields of ZIP64, as PyTorch writes them for large files.
class ZipSample {
 public:
  explicit ZipSample(bool long_form = false) : long_form_(long_form) {}

  void add(const std::string& name, const std::string& content) {
    const auto offset = static_cast<std::uint64_t>(bytes_.size());
    const std::uint64_t size = content.size();
    const std::uint32_t none = 0xffffffff, short_size = static_cast<std::uint32_t>(size);
    const std::uint32_t shown = long_form_ ? none : short_size;
    const std::string extra =
        long_form_ ? packed(std::uint16_t{1}, std::uint16_t{24}, size, size, offset) : "";
    const auto name_size = static_cast<std::uint16_t>(name.size());
    const auto extra_size = static_cast<std::uint16_t>(extra.size());
    const std::string sizes = packed(shown, shown, name_size);
    bytes_ += packed(std::uint32_t{0x04034b50}, std::uint16_t{45}, std::uint16_t{0}, method,
                     std::uint32_t{0}, std::uint32_t{0}) +
              sizes + packed(std::uint16_t{5}) + name + "local" + content;
    directory_ += packed(std::uint32_t{0x02014b50}, std::uint16_t{45}, std::uint16_t{45},
                         std::uint16_t{0}, method, std::uint32_t{0}, std::uint32_t{0}) +
                  sizes +
                  packed(extra_size, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0},
                         std::uint32_t{0}, long_form_ ? none : static_cast<std::uint32_t>(offset)) +
                  name + extra;
    ++count_;
  }

  std::string bytes() const {
    const std::uint64_t at = bytes_.size(), size = directory_.size();
    std::string end;
    if (long_form_) {
      end += packed(std::uint32_t{0x06064b50}, std::uint64_t{44}, std::uint16_t{45},
                    std::uint16_t{45}, std::uint32_t{0}, std::uint32_t{0}, std::uint64_t{count_},
                    std::uint64_t{count_}, size, at);
      end += packed(std::uint32_t{0x07064b50}, std::uint32_t{0}, at + size, std::uint32_t{1});
    }
    const std::uint32_t none = 0xffffffff;
    end += packed(std::uint32_t{0x06054b50}, std::uint16_t{0}, std::uint16_t{0}, count_, count_,
                  long_form_ ? none : static_cast<std::uint32_t>(size),
                  long_form_ ? none : static_cast<std::uint32_t>(at), std::uint16_t{0});
    return bytes_ + directory_ + end;
  }

  std::uint16_t method = 0;

 private:
  bool long_form_;
  std::uint16_t count_ = 0;
  std::string bytes_, directory_;
};

/// Operations of a pickle, in order.
class PickleSample {
 public:
  PickleSample& op(const std::string& bytes) {
    text_ += bytes;
    return *this;
  }
  PickleSample& text(const std::string& value) {
    return op("X" + packed(static_cast<std::uint32_t>(value.size())) + value);
  }
  PickleSample& integer(std::int64_t value) {
    return op("J" + packed(static_cast<std::int32_t>(value)));
  }
  PickleSample& integers(const std::vector<std::int64_t>& values) {
    op("(");
    for (const std::int64_t value : values) integer(value);
    return op("t");
  }
  PickleSample& name(const std::string& module, const std::string& what) {
    return op("c" + module + "\n" + what + "\n");
  }
  PickleSample& storage(const std::string& key, const std::string& type, std::int64_t count) {
    return op("(")
        .text("storage")
        .name("torch", type)
        .text(key)
        .text("cuda:0")
        .integer(count)
        .op("tQ");
  }
  /// A tensor of floats in the storage `key`; the strides are those of an array.
  PickleSample& tensor(const std::string& key, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> stride(shape.size(), 1);
    for (std::size_t k = shape.size(); k > 1; --k) stride[k - 2] = stride[k - 1] * shape[k - 1];
    const std::int64_t count = shape.empty() ? 1 : stride[0] * shape[0];
    return tensor(key, "FloatStorage", count, 0, shape, stride);
  }
  PickleSample& tensor(const std::string& key, const std::string& type, std::int64_t count,
                       std::int64_t offset, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& stride) {
    name("torch._utils", "_rebuild_tensor_v2").op("(").storage(key, type, count).integer(offset);
    integers(shape).integers(stride).op("\x89").name("collections", "OrderedDict").op(")R");
    return op("tR");
  }
  const std::string& operations() const { return text_; }
  /// The pickle, of protocol 2.
  std::string bytes() const { return "\x80\x02" + text_ + "."; }

 private:
  std::string text_;
};

/// A checkpoint of a pickle, and of storages by their keys.
inline std::string checkpoint_sample(
    const PickleSample& pickle, const std::vector<std::pair<std::string, std::string>>& storages,
    bool long_form = false) {
  ZipSample zip(long_form);
  zip.add("archive/data.pkl", pickle.bytes());
  zip.add("archive/byteorder", "little");
  for (const auto& [key, content] : storages) zip.add("archive/data/" + key, content);
  return zip.bytes();
}

inline std::string floats_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Gaussians in space and time: the tensors of a model, each with the numbers of `row` a splat.
struct Tensors4d {
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
  };
  std::vector<Tensor> tensors;

  const Tensor& find(const std::string& name) const {
    for (const Tensor& tensor : tensors) {
      if (tensor.name == name) return tensor;
    }
    return tensors.front();
  }
  std::vector<std::pair<std::string, std::string>> storages() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Tensor& tensor : tensors) all.emplace_back(tensor.name, floats_of(tensor.values));
    return all;
  }
};

/// Values of `count` splats. `value(k)`: the next of a sequence between -1 and 1.
inline Tensors4d random_tensors4d(std::int64_t count, std::int64_t coefficients,
                                  const auto& value) {
  Tensors4d model;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& sides, float low,
                       float high) {
    std::vector<std::int64_t> shape{count};
    shape.insert(shape.end(), sides.begin(), sides.end());
    std::size_t numbers = 1;
    for (const std::int64_t side : shape) numbers *= static_cast<std::size_t>(side);
    std::vector<float> values(numbers);
    for (float& one : values)
      one = low + (high - low) * (0.5f + 0.5f * static_cast<float>(value()));
    model.tensors.push_back({name, shape, std::move(values)});
  };
  add("xyz", {3}, -1, 1);
  add("dc", {1, 3}, -1, 1);
  add("rest", {coefficients - 1, 3}, -0.3f, 0.3f);
  add("scaling", {3}, -4, -2);
  add("rotation", {4}, -1, 1);
  add("opacity", {1}, -2, 3);
  add("t", {1}, 0, 10);
  add("scaling_t", {1}, -2, 0);
  add("rotation_r", {4}, -1, 1);
  return model;
}

/// A chkpntN.pth of 4DGS. `turns`: whether its Gaussians turn in time.
inline std::string chkpnt_sample(const Tensors4d& model, bool turns = true,
                                 bool long_form = false) {
  PickleSample pickle;
  const auto tensor = [&](const char* name) { pickle.tensor(name, model.find(name).shape); };
  const auto parameter = [&](const char* name) {
    pickle.name("torch._utils", "_rebuild_parameter").op("(");
    tensor(name);
    pickle.op("\x88").name("collections", "OrderedDict").op(")RtR");
  };
  pickle.op("((").integer(3);
  for (const char* name : {"xyz", "dc", "rest", "scaling", "rotation", "opacity"}) parameter(name);
  for (int k = 0; k < 4; ++k) pickle.op("N");  // radii and sums
  pickle.op("}").text("state").op("}s");       // the optimiser
  // The extent of the scene is a number of NumPy.
  pickle.name("numpy.core.multiarray", "scalar").op("(").name("numpy", "dtype");
  pickle.op("(").text("f4").integer(0).integer(1).op("tR(").text("<").op("tb");
  pickle.name("_codecs", "encode").op("(").text("abcd").text("latin1").op("tRtR");
  for (const char* name : {"t", "scaling_t", "rotation_r"}) parameter(name);
  pickle.op(turns ? "\x88" : "\x89").op("N").integer(2).op("t").integer(30000).op("t");
  return checkpoint_sample(pickle, model.storages(), long_form);
}

/// A .ckpt of 4D-Rotor.
inline std::string rotor_sample(const Tensors4d& model) {
  constexpr std::pair<const char*, const char*> kNames[] = {{"xyz", "xyz"},
                                                            {"features_dc", "dc"},
                                                            {"features_rest", "rest"},
                                                            {"scales_xyz", "scaling"},
                                                            {"quats1", "rotation"},
                                                            {"opacities", "opacity"},
                                                            {"t", "t"},
                                                            {"scales_t", "scaling_t"},
                                                            {"quats2", "rotation_r"}};
  PickleSample pickle;
  pickle.op("}(").text("step").integer(29999).text("pipeline");
  pickle.name("collections", "OrderedDict").op(")R(");
  for (const auto& [name, own] : kNames) {
    pickle.text(std::string("_model.gauss_params.") + name).tensor(own, model.find(own).shape);
  }
  pickle.op("u").text("optimizers").op("}u");
  return checkpoint_sample(pickle, model.storages());
}

/// A .pt of FreeTimeGS, with colours of degree 1. `settings`: operations that add to its
/// dictionary.
inline std::string freetime_sample(const Tensors4d& model, const PickleSample& settings = {}) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"means", "xyz"},      {"sh0", "dc"},  {"shN", "rest"},           {"scales", "scaling"},
      {"quats", "rotation"}, {"times", "t"}, {"durations", "scaling_t"}};
  PickleSample pickle;
  pickle.op("}(").text("step").integer(29999).text("splats").op("}(");
  for (const auto& [name, own] : kNames) pickle.text(name).tensor(own, model.find(own).shape);
  const std::int64_t count = model.find("t").shape[0];
  pickle.text("opacities").tensor("opacity", {count});
  // The first three of the four numbers of each row.
  pickle.text("velocities").tensor("rotation_r", "FloatStorage", 4 * count, 0, {count, 3}, {4, 1});
  pickle.op("u").op(settings.operations()).op("u");
  return checkpoint_sample(pickle, model.storages());
}

/// The .pt of a full model of Spacetime Gaussians: an OrderedDict with metadata, as the
/// state_dict() of a module is saved. `sides`: of the first matrix; `second`: the name of the other
/// one.
inline std::string stg_decoder_file(const FeatureDecoder& decoder,
                                    const std::vector<std::int64_t>& sides = {6, 12, 1, 1},
                                    const std::string& second = "mlp2.weight") {
  std::vector<float> hidden, output;
  for (const auto& row : decoder.hidden)
    hidden.insert(hidden.end(), std::begin(row), std::end(row));
  for (const auto& row : decoder.output)
    output.insert(output.end(), std::begin(row), std::end(row));
  PickleSample pickle;
  pickle.name("collections", "OrderedDict").op(")R(");
  pickle.text("mlp1.weight").tensor("0", sides);
  pickle.text(second).tensor("1", {3, 6, 1, 1}).op("u}");
  pickle.text("_metadata").name("collections", "OrderedDict").op(")R(");
  for (const char* module : {"", "mlp1", "mlp2"}) {
    pickle.text(module).op("}").text("version").integer(1).op("s");
  }
  pickle.op("usb");
  return checkpoint_sample(pickle, {{"0", floats_of(hidden)}, {"1", floats_of(output)}});
}

}  // namespace mote

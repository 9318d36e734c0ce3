#include "io/splats/ply_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "splats/feature_cloud.h"

namespace mote {
namespace {

constexpr std::string_view kFeatureVersion = "mote_features ";
constexpr std::string_view kActivationComment = "mote_features_activation ";
constexpr const char* kDecoderElement = "mote_decoder";
constexpr const char* kFeatureRemedy = "export the scene again";
constexpr int kFeatures = 3 * kFeatureTriples;
constexpr std::size_t kDecoderWeights = kDecoderHidden * kDecoderInputs + 3 * kDecoderHidden;

/// The text after `key` in the first comment that starts with it; empty if there is none.
std::string_view feature_comment(const PlyHeader& header, std::string_view key) {
  for (const std::string& comment : header.comments) {
    if (comment.starts_with(key)) return std::string_view(comment).substr(key.size());
  }
  return {};
}

ColorActivation activation_of(const PlyHeader& header, const std::string& name) {
  const std::string_view word = feature_comment(header, kActivationComment);
  if (word == "sigmoid") return ColorActivation::sigmoid;
  if (word == "clamp") return ColorActivation::clamp;
  throw Error(fmt::format("has features with the activation '{}', expected sigmoid or clamp",
                          word.substr(0, 20)),
              name, kFeatureRemedy);
}

/// The weights, in the order of the file: [hidden][inputs], [colour][hidden].
template <class Decoder, class Visit>
void visit_weights(Decoder& decoder, const Visit& visit) {
  for (auto& row : decoder.hidden) {
    for (auto& weight : row) visit(weight);
  }
  for (auto& row : decoder.output) {
    for (auto& weight : row) visit(weight);
  }
}

}  // namespace

bool has_ply_features(const PlyHeader& header, const std::string& name) {
  const std::string_view version = feature_comment(header, kFeatureVersion);
  if (version.empty() || version == "1") return !version.empty();
  throw Error(
      fmt::format("has splats with features, in version '{}' of mote_features; this program "
                  "reads version 1",
                  version.substr(0, 20)),
      name, "use a newer version of Mote");
}

void add_ply_features(PlyColumns& columns) {
  columns.add_coefficients(0, kFeatures, "feature_");
}

void read_ply_decoder(const InputFile& file, const PlyHeader& header, SplatCloud& cloud) {
  const std::string name = file.name();
  if (cloud.deformation != nullptr) {
    throw Error(
        "has splats with features and a deformation field, which this program does not "
        "draw together",
        name, kFeatureRemedy);
  }
  const PlyElement* element = header.find(kDecoderElement);
  const bool fits = element != nullptr && element->count == kDecoderWeights &&
                    element->properties.size() == 1 && !element->has_list &&
                    element->properties.front().type == PlyType::float32;
  if (!fits || header.encoding != PlyEncoding::little_endian) {
    throw Error(fmt::format("its features need a binary, little-endian element {} with {} floats",
                            kDecoderElement, kDecoderWeights),
                name, kFeatureRemedy);
  }
  std::vector<float> weights(kDecoderWeights);
  file.read_exact(locate_ply_element(header, *element, file),
                  std::as_writable_bytes(std::span(weights)));
  if (!std::ranges::all_of(weights, [](float weight) { return std::isfinite(weight); })) {
    throw Error("the network of its features has weights that are not finite", name,
                kFeatureRemedy);
  }
  FeatureDecoder decoder{.activation = activation_of(header, name)};
  std::size_t next = 0;
  visit_weights(decoder, [&](float& weight) { weight = weights[next++]; });
  set_decoder(cloud, std::make_shared<const FeatureDecoder>(decoder));
}

std::string ply_feature_comments(const SplatCloud& cloud) {
  const bool is_sigmoid = cloud.decoder->activation == ColorActivation::sigmoid;
  return fmt::format("comment {}1\ncomment {}{}\n", kFeatureVersion, kActivationComment,
                     is_sigmoid ? "sigmoid" : "clamp");
}

std::string ply_feature_properties() {
  std::string text;
  for (int k = 0; k < kFeatures; ++k) text += fmt::format("property float feature_{}\n", k);
  return text;
}

std::string ply_decoder_element() {
  return fmt::format("element {} {}\nproperty float weight\n", kDecoderElement, kDecoderWeights);
}

void write_ply_decoder(const SplatCloud& cloud, OutputFile& file) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<float> weights;
  visit_weights(*cloud.decoder, [&](float weight) { weights.push_back(weight); });
  file.write(std::as_bytes(std::span(weights)));
}

}  // namespace mote

#include "io/images/exr_reading.h"

#include <OpenEXR/Iex.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "io/images/exr_header.h"
#include "math/half.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kBandRows = 64;  // that are decoded at once, or as many as kBandBytes hold
constexpr std::size_t kBandBytes = std::size_t{1} << 26;

/// The channels that hold red, green and blue.
std::vector<std::string> color_channels(const Imf::ChannelList& channels, const std::string& name) {
  if (channels.findChannel("R") && channels.findChannel("G") && channels.findChannel("B")) {
    return {"R", "G", "B"};
  }
  if (channels.findChannel("Y") && !channels.findChannel("RY")) return {"Y"};
  throw Error("has neither the channels R, G and B nor Y alone", name, "save it as an RGB picture");
}

/// Runs `work` if the header can be read. The faults of the library become Error.
template <class Work>
auto reading(const fs::path& path, const Work& work) {
  read_exr_header(InputFile(path));
  try {
    return work();
  } catch (const Iex::BaseExc& fault) {
    throw Error(std::string("damaged EXR: ") + fault.what(), path.string(),
                "copy or download the file again");
  }
}

ExrFacts facts_of(const Imf::InputFile& file, const std::string& name, int most_side) {
  const Imath::Box2i window = file.header().dataWindow();
  const auto width = std::int64_t{window.max.x} - window.min.x + 1;
  const auto height = std::int64_t{window.max.y} - window.min.y + 1;
  if (std::max(width, height) > most_side) {
    throw Error(std::to_string(width) + "x" + std::to_string(height) + " pixels, but at most " +
                    std::to_string(most_side) + " per side can be read",
                name, "scale the picture down");
  }
  return {static_cast<int>(width), static_cast<int>(height),
          file.header().channels().findChannel("A") != nullptr};
}

/// Decodes bands of rows.
class BandReader {
 public:
  BandReader(Imf::InputFile& file, const ExrFacts& facts, bool with_alpha, const std::string& name)
      : file_(file),
        name_(name),
        width_(static_cast<std::size_t>(facts.width)),
        names_(color_channels(file.header().channels(), name)),
        colors_(names_.size()) {
    if (with_alpha && facts.has_alpha) names_.emplace_back("A");
    const std::size_t row_bytes = names_.size() * width_ * sizeof(float);
    rows_ = static_cast<int>(std::clamp<std::size_t>(kBandBytes / row_bytes, 1, kBandRows));
    band_.resize(names_.size() * width_ * static_cast<std::size_t>(rows_));
    row_.resize((names_.size() - colors_ + 3) * width_);
  }

  /// Number of rows of a band.
  int rows() const { return rows_; }

  /// Reads rows [first, end) from the top, of a band at most.
  void read(int first, int end) {
    const Imath::V2i corner = file_.header().dataWindow().min;
    first_ = first;
    Imf::FrameBuffer frame;
    for (std::size_t p = 0; p < names_.size(); ++p) {
      // A slice is addressed by the coordinates of the data window.
      frame.insert(names_[p],
                   Imf::Slice::Make(Imf::FLOAT, plane(p), Imath::V2i(corner.x, corner.y + first),
                                    static_cast<std::int64_t>(width_), end - first, sizeof(float),
                                    width_ * sizeof(float)));
    }
    file_.setFrameBuffer(frame);
    file_.readPixels(corner.y + first, corner.y + end - 1);
  }

  /// Interleaved pixels of a row of the band. Throws Error for values that are not finite.
  const float* row(int y) {
    const std::size_t begin = static_cast<std::size_t>(y - first_) * width_;
    float* to = row_.data();
    for (std::size_t x = 0; x < width_; ++x) {
      for (std::size_t c = 0; c < 3; ++c) *to++ = plane(std::min(c, colors_ - 1))[begin + x];
      if (names_.size() > colors_) *to++ = plane(colors_)[begin + x];
    }
    const auto bad = std::ranges::find_if(row_, [](float value) { return !std::isfinite(value); });
    if (bad == row_.end()) return row_.data();
    const auto x = static_cast<std::size_t>(bad - row_.begin()) * width_ / row_.size();
    throw Error("has a value that is not finite",
                name_ + ", pixel (" + std::to_string(x) + ", " + std::to_string(y) + ")",
                "repair the picture, for example by clamping its values");
  }

 private:
  float* plane(std::size_t p) {
    return band_.data() + p * width_ * static_cast<std::size_t>(rows_);
  }

  Imf::InputFile& file_;
  const std::string name_;
  const std::size_t width_;
  std::vector<std::string> names_;  // those of colours, then alpha
  const std::size_t colors_;
  std::vector<float> band_, row_;
  int rows_ = 1, first_ = 0;
};

std::uint16_t light_half(float value) {
  return to_half(std::clamp(value, 0.0f, kLargestHalfFloat));
}

}  // namespace

bool is_exr(std::span<const std::byte> head) {
  constexpr std::array<std::byte, 4> kMagic{std::byte{0x76}, std::byte{0x2f}, std::byte{0x31},
                                            std::byte{0x01}};
  return head.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), head.begin());
}

ExrFacts read_exr_facts(const fs::path& path, int most_side) {
  return reading(path, [&] {
    const Imf::InputFile file(path.c_str(), 0);
    static_cast<void>(color_channels(file.header().channels(), path.string()));
    return facts_of(file, path.string(), most_side);
  });
}

void read_exr_rows(const fs::path& path, int most_side, bool with_alpha,
                   const std::function<void(const ExrFacts& facts)>& begin,
                   const TakeExrRow& take) {
  reading(path, [&] {
    Imf::InputFile file(path.c_str(), 0);
    const ExrFacts facts = facts_of(file, path.string(), most_side);
    BandReader bands(file, facts, with_alpha, path.string());
    begin(facts);
    for (int first = 0; first < facts.height; first += bands.rows()) {
      const int end = std::min(first + bands.rows(), facts.height);
      bands.read(first, end);
      for (int y = first; y < end; ++y) take(y, bands.row(y));
    }
  });
}

ImageLight read_exr_light(const fs::path& path) {
  ImageLight light;
  read_exr_rows(
      path, kMaxImageSide, true,
      [&](const ExrFacts& facts) {
        light.resize_discard(facts.width, facts.height, facts.has_alpha ? 4 : 3);
      },
      [&](int y, const float* pixels) {
        const std::size_t values =
            static_cast<std::size_t>(light.width) * static_cast<std::size_t>(light.channels);
        std::uint16_t* to = light.row(y);
        for (std::size_t i = 0; i < values; ++i) {
          const bool is_alpha = light.channels == 4 && i % 4 == 3;
          to[i] = light_half(is_alpha ? std::min(pixels[i], 1.0f) : pixels[i]);
        }
      });
  return light;
}

Image read_exr_channels(const fs::path& path, std::span<const std::string> names) {
  Image image;
  reading(path, [&] {
    Imf::InputFile file(path.c_str(), 0);
    const ExrFacts facts = facts_of(file, path.string(), kMaxImageSide);
    image.resize_discard(facts.width, facts.height, static_cast<int>(names.size()));
    const Imath::Box2i window = file.header().dataWindow();
    const std::size_t pixel_bytes = names.size() * sizeof(float);
    Imf::FrameBuffer frame;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (file.header().channels().findChannel(names[c]) == nullptr) {
        throw Error("has no channel " + names[c], path.string(),
                    "write it again, for example with mote synth");
      }
      frame.insert(names[c], Imf::Slice::Make(Imf::FLOAT, image.pixels.data() + c, window.min,
                                              std::int64_t{facts.width}, facts.height, pixel_bytes,
                                              pixel_bytes * static_cast<std::size_t>(facts.width)));
    }
    file.setFrameBuffer(frame);
    file.readPixels(window.min.y, window.max.y);
  });
  const auto values = image.pixels.span();
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  if (bad != values.end()) {
    throw Error("has a value that is not finite", path.string(),
                "write it again, for example with mote synth");
  }
  return image;
}

}  // namespace mote

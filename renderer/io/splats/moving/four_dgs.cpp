// The container .4dgs (avala-ai/4dgs, website/docs/spec/index.md, version 1): records of an opcode,
// a length and content between two magics. Numbers in comments are sections of that page.
#include "io/splats/moving/four_dgs.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "core/file.h"
#include "core/printable.h"
#include "io/splats/moving/four_dgs_stream.h"

namespace mote {
namespace {

constexpr std::array<unsigned char, 8> kFourDgsMagic{0x89, 0x34, 0x44, 0x47,
                                                     0x53, 0x31, 0x0d, 0x0a};
constexpr std::size_t kMagicName = 5;  // bytes before the version
constexpr const char* kWriteAgain = "write or download the file again";

enum Opcode : std::uint8_t {
  kHeader = 0x01,
  kFooter = 0x02,
  kQuantization = 0x03,
  kWindowTable = 0x04,
  kChunk = 0x05,
  kBandStream = 0x07,
  kObjectTrack = 0x25,
};

enum Attribute : int {
  kPosition,
  kScale,
  kRotationIndex,
  kRotation,
  kColor,
  kOpacity,
  kMotion,
  kTime,
  kSigma,
  kFlags,
  kWindow,
  kAttributes,
};
constexpr std::array<std::size_t, kAttributes> kChannels{3, 3, 1, 3, 3, 1, 3, 1, 1, 1, 1};

std::string read_text(ByteReader& reader) {
  const auto length = reader.read<std::uint32_t>();
  const auto bytes = reader.take(length);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Quantization {
  std::array<double, 3> origin{};
  double position, scale_log, rotation, rgb, alpha, motion, time, sigma_log;

  explicit Quantization(ByteReader& reader) {
    const std::string where = reader.where();
    const std::string scheme = read_text(reader);
    if (scheme != "uniform-v1") {
      throw Error("has the quantization \"" + printable(scheme.substr(0, 40)) +
                      "\", which Mote does not know",
                  where, "write the file with uniform-v1");
    }
    for (double& value : origin) value = reader.read<double>();
    for (double* step :
         {&position, &scale_log, &rotation, &rgb, &alpha, &motion, &time, &sigma_log}) {
      *step = reader.read<double>();
    }
    bool finite = std::isfinite(origin[0] + origin[1] + origin[2]);
    for (const double step : {position, scale_log, rotation, rgb, alpha, motion, time, sigma_log}) {
      finite = finite && std::isfinite(step);
    }
    if (!finite) throw Error("has a step that is not finite", where, kWriteAgain);
  }
};

struct Window {
  double from_s, until_s;
};

/// The steps of velocity and time of one splat (6.3).
struct OwnSteps {
  double motion, time_s;

  OwnSteps(const Quantization& steps, double cutoff, bool never_fades, double sigma_s,
           const Window& window) {
    const double life =
        never_fades ? window.until_s - window.from_s : std::sqrt(-2 * std::log(cutoff)) * sigma_s;
    const double half = std::clamp(std::isnan(life) ? 0.02 : life, 0.02, 2.0);
    motion = steps.motion * std::exp2(-std::clamp(std::ceil(std::log2(half / 0.5)), -4.0, 2.0));
    const double target = never_fades ? steps.time : std::min(steps.time, 0.05 * sigma_s);
    const double finer = std::floor(std::log2(target / steps.time));
    time_s = steps.time * std::exp2(std::clamp(std::isnan(finer) ? 0.0 : finer, -10.0, 0.0));
  }
};

class FourDgsReader {
 public:
  explicit FourDgsReader(const std::filesystem::path& path)
      : file_(path), text_(read_text_file(path, 1ull << 36)), name_(path.string()) {}

  MovingSplatsFile read() {
    const auto bytes = std::as_bytes(std::span(text_));
    check_magics(bytes);
    ByteReader reader(bytes.first(bytes.size() - kFourDgsMagic.size()), name_);
    reader.skip(kFourDgsMagic.size());
    bool is_first = true, ended = false;
    while (reader.remaining() > 0) {
      const std::uint64_t place = reader.offset();
      if (ended) fail("has records after its footer", place);
      const auto opcode = reader.read<std::uint8_t>();
      const auto length = reader.read<std::uint64_t>();
      if (length > reader.remaining()) fail("truncated: a record is longer than the file", place);
      ByteReader content(reader.take(length), name_, reader.offset() - length);
      if (is_first != (opcode == kHeader)) {
        fail(is_first ? "does not begin with its header" : "has two headers", place);
      }
      is_first = false;
      ended = opcode == kFooter;
      read_record(opcode, content, place);
    }
    if (!ended) fail("does not end with its footer", reader.offset());
    finish();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem, std::uint64_t place) const {
    throw Error(problem, fmt::format("{}, byte {}", name_, place), kWriteAgain);
  }

  void check_magics(std::span<const std::byte> bytes) const {
    if (!starts_as_four_dgs(bytes)) fail("is no .4dgs file", 0);
    if (bytes.size() < 2 * kFourDgsMagic.size()) fail("truncated", bytes.size());
    if (std::memcmp(bytes.data(), kFourDgsMagic.data(), kFourDgsMagic.size()) != 0) {
      throw Error("has another version of .4dgs than 1, or was changed on its way",
                  name_ + ", byte 5", "write it as version 1, and transfer it as binary");
    }
    if (std::memcmp(bytes.last(kFourDgsMagic.size()).data(), kFourDgsMagic.data(),
                    kFourDgsMagic.size()) != 0) {
      fail("truncated: it does not end with the mark of the format",
           bytes.size() - kFourDgsMagic.size());
    }
  }

  void read_record(std::uint8_t opcode, ByteReader& content, std::uint64_t place) {
    switch (opcode) {
      case kHeader:
        return read_header(content, place);
      case kQuantization:
        if (steps_) fail("has two quantization records", place);
        steps_.emplace(content);
        return;
      case kWindowTable:
        return read_windows(content, place);
      case kChunk:
        return read_chunk(content, place);
      case kBandStream:
        return read_band(content, place);
      case kObjectTrack:
        ++object_tracks_;
        return;
      case kFooter:
        return check_summary(content, place);
      default:
        return;  // to be skipped, see 4.2
    }
  }

  void read_header(ByteReader& content, std::uint64_t place) {
    read_text(content);  // profile
    read_text(content);  // library
    result_.format = ".4dgs";
    result_.duration_s = content.read<double>();
    announced_ = content.read<std::uint64_t>();
    result_.weight_floor = content.read<double>();
    const std::string model = read_text(content);
    if (model != "gaussian-birth") {
      throw Error("has the temporal model \"" + printable(model.substr(0, 40)) +
                      "\", which Mote does not know",
                  fmt::format("{}, byte {}", name_, place), "write it as gaussian-birth");
    }
    content.skip(6 * sizeof(double));  // bounds of the positions
    result_.sh_degree = content.read<std::uint8_t>();
    if (result_.sh_degree > 3) fail("has a degree of spherical harmonics above 3", place);
    if (!(std::isfinite(result_.duration_s) && result_.duration_s >= 0)) {
      fail("has no finite duration", place);
    }
    if (!(result_.weight_floor > 0 && result_.weight_floor < 1)) {
      fail("has a cut-off that is not between 0 and 1", place);
    }
    // A splat takes at least a bit.
    if (announced_ > 8 * file_.size()) fail("announces more splats than its bytes can hold", place);
  }

  void read_windows(ByteReader& content, std::uint64_t place) {
    if (has_windows_) fail("has two tables of windows", place);
    has_windows_ = true;
    const auto count = content.read<std::uint32_t>();
    if (count > content.remaining() / (2 * sizeof(double))) {
      fail("truncated: its table of windows is too short", place);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const double from_s = content.read<double>();
      windows_.push_back({from_s, content.read<double>()});
    }
  }

  void read_chunk(ByteReader& content, std::uint64_t place) {
    if (!steps_) fail("has a chunk before its quantization", place);
    content.skip(2 * sizeof(double) + sizeof(std::uint32_t));  // interval and level
    const auto count = content.read<std::uint32_t>();
    const std::string codec = read_text(content);
    const auto size = content.read<std::uint64_t>();
    const auto length = content.read<std::uint64_t>();
    if (length > content.remaining()) fail("truncated: a chunk is too short", place);
    if (count > announced_ - result_.splats.size()) {
      fail("has more splats than its header announces", place);
    }
    const std::string where = fmt::format("{}, chunk at byte {}", name_, place);
    const std::vector<std::byte> block = unpack_block(content.take(length), codec, size, where);
    ByteReader streams(block, where);
    std::array<std::optional<FourDgsStream>, kAttributes> found;
    while (streams.remaining() > 0) {
      FourDgsStream stream = read_four_dgs_stream(streams, count);
      if (stream.attribute >= kAttributes) continue;
      const auto index = static_cast<std::size_t>(stream.attribute);
      if (found[index]) fail(fmt::format("a chunk has attribute {} twice", index), place);
      if (stream.channels != kChannels[index]) {
        fail(fmt::format("attribute {} has {} channels", index, stream.channels), place);
      }
      found[index] = std::move(stream);
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) fail(fmt::format("a chunk lacks attribute {}", i), place);
    }
    chunk_begin_ = result_.splats.size();
    const Window nothing{0, 0};
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto at = [&](Attribute attribute, std::size_t channel) {
        const FourDgsStream& stream = *found[static_cast<std::size_t>(attribute)];
        return stream.values[i * stream.channels + channel];
      };
      const std::int32_t window = at(kWindow, 0);
      const bool outside = window < 0 || static_cast<std::size_t>(window) >=
                                             std::max<std::size_t>(windows_.size(), 1);
      if (outside) {
        fail(fmt::format("a splat has the window {} of {}", window, windows_.size()), place);
      }
      add_splat(at, windows_.empty() ? nothing : windows_[static_cast<std::size_t>(window)]);
    }
    result_.sh.resize(result_.splats.size() * sh_floats(), 0.0f);
  }

  template <class At>
  void add_splat(const At& at, const Window& window) {
    const Quantization& steps = *steps_;
    MovingSplat splat;
    const bool never_fades = (at(kFlags, 0) & 1) != 0;
    const double sigma_s = std::exp(at(kSigma, 0) * steps.sigma_log);
    const OwnSteps own(steps, result_.weight_floor, never_fades, sigma_s, window);
    for (std::size_t k = 0; k < 3; ++k) {
      splat.position[k] = static_cast<float>(steps.origin[k] + at(kPosition, k) * steps.position);
      splat.scale[k] = static_cast<float>(std::exp(at(kScale, k) * steps.scale_log));
      splat.motion[k] = static_cast<float>(at(kMotion, k) * own.motion);
    }
    // Stored as green, and red and blue minus green.
    const double green = at(kColor, 0);
    splat.color = {static_cast<float>((green + at(kColor, 1)) * steps.rgb),
                   static_cast<float>(green * steps.rgb),
                   static_cast<float>((green + at(kColor, 2)) * steps.rgb)};
    splat.opacity = static_cast<float>(at(kOpacity, 0) * steps.alpha);
    splat.rotation = rotation_of(at);
    splat.time_s = static_cast<float>(at(kTime, 0) * own.time_s);
    if (!never_fades) splat.sigma_s = static_cast<float>(sigma_s);
    splat.from_s = static_cast<float>(window.from_s);
    splat.until_s = static_cast<float>(window.until_s);
    result_.splats.push_back(splat);
  }

  /// The smallest three components in the order x, y, z, w; the largest one follows (6.4).
  template <class At>
  std::array<float, 4> rotation_of(const At& at) const {
    std::array<double, 4> xyzw{};
    const auto largest = static_cast<std::size_t>(at(kRotationIndex, 0) & 3);
    double rest = 1;
    std::size_t next = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (k == largest) continue;
      xyzw[k] = at(kRotation, next++) * steps_->rotation;
      rest -= xyzw[k] * xyzw[k];
    }
    xyzw[largest] = std::sqrt(std::max(rest, 0.0));
    double length = 0;
    for (const double value : xyzw) length += value * value;
    length = std::sqrt(length);
    if (!(length > 0)) return {1, 0, 0, 0};
    return {static_cast<float>(xyzw[3] / length), static_cast<float>(xyzw[0] / length),
            static_cast<float>(xyzw[1] / length), static_cast<float>(xyzw[2] / length)};
  }

  std::size_t sh_floats() const {
    const auto d = static_cast<std::size_t>(result_.sh_degree);
    return 3 * ((d + 1) * (d + 1) - 1);
  }

  /// A band of the splats of the chunk before it. Bytes are -4 + 8 b / 255, component by component.
  void read_band(ByteReader& content, std::uint64_t place) {
    const auto band = content.read<std::uint8_t>();
    const std::size_t count = result_.splats.size() - chunk_begin_;
    const FourDgsStream stream = read_four_dgs_stream(content, static_cast<std::uint32_t>(count));
    if (band < 1 || band > 3) fail("has a band of spherical harmonics that does not exist", place);
    if (band > result_.sh_degree) return;
    const std::size_t size = 2 * std::size_t{band} + 1, first = std::size_t{band} * band - 1;
    if (stream.channels != 3 * size) {
      fail(fmt::format("band {} has {} channels", band, stream.channels), place);
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
          const std::int32_t byte = stream.values[i * stream.channels + c * size + k];
          if (byte < 0 || byte > 255) fail("has a coefficient that is no byte", place);
          result_.sh[(chunk_begin_ + i) * sh_floats() + 3 * (first + k) + c] =
              static_cast<float>(-4 + byte * 8.0 / 255);
        }
      }
    }
  }

  /// Compares the checksum of the summary, which ends where the footer begins (5.2).
  void check_summary(ByteReader& content, std::uint64_t place) const {
    const auto start = content.read<std::uint64_t>();
    content.skip(sizeof(std::uint64_t));
    const auto expected = content.read<std::uint32_t>();
    if (start == 0 || expected == 0) return;
    if (start > place) fail("its summary begins after its footer", place);
    const auto* bytes = reinterpret_cast<const Bytef*>(text_.data()) + start;
    const auto found = static_cast<std::uint32_t>(crc32_z(0, bytes, place - start));
    if (found != expected) fail("the checksum of its summary does not match", place);
  }

  void finish() {
    if (result_.splats.size() != announced_) {
      result_.warnings.push_back(fmt::format("{}: announces {} splats, but contains {}", name_,
                                             announced_, result_.splats.size()));
    }
    if (object_tracks_ > 0) {
      result_.warnings.push_back(
          fmt::format("{}: the tracks of {} objects are left out; they stay where they are stored",
                      name_, object_tracks_));
    }
  }

  InputFile file_;
  std::string text_, name_;
  MovingSplatsFile result_;
  std::uint64_t announced_ = 0;
  std::optional<Quantization> steps_;
  std::vector<Window> windows_;
  bool has_windows_ = false;
  std::size_t chunk_begin_ = 0, object_tracks_ = 0;
};

}  // namespace

bool starts_as_four_dgs(std::span<const std::byte> head) {
  return head.size() >= kMagicName &&
         std::memcmp(head.data(), kFourDgsMagic.data(), kMagicName) == 0;
}

MovingSplatsFile read_four_dgs(const std::filesystem::path& path) {
  return FourDgsReader(path).read();
}

}  // namespace mote

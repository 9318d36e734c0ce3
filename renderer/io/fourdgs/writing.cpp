#include "io/fourdgs/writing.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "core/error.h"
#include "io/fourdgs/steps.h"
#include "io/fourdgs/stream_writing.h"

namespace mote::fourdgs {
namespace {

constexpr double kColorStep = 1.0 / 255, kRotationStep = 1.0 / 2048;
constexpr const char* kLibrary = "Mote";

/// The integers of all splats of a chunk.
class ChunkBins {
 public:
  explicit ChunkBins(std::size_t count) : count_(count) {
    for (std::size_t i = 0; i < kRequiredAttributes; ++i) {
      values_[i].reserve(count * channels_of(static_cast<Attribute>(i)));
    }
  }
  void add(Attribute attribute, double value) {
    if (!std::isfinite(value)) finite_ = false;
    values_[static_cast<std::size_t>(attribute)].push_back(std::llround(value));
  }
  void put(RecordBytes& record, const OutputFile& file) const {
    if (!finite_) {
      throw Error("the format cannot hold values that are not finite", file.name(),
                  "leave these splats out with mote convert --drop-invalid");
    }
    for (std::size_t i = 0; i < kRequiredAttributes; ++i) {
      put_stream(record, static_cast<std::uint8_t>(i), channels_of(static_cast<Attribute>(i)),
                 static_cast<std::uint32_t>(count_), values_[i], file.name());
    }
    if (!sources_.empty()) {
      put_stream(record, static_cast<std::uint8_t>(Attribute::source_index), 1,
                 static_cast<std::uint32_t>(count_), sources_, file.name());
    }
  }
  void add_source(std::uint32_t source) { sources_.push_back(std::int64_t{source} - 1); }

 private:
  std::size_t count_;
  std::array<std::vector<std::int64_t>, kRequiredAttributes> values_;
  std::vector<std::int64_t> sources_;  // empty, or one of each splat
  bool finite_ = true;
};

/// The time in which a splat is seen, which may be outside of the scene.
Window seen_in(const Splat& splat, double cutoff) {
  const double half = std::sqrt(-2 * std::log(cutoff)) * double{splat.sigma};
  return {std::max(double{splat.begin}, splat.time - half),
          std::min(double{splat.end}, splat.time + half)};
}

/// The middle of that time. The numbers of a splat are rounded such that its position is right
/// then: the middle of a bell may be far outside of a window that shows a part of it.
double seen_middle(const Splat& splat, double cutoff) {
  const Window seen = seen_in(splat, cutoff);
  return seen.begin < seen.end ? (seen.begin + seen.end) / 2 : double{splat.time};
}

class Writer {
 public:
  Writer(const ChunkSource& chunks, int sh_degree, const WriteSettings& settings, OutputFile& file)
      : chunks_(chunks), sh_degree_(sh_degree), settings_(settings), file_(file) {
    quantization_ = {.position = 2 * settings.position_error,
                     .log_scale = 2 * settings.scale_error,
                     .rotation = kRotationStep,
                     .color = kColorStep,
                     .opacity = kColorStep,
                     .motion = 4 * settings.position_error,
                     .time = 2 * settings.time_error_s,
                     .log_sigma = 2 * settings.scale_error};
  }

  void write() {
    find_windows();
    write_bytes(std::string(reinterpret_cast<const char*>(kMagic.data()), kMagic.size()));
    write_header();
    write_quantization();
    write_windows();
    for (std::size_t i = 0; i < chunks_.count; ++i) write_chunk(chunks_.at(i));
    write_end();
  }

 private:
  void write_bytes(const std::string& bytes) {
    file_.write(bytes);
    offset_ += bytes.size();
  }

  RecordRange write_record(Opcode opcode, const RecordBytes& content) {
    const RecordRange range{offset_, kRecordHeadBytes + content.bytes().size()};
    RecordBytes head;
    head.put(opcode);
    head.put(static_cast<std::uint64_t>(content.bytes().size()));
    write_bytes(head.bytes());
    write_bytes(content.bytes());
    return range;
  }

  void find_windows() {
    for (std::size_t chunk = 0; chunk < chunks_.count; ++chunk) {
      for (const Splat& splat : chunks_.at(chunk).splats) {
        windows_.try_emplace({splat.begin, splat.end}, static_cast<std::uint32_t>(windows_.size()));
        count_ += 1;
        const double since = seen_middle(splat, settings_.cutoff) - splat.time;
        for (std::size_t i = 0; i < 3; ++i) {
          const double position = splat.position[i] + since * splat.velocity[i];
          least_[i] = std::min(least_[i], position);
          most_[i] = std::max(most_[i], position);
        }
      }
    }
    if (count_ > 0) quantization_.origin = least_;
  }

  void write_header() {
    RecordBytes record;
    record.put_string("");
    record.put_string(kLibrary);
    record.put(settings_.duration_s);
    record.put(count_);
    record.put(settings_.cutoff);
    record.put_string("gaussian-birth");
    for (const auto& bound : {least_, most_}) {
      for (const double value : bound) record.put(count_ > 0 ? value : 0.0);
    }
    record.put(static_cast<std::uint8_t>(sh_degree_));
    record.put(std::uint8_t{2});  // streams are compressed
    RecordBytes attributes;
    for (const auto& [key, value] : settings_.attributes) {
      attributes.put_string(key);
      attributes.put_string(value);
    }
    record.put_string(attributes.bytes());
    write_record(Opcode::header, record);
  }

  void write_quantization() {
    const Quantization& q = quantization_;
    RecordBytes record;
    record.put_string("uniform-v1");
    for (const double origin : q.origin) record.put(origin);
    for (const double step :
         {q.position, q.log_scale, q.rotation, q.color, q.opacity, q.motion, q.time, q.log_sigma}) {
      record.put(step);
    }
    record.put(std::uint8_t{1});
    RecordBytes bounds;
    const auto bound = [&](std::string_view name, double value) {
      bounds.put_string(name);
      bounds.put_string(fmt::format("{:.9g}", value));
    };
    bound("pos", q.position / 2);
    bound("scale_rel", q.log_scale / 2);
    bound("rgb", q.color / 2);
    bound("alpha", q.opacity / 2);
    bound("time", q.time / 2);
    bound("sigma_rel", q.log_sigma / 2);
    record.put_string(bounds.bytes());
    write_record(Opcode::quantization, record);
  }

  void write_windows() {
    std::vector<Window> windows(windows_.size());
    for (const auto& [span, index] : windows_) windows[index] = {span.first, span.second};
    RecordBytes record;
    record.put(static_cast<std::uint32_t>(windows.size()));
    for (const Window& window : windows) record.put(window);
    write_record(Opcode::windows, record);
  }

  void add_bins(const Splat& splat, ChunkBins& bins) const {
    const Quantization& q = quantization_;
    const bool never_fades = std::isinf(splat.sigma);
    const Window window{splat.begin, splat.end};
    const double sigma_bin =
        never_fades ? 0 : std::round(std::log(double{splat.sigma}) / q.log_sigma);
    const double sigma = std::exp(sigma_bin * q.log_sigma);
    const double moved = motion_step(q, settings_.cutoff, sigma, never_fades, window);
    const double time_of_bin = time_step(q, sigma, never_fades);
    const double time_bin = std::round(splat.time / time_of_bin);
    const double middle = seen_middle(splat, settings_.cutoff);
    for (std::size_t i = 0; i < 3; ++i) {
      const double velocity_bin = std::round(splat.velocity[i] / moved);
      const double position = splat.position[i] + splat.velocity[i] * (middle - splat.time) -
                              velocity_bin * moved * (middle - time_bin * time_of_bin);
      bins.add(Attribute::position, (position - q.origin[i]) / q.position);
      bins.add(Attribute::scale, std::log(double{splat.scale[i]}) / q.log_scale);
      bins.add(Attribute::motion, velocity_bin);
    }
    add_rotation(splat.rotation, bins);
    std::array<long long, 3> color{};
    for (std::size_t i = 0; i < 3; ++i) color[i] = std::llround(splat.color[i] / q.color);
    bins.add(Attribute::color, static_cast<double>(color[1]));
    bins.add(Attribute::color, static_cast<double>(color[0] - color[1]));
    bins.add(Attribute::color, static_cast<double>(color[2] - color[1]));
    bins.add(Attribute::opacity, splat.color[3] / q.opacity);
    bins.add(Attribute::time, time_bin);
    bins.add(Attribute::sigma, sigma_bin);
    bins.add(Attribute::flags, never_fades ? kNeverFades : 0);
    bins.add(Attribute::window, windows_.at({splat.begin, splat.end}));
  }

  static void add_rotation(const std::array<float, 4>& rotation, ChunkBins& bins) {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < rotation.size(); ++i) {
      if (std::abs(rotation[i]) > std::abs(rotation[largest])) largest = i;
    }
    bins.add(Attribute::rotation_index, static_cast<double>(largest));
    const double sign = rotation[largest] < 0 ? -1 : 1;
    for (std::size_t i = 0; i < rotation.size(); ++i) {
      if (i != largest) bins.add(Attribute::rotation, sign * rotation[i] / kRotationStep);
    }
  }

  /// The time in which a splat of the chunk is seen.
  Window span_of(const WrittenChunk& chunk) const {
    Window span{settings_.duration_s, 0};
    for (const Splat& splat : chunk.splats) {
      const Window seen = seen_in(splat, settings_.cutoff);
      span = {std::min(span.begin, seen.begin), std::max(span.end, seen.end)};
    }
    return {std::max(span.begin, 0.0),
            std::min(std::max(span.end, span.begin), settings_.duration_s)};
  }

  void write_chunk(const WrittenChunk& chunk) {
    ChunkBins bins(chunk.splats.size());
    const bool has_sources = std::all_of(chunk.splats.begin(), chunk.splats.end(),
                                         [](const Splat& splat) { return splat.source > 0; });
    for (const Splat& splat : chunk.splats) {
      add_bins(splat, bins);
      if (has_sources) bins.add_source(splat.source);
    }
    RecordBytes streams;
    bins.put(streams, file_);
    const Window span = span_of(chunk);
    const auto count = static_cast<std::uint32_t>(chunk.splats.size());
    RecordBytes record;
    record.put(span.begin);
    record.put(span.end);
    record.put(chunk.level);
    record.put(count);
    record.put_string("");
    record.put(static_cast<std::uint64_t>(streams.bytes().size()));
    record.put(static_cast<std::uint64_t>(streams.bytes().size()));
    record.append(streams.bytes());
    Chunk written{.begin = span.begin, .end = span.end, .count = count};
    written.range = write_record(Opcode::chunk, record);
    std::size_t first = 0;
    for (int band = 1; band <= sh_degree_; ++band) {
      written.bands[static_cast<std::size_t>(band - 1)] = write_band(chunk, band, first);
      first += band_channels(band);
    }
    written_.push_back(written);
  }

  RecordRange write_band(const WrittenChunk& chunk, int band, std::size_t first) {
    const std::size_t stride =
        chunk.splats.empty() ? 0 : chunk.harmonics.size() / chunk.splats.size();
    std::vector<std::int64_t> codes;
    for (std::size_t i = 0; i < chunk.splats.size(); ++i) {
      for (std::size_t c = 0; c < band_channels(band); ++c) {
        const double value = chunk.harmonics[i * stride + first + c];
        codes.push_back(std::llround((std::clamp(value, -4.0, 4.0) + 4) * 255 / 8));
      }
    }
    RecordBytes record;
    record.put(static_cast<std::uint8_t>(band));
    put_stream(record, static_cast<std::uint8_t>(Opcode::band), band_channels(band),
               static_cast<std::uint32_t>(chunk.splats.size()), codes, file_.name());
    return write_record(Opcode::band, record);
  }

  void write_end() {
    const std::uint64_t summary = offset_;
    uLong checksum = 0;
    for (const Chunk& chunk : written_) {
      RecordBytes record;
      record.put(chunk.begin);
      record.put(chunk.end);
      record.put(chunk.range);
      record.put(chunk.count);
      record.put(static_cast<std::uint32_t>(sh_degree_));
      for (int band = 1; band <= sh_degree_; ++band) {
        record.put(static_cast<std::uint8_t>(band));
        record.put(chunk.bands[static_cast<std::size_t>(band - 1)]);
      }
      RecordBytes whole;
      whole.put(Opcode::chunk_index);
      whole.put(static_cast<std::uint64_t>(record.bytes().size()));
      whole.append(record.bytes());
      write_bytes(whole.bytes());
      checksum = ::crc32_z(checksum, reinterpret_cast<const Bytef*>(whole.bytes().data()),
                           whole.bytes().size());
    }
    RecordBytes footer;
    footer.put(written_.empty() ? std::uint64_t{0} : summary);
    footer.put(std::uint64_t{0});
    footer.put(static_cast<std::uint32_t>(checksum));
    write_record(Opcode::footer, footer);
    write_bytes(std::string(reinterpret_cast<const char*>(kMagic.data()), kMagic.size()));
  }

  const ChunkSource& chunks_;
  int sh_degree_;
  const WriteSettings& settings_;
  OutputFile& file_;
  Quantization quantization_;
  std::map<std::pair<float, float>, std::uint32_t> windows_;
  std::array<double, 3> least_{INFINITY, INFINITY, INFINITY},
      most_{-INFINITY, -INFINITY, -INFINITY};
  std::uint64_t count_ = 0, offset_ = 0;
  std::vector<Chunk> written_;
};

}  // namespace

void write_lives(const ChunkSource& chunks, int sh_degree, const WriteSettings& settings,
                 OutputFile& file) {
  Writer(chunks, sh_degree, settings, file).write();
}

}  // namespace mote::fourdgs

#include "io/fourdgs/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/bytes.h"
#include "core/error.h"
#include "io/fourdgs/found_records.h"

namespace mote::fourdgs {
namespace {

std::string read_string(ByteReader& reader) {
  const auto length = reader.read<std::uint32_t>();
  const std::span<const std::byte> bytes = reader.take(length);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

double read_finite(ByteReader& reader, const char* name) {
  const std::string where = reader.where();
  const auto value = reader.read<double>();
  if (!std::isfinite(value)) throw Error(std::string(name) + " is not finite", where, kCopyAgain);
  return value;
}

/// The number of bytes of a chunk's record before its block, with room for the fields of changes.
constexpr std::size_t kChunkHeadBytes = 64;

}  // namespace

bool probe(std::span<const std::byte> head) {
  // The fifth character is the version.
  return head.size() >= kMagic.size() && std::memcmp(head.data(), kMagic.data(), 5) == 0 &&
         std::memcmp(head.data() + 6, kMagic.data() + 6, 2) == 0;
}

File::File(const InputFile& input) : input_(input) {
  std::array<std::byte, kMagic.size()> magic{};
  const std::size_t got = input.read_some(0, magic);
  if (got == magic.size() && probe(magic) && std::to_integer<std::uint8_t>(magic[5]) != kMagic[5]) {
    throw Error(fmt::format("version {} of the 4dgs format, expected 1",
                            static_cast<char>(std::to_integer<int>(magic[5]))),
                where(5), "write the file again as version 1");
  }
  if (got < magic.size() || std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) {
    throw Error("the first 8 bytes are not those of a 4dgs file", where(0), kCopyAgain);
  }
  if (input.size() < kMagic.size() + kTailBytes) {
    throw Error("truncated: the file has no footer", where(input.size()), kCopyAgain);
  }
  input.read_exact(input.size() - kMagic.size(), magic);
  if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0) {
    throw Error("truncated: the last 8 bytes are not those of a 4dgs file",
                where(input.size() - kMagic.size()), kCopyAgain);
  }
  read_records();
}

std::string File::where(std::uint64_t offset) const {
  return fmt::format("{}, byte {}", input_.name(), offset);
}

std::vector<std::byte> File::content(const RecordRange& range) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(range.length - kRecordHeadBytes));
  input_.read_exact(range.offset + kRecordHeadBytes, bytes);
  return bytes;
}

void File::read_records() {
  Found found;
  std::uint64_t offset = kMagic.size();
  const std::uint64_t end = input_.size() - kMagic.size();
  while (!found.footer) {
    if (end - offset < kRecordHeadBytes) {
      throw Error("truncated: the file has no footer", where(offset), kCopyAgain);
    }
    std::array<std::byte, kRecordHeadBytes> head{};
    input_.read_exact(offset, head);
    ByteReader reader(head, input_.name(), offset);
    const auto opcode = reader.read<Opcode>();
    const auto length = reader.read<std::uint64_t>();
    if (length > end - offset - kRecordHeadBytes) {
      throw Error(fmt::format("truncated: a record of {} bytes, with {} left in the file", length,
                              end - offset - kRecordHeadBytes),
                  where(offset), kCopyAgain);
    }
    const RecordRange range{offset, length + kRecordHeadBytes};
    if (offset == kMagic.size() && opcode != Opcode::header) {
      throw Error("the first record is not the header", where(offset), kCopyAgain);
    }
    read_record(opcode, range, found);
    offset += range.length;
  }
  if (offset != end) {
    throw Error(fmt::format("{} bytes after the footer", end - offset), where(offset), kCopyAgain);
  }
  if (!found.quantization) {
    throw Error("the file has no quantization record", where(end), kCopyAgain);
  }
  check_index(found);
  check_summary(found);
  if (header_.model == TimeModel::states) check_states();
}

void File::read_record(Opcode opcode, const RecordRange& range, Found& found) {
  const auto once = [&](std::optional<RecordRange>& place, const char* name) {
    if (place) {
      throw Error(fmt::format("a second {} record; the first is at byte {}", name, place->offset),
                  where(range.offset), kCopyAgain);
    }
    place = range;
  };
  switch (opcode) {
    case Opcode::header:
      once(found.header, "header");
      return read_header(range);
    case Opcode::quantization:
      once(found.quantization, "quantization");
      return read_quantization(range);
    case Opcode::windows:
      once(found.windows, "window table");
      return read_windows(range);
    case Opcode::chunk:
      return read_chunk_head(range, false);
    case Opcode::delta_chunk:
      return read_chunk_head(range, true);
    case Opcode::band:
      return read_band_head(range);
    case Opcode::chunk_index:
      found.index.push_back(range);
      return;
    case Opcode::object_track:
      return read_track(range);
    case Opcode::footer: {
      once(found.footer, "footer");
      const std::vector<std::byte> bytes = content(range);
      ByteReader reader(bytes, input_.name(), range.offset + kRecordHeadBytes);
      found.summary_start = reader.read<std::uint64_t>();
      reader.skip(sizeof(std::uint64_t));
      found.summary_checksum = reader.read<std::uint32_t>();
      return;
    }
  }
  // Other records, which this reader does not know, do not change the splats.
}

void File::read_header(const RecordRange& range) {
  const std::vector<std::byte> bytes = content(range);
  ByteReader reader(bytes, input_.name(), range.offset + kRecordHeadBytes);
  header_.profile = read_string(reader);
  header_.library = read_string(reader);
  header_.duration_s = read_finite(reader, "the duration");
  header_.splat_count = reader.read<std::uint64_t>();
  const std::string place = reader.where();
  header_.cutoff = read_finite(reader, "the cutoff");
  if (!(header_.cutoff > 0 && header_.cutoff < 1)) {
    throw Error(fmt::format("a cutoff of {}, expected a number between 0 and 1", header_.cutoff),
                place, kCopyAgain);
  }
  const std::string model_place = reader.where();
  const std::string model = read_string(reader);
  if (model != "gaussian-birth" && model != "keyframe-delta") {
    throw Error(fmt::format("the temporal model is '{}'; known are gaussian-birth and "
                            "keyframe-delta",
                            model),
                model_place, "write the file again with one of these");
  }
  header_.model = model == "keyframe-delta" ? TimeModel::states : TimeModel::lives;
  for (double& bound : header_.bounds) bound = reader.read<double>();
  header_.sh_degree = reader.read<std::uint8_t>();
  if (header_.sh_degree > 3) {
    throw Error(fmt::format("SH degree {}, expected 0 to 3", header_.sh_degree),
                where(range.offset), kCopyAgain);
  }
  header_.flags = reader.read<std::uint8_t>();
  const auto length = reader.read<std::uint32_t>();
  ByteReader map(reader.take(length), input_.name(), reader.offset() - length);
  while (map.remaining() > 0) {
    std::string key = read_string(map);
    header_.attributes[std::move(key)] = read_string(map);
  }
}

void File::read_quantization(const RecordRange& range) {
  const std::vector<std::byte> bytes = content(range);
  ByteReader reader(bytes, input_.name(), range.offset + kRecordHeadBytes);
  const std::string place = reader.where();
  const std::string scheme = read_string(reader);
  if (scheme != "uniform-v1") {
    throw Error(fmt::format("the quantization scheme is '{}', expected uniform-v1", scheme), place,
                "write the file again with this scheme");
  }
  Quantization& q = quantization_;
  for (double& origin : q.origin) origin = read_finite(reader, "the origin of positions");
  for (double* step : {&q.position, &q.log_scale, &q.rotation, &q.color, &q.opacity, &q.motion,
                       &q.time, &q.log_sigma}) {
    *step = read_finite(reader, "a step of the quantization");
  }
}

void File::read_windows(const RecordRange& range) {
  std::uint32_t count = 0;
  const std::uint64_t content_bytes = range.length - kRecordHeadBytes;
  if (content_bytes < sizeof count) {
    throw Error("truncated: a window table without its length", where(range.offset), kCopyAgain);
  }
  input_.read_exact(range.offset + kRecordHeadBytes, std::as_writable_bytes(std::span(&count, 1)));
  if ((content_bytes - sizeof count) / sizeof(Window) < count) {
    throw Error(fmt::format("truncated: {} windows, with {} bytes left in the record", count,
                            content_bytes - sizeof count),
                where(range.offset), kCopyAgain);
  }
  if (count == 0) return;
  window_count_ = count;
  windows_at_ = range.offset + kRecordHeadBytes + sizeof count;
}

std::vector<Window> File::windows(std::size_t first, std::size_t count) const {
  CHECK(first <= window_count_ && count <= window_count_ - first);
  std::vector<Window> windows(count);
  if (windows_at_ == 0) return windows;
  input_.read_exact(windows_at_ + first * sizeof(Window),
                    std::as_writable_bytes(std::span(windows)));
  return windows;
}

void File::read_chunk_head(const RecordRange& range, bool is_delta) {
  std::array<std::byte, kChunkHeadBytes> bytes{};
  const std::size_t size = static_cast<std::size_t>(
      std::min<std::uint64_t>(kChunkHeadBytes, range.length - kRecordHeadBytes));
  const std::span<std::byte> head = std::span(bytes).first(size);
  input_.read_exact(range.offset + kRecordHeadBytes, head);
  ByteReader reader(head, input_.name(), range.offset + kRecordHeadBytes);
  Chunk chunk{.range = range, .is_delta = is_delta, .keyframe = range.offset};
  chunk.begin = read_finite(reader, "the beginning of a chunk");
  chunk.end = read_finite(reader, "the end of a chunk");
  chunk.level = reader.read<std::uint32_t>();
  if (is_delta && header_.model != TimeModel::states) {
    throw Error("a chunk of changes in a file of the model gaussian-birth", where(range.offset),
                kCopyAgain);
  }
  if (!is_delta) {
    chunk.count = reader.read<std::uint32_t>();
  } else {
    chunk.is_chained = reader.read<std::uint8_t>() == 1;
    chunk.reference = reader.read<std::uint64_t>();
    chunk.keyframe = reader.read<std::uint64_t>();
    chunk.depth = reader.read<std::uint16_t>();
    std::uint64_t changes = 0;
    for (std::uint32_t& count : chunk.changes) {
      count = reader.read<std::uint32_t>();
      changes += count;
    }
    chunk.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(changes, 0xffffffffu));
  }
  chunks_.push_back(chunk);
}

void File::read_band_head(const RecordRange& range) {
  std::array<std::byte, 1> head{};
  if (range.length <= kRecordHeadBytes || chunks_.empty()) {
    throw Error("harmonics without a chunk before them", where(range.offset), kCopyAgain);
  }
  input_.read_exact(range.offset + kRecordHeadBytes, head);
  const int band = std::to_integer<int>(head[0]);
  if (band < 1 || band > 3) {
    throw Error(fmt::format("harmonics of band {}, expected 1 to 3", band), where(range.offset),
                kCopyAgain);
  }
  RecordRange& place = chunks_.back().bands[static_cast<std::size_t>(band - 1)];
  if (place.length > 0) {
    throw Error(fmt::format("harmonics of band {} for a second time", band), where(range.offset),
                kCopyAgain);
  }
  place = range;
}

void File::read_track(const RecordRange& range) {
  const std::vector<std::byte> bytes = content(range);
  ByteReader reader(bytes, input_.name(), range.offset + kRecordHeadBytes);
  ObjectTrack track;
  const auto fail = [&](const std::string& problem) {
    throw Error(fmt::format("the track of object {} {}", track.object, problem),
                where(range.offset), kCopyAgain);
  };
  track.object = reader.read<std::uint32_t>();
  track.in_steps = reader.read<std::uint8_t>() == 1;
  if (track.object == 0) fail("is for no object");
  for (const ObjectTrack& other : tracks_) {
    if (other.object == track.object) fail("is there twice");
  }
  const auto count = reader.read<std::uint32_t>();
  constexpr std::size_t kPoseBytes = 8 * sizeof(double);
  if (reader.remaining() / kPoseBytes < count) fail("is truncated");
  track.poses.resize(count);
  double before = -INFINITY;
  for (ObjectTrack::Pose& pose : track.poses) {
    pose.time_s = reader.read<double>();
    double length = 0;
    for (double& value : pose.rotation) {
      value = reader.read<double>();
      length += value * value;
    }
    bool finite = std::isfinite(pose.time_s) && std::isfinite(length) && length > 0;
    for (double& value : pose.translation) {
      value = reader.read<double>();
      finite = finite && std::isfinite(value);
    }
    if (!finite) fail("has a pose that is not finite, or without a rotation");
    if (pose.time_s <= before) fail("has times that do not increase");
    before = pose.time_s;
    for (double& value : pose.rotation) value /= std::sqrt(length);
  }
  if (count > 0) tracks_.push_back(std::move(track));
}

}  // namespace mote::fourdgs

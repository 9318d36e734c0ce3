// The index of chunks and its checksum against the chunks themselves, and the order of states.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <numeric>

#include "core/bytes.h"
#include "core/error.h"
#include "io/fourdgs/file.h"
#include "io/fourdgs/found_records.h"

namespace mote::fourdgs {
void File::check_index(const Found& found) const {
  if (found.index.empty()) return;
  if (found.index.size() != chunks_.size()) {
    throw Error(
        fmt::format("the index has {} chunks, and the file {}", found.index.size(), chunks_.size()),
        where(found.index.front().offset), kCopyAgain);
  }
  for (const RecordRange& range : found.index) check_entry(range);
}

void File::check_entry(const RecordRange& range) const {
  const std::vector<std::byte> bytes = content(range);
  ByteReader reader(bytes, input_.name(), range.offset + kRecordHeadBytes);
  const auto begin = reader.read<double>(), end = reader.read<double>();
  const auto offset = reader.read<std::uint64_t>(), length = reader.read<std::uint64_t>();
  const auto count = reader.read<std::uint32_t>(), bands = reader.read<std::uint32_t>();
  const auto by_offset = [](const Chunk& chunk, std::uint64_t place) {
    return chunk.range.offset < place;
  };
  const auto chunk = std::lower_bound(chunks_.begin(), chunks_.end(), offset, by_offset);
  if (chunk == chunks_.end() || chunk->range.offset != offset) {
    throw Error(fmt::format("the index names byte {}, where no chunk begins", offset),
                where(range.offset), kCopyAgain);
  }
  const auto check = [&](bool same, const char* field) {
    if (same) return;
    throw Error(
        fmt::format("the index and the chunk at byte {} disagree about its {}", offset, field),
        where(range.offset), kCopyAgain);
  };
  check(length == chunk->range.length, "length");
  check(begin == chunk->begin && end == chunk->end, "time");
  check(count == chunk->count, "number of splats");
  for (std::uint32_t i = 0; i < bands; ++i) {
    const auto band = reader.read<std::uint8_t>();
    const auto band_offset = reader.read<std::uint64_t>();
    const auto band_length = reader.read<std::uint64_t>();
    const bool known = band >= 1 && band <= chunk->bands.size();
    const RecordRange& place = chunk->bands[known ? band - 1u : 0];
    check(known && band_offset == place.offset && band_length == place.length, "harmonics");
  }
  if (header_.model != TimeModel::states || reader.remaining() == 0) return;
  check((reader.read<std::uint8_t>() == 1) == chunk->is_delta, "kind");
  check((reader.read<std::uint8_t>() == 1) == chunk->is_chained, "delta_mode");
  check(reader.read<std::uint64_t>() == chunk->reference, "reference");
  check(reader.read<std::uint64_t>() == chunk->keyframe, "keyframe");
  check(reader.read<std::uint16_t>() == chunk->depth, "depth");
}

void File::check_summary(const Found& found) const {
  if (found.summary_start == 0 || found.summary_checksum == 0) return;
  const std::uint64_t end = found.footer->offset;
  if (found.summary_start > end) {
    throw Error(
        fmt::format("the footer says that the index begins at byte {}", found.summary_start),
        where(end), kCopyAgain);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(end - found.summary_start));
  input_.read_exact(found.summary_start, bytes);
  const uLong sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (sum != found.summary_checksum) {
    throw Error("the index has another checksum than the footer says", where(found.summary_start),
                kCopyAgain);
  }
}

const Chunk* File::reference_of(std::size_t chunk) const {
  const std::uint64_t offset = chunks_[chunk].reference;
  for (std::size_t i = chunk; i-- > 0;) {
    if (chunks_[i].range.offset == offset) return &chunks_[i];
  }
  return nullptr;
}

void File::check_states() const {
  std::vector<std::size_t> order(chunks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return chunks_[a].begin < chunks_[b].begin;
  });
  double covered = 0;
  for (const std::size_t i : order) {
    const Chunk& chunk = chunks_[i];
    if (chunk.begin != covered || !(chunk.end > chunk.begin)) {
      throw Error(fmt::format("a state of {} to {} s, where the one before ends at {} s",
                              chunk.begin, chunk.end, covered),
                  where(chunk.range.offset), kCopyAgain);
    }
    covered = chunk.end;
  }
  if (covered != header_.duration_s) {
    throw Error(
        fmt::format("the states end at {} s, and the scene at {} s", covered, header_.duration_s),
        name(), kCopyAgain);
  }
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const Chunk& chunk = chunks_[i];
    if (!chunk.is_delta) continue;
    const Chunk* reference = reference_of(i);
    if (!reference) {
      throw Error(fmt::format("changes of the state at byte {}, where none before them begins",
                              chunk.reference),
                  where(chunk.range.offset), kCopyAgain);
    }
    if (reference->depth + 1 != chunk.depth || reference->keyframe != chunk.keyframe) {
      throw Error(fmt::format("changes {} steps from the keyframe at byte {}, and their reference "
                              "is {} steps from that at byte {}",
                              chunk.depth, chunk.keyframe, reference->depth, reference->keyframe),
                  where(chunk.range.offset), kCopyAgain);
    }
    if (reference->level != chunk.level) {
      throw Error(
          fmt::format("changes of level {} to a state of level {}", chunk.level, reference->level),
          where(chunk.range.offset), kCopyAgain);
    }
  }
}

}  // namespace mote::fourdgs

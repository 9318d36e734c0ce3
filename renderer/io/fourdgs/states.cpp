// Splats of chunks, and of states that are stored as changes: updates add differences, births and
// deaths name splats. Section 11 of the format's text.
#include "io/fourdgs/states.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "core/bytes.h"
#include "core/error.h"
#include "io/fourdgs/stream.h"

namespace mote::fourdgs {
namespace {

// Bytes of a chunk before its block: times, level, and its count, or the fields of changes.
constexpr std::size_t kSplatsHead = 24, kChangesHead = 51;

constexpr std::size_t index_of(Attribute attribute) {
  return static_cast<std::size_t>(attribute);
}

/// Reads streams to the end of `reader`.
Bins read_streams(ByteReader& reader, std::uint32_t count) {
  Bins bins{.count = count};
  while (reader.remaining() > 0) {
    const std::string where = reader.where();
    Stream stream = read_stream(reader, count);
    if (stream.attribute >= kAttributes) continue;
    const std::size_t channels = channels_of(static_cast<Attribute>(stream.attribute));
    if (stream.channels != channels) {
      throw Error(fmt::format("attribute {} has {} channels, expected {}", stream.attribute,
                              stream.channels, channels),
                  where, kCopyAgain);
    }
    bins.of[stream.attribute] = std::move(stream.values);
  }
  return bins;
}

void require(const Bins& bins, std::size_t attribute, const std::string& where) {
  if (bins.count > 0 && bins.of[attribute].empty()) {
    throw Error(fmt::format("a chunk without attribute {}", attribute), where, kCopyAgain);
  }
}

void require_state(const Bins& bins, const File& file, const std::string& where) {
  for (std::size_t i = 0; i < kRequiredAttributes; ++i) require(bins, i, where);
  if (file.header().model == TimeModel::states) {
    require(bins, index_of(Attribute::splat_id), where);
  }
}

/// The harmonics that follow a chunk, of `count` splats.
void read_harmonics(const File& file, const Chunk& chunk, std::uint32_t count, Bins& bins) {
  for (int band = 1; band <= file.header().sh_degree; ++band) {
    const RecordRange& range = chunk.bands[static_cast<std::size_t>(band - 1)];
    std::vector<std::int32_t>& values = bins.harmonics[static_cast<std::size_t>(band - 1)];
    if (count == 0 && range.length == 0) continue;
    if (range.length == 0) {
      throw Error(fmt::format("a chunk without harmonics of band {}", band),
                  file.where(chunk.range.offset), kCopyAgain);
    }
    const std::vector<std::byte> bytes = file.content(range);
    ByteReader reader(bytes, file.name(), range.offset + kRecordHeadBytes);
    reader.skip(1);
    Stream stream = read_stream(reader, count);
    if (stream.channels != band_channels(band)) {
      throw Error(fmt::format("band {} has {} channels, expected {}", band, stream.channels,
                              band_channels(band)),
                  file.where(range.offset), kCopyAgain);
    }
    for (const std::int32_t code : stream.values) {
      if (code >= 0 && code <= 255) continue;
      throw Error(fmt::format("a harmonic of {}, expected 0 to 255", code),
                  file.where(range.offset), kCopyAgain);
    }
    values = std::move(stream.values);
  }
}

using Places = std::unordered_map<std::int32_t, std::uint32_t>;

/// The place of each id. Throws Error for one that is there twice.
Places places_of(const std::vector<std::int32_t>& ids, const std::string& where) {
  Places places;
  places.reserve(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    if (places.emplace(ids[i], i).second) continue;
    throw Error(fmt::format("splat {} is there twice", static_cast<std::uint32_t>(ids[i])), where,
                kCopyAgain);
  }
  return places;
}

std::uint32_t place_of(const Places& places, std::int32_t id, const char* change,
                       const std::string& where) {
  const auto found = places.find(id);
  if (found != places.end()) return found->second;
  throw Error(fmt::format("{} of splat {}, which the state before does not have", change,
                          static_cast<std::uint32_t>(id)),
              where, kCopyAgain);
}

struct Changes {
  Bins updates, births, deaths;
};

Changes read_changes(const File& file, const Chunk& chunk) {
  const std::vector<std::byte> record = file.content(chunk.range);
  const std::uint64_t start = chunk.range.offset + kRecordHeadBytes;
  ByteReader reader(record, file.name(), start);
  reader.skip(kChangesHead);
  std::vector<std::byte> unpacked;
  ByteReader groups(read_block(reader, unpacked), file.name(), start + kChangesHead);
  Changes changes;
  const auto read_group = [&](Bins& group, std::uint32_t count) {
    const auto length = groups.read<std::uint64_t>();
    const std::uint64_t offset = groups.offset();
    ByteReader streams(groups.take(static_cast<std::size_t>(length)), file.name(), offset);
    group = read_streams(streams, count);
    if (count > 0) require(group, index_of(Attribute::splat_id), file.where(offset));
  };
  read_group(changes.updates, chunk.changes[0]);
  read_group(changes.births, chunk.changes[1]);
  read_group(changes.deaths, chunk.changes[2]);
  return changes;
}

/// Ids in one group only, and no attribute that updates must not change.
void check_groups(const Changes& changes, const std::string& where) {
  std::unordered_set<std::int32_t> seen;
  for (const Bins* group : {&changes.updates, &changes.births, &changes.deaths}) {
    for (const std::int32_t id : group->of[index_of(Attribute::splat_id)]) {
      if (seen.insert(id).second) continue;
      throw Error(
          fmt::format("splat {} is changed twice in a chunk", static_cast<std::uint32_t>(id)),
          where, kCopyAgain);
    }
  }
  for (const Attribute fixed : {Attribute::sigma, Attribute::flags, Attribute::window}) {
    if (changes.updates.of[index_of(fixed)].empty()) continue;
    throw Error(fmt::format("an update of attribute {}, which a splat keeps", index_of(fixed)),
                where, kCopyAgain);
  }
}

/// Without the splats whose mark is set.
void remove(const std::vector<char>& dead, Bins& state) {
  const auto compact = [&](std::vector<std::int32_t>& values) {
    if (values.empty()) return;
    const std::size_t channels = values.size() / state.count;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < state.count; ++i) {
      if (dead[i]) continue;
      for (std::size_t c = 0; c < channels; ++c) values[kept++] = values[i * channels + c];
    }
    values.resize(kept);
  };
  for (auto& values : state.of) compact(values);
  for (auto& values : state.harmonics) compact(values);
  std::uint32_t left = 0;
  for (const char mark : dead) left += mark == 0;
  state.count = left;
}

void update(const Bins& updates, const Places& places, Bins& state, const std::string& where) {
  const std::vector<std::int32_t>& ids = updates.of[index_of(Attribute::splat_id)];
  for (std::size_t attribute = 0; attribute < kAttributes; ++attribute) {
    const std::vector<std::int32_t>& changed = updates.of[attribute];
    if (changed.empty() || attribute == index_of(Attribute::splat_id)) continue;
    const bool absolute = attribute == index_of(Attribute::rotation_index) ||
                          attribute == index_of(Attribute::rotation);
    const std::size_t channels = channels_of(static_cast<Attribute>(attribute));
    std::vector<std::int32_t>& values = state.of[attribute];
    values.resize(state.count * channels);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::size_t place = place_of(places, ids[i], "an update", where);
      for (std::size_t c = 0; c < channels; ++c) {
        std::int32_t& value = values[place * channels + c];
        const std::int64_t sum = std::int64_t{absolute ? 0 : value} + changed[i * channels + c];
        if (sum != static_cast<std::int32_t>(sum)) {
          throw Error(fmt::format("attribute {} of splat {} needs more than 32 bits", attribute,
                                  static_cast<std::uint32_t>(ids[i])),
                      where, kCopyAgain);
        }
        value = static_cast<std::int32_t>(sum);
      }
    }
  }
}

void append(const Bins& births, Bins& state) {
  const auto join = [&](const std::vector<std::int32_t>& from, std::vector<std::int32_t>& to,
                        std::size_t channels) {
    if (from.empty() && to.empty()) return;
    to.resize(state.count * channels);
    to.insert(to.end(), from.begin(), from.end());
    to.resize((std::size_t{state.count} + births.count) * channels);
  };
  for (std::size_t i = 0; i < kAttributes; ++i) {
    join(births.of[i], state.of[i], channels_of(static_cast<Attribute>(i)));
  }
  for (std::size_t i = 0; i < state.harmonics.size(); ++i) {
    join(births.harmonics[i], state.harmonics[i], band_channels(static_cast<int>(i) + 1));
  }
  state.count += births.count;
}

/// Throws Error where a record is too short for its splats. Streams of one value for all have no
/// bytes for each, so that a few bytes could ask for any memory.
void check_count(std::uint64_t count, std::size_t bytes, const std::string& where) {
  constexpr std::uint64_t kMostPerByte = 1024;
  if (count / kMostPerByte <= bytes) return;
  throw Error(fmt::format("claims {} splats in {} bytes", count, bytes), where, kCopyAgain);
}

}  // namespace

Bins read_splats(const File& file, const Chunk& chunk) {
  const std::vector<std::byte> record = file.content(chunk.range);
  const std::string where = file.where(chunk.range.offset);
  check_count(chunk.count, record.size(), where);
  ByteReader reader(record, file.name(), chunk.range.offset + kRecordHeadBytes);
  reader.skip(kSplatsHead);
  std::vector<std::byte> unpacked;
  ByteReader streams(read_block(reader, unpacked), file.name(),
                     chunk.range.offset + kRecordHeadBytes + kSplatsHead);
  Bins bins = read_streams(streams, chunk.count);
  require_state(bins, file, where);
  read_harmonics(file, chunk, chunk.count, bins);
  if (file.header().model == TimeModel::states) {
    places_of(bins.of[index_of(Attribute::splat_id)], where);
  }
  return bins;
}

void apply_changes(const File& file, const Chunk& chunk, Bins& state) {
  const std::string where = file.where(chunk.range.offset);
  Changes changes = read_changes(file, chunk);
  check_groups(changes, where);
  const std::size_t id = index_of(Attribute::splat_id);
  const Places places = places_of(state.of[id], where);
  update(changes.updates, places, state, where);
  std::vector<char> dead(state.count, 0);
  for (const std::int32_t splat : changes.deaths.of[id]) {
    dead[place_of(places, splat, "a death", where)] = 1;
  }
  if (changes.births.count > 0) require_state(changes.births, file, where);
  for (const std::int32_t splat : changes.births.of[id]) {
    if (!places.contains(splat)) continue;
    throw Error(fmt::format("a birth of splat {}, which lives", static_cast<std::uint32_t>(splat)),
                where, kCopyAgain);
  }
  read_harmonics(file, chunk, changes.births.count, changes.births);
  remove(dead, state);
  append(changes.births, state);
}

Bins SplatReader::state_of(std::size_t chunk) {
  const std::vector<Chunk>& chunks = file_.chunks();
  // The changes from the last state that is known, or from the keyframe.
  std::vector<std::size_t> path;
  const auto is_last = [&](std::size_t i) { return has_last_ && last_chunk_ == i; };
  std::size_t at = chunk;
  while (chunks[at].is_delta && !is_last(at)) {
    path.push_back(at);
    at = static_cast<std::size_t>(file_.reference_of(at) - chunks.data());
  }
  Bins state = is_last(at) ? std::move(last_) : read_splats(file_, chunks[at]);
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    apply_changes(file_, chunks[*step], state);
  }
  return state;
}

SplatList SplatReader::read(std::size_t chunk) {
  const Chunk& read_chunk = file_.chunks().at(chunk);
  if (file_.header().model == TimeModel::lives) {
    return dequantized(file_, read_chunk, read_splats(file_, read_chunk));
  }
  Bins state = state_of(chunk);
  has_last_ = false;
  SplatList splats = dequantized(file_, read_chunk, state);
  last_ = std::move(state);
  last_chunk_ = chunk;
  has_last_ = true;
  return splats;
}

}  // namespace mote::fourdgs

// Files with the edits of one scene of a project. All values are little-endian:
//   8 bytes  "MOTEEDIT"
//   u32      version, kind of splats, SH degree, flags (bit 0: antialiased)
//   u64      number of splats in the scene's file, number of added splats, number of changed splats
//   u64[]    masks of all splats: selected, hidden, deleted; mask of the file's splats: changed
//   f32[]    values of the changed and of the added splats: fields of the kind, SH
//   u64      FNV-1a of all before
#include "io/projects/edits_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/byte_stream.h"
#include "core/bytes.h"
#include "core/file.h"
#include "core/fingerprint.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kEditsMagic{'M', 'O', 'T', 'E', 'E', 'D', 'I', 'T'};
constexpr std::uint32_t kEditsVersion = 1, kAntialiased = 1;
constexpr int kMotionShift = 8;
constexpr std::size_t kEditsHeaderBytes = kEditsMagic.size() + 4 * 4 + 3 * 8, kSumBytes = 8;
constexpr std::size_t kEditsPiece_bytes = std::size_t{1} << 20;
constexpr const char* kEditsRemedy =
    "copy the file again, or save the project again from a session "
    "that has the edits";

class EditsSum : public ByteSink {
 public:
  void write(std::span<const std::byte> bytes) override { sum_.add_bytes(bytes); }
  std::uint64_t value() const { return sum_.value(); }

 private:
  Fingerprint sum_;
};

class EditsSink : public ByteSink {
 public:
  explicit EditsSink(OutputFile& file) : file_(file) {}
  void write(std::span<const std::byte> bytes) override { file_.write(bytes); }

 private:
  OutputFile& file_;
};

void put_mask(const SplatMask& mask, ByteSink& sink) {
  sink.write(std::as_bytes(mask.words()));
}

/// All values of a splat, fields first.
void put_splat(const SplatCloud& cloud, std::size_t splat, std::vector<float>& values,
               ByteSink& sink) {
  values.clear();
  for (const Field field : cloud.info().stored()) values.push_back(cloud.at(splat, field));
  for (int i = 0; i < cloud.sh_coefficients(); ++i) {
    for (int c = 0; c < 3; ++c) values.push_back(cloud.sh(splat, i, c));
  }
  sink.write(std::as_bytes(std::span(values)));
}

/// Everything before the sum.
void put_edits(const SplatEdits& edits, ByteSink& sink) {
  sink.put(kEditsMagic);
  sink.put(kEditsVersion);
  sink.put(static_cast<std::uint32_t>(edits.values.kind()) |
           static_cast<std::uint32_t>(edits.values.motion()) << kMotionShift);
  sink.put(static_cast<std::uint32_t>(edits.values.sh_degree()));
  sink.put(edits.values.antialiased ? kAntialiased : std::uint32_t{0});
  sink.put(std::uint64_t{edits.in_file()});
  sink.put(std::uint64_t{edits.added()});
  sink.put(std::uint64_t{edits.changed.count()});
  for (const SplatMask* mask : {&edits.selected, &edits.hidden, &edits.deleted, &edits.changed}) {
    put_mask(*mask, sink);
  }
  if (edits.values.info().moves()) {
    sink.put(edits.values.times.duration_s);
    sink.put(edits.values.times.frames_per_second);
  }
  std::vector<float> values;
  for (std::size_t i = 0; i < edits.values.count(); ++i) put_splat(edits.values, i, values, sink);
}

/// The motion is in the word of the kind, above it.
SplatForm form_of(std::uint32_t word, std::uint32_t degree) {
  return {static_cast<SplatKind>(word & ((1u << kMotionShift) - 1)), static_cast<int>(degree),
          static_cast<SplatMotion>(word >> kMotionShift)};
}

bool is_form(std::uint32_t word, std::uint32_t degree) {
  if ((word & ((1u << kMotionShift) - 1)) >= kSplatKinds || word >> kMotionShift >= kSplatMotions ||
      degree > kMaxShDegree) {
    return false;
  }
  const SplatForm form = form_of(word, degree);
  return kind_info(form.kind, form.motion).exists;
}

struct EditsHeader {
  SplatForm form;
  bool antialiased = false;
  std::uint64_t in_file = 0, added = 0, changed = 0;

  static std::uint64_t mask_bytes(std::uint64_t splats) {
    return (splats + SplatMask::kWordSplats - 1) / SplatMask::kWordSplats * 8;
  }
  std::uint64_t times_bytes() const {
    return depends_on_time(form.motion) ? 2 * sizeof(double) : 0;
  }
  /// The size of the whole file. The numbers are below 2^33, so that nothing overflows.
  std::uint64_t file_bytes() const {
    return kEditsHeaderBytes + 3 * mask_bytes(in_file + added) + mask_bytes(in_file) +
           times_bytes() + (changed + added) * form.floats() * sizeof(float) + kSumBytes;
  }
};

EditsHeader read_edits_header(const InputFile& file) {
  constexpr std::uint64_t kMostSplats = (std::uint64_t{1} << 32) - 1;
  std::array<std::byte, kEditsHeaderBytes> bytes;
  const std::size_t got = file.read_some(0, bytes);
  if (got < kEditsMagic.size() ||
      std::memcmp(bytes.data(), kEditsMagic.data(), kEditsMagic.size()) != 0) {
    throw Error("is not a file of edits", file.name(), kEditsRemedy);
  }
  const std::span<const std::byte> head(bytes.data(), got);
  ByteReader reader(head, file.name());
  reader.skip(kEditsMagic.size());
  const auto version = reader.read<std::uint32_t>();
  if (version != kEditsVersion) {
    throw Error(fmt::format("has version {}, expected {}", version, kEditsVersion), file.name(),
                "open the project with a newer Mote");
  }
  const auto kind = reader.read<std::uint32_t>(), degree = reader.read<std::uint32_t>();
  const auto flags = reader.read<std::uint32_t>();
  EditsHeader header;
  header.in_file = reader.read<std::uint64_t>();
  header.added = reader.read<std::uint64_t>();
  header.changed = reader.read<std::uint64_t>();
  const bool fits = is_form(kind, degree) && flags <= kAntialiased &&
                    header.in_file <= kMostSplats && header.added <= kMostSplats &&
                    header.in_file + header.added <= kMostSplats &&
                    header.changed <= header.in_file;
  if (!fits) throw Error("is damaged: its header contradicts itself", file.name(), kEditsRemedy);
  header.form = form_of(kind, degree);
  header.antialiased = flags == kAntialiased;
  return header;
}

/// Reads the file in order and adds it to the sum.
class SummedReader {
 public:
  explicit SummedReader(const InputFile& file) : file_(file) {}

  void read(std::span<std::byte> out) {
    file_.read_exact(offset_, out);
    offset_ += out.size();
    sum_.add_bytes(out);
  }
  std::uint64_t sum() const { return sum_.value(); }

 private:
  const InputFile& file_;
  std::uint64_t offset_ = 0;
  Fingerprint sum_;
};

SplatMask read_splat_mask(std::uint64_t splats, SummedReader& reader, const InputFile& file) {
  SplatMask mask(static_cast<std::size_t>(splats));
  reader.read(std::as_writable_bytes(mask.words()));
  SplatMask trimmed = mask;
  trimmed.trim();
  if (trimmed != mask) {
    throw Error("is damaged: a mask names splats that are not there", file.name(), kEditsRemedy);
  }
  return mask;
}

SplatCloud read_values(const EditsHeader& header, SummedReader& reader, const InputFile& file) {
  SplatCloud cloud(static_cast<std::size_t>(header.changed + header.added), header.form);
  cloud.antialiased = header.antialiased;
  if (cloud.info().moves()) {
    double times[2] = {0, 0};
    reader.read(std::as_writable_bytes(std::span(times)));
    for (const double time : times) {
      if (std::isfinite(time) && time >= 0) continue;
      throw Error("is damaged: its times are impossible", file.name(), kEditsRemedy);
    }
    cloud.times = {times[0], times[1]};
  }
  const std::size_t floats = header.form.floats();
  const std::size_t piece = kEditsPiece_bytes / (floats * sizeof(float));
  std::vector<float> values;
  for (std::size_t done = 0; done < cloud.count(); done += piece) {
    const std::size_t count = std::min(piece, cloud.count() - done);
    values.resize(count * floats);
    reader.read(std::as_writable_bytes(std::span(values)));
    const float* next = values.data();
    for (std::size_t i = done; i < done + count; ++i) {
      for (const Field field : cloud.info().stored()) cloud.at(i, field) = *next++;
      for (int k = 0; k < cloud.sh_coefficients(); ++k) {
        for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = *next++;
      }
    }
  }
  return cloud;
}

}  // namespace

std::uint64_t fingerprint_of(const SplatEdits& edits) {
  EditsSum sink;
  put_edits(edits, sink);
  return sink.value();
}

void write_edits(const SplatEdits& edits, const fs::path& path) {
  OutputFile file(path);
  EditsSink sink(file);
  put_edits(edits, sink);
  sink.put(fingerprint_of(edits));
  file.commit();
}

SplatEdits read_edits(const fs::path& path) {
  const InputFile file(path);
  const EditsHeader header = read_edits_header(file);
  if (file.size() != header.file_bytes()) {
    throw Error(
        fmt::format("is damaged: has {} bytes, expected {}", file.size(), header.file_bytes()),
        file.name(), kEditsRemedy);
  }
  SummedReader reader(file);
  std::array<std::byte, kEditsHeaderBytes> again;
  reader.read(again);
  SplatEdits edits;
  const std::uint64_t all = header.in_file + header.added;
  edits.selected = read_splat_mask(all, reader, file);
  edits.hidden = read_splat_mask(all, reader, file);
  edits.deleted = read_splat_mask(all, reader, file);
  edits.changed = read_splat_mask(header.in_file, reader, file);
  if (edits.changed.count() != header.changed) {
    throw Error("is damaged: its mask of changed splats has another number of them", file.name(),
                kEditsRemedy);
  }
  edits.values = read_values(header, reader, file);
  std::uint64_t sum = 0;
  file.read_exact(header.file_bytes() - kSumBytes, std::as_writable_bytes(std::span(&sum, 1)));
  if (sum != reader.sum()) {
    throw Error("is damaged: its checksum is wrong", file.name(), kEditsRemedy);
  }
  return edits;
}

}  // namespace mote
